"""The table journey that looks back: how close are synthetic rows to the real ones?"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core import config
from mustermann.core.errors import ConfigError
from mustermann.core.files import read_json
from mustermann.core.seeds import Seeds
from mustermann.metrics import tables as metrics
from mustermann.privacy.guarantee import Guarantee
from mustermann.report.blocks import Paragraph, Section, Table
from mustermann.report.build import write_report
from mustermann.report.tables import distances_section, guarantee_section, marginals_section
from mustermann.tables import frames, infer
from mustermann.tables.discretise import DiscretiseSettings, build
from mustermann.tables.files import load
from mustermann.tables.model import guarantee_beside
from mustermann.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.report.blocks import Block


@dataclasses.dataclass(frozen=True, kw_only=True)
class Comparison:
    """How close a synthetic table is to a real one; not private.

    Attributes:
      distances: Of 1-, 2- and 3-way marginals, synthetic against real.
      floor: The same of a bootstrap resample of the real rows: what chance alone gives.
      tstr: Train on synthetic, test on real; None without target and holdout.
      dcr: Distance to the closest record; None without holdout.
      reasons: Why a figure is None, by its name.
    """

    distances: metrics.MarginalDistances
    floor: metrics.MarginalDistances
    tstr: metrics.Usefulness | None
    dcr: metrics.Closeness | None
    reasons: dict[str, str]

    def to_record(self) -> dict[str, Any]:
        """Returns the figures as JSON values under the names of the contract."""
        return {
            **dataclasses.asdict(self.distances),
            "floor": dataclasses.asdict(self.floor),
            "tstr": dataclasses.asdict(self.tstr) if self.tstr else None,
            "dcr": dataclasses.asdict(self.dcr) if self.dcr else None,
            "reasons": self.reasons,
            "private": False,
        }


def compare(
    real: Any,
    synthetic: Any,
    *,
    holdout: Any = None,
    target: str | None = None,
    schema: Schema | None = None,
    overrides: Sequence[str] = (),
) -> Comparison:
    """Returns how close synthetic rows are to real ones.

    Args:
      real: The rows that the model was fitted on; a path or a table.
      synthetic: Rows of the same columns; as many as `real` for figures that compare.
      holdout: Real rows that the model has not seen.
      target: The column to predict.
      schema: As for `fit`; bins and levels come from `real`.
      overrides: Settings of the discretiser, as `bins=50`.

    Raises:
      DataError: A table can't be read or lacks a column.
      ConfigError: There is no column `target`.
    """
    schema = schema or Schema()
    settings = config.resolve(DiscretiseSettings, overrides=overrides)
    frame = load(real, infer.reading_of(schema))
    discretiser = build(infer.complete(schema, frame, settings, mode="nonprivate"), frame, settings)
    names = [encoder.name for encoder in discretiser.encoders]
    if target is not None and target not in names:
        raise ConfigError(f"Expected a target column, found no {target!r}. Try {', '.join(names)}.")

    def rows_of(data: Any) -> metrics.Codes:
        return discretiser.encode(load(data, discretiser.reading))

    rows = discretiser.encode(frame)
    del frame  # Levels are all that the figures need.
    others = rows_of(synthetic)
    chance = Seeds(0).generator("floor")
    resampled = rows[chance.integers(0, len(rows), len(rows))]
    sizes = discretiser.domain.sizes
    tstr, dcr = None, None
    if holdout is not None:
        unseen, ordered = rows_of(holdout), [e.ordered for e in discretiser.encoders]
        dcr = metrics.closest_records(rows, others, unseen, sizes=sizes, ordered=ordered)
        if target is not None:
            tstr = metrics.train_on_synthetic(
                rows, others, unseen, target=names.index(target), sizes=sizes, ordered=ordered
            )
    return Comparison(
        distances=metrics.marginal_distances(rows, others, sizes),
        floor=metrics.marginal_distances(rows, resampled, sizes),
        tstr=tstr,
        dcr=dcr,
        reasons=_reasons(holdout=holdout is not None, target=target is not None),
    )


def _reasons(*, holdout: bool, target: bool) -> dict[str, str]:
    """Returns why a figure is missing, by its name."""
    if not holdout:
        return {"tstr": "no holdout was given", "dcr": "no holdout was given"}
    return {} if target else {"tstr": "no target was given"}


def report_comparison(
    comparison: Comparison, real: Any, synthetic: Any, *, out: Path, schema: Schema | None = None
) -> Path:
    """Writes a comparison as one HTML file with pictures and returns its path; not private.

    Where the synthetic rows are a file with its guarantee beside it, the report has that too.
    """
    reading = infer.reading_of(schema or Schema())
    rows, others = (frames.to_arrow(load(data, reading)) for data in (real, synthetic))
    distances = [
        ("synthetic", dataclasses.asdict(comparison.distances)),
        ("floor", dataclasses.asdict(comparison.floor)),
    ]
    sections = [
        *_promise(synthetic),
        distances_section(distances),
        Section("How useful, and how close to single rows", _figures(comparison)),
        marginals_section(rows.select(others.column_names), others),
    ]
    lead = "Figures and pictures read the real rows without noise: keep this file in the house."
    write_report(out, title="Real and synthetic rows", lead=lead, sections=sections)
    return out


def _promise(synthetic: Any) -> list[Section]:
    """Returns a section on the guarantee beside a synthetic file, [] where there is none."""
    if not isinstance(synthetic, str | Path) or not guarantee_beside(Path(synthetic)).is_file():
        return []
    record = read_json(guarantee_beside(Path(synthetic)))
    return [guarantee_section(Guarantee.from_record(record))]


def _figures(comparison: Comparison) -> list[Block]:
    """Returns usefulness and closeness as tables, and why a figure is missing."""
    blocks: list[Block] = []
    if comparison.tstr:
        tstr = comparison.tstr
        rows = (
            ("boosted trees", f"{tstr.boosted:.4f}", f"{tstr.boosted_real:.4f}"),
            ("linear", f"{tstr.linear:.4f}", f"{tstr.linear_real:.4f}"),
            ("baseline", f"{tstr.baseline:.4f}", f"{tstr.baseline:.4f}"),
        )
        caption = f"Train on synthetic or real rows, {tstr.score} on held-out real ones."
        blocks.append(Table(("", "synthetic", "real"), rows, caption))
    if comparison.dcr:
        dcr = comparison.dcr
        cells = (f"{dcr.to_real:.4f}", f"{dcr.to_holdout:.4f}", f"{dcr.closer_to_real:.1%}")
        caption = "Median distance to the closest record; about half should be closer to real ones."
        heads = ("", "to real", "to held-out", "closer to real")
        blocks.append(Table(heads, (("synthetic rows", *cells),), caption))
    return blocks + [Paragraph(f"{name}: {why}.") for name, why in comparison.reasons.items()]
