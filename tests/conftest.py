"""Settings that every test shares: machines are shared, so no deadlines, and one thread each."""

import os

from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("shared-machine", deadline=None, print_blob=True)
settings.load_profile("shared-machine")
