r"""How varied the words of a corpus are: TTR, MTLD, trigram novelty.

Tokens are pinned by the published column for GraSCCo (SPARCLING, table of corpora): lower
case, `\w+(?:-\w+)*`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from mustermann.metrics.token_table import TokenTable, token_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

TOKEN = re.compile(r"\w+(?:-\w+)*")
MTLD_THRESHOLD = 0.72


def tokens(text: str) -> list[str]:
    """Returns the lower-cased words of a text; a hyphenated word is one."""
    return TOKEN.findall(text.lower())


def type_token_ratio(words: Sequence[str]) -> float:
    """Returns the share of different words in [0, 1]; 0 for no words."""
    return len(set(words)) / len(words) if words else 0.0


def mtld(words: Sequence[str], *, threshold: float = MTLD_THRESHOLD) -> float:
    """Returns the measure of textual lexical diversity, in words; 0 for no words.

    The mean length of stretches whose type-token ratio stays above `threshold`, a partial
    stretch at the end counted in proportion, averaged over both directions of reading.

    Source: McCarthy and Jarvis 2010, Behavior Research Methods 42.
    """
    if not words:
        return 0.0
    return (_one_way(words, threshold) + _one_way(words[::-1], threshold)) / 2


def _one_way(words: Sequence[str], threshold: float) -> float:
    factors, seen, count = 0.0, set[str](), 0
    for word in words:
        seen.add(word)
        count += 1
        if len(seen) <= threshold * count:
            factors += 1
            seen, count = set(), 0
    if count:
        factors += (1 - len(seen) / count) / (1 - threshold)
    # A text without any repeated word never begins a factor: its own length is the bound.
    return len(words) / factors if factors else float(len(words))


def trigram_novelty(documents: TokenTable | Iterable[Sequence[str]]) -> NDArray[np.float64]:
    """Returns, for each document, the share of its trigrams that no other document has.

    Distinct trigrams on both sides. A document with fewer than three words has no trigram;
    its share is NaN.

    Source: SPARCLING, table of corpora.
    """
    table = documents if isinstance(documents, TokenTable) else token_table(documents)
    *_, grams = table.orders(3)
    owners = np.bincount(grams.grams, minlength=grams.kinds)
    own = np.bincount(grams.rows[owners[grams.grams] == 1], minlength=len(table))
    distinct = np.bincount(grams.rows, minlength=len(table)).astype(np.float64)
    unknown = np.full(len(table), np.nan)
    np.divide(own, distinct, out=unknown, where=distinct > 0)
    return unknown
