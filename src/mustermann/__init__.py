"""mustermann: synthetic records of people who do not exist, with proofs."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mustermann.documents.corpus import load_corpus as load_corpus
    from mustermann.documents.corpus import write_corpus as write_corpus
    from mustermann.documents.document import Document as Document
    from mustermann.documents.spans import Span as Span
    from mustermann.estimator import SynLM as SynLM
    from mustermann.journeys.benchmark import benchmark as benchmark
    from mustermann.journeys.corpora import convert as convert_corpus
    from mustermann.journeys.corpora import statistics as corpus_statistics
    from mustermann.journeys.letters import generate as generate_letters
    from mustermann.journeys.letters import verify as verify_letters

__version__ = version("mustermann")

_PUBLIC = {
    "Document": "mustermann.documents.document:Document",
    "Span": "mustermann.documents.spans:Span",
    "SynLM": "mustermann.estimator:SynLM",
    "benchmark": "mustermann.journeys.benchmark:benchmark",
    "convert_corpus": "mustermann.journeys.corpora:convert",
    "corpus_statistics": "mustermann.journeys.corpora:statistics",
    "generate_letters": "mustermann.journeys.letters:generate",
    "load_corpus": "mustermann.documents.corpus:load_corpus",
    "verify_letters": "mustermann.journeys.letters:verify",
    "write_corpus": "mustermann.documents.corpus:write_corpus",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'mustermann' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*globals(), *_PUBLIC]
