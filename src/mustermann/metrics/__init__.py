"""Metrics that reproduce published figures."""
