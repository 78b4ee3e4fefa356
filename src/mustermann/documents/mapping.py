"""Maps our labels and extents to those of other label sets.

A mapping is a versioned TOML file in `mappings/`: a label of theirs for each of ours ("" for
none), rules for what the value decides, and a policy for the parts of a name. GraSCCo, for
one, labels a title apart and leaves "Herr" out.

>>> load_mapping("grascco").labels["KVNR"]
'ID'
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from mustermann.core.config import read_toml, strict, validate
from mustermann.core.errors import ConfigError
from mustermann.documents.document import Document
from mustermann.documents.labels import ATTACHED, LABELS
from mustermann.documents.name_parts import NamePart, name_parts
from mustermann.documents.spans import Span

FOLDER = Path(__file__).parent / "mappings"
_NUMBER = re.compile(r"\d+")


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Rule:
    """Another target for spans whose value says so; the first that holds wins.

    Attributes:
      label: Ours.
      target: Theirs, "" for none.
      matches: Regular expression that the whole value fits, "" for any.
      over: The value is a number above this one, or None.
      slot: The slot that wrote the value, "" for any.
    """

    label: str
    target: str
    matches: str = ""
    over: int | None = None
    slot: str = ""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Policy:
    """What is done with the parts of a name, and with neighbours.

    Attributes:
      title: "inside" or "outside" the name's span, or the label of a span of its own.
      honorific: Whether Herr and Frau are inside the span.
      suffix: Whether a genitive -s or apostrophe is inside the span.
      adjacent: Whether two spans of one target with nothing but a blank between them stay
        two ("apart") or become one ("joined").
    """

    title: str = "inside"
    honorific: Literal["inside", "outside"] = "outside"
    suffix: Literal["inside", "outside"] = "inside"
    adjacent: Literal["apart", "joined"] = "apart"


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LabelMapping:
    """How our labels become another set's.

    Attributes:
      name: As on the command line.
      target: The label set, in words.
      version: Of this file; goes into the signature of scores.
      source: Where the target's guideline is published.
      labels: Theirs by ours; "" where they have none.
      rules: Exceptions by value.
      policy: Parts of names and neighbours.
    """

    name: str
    target: str
    version: str
    source: str
    labels: Mapping[str, str]
    rules: tuple[Rule, ...] = ()
    policy: Policy = Policy()

    def __post_init__(self) -> None:
        """Refuses a table that does not cover our labels exactly."""
        known, named = set(LABELS), set(self.labels)
        for what, names in (("no line for", known - named), ("an unknown label", named - known)):
            if names:
                raise ConfigError(
                    f"Expected one line a label in mapping {self.name!r}, "
                    f"got {what} {', '.join(sorted(names))}."
                )

    @property
    def signature(self) -> str:
        """Name and version, as scores carry them."""
        return f"{self.name}-{self.version}"

    @property
    def targets(self) -> frozenset[str]:
        """Every label of theirs that this mapping can give."""
        apart = {self.policy.title} - {"inside", "outside"}
        return frozenset({*self.labels.values(), *(r.target for r in self.rules), *apart} - {""})


def mapping_names() -> tuple[str, ...]:
    """Returns the names of the mappings on offer."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def load_mapping(name: str) -> LabelMapping:
    """Returns the mapping of a name.

    Raises:
      ConfigError: There is none, or its file does not cover our labels.
    """
    if name not in mapping_names():
        raise ConfigError(f"Unknown mapping {name!r}. Known: {', '.join(mapping_names())}.")
    path = FOLDER / f"{name}.toml"
    return validate(LabelMapping, read_toml(path), where=str(path))


def map_document(document: Document, mapping: LabelMapping) -> Document:
    """Returns the document with the other set's labels and extents.

    Labels that the other set lacks are left out; the clinical layer stays.
    """
    spans = map_spans(document.text, document.spans, mapping)
    return dataclasses.replace(document, spans=spans)


def map_spans(text: str, spans: Iterable[Span], mapping: LabelMapping) -> tuple[Span, ...]:
    """Returns spans of ours as spans of theirs, in order.

    Parts of names come from the spans' components; a span without any, as a detector
    gives, has its honorific and title read off the text.

    Args:
      text: What the offsets count.
      spans: With labels of ours; others are left out.
      mapping: To the other set.
    """
    mapped = [made for span in sorted(spans) for made in _mapped(text, span, mapping)]
    return _joined(text, mapped) if mapping.policy.adjacent == "joined" else tuple(mapped)


def _mapped(text: str, span: Span, mapping: LabelMapping) -> list[Span]:
    label = LABELS.get(span.label)
    target = _target(text, span, mapping)
    if label is None or not target:
        return []
    if label.group != "NAME":
        return [dataclasses.replace(span, label=target)]
    parts = name_parts(text, span)
    start, end = _extent(span, parts, mapping.policy)
    made: list[Span] = []
    title = next((part for part in parts if part.kind == "title"), None)
    if title and mapping.policy.title not in {"inside", "outside"}:
        made.append(Span(title.start, title.end, mapping.policy.title, span.slot, span.form))
    if start < end:
        parts_left = tuple(
            part
            for part in span.components
            if start <= part.start < end or (part.kind in ATTACHED and part.end <= start)
        )
        made.append(
            dataclasses.replace(span, start=start, end=end, label=target, components=parts_left)
        )
    return made


def _extent(span: Span, parts: tuple[NamePart, ...], policy: Policy) -> tuple[int, int]:
    """Returns where the name begins and ends under the policy."""
    start, end = span.start, span.end
    for part in parts:
        if part.kind == "honorific":
            start = part.start if policy.honorific == "inside" else max(start, part.after)
        elif part.kind == "title" and policy.title != "inside":
            start = max(start, part.after)
        elif part.kind == "suffix" and policy.suffix == "outside":
            end = part.start
    return start, end


def _target(text: str, span: Span, mapping: LabelMapping) -> str:
    for rule in mapping.rules:
        if rule.label == span.label and _holds(rule, text[span.start : span.end], span):
            return rule.target
    return mapping.labels.get(span.label, "")


def _holds(rule: Rule, value: str, span: Span) -> bool:
    if rule.slot and rule.slot != span.slot:
        return False
    if rule.matches and not re.fullmatch(rule.matches, value):
        return False
    if rule.over is None:
        return True
    number = _NUMBER.search(span.details.get("years", value))
    return number is not None and int(number[0]) > rule.over


def _joined(text: str, spans: list[Span]) -> tuple[Span, ...]:
    """Returns the spans with neighbours of one label made one; their parts are kept."""
    made: list[Span] = []
    for span in spans:
        last = made[-1] if made else None
        if last and last.label == span.label and not text[last.end : span.start].strip():
            parts = (*last.components, *(p for p in span.components if p.start >= span.start))
            made[-1] = dataclasses.replace(last, end=span.end, components=parts)
        else:
            made.append(span)
    return tuple(made)
