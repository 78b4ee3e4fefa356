"""The two judges of a nearly finished case: every way to write it, and what it says again."""

import pytest

from mustermann.letters.cases import repeats, stress
from mustermann.letters.cases.library import LIBRARY, compile_case, read_case

FILE = LIBRARY / "erysipel.toml"


def own_file(tmp_path, change):
    """A case outside the library, changed."""
    text = FILE.read_text(encoding="utf-8").replace('id = "erysipel"', 'id = "eigen"')
    path = tmp_path / "eigen.toml"
    path.write_text(change(text), encoding="utf-8")
    return path


def test_a_sound_case_outside_the_library_passes(tmp_path, capsys):
    path = own_file(tmp_path, lambda text: text)
    assert stress.main([str(path), "--seeds", "1"]) == 0
    assert "eigen: 48 letters, 0 failed" in capsys.readouterr().out


def test_an_impossible_patient_is_found_at_the_first_draft(tmp_path):
    spoilt = own_file(tmp_path, lambda text: text.replace('icd = "A46"', 'icd = "J21.0"', 1))
    found = stress.stress(compile_case(read_case(spoilt)), seeds=1)
    assert found.letters == 48
    assert found.dropped["possible_diagnosis"] == len(found.failures) == 48
    assert "possible_diagnosis" in found.failures[0]


def test_a_broken_file_is_one_line(tmp_path, capsys):
    assert stress.main([str(tmp_path / "nowhere.toml")]) == 1
    assert repeats.main([str(tmp_path / "nowhere.toml")]) == 1
    assert capsys.readouterr().err.count("\n") == 2


def test_a_sentence_without_alternatives_is_the_most_worn(tmp_path):
    fixed = (
        '\n[[text.verlauf]]\np = 1\nat = 999\nsay = "Die Stimmung auf der Station war den ganzen '
        'Aufenthalt hindurch ausgesprochen heiter und die Verpflegung schmeckte vorzüglich gut."\n'
    )
    path = own_file(tmp_path, lambda text: text + fixed)
    found = {w.unit.where: w for w in repeats.repeats(compile_case(read_case(path)), patients=12)}
    worn = next(w for w in found.values() if w.unit.at == 999)
    assert worn.worn == pytest.approx(worn.trigrams, rel=0.01)
    others = [w.worn / w.trigrams for w in found.values() if w is not worn and w.trigrams]
    assert worn.worn / worn.trigrams > sum(others) / len(others)


def test_the_report_names_the_units(capsys):
    assert repeats.main([str(FILE), "--top", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("erysipel: ")
    assert len(lines) == 3
