"""Corpus formats, one file each; plugins in the group `mustermann.formats`."""
