"""Progress of long work on stderr; silent where nobody looks."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


class Task(Protocol):
    """A running piece of work."""

    def advance(self, steps: int = 1) -> None:
        """Says that `steps` more are done."""
        ...

    def note(self, text: str) -> None:
        """Shows `text` beside the bar."""
        ...


class _Quiet:
    def advance(self, steps: int = 1) -> None:
        del steps

    def note(self, text: str) -> None:
        del text


@contextlib.contextmanager
def task(title: str, *, total: int | None = None) -> Iterator[Task]:
    """Shows a bar for one piece of work while the block runs."""
    if not sys.stderr.isatty():
        yield _Quiet()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("[dim]{task.fields[note]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress, title, total)


class _Bar:
    def __init__(self, progress: object, title: str, total: int | None) -> None:
        self._progress = progress
        self._id = progress.add_task(title, total=total, note="")  # type: ignore[attr-defined]

    def advance(self, steps: int = 1) -> None:
        self._progress.advance(self._id, steps)  # type: ignore[attr-defined]

    def note(self, text: str) -> None:
        self._progress.update(self._id, note=text)  # type: ignore[attr-defined]


def track(items: Iterable[T], title: str, *, total: int | None = None) -> Iterator[T]:
    """Yields `items` while a bar shows how many have been dealt with."""
    with task(title, total=total) as bar:
        for item in items:
            yield item
            bar.advance()
