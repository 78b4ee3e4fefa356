"""What releases cost together: dp_accounting's accountants behind one function.

Which accountant answers depends on the releases alone:

* Gaussian releases only: they are one Gaussian release with the summed mu^2, whose
  epsilon is known in closed form. No discretisation, so no slack.
* Otherwise, where every release has one: privacy loss distributions, discretised
  upwards, after merging the Gaussian releases as above.
* Otherwise (exponential mechanisms, known to us by their concentrated-DP bound):
  Renyi divergences. A valid bound too, only looser.

Source: Balle and Wang 2018 (analytic Gaussian); Dong, Roth and Su 2022, cor. 3.3
(Gaussians compose by adding mu^2); Koskela et al. 2020 and Doroshenko et al. 2022
(privacy loss distributions); Mironov 2017 (Renyi).
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import math
from typing import TYPE_CHECKING

import dp_accounting
import numpy as np
from dp_accounting import pld, rdp

from mustermann.core.errors import PrivacyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FINE = 1e-4
"""Discretisation of the privacy loss, in nats, behind every claim."""

COARSE = 1e-3
"""Discretisation for searches; it only ever overstates, and a claim is never made from it."""

_ORDERS = tuple(1.0 + np.geomspace(1e-2, 1e4, 600))


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Split:
    """Releases sorted into Gaussian ones, merged, and the others."""

    mu2: float
    others: tuple[tuple[dp_accounting.DpEvent, int], ...]

    def events(self) -> Iterator[tuple[dp_accounting.DpEvent, int]]:
        """Yields each event and how often it happens."""
        if self.mu2 > 0:
            yield dp_accounting.GaussianDpEvent(1 / math.sqrt(self.mu2)), 1
        yield from self.others


def epsilon_of(
    events: Sequence[dp_accounting.DpEvent], *, delta: float, interval: float = FINE
) -> float:
    """Returns an epsilon at `delta` that the releases `events` together never exceed.

    No release costs 0; a release that is not private costs infinity.

    Args:
      events: The releases, each of which may depend on the earlier ones.
      delta: In (0, 1).
      interval: Discretisation of the privacy loss in nats, rounded upwards.

    Raises:
      PrivacyError: An event is of a kind that no accountant knows.
    """
    split = _split(events)
    if not math.isfinite(split.mu2):
        return math.inf
    if not split.others:
        sigma = 1 / math.sqrt(split.mu2) if split.mu2 > 0 else math.inf
        return float(dp_accounting.get_epsilon_gaussian(sigma, delta))
    accountant: dp_accounting.PrivacyAccountant = pld.PLDAccountant(
        value_discretization_interval=interval
    )
    if not _supported(accountant, split.others):
        accountant = rdp.RdpAccountant(orders=_ORDERS)
    if not _supported(accountant, split.others):
        kinds = ", ".join(sorted({type(event).__name__ for event, _ in split.others}))
        raise PrivacyError(
            f"Expected releases that an accountant knows, found {kinds}. "
            f"Describe the release by events of dp_accounting that its accountants support."
        )
    for event, count in split.events():
        accountant.compose(event, count)
    return float(accountant.get_epsilon(delta))


def accountant_of(events: Sequence[dp_accounting.DpEvent]) -> str:
    """Returns the name of the accountant that `epsilon_of` uses for `events`."""
    split = _split(events)
    if not split.others:
        return "dp_accounting: analytic Gaussian"
    if _supported(pld.PLDAccountant(), split.others):
        return "dp_accounting: privacy loss distribution"
    return "dp_accounting: Renyi"


def accountant_version() -> str:
    """Returns the version of dp_accounting that is installed."""
    return importlib.metadata.version("dp-accounting")


def _supported(
    accountant: dp_accounting.PrivacyAccountant,
    events: Iterable[tuple[dp_accounting.DpEvent, int]],
) -> bool:
    return all(accountant.supports(event) for event, _ in events)


def _split(events: Sequence[dp_accounting.DpEvent]) -> _Split:
    """Returns `events` with plain Gaussian releases merged into one mu^2."""
    mu2, others = 0.0, []
    for event, count in _flat(events, 1):
        if isinstance(event, dp_accounting.GaussianDpEvent):
            sigma = event.noise_multiplier
            mu2 += count / sigma**2 if sigma > 0 else math.inf
        else:
            others.append((event, count))
    return _Split(mu2=mu2, others=tuple(others))


def _flat(
    events: Iterable[dp_accounting.DpEvent], count: int
) -> Iterator[tuple[dp_accounting.DpEvent, int]]:
    """Yields the releases without the compositions around them, with their counts."""
    for event in events:
        if isinstance(event, dp_accounting.ComposedDpEvent):
            yield from _flat(event.events, count)
        elif isinstance(event, dp_accounting.SelfComposedDpEvent):
            yield from _flat([event.event], count * event.count)
        elif (
            isinstance(event, dp_accounting.PoissonSampledDpEvent)
            and event.sampling_probability == 1
        ):
            yield from _flat([event.event], count)
        elif not isinstance(event, dp_accounting.NoOpDpEvent):
            yield event, count
