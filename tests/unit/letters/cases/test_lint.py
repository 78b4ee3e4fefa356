from __future__ import annotations

from pathlib import Path

import pytest

from mustermann.letters.cases import lint
from mustermann.letters.cases.house import LIBRARY

BROKEN = """
id = "kurzbrief"
specialty = "Innere Medizin"
title = "Fall mit Lücken"

[fits]
sex = {m = 1.0}
age = [40, 60]
stays = {akut = [2, 3]}

[[diagnoses]]
key = "gastritis"
title = "Akute Gastritis"
icd = "K29.1"
main = true

[[medication]]
key = "ppi"
substance = "Pantoprazol"
treats = ["ulkus"]
status = "neu"
strength = "40 mg"
scheme = "1-0-0"

[[text.anamnese]]
p = 1
say = "Seit gestern Schmerzen bei einem CRP von 12 mg/l."

[[text.nirgends]]
p = 1
say = "Niemand liest das."

[[text.verlauf]]
p = 2
when = "age > 99"
say = "{?age > 20: Alt|Jung}."
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cases") / "kurzbrief.toml"
    path.write_text(BROKEN, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(broken: Path) -> str:
    case = lint.compile_case(lint.read_case(broken))
    findings = lint.lint(case, seeds=1)
    return "\n".join(f"{f.level} {f.place}: {f.message}" for f in findings)


@pytest.mark.parametrize(
    "line",
    [
        "error diagnosis gastritis: no plan item is about it",
        "error drug ppi: treats no diagnosis of this case",
        "error text.nirgends: no such section",
        "warning drug ppi: new without a reason",
        "note drug ppi: no ATC code",
        "measured value in the text: '12 mg/l'",
        "1 effective forms, wanted 30",
        "never said in",
    ],
)
def test_says_what_a_case_lacks(report: str, line: str) -> None:
    assert line in report


def test_errors_stand_first(report: str) -> None:
    levels = [line.split()[0] for line in report.splitlines()]
    assert levels == sorted(levels, key=("error", "warning", "note").index)


def test_prints_a_report_and_returns_1_where_there_are_errors(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lint.main([str(broken), "--seeds", "1"]) == 1
    printed = capsys.readouterr().out
    assert "units of the case's own" in printed
    assert "commonest: " in printed


def test_shows_a_letter(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(LIBRARY / "nstemi.toml")
    assert lint.main([path, "--show", "3", "--length", "kurz", "--sex", "f"]) == 0
    printed = capsys.readouterr().out
    assert "NSTEMI" in printed
    assert "characters)" in printed


def test_a_missing_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint.main(["no such file.toml"]) == 1
    out = capsys.readouterr()
    assert "no such file.toml" in out.out + out.err
    assert "Traceback" not in out.out + out.err
