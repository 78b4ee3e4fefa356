import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.errors import SpanError
from mustermann.core.seeds import Seeds
from mustermann.documents.document import Document
from mustermann.documents.spans import Piece, SpanWriter
from mustermann.letters.filters import FILTERS, counts, make_filters

PERSONS = [
    (Piece("Herrn", "honorific", inside=False), Piece(" ", inside=False),
     Piece("PD Dr. med.", "title"), Piece(" "), Piece("Jörg", "given"), Piece(" "),
     Piece("von", "particle"), Piece(" "), Piece("Müller-Voß", "family"), Piece("'", "suffix")),
    (Piece("A.", "initial"), Piece(" "), Piece("Th.", "initial"), Piece(" "),
     Piece("de", "particle"), Piece(" "), Piece("Visser", "family")),
    (Piece("Çam", "family"), Piece(", "), Piece("Cem", "given")),
    (Piece("Ayşe", "given"), Piece(" "), Piece("Yıldız", "family")),
]  # fmt: skip
VALUES = [
    ("DATE_BIRTH", "03.11.1960"), ("PHONE", "0221 4710-123"), ("EMAIL", "Cem.Cam@Example.de"),
    ("CASE_ID", "26003412"), ("IBAN", "DE89 3704 0044"), ("STREET", "Lange Straße 12a"),
    ("EPONYM", "Hashimoto-Thyreoiditis"), ("HOSPITAL", "Universitätsklinikum Köln"),
]  # fmt: skip
TEXTS = [
    "Wir berichten über die stationäre Behandlung, ", " erfolgte komplikationslos. ",
    "\n\nBefund:\n",
    "Der linke Arm war nicht geschwollen, keine Rötung. ", "Bisoprolol 2,5 mg 1-0-1, 5 mg/d; ", " ",
    "Müdigkeit und Übelkeit; Größe 172 cm. ", "(unauffällig)\n", "Kraft 5/5 rechts, ",
]  # fmt: skip
ATOMS = [("MEDICATION", "metoprolol succinat 47,5 mg 1-0-0"), ("LAB", "CRP 124 mg/l")]

steps = st.lists(
    st.one_of(
        st.sampled_from(TEXTS).map(lambda text: ("text", text)),
        st.sampled_from(PERSONS).map(lambda pieces: ("person", pieces)),
        st.sampled_from(VALUES).map(lambda value: ("value", value)),
        st.sampled_from(ATOMS).map(lambda atom: ("atom", atom)),
        st.sampled_from(TEXTS).map(lambda text: ("mention", text)),
    ),
    min_size=1, max_size=14,
)  # fmt: skip
modes = st.sets(st.sampled_from(sorted(FILTERS)))


class Recorder:
    """Stands last in a chain and remembers what is written."""

    def __init__(self):
        self.written = []

    def __call__(self, text, *, label, kind):
        self.written.append((label, kind, text))
        return text


def run(todo, names, seed=0, *more):
    filters = make_filters(names, Seeds(seed))
    writer = SpanWriter(filters=(*filters, *more))
    for what, value in todo:
        if what == "text":
            writer.write(value)
        elif what == "person":
            writer.entity(value, "PATIENT_NAME")
        elif what == "value":
            writer.entity((Piece(value[1]),), value[0])
        elif what == "atom":
            writer.atom(value[1], value[0])
        else:
            mark = writer.open_clinical("DIAGNOSIS")
            writer.write(value)
            writer.close_clinical(mark, "DIAGNOSIS")
    document = Document(
        id="x", text=writer.text(), spans=writer.spans(), clinical=writer.clinical()
    )
    return document, filters


@given(steps, modes, st.integers(0, 999))
def test_spans_are_what_was_written_whatever_the_filters(todo, names, seed):
    recorder = Recorder()
    document, _ = run(todo, names, seed, recorder)
    assert document.text == "".join(text for _, _, text in recorder.written)

    records = iter(recorder.written)
    spans, clinical = iter(document.spans), iter(document.clinical)
    for what, value in todo:
        if what == "text":
            assert next(records)[0] == ""
        elif what in {"atom", "mention"}:
            assert document.surface(next(clinical)) == next(records)[2]
        else:
            pieces = value if what == "person" else (Piece(value[1]),)
            written = [(piece, next(records)[2]) for piece in pieces]
            span = next(spans)
            assert document.surface(span) == "".join(t for piece, t in written if piece.inside)
            parts = [document.surface(part) for part in span.components]
            assert parts == [text for piece, text in written if piece.kind]
    assert next(spans, None) is next(clinical, None) is next(records, None) is None


@given(steps, modes, st.integers(0, 99))
def test_equal_seeds_give_equal_letters(todo, names, seed):
    assert run(todo, names, seed)[0] == run(todo, names, seed)[0]


@given(steps, st.integers(0, 99))
def test_nfd_decomposes_the_whole_text_also_across_pieces(todo, seed):
    plain, (made, filters) = run(todo, ())[0].text, run(todo, ["nfd"], seed)
    assert made.text == unicodedata.normalize("NFD", plain)
    assert counts(filters) == {"nfd": filters[0].count}


@given(steps, st.integers(0, 99))
def test_line_ends_blanks_and_zero_width_are_all_that_their_filters_change(todo, seed):
    plain = run(todo, ())[0].text
    assert run(todo, ["crlf"], seed)[0].text.replace("\r\n", "\n") == plain
    assert run(todo, ["nbsp"], seed)[0].text.replace("\u00a0", " ") == plain
    assert run(todo, ["zwsp"], seed)[0].text.replace("\u200b", "") == plain
    squeezed = run(todo, ["missing_blanks"], seed)[0].text
    assert squeezed.replace(" ", "") == plain.replace(" ", "")
    split = run(todo, ["split_names"], seed)[0].text
    assert split.replace("\n", "").replace(" ", "") == plain.replace("\n", "").replace(" ", "")


@given(steps, st.integers(0, 99))
def test_capitals_change_names_only(todo, seed):
    plain, upper = run(todo, ())[0], run(todo, ["upper_names"], seed)[0]
    assert upper.text.upper() == plain.text.upper()
    for before, after in zip(plain.spans, upper.spans, strict=True):
        if before.label == "PATIENT_NAME":
            kinds = {part.kind: upper.surface(part) for part in after.components}
            assert kinds.get("family", "").isupper() == ("family" in kinds)
            assert kinds.get("title", "PD Dr. med.") == "PD Dr. med."
        else:
            assert plain.surface(before) == upper.surface(after)


@given(steps, st.integers(0, 999))
def test_ocr_noise_never_touches_a_value_a_number_or_a_side(todo, seed):
    plain, noisy = run(todo, ())[0], run(todo, ["ocr_noise"], seed)[0]
    for layer in ("spans", "clinical"):
        old, new = getattr(plain, layer), getattr(noisy, layer)
        assert [plain.surface(s) for s in old] == [noisy.surface(s) for s in new]
    was, now = _without_values(plain).split(), _without_values(noisy).split()
    assert len(was) == len(now)
    for before, after in zip(was, now, strict=True):
        if before != after:
            assert before.strip("(),.;:").islower()
            assert not any(c.isdigit() for c in before)
            assert before.strip("(),.;:") not in {"rechts", "linke", "nicht", "keine"}


def _without_values(document):
    """Returns the text with a blank for each value: text may follow one without a blank."""
    text = document.text
    for span in sorted((*document.spans, *document.clinical), key=lambda s: -s.start):
        text = text[: span.start] + " " + text[span.end :]
    return text


@given(steps)
def test_mail_addresses_become_lower_case(todo):
    made = run(todo, ["email_lower"])[0]
    assert all(made.surface(s).islower() for s in made.spans if s.label == "EMAIL")


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_each_filter_acts_somewhere_and_counts_it(name):
    todo = [("text", text) for text in TEXTS] * 20
    todo += [("person", pieces) for pieces in PERSONS] * 5 + [("value", v) for v in VALUES]
    made, (change,) = run(todo, [name])
    assert change.count > 0
    assert made.text != run(todo, ())[0].text


@pytest.mark.parametrize("mark", ["\u0308", "\u0f73", "\u1161"])
def test_a_piece_that_would_merge_with_the_one_before_is_refused(mark):
    writer = SpanWriter()
    writer.write("u\u1100")
    with pytest.raises(SpanError, match="stands by itself"):
        writer.write(mark)
    with pytest.raises(SpanError, match="stands by itself"):
        writer.entity((Piece(mark + "x"),), "CITY")
    with pytest.raises(SpanError, match="stands by itself"):
        writer.atom(mark, "LAB")


def test_sharp_s_grows_in_capitals_and_the_span_with_it():
    todo = [("text", "Frau "), ("person", (Piece("Voß", "family"),)), ("text", " kam.")]
    made = run(todo, ["upper_names"])[0]
    assert made.text == "Frau VOSS kam."
    assert (made.spans[0].start, made.spans[0].end) == (5, 9)
