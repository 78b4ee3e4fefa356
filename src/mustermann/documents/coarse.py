"""Coarse classes: what a detector can learn from few letters, and any label set as these.

NAME, TITLE, DATE, LOCATION, CONTACT, ID, AGE, ORG, OTHER. Titles are a class of their own, as in
GraSCCo_PHI, so that letters of ours and of others train one tagger.
"""

from __future__ import annotations

from functools import cache

from mustermann.documents.labels import LABELS, PHI
from mustermann.documents.mapping import load_mapping, mapping_names

CLASSES = frozenset({"NAME", "TITLE", "DATE", "LOCATION", "CONTACT", "ID", "AGE", "ORG", "OTHER"})
VERSION = "1"
TITLE = "TITLE"
BASE = "grascco"
"""The mapping whose span policy our letters pass through before they become coarse."""

# Wards with a number are IDs in GraSCCo and places in ours; a coarse class must not depend on it.
_EXCEPT = {"WARD": "ID", "ROOM": "ID", "HOSPITAL": "ORG", "LOCATION_HOSPITAL": "ORG",
           "LOCATION_ORGANIZATION": "ORG", "NAME_TITLE": TITLE}  # fmt: skip


def coarse_class(label: str) -> str:
    """Returns the coarse class of a label of ours or of a known foreign set; OTHER if unknown."""
    return label if label in CLASSES else _classes().get(label, "OTHER")


@cache
def _classes() -> dict[str, str]:
    classes = {name: str(LABELS[name].group) for name in sorted(PHI)}
    for mapping in map(load_mapping, mapping_names()):
        for ours, theirs in mapping.labels.items():
            if theirs and ours in PHI:
                classes.setdefault(theirs, classes[ours])
    return classes | _EXCEPT
