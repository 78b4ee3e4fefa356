"""Skeletons of a language model as a bank: taken from corpora, weeded, written with again."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any

from mustermann.core import manifest
from mustermann.core.config import resolve
from mustermann.core.errors import DataError
from mustermann.core.progress import track
from mustermann.documents.corpus import CorpusWriter, load_corpus
from mustermann.letters.census import Census
from mustermann.letters.config import LettersConfig
from mustermann.letters.skeleton_bank import (
    Entry,
    entry_of,
    letter_from,
    lint,
    read_bank,
    write_bank,
)

if TYPE_CHECKING:
    from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True)
class Import:
    """What came of an import.

    Attributes:
      added: Entries that are new in the bank.
      known: Skeletons that it held already.
      refused: What was wrong with those that were left out, a line each.
    """

    added: int
    known: int
    refused: tuple[str, ...]

    def to_record(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        return {"added": self.added, "known": self.known, "refused": list(self.refused)}


def import_skeletons(source: Path, bank: Path, *, config: Path | None = None) -> Import:
    """Adds the skeletons of a corpus to a bank, which is made where it is missing.

    Args:
      source: A corpus that `--writer llm` wrote.
      bank: A file of entries.
      config: TOML with settings; every skeleton is tried under them.

    Raises:
      DataError: The corpus or the bank is broken, or no letter holds a skeleton.
    """
    settings = resolve(LettersConfig, file=config)
    corpus = load_corpus(source)
    entries = {entry.id: entry for entry in read_bank(bank)} if bank.exists() else {}
    before, known, refused = len(entries), 0, []
    for document in track(corpus, "importing"):
        entry = entry_of(document, model=str(corpus.manifest.get("model", "")))
        if entry.id in entries:
            known += 1
            continue
        wrong = next(lint(entry, config=settings), "")
        if wrong:
            refused.append(wrong)
        else:
            entries[entry.id] = entry
    write_bank(bank, entries.values())
    return Import(len(entries) - before, known, tuple(refused))


def listing(bank: Path) -> list[dict[str, Any]]:
    """Returns what each entry of a bank is, without its text and course."""
    return [
        {
            "id": entry.id, "case": entry.course.case, "specialty": entry.course.specialty,
            "model": entry.model, "difficulty": entry.parameters.difficulty,
            "style": entry.parameters.style, "length": entry.parameters.length,
            "structure": entry.parameters.structure, "sex": entry.sex, "age": entry.age,
            "characters": len(entry.text),
        }
        for entry in read_bank(bank)
    ]  # fmt: skip


def lint_bank(bank: Path, *, config: Path | None = None) -> dict[str, list[str]]:
    """Returns what is wrong with each entry of a bank, by its id."""
    settings = resolve(LettersConfig, file=config)
    return {
        entry.id: list(lint(entry, config=settings)) for entry in track(read_bank(bank), "linting")
    }


def write_letters(
    bank: Path, out: Path, *, count: int, seed: int = 0, config: Path | None = None
) -> Census:
    """Writes letters about new people from the skeletons of a bank; returns their counts.

    Skeletons take turns; each letter is checked like any other.

    Raises:
      DataError: The bank is empty or broken, or an entry gives no letter without faults.
      ConfigError: `out` exists.
    """
    settings = resolve(LettersConfig, file=config)
    entries = read_bank(bank)
    if not entries:
        raise DataError(f"Expected skeletons in {bank}, found none.")
    census, used = Census(), Counter[str]()
    with CorpusWriter(out) as corpus:
        for number in track(range(count), "letters", total=count):
            entry: Entry = entries[number % len(entries)]
            document = letter_from(entry, number, seed=seed, config=settings)
            corpus.write(document)
            census.add(document)
            used[entry.id] += 1
    manifest.describe(
        "corpus", settings, seed=seed, counts=census.to_record() | {"skeletons": dict(used)},
        more={"labels": "mustermann", "writer": "bank",
              "model": sorted({entry.model for entry in entries})},
    ).write(out)  # fmt: skip
    return census
