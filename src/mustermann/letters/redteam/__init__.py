"""Attacks on finished letters: one file an attack."""
