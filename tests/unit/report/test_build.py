import re

import pytest

from mustermann.core.errors import ConfigError
from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.report import charts
from mustermann.report.blocks import Callout, Chart, Letter, Paragraph, Section, Table
from mustermann.report.build import write_report

EVIL = "<script>alert(1)</script>&\"'"


def built(tmp_path, *blocks):
    path = tmp_path / "report.html"
    write_report(path, title=EVIL, lead=EVIL, sections=[Section(EVIL, blocks)])
    return path.read_text(encoding="utf-8")


def test_everything_is_escaped(tmp_path):
    letter = Document("1", EVIL + "Çam", (Span(len(EVIL), len(EVIL) + 3, "PATIENT_NAME"),))
    chart = charts.marginal([EVIL, "b"], [0.5, 0.5], [0.4, 0.6], title=EVIL, ordered=False)
    html = built(
        tmp_path, Paragraph(EVIL), Callout(EVIL, details=((EVIL, EVIL),)),
        Table((EVIL,), ((EVIL,),), EVIL), Chart(chart, EVIL), Letter(letter, EVIL),
    )  # fmt: skip
    assert "alert(1)" in html
    assert "<script>alert" not in html


def test_nothing_is_loaded_from_anywhere(tmp_path):
    chart = charts.bars({"rules": {"PATIENT_NAME": 0.9}}, title="recall", axis="recall")
    html = built(tmp_path, Chart(chart, ""))
    own = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", own)
    assert "default-src 'none'" in html
    assert len(html) < 1_000_000


def test_a_letter_is_shown_whole_with_its_legend(tmp_path):
    text = "Frau Çam, 64 J."
    letter = Document("1", text, (Span(5, 8, "PATIENT_NAME"), Span(10, 12, "AGE")))
    html = built(tmp_path, Letter(letter))
    shown = re.search(r'<div class="letter"[^>]*>(.*?)</div>', html, re.S).group(1)
    assert re.sub(r"<sup>.*?</sup>|<[^>]+>", "", shown) == text
    assert "Patient × 1" in html
    assert "Alter × 1" in html


def test_a_report_without_charts_needs_no_script(tmp_path):
    assert "vegaEmbed" not in built(tmp_path, Paragraph("x"))


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(ConfigError, match="nowhere"):
        write_report(tmp_path / "nowhere" / "r.html", title="", lead="", sections=[])
