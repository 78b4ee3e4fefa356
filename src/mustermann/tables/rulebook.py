"""What holds for the rows of a fitted table: its constraints, and conditions on top."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.tables import within
from mustermann.tables.ascending import Step, bounds_of, draw_ascending, steps_of
from mustermann.tables.encoders import Bins
from mustermann.tables.feasible import Feasible, Relation
from mustermann.tables.frames import Frame
from mustermann.tables.relations import relations
from mustermann.tables.walks import invert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.tables.ascending import Bounds
    from mustermann.tables.constraints import Constraint
    from mustermann.tables.discretise import Discretiser
    from mustermann.tables.domain import Codes
    from mustermann.tables.frames import Layout, Series
    from mustermann.tables.restrictions import Restriction
    from mustermann.tables.walks import Bools, Ints


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Rulebook:
    """The constraints of a model.

    Attributes:
      constraints: As the schema declared them.
      discretiser: Values to levels and back.
      order: The model's columns in its order, by place in the table.
    """

    constraints: tuple[Constraint, ...]
    discretiser: Discretiser
    order: tuple[int, ...]

    @functools.cached_property
    def base(self) -> Feasible:
        """Returns the levels that leave some valid row."""
        return self._feasible(self.relations)

    @functools.cached_property
    def relations(self) -> tuple[Relation, ...]:
        """Returns what the constraints demand of levels."""
        return tuple(relations(self.constraints, self.discretiser))

    @functools.cached_property
    def steps(self) -> tuple[Step, ...]:
        """Returns the pairs of columns that ascend."""
        return steps_of(self.constraints, self.discretiser)

    @property
    def ascending(self) -> frozenset[int]:
        """Returns the columns that ascend."""
        return frozenset(column for step in self.steps for column in (step.low, step.high))

    def narrowed(self, restrictions: Mapping[int, Restriction]) -> Feasible:
        """Returns the levels that leave a valid row which meets the conditions.

        Raises:
          ConfigError: There is no such row, or a condition leaves gaps in an ascending column.
        """
        allowed = {column: restriction.allowed for column, restriction in restrictions.items()}
        bounds = self.bounds(restrictions)
        found = relations(self.constraints, self.discretiser, bounds=bounds)
        feasible = self._feasible(found, allowed)
        if not feasible.possible:
            names = [self.discretiser.encoders[column].name for column in restrictions]
            raise ConfigError(
                f"Expected some valid row to meet the conditions on {', '.join(names)}, found "
                f"that the model's constraints leave none: "
                f"{'; '.join(str(constraint) for constraint in self.constraints)}."
            )
        return feasible

    def given(self, bounds: Mapping[int, Bounds], known: Mapping[int, int]) -> Feasible:
        """Returns the levels that leave a valid row with these `known` levels."""
        allowed = {
            column: np.arange(self.discretiser.encoders[column].size) == level
            for column, level in known.items()
        }
        return self._feasible(relations(self.constraints, self.discretiser, bounds=bounds), allowed)

    def bounds(self, restrictions: Mapping[int, Restriction]) -> dict[int, Bounds]:
        """Returns the bounds of each level of the conditioned columns that ascend."""
        found = {}
        for column in self.ascending & set(restrictions):
            bins, ranges = self.discretiser.encoders[column], restrictions[column].ranges
            if len(ranges) > 1:
                raise ConfigError(
                    f"Expected conditions on {bins.name!r}, a column of an ascending constraint, "
                    f"that leave one range of values, found {len(ranges)}. Ask for each by itself."
                )
            if isinstance(bins, Bins) and ranges:
                low, high = bounds_of(bins)
                found[column] = (np.maximum(low, ranges[0].low), np.minimum(high, ranges[0].high))
                if bins.missing:
                    found[column][0][-1], found[column][1][-1] = -np.inf, np.inf
        return found

    def decode(
        self,
        codes: Codes,
        layout: Layout,
        draws: np.random.Generator,
        restrictions: Mapping[int, Restriction],
    ) -> Frame:
        """Returns rows of values that keep to the constraints and meet the conditions."""
        frame = self.discretiser.decode(codes, layout, draws)
        series = list(frame.series)
        for column, restriction in restrictions.items():
            bins = self.discretiser.encoders[column]
            if isinstance(bins, Bins) and restriction.ranges and column not in self.ascending:
                series[column] = _draw_within(bins, codes[:, column], restriction, draws)
        if self.steps:
            bounds = self.bounds(restrictions)
            drawn = draw_ascending(self.steps, codes, self.discretiser, bounds, draws)
            for column, values in drawn.items():
                series[column] = values
        return Frame(series=tuple(series), layout=frame.layout)

    def _feasible(
        self, found: Sequence[Relation], allowed: Mapping[int, Bools] | None = None
    ) -> Feasible:
        return Feasible(
            found, order=self.order, sizes=self.discretiser.domain.sizes, allowed=allowed
        )


def _draw_within(
    bins: Bins, codes: Ints, restriction: Restriction, draws: np.random.Generator
) -> Series:
    """Returns values of levels, all of them within the ranges of a condition."""
    missing = codes >= len(bins.kept)
    levels = np.where(missing, 0, codes)
    masses = restriction.masses[levels]
    which = invert(np.where(missing[:, None], 1.0, masses), draws.random(len(codes)))
    low = np.where(missing, -np.inf, np.array([r.low for r in restriction.ranges])[which])
    high = np.where(missing, np.inf, np.array([r.high for r in restriction.ranges])[which])
    return within.series(bins, within.draw(bins, levels, low, high, draws), missing)
