import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.seeds import Seeds
from mustermann.documents.document import Document
from mustermann.documents.spans import SpanWriter
from mustermann.german.inflection import genitive_suffix, without_genitive
from mustermann.letters.attributes.record import Person
from mustermann.letters.grammar import (
    FULL_DATES,
    NAME_VARIANTS,
    PARTIAL_DATES,
    PERSON_FORMS,
    UNINFLECTED,
    grammar,
)
from mustermann.letters.house import HouseStyle
from mustermann.letters.placeholder import parse, write
from mustermann.letters.segments import Mention, Placeholder
from mustermann.letters.slots import SLOTS
from mustermann.letters.surface_dates import WRITERS, relative
from mustermann.letters.surface_names import mistype, person_surface

LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßçğışéèñøłńšžčćőăđ"
words = st.builds(
    lambda first, rest: first.upper()[:1] + rest,
    st.sampled_from([c for c in LETTERS if len(c.upper()) == 1]),
    st.text(LETTERS, min_size=1, max_size=9),
)
families = st.one_of(words, st.builds(lambda a, b: f"{a}-{b}", words, words))
titles = st.sampled_from([
    (), ("Dr. med.",), ("Dr.",), ("PD", "Dr. med."), ("Prof.", "Dr. med.", "Dr. h. c."),
    ("Univ.-Prof.", "Dr. med."), ("Priv.-Doz.", "Dr. med. habil."), ("Dipl.-Psych.",),
])  # fmt: skip
people = st.builds(
    Person,
    sex=st.sampled_from("mf"),
    given=st.lists(words, min_size=1, max_size=3).map(tuple),
    family=families,
    particle=st.sampled_from(["", "von", "van der", "al-", "D'"]),
    titles=titles,
    birth_name=families,
    diminutive=words,
)
styles = st.builds(
    lambda noisy, professor, seed: HouseStyle(
        birth="dmy", stay="dmy", letter="dmy", event="dmy", phone="din", dose_blank=True,
        brand=False, austrian=False, professor=professor, noisy_titles=noisy,
        draws=Seeds(seed).draws("house"),
    ),
    st.booleans(), st.booleans(), st.integers(0, 99),
)  # fmt: skip
cases = st.sampled_from(["", "nom", "gen", "dat", "akk"])
asked = st.builds(
    lambda form, case, variant: Placeholder("patient", "", form, case, variant),
    st.sampled_from(PERSON_FORMS), cases, st.sampled_from(["", *NAME_VARIANTS]),
)  # fmt: skip


@given(people, asked, styles, st.booleans())
def test_a_name_is_tidy_text_and_its_span_is_exactly_the_name(person, placeholder, style, after):
    if placeholder.form == "salutation":
        placeholder = Placeholder("patient", "", "salutation")
    made = person_surface(
        person, placeholder, label="PATIENT_NAME", style=style, after_article=after
    )
    text = made.text
    assert unicodedata.is_normalized("NFC", text)
    assert "  " not in text
    assert text == text.strip()

    writer = SpanWriter()
    writer.write("über ")
    writer.entity(made.pieces, made.label, form=made.form)
    writer.write(".")
    document = Document(id="x", text=writer.text(), spans=writer.spans())
    (span,) = document.spans
    inside = "".join(piece.text for piece in made.pieces if piece.inside)
    assert document.surface(span) == inside
    named = [(part.kind, document.surface(part)) for part in span.components]
    assert named == [(piece.kind, piece.text) for piece in made.pieces if piece.kind]


@given(people, st.sampled_from(PERSON_FORMS), styles)
def test_only_a_genitive_adds_to_a_name_and_only_at_its_end(person, form, style):
    def surface(case, after=False):
        return person_surface(
            person, Placeholder("patient", "", form, case), label="PATIENT_NAME", style=style,
            after_article=after,
        )  # fmt: skip

    def inner(made):
        return "".join(piece.text for piece in made.pieces if piece.inside)

    bare = inner(surface("nom"))
    assert inner(surface("dat")) == inner(surface("akk")) == inner(surface("gen", True)) == bare
    genitive = inner(surface("gen"))
    if form in UNINFLECTED:
        assert genitive == bare
    else:
        assert genitive[:-1] == bare
        assert bare in without_genitive(genitive)


@given(families)
def test_the_genitive_rule_of_the_orthography(name):
    hiss = name.lower().endswith(("s", "ß", "z", "x", "ce", "š", "ş", "ž", "ś", "ź", "ż"))
    assert genitive_suffix(name) == ("'" if hiss else "s")


@given(words, st.integers(0, 50))
def test_a_slip_changes_a_name_by_one_letter(name, seed):
    slipped = mistype(name, Seeds(seed).draws("x"))
    assert slipped != name
    assert slipped[0] == name[0]
    assert abs(len(slipped) - len(name)) <= 1
    assert unicodedata.is_normalized("NFC", slipped)


_DOTTED = {"dm", "d_m", "dd", "d"}
"""Dates without a year, which end with the dot of an ordinal."""


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_date_variant_can_be_read_back(day):
    numbers = {
        "dmy": "%d.%m.%Y", "d_m_y": "%d.%m.%Y", "dmy2": "%d.%m.%y", "iso": "%Y-%m-%d",
        "slash": "%d/%m/%Y", "my": "%m/%Y", "y": "%Y",
    }  # fmt: skip
    from datetime import datetime

    for variant, pattern in numbers.items():
        read = datetime.strptime(WRITERS[variant](day), pattern)
        assert read.year % 100 == day.year % 100
        if "%d" in pattern or variant == "iso":
            assert (read.month, read.day) == (day.month, day.day)
    assert set(WRITERS) == {*FULL_DATES, *PARTIAL_DATES}
    assert not any(w(day).endswith(".") for v, w in WRITERS.items() if v not in _DOTTED)


@given(st.dates(date(1930, 1, 1), date(2030, 1, 1)), st.dates(date(1990, 1, 1), date(2030, 1, 1)))
def test_a_relative_date_holds_no_date_and_no_singular(day, to):
    text = relative(day, to=to)
    assert text.split()[0] in {"heute", "gestern", "morgen", "vor", "in"}
    assert "." not in text
    assert " 1 " not in f" {text} "


arguments = st.from_regex(r"[A-Za-zÄ§][\w §.-]{0,12}[\wß]", fullmatch=True).filter(
    lambda text: "  " not in text
)
placeholders = st.sampled_from(sorted(SLOTS)).flatmap(
    lambda name: st.builds(
        lambda argument, form, case, variant: Placeholder(name, argument, form, case, variant),
        arguments if SLOTS[name].argument else st.just(""),
        st.sampled_from(["", *grammar(name).forms]),
        st.sampled_from(["", *grammar(name).cases]),
        st.sampled_from(["", *(v for v in grammar(name).variants
                               if SLOTS[name].kind != "person" or v in NAME_VARIANTS)]),
    )
)  # fmt: skip
running = st.text("abc äß.,:;\n[]<>=0", min_size=1, max_size=12).filter(
    lambda text: not any(mark in text for mark in ("[[", "]]", "<<"))
    and text[0] not in "[]<>" and text[-1] not in "[]<>"
)  # fmt: skip
mentions = st.builds(
    lambda atom, key, inner: (Mention(True, atom, key), inner, Mention(False, atom)),
    st.sampled_from(["diagnosis", "procedure", "med", "lab"]),
    st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    st.one_of(running, placeholders),
)  # fmt: skip


@given(st.lists(st.one_of(running, placeholders, mentions), max_size=12))
def test_what_is_written_is_read_back_the_same(items):
    segments = []
    for item in items:
        for segment in item if isinstance(item, tuple) else (item,):
            if isinstance(segment, str) and segments and isinstance(segments[-1], str):
                segments[-1] += segment
            else:
                segments.append(segment)
    assert parse(write(segments)) == tuple(segments)


@pytest.mark.parametrize("name", sorted(SLOTS))
def test_no_slot_has_a_form_and_a_variant_of_one_name(name):
    allowed = grammar(name)
    assert set(allowed.forms) & set(allowed.variants) <= {"typo", "upper"}
