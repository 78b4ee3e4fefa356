"""The guarantee: what a fit has spent and on what, for files and for people."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Self

from mustermann.core.errors import DataError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Share:
    """One private release.

    Attributes:
      name: Short and stable, such as "marginals".
      share: Part of the budget, by the mu^2 of the Gaussian release that costs as much.
      event: The noise, as one line of text.
      what: What was released, as a noun phrase.
    """

    name: str
    share: float
    event: str
    what: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Read:
    """Something that no noise protects: a non-private read, or a public fact.

    Attributes:
      name: Short and stable, such as "bins".
      what: What was read or declared, as a noun phrase ("the bins and levels").
    """

    name: str
    what: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Guarantee:
    """What was spent, never less, and what is not covered.

    Attributes:
      epsilon: Composition of all releases at `delta`, in nats.
      delta: As in the budget.
      end_to_end: Whether every read of the data is covered.
      accountant: Name of the accountant that computed epsilon.
      accountant_version: Version of dp_accounting.
      neighbours: What one step between neighbouring tables is, as an imperative.
      shares: The releases, in order.
      non_private_reads: What was read without noise.
      public: What was declared public.
      sentence: All of it in one sentence for the person answerable for the data.
    """

    epsilon: float
    delta: float
    end_to_end: bool
    accountant: str
    accountant_version: str
    neighbours: str
    shares: tuple[Share, ...]
    non_private_reads: tuple[Read, ...]
    public: tuple[Read, ...]
    sentence: str

    def to_record(self) -> dict[str, Any]:
        """Returns the guarantee as JSON values; `from_record` is the inverse."""
        record = dataclasses.asdict(self)
        for name in ("shares", "non_private_reads", "public"):
            record[name] = list(record[name])
        return record

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """Returns the guarantee that `to_record` wrote.

        Raises:
          DataError: `record` is not such a record.
        """
        try:
            fields = dict(record)
            fields["shares"] = tuple(Share(**part) for part in fields["shares"])
            for name in ("non_private_reads", "public"):
                fields[name] = tuple(Read(**part) for part in fields[name])
            return cls(**fields)
        except (TypeError, ValueError, KeyError) as error:
            raise DataError(f"Expected the record of a guarantee, but: {error}.") from error


def sentence(
    *,
    epsilon: float,
    delta: float,
    neighbours: str,
    non_private_reads: tuple[Read, ...],
    public: tuple[Read, ...],
) -> str:
    """Returns the guarantee as one sentence; figures are rounded upwards."""
    covered = (
        f"If you {neighbours}, the probability of any output changes by a factor of at most "
        f"{_factor(epsilon)} (epsilon = {_upwards(epsilon)}), "
        f"but for a chance of delta = {delta:g}"
    )
    if public:
        covered += f", taking {_listed(public)} as public"
    if non_private_reads:
        return (
            f"{covered}; this does not cover {_listed(non_private_reads)}, read from the data "
            f"without privacy (epsilon = infinity for these)."
        )
    return f"{covered}; this covers every read of the data."


def _factor(epsilon: float) -> str:
    """Returns e to the epsilon, as a power where it is beyond the range of floats."""
    try:
        return _upwards(math.exp(epsilon))
    except OverflowError:
        return f"e^{_upwards(epsilon)}"


def _listed(reads: tuple[Read, ...]) -> str:
    names = [read.what for read in reads]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _upwards(value: float, *, digits: int = 4) -> str:
    """Returns `value` with four significant digits, never less than it is."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    # The quotient of a value that is round already may exceed a whole number by an ulp.
    return f"{math.ceil(value / unit * (1 - 1e-12)) * unit:.{digits}g}"
