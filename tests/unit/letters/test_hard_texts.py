"""Texts on which other generators and de-identifiers are known to go wrong."""

import dataclasses

import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Person
from mustermann.letters.filters import make_filters
from mustermann.letters.render import render
from mustermann.letters.skeleton import from_text


@pytest.fixture
def letter(attributes):
    def write(text, *modes, person=None, **values):
        changed = dataclasses.replace(
            attributes, patient=person or attributes.patient,
            values={**attributes.values, **values},
        )  # fmt: skip
        skeleton = from_text(text, case="x")
        return render(skeleton, changed, id="x", filters=make_filters(modes, Seeds(5)))

    return write


def found(document):
    return [(span.label, document.surface(span)) for span in document.spans]


def test_a_span_may_end_inside_a_word(letter):
    made = letter("[[alter]]jähr. Pat., [[alter]]-jährig, [[alter]] J.")
    assert found(made) == [("AGE", "64")] * 3
    assert made.text == "64jähr. Pat., 64-jährig, 64 J."


def test_offsets_count_code_points(letter):
    made = letter("😊 Frau [[oberarzt form=last_only]]")
    assert (made.spans[0].start, made.spans[0].end) == (7, 10)


def test_leading_and_doubled_blanks_stay(letter):
    made = letter("  \n [[ort]]  [[plz]] ")
    assert made.text == "  \n Köln  50667 "
    assert found(made) == [("CITY", "Köln"), ("ZIP", "50667")]


def test_an_address_without_commas_is_three_spans(letter):
    made = letter("[[strasse]] [[plz]] [[ort]]", strasse="Wendenstr. 414-424", plz="20537",
                  ort="Hamburg")  # fmt: skip
    assert made.text == "Wendenstr. 414-424 20537 Hamburg"
    assert [label for label, _ in found(made)] == ["STREET", "ZIP", "CITY"]


def test_a_zip_takes_its_country_along(letter):
    assert found(letter("[[plz]] [[ort]]", plz="A-9020", ort="Klagenfurt"))[0] == ("ZIP", "A-9020")


def test_an_address_over_a_line_break_is_one_span_a_part(letter):
    made = letter("[[strasse]]\n[[plz]] [[ort]]")
    assert found(made) == [("STREET", "Lange Straße 131a"), ("ZIP", "50667"), ("CITY", "Köln")]


def test_initials_lose_their_blanks_and_the_particle_keeps_its_own(letter):
    person = Person(sex="m", given=("Aart", "Theo"), particle="de", family="Visser")
    made = letter("[[patient form=initial_last]]", "missing_blanks", person=person)
    assert made.text.replace(" ", "") == "A.Th.deVisser"
    assert made.surface(made.spans[0]) == made.text
    assert [part.kind for part in made.spans[0].components] == [
        "initial", "initial", "particle", "family",
    ]  # fmt: skip


def test_accents_survive_capitals_and_decomposition(letter):
    person = Person(sex="m", given=("Théodore",), family="Müller")
    assert letter("[[patient form=upper]]", person=person).text == "THÉODORE MÜLLER"
    made = letter("Herr [[patient]] kam", "nfd", person=person)
    assert made.text == "Herr The\u0301odore Mu\u0308ller kam"
    assert made.surface(made.spans[0]) == "The\u0301odore Mu\u0308ller"


def test_lines_of_windows_count_two_characters(letter):
    made = letter("Köln\n\n[[ort]]\n", "crlf")
    assert made.text == "Köln\r\n\r\nKöln\r\n"
    assert (made.spans[0].start, made.spans[0].end) == (8, 12)


@pytest.mark.parametrize(
    "eponym", ["Creutzfeldt-Jakob-Krankheit", "Hunt und Hess Grad 3", "Morbus Parkinson"]
)
def test_eponyms_are_decoys(letter, eponym):
    assert found(letter(f"V.a. [[eponym:{eponym}]].")) == [("EPONYM", eponym)]


@pytest.mark.parametrize("place", ["Hamburger Dom", "Rotes Haus", "Swan-Ganz-Katheter"])
def test_places_and_things_that_look_like_names_are_decoys(letter, place):
    assert found(letter(f"am [[lookalike:{place}]]")) == [("LOOKALIKE", place)]


@pytest.mark.parametrize(
    "number", ["some id 01.01.2019", "§ 39 SGB V", "24 2/7 SSW", "5/5", "2.5", "PZN 04877800"]
)
def test_numbers_that_hold_or_look_like_dates_are_one_decoy(letter, number):
    assert found(letter(f"x [[nonpii_id:{number}]] y")) == [("NONPII_ID", number)]


def test_what_is_written_as_text_is_never_a_span(letter):
    text = "Kraft 5/5, RR 120/80, 2.5 mg, LA 38 mm, C. difficile negativ, ALBUMIN 3,5 g/dl"
    assert letter(text).spans == ()


def test_neighbouring_names_are_two_spans(letter):
    made = letter("[[patient]] [[tochter]]")
    assert found(made) == [("PATIENT_NAME", "Cem Çam"), ("RELATIVE_NAME", "Eda Yıldız-Çam")]
    both = letter("[[patient form=last_only]][[tochter form=last_only]]")
    assert [(span.start, span.end) for span in both.spans] == [(0, 3), (3, 13)]


def test_a_value_at_the_very_end_of_a_long_letter(letter):
    made = letter("Befund unauffällig. " * 800 + "[[ort]]")
    assert made.spans[0].end == len(made.text) > 16_000
