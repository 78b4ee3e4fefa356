r"""Detectors against gold spans: counts per document that add up, ratios last.

Source: METRICS, detectors against gold spans. Characters are Unicode code points,
tokens are `\w+(?:-\w+)*`. PHI are the tier 1 and 2 spans of the gold; decoys (tier 3)
are text that a detector must leave alone.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.documents.labels import DECOYS
from mustermann.metrics.matching import match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from mustermann.documents.spans import Span

_TOKEN = re.compile(r"\w+(?:-\w+)*")
_POOLS = {"listed": "yes", "unlisted": "no"}
"""What a name's `details["listed"]` says: whether gazetteers may know it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One document with what was annotated and what was found.

    Attributes:
      text: The document's text.
      gold: The annotated spans, decoys included.
      predicted: The detector's spans as it returned them, inside the text.
      gold_policy: The gold PHI after the corpus's span policy, in the labels compared.
      predicted_policy: The predictions after the same policy, in the same labels.
      rewritten: What a rewriting tool made of the text, None for span detectors.
    """

    text: str
    gold: Sequence[Span]
    predicted: Sequence[Span]
    gold_policy: Sequence[Span]
    predicted_policy: Sequence[Span]
    rewritten: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """What is counted in one document, or in many added up.

    Attributes:
      documents: How many documents.
      spans_gold, spans_predicted: Spans after the span policy.
      exact, partial: Matched with equal extents; with IoU of at least one half.
      labelled_gold, labelled_predicted: Of these, those whose label the detector claims.
      labelled_exact, labelled_partial: Matched with equal label, too.
      phi_spans, phi_leaked: Tier 1 and 2 spans; those not wholly covered by predictions.
      phi_chars, predicted_chars, shared_chars: Sets of characters.
      labelled_chars: Shared characters whose label agrees after projection.
      other_chars, redacted_chars: Characters outside PHI; those predicted all the same.
      kept_chars: Characters outside PHI that stand verbatim in the tool's output.
      phi_tokens, predicted_tokens, shared_tokens: Tokens with a character in a span.
      decoys, decoys_hit: Tier 3 spans; those with a predicted character. Likewise by label.
      pairs, iou: Overlapping pairs matched one to one; the sum of their IoU.
      listed, listed_covered: Names that gazetteers may know; those wholly covered.
      unlisted, unlisted_covered: Names that they can't know; those wholly covered.
    """

    documents: float = 0
    spans_gold: float = 0
    spans_predicted: float = 0
    exact: float = 0
    partial: float = 0
    labelled_gold: float = 0
    labelled_predicted: float = 0
    labelled_exact: float = 0
    labelled_partial: float = 0
    phi_spans: float = 0
    phi_leaked: float = 0
    phi_chars: float = 0
    predicted_chars: float = 0
    shared_chars: float = 0
    labelled_chars: float = 0
    other_chars: float = 0
    redacted_chars: float = 0
    kept_chars: float = 0
    phi_tokens: float = 0
    predicted_tokens: float = 0
    shared_tokens: float = 0
    decoys: float = 0
    decoys_hit: float = 0
    eponyms: float = 0
    eponyms_hit: float = 0
    lookalikes: float = 0
    lookalikes_hit: float = 0
    nonpii: float = 0
    nonpii_hit: float = 0
    pairs: float = 0
    iou: float = 0
    listed: float = 0
    listed_covered: float = 0
    unlisted: float = 0
    unlisted_covered: float = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(self.values(), other.values(), strict=True)))

    def values(self) -> tuple[float, ...]:
        """Returns the counts in the order of `FIELDS`."""
        return tuple(getattr(self, name) for name in FIELDS)


FIELDS = tuple(field.name for field in dataclasses.fields(Counts))
_AT = {name: index for index, name in enumerate(FIELDS)}


@dataclasses.dataclass(frozen=True, slots=True)
class Ratio:
    """A score as a quotient of sums of counts.

    Attributes:
      above: Field of the numerator.
      below: Fields that add up to the denominator.
      factor: Of the numerator; 2 for F1.
      match: How spans were paired, for the signature.
      labels: Whether labels had to agree.
    """

    above: str
    below: tuple[str, ...]
    factor: float = 1.0
    match: str = "exact"
    labels: bool = False

    def __call__(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the score of each row of counts (rows, fields); NaN where undefined."""
        below = counts[:, [_AT[name] for name in self.below]].sum(axis=1)
        above = self.factor * counts[:, _AT[self.above]]
        scores = np.full(len(counts), np.nan)
        np.divide(above, below, out=scores, where=below > 0)
        return scores

    def of(self, counts: Counts) -> float | None:
        """Returns the score, or None where nothing was there to be scored."""
        below = sum(getattr(counts, name) for name in self.below)
        return self.factor * float(getattr(counts, self.above)) / below if below else None


def _prf(
    prefix: str, hits: str, gold: str, predicted: str, how: str, *, labels: bool = False
) -> dict[str, Ratio]:
    return {
        f"{prefix}_precision": Ratio(hits, (predicted,), match=how, labels=labels),
        f"{prefix}_recall": Ratio(hits, (gold,), match=how, labels=labels),
        f"{prefix}_f1": Ratio(hits, (gold, predicted), 2.0, how, labels),
    }


RATIOS: dict[str, Ratio] = {
    "leak_rate": Ratio("phi_leaked", ("phi_spans",), match="covered"),
    **_prf("span", "exact", "spans_gold", "spans_predicted", "exact"),
    **_prf("partial", "partial", "spans_gold", "spans_predicted", "iou>=0.5"),
    **_prf("labelled", "labelled_exact", "labelled_gold", "labelled_predicted", "exact",
           labels=True),
    **_prf("labelled_partial", "labelled_partial", "labelled_gold", "labelled_predicted",
           "iou>=0.5", labels=True),
    **_prf("char", "shared_chars", "phi_chars", "predicted_chars", "chars"),
    **_prf("labelled_char", "labelled_chars", "phi_chars", "predicted_chars", "chars", labels=True),
    **_prf("token", "shared_tokens", "phi_tokens", "predicted_tokens", "tokens"),
    "over_redaction": Ratio("redacted_chars", ("other_chars",), match="chars"),
    "over_anonymisation": Ratio("decoys_hit", ("decoys",), match="touched"),
    "eponym_destruction": Ratio("eponyms_hit", ("eponyms",), match="touched"),
    "lookalike_redaction": Ratio("lookalikes_hit", ("lookalikes",), match="touched"),
    "nonpii_redaction": Ratio("nonpii_hit", ("nonpii",), match="touched"),
    "faithfulness": Ratio("kept_chars", ("other_chars",), match="chars"),
    "boundary_iou": Ratio("iou", ("pairs",), match="overlap"),
    "listed_recall": Ratio("listed_covered", ("listed",), match="covered"),
    "unlisted_recall": Ratio("unlisted_covered", ("unlisted",), match="covered"),
}  # fmt: skip
"""Every score by its name."""


@dataclasses.dataclass(frozen=True, slots=True)
class LabelCounts:
    """Counts of one label: exact matches with equal label, gold and predicted spans.

    Attributes:
      exact: Matched with equal extent and label.
      gold: Annotated.
      predicted: Found.
      covered: Annotated and wholly covered by predictions of any label.
    """

    exact: int = 0
    gold: int = 0
    predicted: int = 0
    covered: int = 0

    def __add__(self, other: LabelCounts) -> LabelCounts:
        return LabelCounts(
            self.exact + other.exact, self.gold + other.gold,
            self.predicted + other.predicted, self.covered + other.covered,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """Returns precision, recall, F1 and the counts behind them."""
        total = self.gold + self.predicted
        return {
            "precision": self.exact / self.predicted if self.predicted else None,
            "recall": self.exact / self.gold if self.gold else None,
            "f1": 2 * self.exact / total if total else None,
            "covered": self.covered / self.gold if self.gold else None,
            "gold": self.gold, "predicted": self.predicted, "exact": self.exact,
        }  # fmt: skip


def count(reading: Reading, *, claimed: Callable[[str], bool] = lambda label: True) -> Counts:
    """Returns the counts of one document.

    Args:
      reading: The document, its gold and its predictions.
      claimed: Says of a label, after projection, whether the detector claims to find it.
    """
    phi = [span for span in reading.gold if span.label not in DECOYS]
    gold, predicted = reading.gold_policy, reading.predicted_policy
    ours = [span for span in gold if claimed(span.label)]
    theirs = [span for span in predicted if claimed(span.label)]
    pairs = match(phi, reading.predicted, rule="overlap")
    characters = _characters(reading, phi)
    return dataclasses.replace(
        characters,
        documents=1,
        spans_gold=len(gold), spans_predicted=len(predicted),
        exact=len(match(gold, predicted, rule="exact")),
        partial=len(match(gold, predicted, rule="partial")),
        labelled_gold=len(ours), labelled_predicted=len(theirs),
        labelled_exact=len(match(ours, theirs, rule="exact", labelled=True)),
        labelled_partial=len(match(ours, theirs, rule="partial", labelled=True)),
        pairs=len(pairs), iou=sum(pair.iou for pair in pairs),
    )  # fmt: skip


def count_labels(reading: Reading) -> dict[str, LabelCounts]:
    """Returns the counts of one document by label, after the span policy."""
    gold, predicted = reading.gold_policy, reading.predicted_policy
    exact = [pair.gold.label for pair in match(gold, predicted, rule="exact", labelled=True)]
    mask = _mask(len(reading.text), reading.predicted)
    labels = {span.label for span in (*gold, *predicted)}
    return {
        label: LabelCounts(
            exact=exact.count(label),
            gold=sum(span.label == label for span in gold),
            predicted=sum(span.label == label for span in predicted),
            covered=sum(span.label == label and _covered(mask, span) for span in gold),
        )
        for label in sorted(labels)
    }


def faithfulness(original: str, rewritten: str, phi: Iterable[Span]) -> int:
    """Returns how many characters outside PHI stand verbatim in a rewritten text.

    Tools that rewrite change offsets; the texts are aligned by difflib's longest matching
    blocks, first by lines, then within what differs.
    """
    kept = np.zeros(len(original), dtype=bool)
    for start, end in _aligned(original, rewritten):
        kept[start:end] = True
    return int((kept & ~_mask(len(original), phi)).sum())


def _aligned(original: str, rewritten: str) -> Iterable[tuple[int, int]]:
    """Yields ranges of the original that stand verbatim and in order in the rewritten text."""
    left, right = re.findall(r"\w+|\W", original), re.findall(r"\w+|\W", rewritten)
    ends = np.cumsum([0, *map(len, left)])
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for block in matcher.get_matching_blocks():
        yield int(ends[block.a]), int(ends[block.a + block.size])


def _mask(length: int, spans: Iterable[Span]) -> NDArray[np.bool_]:
    mask = np.zeros(length, dtype=bool)
    for span in spans:
        mask[span.start : span.end] = True
    return mask


def _covered(mask: NDArray[np.bool_], span: Span) -> bool:
    return bool(mask[span.start : span.end].all())


def _characters(reading: Reading, phi: Sequence[Span]) -> Counts:
    """Returns the counts of characters, tokens, leaks and decoys."""
    length = len(reading.text)
    true, found = _mask(length, phi), _mask(length, reading.predicted)
    other = int((~true).sum())
    redacted = int((found & ~true).sum())
    kept = other - redacted
    if reading.rewritten is not None:
        kept = faithfulness(reading.text, reading.rewritten, phi)
    tokens = np.array([m.span() for m in _TOKEN.finditer(reading.text)], dtype=int).reshape(-1, 2)
    in_true, in_found = _touch(true, tokens), _touch(found, tokens)
    covered = {pool: [_covered(found, s) for s in phi if s.details.get("listed") == said]
               for pool, said in _POOLS.items()}  # fmt: skip
    hit = {label: [bool(found[s.start : s.end].any()) for s in reading.gold if s.label == label]
           for label in DECOYS}  # fmt: skip
    return Counts(
        phi_spans=len(phi), phi_leaked=sum(not _covered(found, span) for span in phi),
        phi_chars=int(true.sum()), predicted_chars=int(found.sum()),
        shared_chars=int((true & found).sum()),
        labelled_chars=_labelled_characters(length, reading),
        other_chars=other, redacted_chars=redacted, kept_chars=kept,
        phi_tokens=int(in_true.sum()), predicted_tokens=int(in_found.sum()),
        shared_tokens=int((in_true & in_found).sum()),
        decoys=sum(map(len, hit.values())), decoys_hit=sum(map(sum, hit.values())),
        eponyms=len(hit["EPONYM"]), eponyms_hit=sum(hit["EPONYM"]),
        lookalikes=len(hit["LOOKALIKE"]), lookalikes_hit=sum(hit["LOOKALIKE"]),
        nonpii=len(hit["NONPII_ID"]), nonpii_hit=sum(hit["NONPII_ID"]),
        listed=len(covered["listed"]), listed_covered=sum(covered["listed"]),
        unlisted=len(covered["unlisted"]), unlisted_covered=sum(covered["unlisted"]),
    )  # fmt: skip


def _touch(mask: NDArray[np.bool_], tokens: NDArray[np.int_]) -> NDArray[np.bool_]:
    """Returns for each token whether a character of it is in the mask."""
    total = np.concatenate([[0], np.cumsum(mask)])
    touched: NDArray[np.bool_] = total[tokens[:, 1]] > total[tokens[:, 0]]
    return touched


def _labelled_characters(length: int, reading: Reading) -> int:
    """Returns how many characters carry the same label in gold and prediction."""
    labels = sorted({s.label for s in (*reading.gold_policy, *reading.predicted_policy)})
    code = {label: index + 1 for index, label in enumerate(labels)}
    layers = []
    for spans in (reading.gold_policy, reading.predicted_policy):
        layer = np.zeros(length, dtype=np.int32)
        for span in spans:
            layer[span.start : span.end] = code[span.label]
        layers.append(layer)
    return int(((layers[0] == layers[1]) & (layers[0] > 0)).sum())
