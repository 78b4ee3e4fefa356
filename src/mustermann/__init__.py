"""mustermann: synthetic records of people who do not exist, with proofs."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mustermann.documents.corpus import load_corpus as load_corpus
    from mustermann.documents.corpus import write_corpus as write_corpus
    from mustermann.estimator import SynLM as SynLM

__version__ = version("mustermann")

_PUBLIC = {
    "load_corpus": "mustermann.documents.corpus",
    "write_corpus": "mustermann.documents.corpus",
    "Document": "mustermann.documents.document",
    "Span": "mustermann.documents.spans",
    "SynLM": "mustermann.estimator",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'mustermann' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_PUBLIC]
