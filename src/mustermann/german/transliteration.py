"""Names in plain ASCII, as in mail addresses and log-in names."""

from __future__ import annotations

import unicodedata

_LETTERS = str.maketrans(
    {
        "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ı": "i",
        "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "æ": "ae", "’": "", "'": "",
    }
)  # fmt: skip


def fold(text: str) -> str:
    """Returns `text` in ASCII letters: umlauts written out, other accents dropped."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(_LETTERS))
    return plain.encode("ascii", "ignore").decode()
