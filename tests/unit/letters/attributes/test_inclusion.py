import dataclasses

import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.inclusion import ALWAYS, GATES, sample_included, unlikely
from mustermann.letters.attributes.record import Course, Parameters
from mustermann.letters.attributes.sampler import MAKERS, PEOPLE
from mustermann.letters.config import Inclusion


def included(number: int, settings: Inclusion, density: float = 1.0, absent=frozenset()):
    parameters = Parameters(
        difficulty="easy", style="standard", length="kurz", structure="structured", density=density
    )
    return sample_included(
        Seeds(9).child("letters", number), settings=settings, parameters=parameters, absent=absent
    )


def everything(probability: float) -> Inclusion:
    return Inclusion(**{field.name: probability for field in dataclasses.fields(Inclusion)})


def test_each_gate_leads_to_slots() -> None:
    known = {*MAKERS, *PEOPLE, "geburtsname", "sterbedatum"}
    gates = {gate.name for gate in dataclasses.fields(Inclusion)}
    assert set(GATES) <= gates
    for gate in gates:
        assert set(GATES.get(gate, (gate,))) <= known
    assert known >= ALWAYS


def test_nothing_but_what_is_always_there_without_probability_or_density() -> None:
    assert included(1, everything(0.0)) == ALWAYS
    assert included(1, everything(1.0), density=1e-6) == ALWAYS


def test_an_address_goes_in_as_a_whole() -> None:
    for number in range(50):
        slots = included(number, Inclusion())
        assert len({"adresse", "strasse", "plz", "ort"} & slots) in {0, 4}


def test_absent_slots_stay_out() -> None:
    assert "pkv_nr" in included(1, everything(1.0))
    assert "pkv_nr" not in included(1, everything(1.0), absent=frozenset({"pkv_nr"}))


def test_density_opens_gates_and_closes_none() -> None:
    for number in range(50):
        assert included(number, Inclusion(), 0.3) <= included(number, Inclusion(), 0.9)


def test_a_gate_moves_no_other() -> None:
    for number in range(50):
        more = included(number, dataclasses.replace(Inclusion(), email=1.0))
        assert more - {"email"} == included(number, Inclusion()) - {"email"}


@pytest.mark.parametrize(
    ("facts", "age", "absent", "there"),
    [
        ({"familienstand": "verwitwet", "kinder": "zwei Kinder"}, 80,
         {"ehepartner", "mutter", "vater"}, {"tochter", "sohn", "enkel"}),
        ({"familienstand": "verheiratet", "kinder": "keine Kinder"}, 50,
         {"tochter", "sohn", "enkel"}, {"ehepartner", "mutter"}),
        ({}, 6, {"ehepartner", "tochter", "enkel", "bruder"}, {"mutter", "vater"}),
    ],
)  # fmt: skip
def test_relatives_whom_the_patient_does_not_have_stay_out(facts, age, absent, there) -> None:
    course = Course(case="x", specialty="x", stay="akut", diagnoses=(), facts=facts)
    found = unlikely(course, age=age)
    assert absent <= found
    assert not there & found
