"""Telephone numbers that ring nobody, and, if asked for, numbers that somebody could have.

Five area codes and twelve mobile numbers or blocks are kept free for films and books. Other
area codes have no such block: there, a number begins with 11, which no subscriber's number
does, and has 16 digits behind the first 0, which is more than `phonenumbers` calls valid.

Source: Bundesnetzagentur, Mitteilung 148/2021 (Amtsblatt 7/2021, "Rufnummern für
Medienproduktionen").
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from mustermann.core.seeds import Draws

Kind = Literal["fictional", "unassignable", "realistic"]

DRAMA_BLOCKS: Mapping[str, str] = {
    "030": "23125", "069": "90009", "040": "66969", "0221": "4710", "089": "99998",
}  # fmt: skip
"""Beginning of the thousand numbers by area code; three digits follow."""

DRAMA_MOBILES: tuple[str, ...] = (
    "0152 28817386", "0152 28895456", "0152 54599371", "0172 9925904", "0172 9968532",
    "0172 9973185", "0172 9973186", "0172 9980752", "0174 9091317", "0174 9464308",
)  # fmt: skip
"""Single mobile numbers that are kept free."""

DRAMA_MOBILE_BLOCKS: tuple[str, ...] = ("0171 39200", "0176 040690")
"""Beginnings of mobile blocks; two digits follow."""

_MOBILE_CODES = (
    "0151", "0152", "0157", "0159", "0160", "0162", "0163", "0170", "0171", "0172", "0173",
    "0174", "0175", "0176", "0177", "0178", "0179",
)  # fmt: skip

_TOO_LONG = 16
"""Digits without the first 0; the metadata of `phonenumbers` end at 15."""


@dataclasses.dataclass(frozen=True, slots=True)
class Phone:
    """A number, written "0341 1142205" or "0341 1142205-128", and why it rings nobody."""

    text: str
    kind: Kind


def fixed_line(
    draws: Draws, name: str, *, area_code: str, realistic: bool = False, extension: bool = False
) -> Phone:
    """Returns a number of the fixed network.

    Args:
      draws: The caller's stream.
      name: Name of the draw.
      area_code: With the leading 0.
      realistic: Whether somebody could have it.
      extension: Whether it ends with a hyphen and an extension, as institutions' numbers do.
    """
    if realistic:
        digits = draws.integer(name, 2_000_000, 9_899_999) // 10 ** max(0, len(area_code) - 4)
        return Phone(f"{area_code} {_extend(str(digits), extension, 3)}", "realistic")
    block = DRAMA_BLOCKS.get(area_code)
    if block:
        # So few numbers meet in one letter: institutions have the odd ones, people the even.
        tail = 2 * draws.integer(name, 0, 499) + extension
        return Phone(f"{area_code} {_extend(f'{block}{tail:03d}', extension, 3)}", "fictional")
    length = _TOO_LONG + 1 - len(area_code)
    digits = draws.integer(name, 0, 10 ** (length - 2) - 1)
    subscriber = f"11{digits:0{length - 2}d}"
    return Phone(f"{area_code} {_extend(subscriber, extension, 5)}", "unassignable")


def mobile(draws: Draws, name: str, *, realistic: bool = False) -> Phone:
    """Returns a mobile number."""
    if realistic:
        code = draws.choice(f"{name} code", _MOBILE_CODES)
        low, high = (10_000_000, 99_999_999) if code.startswith("015") else (2_000_000, 9_999_999)
        return Phone(f"{code} {draws.integer(name, low, high)}", "realistic")
    index = draws.integer(name, 0, len(DRAMA_MOBILES) + 100 * len(DRAMA_MOBILE_BLOCKS) - 1)
    if index < len(DRAMA_MOBILES):
        return Phone(DRAMA_MOBILES[index], "fictional")
    block, tail = divmod(index - len(DRAMA_MOBILES), 100)
    return Phone(f"{DRAMA_MOBILE_BLOCKS[block]}{tail:02d}", "fictional")


def _extend(subscriber: str, extension: bool, digits: int) -> str:
    if not extension or len(subscriber) <= digits + 1:
        return subscriber
    return f"{subscriber[:-digits]}-{subscriber[-digits:]}"
