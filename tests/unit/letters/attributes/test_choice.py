import dataclasses

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.admission import Admission
from mustermann.letters.attributes.choice import choose_case
from mustermann.letters.attributes.clinical import CaseProfile
from mustermann.letters.config import LettersConfig, SpecialtyGate, StayMix

SURGERY = CaseProfile(
    id="appendix", specialty="Chirurgie", sexes={"m": 1.0, "f": 1.0}, ages=(10, 60),
    stays={"akut": (2, 6)}, icd=("K35.8",), ops=("5-470.1",),
)  # fmt: skip
BOWEL = dataclasses.replace(
    SURGERY, id="ileus", stays={"akut": (5, 9), "lang": (14, 30)}, weight=3.0
)
HEART = dataclasses.replace(SURGERY, id="af", specialty="Kardiologie", icd=("I48.0",), ops=())


def choose(number: int, profiles, config: LettersConfig | None = None, **given):
    return choose_case(
        Seeds(4).child("letters", number), profiles=profiles, config=config or LettersConfig(),
        admission=Admission(**given),
    )  # fmt: skip


def test_age_sex_and_days_fit_the_case() -> None:
    for number in range(300):
        chosen = choose(number, (SURGERY, BOWEL, HEART))
        assert 10 <= chosen.age <= 60
        assert chosen.stay in chosen.profile.stays
        assert chosen.days == chosen.profile.stays[chosen.stay]


def test_a_case_is_as_frequent_as_its_weight_says_whatever_its_specialty() -> None:
    many = [dataclasses.replace(SURGERY, id=f"case {i}", weight=0.5) for i in range(8)]
    share = sum(choose(n, (*many, HEART)).profile.id == "af" for n in range(1000)) / 1000
    assert 0.16 < share < 0.24


def test_weights_count_within_a_specialty() -> None:
    drawn = [choose(n, (SURGERY, BOWEL), length_of_stay=5).profile.id for n in range(1000)]
    assert 690 < drawn.count("ileus") < 810


def test_a_gate_narrows_age_and_sex() -> None:
    gates = {"Chirurgie": SpecialtyGate(youngest=40, oldest=45, male=0.0)}
    for number in range(50):
        chosen = choose(number, (SURGERY,), LettersConfig(specialties=gates))
        assert 40 <= chosen.age <= 45 and chosen.sex == "f"


def test_kinds_of_stay_that_no_case_offers_are_left_out() -> None:
    config = LettersConfig(stay=StayMix(ambulant=1.0, akut=1e-9, lang=0.0))
    assert choose(1, (SURGERY,), config).stay == "akut"


def test_given_codes_choose_the_case() -> None:
    for number in range(20):
        assert choose(number, (SURGERY, HEART), icd="I48.0").profile.id == "af"
        assert choose(number, (SURGERY, HEART), ops=("5-470.1",)).profile.id == "appendix"
