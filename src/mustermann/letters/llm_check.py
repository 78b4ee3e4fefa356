"""What is wrong with a part of a letter that a language model wrote, in words that it can act on.

Nothing here proves that a text is right: a lost negation is not noticed. It catches what would
break labels (values outside placeholders, placeholders that are missing or invented) and the
commonest ways of leaving the facts: other numbers, other drugs, the other side or sex.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from mustermann.core.errors import DataError
from mustermann.german.drugs import by_name
from mustermann.german.numerals import cardinal
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.llm_material import Chunk, atoms
from mustermann.letters.placeholder import scan
from mustermann.letters.segments import Placeholder, Segment
from mustermann.letters.skeleton import literals
from mustermann.letters.surface import surface

SHORTEST = 15
"""Characters of a sentence, unless the material has a shorter one ("Allergien: keine.")."""
LENGTHS = (0.5, 1.7)
"""Shortest and longest answer, as a share of the material."""
_SLACK = 120
"""Characters that any part may be longer."""
_MARK = re.compile(r"\[\[[^\[\]]*\]\]|<</?[^<>]*>>")
_NUMBER = re.compile(r"(?<![A-Za-zÄÖÜäöü\d])\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SIDES = (
    re.compile(r"\b(?:[Rr]echts\w*|[Rr]echte[nrms]?|re\.)(?!\w)"),
    re.compile(r"\b(?:[Ll]inks\w*|[Ll]inke[nrms]?|li\.)(?!\w)"),
)
_SEXES = {
    "m": re.compile(r"\b(?:Patientin|Frau \[\[patient)\b"),
    "f": re.compile(r"\b(?:[DdE]er|[Dd]en|[Dd]em|[Dd]es|[Ee]in|[Ee]inen) (?:\w+ )?Patient(?:en)?\b"
                    r"|\bHerrn? \[\[patient\b"),
}  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GERMAN = _words(
    "der die das des dem den ein eine einer eines einem und oder mit ohne bei im in am an auf von "
    "vom zu zum zur nach vor seit bis für über unter aus durch wegen nicht kein keine keinen "
    "keiner sich wurde wurden wird werden war waren ist sind hat haben konnte sowie auch noch nur "
    "bereits sehr links rechts unauffällig beidseits regelrecht frei weich wir ihr sie er es als"
)
_FOREIGN = _words(
    "the of and with without for was were is are has have had this that from by at on to it he "
    "she his her their we you be been not no yes le la les et une dans pour avec el los las con "
    "para del por"
)
_ENOUGH_WORDS = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
      kind: As counted: "grammar", "unknown_placeholder", "missing_placeholder", "literal",
        "contradiction", "language", "length", "short_sentence", "unreadable".
      message: German, for the model.
    """

    kind: str
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Checked:
    """Sentences as segments, and what is wrong with them; fit to be used if that is nothing."""

    lines: tuple[tuple[Segment, ...], ...]
    findings: tuple[Finding, ...]


def check(sentences: Sequence[str], chunk: Chunk, attributes: Attributes) -> Checked:
    """Returns the sentences as segments, and everything that is wrong with them.

    Args:
      sentences: As the model wrote them.
      chunk: What it wrote them from.
      attributes: Of the letter.
    """
    parsed = [scan(" ".join(sentence.split(" "))) for sentence in sentences]
    lines = tuple(part.segments for part in parsed)
    grammar = [fault.message for part in parsed for fault in part.faults]
    text = "\n".join(sentences)
    outside = _MARK.sub(lambda mark: "\0" * len(mark[0]), text)
    findings = [
        *(Finding(_kind_of(message), message) for message in grammar),
        *_atoms(lines, chunk, attributes),
        *(Finding("literal", message) for message in _literals(text, outside, chunk)),
        *(Finding("contradiction", message) for check_ in _FACTS
          for message in check_(outside, text, chunk, attributes)),
        *_form(sentences, outside, chunk),
    ]  # fmt: skip
    return Checked(lines, tuple(dict.fromkeys(findings)))


def _kind_of(message: str) -> str:
    unknown = message.startswith(("Unknown slot", "Unknown form", "Unknown case", "Unknown variant",
                                  "Unknown atom", "Unknown key"))  # fmt: skip
    return "unknown_placeholder" if unknown else "grammar"


def _atoms(
    lines: Sequence[Sequence[Segment]], chunk: Chunk, attributes: Attributes
) -> Iterator[Finding]:
    """Yields placeholders that are missing, not on offer, or that this letter can't fill."""
    segments = [segment for line in lines for segment in line]
    found = set(atoms(segments))
    for slot, argument in sorted(chunk.required - found):
        yield Finding("missing_placeholder", f"Es fehlt {_shown(slot, argument)}.")
    for slot, argument in sorted(found - chunk.required - {("patient", "")}):
        yield Finding(
            "unknown_placeholder", f"{_shown(slot, argument)} steht nicht in der Vorlage."
        )
    for segment in segments:
        if isinstance(segment, Placeholder) and (segment.slot, segment.argument) in chunk.required:
            try:
                surface(segment, attributes)
            except DataError as error:
                yield Finding("unknown_placeholder", str(error))


def _shown(slot: str, argument: str) -> str:
    return f"[[{slot}:{argument}]]" if argument else f"[[{slot}]]"


def _literals(text: str, outside: str, chunk: Chunk) -> Iterator[str]:
    for fault in literals(text):
        literal = fault.message.rpartition(": ")[2].strip("'\".")
        if literal not in chunk.running:
            yield fault.message
    for slot, argument in sorted(chunk.required):
        if slot in {"eponym", "lookalike", "nonpii_id"} and argument in outside:
            yield f"{argument!r} muss als [[{slot}:{argument}]] geschrieben werden."


def _numbers(outside: str, text: str, chunk: Chunk, attributes: Attributes) -> Iterator[str]:
    del text, attributes
    known = {_plain(number) for number in _NUMBER.findall(chunk.running)}
    words = chunk.running.lower()
    for number in dict.fromkeys(_NUMBER.findall(outside)):
        plain = _plain(number)
        small = plain.isdigit() and int(plain) <= 12
        if plain not in known and not (small and cardinal(int(plain))[:4] in words):
            yield f"Die Zahl {number} steht nicht in der Vorlage."


def _plain(number: str) -> str:
    """Returns a number without the dots of thousands, its decimals behind a point."""
    bare = re.sub(r"\.(?=\d{3}(?:\D|$))", "", number)
    return bare.replace(",", ".")


def _drugs(outside: str, text: str, chunk: Chunk, attributes: Attributes) -> Iterator[str]:
    del text
    course = attributes.course
    own = {
        name for drug in (*course.medication, *course.medication_before)
        for name in (*re.split(r"\W+", drug.substance), *re.split(r"\W+", drug.brand))
    }  # fmt: skip
    known = own | set(_WORD.findall(chunk.running))
    for word in dict.fromkeys(_WORD.findall(outside)):
        if word in _drug_names() and word not in known:
            yield f"Das Medikament {word} steht nicht in der Vorlage."


@cache
def _drug_names() -> frozenset[str]:
    return frozenset(name for name in by_name() if _WORD.fullmatch(name) and len(name) > 4)


def _sides(outside: str, text: str, chunk: Chunk, attributes: Attributes) -> Iterator[str]:
    del text
    course = attributes.course
    titles = " ".join((*(d.title for d in course.diagnoses), *(p.title for p in course.procedures)))
    for pattern in _SIDES:
        told = pattern.search(outside)
        if told and not pattern.search(chunk.running) and not pattern.search(titles):
            yield f"„{told[0]}“ widerspricht der Vorlage, die davon nichts sagt."


def _sex(outside: str, text: str, chunk: Chunk, attributes: Attributes) -> Iterator[str]:
    del outside, chunk
    told = _SEXES[attributes.patient.sex].search(text)
    if told:
        person = "ein Mann" if attributes.patient.sex == "m" else "eine Frau"
        yield f"„{told[0]}“ ist falsch: es geht um {person}."


_FACTS: tuple[Callable[[str, str, Chunk, Attributes], Iterator[str]], ...] = (
    _numbers, _drugs, _sides, _sex,
)  # fmt: skip


def _form(sentences: Sequence[str], outside: str, chunk: Chunk) -> Iterator[Finding]:
    """Yields what is wrong with length and language."""
    size = sum(map(len, sentences)) + len(sentences) - 1
    low, high = LENGTHS[0] * chunk.size, LENGTHS[1] * chunk.size + _SLACK
    if not sentences or size < low:
        yield Finding("length", f"Zu kurz: {max(size, 0)} Zeichen, erwartet mindestens {low:.0f}.")
    elif size > high:
        yield Finding("length", f"Zu lang: {size} Zeichen, erwartet höchstens {high:.0f}.")
    shortest = min(SHORTEST, *(len(text.strip()) for text in chunk.texts))
    for sentence in sentences:
        if len(sentence.strip()) < shortest:
            yield Finding("short_sentence", f"Satz unter {shortest} Zeichen: {sentence.strip()!r}.")
    words = [word.lower() for word in _WORD.findall(outside)]
    german = sum(word in _GERMAN for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    strange = sum(not "a" <= letter <= "ſ" for word in words for letter in word)
    if (
        strange > len("".join(words)) / 5
        or foreign > max(2, german)
        or (len(words) >= _ENOUGH_WORDS and foreign > german)
    ):
        yield Finding("language", "Das ist kein Deutsch.")
