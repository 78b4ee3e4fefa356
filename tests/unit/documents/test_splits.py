from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.seeds import Seeds
from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.documents.splits import Summary, patient, split, summary

SHARES = {"train": 0.8, "dev": 0.1, "test": 0.1}


def person(family, *, born="1960-01-01", given=("Anna",)):
    return {"attributes": {"patient": {"given": list(given), "family": family, "particle": ""},
                           "dates": {"geburtsdatum": born}}}  # fmt: skip


def corpus(count, *, seed=0):
    draws = Seeds(seed).random("corpus")
    made = []
    for number in range(count):
        strata = Counter({"documents": 1, f"difficulty {draws.choice(['easy', 'hard'])}": 1})
        for label, rate in (("NAME", 0.9), ("KVNR", 0.3), ("DEATH", 0.08)):
            strata[f"label {label}"] = sum(draws.random() < rate for _ in range(4))
        made.append(Summary(f"{number}", f"p{number // 2}", strata))
    return made


def test_every_stratum_is_shared_out_alike():
    found = corpus(1_000)
    places = split(found, SHARES, seed=0)
    for stratum in found[0].strata:
        counts = Counter()
        for one in found:
            counts[places[one.id]] += one.strata.get(stratum, 0)
        total = sum(counts.values())
        for name, share in SHARES.items():
            assert abs(counts[name] - share * total) <= 0.01 * total + 2


@given(st.integers(3, 60), st.integers(0, 5))
def test_patients_stay_together_and_no_split_is_empty(count, seed):
    found = corpus(2 * count, seed=seed)
    places = split(found, SHARES, seed=seed)
    assert len(places) == len(found)
    assert set(places.values()) == set(SHARES)
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert places[one.id] == places[other.id]


def test_the_order_of_the_documents_is_immaterial_and_the_seed_is_not():
    found = corpus(60)
    places = split(found, SHARES, seed=1)
    assert split(found[::-1], SHARES, seed=1) == places
    assert split(found, SHARES, seed=2) != places


def test_a_patient_is_a_name_and_a_birth_date():
    a = Document("a", "", meta=person("Weber"))
    assert patient(a) == patient(Document("b", "", meta=person("Weber")))
    assert patient(a) != patient(Document("c", "", meta=person("Weber", born="1961-01-01")))
    assert patient(Document("d", "")) != patient(Document("e", ""))


def test_a_pattern_finds_the_patient_in_the_id():
    pattern = r"^(.*?)(?:_\d+)?$"
    names = [
        patient(Document(name, ""), pattern=pattern) for name in ("Tupolev_1", "Tupolev_2", "Boeck")
    ]
    assert names[0] == names[1] != names[2]
    assert patient(Document("220-03", ""), pattern=r"^\d+") == "id:220"
    with pytest.raises(ConfigError, match="regular expression"):
        patient(Document("a", ""), pattern="(")


def test_a_summary_counts_labels_and_difficulty():
    found = summary(Document("a", "Anna", (Span(0, 4, "NAME"),), meta={"difficulty": "easy"}))
    assert found.strata == {"label NAME": 1, "documents": 1, "difficulty easy": 1}


@pytest.mark.parametrize(
    "shares", [{"a": 0.5, "b": 0.4}, {"a": 1.0, "b": 0.0}, {"a": 2.0, "b": -1.0}]
)
def test_shares_that_do_not_add_up_are_refused(shares):
    with pytest.raises(ConfigError, match="add up to 1"):
        split(corpus(10), shares, seed=0)


def test_too_few_patients_and_repeated_ids_are_refused():
    with pytest.raises(DataError, match="3 splits, found 2"):
        split(corpus(4), SHARES, seed=0)
    with pytest.raises(DataError, match="twice"):
        split([*corpus(10), *corpus(10)], SHARES, seed=0)
