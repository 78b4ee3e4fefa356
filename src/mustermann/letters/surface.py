"""What a placeholder writes, given the attributes: pure, by the kind of its slot."""

from __future__ import annotations

import dataclasses

from mustermann.core.errors import DataError
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.house import HouseStyle, house_style
from mustermann.letters.pieces import Surface
from mustermann.letters.segments import Placeholder
from mustermann.letters.slots import SLOTS
from mustermann.letters.surface_ages import age_surface
from mustermann.letters.surface_clinical import clinical_surface
from mustermann.letters.surface_dates import date_surface
from mustermann.letters.surface_names import person_surface
from mustermann.letters.surface_values import decoy_surface, value_surface

GROWN_UP = 14
"""From this age on a patient is Herr or Frau; before, letters use the given name."""

_CHILD_FORMS = {
    "hon_last": "first_only", "hon_abbrev": "first_only", "hon_first_last": "first_last",
    "hon_initial": "initials",
}  # fmt: skip


def surface(
    placeholder: Placeholder,
    attributes: Attributes,
    *,
    style: HouseStyle | None = None,
    after_article: bool = False,
) -> Surface:
    """Returns what a placeholder writes.

    Args:
      placeholder: One that the grammar allows.
      attributes: Of the letter.
      style: Of the house; computed from the attributes if not given.
      after_article: Whether an article in the genitive stands right before.

    Raises:
      DataError: The letter has no such value, or the person no such name.
    """
    style = style or house_style(attributes)
    slot = SLOTS[placeholder.slot]
    if slot.kind == "person":
        person = attributes.patient if slot.name == "patient" else attributes.people.get(slot.name)
        if person is None:
            raise DataError(f"Expected a person for [[{slot.name}]], this letter has: "
                            f"{', '.join(sorted(attributes.people))}.")  # fmt: skip
        if slot.name == "patient" and attributes.age < GROWN_UP:
            placeholder = _of_child(placeholder)
        return person_surface(
            person, placeholder, label=slot.label, style=style, after_article=after_article
        )
    if slot.kind == "date":
        return date_surface(placeholder, attributes, style)
    if slot.kind == "age":
        return age_surface(placeholder, attributes)
    if slot.kind == "decoy":
        return decoy_surface(placeholder, attributes)
    if slot.kind == "clinical":
        return clinical_surface(placeholder, attributes, style)
    return value_surface(placeholder, attributes, style)


def _of_child(placeholder: Placeholder) -> Placeholder:
    form = _CHILD_FORMS.get(placeholder.form, placeholder.form)
    return dataclasses.replace(placeholder, form=form)
