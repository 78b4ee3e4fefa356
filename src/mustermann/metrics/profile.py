"""What is measured of each document of a corpus, once, so that all figures are sums over it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mustermann.documents.labels import DECOYS
from mustermann.metrics.lexical import mtld, tokens, trigram_novelty, type_token_ratio
from mustermann.metrics.readability import readability
from mustermann.metrics.token_table import TokenTable, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mustermann.documents.document import Document

_FIELDS = ("chars", "tokens", "spans", "decoys", "clinical", "ttr", "mtld",
           "smog", "fkgl", "wiener", "amstad")  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusProfile:
    """Measures of a corpus by document; the texts themselves are not kept.

    Attributes:
      ids: Of the documents.
      difficulties: Of the documents, "" where unknown.
      measures: By name, float of shape (documents,): characters, words, PHI spans, decoys,
        clinical spans, ratios, grades and novelty. Novelty is NaN under three words.
      labels: Spans by label in all.
      table: The words.
    """

    ids: tuple[str, ...]
    difficulties: tuple[str, ...]
    measures: Mapping[str, NDArray[np.float64]]
    labels: Mapping[str, int]
    table: TokenTable

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, difficulty: str) -> NDArray[np.int64]:
        """Returns the documents of one difficulty."""
        return np.array(
            [row for row, found in enumerate(self.difficulties) if found == difficulty], np.int64
        )


def corpus_profile(
    documents: Iterable[Document], *, vocabulary: Vocabulary | None = None
) -> CorpusProfile:
    """Returns the profile of documents, which are read one at a time.

    Args:
      documents: Any number.
      vocabulary: Shared by corpora that will be compared.
    """
    known = vocabulary if vocabulary is not None else Vocabulary()
    ids: list[str] = []
    difficulties: list[str] = []
    rows: list[tuple[float, ...]] = []
    parts: list[NDArray[np.int32]] = []
    labels: Counter[str] = Counter()
    for document in documents:
        words = tokens(document.text)
        ids.append(document.id)
        difficulties.append(str(document.meta.get("difficulty", "")))
        rows.append(_row(document, words))
        parts.append(known.encode(words))
        labels.update(span.label for span in document.spans)
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    table = TokenTable(np.concatenate([np.empty(0, np.int32), *parts]), starts)
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), len(_FIELDS)).T
    measures = dict(zip(_FIELDS, columns, strict=True)) | {"novelty": trigram_novelty(table)}
    return CorpusProfile(tuple(ids), tuple(difficulties), measures, labels, table)


def _row(document: Document, words: Sequence[str]) -> tuple[float, ...]:
    decoys = sum(span.label in DECOYS for span in document.spans)
    grade = readability(document.text)
    return (
        len(document.text), len(words), len(document.spans) - decoys, decoys,
        len(document.clinical), type_token_ratio(words), mtld(words),
        grade.smog, grade.fkgl, grade.wiener, grade.amstad,
    )  # fmt: skip
