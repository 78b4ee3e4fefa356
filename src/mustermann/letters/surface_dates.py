"""Dates as German letters write them.

A sentence's full stop is never part of a date; the dot of "03.11." always is.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from mustermann.core.errors import DataError
from mustermann.documents.spans import Piece
from mustermann.german.numerals import MONTHS, MONTHS_SHORT
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.grammar import PARTIAL_DATES
from mustermann.letters.house import HouseStyle
from mustermann.letters.pieces import Surface, plain
from mustermann.letters.segments import Placeholder
from mustermann.letters.slots import SLOTS

WRITERS: dict[str, Callable[[date], str]] = {
    "dmy": lambda day: f"{day.day:02}.{day.month:02}.{day.year}",
    "d_m_y": lambda day: f"{day.day}.{day.month}.{day.year}",
    "dmy2": lambda day: f"{day.day:02}.{day.month:02}.{day.year % 100:02}",
    "d_m_y2": lambda day: f"{day.day}.{day.month}.{day.year % 100:02}",
    "d_month_y": lambda day: f"{day.day}. {MONTHS[day.month - 1]} {day.year}",
    "d_mon_y": lambda day: f"{day.day}. {MONTHS_SHORT[day.month - 1]} {day.year}",
    "textual": lambda day: f"{day.day}. {MONTHS[day.month - 1]} {day.year}",
    "iso": lambda day: day.isoformat(),
    "slash": lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
    "dm": lambda day: f"{day.day:02}.{day.month:02}.",
    "d_m": lambda day: f"{day.day}.{day.month}.",
    "dd": lambda day: f"{day.day:02}.",
    "d": lambda day: f"{day.day}.",
    "my": lambda day: f"{day.month:02}/{day.year}",
    "my1": lambda day: f"{day.month}/{day.year % 100:02}",
    "my2": lambda day: f"{day.month:02}/{day.year % 100:02}",
    "m_y": lambda day: f"{MONTHS[day.month - 1]} {day.year}",
    "m": lambda day: MONTHS[day.month - 1],
    "y": lambda day: str(day.year),
    "quarter": lambda day: f"{(day.month + 2) // 3}. Quartal {day.year}",
}
"""Each variant's writer; `textual` is `d_month_y` under the name that writers know, and `my`
is a month in digits, for which a house may write `my2` or `my1`."""

_ELIDED = {
    "dmy": "dm", "dmy2": "dm", "d_m_y": "d_m", "d_m_y2": "d_m", "d_month_y": "", "textual": "",
}  # fmt: skip
"""What is left of a date before another one of the same year; "" where words stand for months."""


def date_surface(placeholder: Placeholder, attributes: Attributes, style: HouseStyle) -> Surface:
    """Returns a date in the variant asked for, or in the one that the house writes here.

    Raises:
      DataError: The letter has no such date.
    """
    name = (
        f"{placeholder.slot}:{placeholder.argument}" if placeholder.argument else placeholder.slot
    )
    day = attributes.dates.get(name)
    if day is None:
        raise DataError(f"Expected a date for [[{name}]], this letter has: "
                        f"{', '.join(sorted(attributes.dates))}.")  # fmt: skip
    variant = placeholder.variant or default_variant(placeholder.slot, style)
    variant = style.month if variant == "my" else variant
    if variant == "relative":
        text = relative(day, to=attributes.dates.get("brief", day))
        return Surface(pieces=(Piece(text),), form=variant, opens=True)
    text = WRITERS[variant](day)
    if style.austrian and day.month == 1:
        text = text.replace("Januar", "Jänner").replace("Jan.", "Jän.")
    label = "DATE_PARTIAL" if variant in PARTIAL_DATES else SLOTS[placeholder.slot].label
    return plain(text, label, details={"date": day.isoformat()}, form=variant)


def elided_variant(first: Placeholder, last: Placeholder, attributes: Attributes,
                   style: HouseStyle) -> str:  # fmt: skip
    """Returns how a range's first date is written so that its last one completes it.

    "3." where both lie in one month, "3.11." in one year; "" where the house writes it whole.

    Args:
      first: Of the range's first date.
      last: Of its last date.
      attributes: Of the letter.
      style: Of the house.
    """
    if not style.elided or first.variant or (first.slot, last.slot) != ("aufnahme", "entlassung"):
        return ""
    short = _ELIDED.get(last.variant or default_variant(last.slot, style))
    start, end = (attributes.dates.get(slot) for slot in (first.slot, last.slot))
    if short is None or not start or not end or start == end or start.year != end.year:
        return ""
    if start.month == end.month:
        return "dd" if short == "dm" else "d"
    return short


def default_variant(slot: str, style: HouseStyle) -> str:
    """Returns the variant that the house writes for a slot."""
    if slot == "geburtsdatum":
        return style.birth
    if slot == "brief":
        return style.letter
    return style.event if slot == "ereignis" else style.stay


def relative(day: date, *, to: date) -> str:
    """Returns a day in words seen from another: "vor 3 Wochen", "morgen", "in 2 Jahren"."""
    distance = (day - to).days
    near = {0: "heute", -1: "gestern", 1: "morgen"}.get(distance)
    if near:
        return near
    days = abs(distance)
    if days < 14:
        span = f"{days} Tagen"
    elif days < 60:
        span = f"{round(days / 7)} Wochen"
    elif days < 730:
        span = f"{round(days / 30.44)} Monaten"
    else:
        span = f"{round(days / 365.25)} Jahren"
    return f"vor {span}" if distance < 0 else f"in {span}"
