"""Adversarial modes that change the skeleton before it is rendered.

Some spoil how names are asked for, some insert a paragraph that tempts a detector: law
citations, numbers beside numbers, tables, quotes of earlier letters. Each is a function
of the segments, the attributes and named draws, and says how often it acted. Modes of the
attributes (a patient called Parkinson) are the sampler's, modes of the text are `filters`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mustermann.core.seeds import Draws
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.placeholder import parse
from mustermann.letters.segments import Mention, Placeholder, Segment, Skeleton
from mustermann.letters.slots import SLOTS

Segments: TypeAlias = tuple[Segment, ...]

_SPOILABLE = frozenset(
    {"", "first_last", "last_only", "hon_last", "hon_first_last", "hon_abbrev", "title_last",
     "full_titles", "last_comma_first", "initial_last"}
)  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Spoilt:
    """A skeleton after its modes.

    Attributes:
      skeleton: To be rendered.
      counts: How often each mode acted; 0 where the letter gave no occasion.
    """

    skeleton: Skeleton
    counts: Mapping[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class _Change:
    segments: Segments
    count: int


Mode: TypeAlias = Callable[[Segments, Attributes, Draws], _Change]


def apply_modes(skeleton: Skeleton, attributes: Attributes, draws: Draws) -> Spoilt:
    """Returns the skeleton after each mode of `MODES` that the letter's parameters name."""
    segments = skeleton.segments
    counts: dict[str, int] = {}
    for name, mode in MODES.items():
        if name in attributes.parameters.modes:
            change = mode(segments, attributes, draws)
            segments, counts[name] = change.segments, change.count
    return Spoilt(Skeleton(segments, skeleton.case), counts)


def _typo_names(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Mistypes every third name."""
    return _each_name(
        segments,
        lambda index, name: (
            dataclasses.replace(name, variant="typo")
            if draws.bernoulli(f"typo {index}", 1 / 3) and name.form in _SPOILABLE
            else name
        ),
    )


def _initials_only(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Leaves of the patient's name nothing but initials."""

    def shorten(index: int, name: Placeholder) -> Placeholder:
        if name.slot != "patient" or name.form not in _SPOILABLE | {"first_only", "upper"}:
            return name
        form = "hon_initial" if name.form.startswith("hon_") else "initials"
        return dataclasses.replace(name, form=form, variant="")

    return _each_name(segments, shorten)


def _each_name(segments: Segments, change: Callable[[int, Placeholder], Placeholder]) -> _Change:
    changed = tuple(
        change(index, segment)
        if isinstance(segment, Placeholder) and SLOTS[segment.slot].kind == "person"
        else segment
        for index, segment in enumerate(segments)
    )
    return _Change(changed, sum(old is not new for old, new in zip(segments, changed, strict=True)))


_MAILS = (
    "Kontakt für Rückfragen zur Terminplanung: [[email]]",
    "Terminabsprachen bitte per E-Mail an [[email]].",
    "Die Befundkopie geht auf Wunsch an [[email]].",
)
_DONORS = (
    "Versehentlich zugeordnet war ein Bogen der Spenderzentrale ([[spender form=last_comma_first]],"
    " geb. [[ereignis:spender_geburt variant=dmy]], Spendernummer [[spendernr]]); er betrifft nicht"
    " diese Behandlung und wurde entfernt.",
    "Ein fälschlich eingescannter Befund ([[spender form=hon_first_last]], * "
    "[[ereignis:spender_geburt variant=dmy]], Spender-Nr. [[spendernr]]) gehört nicht zu diesem "
    "Fall.",
)


def _email_lower(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Sees to it that the letter shows the patient's address; `filters` lowers it."""
    return _show("email", _MAILS, segments, attributes, draws)


def _second_identity(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Sees to it that the letter shows somebody with a birth date who is not the patient."""
    needs = ("ereignis:spender_geburt" in attributes.dates, "spendernr" in attributes.values)
    if not all(needs):
        return _Change(segments, 0)
    return _show("spender", _DONORS, segments, attributes, draws)


def _show(
    slot: str, sentences: Sequence[str], segments: Segments, attributes: Attributes, draws: Draws
) -> _Change:
    """Inserts a sentence with a slot unless the letter shows it already."""
    shown = sum(isinstance(segment, Placeholder) and segment.slot == slot for segment in segments)
    if shown:
        return _Change(segments, shown)
    if slot not in attributes.values and slot not in attributes.people:
        return _Change(segments, 0)
    return _insert(segments, draws.choice(slot, sentences), draws, f"{slot} place", late=True)


def _zwsp(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Puts a zero-width space before each ZIP; the filter of that name does the rest."""
    changed: list[Segment] = []
    for segment in segments:
        if isinstance(segment, Placeholder) and SLOTS[segment.slot].label == "ZIP":
            changed.append("\u200b")
        changed.append(segment)
    return _Change(tuple(changed), len(changed) - len(segments))


_LAWS = (
    "Die Krankenhausbehandlung erfolgte nach [[nonpii_id:§ 39 SGB V]].",
    "Ein Entlassplan nach [[nonpii_id:§ 39 Abs. 1a SGB V]] wurde erstellt.",
    "Über die Datenübermittlung nach [[nonpii_id:§ 301 SGB V]] wurde aufgeklärt.",
    "Die Verordnung von Krankentransporten richtet sich nach [[nonpii_id:§ 60 SGB V]].",
    "Die Aufklärung gemäß [[nonpii_id:§ 630e BGB]] ist dokumentiert.",
    "Die Schweigepflicht ([[nonpii_id:§ 203 StGB]]) gilt auch gegenüber Angehörigen.",
    "Leistungen nach [[nonpii_id:§ 37 Abs. 1 SGB V]] wurden besprochen.",
    "Die Dokumentation folgt [[nonpii_id:§ 630f BGB]].",
)
_DOCUMENTS = (
    "Formularversion [[nonpii_id:QM-FO-{d:02}.{m:02}.{y}]].",
    "Vorlage [[nonpii_id:VL {y}-{m:02}-{d:02}/{n}]], Stand laut Qualitätshandbuch.",
    "Dokumentenkennung des Vordrucks: [[nonpii_id:{y}{m:02}{d:02}-{n}]].",
)
_VERSIONS = (
    "Die Auswertung erfolgte mit der Gerätesoftware [[nonpii_id:{d}.{m}.{s:02}]].",
    "Auswertesoftware: Version [[nonpii_id:{d:02}.{m:02}.{y}]].",
    "Chargenbezeichnung der verwendeten Teststreifen: [[nonpii_id:{d:02}/{m:02}/{s:02}]].",
)
_PRESCRIPTIONS = (
    "Das Entlassrezept (PZN [[nonpii_id:pzn]]) ist der Fallnummer [[fallnr]] zugeordnet.",
    "Fallnr. [[fallnr]], PZN [[nonpii_id:pzn]]: mitgegeben.",
    "Rezept zu Fall [[fallnr]], PZN [[nonpii_id:pzn]], N1.",
)
_QUOTES = (
    "Aus unserem Vorbrief: „Wir berichteten über [[patient form=hon_first_last case=akk]], geb. "
    "[[geburtsdatum variant=dmy]], zuletzt bei uns vorgestellt am [[{event} variant=dmy]].“",
    "Auszug aus einem früheren Befund:\n> Patient: [[patient form=last_comma_first]]\n> geb.: "
    "[[geburtsdatum variant=dmy]]\n> Datum: [[{event} variant=dmy2]]\n> Befund wie besprochen.",
    "Im Vorbefund heißt es: „[[patient form=last_comma_first]], * [[geburtsdatum variant=dmy2]]; "
    "zuletzt am [[{event} variant=d_m_y]] hier vorgestellt.“",
)


_STRENGTH_TESTED = frozenset({"Neurologie", "Neurochirurgie", "Geriatrie", "Orthopädie"})
_WEAK = ("G", "I6", "M", "S", "R53")
"""Specialties where the examination has grades of its own, and ICD-10 codes of what may
weaken the hands."""


def _law_citations(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Cites laws, grades of strength and weeks of pregnancy."""
    laws = draws.sample("law", _LAWS, 2)
    cited = _insert(segments, " ".join(laws), draws, "law place", count=len(laws), late=True)
    grades: list[str] = []
    weak = any(known.icd.startswith(_WEAK) for known in attributes.course.diagnoses)
    if attributes.age >= 6 and attributes.course.specialty not in _STRENGTH_TESTED and not weak:
        grades.append("Kraft der Hände beidseits [[nonpii_id:5/5]].")
    children = attributes.course.facts.get("kinder", "")
    obstetric = attributes.course.specialty == "Gynäkologie und Geburtshilfe"
    mother = attributes.patient.sex == "f" and 25 <= attributes.age < 55 and "kein" not in children
    if mother and not obstetric:
        week, day = draws.integer("week", 37, 40), draws.integer("day", 1, 6)
        grades.append(
            f"Gynäkologische Anamnese: letzte Entbindung in der [[nonpii_id:{week} {day}/7 SSW]]."
        )
    if not grades:
        return cited
    text = " ".join(grades)
    graded = _insert(cited.segments, text, draws, "grade place", count=len(grades))
    return _Change(graded.segments, cited.count + graded.count)


def _date_like_ids(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Writes identifiers of documents that hold a date."""
    text = _numbered(_DOCUMENTS, draws, "document")
    return _insert(segments, text, draws, "document place", late=True)


def _id_like_dates(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Writes versions and batches that look like dates."""
    return _insert(segments, _numbered(_VERSIONS, draws, "version"), draws, "version place")


def _pzn_beside_case_id(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Writes a drug's number next to the case's."""
    if not {"fallnr", "nonpii_id:pzn"} <= attributes.values.keys():
        return _Change(segments, 0)
    sentence = draws.choice("prescription", _PRESCRIPTIONS)
    return _insert(segments, sentence, draws, "prescription place", late=True)


def _table_blocks(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Writes the person and the laboratory as a table."""
    tab = draws.choice("table", (" | ", "\t"))
    rows = [
        ("Name", "[[patient form=last_comma_first]]"),
        ("geb.", "[[geburtsdatum variant=dmy]]"),
        ("Aufnahme", "[[aufnahme variant=dmy2]]"),
    ]
    for lab in attributes.course.labs.values():
        if {"aufnahme", "entlassung"} <= lab.values.keys() and len(rows) < 8:
            cells = (
                f"[[lab:{lab.key} form=value variant={t}]]" for t in ("aufnahme", "entlassung")
            )
            rows.append((lab.written, tab.join(cells)))
    table = "\n".join(f"{name}{tab}{cell}" for name, cell in rows)
    return _insert(segments, table, draws, "table place", count=len(rows))


def _quoted_letters(segments: Segments, attributes: Attributes, draws: Draws) -> _Change:
    """Quotes an earlier letter with a date of its own, where something happened before."""
    admitted = attributes.dates.get("aufnahme")
    past = sorted(
        name
        for name, day in attributes.dates.items()
        if admitted and day < admitted and name.startswith("ereignis:") and "spender" not in name
    )
    if not past:
        return _Change(segments, 0)
    quote = draws.choice("quote", _QUOTES).format(event=draws.choice("quoted event", past))
    return _insert(segments, quote, draws, "quote place")


def _insert(
    segments: Segments, text: str, draws: Draws, name: str, *, count: int = 1, late: bool = False
) -> _Change:
    """Puts a paragraph between two others, behind the salutation and before the greeting.

    Args:
      segments: Of the letter.
      text: Of the paragraph, as a skeleton writes it.
      draws: Choose the place.
      name: Of the draw.
      count: How often the mode acts with it.
      late: Whether it belongs to the end of a letter, where matters of the house stand.
    """
    places = _places(segments)[-_LATE if late else 0 :]
    if not places:
        return _Change(segments, 0)
    place = draws.choice(name, places)
    running, at = place.text, place.offset
    added = parse(f"{running[:at]}{place.gap}{text}{running[at:]}")
    return _Change((*segments[: place.index], *added, *segments[place.index + 1 :]), count)


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """The end of a paragraph: in which segment, where in its text, and what separates."""

    index: int
    text: str
    offset: int
    gap: str


def _places(segments: Sequence[Segment]) -> list[_Place]:
    """Returns where a paragraph ends; line ends count only where blank lines are rare."""
    begin = max(
        (
            i
            for i, s in enumerate(segments)
            if isinstance(s, Placeholder) and s.form == "salutation"
        ),
        default=0,
    )
    places: list[_Place] = []
    inside = False
    for index in range(begin, len(segments)):
        segment = segments[index]
        if isinstance(segment, Mention):
            inside = segment.open
        elif isinstance(segment, str) and "\n" in segment and not inside:
            greeting = _GREETING.search(segment)
            until = greeting.start() if greeting else len(segment)
            places += [
                _Place(index, segment, found.start(), found[0])
                for found in _PARAGRAPH_END.finditer(segment, 0, until)
            ]
            if greeting:
                break
    apart = [place for place in places if place.gap == "\n\n"]
    return apart if len(apart) >= _ENOUGH else places


_GREETING = re.compile(r"\n+Mit [\w ,]*Gr[uü]ß")
_PARAGRAPH_END = re.compile(r"(?<![:,])\n\n(?=.)|(?<=[a-zäöüß)]\.)\n(?=[A-ZÄÖÜ])", re.DOTALL)
_ENOUGH = 4
_LATE = 3


def _numbered(templates: Sequence[str], draws: Draws, name: str) -> str:
    """Returns one of the templates with numbers that could be a date."""
    return draws.choice(name, templates).format(
        d=draws.integer(f"{name} d", 1, 28),
        m=draws.integer(f"{name} m", 1, 12),
        y=draws.integer(f"{name} y", 2012, 2024),
        s=draws.integer(f"{name} s", 1, 24),
        n=draws.integer(f"{name} n", 1000, 9999),
    )


MODES: Mapping[str, Mode] = {
    "initials_only": _initials_only,
    "email_lower": _email_lower,
    "second_identity": _second_identity,
    "law_citations": _law_citations,
    "date_like_ids": _date_like_ids,
    "id_like_dates": _id_like_dates,
    "pzn_beside_case_id": _pzn_beside_case_id,
    "table_blocks": _table_blocks,
    "quoted_letters": _quoted_letters,
    "typo_names": _typo_names,
    "zwsp": _zwsp,
}
"""By name, in the order in which they are applied: names last, so that they see what came in."""
