"""How fast requests may go out: at most so many a minute, evenly spaced, over all threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pacer:
    """Lets requests pass one by one, at least 60 s / `per_minute` apart.

    Args:
      per_minute: Requests a minute; 0 for no limit.
      clock: Seconds, never going back.
      sleep: Waits so many seconds.
    """

    def __init__(
        self, per_minute: int, *, clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._clock, self._sleep = clock, sleep
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when the next request may go out."""
        if not self._gap:
            return
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._gap
        if start > now:
            self._sleep(start - now)
