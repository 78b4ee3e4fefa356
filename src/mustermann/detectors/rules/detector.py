"""The rule detector: rules from the surest to the weakest on one canvas."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from mustermann.detectors.rules import gazetteer as word_lists
from mustermann.detectors.rules.addresses import find_streets
from mustermann.detectors.rules.ages import find_ages
from mustermann.detectors.rules.contacts import find_contacts
from mustermann.detectors.rules.dates import find_dates
from mustermann.detectors.rules.eponyms import find_eponyms
from mustermann.detectors.rules.find import Canvas
from mustermann.detectors.rules.identifiers import find_bare_identifiers, find_identifiers
from mustermann.detectors.rules.normalise import normalise
from mustermann.detectors.rules.number_decoys import find_number_decoys
from mustermann.detectors.rules.organisations import find_organisations
from mustermann.detectors.rules.people import People
from mustermann.detectors.rules.propagation import propagate, propagate_misspelt
from mustermann.detectors.rules.roles import assign
from mustermann.detectors.rules.towns import find_towns
from mustermann.detectors.rules.usernames import find_usernames
from mustermann.detectors.rules.wards import find_wards
from mustermann.documents.labels import DECOYS, PHI
from mustermann.documents.spans import Component, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.detectors.rules.find import Find
    from mustermann.detectors.rules.gazetteer import Gazetteer
    from mustermann.detectors.rules.normalise import NormalText

VERSION = "1"


class RuleDetector:
    """Finds German PHI by form, check digit, context and gazetteer; needs no training.

    Attributes:
      name: "rules".
      labels: Every PHI label but free descriptions.
      signature: Changes with the rules and with the word lists.
    """

    name = "rules"
    labels = frozenset(PHI - {"OTHER_PHI"})

    def __init__(self, *, gazetteer: Gazetteer | None = None) -> None:
        self._gazetteer = word_lists.built_in() if gazetteer is None else gazetteer
        self.signature = f"rules|{VERSION}|{_source_digest()}|{self._gazetteer.digest}"

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans found in `text`, sorted and disjoint, in code points."""
        normal = normalise(text)
        finds = self._finds(normal.text)
        return [_span(find, normal) for find in finds if find.label not in DECOYS]

    def _finds(self, text: str) -> list[Find]:
        """Returns disjoint finds in the normalised text, in order."""
        known = self._gazetteer
        canvas = Canvas(text)
        canvas.claim_all(find_number_decoys(text))
        canvas.claim_all(find_identifiers(text))
        canvas.claim_all(find_contacts(text))
        canvas.claim_all(find_dates(text))
        canvas.claim_all(find_bare_identifiers(text))
        canvas.claim_all(find_wards(text))
        canvas.claim_all(find_streets(text))
        canvas.claim_all(find_towns(text, known))
        canvas.claim_all(find_ages(text))
        canvas.claim_all(find_organisations(text, known))
        for find in assign(list(People(canvas, known).mentions())):
            canvas.claim(find)
        canvas.claim_all(find_usernames(text))
        canvas.claim_all(find_eponyms(text, known))
        canvas.claim_all(propagate(canvas, known))
        canvas.claim_all(propagate_misspelt(canvas, known))
        return sorted(canvas.finds, key=lambda find: find.start)


def _span(find: Find, normal: NormalText) -> Span:
    """Returns the find as a span of the original text."""
    parts = tuple(
        Component(normal.start(part.start), normal.end(part.end), part.kind) for part in find.parts
    )
    return Span(normal.start(find.start), normal.end(find.end), find.label, components=parts)


@functools.cache
def _source_digest() -> str:
    """Names the rules by their source, so that an edited rule meets no old prediction."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.blake2b(b"".join(f.read_bytes() for f in files), digest_size=4).hexdigest()
