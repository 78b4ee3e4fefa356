"""Bins and levels for the benchmark; private ones are paid from the budget of each fit.

nonprivate    read once, off all rows with the test rows among them, as in the literature
public        what the schema declares, which it has to for every column
private       found once for each number of rows, epsilon and seed, on the rows that are
              fitted; every method goes on with these and with what they have left

However the methods of one group are cut, they are cut alike: their likelihoods compare.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core import config
from mustermann.core.seeds import Seeds
from mustermann.journeys import tables as journey
from mustermann.journeys.table_split import TRAIN, cut_by_all_rows
from mustermann.metrics import tables as metrics
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables.discretise import Discretiser
from mustermann.tables.settings import FitSettings, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.journeys.table_split import SplitTable, WholeTable
    from mustermann.journeys.table_store import Store
    from mustermann.tables.discretise import BinsMode
    from mustermann.tables.domain import Codes
    from mustermann.tables.schema import Strategy
    from mustermann.tables.walks import Ints


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Cut:
    """A table as all methods of one group see it.

    Attributes:
      table: Its levels.
      train: Those of its training rows that are fitted, shape (N, k).
      ledger: What stands in the ledger before a fit, as JSON values.
      says: What every record of the group says: the mode of the bins, what they cost, and
        the distances of a bootstrap resample of the fitted rows to themselves.
    """

    table: SplitTable
    train: Codes
    ledger: Mapping[str, Any]
    says: Mapping[str, Any]


class Cutter:
    """Cuts one table for every group of fits."""

    def __init__(
        self, table: WholeTable, *, bins: BinsMode, strategy: Strategy, delta: float, store: Store
    ) -> None:
        """Takes the table; bins that the store knows are not found again."""
        self._whole = table
        self._bins = bins
        self._delta = delta
        self._store = store
        # The bins' settings are those of every method.
        self._settings = FitSettings(
            epsilon=1.0, bins=bins, overrides=(f"discretise.strategy={strategy}",)
        )
        self._fixed = cut_by_all_rows(table, strategy) if bins == "nonprivate" else None
        self._floors: dict[int, dict[str, Any]] = {}

    def cut(self, *, rows: int, epsilon: float, seed: int) -> Cut:
        """Returns the table as the methods see it that fit `rows` rows.

        Raises:
          ConfigError: The schema leaves open what `bins` is to find declared.
          DataError: A value does not fit what the schema declares.
          PrivacyError: delta is too large for the rows, or epsilon too small to find bins.
        """
        budget = Budget(epsilon=epsilon, delta=self._delta)
        journey.refuse_large_delta(budget, rows=rows)
        ledger = Ledger(budget)
        if self._fixed is not None:
            table = self._fixed
            ledger.declare_public("rows", "the number of rows")
            if table.read:
                ledger.read_nonprivate("bins", table.read)
        else:
            discretiser, ledger = self._discretiser(ledger, rows=rows, seed=seed)
            table = self._whole.cut(discretiser, read="")
        train = subset(table.train, rows, name=table.name)
        spent = ledger.spent() if ledger.releases else 0.0
        return Cut(
            table=table,
            train=train,
            ledger=ledger.to_record(),
            says={"bins": self._bins, "epsilon_bins": spent, **self._floor(table, train)},
        )

    def _discretiser(self, ledger: Ledger, *, rows: int, seed: int) -> tuple[Discretiser, Ledger]:
        """Returns bins found on the fitted rows, and the ledger that has them."""
        key = f"bins|{self._whole.name}|{rows}|{ledger.budget.epsilon}|{seed}|{self._digest}"
        known = self._store.find(key) if self._bins == "private" else None
        if known is not None:
            found = Discretiser.from_record(known["discretiser"])
            return found, Ledger.from_record(known["ledger"])
        places = np.flatnonzero(self._whole.parts == TRAIN)
        found = journey.discretise(
            self._whole.frame.take(subset(places, rows, name=self._whole.name)),
            self._whole.schema,
            resolve(self._settings),
            bins=self._bins,
            ledger=ledger,
        )
        if self._bins == "private":
            # Kept like a fit: a run that is taken up again must not look a second time.
            self._store.add(key, {"discretiser": found.to_record(), "ledger": ledger.to_record()})
        return found, ledger

    @functools.cached_property
    def _digest(self) -> str:
        """Returns a name of the rows, their parts and all settings that bins depend on."""
        digest = hashlib.blake2b(self._whole.parts.tobytes(), digest_size=8)
        for series in self._whole.frame.series:
            for part in (series.values, series.missing):
                digest.update(np.ascontiguousarray(part).tobytes())
            digest.update(json.dumps([series.name, series.texts]).encode())
        asked = [config.plain(self._whole.schema), config.plain(self._settings), self._delta]
        digest.update(json.dumps(asked, sort_keys=True, default=str).encode())
        return digest.hexdigest()

    def _floor(self, table: SplitTable, train: Codes) -> dict[str, Any]:
        """Returns the distances of a bootstrap resample of the fitted rows to themselves."""
        if self._fixed is not None and len(train) in self._floors:
            return self._floors[len(train)]
        draws = Seeds(0).generator("floor", table.name, len(train))
        chosen = draws.integers(0, len(train), len(train))
        found = metrics.marginal_distances(train, train[chosen], table.domain.sizes)
        floor = {f"{name}_floor": value for name, value in dataclasses.asdict(found).items()}
        self._floors[len(train)] = floor
        return floor


def subset(rows: Codes | Ints, count: int, *, name: str) -> Any:
    """Returns `count` of a table's training rows; smaller subsets are parts of larger ones."""
    if count == len(rows):
        return rows
    order = Seeds(0).generator("learning curve", name).permutation(len(rows))
    return rows[np.sort(order[:count])]
