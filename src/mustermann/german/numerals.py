"""German numbers and months as words and figures.

>>> cardinal(65), decimal(4.5, 1), MONTHS[2]
('fünfundsechzig', '4,5', 'März')
"""

from __future__ import annotations

MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
    "Oktober", "November", "Dezember",
)  # fmt: skip

MONTHS_SHORT = (
    "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez.",
)  # fmt: skip
"""Source: DIN 5008 and Duden, which leave short months whole."""

_UNITS = (
    "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
    "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
)  # fmt: skip
_TENS = (
    "", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig",
)  # fmt: skip


def cardinal(number: int, *, joined: bool = False) -> str:
    """Returns the number word for 0 to 199: "fünfundsechzig".

    Args:
      number: What to spell.
      joined: Whether a word follows without a blank ("einjährig", not "einsjährig").

    Raises:
      ValueError: The number is out of range.
    """
    if not 0 <= number < 200:
        raise ValueError(f"Expected a number from 0 to 199 to spell, got {number}.")
    if number == 1:
        return "ein" if joined else "eins"
    if number >= 100:
        rest = number - 100
        return "hundert" + (cardinal(rest, joined=joined) if rest else "")
    if number < 20:
        return _UNITS[number]
    tens, units = divmod(number, 10)
    return (_UNITS[units] + "und" if units else "") + _TENS[tens]


def decimal(value: float, decimals: int) -> str:
    """Returns a number with a decimal comma and no thousands separator."""
    return f"{value:.{decimals}f}".replace(".", ",")
