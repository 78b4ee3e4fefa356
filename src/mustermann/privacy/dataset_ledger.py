"""A journal beside a data set: what all fits on it have spent, and a cap on that.

Fits compose in the simplest way that always holds: their epsilons add up, and so do their
deltas. An entry is on the disk before its fit may draw any noise, so after a crash the
journal never says less than what was released; it may say more.

Source: Dwork and Roth 2014, theorem 3.16 (basic composition).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fit:
    """One entry of the journal.

    Attributes:
      name: What was fitted, for people.
      epsilon: The fit's budget.
      delta: The fit's budget.
    """

    name: str
    epsilon: float
    delta: float


class DatasetLedger:
    """The journal of one data set, one JSON object a line.

    Attributes:
      path: The file; made by the first fit.
      cap: The most that all fits together may spend.
    """

    def __init__(self, path: Path, *, cap: Budget) -> None:
        """Opens the journal; reads and writes nothing yet."""
        self.path = path
        self.cap = cap

    def fits(self) -> tuple[Fit, ...]:
        """Returns the entries so far.

        Raises:
          DataError: The file can't be read or holds something else.
        """
        return self._parse(self._read())

    def reserve(self, name: str, budget: Budget) -> None:
        """Enters a fit, durably; only then may the fit begin.

        A fit that fails later keeps its entry: part of it may have been released.

        Args:
          name: What is fitted, for people.
          budget: The most that the fit will spend.

        Raises:
          PrivacyError: All fits together would spend more than the cap.
          ConfigError: The file can't be written.
          DataError: The file can't be read or holds something else.
        """
        with self._locked() as file:
            text = self._read()
            # A line without an end was cut by a crash, before its fit was let go on.
            whole = text[: text.rfind("\n") + 1]
            self._refuse_beyond_cap(self._parse(whole), name, budget)
            entry = Fit(name=name, epsilon=budget.epsilon, delta=budget.delta)
            line = json.dumps(dataclasses.asdict(entry), ensure_ascii=False) + "\n"
            os.ftruncate(file, len(whole.encode()))
            os.lseek(file, 0, os.SEEK_END)
            _write_all(file, line.encode())
            os.fsync(file)
        _sync_directory(self.path)

    def _refuse_beyond_cap(self, fits: tuple[Fit, ...], name: str, budget: Budget) -> None:
        epsilon = _total([*(fit.epsilon for fit in fits), budget.epsilon])
        delta = _total([*(fit.delta for fit in fits), budget.delta])
        if epsilon > _total([self.cap.epsilon]) or delta > _total([self.cap.delta]):
            raise PrivacyError(
                f"Expected all fits on {self.path.stem!r} to keep to the cap of "
                f"epsilon={self.cap.epsilon:g}, delta={self.cap.delta:g}, but with {name!r} the "
                f"{len(fits) + 1} fits would spend epsilon={float(epsilon):.6g}, "
                f"delta={float(delta):.6g}. "
                f"Use an earlier model, or have the cap raised by whoever set it."
            )

    def _read(self) -> str:
        try:
            return self.path.read_bytes().decode()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"Expected a journal of fits at {self.path}, but: {error}.") from error

    def _parse(self, text: str) -> tuple[Fit, ...]:
        """Returns the entries of whole lines."""
        lines = text[: text.rfind("\n") + 1].splitlines()
        return tuple(self._entry(number, line) for number, line in enumerate(lines, start=1))

    def _entry(self, number: int, line: str) -> Fit:
        try:
            fields: dict[str, Any] = json.loads(line)
            fit = Fit(**fields)
            Budget(epsilon=fit.epsilon, delta=fit.delta)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"Expected a fit in line {number} of {self.path}, found {line!r}. A journal that "
                f"was changed proves nothing: restore it from a copy."
            ) from error
        return fit

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        """Yields the open file, held by this process alone."""
        try:
            import fcntl
        except ImportError as error:
            raise ConfigError(
                "Expected a system with file locks (POSIX) for a journal of fits, found none. "
                "Run the fit on Linux or macOS, or without a cap."
            ) from error
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise ConfigError(
                f"Expected to be able to write {self.path}, but: {error.strerror}. "
                f"Choose another place for the journal."
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _total(values: Sequence[float]) -> Decimal:
    """Returns the sum of `values` as they are written: three times 0.1 is 0.3."""
    return sum((Decimal(repr(value)) for value in values), Decimal(0))


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _sync_directory(path: Path) -> None:
    """Makes the file's name durable, which a file's own fsync does not."""
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
