"""Skeletons that a model wrote, kept to be read, weeded and used again for other people.

An entry holds the skeleton, the clinical course that it tells, and the days of its events,
counted from admission: all that a letter needs besides a person, an address and a calendar.
No name, date or number of the letter that it was taken from is in it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mustermann.core.errors import DataError, MustermannError
from mustermann.core.files import new_file
from mustermann.core.seeds import Seeds
from mustermann.documents.document import Document
from mustermann.letters.attributes.clinical import CaseProfile, CourseRequest, SampledCourse
from mustermann.letters.attributes.record import Attributes, Course, Parameters, Sex
from mustermann.letters.config import LettersConfig
from mustermann.letters.letter import Workshop, make_letter
from mustermann.letters.placeholder import scan
from mustermann.letters.record_json import plain
from mustermann.letters.segments import Skeleton
from mustermann.letters.skeleton import from_text, literals

_ADMISSION = "aufnahme"
_EVENT = "ereignis:"
_SCORE = re.compile(r"\d{1,2}/\d{1,2}(?!\d)")
"""A score such as "VAS 1/10" looks like month and year; a date with its year in full does not."""
_TRIALS = 2
"""Letters that an entry is tried with."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A skeleton with the course that it tells.

    Attributes:
      id: 16 hex digits of the text.
      text: With placeholders.
      model: That wrote it.
      parameters: How it was asked to be written.
      sex: Of the patient.
      age: Whole years at admission.
      nights: Length of the stay.
      course: The clinical course.
      events: Days from admission, by event.
    """

    id: str
    text: str
    model: str
    parameters: Parameters
    sex: Sex
    age: int
    nights: int
    course: Course
    events: Mapping[str, int]

    def to_record(self) -> dict[str, Any]:
        """Returns the entry as JSON values."""
        record: dict[str, Any] = plain(self)
        return record


_ENTRY = TypeAdapter(Entry)


def entry_of(document: Document, *, model: str) -> Entry:
    """Returns the entry of a letter that a model wrote.

    Raises:
      DataError: The letter carries no skeleton, or not the attributes that it needs.
    """
    text, attributes = document.meta.get("skeleton"), document.meta.get("attributes")
    if not isinstance(text, str) or not isinstance(attributes, Mapping):
        raise DataError(
            f"Expected letters that --writer llm wrote, found none in document {document.id!r}."
        )
    days = {slot: date.fromisoformat(day) for slot, day in attributes["dates"].items()}
    admitted = days[_ADMISSION]
    record = {
        "id": hashlib.blake2b(text.encode(), digest_size=8).hexdigest(), "text": text,
        "model": model, "parameters": attributes["parameters"], "age": attributes["age"],
        "sex": attributes["patient"]["sex"], "course": attributes["course"],
        "nights": (days["entlassung"] - admitted).days,
        "events": {slot.removeprefix(_EVENT): (day - admitted).days
                   for slot, day in days.items() if slot.startswith(_EVENT)},
    }  # fmt: skip
    return _entry(record, where=f"document {document.id!r}")


def read_bank(path: Path) -> tuple[Entry, ...]:
    """Returns the entries of a bank.

    Raises:
      DataError: It is missing, or a line is no entry; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Expected a bank of skeletons at {path}, but: {error}.") from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise DataError(f"Expected JSON, but: {error} ({path}, line {number}).") from error
        found.append(_entry(record, where=f"{path}, line {number}"))
    return tuple(found)


def write_bank(path: Path, entries: Iterable[Entry]) -> None:
    """Writes a bank, whole or not at all: one JSON line an entry."""
    with new_file(path) as partial:
        lines = (json.dumps(entry.to_record(), ensure_ascii=False) for entry in entries)
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _entry(record: Any, *, where: str) -> Entry:
    try:
        return _ENTRY.validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"Expected a skeleton's entry, but {place}: {first['msg']} ({where})."
        ) from error


def lint(entry: Entry, *, config: LettersConfig) -> Iterator[str]:
    """Yields what is wrong with an entry: its grammar, its literals, letters that it can't make."""
    faults = scan(entry.text).faults
    yield from (fault.explain(entry.text, name=entry.id) for fault in faults)
    for fault in literals(entry.text):
        if not _SCORE.match(entry.text, fault.offset):
            yield fault.explain(entry.text, name=entry.id)
    if faults:
        return
    for number in range(_TRIALS):
        try:
            letter_from(entry, number, seed=0, config=config)
        except MustermannError as error:
            yield f"{entry.id}: {error}"
            return


def letter_from(entry: Entry, number: int, *, seed: int, config: LettersConfig) -> Document:
    """Returns letter `number` with an entry's text and course, about somebody else.

    Raises:
      NoLetterError: No draft was free of faults.
    """
    reused = _Reused(entry)
    config = _fixed(config, entry.parameters)
    workshop = Workshop(seed=seed, config=config, cases=reused, writer=reused, drafts=_DRAFTS)
    return make_letter(workshop, number)


_DRAFTS = 8
"""People that an entry is tried with before it is held for unfit."""


class _Reused:
    """One entry as a course sampler and as a writer."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        course = entry.course
        self.profiles: Sequence[CaseProfile] = (
            CaseProfile(
                id=course.case, specialty=course.specialty, sexes={entry.sex: 1.0},
                ages=(entry.age, entry.age), stays={course.stay: (entry.nights, entry.nights)},
            ),
        )  # fmt: skip

    def sample(self, seeds: Seeds, request: CourseRequest) -> SampledCourse:
        """Returns the entry's course, its events as far from this admission as from the first."""
        del seeds
        days = self._entry.events.items()
        events = {name: request.admission + timedelta(days=offset) for name, offset in days}
        return SampledCourse(course=self._entry.course, events=events)

    def write(self, attributes: Attributes, *, seeds: Seeds) -> Skeleton:
        """Returns the entry's skeleton."""
        del attributes, seeds
        return from_text(self._entry.text, case=self._entry.course.case)


def _fixed(config: LettersConfig, parameters: Parameters) -> LettersConfig:
    """Returns settings that can only give a letter with these parameters."""
    level = parameters.difficulty
    lengths = dataclasses.replace(
        config.lengths, **{level: _only(config.lengths.at(level), parameters.length)}
    )
    structured = float(parameters.structure == "structured")
    return dataclasses.replace(
        config,
        difficulty=_only(config.difficulty, level),
        style=_only(config.style, parameters.style),
        lengths=lengths,
        structured=dataclasses.replace(config.structured, **{level: structured}),
    )


def _only(mix: Any, name: str) -> Any:
    """Returns a mix that gives one name only."""
    return type(mix)(**{field.name: float(field.name == name) for field in dataclasses.fields(mix)})
