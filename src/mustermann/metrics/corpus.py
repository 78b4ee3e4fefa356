"""Statistics of a text corpus, as published tables have them, and distances between two.

Definitions: METRICS of the specification; they reproduce the published column for GraSCCo.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.seeds import Seeds
from mustermann.documents.labels import DECOYS
from mustermann.metrics.divergence import frechet, jensen_shannon, mmd, vocabulary_jaccard
from mustermann.metrics.lexical import mtld, tokens, trigram_novelty, type_token_ratio
from mustermann.metrics.readability import readability
from mustermann.metrics.self_bleu import self_bleu

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mustermann.documents.document import Document
    from mustermann.metrics.embedding import Embedding

VERSION = "v1"


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What stands in a table of corpora. Means are over documents.

    Attributes:
      documents: How many.
      mean_chars: Mean length in characters.
      std_chars: Population standard deviation of the length.
      tokens: Words in all.
      spans: PHI spans in all (tiers 1 and 2, and every span of a foreign label set).
      spans_per_1k: PHI spans per 1,000 words, over the whole corpus.
      decoys_per_1k: Decoys per 1,000 words.
      clinical_per_1k: Spans of the clinical layer per 1,000 words.
      ttr: Type-token ratio.
      mtld: Measure of textual lexical diversity, in words.
      trigram_novelty: Share of a document's trigrams that no other document has.
      self_bleu: Mean pairwise BLEU-4.
      smog: McLaughlin's grade, in school years.
      fkgl: Flesch-Kincaid grade level, in school years.
      wiener: First Wiener Sachtextformel, in school years.
      amstad: Flesch reading ease after Amstad.
      signature: Names the definitions; figures under two signatures do not compare.
    """

    documents: int
    mean_chars: float
    std_chars: float
    tokens: int
    spans: int
    spans_per_1k: float
    decoys_per_1k: float
    clinical_per_1k: float
    ttr: float
    mtld: float
    trigram_novelty: float
    self_bleu: float
    smog: float
    fkgl: float
    wiener: float
    amstad: float
    signature: str = f"corpus|tokens:word-hyphen-lower|textstat-0.7-de|{VERSION}"


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusDistance:
    """How far two corpora are apart.

    Attributes:
      frechet: Fréchet distance of embeddings.
      mmd: Square root of the biased MMD², as published.
      mmd_squared: Unbiased MMD².
      mmd_p: Permutation p-value.
      js: Jensen-Shannon divergence of words, base 2.
      jaccard: Shared word types over all word types.
      signature: Names embedding and definitions.
    """

    frechet: float
    mmd: float
    mmd_squared: float
    mmd_p: float
    js: float
    jaccard: float
    signature: str


def corpus_statistics(documents: Iterable[Document], *, seed: int = 0) -> CorpusStatistics:
    """Returns the statistics of a corpus; `seed` draws pairs where it has over 2,000 documents."""
    corpus = list(documents)
    words = [tokens(document.text) for document in corpus]
    total = sum(map(len, words))
    lengths = [len(document.text) for document in corpus]
    labels = [span.label for document in corpus for span in document.spans]
    decoys = sum(label in DECOYS for label in labels)
    clinical = sum(len(document.clinical) for document in corpus)
    grades = [readability(document.text) for document in corpus]
    per_1k = 1_000 / max(1, total)
    return CorpusStatistics(
        documents=len(corpus),
        mean_chars=_mean(lengths),
        std_chars=float(np.std(lengths)) if lengths else 0.0,
        tokens=total,
        spans=len(labels) - decoys,
        spans_per_1k=(len(labels) - decoys) * per_1k,
        decoys_per_1k=decoys * per_1k,
        clinical_per_1k=clinical * per_1k,
        ttr=_mean([type_token_ratio(found) for found in words]),
        mtld=_mean([mtld(found) for found in words]),
        trigram_novelty=_mean(trigram_novelty(words)),
        self_bleu=self_bleu(words, seed=seed),
        smog=_mean([grade.smog for grade in grades]),
        fkgl=_mean([grade.fkgl for grade in grades]),
        wiener=_mean([grade.wiener for grade in grades]),
        amstad=_mean([grade.amstad for grade in grades]),
    )


def corpus_distance(
    left: Sequence[Document], right: Sequence[Document], *, embedding: Embedding, seed: int = 0
) -> CorpusDistance:
    """Returns how far two corpora of at least two documents each are apart."""
    words = [[tokens(document.text) for document in side] for side in (left, right)]
    a, b = embedding.embed([d.text for d in left], [d.text for d in right])
    discrepancy = mmd(a, b, seed=seed)
    return CorpusDistance(
        frechet=frechet(a, b),
        mmd=discrepancy.root,
        mmd_squared=discrepancy.squared,
        mmd_p=discrepancy.p_value,
        js=jensen_shannon(*words),
        jaccard=vocabulary_jaccard(*words),
        signature=f"{embedding.signature}|tokens:word-hyphen-lower|{VERSION}",
    )


def sampled(documents: Sequence[Document], count: int, *, seed: int) -> list[Document]:
    """Returns `count` documents drawn by `seed`, for figures that depend on corpus size."""
    if count >= len(documents):
        return list(documents)
    draws = Seeds(seed).draws("sampled documents")
    return sorted(draws.sample("subset", documents, count), key=lambda document: document.id)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
