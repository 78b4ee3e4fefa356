"""Invented values in place of those that were found: one file a kind of value."""
