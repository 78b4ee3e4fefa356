"""Names of people: forms, cases, titles, particles, salutations and slips of the pen.

Inside the span: titles, given names, particle, family name, genitive -s. Outside it, as
components: Herr, Frau, "Sehr geehrter". Source: DIN 5008 (order of titles, salutations).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from mustermann.core.errors import DataError
from mustermann.core.seeds import Draws
from mustermann.documents.spans import Piece
from mustermann.german.inflection import Case, genitive_suffix, honorific
from mustermann.letters.attributes.record import Person
from mustermann.letters.grammar import UNINFLECTED
from mustermann.letters.house import HouseStyle
from mustermann.letters.pieces import Surface
from mustermann.letters.segments import Placeholder

_BLANK = Piece(" ")
_OUTER_BLANK = Piece(" ", inside=False)
_ADDRESS_TITLES = frozenset(
    {"Prof.", "Univ.-Prof.", "apl. Prof.", "PD", "Priv.-Doz.", "DDr.", "Mag.", "Prim."}
)
"""Titles that stay beside a bare family name; a doctor's shrinks to "Dr."."""
_TWO_LETTER_INITIALS = ("Th", "Ch")
"""A German initial keeps these together: "A. Th. de Visser"."""

_JOINS = "-'\u2019"
"""A particle that ends so takes no blank after it."""

_TITLE = {"title_last", "full_titles"}
_HONOURED = {"hon_last", "hon_first_last", "hon_abbrev", "hon_initial"}


def person_surface(
    person: Person,
    placeholder: Placeholder,
    *,
    label: str,
    style: HouseStyle,
    after_article: bool = False,
) -> Surface:
    """Returns a person's name in a form and case.

    Args:
      person: Whose name it is.
      placeholder: Asks for form, case and variant.
      label: Of the span.
      style: Of the house.
      after_article: Whether "des", "der" or the like stands right before: then a genitive
        leaves the name as it is ("des Herrn Weber", "Herrn Webers").

    Raises:
      DataError: The form needs a birth name or pet form that the person lacks.
    """
    form = placeholder.form or default_form(label)
    case: Case = placeholder.case or "nom"  # type: ignore[assignment]
    spoilt = form if form in {"typo", "upper"} else placeholder.variant
    form = "first_last" if form in {"typo", "upper"} else form
    details = {"listed": "yes" if person.listed else "no"}
    if form == "salutation":
        pieces = _salutation(person, placeholder.variant or "name", style)
    else:
        pieces = _named(person, form, case, style)
    if spoilt == "typo":
        pieces = _mistyped(pieces, style.draws, details)
    if case == "gen" and not after_article and form not in UNINFLECTED:
        pieces += (Piece(genitive_suffix(pieces[-1].text), "suffix"),)
    if spoilt == "upper":
        pieces = tuple(_upper(piece) for piece in pieces)
    record = " ".join(
        filter(None, (placeholder.form or form, placeholder.case, placeholder.variant))
    )
    if not any(piece.inside for piece in pieces):
        return Surface(pieces=pieces, form=record)
    opens = next(piece for piece in pieces).kind == "particle"
    return Surface(pieces=pieces, label=label, details=details, form=record, opens=opens)


def default_form(label: str) -> str:
    """Returns the form of a placeholder that asks for none."""
    return "title_last" if label == "STAFF_NAME" else "first_last"


def short_titles(titles: Iterable[str]) -> tuple[str, ...]:
    """Returns the titles that stand before a bare family name: "Prof.", "PD Dr.", "Dr."."""
    kept: list[str] = []
    for title in titles:
        short = "Dr." if title.startswith(("Dr.", "MUDr.")) else title
        if (short == "Dr." or short in _ADDRESS_TITLES) and short not in kept:
            kept.append(short)
    return tuple(kept)


def _named(person: Person, form: str, case: Case, style: HouseStyle) -> tuple[Piece, ...]:
    """Returns the pieces of every form but the salutation, without genitive suffix."""
    if form in _HONOURED:
        word = honorific(person.sex, case, short=form == "hon_abbrev")
        head = (Piece(word, "honorific", inside=False), _OUTER_BLANK)
        if form == "hon_initial":
            return (*head, *_family_initial(person))
        if form == "hon_first_last":
            return (*head, *_titles(person.titles, style), *_given(person), *_family(person))
        return (*head, *_titles(short_titles(person.titles), style), *_family(person))
    if form in _TITLE:
        # A bare family name reads rude in running text; a doctor's title saves it.
        bare = person.titles and form == "title_last"
        short = bare and style.short_titles and short_titles(person.titles)
        given = () if bare else _given(person)
        return (*_titles(short or person.titles, style), *given, *_family(person))
    if form == "last_only":
        return _family(person)
    if form == "first_only":
        return (Piece(person.given[0], "given"),)
    if form == "last_comma_first":
        return (*_family(person), Piece(", "), *_given(person)[:-1])
    if form == "initial_last":
        return (*_initials(person.given), *_family(person))
    if form == "initials":
        return (*_initials(person.given), *_family_initial(person))
    if form == "maiden":
        return (Piece(_known(person.birth_name, "birth name", form), "family"),)
    if form == "diminutive":
        return (Piece(_known(person.diminutive, "pet form", form), "given"),)
    return (*_given(person), *_family(person))


def _salutation(person: Person, variant: str, style: HouseStyle) -> tuple[Piece, ...]:
    """Returns "Sehr geehrter Herr Dr. Weber" and its kin; the comma is the author's."""
    he = person.sex == "m"
    geehrt = "Sehr geehrter" if he else "Sehr geehrte"
    kollege = "Herr Kollege" if he else "Frau Kollegin"
    fixed = {
        "damen_herren": "Sehr geehrte Damen und Herren",
        "kollegin_kollege": "Sehr geehrte Frau Kollegin, sehr geehrter Herr Kollege",
        "kollegen": "Sehr geehrte Kolleginnen und Kollegen",
        "kollege": f"{geehrt} {kollege}",
        "werte": f"{'Werter' if he else 'Werte'} {kollege}",
    }
    if variant in fixed:
        return (Piece(fixed[variant], inside=False),)
    titles = short_titles(person.titles)
    if any("Prof." in title for title in titles):
        titles = ("Professor",) if style.professor else ("Prof.",)
    colleague = kollege.split()[1] if variant == "kollege_name" else ""
    return (
        Piece(geehrt, "salutation", inside=False), _OUTER_BLANK,
        Piece(honorific(person.sex), "honorific", inside=False), _OUTER_BLANK,
        *((Piece(colleague, "salutation", inside=False), _OUTER_BLANK) if colleague else ()),
        *_titles(titles, style), *_family(person),
    )  # fmt: skip


def _given(person: Person) -> tuple[Piece, ...]:
    return tuple(piece for name in person.given for piece in (Piece(name, "given"), _BLANK))


def _family(person: Person) -> tuple[Piece, ...]:
    if not person.particle:
        return (Piece(person.family, "family"),)
    joined = person.particle[-1] in _JOINS
    particle = Piece(person.particle, "particle")
    blank = () if joined else (_BLANK,)
    return (particle, *blank, Piece(person.family, "family"))


def _titles(titles: tuple[str, ...], style: HouseStyle) -> tuple[Piece, ...]:
    """Returns the titles as one component and the blank after them."""
    if not titles:
        return ()
    text = " ".join(titles)
    if not style.noisy_titles:
        return (Piece(text, "title"), _BLANK)
    slip = style.draws.choice(f"title {text}", ("closed", "dotted", "no blank"))
    if slip == "dotted" and "PD " in text:
        return (Piece(text.replace("PD ", "PD. "), "title"), _BLANK)
    if slip == "no blank" and text.endswith("."):
        return (Piece(text, "title"),)
    return (Piece(text.replace(". ", "."), "title"), _BLANK)


def _initials(given: Iterable[str]) -> tuple[Piece, ...]:
    return tuple(
        piece
        for name in given
        for piece in (Piece("-".join(map(_initial, name.split("-"))), "initial"), _BLANK)
    )


def _family_initial(person: Person) -> tuple[Piece, ...]:
    """Returns "B.", "v. B." or "al-H."."""
    initial = Piece(person.family[:1] + ".", "initial")
    if not person.particle:
        return (initial,)
    if person.particle[-1] in _JOINS:
        return (Piece(person.particle, "particle"), initial)
    words = " ".join(f"{word[0]}." for word in person.particle.split())
    return (Piece(words, "particle"), _BLANK, initial)


def _initial(name: str) -> str:
    two = len(name) > 3 and name.startswith(_TWO_LETTER_INITIALS)
    return name[: 2 if two else 1] + "."


def _known(value: str, what: str, form: str) -> str:
    if not value:
        raise DataError(f"Expected a {what} for form={form}, this person has none; "
                        f"write the placeholder only where there is one.")  # fmt: skip
    return value


def _upper(piece: Piece) -> Piece:
    if not piece.inside or piece.kind == "title":
        return piece
    return Piece(unicodedata.normalize("NFC", piece.text.upper()), piece.kind)


def _mistyped(
    pieces: tuple[Piece, ...], draws: Draws, details: dict[str, str]
) -> tuple[Piece, ...]:
    """Returns the pieces with one slip in the family name, or in the given name without one."""
    kinds = [piece.kind for piece in pieces]
    kind = "family" if "family" in kinds else "given"
    if kind not in kinds:
        return pieces
    at = kinds.index(kind)
    name = pieces[at].text
    details["typo"] = name
    return (*pieces[:at], Piece(mistype(name, draws), kind), *pieces[at + 1 :])


def mistype(name: str, draws: Draws) -> str:
    """Returns a name with one slip: two letters swapped, one lost, or one doubled."""
    inner = [i for i in range(1, len(name) - 1) if name[i].isalpha() and name[i + 1].isalpha()]
    if inner:
        at = draws.choice(f"typo place {name}", inner)
        slip = draws.choice(f"typo {name}", ("swap", "lose", "double"))
        if slip == "swap" and name[at] != name[at + 1]:
            return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
        if slip == "lose" and len(name) > 4:
            return name[:at] + name[at + 1 :]
        return name[: at + 1] + name[at] + name[at + 1 :]
    return name + name[-1].lower()
