"""The rule detector: German PHI by form, check digit, context and gazetteer."""
