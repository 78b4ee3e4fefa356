"""What a language model is told when it writes a part of a letter: facts and placeholders.

The prompt holds sentences of the case with their placeholders, the way the letter is to be
written, and the rules. Names, dates, numbers of the patient, the age: none of them is here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from mustermann.letters.attributes.record import Attributes
from mustermann.letters.llm_material import Chunk
from mustermann.llm.request import Message

VERSION = "1"
"""Raised with every change of wording here; part of the manifest."""

_SYSTEM = """\
Du bist Arzt in einem deutschen Krankenhaus und formulierst Teile von Arztbriefen. Alle Patienten \
sind erfunden. Du bekommst die Sätze eines Abschnitts und sagst dasselbe mit eigenen Worten.

Regeln:
1. Stellen in [[doppelten eckigen Klammern]] sind Platzhalter für Namen, Daten, Nummern und Werte. \
Übernimm jeden mindestens einmal, Zeichen für Zeichen. Erfinde keine neuen.
2. Schreibe außerhalb der Platzhalter nie einen Namen, ein Datum, eine Jahreszahl, ein Alter, \
eine Telefonnummer oder Adresse.
3. Eine Stelle <<diagnosis:x>>Wort<</diagnosis>> kennzeichnet eine klinische Angabe: übernimm \
beide Marken und setze dazwischen ein passendes Wort, oder schreibe [[diagnosis:x form=short]].
4. Ändere keine Tatsache: keine Zahl, keine Seite, kein Medikament, keine Verneinung. Füge nichts \
hinzu und lass nichts Wesentliches weg.
5. Den Patienten darfst du [[patient form=hon_last]] nennen (im Genitiv, Dativ, Akkusativ mit \
case=gen, case=dat, case=akk) oder „{patient}“.
6. Schreibe Deutsch, jeder Satz mindestens 15 Zeichen lang, in ganzer Länge etwa wie die Vorlage.
7. Antworte mit JSON: {{"sentences": ["…", "…"]}}"""

_STYLES = {
    "standard": "üblicher klinischer Stil", "akademisch": "ausführlich, in ganzen Sätzen",
    "knapp": "knapp, mit geläufigen Abkürzungen und Satzbruchstücken",
}  # fmt: skip
_STRUCTURES = {"structured": "gegliedert, Befunde stichwortartig", "narrative": "fließender Text"}
_DIFFICULTIES = {
    "easy": "eindeutige, geläufige Wörter", "medium": "wechselnde Wortwahl",
    "hard": "viele Abkürzungen und verschachtelte Sätze",
    "adversarial": "viele Abkürzungen, verschachtelte Sätze und ungewöhnliche Wortstellung",
}  # fmt: skip
_SECTIONS = {
    "einleitung": "Einleitungssatz nach der Anrede (beginnt klein)", "anamnese": "Anamnese",
    "status": "Körperlicher Untersuchungsbefund", "verlauf": "Therapie und Verlauf",
    "procedere": "Procedere: wer tut was bis wann", "labor": "Labor",
}  # fmt: skip
_SHOWN_FAULTS = 8


@dataclasses.dataclass(frozen=True, slots=True)
class Sentences:
    """What the model answers with."""

    sentences: list[str]


def opening(chunk: Chunk, attributes: Attributes) -> tuple[Message, ...]:
    """Returns the messages that ask for a part of a letter."""
    parameters = attributes.parameters
    patient = "der Patient" if attributes.patient.sex == "m" else "die Patientin"
    lines = [
        f"Abschnitt: {_SECTIONS.get(chunk.section, chunk.section.replace('_', ' '))}",
        f"Fachgebiet: {attributes.course.specialty}",
        f"Stil: {_STYLES[parameters.style]}; {_STRUCTURES[parameters.structure]}; "
        f"{_DIFFICULTIES[parameters.difficulty]}",
        "",
        "Vorlage:",
        *(f"- {text}" for text in chunk.texts),
    ]  # fmt: skip
    if chunk.required:
        lines += ["", "Diese Platzhalter müssen vorkommen: " + ", ".join(chunk.shown)]
    return (
        Message("system", _SYSTEM.format(patient=patient)),
        Message("user", "\n".join(lines)),
    )


def repair(faults: Sequence[str]) -> Message:
    """Returns the message that says what was wrong with an answer."""
    shown = "\n".join(f"- {fault}" for fault in faults[:_SHOWN_FAULTS])
    more = len(faults) - _SHOWN_FAULTS
    rest = f"\n- und {more} weitere" if more > 0 else ""
    return Message(
        "user", f"Das war so nicht richtig:\n{shown}{rest}\nSchreibe den Abschnitt noch einmal."
    )
