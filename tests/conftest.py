"""Settings that every test shares: machines are shared, so no property has a deadline."""

from hypothesis import settings

settings.register_profile("shared-machine", deadline=None, print_blob=True)
settings.load_profile("shared-machine")
