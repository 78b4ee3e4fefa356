import csv
from pathlib import Path

import phonenumbers
import pytest
from phonenumbers import geocoder

from mustermann.german import places

SHARED = Path(__file__).parents[3] / ".." / "shared" / "data" / "reference" / "places_de.csv"
LOCAL_NETWORKS = {
    "040": "Hamburg", "069": "Frankfurt", "089": "München", "0621": "Mannheim", "0911": "Nürnberg",
    "06831": "Saarlouis", "07621": "Lörrach",
}  # fmt: skip
"""Area codes that bear the name of another town in the network."""

ABBREVIATED = {"05541": "Hann. Münden", "06851": "St Wendel", "07721": "Villingen"}
STATES = {
    "Bavaria": "Bayern", "Land Berlin": "Berlin", "Lower Saxony": "Niedersachsen",
    "Saxony": "Sachsen", "Saxony-Anhalt": "Sachsen-Anhalt", "Thuringia": "Thüringen",
    "Mecklenburg-Western Pomerania": "Mecklenburg-Vorpommern",
}  # fmt: skip


def stem(name: str) -> str:
    for mark in (" (", " am ", " an der ", " im ", " in der ", " ob der ", " unter ", "-Tiengen"):
        name = name.split(mark)[0]
    return name


def test_there_are_towns_of_every_state_each_once() -> None:
    towns = places.towns()
    assert len(towns) >= 400
    assert len({town.name for town in towns}) == len(towns)
    assert len({town.state for town in towns}) == 16
    assert all(len(code) == 5 and code.isdigit() for town in towns for code in town.zips)
    assert all(1 <= len(town.plate) <= 3 and town.plate.isalpha() for town in towns)


def test_the_tricky_ones_are_marked() -> None:
    tricky = {town.name for town in places.tricky_towns()}
    asked = {"Essen", "Herne", "Weil am Rhein", "Singen", "Halle (Saale)", "Hof", "Lage", "Rain"}
    assert asked <= tricky
    assert len(tricky) >= 60
    assert len(places.surname_towns()) >= 50


def network(area_code: str) -> str:
    number = phonenumbers.parse(f"{area_code}123456", "DE")
    german, english = (geocoder.description_for_number(number, tongue) for tongue in ("de", "en"))
    return (german or english).replace("ß", "ss").removeprefix("Lutherstadt ")


def test_area_codes_are_the_towns_own() -> None:
    for town in places.towns():
        by_code = LOCAL_NETWORKS.get(town.area_code) or ABBREVIATED.get(town.area_code)
        expected = (by_code or stem(town.name)).replace("ß", "ss").removeprefix("Lutherstadt ")
        assert network(town.area_code).startswith(expected), town


LANDSCAPES = {
    "Odenwald": {"Hessen", "Baden-Württemberg"}, "Queich": {"Rheinland-Pfalz"},
    "Donau": {"Bayern", "Baden-Württemberg"}, "Westfalen": {"Nordrhein-Westfalen"},
    "Rheinland": {"Nordrhein-Westfalen"}, "Schwarzwald": {"Baden-Württemberg"},
    "Pfalz": {"Rheinland-Pfalz"}, "Saale": {"Sachsen-Anhalt", "Bayern", "Thüringen"},
    "Thüringen": {"Thüringen"}, "Hessen": {"Hessen"}, "Sachsen": {"Sachsen"}, "Bayern": {"Bayern"},
}  # fmt: skip
"""States of landscapes and rivers that tell towns of one name apart."""


def test_area_codes_are_not_those_of_a_namesake() -> None:
    for town in places.towns():
        last = network(town.area_code).split(" ")[-1]
        assert town.state in LANDSCAPES.get(last, {town.state}), town


@pytest.mark.reference
@pytest.mark.skipif(not SHARED.exists(), reason="no reference data beside the checkout")
def test_zips_and_states_agree_with_the_reference() -> None:
    with SHARED.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    by_zip: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        state = STATES.get(row["state"], row["state"])
        by_zip.setdefault((row["zip"], state), []).append(row["place"])
    wrong = [
        (town.name, code) for town in places.towns() for code in town.zips
        if not any(p.startswith(stem(town.name)) for p in by_zip.get((code, town.state), []))
    ]  # fmt: skip
    assert wrong == []


def test_streets_are_many_and_clean() -> None:
    assert len(set(places.streets())) == len(places.streets()) >= 300
    assert all(street[0].isupper() and not street[-1].isdigit() for street in places.streets())


def test_large_towns_come_more_often() -> None:
    names = [town.name for town in places.towns_by_size()]
    assert names.count("Berlin") > names.count("Herne") > names.count("Rain") == 1
