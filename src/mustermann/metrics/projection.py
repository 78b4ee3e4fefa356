"""Which labels and extents gold and predictions are compared in, and by which version."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mustermann.core.errors import ConfigError
from mustermann.documents import coarse
from mustermann.documents.labels import LABELS, PHI
from mustermann.documents.mapping import LabelMapping, load_mapping, map_spans, mapping_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mustermann.documents.document import Document
    from mustermann.documents.spans import Span

OURS = "mustermann"
UNKNOWN = "UNKNOWN"


@dataclasses.dataclass(frozen=True, slots=True)
class Projection:
    """Puts the spans of a corpus and of a detector into one set of labels and extents.

    Attributes:
      corpus: The label set of the corpus.
      coarse: Whether the detector knows coarse classes only.
    """

    corpus: str
    coarse: bool = False

    @property
    def mapping(self) -> LabelMapping:
        """The mapping that spans of ours pass through."""
        return load_mapping(coarse.BASE if self.coarse and self.corpus == OURS else self.corpus)

    @property
    def signature(self) -> str:
        """The map's name and version, as scores carry them."""
        suffix = f"+coarse-{coarse.VERSION}" if self.coarse else ""
        return self.mapping.signature + suffix

    def gold(self, document: Document) -> tuple[Span, ...]:
        """Returns the PHI of a document of the corpus under the corpus's span policy."""
        spans = document.spans
        if self.corpus == OURS:
            phi = [span for span in spans if span.label in PHI]
            spans = map_spans(document.text, phi, self.mapping)
        return self._classed(spans)

    def predicted(self, text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Returns what a detector found under the same policy; foreign labels stay."""
        ours = [span for span in spans if span.label in PHI]
        foreign = [span for span in spans if span.label not in LABELS]
        return self._classed(sorted((*map_spans(text, ours, self.mapping), *foreign)))

    def claims(self, labels: Iterable[str]) -> frozenset[str]:
        """Returns the compared labels that a detector which finds `labels` is scored on."""
        mapping = self.mapping
        claimed: set[str] = set()
        for label in labels:
            if label not in LABELS:
                claimed.add(label)
                continue
            claimed.add(mapping.labels.get(label, ""))
            claimed.update(rule.target for rule in mapping.rules if rule.label == label)
            if LABELS[label].group == "NAME" and mapping.policy.title not in {"inside", "outside"}:
                claimed.add(mapping.policy.title)
        found = claimed - {""}
        return frozenset(map(coarse.coarse_class, found)) if self.coarse else frozenset(found)

    def _classed(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        if not self.coarse:
            return tuple(spans)
        return tuple(
            dataclasses.replace(span, label=coarse.coarse_class(span.label)) for span in spans
        )


def projection(corpus: str, labels: Iterable[str]) -> Projection:
    """Returns how a detector that finds `labels` is compared on a corpus of that label set."""
    return Projection(corpus, coarse=frozenset(labels) <= coarse.CLASSES)


def guess_label_set(labels: Iterable[str]) -> str:
    """Returns the one label set that all labels of a corpus fit.

    Raises:
      ConfigError: They fit none; the message says which do not, and what to do.
    """
    seen = set(labels) - {UNKNOWN}
    if seen <= set(LABELS):
        return OURS
    sets = {name: load_mapping(name).targets for name in mapping_names() if name != OURS}
    for name in ("grascco", "i2b2", *sorted(sets)):
        if seen <= sets[name]:
            return name
    strange = sorted(seen - set(LABELS))[:5]
    raise ConfigError(
        f"Expected labels of one known set, found {', '.join(strange)}. "
        f"Say which set it is with --labels {'|'.join((OURS, *sorted(sets)))}."
    )
