"""One letter, from its number: sample, write, render, verify; again if something is wrong.

A letter is a pure function of the plan and its number. A draft with a fault is dropped and
counted, and the next draft of the same number is tried, so that asking for N letters gives
N good ones, each the same in any process and any order.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.documents.document import Document
from mustermann.letters.attributes.parameters import sample_parameters
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.config import LengthBands, LettersConfig
from mustermann.letters.filters import counts as filter_counts
from mustermann.letters.filters import make_filters
from mustermann.letters.modes import apply_modes
from mustermann.letters.placeholder import write
from mustermann.letters.render import render
from mustermann.letters.verify.runner import verify_letter
from mustermann.letters.writers import RejectedError

if TYPE_CHECKING:
    from mustermann.letters.attributes.admission import Admission
    from mustermann.letters.attributes.clinical import CourseSampler
    from mustermann.letters.redteam.llm import Report
    from mustermann.letters.verify.fault import Fault
    from mustermann.letters.writers import Writer

DRAFTS = 25
"""So many drafts of one letter may be dropped before it is given up."""

_USUAL_BANDS = LengthBands()
"""A record names its band only where the settings have others: the checks know these."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Workshop:
    """What makes letters.

    Attributes:
      seed: Root of every stream.
      config: Every probability.
      cases: Offers cases and simulates their courses.
      writer: Makes skeletons.
      drafts: So many drafts of one letter may be dropped before it is given up.
      attack: Attacks each finished letter; one that it flags is dropped. None for no attack.
    """

    seed: int
    config: LettersConfig
    cases: CourseSampler
    writer: Writer
    drafts: int = DRAFTS
    attack: Callable[[Document], Report] | None = None


class NoLetterError(DataError):
    """No draft of a letter was free of faults.

    Attributes:
      dropped: Drafts by the reason that they were dropped for.
      wrote: What the writer counted over all drafts.
    """

    def __init__(
        self, message: str, *, dropped: Mapping[str, int] | None = None,
        wrote: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        # Defaults, because pickle rebuilds an exception from its message alone.
        super().__init__(message)
        self.dropped = dict(dropped or {})
        self.wrote = dict(wrote or {})


def make_letter(workshop: Workshop, number: int, *, admission: Admission | None = None) -> Document:
    """Returns letter `number`, without a fault that the checks would find.

    The document's `seed` names the stream that it came from, and `dropped` counts why
    earlier drafts of it were not taken.

    Raises:
      NoLetterError: No draft was free of faults; says what was wrong with the last one.
    """
    dropped: Counter[str] = Counter()
    wrote: Counter[str] = Counter()
    last = ""
    for draft in range(workshop.drafts):
        try:
            document = _draft(
                workshop, number, draft, admission=admission, dropped=dropped, wrote=wrote
            )
        except RejectedError as error:
            dropped.update(error.reasons)
            wrote.update(error.counts)
            last = str(error)
            continue
        found = verify_letter(document)
        faults = [fault for fault in found if fault.severity == "error"]
        if not faults:
            document = _with_warnings(document, found)
            report = workshop.attack(document) if workshop.attack else None
            if report is None:
                return document
            counted = Counter(document.meta.get("writer") or {}) + report.counts()
            document = _noted(document, counted)
            if not report.flagged:
                return document
            dropped["attack"] += 1
            last = report.first
        else:
            dropped.update({fault.check for fault in faults})
            last = f"{faults[0].check}: {faults[0].message}"
        wrote = Counter(document.meta.get("writer") or {})
    raise NoLetterError(
        f"Expected a letter {number} without faults in {workshop.drafts} drafts, "
        f"found in the last: {last}",
        dropped=dropped,
        wrote=wrote,
    )


def _with_warnings(document: Document, warnings: Sequence[Fault]) -> Document:
    """Returns the letter with how often each check warned of something."""
    if not warnings:
        return document
    counts = Counter(warning.check for warning in warnings)
    return dataclasses.replace(document, meta={**document.meta, "warnings": dict(counts)})


def _noted(document: Document, counted: Mapping[str, int]) -> Document:
    """Returns the letter with what was counted while it was made."""
    meta = {**document.meta, "writer": dict(sorted(counted.items()))}
    return dataclasses.replace(document, meta=meta)


def _draft(
    workshop: Workshop, number: int, draft: int, *, admission: Admission | None,
    dropped: Counter[str], wrote: Counter[str],
) -> Document:  # fmt: skip
    config, first = workshop.config, Seeds(workshop.seed, ("letters", number))
    seeds = first.child("draft", draft) if draft else first
    # Length and difficulty stay what they were: what is dropped more often must not be rarer.
    parameters = sample_parameters(first, config=config)
    attributes = sample(
        seeds, config=config, cases=workshop.cases, admission=admission, parameters=parameters
    )
    skeleton = workshop.writer.write(attributes, seeds=seeds)
    spoilt = apply_modes(skeleton, attributes, seeds.draws("modes"))
    filters = make_filters(attributes.parameters.modes, seeds)
    meta: dict[str, object] = {"seed": {"root": workshop.seed, "path": list(seeds.path)}}
    if config.bands != _USUAL_BANDS:
        meta["band"] = list(config.bands.at(parameters.length))
    if dropped:
        meta["dropped"] = dict(sorted(dropped.items()))
    counted = wrote + Counter(skeleton.counts)
    if counted:
        meta["writer"] = dict(sorted(counted.items()))
    if skeleton.counts:
        meta["skeleton"] = write(skeleton.segments)
    document = render(
        spoilt.skeleton, attributes, id=f"{number:06}", filters=filters, weights=config.house,
        meta=meta,
    )  # fmt: skip
    acted = Counter(spoilt.counts)
    acted.update(filter_counts(filters))
    return dataclasses.replace(document, meta={**document.meta, "mode_counts": dict(acted)})
