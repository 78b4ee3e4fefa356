"""Labels of other tools as coarse classes: one versioned TOML file a tool in `maps/`.

>>> load_label_map("ner").label("B-PER")
'NAME'
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from mustermann.core.config import read_toml, strict, validate
from mustermann.core.errors import ConfigError
from mustermann.documents.coarse import CLASSES, coarse_class
from mustermann.documents.labels import DECOYS

FOLDER = Path(__file__).parent / "maps"


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LabelMap:
    """How a tool's labels become coarse classes.

    Attributes:
      name: As in the file's name.
      version: Of the file; goes into a detector's signature.
      source: Where the tool's labels are described.
      labels: A coarse class by label in capitals, "" for what is no PHI.
    """

    name: str
    version: str
    source: str
    labels: Mapping[str, str]

    def __post_init__(self) -> None:
        """Refuses classes that do not exist."""
        unknown = sorted({*self.labels.values()} - CLASSES - {""})
        if unknown:
            raise ConfigError(
                f"Expected coarse classes {', '.join(sorted(CLASSES))} in label map "
                f"{self.name!r}, got {', '.join(unknown)}."
            )

    @property
    def signature(self) -> str:
        """Name and version, as detectors' signatures carry them."""
        return f"{self.name}-{self.version}"

    def label(self, theirs: str) -> str:
        """Returns the coarse class of a label of theirs, "" if it is no PHI.

        The file decides, then what is known of published label sets; a label that neither
        knows is OTHER: somebody trained a model to find it.
        """
        name = plain_label(theirs)
        if name in {"", "O"} or name in DECOYS:
            return ""
        known = self.labels.get(name)
        return coarse_class(name) if known is None else known

    def classes(self, theirs: Iterable[str]) -> frozenset[str]:
        """Returns the coarse classes that a tool with these labels can find."""
        return frozenset(map(self.label, theirs)) - {""}


def plain_label(label: str) -> str:
    """Returns a tag without its BIOES prefix, in capitals with underscores."""
    name = label.upper().replace(" ", "_")
    head, dash, rest = name.partition("-")
    return (rest if dash and head in {"B", "I", "L", "U", "E", "S"} else name).replace("-", "_")


@cache
def load_label_map(name: str) -> LabelMap:
    """Returns the map of a name.

    Raises:
      ConfigError: There is none, or it names classes that do not exist.
    """
    path = FOLDER / f"{name}.toml"
    return validate(LabelMap, read_toml(path), where=str(path))
