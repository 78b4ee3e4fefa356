"""How rows are laid out, spelt, ordered and augmented: what the seed paper's ablations vary.

layout      column    one position a column, a head of its own each; levels as tokens
            sentence  BEGIN value END of each column, one vocabulary for all
tokenizer   level, or pieces of the levels' names: bpe, unigram, or a file's
order       moments   greedy by the released moments, so that strong pairs stand close
            natural   the table's
            random    another one each time a row is seen in training
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from mustermann.core.errors import ConfigError
from mustermann.tables.lexicon import Lexicon, names
from mustermann.tables.subwords import LEAST, MOST, Subwords, read_lines
from mustermann.tables.transformer import Shape

if TYPE_CHECKING:
    from mustermann.tables.domain import Domain
    from mustermann.tables.recipe import Plan

LayoutName: TypeAlias = Literal["column", "sentence"]
TokenizerName: TypeAlias = Literal["level", "bpe", "unigram", "file"]
OrderName: TypeAlias = Literal["moments", "natural", "random"]
TrieUse: TypeAlias = Literal["always", "evaluation"]
SizeName: TypeAlias = Literal["small", "gpt2"]

GPT2 = Shape(width=768, layers=12, heads=12, feedforward=4, smooth=False)
"""The size of GPT-2's smallest model, but for its table of 50,257 words."""
MOST_VIEWS = 64
MOST_STEPS = 100_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design:
    """What is modelled, as against how it is trained.

    Attributes:
      layout: See the module.
      tokenizer: See the module.
      tokenizer_text: A public text that bpe or unigram is trained on; None takes the levels'
        names.
      tokenizer_file: The `tokenizer.json` for tokenizer "file".
      vocabulary: Most pieces of a trained tokenizer.
      order: See the module; None takes the recipe's.
      augmult: Views of a record, whose mean gradient is clipped; None takes the recipe's.
      trie: Whether the trie restricts the softmax always, or in evaluation only.
      tied: Whether head and embedding share their weights.
      size: Of the transformer.
      steps: Of private training; None takes the recipe's.
    """

    layout: LayoutName = "column"
    tokenizer: TokenizerName = "level"
    tokenizer_text: str | None = None
    tokenizer_file: str | None = None
    vocabulary: int = 1024
    order: OrderName | None = None
    augmult: int | None = None
    trie: TrieUse = "always"
    tied: bool = False
    size: SizeName = "small"
    steps: int | None = None

    def __post_init__(self) -> None:
        if self.layout == "column":
            self._refuse_sentences_only()
        if (self.tokenizer == "file") != (self.tokenizer_file is not None):
            raise ConfigError(
                "Expected tokenizer=file together with tokenizer_file=PATH of a tokenizer.json, "
                "found one without the other. Give both or neither."
            )
        if self.tokenizer_text is not None and self.tokenizer not in ("bpe", "unigram"):
            raise ConfigError(
                f"Expected tokenizer=bpe or unigram for tokenizer_text, found "
                f"{self.tokenizer!r}, which is not trained."
            )
        for path in (self.tokenizer_text, self.tokenizer_file):
            if path is not None and not Path(path).is_file():
                raise ConfigError(f"Expected a file for the tokenizer at {path}, found none.")
        bounds = {
            "vocabulary": (LEAST, MOST), "augmult": (1, MOST_VIEWS), "steps": (1, MOST_STEPS)
        }  # fmt: skip
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ConfigError(f"Expected {name} from {least} to {most}, found {value}.")

    def applied(self, plan: Plan) -> Plan:
        """Returns the plan of a recipe with what the design says otherwise.

        Raises:
          ConfigError: The two do not fit.
        """
        shape = plan.shape
        if self.size == "gpt2":
            shape = dataclasses.replace(GPT2, dropout=shape.dropout)
        if self.layout == "sentence":
            shape = dataclasses.replace(shape, smooth=False)
        views = plan.views if self.augmult is None else self.augmult
        if views > 1 and self.order != "random" and not shape.dropout:
            raise ConfigError(
                f"Expected views that differ for augmult={views}, found that neither their order "
                f"nor dropout does. Give order=random or recipe=paper, or leave augmult out."
            )
        if self.order == "moments" and plan.field is None:
            raise ConfigError(
                "Expected a recipe that releases moments for order=moments, found one that "
                "does not. Take recipe=default, or another order."
            )
        training = plan.training
        if self.steps is not None:
            training = dataclasses.replace(training, steps=self.steps)
        return dataclasses.replace(plan, shape=shape, views=views, training=training)

    def public_text(self) -> str | None:
        """Returns what the tokenizer rests on beside the levels' names; None for nothing."""
        if self.tokenizer_text is not None:
            return "the text that the tokenizer was trained on"
        return "the tokenizer that was given" if self.tokenizer == "file" else None

    def lexicon(self, domain: Domain) -> Lexicon:
        """Returns how the levels of a table are spelt.

        Raises:
          ConfigError: The levels have no names, or one is too long.
          DataError: A file can't be read.
        """
        if self.tokenizer == "level":
            return Lexicon.of_levels(domain)
        if self.tokenizer == "file":
            return Lexicon.of_names(domain, Subwords.read(Path(self.tokenizer_file or "")))
        if self.tokenizer_text is not None:
            texts = read_lines(Path(self.tokenizer_text))
        else:
            texts = [name for place in range(len(domain)) for name in names(domain, place)]
        subwords = Subwords.train(self.tokenizer, texts, vocabulary=self.vocabulary)
        return Lexicon.of_names(domain, subwords)

    def _refuse_sentences_only(self) -> None:
        wanted = {
            f"tokenizer={self.tokenizer}": self.tokenizer != "level",
            "order=random": self.order == "random",
            "trie=evaluation": self.trie != "always",
            "tied=true": self.tied,
        }
        for setting, asked in wanted.items():
            if asked:
                raise ConfigError(
                    f"Expected layout=sentence for {setting}, found layout=column, which has a "
                    f"head a column. Add --set layout=sentence."
                )
