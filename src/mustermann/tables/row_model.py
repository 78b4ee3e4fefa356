"""The transformer of a fit, in either layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mustermann.core.errors import DataError
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.transformer import TableTransformer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from mustermann.tables.design import Design
    from mustermann.tables.domain import Domain
    from mustermann.tables.lexicon import Lexicon
    from mustermann.tables.transformer import Shape

RowModel: TypeAlias = TableTransformer | SentenceTransformer


def make(
    domain: Domain,
    shape: Shape,
    design: Design,
    *,
    lexicon: Lexicon | None,
    order: Sequence[int],
    generator: torch.Generator,
) -> RowModel:
    """Returns a new transformer.

    Args:
      domain: The columns.
      shape: The size.
      design: The layout and what belongs to it.
      lexicon: How levels are spelt; None in the column layout.
      order: A permutation of the columns.
      generator: Draws the first weights.

    Raises:
      ConfigError: A row is too long.
    """
    if lexicon is None:
        return TableTransformer(domain, shape, order=order, generator=generator)
    return SentenceTransformer(
        lexicon,
        shape,
        order=order,
        random=design.order == "random",
        guided=design.trie == "always",
        tied=design.tied,
        generator=generator,
    )


def lexicon_of(model: RowModel) -> Lexicon | None:
    """Returns how the levels of a sentence model are spelt, None for the column layout."""
    return model.lexicon if isinstance(model, SentenceTransformer) else None


def refuse_foreign_order(order: Sequence[int], domain: Domain, *, where: str) -> None:
    """Raises DataError where an order is no permutation of a table's columns."""
    if sorted(order) != list(range(len(domain))):
        raise DataError(
            f"Expected an order of {len(domain)} columns in {where}, found {list(order)}. "
            f"The model is of another table."
        )
