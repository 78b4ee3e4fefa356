"""The private-table half: schema, discretiser, tokens, models."""
