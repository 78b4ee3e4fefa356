"""Conditions on values as weights of levels: how likely a row of a level meets them.

A level of single values meets a condition or does not. A bin may meet it in part: the
weight is then the part of its values that do, and values are drawn among these alone.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
import itertools
import math
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.tables import within
from mustermann.tables.encoders import Bins, Levels
from mustermann.tables.schema import number
from mustermann.tables.within import EVERYTHING, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mustermann.tables.conditions import Condition
    from mustermann.tables.discretise import Discretiser
    from mustermann.tables.encoders import Encoder
    from mustermann.tables.walks import Bools, Floats

_TRUTHS = {"true": True, "false": False}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Restriction:
    """What a column may still be.

    Attributes:
      weights: The chance that a row with each level meets the conditions, shape (n,).
      ranges: Of the values of a numeric column; () for other columns.
      masses: The chance that a value of each level lies in each range, shape (n, ranges).
    """

    weights: Floats
    ranges: tuple[Range, ...] = ()
    masses: Floats = dataclasses.field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def allowed(self) -> Bools:
        """Returns the levels that meet the conditions at all, shape (n,)."""
        return self.weights > 0


def restrict(
    conditions: Iterable[Condition], discretiser: Discretiser, *, some: bool = True
) -> dict[int, Restriction]:
    """Returns what each conditioned column, by its place, may still be.

    Args:
      conditions: All of them hold.
      discretiser: Knows the columns.
      some: Whether conditions that no value meets are refused.

    Raises:
      ConfigError: A value does not fit its column, an operator does not go with it, or no
        value of the column meets all conditions.
    """
    places = {encoder.name: place for place, encoder in enumerate(discretiser.encoders)}
    by_place: dict[int, list[Condition]] = {}
    for condition in conditions:
        by_place.setdefault(places[condition.column], []).append(condition)
    found = {}
    for place, wanted in by_place.items():
        encoder = discretiser.encoders[place]
        if isinstance(encoder, Bins):
            restriction = _restrict_bins(encoder, wanted)
        else:
            restriction = _restrict_levels(cast("Levels", encoder), wanted)
        if some and not restriction.allowed.any():
            _refuse_empty(encoder, wanted)
        found[place] = restriction
    return found


def resolved(encoder: Encoder) -> Bools:
    """Returns the levels that stand for one known thing on the way back, shape (n,).

    A spare level, or an unknown value that a column can't spell, comes back as any value.
    """
    sound = np.ones(encoder.size, bool)
    if isinstance(encoder, Bins) and encoder.missing and encoder.spare:
        sound[-1] = False
    if isinstance(encoder, Levels) and encoder.unknown is not None:
        silent = encoder.storage != "string" and not encoder.missing
        sound[len(encoder.values)] = not (encoder.spare or silent)
    return sound


def missing(encoder: Encoder) -> Bools:
    """Returns the levels that come back as a missing value, shape (n,)."""
    gone = np.zeros(encoder.size, bool)
    if isinstance(encoder, Bins) and encoder.missing and not encoder.spare:
        gone[-1] = True
    if isinstance(encoder, Levels) and encoder.missing:
        gone[-1] = True
        if encoder.unknown is not None and encoder.storage != "string" and not encoder.spare:
            gone[len(encoder.values)] = True
    return gone


def _restrict_levels(levels: Levels, conditions: Sequence[Condition]) -> Restriction:
    allowed = resolved(levels)
    gone = missing(levels)
    for condition in conditions:
        chosen = np.zeros(levels.size, bool)
        for text in condition.values:
            chosen |= gone if not text else _level_of(levels, condition, text)
        if condition.operator == "=":
            allowed &= chosen
        elif condition.operator == "!=":
            allowed &= ~chosen & ~gone
        else:
            allowed &= _beside(levels, condition, int(np.argmax(chosen)))
    return Restriction(weights=allowed.astype(np.float64))


def _level_of(levels: Levels, condition: Condition, text: str) -> Bools:
    """Returns the level of one value, shape (n,)."""
    named: tuple[Any, ...] = levels.values
    if levels.unknown is not None and levels.storage == "string" and not levels.spare:
        named = (*named, levels.unknown)
    value = text if levels.storage == "string" else value_of(levels, condition, text)
    if value not in named:
        _refuse_value(levels, condition, text, [str(known) for known in named])
    chosen = np.zeros(levels.size, bool)
    chosen[named.index(value)] = True
    return chosen


def _beside(levels: Levels, condition: Condition, level: int) -> Bools:
    """Returns the levels of an ordinal column below or above one of them, shape (n,)."""
    if not levels.ordered:
        raise ConfigError(
            f"Expected = or != for the column {levels.name!r}, which has no order, found "
            f"{condition.text!r} at character {condition.place}. Name the values, as in "
            f"{levels.name}=A|B."
        )
    places = np.arange(levels.size)
    known = places < len(levels.values)
    compare = {
        "<": places < level, "<=": places <= level, ">": places > level, ">=": places >= level,
    }  # fmt: skip
    return compare[condition.operator] & known


def _restrict_bins(bins: Bins, conditions: Sequence[Condition]) -> Restriction:
    ranges: list[Range] = [EVERYTHING]
    values, none = True, True
    for condition in conditions:
        if condition.operator == "=":
            none = none and "" in condition.values
            points = [value_of(bins, condition, text) for text in condition.values if text]
            ranges = _both(ranges, [Range(point, point) for point in sorted(set(points))])
            continue
        none = False
        for text in condition.values:
            if text:
                ranges = _both(ranges, _beyond(condition.operator, value_of(bins, condition, text)))
    masses = _masses(bins, ranges) if values else np.zeros((len(bins.kept), 0))
    weights = masses.sum(axis=1)
    if bins.missing:
        weights = np.append(weights, float(none and not bins.spare))
        masses = np.vstack([masses, np.zeros(masses.shape[1])])
    return Restriction(weights=weights, ranges=tuple(ranges), masses=masses)


def _masses(bins: Bins, ranges: Sequence[Range]) -> Floats:
    """Returns the chance that a value of each kept bin lies in each range, shape (n, ranges)."""
    levels = np.arange(len(bins.kept))
    masses = np.zeros((len(levels), len(ranges)))
    for column, (low, high) in enumerate(ranges):
        frequent, others = within.share_within(
            bins, levels, np.full(len(levels), low), np.full(len(levels), high)
        )
        masses[:, column] = frequent + others
    if not masses.any():
        # A point of a continuous column has no chance of its own; its bin has.
        least, greatest = within.ranges_of(bins)
        for column, (low, high) in enumerate(ranges):
            inside = (low <= greatest) & (high >= least)
            masses[:, column] = inside if bins.step is None else 0.0
    return masses


def _beyond(operator: str, value: float) -> list[Range]:
    """Returns the ranges of the values that stand in this relation to `value`."""
    before, after = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
    return {
        "<": [Range(-math.inf, before)],
        "<=": [Range(-math.inf, value)],
        ">": [Range(after, math.inf)],
        ">=": [Range(value, math.inf)],
        "!=": [Range(-math.inf, before), Range(after, math.inf)],
    }[operator]


def _both(ranges: Sequence[Range], others: Sequence[Range]) -> list[Range]:
    """Returns the intersection of two unions of ranges."""
    pairs = (
        Range(max(a.low, b.low), min(a.high, b.high)) for a, b in itertools.product(ranges, others)
    )
    return sorted(pair for pair in pairs if pair.low <= pair.high)


def value_of(encoder: Encoder, condition: Condition, text: str) -> Any:
    """Returns a value as `Series` holds it."""
    try:
        if encoder.storage == "boolean":
            return _TRUTHS[text.lower()]
        if encoder.storage == "date":
            return number(_date(text))
        if encoder.storage == "timestamp":
            return number(dt.datetime.fromisoformat(text))
        found = float(text)
    except (KeyError, ValueError):
        found = math.nan
    if math.isfinite(found):
        return found
    raise ConfigError(
        f"Expected a value of type {encoder.storage} for the column {encoder.name!r}, found "
        f"{text!r} in {condition.text!r} at character {condition.place}. Mend it."
    )


def _date(text: str) -> dt.date:
    if "." in text:
        return dt.datetime.strptime(text, "%d.%m.%Y").date()
    return dt.date.fromisoformat(text)


def _refuse_value(
    levels: Levels, condition: Condition, text: str, known: Sequence[str]
) -> NoReturn:
    near = difflib.get_close_matches(text, known, n=1)
    shown = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    hint = f"Did you mean {near[0]!r}?" if near else f"It has: {shown}."
    raise ConfigError(
        f"Expected a value of the column {levels.name!r}, found {text!r} in {condition.text!r} "
        f"at character {condition.place}. {hint}"
    )


def _refuse_empty(encoder: Encoder, conditions: Sequence[Condition]) -> NoReturn:
    texts = " and ".join(condition.text for condition in conditions)
    extent = ""
    if isinstance(encoder, Bins):
        least, greatest = within.ranges_of(encoder)
        ends = (_spelt(encoder, least.min()), _spelt(encoder, greatest.max()))
        extent = f" Its values go from {ends[0]} to {ends[1]}."
    raise ConfigError(
        f"Expected some value of the column {encoder.name!r} to meet {texts}, found none.{extent}"
    )


def _spelt(encoder: Encoder, value: float) -> str:
    from mustermann.tables.texts import spell

    whole = encoder.storage in ("integer", "date", "timestamp")
    return spell([int(value) if whole else float(value)], encoder.storage, None)[0]
