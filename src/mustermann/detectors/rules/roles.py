"""Whose a name is: the patient's, a relative's, of the staff, or of somebody else."""

from __future__ import annotations

import dataclasses
from typing import Literal

from mustermann.detectors.rules.find import Find
from mustermann.detectors.rules.names import Name

Role = Literal["patient", "relative", "staff", "other", "person"]
_LABELS: dict[Role, str] = {
    "patient": "PATIENT_NAME", "relative": "RELATIVE_NAME", "staff": "STAFF_NAME",
    "other": "OTHER_PERSON_NAME",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Mention:
    """A name in a context.

    Attributes:
      name: The name.
      role: Whose it is as far as the context says; "person" where it does not.
      sure: Whether a form of address stands before it.
    """

    name: Name
    role: Role
    sure: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class _Known:
    """What the surer mentions of one text tell, all in lower case.

    Attributes:
      patients: Family names of the patient.
      given: All words of the patient's names.
      staff: Family names of the staff.
      titled: Whether the patient bears a title.
    """

    patients: frozenset[str]
    given: frozenset[str]
    staff: frozenset[str]
    titled: bool


def assign(mentions: list[Mention]) -> list[Find]:
    """Returns finds with the label of each mention, in the same order.

    Herr or Frau with the patient's family name is the patient, and so is an unknown one
    that no staff member shares the name with; anybody else without a role is staff.
    """
    known = _Known(
        patients=_words(mentions, "patient", family=True),
        given=_words(mentions, "patient", family=False),
        staff=_words(mentions, "staff", family=True),
        titled=any(m.name.titled for m in mentions if m.role == "patient"),
    )
    return [
        Find(m.name.start, m.name.end, _LABELS[_role(m, known)], m.name.parts) for m in mentions
    ]


def _role(mention: Mention, known: _Known) -> Role:
    name = mention.name
    is_patient = _is_patient(name, known)
    if mention.role == "staff":
        alone = len(name.words) == 1 and (known.titled or not name.titled)
        return "patient" if is_patient and alone else "staff"
    if mention.role != "person":
        return mention.role
    if is_patient or not name.words:
        return "patient"
    unknown = not name.surnames or name.surnames[0].casefold() not in known.staff
    return "patient" if mention.sure and unknown else "staff"


def _words(mentions: list[Mention], role: Role, *, family: bool) -> frozenset[str]:
    return frozenset(
        word.casefold()
        for mention in mentions
        if mention.role == role
        for word in (mention.name.surnames if family else mention.name.words)
    )


def _is_patient(name: Name, known: _Known) -> bool:
    """Returns whether the family name is the patient's, and no given name contradicts."""
    surnames = {word.casefold() for word in name.surnames}
    stems = surnames | {word[:-1] for word in surnames if word.endswith("s")}
    others = {word.casefold() for word in name.words} - surnames
    return bool(stems & known.patients) and (not others or bool(others & known.given))
