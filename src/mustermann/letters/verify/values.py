"""Each span says what its slot holds: names, addresses, numbers, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mustermann.documents.labels import ATTACHED, LABELS
from mustermann.letters.verify.evidence import Names, canonical, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.documents.spans import Component, Span
    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_JOINTS = frozenset(" .,-–'’\n\r\u00a0\t")


class Values:
    """Compares the text under a span with the attribute of its slot."""

    name = "values"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each span whose text is not its slot's value."""
        names: dict[str, Names] = {}
        for span in evidence.document.spans:
            if span.label not in LABELS:
                if evidence.values:
                    yield evidence.fault(self.name, f"Unknown label {span.label!r}.", at=span)
                continue
            group = LABELS[span.label].group
            if group == "NAME" and span.label != "USERNAME":
                person = _person(evidence, span.slot)
                if person is not None:
                    known = names.setdefault(span.slot, Names.of(person))
                    yield from self._name(evidence, span, known)
            elif span.slot in evidence.values:
                yield from self._value(evidence, span)

    def _value(self, evidence: Evidence, span: Span) -> Iterator[Fault]:
        value, found = evidence.values[span.slot], evidence.surface(span)
        if span.label == "ROOM":
            value = value.rpartition(" ")[2]
        if not _same_value(LABELS[span.label].group, value, found):
            yield evidence.fault(
                self.name, f"Expected {span.slot} {value!r}, found {found!r}.", at=span
            )

    def _name(self, evidence: Evidence, span: Span, known: Names) -> Iterator[Fault]:
        """Checks each component against the person, and that nothing else is in the span."""
        inside = [part for part in span.components if part.kind not in ATTACHED]
        if not inside:
            yield evidence.fault(self.name, "Expected the parts of a name, found none.", at=span)
        at = span.start
        for part in inside:
            gap = evidence.document.text[at : part.start]
            if not set(visible(gap)) <= _JOINTS:
                yield evidence.fault(self.name, f"Unexpected {gap!r} inside a name.", at=span)
            at = part.end
            word = evidence.surface(part)
            if not _fits(part, word, known, typo="typo" in span.details):
                yield evidence.fault(
                    self.name, f"{word!r} is no {part.kind} name of {span.slot}.", at=span
                )
        rest = evidence.document.text[at : span.end]
        if not set(visible(rest)) <= _JOINTS:
            yield evidence.fault(self.name, f"Unexpected {rest!r} at a name's end.", at=span)


def _person(evidence: Evidence, slot: str) -> Mapping[str, Any] | None:
    return (evidence.patient or None) if slot == "patient" else evidence.people.get(slot)


def _fits(part: Component, word: str, known: Names, *, typo: bool) -> bool:
    folded = canonical(word)
    if part.kind in ("family", "given"):
        names = known.family if part.kind == "family" else known.given | known.other
        if any(canonical(name) == folded for name in names):
            return True
        # Folded, "ß" is two letters: swapped with its neighbour it looks like two edits.
        plain = visible(word).lower()
        return typo and any(
            _one_edit(canonical(name), folded) or _one_edit(name.lower(), plain) for name in names
        )
    if part.kind == "initial":
        return any(canonical(n)[:1] == folded[:1] for n in known.given | known.family)
    if part.kind == "suffix":
        return word.casefold() in {"s", "'", "’"}
    return True


def _one_edit(left: str, right: str) -> bool:
    """Returns whether one insertion, deletion, change or swap of neighbours leads across."""
    if abs(len(left) - len(right)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if start is None:
        return True
    a, b = left[start:], right[start:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or swapped


def _same_value(group: str, value: str, found: str) -> bool:
    left, right = canonical(value), canonical(found)
    if group == "CONTACT" and any(c.isdigit() for c in right) and "@" not in value:
        return _subscriber(left) == _subscriber(right)
    if group == "LOCATION" and value.isdigit():
        return right.removeprefix("d") == left
    return left.replace("straße", "str").replace("strasse", "str") == right.replace(
        "straße", "str"
    ).replace("strasse", "str")


def _subscriber(digits: str) -> str:
    """Returns a German number without its country or trunk prefix."""
    for prefix in ("00490", "0049", "490", "49", "0"):
        if digits.startswith(prefix):
            return digits.removeprefix(prefix)
    return digits
