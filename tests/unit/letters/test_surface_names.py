import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Person
from mustermann.letters.house import HouseStyle
from mustermann.letters.segments import Placeholder
from mustermann.letters.surface_names import person_surface, short_titles

PERSON = Person(sex="m", given=("Max",), family="Leitner", titles=("PD", "Dr. med."))


def style(seed, *, noisy=True, professor=False):
    return HouseStyle(
        birth="dmy", stay="dmy", letter="dmy", event="dmy", phone="din", dose_blank=True,
        brand=False, austrian=False, professor=professor, noisy_titles=noisy,
        draws=Seeds(seed).draws("house"),
    )  # fmt: skip


def surface(form, person=PERSON, **options):
    made = person_surface(person, Placeholder("oberarzt", form=form), label="STAFF_NAME",
                          style=style(options.pop("seed", 1), **options))  # fmt: skip
    return made.text


def test_careless_titles_are_those_of_real_letters():
    full = {surface("full_titles", seed=seed) for seed in range(60)}
    assert full == {"PD Dr.med. Max Leitner", "PD. Dr. med. Max Leitner", "PD Dr. med.Max Leitner"}
    doctor = Person(sex="f", given=("Eva",), family="Leitner", titles=("Dr. med.",))
    short = {surface("hon_last", doctor, seed=seed) for seed in range(60)}
    assert short == {"Frau Dr. Leitner", "Frau Dr.Leitner"}


def test_a_house_writes_one_title_alike_throughout():
    assert len({surface("full_titles", seed=7) for _ in range(5)}) == 1


def test_a_careful_house_writes_titles_as_they_are():
    assert surface("full_titles", noisy=False) == "PD Dr. med. Max Leitner"


def test_professor_is_the_only_title_in_a_salutation():
    chief = Person(sex="f", given=("Eva",), family="Rein", titles=("Prof.", "Dr. med."))
    assert surface("salutation", chief, noisy=False) == "Sehr geehrte Frau Prof. Rein"
    written_out = surface("salutation", chief, noisy=False, professor=True)
    assert written_out == "Sehr geehrte Frau Professor Rein"


@pytest.mark.parametrize(
    ("titles", "short"),
    [
        (("Dr. med.",), ("Dr.",)), (("Dr. rer. nat.", "Dr. med."), ("Dr.",)),
        (("Univ.-Prof.", "Dr. med.", "Dr. h. c."), ("Univ.-Prof.", "Dr.")),
        (("PD", "Dr. med. habil."), ("PD", "Dr.")), (("Dipl.-Psych.",), ()), ((), ()),
        (("MUDr.",), ("Dr.",)), (("Prim.", "Dr."), ("Prim.", "Dr.")),
    ],
)  # fmt: skip
def test_titles_shrink_before_a_bare_family_name(titles, short):
    assert short_titles(titles) == short
