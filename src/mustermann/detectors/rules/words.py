"""Closed word classes that the rules lean on: letters, titles, functions, common nouns."""

from __future__ import annotations

import tomllib
import unicodedata
from importlib import resources

_LATIN = [chr(code) for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))]
UPPER = "A-Z" + "".join(c for c in _LATIN if unicodedata.category(c) == "Lu")
"""Upper-case Latin letters, for use inside a character class."""
LOWER = "a-z" + "".join(c for c in _LATIN if unicodedata.category(c) == "Ll")
"""Lower-case Latin letters, for use inside a character class."""

START = rf"[{UPPER}](?<![\w-][{UPPER}])"
"""The capital that begins a word. The look-behind comes second: a pattern that begins with a
character class is searched an order of magnitude faster than one that begins with a look-behind."""
CAPITALISED = rf"[{UPPER}][\w'’]*"
COMPOUND = rf"{CAPITALISED}(?:-{CAPITALISED}){{0,4}}"
"""A capitalised word, or several joined by hyphens."""

_TABLE = tomllib.loads(
    resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
)


def _words(kind: str) -> tuple[str, ...]:
    return tuple(_TABLE[kind].split())


FUNCTIONS = _words("functions")
RELATIVES = _words("relatives")
STRUCTURAL = frozenset(_words("structural"))
CLINICAL = frozenset(_words("clinical"))
NOUN_ENDINGS = _words("noun_endings")
EPONYM_HEADS = _words("eponym_heads")
TOWN_WORDS = frozenset(_words("town_words"))
COUNTRIES = frozenset(_words("countries"))
STATES = frozenset(_words("states"))
PROFESSION_ENDINGS = _words("profession_endings")
PROFESSIONS = frozenset(_words("professions"))


def any_of(words: tuple[str, ...]) -> str:
    """Returns a pattern for any of the words, longest first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_BEFORE_TITLE = (
    r"(?:(?:Universitäts|Univ\.?|Priv(?:at)?\.?|Hon\.?|Ass\.(?=[DP])|[Aa]pl\.|[Aa]o\.|[Ee]m\."
    r"|Prim\."
    r"|Dipl\.?|Med\.|MED\.)[ -]{0,2})*"
)
_TITLE_CORE = (
    r"(?:P[Rr][Oo][Ff](?:essor(?:in)?)?\b\.?|Universitätsprofessor(?:in)?\b"
    r"|D?D[Rr](?:[Ee][Ss]|s|a|in)?(?:\.(?:a\b\.?|in\b)?|[ªº]\.?)|Dr(?= med)|cand\.(?= ?med)"
    r"|P\.?D\.?(?=[ .]{1,2}(?:Dr|D\.|[A-ZÄÖÜ]))|D[Oo][Zz](?:ent(?:in)?)?\b\.?|Mag\.(?:ª|a\b)?|Ing\."
    r"|Primar(?:ius|ia)\b|Prim\.|Med(?:izinal)?-?[Rr]at\b|OMR\b|MUDr\.|DGK[SP]\b|MR(?= Dr)|Hofrat\b"
    r"|Dipl\.-?[ ]?[A-Z][a-z]+\.?(?:[ ]?\([A-Z]+\))?)"
)
_TITLE_REST = (
    r"(?:[ ]?[-.]{0,2}[ ]?(?:(?:med|MED|dent|rer|nat|phil|habil|univers|univer|univ|mult|hum|biol"
    r"|jur"
    r"|sc|vet|theol|pol|oec|mag|psych)\b\.?|h\.[ ]?c\.|\((?:univ|med|habil|[A-Z]{2,4})\.?\)))*"
)
TITLE = _BEFORE_TITLE + _TITLE_CORE + _TITLE_REST
"""One academic title with what belongs to it; several may follow one another."""
TITLE_AFTER = r"(?:PhD|Ph\.D\.|MD|MSc|M\.Sc\.|BSc|B\.Sc\.|MBA|MPH|FEBS|MHBA|M\.A\.)"
"""Titles that stand behind the name."""

PARTICLE = (
    r"(?:[Vv]on(?: (?:der|den|dem|und zu|zu))?|[Vv]an(?: (?:der|den|de|het))?"
    r"|[Dd]e(?: la| las| los)?|D[EI]|VO[MN]|VAN(?: DER)?|[Dd]ella|[Dd]el|[Dd]os|[Dd]as|[Dd]a|[Dd]i"
    r"|[Dd]u|[Zz]u[rm]?|[Vv]om|[Tt]en|[Tt]er|[Bb]en|[Bb]in|[Ii]bn|[Aa]bu|[Ll][ae]|[Ee]l|[Aa]l"
    r"|[Aa]uf der|y|e)"
)
"""Words before a family name that belong to it."""

HONORIFIC = r"(?:HERRN?|FRAU|Herrn?|Hrn?\.?|Frau|Frl\.|Fräulein|Fr\.|Familie|Fam\.|Eheleute)"
"""Forms of address before a name; they stand outside its span."""
