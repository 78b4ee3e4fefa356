"""Missing cells of a table filled in by a fitted model, the others left as they are."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.seeds import Seeds
from mustermann.tables import restrictions
from mustermann.tables.ascending import draw_ascending
from mustermann.tables.completion import Gaps, complete
from mustermann.tables.encoders import Levels
from mustermann.tables.frames import Frame
from mustermann.tables.walks import walkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.tables.ascending import Bounds
    from mustermann.tables.discretise import Discretiser
    from mustermann.tables.domain import Codes
    from mustermann.tables.encoders import Encoder
    from mustermann.tables.frames import Series
    from mustermann.tables.model import TableModel
    from mustermann.tables.rulebook import Rulebook
    from mustermann.tables.walks import Bools, Floats, Ints


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Imputed:
    """A table without gaps.

    Attributes:
      frame: Laid out as the caller's table, further columns as they were.
      cells: How many cells were filled.
      effective: Candidates that each filled row's draw is worth; infinity where it is exact.
    """

    frame: Frame
    cells: int
    effective: Floats


def impute(
    model: TableModel, frame: Frame, *, columns: Sequence[str] = (), seed: int = 0
) -> Imputed:
    """Returns the table with missing cells filled given the others of their row.

    Args:
      model: A fitted table.
      frame: Read by the model's `reading`, with all of its columns.
      columns: Columns whose every cell is filled anew; none fills the missing cells of all.
      seed: The same seed gives the same cells.

    Raises:
      ConfigError: The model has no such column, or knows no value for it.
      DataError: A known cell is none of its column's, or the known cells of a row break the
        model's constraints.
    """
    discretiser = model.discretiser
    gaps = _gaps(discretiser, frame, columns)
    weights = {
        column: _fillings(discretiser.encoders[column])
        for column in np.flatnonzero(gaps.any(axis=0)).tolist()
    }
    codes = np.column_stack(
        [_known(encoder, frame[encoder.name], gaps[:, place])
         for place, encoder in enumerate(discretiser.encoders)]
    )  # fmt: skip
    book, synthesiser = model.rulebook, walkable(model.synthesiser)
    groups, narrowed = _groups(book, frame, codes, gaps)
    done = complete(
        synthesiser,
        Gaps(
            codes=codes, open=gaps, base=book.base, narrowed=narrowed, groups=groups,
            weights=weights,
        ),
        seed=seed,
    )  # fmt: skip
    values = _values(book, frame, done.codes, gaps, Seeds(seed).generator("fillings"))
    series = [
        _merged(own, *values[own.name]) if own.name in values else own for own in frame.series
    ]
    return Imputed(
        frame=Frame(series=tuple(series), layout=frame.layout),
        cells=int(gaps.sum()),
        effective=done.effective[gaps.any(axis=1)],
    )


def _gaps(discretiser: Discretiser, frame: Frame, columns: Sequence[str]) -> Bools:
    """Returns which cells are to be filled, shape (N, k)."""
    names = [encoder.name for encoder in discretiser.encoders]
    for name in columns:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(names)}."
            raise ConfigError(f"Expected a column of the model to fill, found {name!r}. {hint}")
    for name in names:
        if name not in frame.names:
            raise DataError(
                f"Expected all of the model's columns, found no {name!r}. Add it, empty if need be."
            )
    if columns:
        return np.column_stack([np.full(len(frame), name in columns) for name in names])
    return np.column_stack([frame[name].missing for name in names])


def _fillings(encoder: Encoder) -> Floats:
    """Returns which levels are values, shape (n,)."""
    known = restrictions.resolved(encoder) & ~restrictions.missing(encoder)
    if isinstance(encoder, Levels) and encoder.unknown is not None:
        known[len(encoder.values)] = False
    if not known.any():
        raise ConfigError(
            f"Expected known values to fill the column {encoder.name!r} with, found that the "
            f"model has none. Leave it out with --columns."
        )
    return known.astype(np.float64)


def _known(encoder: Encoder, series: Series, gaps: Bools) -> Ints:
    """Returns the levels of the known cells, 0 in gaps, shape (N,)."""
    codes = np.zeros(len(series), np.int64)
    rows = np.flatnonzero(~gaps)
    if len(rows):
        known = dataclasses.replace(
            series, values=series.values[rows], missing=series.missing[rows]
        )
        try:
            codes[rows] = encoder.encode(known)
        except DataError as error:
            raise DataError(f"Among the known cells of {series.name!r}: {error}") from error
    return codes


def _groups(book: Rulebook, frame: Frame, codes: Codes, gaps: Bools) -> tuple[Ints, list[Any]]:
    """Returns the group of each row, and what its known cells leave of the constraints.

    Rows with the same known cells in constrained columns share a group.
    """
    touched = sorted({column for relation in book.relations for column in relation.columns})
    if not touched:
        return np.zeros(len(codes), np.int64), [book.base]
    ascending = book.ascending
    keys = []
    for column in touched:
        name = book.discretiser.encoders[column].name
        exact = frame[name].values if column in ascending else codes[:, column]
        gone = frame[name].missing if column in ascending else np.zeros(len(codes), bool)
        keys += [np.where(gaps[:, column], 2, gone), np.where(gaps[:, column] | gone, 0, exact)]
    _, first, groups = np.unique(
        np.column_stack(keys).astype(np.float64), axis=0, return_index=True, return_inverse=True
    )
    narrowed = []
    for row in first.tolist():
        known = {c: int(codes[row, c]) for c in touched if not gaps[row, c]}
        bounds: dict[int, Bounds] = {}
        for column in ascending & set(known):
            encoder = book.discretiser.encoders[column]
            series = frame[encoder.name]
            low, high = ((-np.inf, np.inf) if series.missing[row] else
                         (series.values[row], series.values[row]))  # fmt: skip
            bounds[column] = (np.full(encoder.size, float(low)), np.full(encoder.size, float(high)))
        narrowed.append(book.given(bounds, known))
    return groups.reshape(-1).astype(np.int64), narrowed


def _values(
    book: Rulebook, frame: Frame, codes: Codes, gaps: Bools, draws: np.random.Generator
) -> dict[str, tuple[Series, Bools]]:
    """Returns by column the values of its levels, and which of them fill a gap."""
    found = {}
    for column in np.flatnonzero(gaps.any(axis=0)).tolist():
        encoder = book.discretiser.encoders[column]
        found[encoder.name] = (encoder.decode(codes[:, column], draws), gaps[:, column])
    if book.ascending & set(np.flatnonzero(gaps.any(axis=0)).tolist()):
        bounds: dict[int, Bounds] = {}
        fixed = {}
        for column in book.ascending:
            series = frame[book.discretiser.encoders[column].name]
            fixed[column] = np.where(
                gaps[:, column] | series.missing, np.nan, series.values.astype(np.float64)
            )
        drawn = draw_ascending(book.steps, codes, book.discretiser, bounds, draws, fixed=fixed)
        for column, series in drawn.items():
            if gaps[:, column].any():
                found[series.name] = (series, gaps[:, column])
    return found


def _merged(own: Series, filled: Series, gaps: Bools) -> Series:
    """Returns a column with its gaps filled."""
    values = filled.values
    texts = own.texts
    if own.storage == "string":
        texts = (*own.texts, *(text for text in filled.texts if text not in set(own.texts)))
        places = {text: place for place, text in enumerate(texts)}
        values = np.array([places[text] for text in filled.texts] or [0], np.int64)[values]
    return dataclasses.replace(
        own,
        values=np.where(gaps, values, own.values).astype(own.values.dtype),
        missing=np.where(gaps, filled.missing, own.missing),
        texts=texts,
    )
