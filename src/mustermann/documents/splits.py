"""Splits of a corpus: no patient in two of them, labels and difficulties alike in each.

Groups of documents (a patient's) are dealt out one by one, those first that hold much of a rare
label; each goes to the split that it brings nearest to its share of every label and difficulty.
Ties are broken by a draw named after the patient, so the order of the documents is immaterial.

Source: the greedy rule of Sechidis et al. 2011 (ECML PKDD), over groups instead of documents.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mustermann.documents.document import Document

_DOCUMENTS = "documents"


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """What a split must know of a document.

    Attributes:
      id: The document's.
      patient: Documents with the same one stay together.
      strata: How much it has of each label, and its difficulty.
    """

    id: str
    patient: str
    strata: Mapping[str, int]


def summary(document: Document, *, pattern: str = "") -> Summary:
    """Returns what a split must know of a document.

    Args:
      document: Any.
      pattern: Finds the patient in the document's id; "" reads the document's attributes.

    Raises:
      ConfigError: The pattern is no regular expression.
    """
    strata = Counter(f"label {span.label}" for span in document.spans)
    strata[_DOCUMENTS] = 1
    if difficulty := document.meta.get("difficulty"):
        strata[f"difficulty {difficulty}"] = 1
    return Summary(document.id, patient(document, pattern=pattern), strata)


def patient(document: Document, *, pattern: str = "") -> str:
    """Returns who a document is about: the same text for two documents on one person.

    By the pattern's first group (or its whole match) in the id; without a pattern by the name
    and birth date among the document's attributes; a document that has neither is its own.

    Raises:
      ConfigError: The pattern is no regular expression.
    """
    if pattern:
        try:
            match = re.search(pattern, document.id)
        except re.error as error:
            raise ConfigError(
                f"Expected a regular expression, got {pattern!r}: {error}."
            ) from error
        return f"id:{match[min(1, len(match.groups()))] if match else document.id}"
    attributes = document.meta.get("attributes") or {}
    person, dates = attributes.get("patient") or {}, attributes.get("dates") or {}
    if not isinstance(person, dict) or not person.get("family"):
        return f"document:{document.id}"
    name = " ".join([*person.get("given", ()), person.get("particle", ""), person["family"]])
    return f"person:{' '.join(name.split())} {dates.get('geburtsdatum', '')}"


def split(
    summaries: Iterable[Summary], shares: Mapping[str, float], *, seed: int
) -> dict[str, str]:
    """Returns the split of each document, by its id.

    Args:
      summaries: One a document.
      shares: Size of each split; they add up to 1.
      seed: Breaks ties.

    Raises:
      ConfigError: Shares are not above 0 or do not add up to 1.
      DataError: Two documents have one id, or there are fewer patients than splits.
    """
    whole = abs(sum(shares.values()) - 1) <= 1e-9  # False for NaN.
    if not whole or any(share <= 0 for share in shares.values()):
        raise ConfigError(
            f"Expected shares above 0 that add up to 1, got "
            f"{', '.join(f'{name}={share:g}' for name, share in shares.items())}."
        )
    groups = _groups(summaries)
    if len(groups) < len(shares):
        raise DataError(
            f"Expected at least {len(shares)} patients for {len(shares)} splits, "
            f"found {len(groups)}. Take fewer splits."
        )
    table, strata = _table(groups)
    order = _order(table, list(groups), seed)
    places = _dealt(table[order], np.array([*shares.values()]), strata.index(_DOCUMENTS))
    names, members = list(shares), list(groups.values())
    return {
        found.id: names[place]
        for group, place in zip(order, places, strict=True)
        for found in members[group]
    }


def _groups(summaries: Iterable[Summary]) -> dict[str, list[Summary]]:
    groups: dict[str, list[Summary]] = {}
    seen: set[str] = set()
    for found in summaries:
        if found.id in seen:
            raise DataError(
                f"Expected an id of its own for each document, found {found.id!r} twice."
            )
        seen.add(found.id)
        groups.setdefault(found.patient, []).append(found)
    return groups


def _table(groups: Mapping[str, Sequence[Summary]]) -> tuple[NDArray[np.float64], list[str]]:
    """Returns the share of each stratum that a group holds, shape (groups, strata), and names."""
    strata = sorted({name for found in groups.values() for one in found for name in one.strata})
    columns = {name: column for column, name in enumerate(strata)}
    table = np.zeros((len(groups), len(strata)))
    for row, found in enumerate(groups.values()):
        for one in found:
            for name, count in one.strata.items():
                table[row, columns[name]] += count
    return table / table.sum(axis=0), strata


def _order(table: NDArray[np.float64], patients: Sequence[str], seed: int) -> list[int]:
    draws = Seeds(seed).draws("split")
    heaviest = table.max(axis=1)
    return sorted(range(len(patients)), key=lambda row: (-heaviest[row], draws.bits(patients[row])))


def _dealt(table: NDArray[np.float64], shares: NDArray[np.float64], documents: int) -> list[int]:
    """Returns the split of each row of `table`, dealt out in order."""
    held = np.zeros((len(shares), table.shape[1]))
    groups_left, places = len(table), []
    for row in table:
        missing = shares[:, None] - held
        # Squared distance from the wanted shares falls most where most of the row is missing.
        gain = (missing * row - row**2 / 2).sum(axis=1) / shares
        is_open = held[:, documents] + row[documents] / 2 <= shares + 1e-12
        empty = held[:, documents] == 0
        if groups_left <= empty.sum():
            is_open = empty
        place = int(np.argmax(np.where(is_open if is_open.any() else True, gain, -np.inf)))
        held[place] += row
        groups_left -= 1
        places.append(place)
    return places
