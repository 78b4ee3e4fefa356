"""Executors: where the work of a journey runs. Results come back in order."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

A = TypeVar("A")
R = TypeVar("R")


class Executor(Protocol):
    """Applies a function to many items.

    The function and the items must be picklable, and the result of one item must not
    depend on where, when or beside what it is computed.
    """

    def map(self, function: Callable[[A], R], items: Iterable[A]) -> Iterator[R]:
        """Yields `function(item)` in the order of `items`, which are read lazily."""
        ...


class SerialExecutor:
    """Runs everything in this process."""

    def __init__(self, *, workers: int = 1) -> None:
        self.workers = workers

    def map(self, function: Callable[[A], R], items: Iterable[A]) -> Iterator[R]:
        """Yields `function(item)` in the order of `items`, which are read lazily."""
        return map(function, items)


class ProcessExecutor:
    """Runs items on `workers` processes; at most four items a worker are in flight."""

    def __init__(self, *, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(self, function: Callable[[A], R], items: Iterable[A]) -> Iterator[R]:
        """Yields `function(item)` in the order of `items`, which are read lazily."""
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_ignore_interrupt)
        source = iter(items)
        waiting: deque[Future[R]] = deque()
        try:
            waiting.extend(pool.submit(function, item) for item in islice(source, 4 * self.workers))
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(pool.submit(function, item) for item in islice(source, 1))
                yield result
        finally:
            # On Ctrl-C or an error the rest is dropped, not waited for.
            with _uninterrupted():
                pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignores Ctrl-C: a second one while a pool shuts down would leave its workers waiting."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def executor(workers: int) -> Executor:
    """Returns where work runs: this process for one worker, else `workers` processes."""
    return SerialExecutor() if workers == 1 else ProcessExecutor(workers=workers)


def _ignore_interrupt() -> None:
    """Leaves Ctrl-C to the parent, which stops the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
