"""Texts as pieces that recur: BPE and Unigram by the library `tokenizers`.

Trained tokenizers work on bytes, so that no text is unknown to them. What they are trained
on is public: the names of the levels, each once, or a text file that the caller vouches for.
How often a level occurs in the table is never looked at.

Source: Sennrich, Haddow and Birch 2015 (BPE); Kudo 2018 (Unigram).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mustermann.core.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Algorithm = Literal["bpe", "unigram"]

LEAST = 257
MOST = 65_536
"""Bounds of a trained vocabulary: the bytes and what stands for the unknown, and enough."""
_UNKNOWN = "<unk>"


class Subwords:
    """A tokenizer of texts, trained or read."""

    def __init__(self, tokenizer: Any) -> None:
        """Takes a tokenizer of the library `tokenizers`."""
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer

    @classmethod
    def train(cls, algorithm: Algorithm, texts: Sequence[str], *, vocabulary: int) -> Subwords:
        """Returns a tokenizer trained on public texts.

        Args:
          algorithm: "bpe" or "unigram".
          texts: Level names, or lines of a public text.
          vocabulary: Most pieces that it may have; fewer where the texts hold fewer.

        Raises:
          ConfigError: The vocabulary is out of range.
        """
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        if not LEAST <= vocabulary <= MOST:
            raise ConfigError(f"Expected a vocabulary from {LEAST} to {MOST}, found {vocabulary}.")
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer: Any
        if algorithm == "bpe":
            tokenizer = Tokenizer(models.BPE())
            trainer = trainers.BpeTrainer(
                vocab_size=vocabulary, initial_alphabet=alphabet, show_progress=False
            )
        else:
            tokenizer = Tokenizer(models.Unigram())
            trainer = trainers.UnigramTrainer(
                vocab_size=vocabulary, initial_alphabet=alphabet, show_progress=False,
                unk_token=_UNKNOWN, special_tokens=[_UNKNOWN],
            )  # fmt: skip
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.train_from_iterator(texts, trainer)
        return cls(tokenizer)

    @classmethod
    def read(cls, path: Path) -> Subwords:
        """Returns the tokenizer in a `tokenizer.json`.

        Raises:
          DataError: The file is missing or holds no tokenizer.
        """
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, DataError) as error:
            raise DataError(
                f"Expected a tokenizer.json of the library tokenizers at {path}, but: {error}."
            ) from error

    @classmethod
    def from_json(cls, text: str) -> Subwords:
        """Returns the tokenizer that `to_json` described; runs no code from it.

        Raises:
          DataError: The text describes none.
        """
        from tokenizers import Tokenizer

        try:
            return cls(Tokenizer.from_str(text))
        except Exception as error:  # The library raises nothing narrower.
            reason = " ".join(str(error).split())
            raise DataError(f"no tokenizer could be made of it ({reason})") from error

    def to_json(self) -> str:
        """Returns the tokenizer as the library writes it."""
        return str(self._tokenizer.to_str())

    def spell(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Returns the pieces of each text by their numbers."""
        # One by one: in batches the library would start threads of its own.
        return [tuple(self._tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]

    def piece(self, number: int) -> str:
        """Returns how the tokenizer writes a piece."""
        return str(self._tokenizer.id_to_token(number))


def read_lines(path: Path) -> list[str]:
    """Returns the lines of a public text file.

    Raises:
      DataError: The file is missing, not UTF-8, or has no words.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"Expected a public text in UTF-8 at {path} to train a tokenizer on, but: {error}."
        ) from error
    if not any(line.strip() for line in lines):
        raise DataError(f"Expected words in {path} to train a tokenizer on, found none.")
    return lines
