import pytest

from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.metrics.corpus import measured
from mustermann.metrics.corpus_distance import CorpusDistance, DistanceFloor
from mustermann.metrics.profile import corpus_profile
from mustermann.report.build import page
from mustermann.report.corpus import corpus_sections, reference_corpora

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

LETTERS = [
    Document(f"{i}", f"Anna Weber kam am {i}. Mai zu uns <b> und ging wieder.",
             (Span(0, 10, "PATIENT_NAME"),), meta={"difficulty": ("easy", "hard")[i % 2]})
    for i in range(1, 9)
]  # fmt: skip


def report(**more):
    one = measured("ours", corpus_profile(LETTERS), size=4)
    return corpus_sections([one], examples=LETTERS[:2], **more)


def test_the_sections_stand_in_order_and_the_page_is_whole():
    sections = report()
    assert [s.title for s in sections] == [
        "Figures", "Lengths", "Labels", "By difficulty", "Beside published corpora", "Examples",
        "Signatures",
    ]  # fmt: skip
    html = page(title="Corpus", lead="", sections=sections)
    assert "&lt;b&gt; und ging" in html
    assert "<b> und ging" not in html


def test_figures_are_printed_with_their_intervals_and_without_where_there_is_none():
    rows = {row[0]: row[1] for row in report()[0].blocks[0].rows}
    assert rows["documents"] == "8"
    low, high = rows["PHI spans per 1,000 words"].split(" [")[1].rstrip("]").split(", ")
    assert float(low) <= float(rows["PHI spans per 1,000 words"].split()[0]) <= float(high)
    assert "[" not in rows["Self-BLEU, pairwise"]


def test_published_figures_stand_below_ours_with_their_source():
    table, source = report()[4].blocks[:2]
    names = [row[0] for row in table.rows]
    assert names[0] == "ours"
    assert "GraSCCo, de" in names
    grascco = dict(zip(table.headers, table.rows[names.index("GraSCCo, de")], strict=True))
    assert (grascco["letters"], grascco["MTLD"], grascco["SMOG"]) == ("63", "248.5", "13.69")
    assert "SPARCLING" in source.text
    assert all(one.figures["documents"] > 0 for one in reference_corpora()[1])


def test_a_distance_stands_beside_its_floor():
    figures = {"frechet": 0.5, "mmd": 0.4, "mmd_squared": 0.1, "js": 0.3, "jaccard": 0.2}
    one = measured("ours", corpus_profile(LETTERS), size=4)
    sections = corpus_sections(
        [one, one],
        distance=CorpusDistance(**figures, mmd_p=0.01, signature="x|y"),
        floor=DistanceFloor(4, 5, {k: v / 10 for k, v in figures.items()}, figures),
    )
    (section,) = [s for s in sections if s.title == "Distance"]
    assert section.blocks[0].rows[0] == ("Fréchet", "0.5000", "0.5000", "0.0500")
    assert ("distance", "x|y") in sections[-1].blocks[0].rows


def test_a_corpus_without_difficulties_or_labels_makes_a_report_too():
    plain = [Document(f"{i}", f"Text {i} ohne alles") for i in range(3)]
    sections = corpus_sections([measured("plain", corpus_profile(plain))])
    assert "By difficulty" not in [s.title for s in sections]
    assert page(title="", lead="", sections=sections)
