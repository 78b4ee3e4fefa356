import fnmatch
import re
import tomllib
from pathlib import Path

import pytest

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.german import drugs, employers, institutions, people, pools, professions, terms

FOLDER = Path(pools.__file__).parent


FILES = [
    file for file in FOLDER.rglob("*")
    if file.suffix in {".toml", ".csv", ".txt"} and file.name != "SOURCE.toml"
]  # fmt: skip


@pytest.mark.parametrize("folder", sorted({file.parent for file in FILES}), ids=lambda f: f.name)
def test_every_pool_file_has_a_source_and_a_licence(folder: Path) -> None:
    sources = tomllib.loads((folder / "SOURCE.toml").read_text(encoding="utf-8"))["pool"]
    assert all(source["origin"] and source["licence"] for source in sources)
    patterns = [pattern for source in sources for pattern in source["files"]]
    for file in FILES:
        if file.parent == folder:
            assert any(fnmatch.fnmatch(file.name, pattern) for pattern in patterns), file


def test_a_missing_pool_is_an_error_in_words() -> None:
    with pytest.raises(DataError, match=r"names/none\.toml"):
        pools.read_toml("names/none.toml")


def test_drugs_are_many_and_coded() -> None:
    found = drugs.drugs()
    assert len({drug.substance for drug in found}) == len(found) >= 250
    for drug in found:
        assert re.fullmatch(r"[A-Z]\d\d[A-Z]{2}(\d\d)?", drug.atc), drug
        assert drug.brands and all(drug.brands) and drug.form
        assert all(any(c.isdigit() for c in strength) for strength in drug.strengths), drug


def test_drugs_are_found_by_substance_and_brand() -> None:
    assert drugs.by_name()["Eliquis"] is drugs.by_name()["Apixaban"]
    assert drugs.by_name()["Bisoprolol"].atc == "C07AB07"


def test_terms_are_many_and_show_their_names() -> None:
    assert len({term.text for term in terms.eponyms()}) == len(terms.eponyms()) >= 250
    assert len({term.text for term in terms.lookalikes()}) == len(terms.lookalikes()) >= 80
    for term in (*terms.eponyms(), *terms.lookalikes()):
        assert term.names and all(name in term.text for name in term.names)
        assert "{" not in term.text
    assert terms.Term("Swan-Ganz-Katheter", ("Swan", "Ganz")) in terms.lookalikes()


def test_eponyms_are_found_in_titles() -> None:
    class Title:
        title = "Idiopathisches Parkinson-Syndrom, Hoehn-und-Yahr-Stadium III"

    assert terms.eponym_names_in([Title()]) == ("Parkinson", "Hoehn", "Yahr")


def test_no_house_is_named_twice_and_none_holds_a_brace() -> None:
    kinds = ("clinics", "rehab", "practices", "wards", "organisations")
    for kind in kinds:
        entries = institutions.named(kind)
        assert len(set(entries)) == len(entries) >= 15
        assert not any(c in entry for entry in entries for c in "{}")
    assert len(institutions.clinics()) >= 40
    assert all("Hagen" in house.name for house in institutions.town_clinics("Hagen"))


def test_hosts_belong_to_nobody() -> None:
    reserved = re.compile(r"(^|\.)(example|example\.(com|org|net|de))$")
    for kind in ("mail_hosts", "house_domains"):
        assert all(reserved.search(host) for host in institutions.named(kind))


def test_every_slot_has_roles_in_both_forms() -> None:
    assert people.roles("oberarzt", "f")[0] == "Oberärztin"
    assert ("Prof.", "Dr. med.") in people.titles("chefarzt").options


@pytest.mark.parametrize("sex", ["m", "f"])
@pytest.mark.parametrize("age", range(0, 100, 3))
def test_professions_fit_the_age(age: int, sex: str) -> None:
    found = professions.choose(Seeds(1).draws("work"), f"{age}", sex=sex, age=age)
    school = ("Kinder", "Grundschül", "Schüler", "Realsch", "Gymnasiast", "Gesamt")
    assert bool(found) == (age >= 3)
    assert found.startswith(school) == (3 <= age < 16) or age in range(16, 18)
    if age >= 28:
        assert found in {p.of(sex) for p in professions.professions("working")}


def test_employers_are_many_and_fit_the_profession() -> None:
    known = employers.employers()
    assert len(set(known)) == len(known) >= 100
    assert not any(c in name for name in known for c in "{}")
    assert "Bäckerei Kornkammer" in employers.employers_of("Konditorin")
    assert "Bäckerei Kornkammer" not in employers.employers_of("Lehrer")
    assert employers.employers_of("Pfarrerin") == employers.employers_of("Studentin") == ()
    working = {p.male for p in professions.professions("working")}
    employed = {male for male in working if employers.employers_of(male)}
    assert len(employed) > 0.7 * len(working)


def test_there_are_many_professions_in_both_forms() -> None:
    working = professions.professions("working")
    assert len({profession.male for profession in working}) == len(working) >= 150
    assert all(p.male != p.female and p.youngest >= 17 for p in working)
