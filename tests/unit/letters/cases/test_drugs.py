from __future__ import annotations

import pytest

from mustermann.letters.cases.drugs import Lists, reconcile
from mustermann.letters.cases.format import Change, DrugSpec
from mustermann.letters.cases.grammar import Text
from mustermann.letters.cases.model import ALWAYS, Drug, DrugChange


def drug(
    key: str, substance: str, strength: str, *, group: str, own: bool = False, scheme="1-0-0",
    status="unverändert", before: tuple[str, str] | None = None, rank: int = 50,
) -> Drug:  # fmt: skip
    spec = DrugSpec(key=key, substance=substance, treats=["x"], strength=strength, scheme=scheme,
                    group=group, status=status, rank=rank)  # fmt: skip
    return Drug(
        spec=spec, test=ALWAYS, strength=Text(strength), scheme=Text(scheme),
        before=(Text(before[0]), Text(before[1])) if before else None, reason=Text(""),
        until=Text(""), own=own,
    )  # fmt: skip


def change(group: str, status="pausiert", when=ALWAYS) -> DrugChange:
    spec = Change(group=group, status=status, reason="Kontrastmittel")
    return DrugChange(spec=spec, test=when, strength=Text(""), scheme=Text(""),
                      reason=Text("Kontrastmittel"), until=Text(""))  # fmt: skip


def lists(*drugs: Drug, rules: tuple[DrugChange, ...] = ()) -> Lists:
    return reconcile(drugs, rules, {}, lambda node, name: getattr(node, "text", ""))


def now(found: Lists) -> list[tuple[str, str, str]]:
    return [(one.substance, one.strength, one.status) for one in found.now]


def test_a_new_drug_replaces_another_substance_of_its_group() -> None:
    found = lists(
        drug("simva", "Simvastatin", "20 mg", group="statin"),
        drug("atorva", "Atorvastatin", "80 mg", group="statin", own=True, status="neu"),
    )
    assert now(found) == [("Atorvastatin", "80 mg", "neu"), ("Simvastatin", "20 mg", "abgesetzt")]
    assert found.now[1].reason == "Umstellung auf Atorvastatin"
    assert [one.substance for one in found.before] == ["Simvastatin"]


def test_a_higher_dose_of_the_same_substance_is_a_change_under_the_old_key() -> None:
    found = lists(
        drug("atorva_alt", "Atorvastatin", "20 mg", group="statin"),
        drug("atorva", "Atorvastatin", "80 mg", group="statin", own=True, status="neu"),
    )
    assert now(found) == [("Atorvastatin", "80 mg", "geändert")]
    assert found.now[0].key == found.before[0].key == "atorva_alt"


@pytest.mark.parametrize("taken", ["40 mg", "20 mg"])
def test_who_takes_enough_already_goes_on_with_it(taken: str) -> None:
    found = lists(
        drug("ppi_alt", "Pantoprazol", taken, group="ppi"),
        drug("ppi", "Pantoprazol", "20 mg", group="ppi", own=True, status="neu"),
    )
    assert now(found) == [("Pantoprazol", taken, "unverändert")]


def test_a_changed_drug_keeps_its_strength_on_admission() -> None:
    found = lists(drug("biso", "Bisoprolol", "5 mg", group="betablocker", own=True,
                       status="geändert", before=("2,5 mg", "1-0-0")))  # fmt: skip
    assert (found.before[0].strength, found.before[0].status) == ("2,5 mg", "unverändert")
    assert now(found) == [("Bisoprolol", "5 mg", "geändert")]


def test_rules_meet_what_was_taken_before_and_nothing_new() -> None:
    found = lists(
        drug("met", "Metformin", "500 mg", group="metformin", rank=1),
        drug("sita", "Sitagliptin", "50 mg", group="dpp4", own=True, status="neu", rank=2),
        rules=(change("dpp4"), change("metformin", when=lambda env: False), change("metformin")),
    )
    assert now(found) == [("Sitagliptin", "50 mg", "neu"), ("Metformin", "500 mg", "pausiert")]
    assert found.changes == {"met": 2}
