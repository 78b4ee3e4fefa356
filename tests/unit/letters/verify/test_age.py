from datetime import date

import pytest

from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.letters.verify.age import Age, in_unit, says, years_between
from mustermann.letters.verify.evidence import Evidence


@pytest.mark.parametrize(
    ("birth", "day", "age"),
    [
        (date(1960, 11, 3), date(2023, 11, 2), 62),
        (date(1960, 11, 3), date(2023, 11, 3), 63),
        (date(2000, 2, 29), date(2001, 2, 28), 0),
        (date(2000, 2, 29), date(2001, 3, 1), 1),
    ],
)
def test_age_is_whole_years_lived(birth, day, age):
    assert years_between(birth, day) == age


@pytest.mark.parametrize(
    "text", ["64", "vierundsechzig", "Vierundsechzig", "VIERUNDSECHZIG", "Mitte sechzig"]
)
def test_the_ways_to_say_64(text):
    assert says(text, 64)
    assert not says(text, 71)


def test_thirty_in_capitals_has_no_eszett():
    assert says("DREISSIG", 30)
    assert says("dreißig", 30)


@pytest.mark.parametrize("text", ["65", "fünfundsechzig", "Ende sechzig", "", "64 Jahre"])
def test_what_does_not_say_64(text):
    assert not says(text, 64)


@pytest.mark.parametrize(
    ("after", "age"), [("-jährig", 0), (" Monate alt", 8), (" Wochen", 36), ("-monatiger", 8)]
)
def test_an_infant_is_counted_in_the_unit_that_follows(after, age):
    assert in_unit(after, date(2025, 1, 10), date(2025, 9, 20)) == age


@pytest.mark.parametrize(
    ("facts", "faults"),
    [({"vater_alter": 84}, 0), ({"vater_alter": 83}, 1), ({}, 1), ({"vater_alter": 184}, 1)],
)
def test_the_age_of_a_relative_is_what_the_case_says(facts, faults):
    text = "Vater mit 84 Jahren verstorben."
    span = Span(10, 12, "AGE", slot="lebensalter:vater_alter")
    meta = {"attributes": {"course": {"facts": facts}}}
    found = list(Age().faults(Evidence(Document("1", text, (span,), meta=meta))))
    assert len(found) == faults
    assert all((fault.start, fault.end) == (10, 12) for fault in found)
