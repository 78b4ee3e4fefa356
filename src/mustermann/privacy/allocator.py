"""Keeps freed memory in the process, where training takes it up again at once.

By default glibc hands large blocks back to the kernel when they are freed, and every step
pays for the same pages again; the time of a step then drifts with what is freed when.
"""

from __future__ import annotations

import ctypes
import functools

# From glibc's malloc.h. Thresholds beyond 32 MiB are not accepted.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_SETTINGS = {_MMAP_THRESHOLD: 32 * 2**20, _TRIM_THRESHOLD: 2**30, _TOP_PAD: 64 * 2**20}


@functools.cache
def keep_freed_memory() -> bool:
    """Tells glibc to keep freed memory; returns whether it does. No effect elsewhere."""
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018  (only glibc has it)
        mallopt = library.mallopt
    except (OSError, TypeError, AttributeError):
        return False
    accepted = [mallopt(name, value) == 1 for name, value in _SETTINGS.items()]
    return all(accepted)
