"""What a case can say, read out so that every ending is seen."""

from __future__ import annotations

from itertools import product

import pytest

from mustermann.letters.cases import wordings
from mustermann.letters.cases.library import LIBRARY, compile_case, read_case

FILE = LIBRARY / "erysipel.toml"
ADDED = """
[[text.verlauf]]
p = 1
at = 999
say = "Das Wetter {war|blieb} am {Montag|Dienstag|Mittwoch} {warm|kalt}, {%knapp: kurz|heiter}."

[[text.verlauf]]
p = 1
at = 998
when = "age < 0"
say = "Das sagt niemand."
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("cases") / "eigen.toml"
    text = FILE.read_text(encoding="utf-8").replace('id = "erysipel"', 'id = "eigen"')
    path.write_text(text + ADDED, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def units(file):
    return wordings.wordings(compile_case(read_case(file)), patients=60)


def test_every_pair_of_neighbours_is_shown(units):
    shown = next(texts for texts in units.values() if texts[0].startswith("Das Wetter"))
    text = " ".join(shown)
    for verb, day in product(("war", "blieb"), ("Montag", "Dienstag", "Mittwoch")):
        assert f"{verb} am" in text
        assert f"am {day}" in text
    for day, warmth in product(("Montag", "Dienstag", "Mittwoch"), ("warm", "kalt")):
        assert f"{day} {warmth}," in text
    assert ", kurz" in text
    assert ", heiter" in text


def test_few_wordings_are_enough(units):
    shown = next(texts for texts in units.values() if texts[0].startswith("Das Wetter"))
    # Of 24 wordings six hold every pair of a day and what follows; the greedy choice may miss one.
    assert 6 <= len(shown) <= 8


def test_what_no_patient_has_is_not_made_up(units):
    assert not any("Das sagt niemand" in text for texts in units.values() for text in texts)


def test_values_and_names_stand_in_the_text(units):
    assert not any("[[" in text or "<<" in text for texts in units.values() for text in texts)


def test_lists_are_read_out_with_the_case_and_modules_apart(file, units):
    assert "list diagnosen" in units
    assert all(where.startswith(("eigen.toml", "list ")) for where in units)
    shared = wordings.wordings(compile_case(read_case(file)), patients=6, modules=True)
    assert shared
    assert not any(where.startswith(("eigen.toml", "list ")) for where in shared)


def test_the_command_prints_units(file, capsys):
    assert wordings.main([str(file), "--patients", "4"]) == 0
    out = capsys.readouterr().out
    assert "\n## eigen.toml, " in out
    assert "\n- " in out


def test_a_broken_file_is_one_line(tmp_path, capsys):
    assert wordings.main([str(tmp_path / "nowhere.toml")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
