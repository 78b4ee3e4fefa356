import pytest

from mustermann.letters.placeholder import PlaceholderError
from mustermann.letters.skeleton import from_text, literals, require_no_literals


def test_a_skeleton_carries_its_case():
    skeleton = from_text("Wir berichten über [[patient]].", case="nstemi")
    assert skeleton.case == "nstemi"
    assert len(skeleton.segments) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Aufnahme am 03.11.2024 um 8 Uhr", "a date outside a placeholder: '03.11.2024'"),
        ("am 3. November 2024", "a date"), ("am 03.11. erfolgte", "a date"),
        ("am 2024-11-03", "a date"), ("ED 03/19", "a date"), ("seit 2019 bekannt", "a year"),
        ("die 64-jährige Patientin", "an age"), ("64 Jahre alt", "an age"),
        ("Herr Weber kam", "a name"), ("durch Dr. Weber", "a name"), ("Frau Çam", ""),
        ("Tel. 0221 4710123", "a telephone number"), ("a.b@example.de", "an e-mail address"),
        ("www.example.de", "a web address"), ("Fall 26003412", "a long number"),
        ("Sehr geehrte Frau Kollegin", ""), ("Kraft 5/5, 24 2/7 SSW, RR 120/80 mmHg", ""),
        ("NT-proBNP 2014 ng/l, Trinkmenge 2000 ml", ""),
        ("Hb 12,4 g/dl, CRP 124 mg/l, 1-0-1, 2.5 mg, 3 x 2 cm", ""),
        ("[[nonpii_id:PZN 04877800]] und [[ereignis:jahr2019 variant=y]]", ""),
    ],
)  # fmt: skip
def test_literal_values_are_found_with_their_kind(text, found):
    messages = [fault.message for fault in literals(text)]
    if found:
        assert any(found in message for message in messages)
    else:
        assert messages == []


def test_a_literal_is_refused_with_its_place():
    with pytest.raises(PlaceholderError, match=r"reply 3, line 2, column 9: Found a date"):
        require_no_literals("Anamnese\nZuletzt 03.11.2024 gesehen.", name="reply 3")
