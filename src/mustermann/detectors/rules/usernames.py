"""Dictation marks and login names under a letter: Wi/DU, sander_n, MACK-GO."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = r"(?:[^\W\d_]{1,12}[/_-][^\W\d_]{1,3}|[a-z]{2,12}\d{0,2})"
_KEYED = re.compile(
    r"(?:DZ|Dz|Az|D[Ii]KTAT|Diktat(?:zeichen)?|Schreibzeichen|Kürzel|(?:Unser|Ihr|Mein) Zeichen"
    rf"|Benutzer(?:name|kennung)?|User|Login"
    rf"|Sachbearbeiter)(?<!\w\wAz)[.:]{{1,2}}[ \t]*(?P<mark>{_MARK})(?=[ ]*(?:\n|$|,|;|\)))"
)
_ALONE = re.compile(
    r"^[ \t]*(?P<mark>[^\W\d_]{1,12}[/_-][^\W\d_]{1,3}|[a-z]{3,12})[ \t]*$", re.MULTILINE
)
_GREETING = re.compile(r"(?i:gr(?:ü|u)(?:ß|ss)e?n?\b|hochachtungsvoll|\bmfg\b)")
_REACH = 900


def find_usernames(text: str) -> Iterator[Find]:
    """Yields marks after their keyword, and those on a line of their own under the greeting."""
    for match in _KEYED.finditer(text):
        yield Find(*match.span("mark"), "USERNAME")
    greetings = list(_GREETING.finditer(text))
    if greetings:
        end = greetings[-1].end()
        for match in _ALONE.finditer(text, end, min(len(text), end + _REACH)):
            yield Find(*match.span("mark"), "USERNAME")
