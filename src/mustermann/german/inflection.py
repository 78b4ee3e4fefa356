"""How names, honorifics and the word for a patient are inflected in German.

Facts only; who is meant and where the words go is the caller's business. The letter
half writes with them, the detectors read with them.

Source: Amtliches Regelwerk der deutschen Rechtschreibung, § 96 (apostrophe in the
genitive of names); DIN 5008 (honorifics and salutations in letters).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Sex = Literal["m", "f"]
Case = Literal["nom", "gen", "dat", "akk"]

CASES: tuple[Case, ...] = ("nom", "gen", "dat", "akk")
"""In the order of German grammars."""

APOSTROPHE = "'"

HONORIFICS = frozenset({"Herr", "Herrn", "Hr.", "Hrn.", "Frau", "Fr."})
"""Every written form of Herr and Frau before a name."""

PARTICLES = (
    "von", "van", "de", "del", "della", "di", "da", "dos", "du", "zu", "zur", "zum", "vom", "ten",
    "ter", "von der", "von dem", "von den", "von und zu", "van der", "van den", "van de", "de la",
    "ben", "bin", "abu", "ibn", "al-", "el-",
)  # fmt: skip
"""Words that belong to a family name and stand before it; those in "-" join it without a blank."""

_ARTICLES = (
    "des", "der", "dieses", "dieser", "jenes", "jener", "eines", "einer", "unseres", "unserer",
    "ihres", "ihrer", "seines", "seiner", "Ihres", "Ihrer",
)  # fmt: skip
_PERSONS = (
    "Patienten", "Patientin", "Tochter", "Sohnes", "Mutter", "Vaters", "Schwester", "Bruders",
    "Ehefrau", "Ehemannes", "Ehemanns", "Enkels", "Enkelin", "Lebensgefährten", "Lebensgefährtin",
    "Kollegen", "Kollegin", "Arztes", "Ärztin", "Oberarztes", "Oberärztin", "Chefarztes",
    "Chefärztin", "Stationsarztes", "Stationsärztin", "Hausarztes", "Hausärztin", "Betreuers",
    "Betreuerin", "Pflegers", "Therapeuten", "Therapeutin",
)  # fmt: skip
_BARE_GENITIVE = re.compile(
    rf"\b(?:{'|'.join(_ARTICLES)})(?:\s(?:\w+en|(?:\w+\.)+))*(?:\s(?:{'|'.join(_PERSONS)}),?)?\s\Z"
)


_HERR = {"nom": "Herr", "gen": "Herrn", "dat": "Herrn", "akk": "Herrn"}
_HERR_SHORT = {"nom": "Hr.", "gen": "Hrn.", "dat": "Hrn.", "akk": "Hrn."}
_PATIENT = {"nom": "Patient", "gen": "Patienten", "dat": "Patienten", "akk": "Patienten"}
_ARTICLE: dict[Sex, dict[Case, str]] = {
    "m": {"nom": "der", "gen": "des", "dat": "dem", "akk": "den"},
    "f": {"nom": "die", "gen": "der", "dat": "der", "akk": "die"},
}


def honorific(sex: Sex, case: Case = "nom", *, short: bool = False) -> str:
    """Returns Herr, Herrn or Frau; with `short` Hr., Hrn. or Fr."""
    if sex == "f":
        return "Fr." if short else "Frau"
    return (_HERR_SHORT if short else _HERR)[case]


def patient_noun(sex: Sex, case: Case = "nom") -> str:
    """Returns Patient, Patienten or Patientin."""
    return "Patientin" if sex == "f" else _PATIENT[case]


def article(sex: Sex, case: Case = "nom") -> str:
    """Returns the definite article of a person: der, des, dem, den, die."""
    return _ARTICLE[sex][case]


def genitive_suffix(name: str) -> str:
    """Returns what the genitive adds to the last part of a name: "s" or an apostrophe.

    Names that end in an s sound (s, ss, ß, tz, z, x, ce) take the apostrophe: Voß', Marx',
    Laurence'. A letter counts as its base letter: Demirtaş', Matoš'.
    """
    folded = name.lower()
    last = unicodedata.normalize("NFD", folded[-1:])[:1]
    if last in {"s", "ß", "z", "x"} or folded.endswith("ce"):
        return APOSTROPHE
    return "s"


def takes_bare_genitive(before: str) -> bool:
    """Returns whether a name in the genitive stays uninflected after these words.

    It does after an article, alone or with adjectives and a word for the person: "des Herrn
    Weber", "des genannten Patienten Weber"; but "der Befund Herrn Webers".
    """
    return _BARE_GENITIVE.search(before) is not None


def without_genitive(name: str) -> tuple[str, ...]:
    """Returns the names that `name` may be the genitive of, itself first.

    >>> without_genitive("Webers")
    ('Webers', 'Weber')
    """
    if name.endswith(("'", "\u2019")):
        return (name, name[:-1])
    if name.endswith(("s", "S")) and len(name) > 2 and genitive_suffix(name[:-1]) == "s":
        return (name, name[:-1])
    return (name,)
