"""Leakage: what two corpora share that they should not.

Values of labelled names, numbers and contacts are compared after folding case, white space and,
in numbers, everything that is neither letter nor digit. Texts are compared by the Jaccard
similarity of their sets of five-word stretches, exactly, all pairs. A shared surname is chance in
a finite pool of names, and fictional telephone numbers come from small reserved ranges; a shared
insurance number, or most of a text, is not chance.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from mustermann.documents.coarse import coarse_class
from mustermann.documents.labels import DECOYS
from mustermann.documents.splits import patient

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from mustermann.documents.document import Document

STRETCH = 5
THRESHOLD = 0.5
_BLOCK = 256
_LONG = 6
_INSTITUTIONAL = frozenset({"WARD", "ROOM", "LANR", "BSNR", "IK_NR", "EFN"})
"""Numbers of a house or a doctor: two letters from one ward share them rightly."""
_COMPARED = frozenset({"NAME", "ID", "CONTACT"})
_WORD = re.compile(r"\w+")
_SIGNS = re.compile(r"[\W_]+")


@dataclasses.dataclass(frozen=True, slots=True)
class Overlap:
    """Values of one label that stand in both corpora.

    Attributes:
      label: The label.
      kind: NAME, ID or CONTACT.
      left: How many different values the left corpus has.
      right: How many the right one has.
      shared: The values in both, sorted.
    """

    label: str
    kind: str
    left: int
    right: int
    shared: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    """Two documents that are nearly one.

    Attributes:
      left: Id in the left corpus.
      right: Id in the right one.
      jaccard: Shared stretches of five words over all stretches of both, in [0, 1].
    """

    left: str
    right: str
    jaccard: float


@dataclasses.dataclass(frozen=True, slots=True)
class Leakage:
    """What two corpora share.

    Attributes:
      documents: How many documents each side has.
      ids: Document ids in both.
      patients: Patients in both, as the attributes or the pattern say.
      overlaps: Labelled values by label.
      twins: Pairs of documents at or over the threshold, the most alike first.
      nearest: For the left documents, the 50 %, 90 % and 100 % quantile of the similarity to
        their nearest on the right.
      threshold: Jaccard similarity from which two documents are twins.
    """

    documents: tuple[int, int]
    ids: tuple[str, ...]
    patients: tuple[str, ...]
    overlaps: tuple[Overlap, ...]
    twins: tuple[Twin, ...]
    nearest: tuple[float, float, float]
    threshold: float

    @property
    def numbers(self) -> tuple[str, ...]:
        """Numbers of persons or cases in both; short ones are shared by chance."""
        return tuple(
            value
            for found in self.overlaps
            if found.kind == "ID" and found.label not in _INSTITUTIONAL
            for value in found.shared
            if len(value) >= _LONG
        )

    @property
    def leaks(self) -> bool:
        """Whether a patient, a number of one, or most of a text is on both sides."""
        return bool(self.patients or self.twins or self.numbers)


@dataclasses.dataclass(frozen=True, slots=True)
class _Side:
    ids: list[str]
    patients: set[str]
    values: dict[str, set[str]]
    stretches: list[NDArray[np.uint64]]


def leakage(
    left: Iterable[Document], right: Iterable[Document], *, threshold: float = THRESHOLD,
    pattern: str = "",
) -> Leakage:  # fmt: skip
    """Returns what two corpora share.

    Args:
      left: Read once; of each document only values and hashes are kept.
      right: The same.
      threshold: Jaccard similarity from which two documents are twins, in (0, 1].
      pattern: Finds the patient in a document's id, as in `splits.patient`.

    Raises:
      ConfigError: The pattern is no regular expression.
    """
    a, b = _side(left, pattern), _side(right, pattern)
    labels = sorted(set(a.values) & set(b.values))
    overlaps = [
        Overlap(label, coarse_class(label), len(a.values[label]), len(b.values[label]),
                tuple(sorted(a.values[label] & b.values[label])))
        for label in labels
    ]  # fmt: skip
    twins, nearest = _alike(a, b, threshold)
    return Leakage(
        (len(a.ids), len(b.ids)), tuple(sorted(set(a.ids) & set(b.ids))),
        tuple(sorted(a.patients & b.patients)), tuple(overlaps), twins, nearest, threshold,
    )  # fmt: skip


def _side(documents: Iterable[Document], pattern: str) -> _Side:
    side = _Side([], set(), defaultdict(set), [])
    for document in documents:
        side.ids.append(document.id)
        who = patient(document, pattern=pattern)
        if not who.startswith("document:"):
            side.patients.add(who)
        for span in document.spans:
            kind = coarse_class(span.label)
            if kind in _COMPARED and span.label not in DECOYS:
                value = _folded(document.surface(span), kind)
                if value:
                    side.values[span.label].add(value)
        side.stretches.append(stretches(document.text))
    return side


def _folded(value: str, kind: str) -> str:
    value = unicodedata.normalize("NFC", value).casefold()
    return _SIGNS.sub("", value) if kind != "NAME" else " ".join(value.split())


def stretches(text: str) -> NDArray[np.uint64]:
    """Returns the different hashes, 64 bits each, of a text's stretches of five words, sorted."""
    words = _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    hashes = np.array([zlib.crc32(word.encode()) for word in words], dtype=np.uint64)
    count = max(0, len(hashes) - STRETCH + 1)
    mixed = np.zeros(count, dtype=np.uint64)
    for at in range(STRETCH):
        # A multiply and a shift a word, after Knuth: order matters, and all bits do.
        mixed = (mixed ^ hashes[at : at + count]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed)


def _alike(
    a: _Side, b: _Side, threshold: float
) -> tuple[tuple[Twin, ...], tuple[float, float, float]]:
    """Returns the twins, and quantiles of the similarity to the nearest."""
    if not a.ids or not b.ids:
        return (), (0.0, 0.0, 0.0)
    known = np.unique(np.concatenate([*a.stretches, *b.stretches]))
    right = _matrix(b.stretches, known).T.tocsc()
    sizes = np.array([len(found) for found in b.stretches], dtype=np.float64)
    twins: list[Twin] = []
    nearest = np.zeros(len(a.ids))
    for start in range(0, len(a.ids), _BLOCK):
        block = a.stretches[start : start + _BLOCK]
        shared = (_matrix(block, known) @ right).toarray()
        own = np.array([len(found) for found in block], dtype=np.float64)[:, None]
        jaccard = shared / np.maximum(1.0, own + sizes - shared)
        nearest[start : start + len(block)] = jaccard.max(axis=1)
        twins += [
            Twin(a.ids[start + i], b.ids[j], float(jaccard[i, j]))
            for i, j in np.argwhere(jaccard >= threshold).tolist()
        ]
    twins.sort(key=lambda twin: (-twin.jaccard, twin.left, twin.right))
    half, most, top = np.quantile(nearest, [0.5, 0.9, 1.0]).tolist()
    return tuple(twins), (half, most, top)


def _matrix(found: Sequence[NDArray[np.uint64]], known: NDArray[np.uint64]) -> sparse.csr_array:
    """Returns which document has which stretch, 0 or 1, shape (documents, stretches)."""
    columns = np.searchsorted(known, np.concatenate(found))
    pointers = np.concatenate([[0], np.cumsum([len(one) for one in found])])
    ones = np.ones(len(columns), dtype=np.float32)
    return sparse.csr_array((ones, columns, pointers), shape=(len(found), len(known)))
