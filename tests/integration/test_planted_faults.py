"""Every kind of planted fault is found by the checker, in letters of every difficulty.

Each mutation takes a good letter's record and spoils one thing; it returns None where the
letter gives no occasion.
"""

import copy
import json
import unicodedata
from collections import Counter

import pytest

from mustermann.documents.labels import DECOYS
from mustermann.journeys.letters import Job
from mustermann.letters.config import LettersConfig
from mustermann.letters.verify.runner import verify_record
from mustermann.letters.verify.unlabelled import WORDS

LETTERS = 24


@pytest.fixture(scope="module")
def letters():
    job = Job(seed=11, config=LettersConfig(), admissions=None)
    return [json.loads(made.line) for made in job(range(LETTERS))]


def spans(record, *labels):
    return [s for s in record["spans"] if s["label"] in labels and s["end"] - s["start"] > 2]


def first(record, *labels):
    found = spans(record, *labels)
    return found[0] if found else None


def overwrite(record, start, text):
    record["text"] = record["text"][:start] + text + record["text"][start + len(text) :]


def append(record, text):
    record["text"] += "\n" + text


def family(record):
    name = record["attributes"]["patient"]["family"].split("-")[0]
    return name if len(name) > 3 else None


def moved(start, end):
    def mutate(record):
        for span in spans(record, "PATIENT_NAME", "CITY", "STREET", "HOSPITAL"):
            span["start"] += start
            span["end"] += end
            return record
        return None

    return mutate


def unlabelled(*labels):
    def mutate(record):
        span = first(record, *labels)
        if span is None:
            return None
        record["spans"].remove(span)
        return record

    return mutate


def age_unlabelled(record):
    for span in record["spans"]:
        if span["label"] == "AGE" and record["attributes"]["age"] > 1:
            record["spans"].remove(span)
            return record
    return None


def appended(make):
    def mutate(record):
        text = make(record)
        if text is None:
            return None
        append(record, text)
        return record

    return mutate


def date_of(slot, other, days):
    from datetime import date, timedelta

    def mutate(record):
        dates = record["attributes"]["dates"]
        if slot not in dates or other not in dates:
            return None
        dates[slot] = (date.fromisoformat(dates[other]) + timedelta(days=days)).isoformat()
        return record

    return mutate


def wrong_age(record):
    for span in spans(record, "AGE") or [s for s in record["spans"] if s["label"] == "AGE"]:
        text = record["text"][span["start"] : span["end"]]
        if text.isdigit() and span.get("slot") == "alter":
            digit = str((int(text[-1]) + 3) % 10)
            overwrite(record, span["end"] - 1, digit)
            return record
    return None


def wrong_age_attribute(record):
    record["attributes"]["age"] += 1
    return record


def wrong_date(record):
    for span in spans(record, "DATE_BIRTH", "DATE_ADMISSION", "DATE_DISCHARGE"):
        at = span["end"] - 1
        if record["text"][at].isdigit():
            overwrite(record, at, str((int(record["text"][at]) + 1) % 10))
            return record
    return None


def wrong_digit(*labels):
    def mutate(record):
        span = first(record, *labels)
        if span is None or span.get("details", {}).get("checksum") == "broken":
            return None
        at = max(i for i in range(span["start"], span["end"]) if record["text"][i].isdigit())
        digit = str((int(record["text"][at]) + 1) % 10)
        overwrite(record, at, digit)
        # The attribute is changed too, so that only the checksum can tell.
        value = record["attributes"]["values"][span["slot"]]
        index = max(i for i, c in enumerate(value) if c.isdigit())
        record["attributes"]["values"][span["slot"]] = value[:index] + digit + value[index + 1 :]
        return record

    return mutate


def called_broken(record):
    span = first(record, "KVNR", "LANR", "IK_NR")
    if span is None or span.get("details", {}).get("checksum") == "broken":
        return None
    span["details"] = {"checksum": "broken"}
    return record


def other_sex(record):
    patient = record["attributes"]["patient"]
    patient["sex"] = "m" if patient["sex"] == "f" else "f"
    honorifics = [
        c for s in spans(record, "PATIENT_NAME") for c in s.get("components", ())
        if c["kind"] == "honorific"
    ]  # fmt: skip
    return record if honorifics else None


def unknown_label(record):
    record["spans"][0]["label"] = "PATIENTEN_NAME"
    return record


def overlapping(record):
    span = record["spans"][0]
    record["spans"].insert(0, dict(span, components=[]))
    return record


def outside(record):
    record["spans"][-1]["end"] = len(record["text"]) + 5
    return record


def truncated(record):
    record["text"] = record["text"][: record["spans"][-1]["start"] + 1]
    return record


def doubled(record):
    record["text"] += "Der weitere Verlauf war unauffällig. " * (len(record["text"]) // 20)
    return record


def other_person(record):
    for span in spans(record, "PATIENT_NAME"):
        for slot, person in record["attributes"]["people"].items():
            if person["family"] != record["attributes"]["patient"]["family"]:
                span["slot"] = slot
                return record
    return None


def other_component(record):
    for span in spans(record, "PATIENT_NAME"):
        for part in span.get("components", ()):
            if part["kind"] == "given" and part["end"] - part["start"] > 2:
                part["kind"] = "family"
                return record
    return None


def other_zip(record):
    span = first(record, "ZIP")
    if span is None:
        return None
    at = span["end"] - 1
    overwrite(record, at, str((int(record["text"][at]) + 1) % 10))
    return record


def blank_at_edge(record):
    for span in spans(record, "CITY", "HOSPITAL", "STREET"):
        if record["text"][span["end"]] in " \n":
            span["end"] += 1
            return record
    return None


def in_lower_case(record):
    name = (family(record) or "").lower()
    return f"Verlauf bei {name} gut." if name and name not in WORDS else None


def of_family(change):
    return appended(lambda record: (name := family(record)) and f"Verlauf bei {change(name)} gut.")


MUTATIONS = {
    "span begins late": moved(1, 0),
    "span ends early": moved(0, -1),
    "span moved to the right": moved(1, 1),
    "span moved to the left": moved(-1, -1),
    "span with a blank": blank_at_edge,
    "patient without a label": unlabelled("PATIENT_NAME"),
    "staff without a label": unlabelled("STAFF_NAME"),
    "date without a label": unlabelled("DATE_ADMISSION", "DATE_DISCHARGE", "DATE_LETTER"),
    "birth without a label": unlabelled("DATE_BIRTH"),
    "number without a label": unlabelled("KVNR", "CASE_ID", "PATIENT_ID"),
    "telephone without a label": unlabelled("PHONE", "FAX"),
    "street without a label": unlabelled("STREET"),
    "wrong age in the text": wrong_age,
    "wrong age in the record": wrong_age_attribute,
    "wrong date in the text": wrong_date,
    "discharge before admission": date_of("entlassung", "aufnahme", -1),
    "letter before discharge": date_of("brief", "entlassung", -1),
    "birth after admission": date_of("geburtsdatum", "aufnahme", 1),
    "placeholder": appended(lambda _: "Es grüßt [[oberarzt form=full_titles]]."),
    "grammar sign": appended(lambda _: "Der Befund war {gut|schlecht}."),
    "variable": appended(lambda _: "Kreatinin $krea mg/dl."),
    "wrong check digit": wrong_digit("KVNR", "IK_NR", "IBAN"),
    "right number called broken": called_broken,
    "other sex": other_sex,
    "unknown label": unknown_label,
    "span twice": overlapping,
    "span outside the text": outside,
    "text cut off": truncated,
    "text too long": doubled,
    "name of somebody else": other_person,
    "given name called family": other_component,
    "another ZIP": other_zip,
    "name repeated": of_family(str),
    "name in the genitive": of_family(lambda name: name + "s"),
    "name in capitals": of_family(str.upper),
    "name in lower case": appended(in_lower_case),
    "titled name of somebody unknown": appended(lambda _: "Gezeichnet Dr. med. Quastenflosser."),
    "age without a label": age_unlabelled,
    "partial date without a label": unlabelled("DATE_PARTIAL"),
    "insurer without a label": unlabelled("INSURER"),
    "age repeated": appended(
        lambda record: (
            f"Der {record['attributes']['age']}-jährige Mensch ist wach."
            if record["attributes"]["age"] > 1
            else None
        )
    ),
    "day and month repeated": appended(
        lambda record: "Die Aufnahme war am {2}.{1}. geplant.".format(
            *record["attributes"]["dates"]["aufnahme"].split("-")
        )
    ),
    "month and year repeated": appended(
        lambda record: "Wiedervorstellung wie im {1}/{0}.".format(
            *record["attributes"]["dates"]["aufnahme"].split("-")
        )
    ),
    "patient by one initial": appended(lambda _: "Frau M. wurde aufgeklärt."),
    "first day of a stay": appended(lambda _: "Aufenthalt vom 3. bis zum Wochenende."),
    "name decomposed": of_family(lambda name: unicodedata.normalize("NFD", name)),
    "name with a zero-width space": of_family(lambda name: name[:2] + "\u200b" + name[2:]),
    "somebody unknown": appended(lambda _: "Rücksprache mit Frau Musterhaus erfolgte."),
    "unknown date": appended(lambda _: "Kontrolle am 03.04.2021 empfohlen."),
    "unknown mail address": appended(lambda _: "Fragen an praxis@beispiel.example."),
    "unknown telephone": appended(lambda _: "Rückruf unter 0941 / 5551234."),
    "unknown insurance number": appended(lambda _: "Versichert unter A123456780."),
}


def test_the_letters_are_good_before_anything_is_planted(letters):
    assert [fault for letter in letters for fault in verify_record(letter)] == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_every_planted_fault_is_found(letters, name):
    planted = [MUTATIONS[name](copy.deepcopy(letter)) for letter in letters]
    spoilt = [record for record in planted if record is not None]
    assert spoilt, "no letter gave occasion"
    missed = [record["id"] for record in spoilt if not verify_record(record)]
    assert missed == []


@pytest.mark.slow
def test_no_label_can_be_taken_away_unnoticed(letters):
    """Takes each PHI span of some letters away in turn."""
    missed = Counter()
    for letter in letters[:16]:
        for index, span in enumerate(letter["spans"]):
            if span["label"] in DECOYS:
                continue
            record = letter | {"spans": letter["spans"][:index] + letter["spans"][index + 1 :]}
            missed[span["label"]] += not verify_record(record)
    assert sum(missed.values()) == 0, missed
    assert len(missed) > 25
