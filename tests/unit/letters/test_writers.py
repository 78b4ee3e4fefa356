from __future__ import annotations

import dataclasses
import re
from itertools import product

import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.cases.blocks import is_pathological
from mustermann.letters.cases.library import load_case
from mustermann.letters.cases.probe import probe
from mustermann.letters.config import LengthBands
from mustermann.letters.render import render
from mustermann.letters.segments import Mention, Placeholder
from mustermann.letters.writers import CaseWriter, environment, tidy

NAME = Placeholder("arzt_einweiser")
OPEN, CLOSE = Mention(open=True, atom="diagnosis", key="x"), Mention(open=False, atom="diagnosis")


@pytest.mark.parametrize(
    ("segments", "tidied"),
    [
        (["An ", " ", NAME], ["An ", NAME]),
        (["An  ", NAME, "  und", " ,"], ["An ", NAME, " und,"]),
        (["Herrn", "\n", " ", NAME], ["Herrn\n", NAME]),
        (["eine ", OPEN, "", "Gicht", CLOSE, " ", " besteht"],
         ["eine ", OPEN, "Gicht", CLOSE, " besteht"]),
        (["eine ", OPEN, CLOSE, " Gicht"], ["eine ", OPEN, CLOSE, "Gicht"]),
        (["Infarkt\n   ", NAME, ".", "."], ["Infarkt\n   ", NAME, "."]),
        (["a \n", "b ( c )"], ["a\nb ( c)"]),
        (["weich, ", ", ", " indolent,", "."], ["weich, indolent."]),
        (["Status unauff.", ", ", "."], ["Status unauff."]),
        ([OPEN, "Gonarthrose bds.", CLOSE, ". Fit."],
         [OPEN, "Gonarthrose bds.", CLOSE, " Fit."]),
        (["3,5, ", NAME, ", 4"], ["3,5, ", NAME, ", 4"]),
        (["und so weiter ... "], ["und so weiter... "]),
        (["", ""], []),
    ],
)  # fmt: skip
def test_tidy_leaves_one_blank_and_one_full_stop(segments, tidied) -> None:
    assert tidy(segments) == tidied


def letter(length: str = "mittel", *, seed: int = 0, case: str = "nstemi", **options) -> str:
    attributes = probe(load_case(case), seed=seed, sex="m", stay="akut", length=length, **options)
    skeleton = CaseWriter().write(attributes, seeds=Seeds(seed))
    return render(skeleton, attributes, id="x").text


def test_a_letter_is_a_function_of_attributes_and_seeds() -> None:
    assert letter(seed=4) == letter(seed=4)
    assert letter(seed=4) != letter(seed=5)


@pytest.mark.parametrize("length", ["kurz", "mittel", "ausfuehrlich", "sehr_lang"])
def test_lengths_stay_in_their_band_even_where_everything_is_included(length: str) -> None:
    low, high = LengthBands().at(length)
    for seed in range(12):
        assert low <= len(letter(length, seed=seed)) <= high


def test_headings_stand_in_structured_letters_only() -> None:
    heads = re.compile(
        r"(?im)^(?:status|aufnahmebefund|untersuchungsbefund|procedere|empfehlungen)"
    )
    structured = [letter(seed=seed) for seed in range(8)]
    narrative = [letter(seed=seed, structure="narrative") for seed in range(8)]
    assert sum(bool(heads.search(text)) for text in structured) >= 5
    assert not any(heads.search(text) for text in narrative)


def test_a_numbered_plan_of_a_narrative_letter_starts_on_a_line_of_its_own() -> None:
    texts = [letter("ausfuehrlich", seed=seed, structure="narrative") for seed in range(30)]
    assert not any(re.search(r": (?:- |1\. (?!OG))\w", text) for text in texts)


def test_every_listed_diagnosis_has_its_plan_in_the_shortest_letter() -> None:
    case = load_case("nstemi")
    planned = {key for units in case.said.values() for unit in units
               if unit.priority == 1 for key in unit.about}  # fmt: skip
    for seed in range(40):
        attributes = probe(case, seed=seed, sex="f", stay="akut", length="kurz")
        lines = {line.spec.key: line.spec for line in case.diagnoses}
        owed = {d.key for d in attributes.course.diagnoses if lines[d.key].plan}
        assert owed <= planned


def test_people_of_the_environment_are_those_let_in() -> None:
    full = environment(probe(load_case("nstemi"), seed=1, sex="m", stay="akut"))
    bare = environment(probe(load_case("nstemi"), seed=1, sex="m", stay="akut", full=False))
    assert "tochter" in full["person"]
    assert full["kin"] == "Tochter"
    assert "tochter" in full["frau"]
    assert bare["person"] == {"arzt_einweiser", "hausarzt", "stationsarzt", "oberarzt", "chefarzt"}
    assert bare["kin"] == ""
    assert "tochter" not in bare["frau"]


def test_a_very_long_letter_short_of_words_ends_with_a_table_of_all_values() -> None:
    ends = [letter("sehr_lang", seed=seed).split("\n\n")[-1] for seed in range(12)]
    tables = [end for end in ends if "Parameter\tEinheit\tReferenz" in end]
    assert tables
    for table in tables:
        rows = table.splitlines()[2:]
        assert len(rows) >= 8
        assert len({row.split("\t")[0] for row in rows}) == len(rows)
    assert not any("Parameter\t" in letter("kurz", seed=s).split("\n\n")[-1] for s in range(12))


def test_a_letter_without_a_pathological_value_does_not_go_on_from_one() -> None:
    found = 0
    for name, seed in product(("lagerungsschwindel", "katarakt", "netzhautabloesung"), range(20)):
        attributes = probe(load_case(name), seed=seed, sex="m", stay="akut", length="mittel")
        if any(map(is_pathological, attributes.course.labs.values())):
            continue
        text = render(CaseWriter().write(attributes, seeds=Seeds(seed)), attributes, id="x").text
        assert not re.search(r"(?m)^(?:Sonst|Außerdem|Ferner|Des Weiteren|Weitere Werte:) \w", text)
        found += 1
    assert found > 10


def test_without_has_meds_no_drug_is_listed_and_the_plan_is_named() -> None:
    for seed in range(12):
        listed = probe(load_case("nstemi"), seed=seed, sex="m", stay="akut")
        without = dataclasses.replace(listed.parameters, has_meds=False)
        schemes = []
        for attributes in (listed, dataclasses.replace(listed, parameters=without)):
            text = render(
                CaseWriter().write(attributes, seeds=Seeds(seed)), attributes, id="x"
            ).text
            schemes.append(len(re.findall(r"[\d½]-[\d½]-[\d½]", text)))
        assert schemes[0] > 2
        assert schemes[1] == 0
        assert re.search(r"edikationsplan|gesondertem Plan|(siehe|laut) Anlage", text)


def test_an_analyte_has_one_name_in_a_letter_and_its_own_in_the_record() -> None:
    names = set()
    for seed in range(30):
        attributes = probe(load_case("nstemi"), seed=seed, sex="m", stay="akut", length="mittel")
        lab = attributes.course.labs["leuko"]
        assert lab.name == "Leukozyten"
        names.add(lab.written)
    assert names == {"Leukozyten", "Leukos", "Leuko"}
