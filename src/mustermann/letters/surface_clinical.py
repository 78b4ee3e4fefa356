"""Diagnoses, procedures, drugs, laboratory values and vital signs as they are written.

All but vital signs and the length of stay are labelled on the clinical layer.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from mustermann.core.errors import DataError
from mustermann.documents.spans import Piece
from mustermann.german.numerals import decimal
from mustermann.letters.attributes.record import Attributes, Diagnosis, Lab, Medication, Procedure
from mustermann.letters.eponyms import pieces_of
from mustermann.letters.house import HouseStyle
from mustermann.letters.pieces import Surface, plain
from mustermann.letters.segments import Placeholder

CLINICAL_LABELS = {
    "diagnosis": "DIAGNOSIS", "procedure": "PROCEDURE", "med": "MEDICATION", "lab": "LAB",
}  # fmt: skip
"""Label on the clinical layer by atom."""

_CERTAINTY = {"V": "V.a. ", "Z": "Z.n. ", "A": "Ausschluss "}
_SAID = re.compile(r"(?:V\. ?a\.|Z\. ?n\.|Verdacht|Zustand|Ausschluss|St\. ?p\.)")
_DATE = re.compile(r"\b\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})?(?!\d)")


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


K = TypeVar("K", bound=_Keyed)


def clinical_surface(
    placeholder: Placeholder, attributes: Attributes, style: HouseStyle
) -> Surface:
    """Returns a clinical atom in a form.

    Raises:
      DataError: The course has no such atom, or no value at the time asked for.
    """
    course = attributes.course
    key, form = placeholder.argument, placeholder.form
    if placeholder.slot == "diagnosis":
        return _diagnosis(find(course.diagnoses, key, "diagnosis"), form or "title")
    if placeholder.slot == "procedure":
        return _procedure(find(course.procedures, key, "procedure"), form or "title")
    if placeholder.slot == "med":
        return _medication(_drug(placeholder, attributes), form or "full", style)
    if placeholder.slot == "lab":
        lab = course.labs.get(key)
        if lab is None:
            raise DataError(f"No lab {key!r} in case {course.case!r}.{_near(key, course.labs)}")
        return _lab(lab, form or "full", placeholder.variant)
    if placeholder.slot == "vital":
        return plain(_vital(placeholder, course.facts, course.case))
    stay = attributes.dates["entlassung"] - attributes.dates["aufnahme"]
    return plain(str(stay.days))


def clinical_details(atom: str, key: str, attributes: Attributes) -> Mapping[str, str]:
    """Returns what is known of an atom that a clinical mention names.

    Raises:
      DataError: The course has no such atom.
    """
    probe = Placeholder(atom, key, form="value" if atom == "lab" else "")
    if atom == "med":
        return _drug_details(_drug(probe, attributes))
    if atom == "diagnosis":
        return _diagnosis_details(find(attributes.course.diagnoses, key, atom))
    if atom == "procedure":
        return {"ops": find(attributes.course.procedures, key, atom).ops}
    lab = attributes.course.labs.get(key)
    if lab is None:
        raise DataError(f"No lab {key!r} in case {attributes.course.case!r}."
                        f"{_near(key, attributes.course.labs)}")  # fmt: skip
    return {"analyte": lab.name, "unit": lab.unit}


def find(items: Iterable[K], key: str, what: str) -> K:
    """Returns the item with a key.

    Raises:
      DataError: There is none; the message has the nearest.
    """
    known = {item.key: item for item in items}
    if key not in known:
        raise DataError(f"No {what} {key!r} in this letter.{_near(key, known)}")
    return known[key]


def _diagnosis(diagnosis: Diagnosis, form: str) -> Surface:
    code = " ".join(filter(None, (diagnosis.icd, diagnosis.side, diagnosis.certainty.strip("G"))))
    title = diagnosis.title
    if diagnosis.certainty in _CERTAINTY and not _SAID.match(title):
        title = _CERTAINTY[diagnosis.certainty] + title
    text = {
        "title": title,
        "title_icd": _with_code(title, code),
        "short": diagnosis.short or diagnosis.title,
        "icd": code,
    }[form]
    return _atom(text, "DIAGNOSIS", _diagnosis_details(diagnosis), form)


def _atom(text: str, label: str, details: Mapping[str, str], form: str) -> Surface:
    """Returns a surface whose eponyms are pieces of their own."""
    return Surface(pieces=pieces_of(text), label=label, details=details, form=form)


def _with_code(title: str, code: str) -> str:
    """Returns title and code, the code in brackets unless brackets stand right before."""
    return f"{title}, {code}" if title.endswith(")") else f"{title} ({code})"


def _diagnosis_details(diagnosis: Diagnosis) -> dict[str, str]:
    details = {"icd": diagnosis.icd, "certainty": diagnosis.certainty}
    return details | ({"side": diagnosis.side} if diagnosis.side else {})


def _procedure(procedure: Procedure, form: str) -> Surface:
    text = {
        "title": procedure.title,
        "title_ops": _with_code(procedure.title, procedure.ops),
        "ops": procedure.ops,
    }[form]
    return _atom(text, "PROCEDURE", {"ops": procedure.ops}, form)


def _drug(placeholder: Placeholder, attributes: Attributes) -> Medication:
    """Returns a drug from the list at discharge, or at admission if it is only there."""
    course = attributes.course
    before = placeholder.variant == "aufnahme"
    lists = (course.medication_before, course.medication)
    drugs = lists[0] if before else (*lists[0], *lists[1])
    return find(drugs if placeholder.variant != "entlassung" else lists[1], placeholder.argument,
                "drug")  # fmt: skip


def _medication(drug: Medication, form: str, style: HouseStyle) -> Surface:
    name = (drug.brand or drug.substance) if style.brand else drug.substance
    dose = drug.strength if style.dose_blank else re.sub(r"(?<=\d) (?=[a-zµ%])", "", drug.strength)
    words = {
        "full": (name, dose, drug.scheme),
        "line": (name, dose, drug.form, drug.scheme),
        "name": (name,),
        "substance": (drug.substance,),
        "brand": (drug.brand or drug.substance,),
        "dose": (dose,),
        "scheme": (drug.scheme,),
    }[form]
    text = " ".join(filter(None, words))
    tail = _remarks(drug) if form == "line" else ()
    return Surface(
        pieces=(Piece(text),), label="MEDICATION", details=_drug_details(drug), form=form, tail=tail
    )


def _drug_details(drug: Medication) -> dict[str, str]:
    known = {
        "substance": drug.substance, "atc": drug.atc, "dose": drug.strength,
        "scheme": drug.scheme, "status": drug.status,
    }  # fmt: skip
    return {name: value for name, value in known.items() if value}


def _remarks(drug: Medication) -> tuple[Surface, ...]:
    """Returns what a line of the list says after the scheme: end, change and reason."""
    status = "" if drug.status == "unverändert" else drug.status
    change = ": ".join(filter(None, (status, drug.reason)))
    text = (f", {drug.until}" if drug.until else "") + (f" ({change})" if change else "")
    return with_dates(text)


def with_dates(text: str) -> tuple[Surface, ...]:
    """Returns running text in which each date is labelled as an event."""
    parts: list[Surface] = []
    at = 0
    for found in _DATE.finditer(text):
        if found.start() > at:
            parts.append(plain(text[at : found.start()]))
        parts.append(plain(found[0], "DATE_EVENT"))
        at = found.end()
    return (*parts, plain(text[at:])) if at < len(text) else tuple(parts)


def _lab(lab: Lab, form: str, time: str) -> Surface:
    details = {"analyte": lab.name, "unit": lab.unit}
    if form == "trend":
        values = [decimal(value, lab.decimals) for value in lab.values.values()]
        details["values"] = " ".join(values)
        return plain(_joined(lab.written, " → ".join(values), lab.unit), "LAB", details=details,
                     form=form)  # fmt: skip
    moment = time or next(iter(lab.values), "")
    if moment not in lab.values:
        raise DataError(f"No value of {lab.name} at {moment!r}.{_near(moment, lab.values)}")
    value = decimal(lab.values[moment], lab.decimals)
    details |= {"value": value, "time": moment}
    words = {
        "full": (lab.written, value, lab.unit),
        "value": (value,),
        "value_unit": (value, lab.unit),
    }
    return plain(_joined(*words[form]), "LAB", details=details, form=f"{form} {moment}")


def _joined(*words: str) -> str:
    return " ".join(filter(None, words))


def _vital(placeholder: Placeholder, facts: Mapping[str, object], case: str) -> str:
    names = [placeholder.argument]
    if placeholder.variant:
        names.insert(0, f"{placeholder.argument}_{placeholder.variant}")
    for name in names:
        value = facts.get(name)
        if isinstance(value, float):
            return decimal(value, 1)
        if isinstance(value, (str, int)):
            return str(value)
    raise DataError(f"No fact {names[0]!r} in case {case!r}.{_near(names[0], facts)}")


def _near(word: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1)
    return f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(names) or 'none'}."
