"""Numbers and codes with the same pattern, and with a check digit where there was one."""

from __future__ import annotations

import itertools
import re
import string
from typing import TYPE_CHECKING

from mustermann.german.identifiers import VALIDATORS
from mustermann.german.phones import DRAMA_BLOCKS, DRAMA_MOBILE_BLOCKS

if TYPE_CHECKING:
    from mustermann.core.seeds import Draws

_ATTEMPTS = 20_000
"""A tax number's rule holds for one random number in about six hundred."""
_KEPT = re.compile(r"(?i:DE)(?=\d{2})|80276")
"""Country of an IBAN, issuer of a health card: without them it is no such number."""
_HOSTS = ("klinik-beispiel.example", "praxis-muster.example", "post.example")
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_ABROAD = re.compile(r"\s*(?:\+|00)(?P<country>49|43|41)")


def code(text: str, draws: Draws) -> str:
    """Returns other digits and letters in the pattern of `text`.

    A number whose check digit holds gets one that holds.
    """
    plain = _plain(text)
    rule = next((holds for holds in VALIDATORS.values() if holds(plain)), None)
    kept = _KEPT.match(plain) if rule else None
    prefix = kept[0] if kept else ""
    for attempt in range(_ATTEMPTS):
        made = scrambled(text, draws.below(f"attempt {attempt}"), keep=len(prefix))
        if made != text and (rule is None or rule(_plain(made))):
            return made
    return scrambled(text, draws, keep=len(prefix))


def scrambled(text: str, draws: Draws, *, keep: int = 0) -> str:
    """Returns `text` with its digits and letters drawn anew, but for the first `keep` of them."""
    made: list[str] = []
    seen = 0
    for place, character in enumerate(text):
        alphanumeric = character.isalnum()
        seen += alphanumeric
        if not alphanumeric or seen <= keep:
            made.append(character)
        elif character.isdecimal():
            # A leading zero stays one, and nothing else becomes one.
            low = 0 if made else 1
            made.append("0" if character == "0" and not made else
                        str(draws.integer(str(place), low, 9)))  # fmt: skip
        else:
            letters = string.ascii_uppercase if character.isupper() else string.ascii_lowercase
            made.append(draws.choice(str(place), letters))
    return "".join(made)


def digits(text: str, draws: Draws) -> str:
    """Returns `text` with other numbers of as many digits; none begins with 0."""

    def drawn(match: re.Match[str]) -> str:
        low = 10 ** (len(match[0]) - 1)
        number = draws.integer(f"{match.start()}", low, low * 10 - 2)
        # One further on where it would be the old one.
        return str(number + (number >= int(match[0])))

    return re.sub(r"\d+", drawn, text)


def phone(text: str, draws: Draws) -> str:
    """Returns a number that rings nobody, laid over the digits of `text`.

    It begins with a block that is kept free for films and books; see `german.phones`.
    """
    abroad = _ABROAD.match(text)
    start = abroad.end() if abroad else 0
    places = [i for i, c in enumerate(text) if c.isdecimal() and i >= start]
    national = "".join(text[i] for i in places)
    mobile = re.match(r"0?1[5-7]", national) is not None
    blocks = (
        [block.replace(" ", "") for block in DRAMA_MOBILE_BLOCKS]
        if mobile
        else [area + block for area, block in sorted(DRAMA_BLOCKS.items())]
    )
    area = len(re.split(r"\D+", text[start:].strip("( "))[0])
    fitting = [block for block in blocks if any(
        block.startswith(code) and len(code) == area for code in DRAMA_BLOCKS
    )]  # fmt: skip
    block = draws.choice("block", fitting or blocks)
    new = block if national.startswith("0") else block[1:]
    if len(places) < len(new):
        new = ""  # an extension, or a number without its area code
    filled = itertools.chain(new, (str(draws.integer(f"digit {i}", 0, 9)) for i in places))
    characters = list(text)
    for place, digit in zip(places, filled, strict=False):
        characters[place] = digit
    return "".join(characters)


def address(text: str, draws: Draws) -> str:
    """Returns a mail or web address under a domain that nobody can have (RFC 2606).

    An internet address becomes one that is kept for documentation (RFC 5737).
    """
    if _IP.fullmatch(text):
        return f"192.0.2.{draws.integer('host', 1, 254)}"
    host = draws.choice("host", _HOSTS)
    local, at, _ = text.rpartition("@")
    if at:
        return f"{scrambled(local, draws)}@{host}"
    scheme = re.match(r"(?:https?://)?(?:www\.)?", text)
    return f"{scheme[0] if scheme else ''}{host}"


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isalnum()).upper()
