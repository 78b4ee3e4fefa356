"""Contacts, addresses, identifiers, organisations and decoys as they are written."""

from __future__ import annotations

import re

from mustermann.core.errors import DataError
from mustermann.documents.spans import Piece
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.house import HouseStyle
from mustermann.letters.pieces import NOTHING, Surface, plain
from mustermann.letters.segments import Placeholder
from mustermann.letters.slots import SLOTS

_LONG = 10
"""Digits of a subscriber's number, above which it is written in groups."""
_PHONES = frozenset({"PHONE", "FAX", "MOBILE"})
_GROUPS = {
    "IBAN": (4, 4, 4, 4, 4, 2), "KVNR": (4, 3, 3), "TAX_ID": (2, 3, 3, 3), "RVNR": (2, 6, 1, 3),
    "LANR": (7, 2), "BSNR": (2, 7), "IK_NR": (3, 3, 3),
}  # fmt: skip
"""Lengths of the blocks that people read an identifier in."""


def value_surface(placeholder: Placeholder, attributes: Attributes, style: HouseStyle) -> Surface:
    """Returns an address part, contact, identifier, house or profession.

    The word before a room's number stands outside the span, as it does before a ward's.

    Raises:
      DataError: The letter has no value for the slot.
    """
    slot = placeholder.slot
    value = attributes.values.get(slot)
    if not value:
        raise DataError(f"Expected a value for [[{slot}]], this letter has none; "
                        f"write the placeholder only where the slot is included.")  # fmt: skip
    label = SLOTS[slot].label
    form = placeholder.form
    details = attributes.details.get(slot, NOTHING)
    word, blank, number = value.rpartition(" ")
    if label == "ROOM" and blank:
        pieces = (Piece(word, inside=False), Piece(blank, inside=False), Piece(number))
        return Surface(pieces=pieces, label=label, details=details, form=form)
    if label in _PHONES:
        form = form or style.phone
        value = phone(value, form)
    elif label == "ZIP" and value.isdigit():
        value = style.zip_prefix + value
    elif form == "upper":
        value = value.upper()
    elif form == "grouped":
        value = grouped(value, label)
    elif form == "short":
        value = re.sub(r"(?<=[a-zß])straße\b", "str.", value).replace("Straße", "Str.")
    return plain(value, label, details=details, form=form)


def phone(number: str, form: str) -> str:
    """Returns a telephone number in another way of writing it.

    Args:
      number: As DIN 5008 has it: area code, blank, subscriber number, hyphen and extension.
      form: din, slash, brackets, dash and pairs keep the digits, intl puts +49 for the first
        0 and intl_zero keeps the 0 in brackets, extension keeps the extension (or the last
        two digits) alone.
    """
    area, blank, rest = number.partition(" ")
    if len(rest) > _LONG and rest.isdigit():
        # Nobody reads or writes so many digits in one; those in front of a hyphen are fewer.
        rest = f"{rest[:4]} {rest[4:8]} {rest[8:]}"
    if not blank or form == "din":
        return f"{area}{blank}{rest}"
    if form == "extension":
        return rest.rpartition("-")[2] if "-" in rest else rest[-2:]
    if form == "intl":
        return f"+49 {area.removeprefix('0')} {rest}"
    if form == "intl_zero":
        return f"+49 (0){area.removeprefix('0')} {rest}"
    if form == "pairs":
        digits = rest.replace("-", "").replace(" ", "")
        first = len(digits) % 2
        pairs = [digits[i : i + 2] for i in range(first, len(digits), 2)]
        return f"{area} {digits[:first]}{' '.join(pairs)}"
    return {"slash": f"{area}/{rest}", "brackets": f"({area}) {rest}"}.get(form, f"{area} - {rest}")


def grouped(value: str, label: str) -> str:
    """Returns an identifier in the blocks that people read it in."""
    digits = value.replace(" ", "")
    blocks, at = [], 0
    for length in _GROUPS[label]:
        blocks.append(digits[at : at + length])
        at += length
    return " ".join(filter(None, (*blocks, digits[at:])))


def decoy_surface(placeholder: Placeholder, attributes: Attributes) -> Surface:
    """Returns an eponym or look-alike as it stands in the placeholder, or a number by its kind.

    `[[nonpii_id:pzn]]` writes the letter's value of that name; an argument with a digit or
    capital is written as it stands: `[[nonpii_id:§ 39 SGB V]]`.

    Raises:
      DataError: A kind is named that this letter has no value of.
    """
    label = SLOTS[placeholder.slot].label
    argument = placeholder.argument
    name = f"{placeholder.slot}:{argument}"
    if name in attributes.values:
        details = attributes.details.get(name, NOTHING)
        return plain(attributes.values[name], label, details=details)
    if label == "NONPII_ID" and re.fullmatch(r"[a-z_]+", argument):
        raise DataError(f"Expected a value for [[{name}]], this letter has none of that name.")
    return plain(argument, label)
