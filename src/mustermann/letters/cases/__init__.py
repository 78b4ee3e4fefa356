"""Authored clinical cases: one declarative file a case, from which courses and letters come."""
