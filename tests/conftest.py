"""Settings that every test shares: machines are shared, so no deadlines, and one thread each.

A shell ignores interrupts for what it starts in the background, and children inherit that.
Tests that send one must not depend on how the tests were started.
"""

import os
import signal

from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("shared-machine", deadline=None, print_blob=True)
settings.load_profile("shared-machine")
