"""The ledger: the only way to private data.

Every release of something computed from private data is an entry, made before the noise
is drawn, and the object that adds the noise comes out of the entry. What is read without
noise, or declared to be public, is an entry too, and the guarantee names it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Self

import dp_accounting

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy import events
from mustermann.privacy.accounting import accountant_of, accountant_version, epsilon_of
from mustermann.privacy.budget import Budget, calibrate, gaussian_sigma
from mustermann.privacy.guarantee import Guarantee, Read, Share, sentence
from mustermann.privacy.mechanisms import ExponentialMechanism, GaussianMechanism, Mechanism

if TYPE_CHECKING:
    from collections.abc import Sequence

ONE_ROW = "add or remove one row"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Release:
    """One private release: its name, what is released, and what it costs."""

    name: str
    what: str
    event: dp_accounting.DpEvent


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reserve:
    """Part of delta set aside: its name, what may fail, and with which probability at most."""

    name: str
    what: str
    delta: float


class Ledger:
    """Keeps one fit within its budget.

    Attributes:
      budget: The most that all releases together may cost, less what `reserve_delta` took.
      delta: The whole delta, with what `reserve_delta` took.
      neighbours: What one step between neighbouring tables is, as an imperative.
    """

    def __init__(self, budget: Budget, *, neighbours: str = ONE_ROW) -> None:
        """Opens an empty ledger."""
        self.budget = budget
        self.delta = budget.delta
        self.neighbours = neighbours
        self._releases: list[Release] = []
        self._reads: list[Read] = []
        self._public: list[Read] = []
        self._reserved: list[Reserve] = []

    @property
    def releases(self) -> tuple[Release, ...]:
        """Returns the releases so far, in order."""
        return tuple(self._releases)

    def spent(self) -> float:
        """Returns the epsilon of all releases so far, at the budget's delta."""
        return self._cost([])

    def spend(self, name: str, event: dp_accounting.DpEvent, *, what: str) -> None:
        """Enters one release; only then may it happen.

        There is no slack: noise from `gaussian_sigma` and `calibrate` is rounded upwards by
        more than the error of adding it up again.

        Args:
          name: Short and stable, such as "marginals".
          event: What the release costs.
          what: What is released, as a noun phrase.

        Raises:
          PrivacyError: All releases together would cost more than the budget.
        """
        total = self._cost([event])
        if total > self.budget.epsilon:
            raise PrivacyError(
                f"Expected to keep to epsilon={self.budget.epsilon:.6g} at "
                f"delta={self.budget.delta:g}, but with {name!r} ({what}) all releases would "
                f"cost {total:.6g}. Raise epsilon or release less."
            )
        self._releases.append(Release(name=name, what=what, event=event))

    def gaussian(
        self, name: str, *, share: float, sensitivity: float, what: str
    ) -> GaussianMechanism:
        """Enters a Gaussian release and returns the mechanism that makes it.

        Args:
          name: Short and stable.
          share: Part of the budget's mu^2, in (0, 1]; shares of Gaussian releases add up.
          sensitivity: L2 sensitivity of the whole release to one row.
          what: What is released, as a noun phrase.

        Raises:
          ConfigError: The share or the sensitivity is out of range.
          PrivacyError: All releases together would cost more than the budget.
        """
        if not 0 < share <= 1:
            raise ConfigError(f"Expected a share in (0, 1] for {name!r}, found {share}.")
        noise = gaussian_sigma(self.budget) / math.sqrt(share)
        mechanism = GaussianMechanism(noise=noise, sensitivity=sensitivity)
        self.spend(name, mechanism.event(), what=what)
        return mechanism

    def exponential(
        self, name: str, *, epsilon: float, sensitivity: float, what: str
    ) -> ExponentialMechanism:
        """Enters a choice among candidates and returns the mechanism that makes it.

        Args:
          name: Short and stable.
          epsilon: Pure-DP cost of the choice.
          sensitivity: Most that any score moves when one row comes or goes.
          what: What is chosen, as a noun phrase.

        Raises:
          ConfigError: An argument is out of range.
          PrivacyError: All releases together would cost more than the budget.
        """
        mechanism = ExponentialMechanism(epsilon=epsilon, sensitivity=sensitivity)
        self.spend(name, mechanism.event(), what=what)
        return mechanism

    def sgd(self, name: str, *, steps: int, rate: float, clip: float, what: str) -> Mechanism:
        """Enters a DP-SGD run that uses up what is left, and returns its mechanism.

        Args:
          name: Short and stable.
          steps: Number of noisy gradients.
          rate: Probability with which each record joins a step.
          clip: L2 bound of one record's share of a step's sum.
          what: What is released, as a noun phrase.

        Raises:
          ConfigError: A setting is out of range.
          PrivacyError: Too little is left; names the least epsilon that would work.
        """

        def mechanism(noise: float) -> Mechanism:
            return Mechanism(steps=steps, rate=rate, clip=clip, noise=noise)

        earlier = [release.event for release in self._releases]
        noise = calibrate(
            self.budget,
            lambda noise: dp_accounting.ComposedDpEvent([*earlier, mechanism(noise).event()]),
        )
        self.spend(name, mechanism(noise).event(), what=what)
        return mechanism(noise)

    def reserve_delta(self, name: str, *, delta: float, what: str) -> None:
        """Sets part of delta aside for releases that may fail with that probability.

        What a release does when it fails is free; all entries are held to what remains, and
        the guarantee states the whole delta again. Comes before any release, because noise
        is made to the remaining delta.

        Args:
          name: Short and stable.
          delta: Bound on the probability that any of these releases fails.
          what: What may fail, as a noun phrase.

        Raises:
          ConfigError: `delta` is not between 0 and what the budget has.
          PrivacyError: Something has been released already.

        Source: basic composition of delta (Dwork and Roth 2014, appendix B).
        """
        if not 0 < delta < self.budget.delta:
            raise ConfigError(
                f"Expected a delta between 0 and {self.budget.delta:g} for {name!r}, found {delta}."
            )
        if self._releases:
            raise PrivacyError(
                f"Expected to reserve delta for {name!r} before any release, found "
                f"{self._releases[0].name!r} in the ledger already. Reserve it first."
            )
        rest = math.nextafter(self.budget.delta - delta, 0.0)
        self.budget = dataclasses.replace(self.budget, delta=rest)
        self._reserved.append(Reserve(name=name, what=what, delta=delta))

    def recorded_sgd(self, name: str, *, clip: float) -> Mechanism:
        """Returns the mechanism of a DP-SGD run entered before, so that it can go on.

        Args:
          name: As given to `sgd`.
          clip: As given to `sgd`; the cost does not depend on it, so no entry holds it.

        Raises:
          PrivacyError: There is no such entry.
        """
        for release in self._releases:
            match release.event:
                case dp_accounting.SelfComposedDpEvent(
                    event=dp_accounting.PoissonSampledDpEvent(
                        sampling_probability=rate,
                        event=dp_accounting.GaussianDpEvent(noise_multiplier=noise),
                    ),
                    count=steps,
                ) if release.name == name:
                    return Mechanism(steps=steps, rate=rate, clip=clip, noise=noise)
        raise PrivacyError(
            f"Expected a DP-SGD run named {name!r} in the ledger to go on with, found none. "
            f"Start it anew with `sgd`."
        )

    def read_nonprivate(self, name: str, what: str) -> None:
        """Enters a read without noise: the guarantee will say that it is not covered."""
        self._reads.append(Read(name=name, what=what))

    def declare_public(self, name: str, what: str) -> None:
        """Enters a fact that the caller declares to be public."""
        self._public.append(Read(name=name, what=what))

    def guarantee(self) -> Guarantee:
        """Returns what has been spent so far, on what, and what is not covered."""
        epsilon, delta = self.spent(), self.delta
        reads, public = tuple(self._reads), tuple(self._public)
        return Guarantee(
            epsilon=epsilon,
            delta=delta,
            end_to_end=not reads,
            accountant=accountant_of([release.event for release in self._releases]),
            accountant_version=accountant_version(),
            neighbours=self.neighbours,
            shares=(
                *(_part_of_delta(reserve) for reserve in self._reserved),
                *(self._share(release) for release in self._releases),
            ),
            non_private_reads=reads,
            public=public,
            sentence=sentence(
                epsilon=epsilon,
                delta=delta,
                neighbours=self.neighbours,
                non_private_reads=reads,
                public=public,
            ),
        )

    def to_record(self) -> dict[str, Any]:
        """Returns the ledger as JSON values, for a checkpoint; `from_record` is the inverse."""
        return {
            "budget": dataclasses.asdict(self.budget),
            "delta": self.delta,
            "neighbours": self.neighbours,
            "releases": [
                {"name": r.name, "what": r.what, "event": events.to_record(r.event)}
                for r in self._releases
            ],
            "non_private_reads": [dataclasses.asdict(read) for read in self._reads],
            "public": [dataclasses.asdict(read) for read in self._public],
            "reserved": [dataclasses.asdict(reserve) for reserve in self._reserved],
        }

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """Returns the ledger that `to_record` wrote.

        Raises:
          DataError: `record` is not such a record.
          PrivacyError: The entries cost more than their budget.
        """
        try:
            ledger = cls(Budget(**record["budget"]), neighbours=record["neighbours"])
            ledger.delta = record.get("delta", ledger.budget.delta)
            for entry in record["releases"]:
                event = events.from_record(entry["event"])
                ledger._releases.append(
                    Release(name=entry["name"], what=entry["what"], event=event)
                )
            ledger._reads = [Read(**read) for read in record["non_private_reads"]]
            ledger._public = [Read(**read) for read in record["public"]]
            ledger._reserved = [Reserve(**reserve) for reserve in record.get("reserved", [])]
        except (TypeError, KeyError, ConfigError) as error:
            raise DataError(f"Expected the record of a ledger, but: {error}.") from error
        if ledger.spent() > ledger.budget.epsilon:
            raise PrivacyError(
                f"Expected a ledger within epsilon={ledger.budget.epsilon:.6g}, found entries "
                f"that cost {ledger.spent():.6g}. The record was changed; fit anew."
            )
        return ledger

    def _cost(self, more: Sequence[dp_accounting.DpEvent]) -> float:
        """Returns the epsilon of all releases so far and `more`."""
        composed = [*(release.event for release in self._releases), *more]
        return epsilon_of(composed, delta=self.budget.delta)

    def _share(self, release: Release) -> Share:
        """Returns the release as a part of the budget's mu^2."""
        if isinstance(release.event, dp_accounting.ZCDpEvent):
            mu2 = 2 * release.event.rho
        else:
            alone = epsilon_of([release.event], delta=self.budget.delta)
            # At epsilon = 0 any large enough noise will do, and the share rounds to nothing.
            sigma = (
                dp_accounting.get_sigma_gaussian(alone, self.budget.delta) if alone else math.inf
            )
            mu2 = 1 / sigma**2
        return Share(
            name=release.name,
            share=round(mu2 * gaussian_sigma(self.budget) ** 2, 4),
            event=events.describe(release.event),
            what=release.what,
        )


def _part_of_delta(reserve: Reserve) -> Share:
    event = f"fails with a probability of at most {reserve.delta:.6g}"
    return Share(name=reserve.name, share=0.0, event=event, what=reserve.what)
