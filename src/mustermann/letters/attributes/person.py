"""People: the patient, relatives who share a name, staff with titles, others."""

from __future__ import annotations

import dataclasses
import functools
import zlib

from mustermann.core.seeds import Draws
from mustermann.german import names, people
from mustermann.german.names import FamilyName, Generation, NamePool
from mustermann.letters.attributes.record import Difficulty, Person, Sex
from mustermann.letters.config import LettersConfig, Origins

_SEXES: dict[str, Sex] = {
    "mutter": "f", "vater": "m", "tochter": "f", "sohn": "m", "schwester": "f", "bruder": "m",
}  # fmt: skip
_KEEP_NAME = frozenset({"vietnamese", "iberian", "arabic", "persian"})
"""Origins where marriage seldom changes a family name."""

_YEARS_LATER: dict[str, tuple[int, int]] = {
    "ehepartner": (-7, 7), "mutter": (-38, -18), "vater": (-44, -20), "schwester": (-10, 10),
    "bruder": (-10, 10), "tochter": (20, 36), "sohn": (20, 36), "enkel": (44, 68),
}  # fmt: skip
"""How many years after the patient a relative was born."""
_KINDS: dict[str, int] = {
    "ehepartner": 0, "mutter": 1, "vater": 1, "schwester": 2, "bruder": 2, "tochter": 3, "sohn": 3,
    "enkel": 4,
}  # fmt: skip
"""Relatives of a kind take their given names from a fifth of the pool of their own: two of one
given name would read like a slip, and each is drawn without knowing of the others. Which fifth
it is turns with the patient's name, so that every name may be anybody's."""
_FIFTHS = 5


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Namer:
    """Draws names at one difficulty.

    Attributes:
      config: Probabilities.
      difficulty: Of the letter.
      taken: Words that the letter says otherwise; no name that is drawn has one.
    """

    config: LettersConfig
    difficulty: Difficulty
    taken: frozenset[str] = frozenset()

    def patient(
        self, draws: Draws, *, sex: Sex, age: int, born: int, family: FamilyName | None = None
    ) -> Person:
        """Returns the patient.

        Args:
          draws: Stream of this person.
          sex: Of the patient.
          age: Whole years at admission.
          born: Year of birth.
          family: Overrides the family name, for the modes that ask for a certain one.
        """
        settings = self.config.names
        origin = "german" if family else self._origin(draws)
        drawn = family or self._family(draws, "family", origin, rich=True)
        chance = settings.birth_name if sex == "f" else settings.birth_name_man
        married = age >= 25 and origin not in _KEEP_NAME and draws.bernoulli("birth name", chance)
        birth = self._family(draws, "birth family", origin) if married else None
        titled = age >= 28 and draws.bernoulli("titled", settings.patient_title)
        return self._person(
            draws, sex=sex, born=born, origin=origin, family=drawn,
            titles=_titles(draws, "patient") if titled else (),
            birth_name=birth.of(sex) if birth and birth.of(sex) != drawn.of(sex) else "",
        )  # fmt: skip

    def relative(self, draws: Draws, slot: str, *, patient: Person, born: int) -> Person:
        """Returns a relative, who shares the patient's name where families do."""
        sex = self._relative_sex(draws, slot, patient.sex)
        low, high = _YEARS_LATER[slot]
        year = born + draws.integer("years", low, high)
        return self._person(
            draws, sex=sex, born=year, origin=patient.origin,
            family=self._relative_family(draws, slot, patient),
            role=draws.choice("role", people.roles(slot, sex)),
            fifth=_fifth(slot, patient),
            unlike=patient.given[0],
        )  # fmt: skip

    def staff(
        self, draws: Draws, slot: str, *, year: int, namesake: Person | None = None
    ) -> Person:
        """Returns a member of staff with titles.

        Args:
          draws: Stream of this person.
          slot: Such as "oberarzt"; decides role and titles.
          year: The present one.
          namesake: Somebody whose family name is given, None to draw one.
        """
        german = draws.bernoulli("german", self.config.names.staff_german)
        origin = "german" if german else self._origin(draws)
        sex: Sex = "f" if draws.bernoulli("sex", 0.5) else "m"
        drawn = self._family(draws, "family", origin)
        if namesake:
            drawn = _both(names.pool(namesake.origin), namesake.family, namesake.particle)
        young = slot in {"stationsarzt", "pflege", "therapeut", "sozialdienst"}
        ages = (25, 45) if young else (34, 66)
        return self._person(
            draws, sex=sex, born=year - draws.integer("age", *ages), origin=origin, family=drawn,
            titles=_titles(draws, slot), role=draws.choice("role", people.roles(slot, sex)),
        )  # fmt: skip

    def other(self, draws: Draws, slot: str, *, year: int) -> Person:
        """Returns somebody who is neither relative nor staff."""
        origin = self._origin(draws)
        sex: Sex = "f" if draws.bernoulli("sex", 0.5) else "m"
        return self._person(
            draws, sex=sex, born=year - draws.integer("age", 22, 75), origin=origin,
            family=self._family(draws, "family", origin, rich=True),
            role=draws.choice("role", people.roles(slot, sex)),
        )  # fmt: skip

    def _origin(self, draws: Draws, name: str = "origin") -> str:
        return draws.weighted(name, names.ORIGINS, _origin_weights(self.config.origins))

    def _family(self, draws: Draws, name: str, origin: str, *, rich: bool = False) -> FamilyName:
        """Returns a family name; a rich one may have a particle or be doubled."""
        drawn = self._any_family(draws, name, origin, rich=rich)
        while self.taken.intersection(names.words_of(f"{drawn.male} {drawn.female}")):
            draws = draws.below("another")
            drawn = self._any_family(draws, name, origin, rich=rich)
        return drawn

    def _any_family(self, draws: Draws, name: str, origin: str, *, rich: bool) -> FamilyName:
        settings = self.config.names
        pool = names.pool(origin)
        if rich and pool.particles and draws.bernoulli(f"{name} particle", settings.particle):
            return draws.choice(f"{name} with particle", pool.particles)
        first = draws.choice(name, pool.family)
        if not rich or not draws.bernoulli(
            f"{name} doubled", settings.doubled_family.at(self.difficulty)
        ):
            return first
        second = draws.choice(f"{name} second", names.pool(self._second(draws, origin)).family)
        if second.male == first.male or " " in first.male + second.male:
            return first
        return FamilyName(f"{first.male}-{second.male}", f"{first.female}-{second.female}")

    def _second(self, draws: Draws, origin: str) -> str:
        """Returns the origin of what is added: mostly the same."""
        crossed = draws.bernoulli("crossed", self.config.names.cross_origin.at(self.difficulty))
        return self._origin(draws, "second origin") if crossed else origin

    def _person(
        self, draws: Draws, *, sex: Sex, born: int, origin: str, family: FamilyName,
        titles: tuple[str, ...] = (), birth_name: str = "", role: str = "",
        fifth: int | None = None, unlike: str = "",
    ) -> Person:  # fmt: skip
        given = self._given(draws, origin, sex, born, fifth)
        # "Thomas Thomas" and a son of his father's name exist, but read like slips.
        stream = draws
        while given[0] in {family.of(sex), unlike} or self._is_taken(given):
            stream = stream.below("another")
            given = self._given(stream, origin, sex, born, fifth)
        return Person(
            sex=sex,
            given=given,
            family=family.of(sex),
            particle=family.particle,
            titles=titles,
            birth_name=birth_name,
            origin=origin,
            listed=names.is_listed(given[0])
            and all(names.is_listed(part) for part in family.male.split("-")),
            diminutive=names.diminutives().get(given[0], ""),
            role=role,
        )

    def _is_taken(self, given: tuple[str, ...]) -> bool:
        return any(self.taken.intersection(names.words_of(name)) for name in given)

    def _given(
        self, draws: Draws, origin: str, sex: Sex, born: int, fifth: int | None
    ) -> tuple[str, ...]:
        settings = self.config.names
        pool = _given_names(self._second(draws, origin), sex, generation(born), fifth)
        given = [draws.choice("given", pool)]
        # A second name beside "Hans-Peter" or "Thi Lan" reads like a slip.
        if " " in given[0] or "-" in given[0]:
            return tuple(given)
        for name, chance in (("second", settings.second_given), ("third", settings.third_given)):
            if not draws.bernoulli(f"has {name} given", chance):
                break
            extra = draws.choice(f"{name} given", pool)
            if extra in given or " " in extra or "-" in extra:
                break
            given.append(extra)
        return tuple(given)

    def _relative_sex(self, draws: Draws, slot: str, patient: Sex) -> Sex:
        if slot == "ehepartner":
            same = draws.bernoulli("sex", self.config.names.same_sex_spouse)
            return patient if same else ("f" if patient == "m" else "m")
        return _SEXES.get(slot) or ("f" if draws.bernoulli("sex", 0.5) else "m")

    def _relative_family(self, draws: Draws, slot: str, patient: Person) -> FamilyName:
        settings = self.config.names
        pool = names.pool(patient.origin)
        own = _both(pool, patient.family, patient.particle)
        born = _both(pool, patient.birth_name) if patient.birth_name else own
        shares = {
            "mutter": 1.0, "vater": 1.0, "bruder": 1.0, "ehepartner": settings.spouse_shares_name,
        }.get(slot, settings.child_shares_name)  # fmt: skip
        if slot == "ehepartner" and patient.origin in _KEEP_NAME:
            shares = 0.0
        if not draws.bernoulli("shares", shares):
            return self._family(draws, "family", patient.origin)
        return born if slot in {"mutter", "vater", "schwester", "bruder"} else own


def next_of_kin(draws: Draws, *, age: int, absent: frozenset[str] = frozenset()) -> str:
    """Returns the slot of the relative whom the letter means by "Angehörige".

    Args:
      draws: Stream of the choice.
      age: Of the patient, in whole years.
      absent: Relatives whom the patient does not have.
    """
    if age < 18:
        return draws.choice("kin", ("mutter", "mutter", "vater"))
    young = ("ehepartner", "mutter", "schwester", "bruder")
    old = ("ehepartner", "ehepartner", "tochter", "tochter", "sohn")
    wanted = [slot for slot in (young if age < 45 else old) if slot not in absent]
    return draws.choice("kin", wanted or ("schwester", "bruder"))


def generation(born: int) -> Generation:
    """Returns which given names were usual in the year of birth."""
    if born < 1953:
        return "old"
    return "middle" if born < 1984 else "young"


def _fifth(slot: str, patient: Person) -> int:
    turn = zlib.crc32(" ".join((*patient.given, patient.family)).encode())
    return (_KINDS[slot] + turn) % _FIFTHS


@functools.lru_cache(maxsize=1024)
def _given_names(origin: str, sex: Sex, born: Generation, fifth: int | None) -> tuple[str, ...]:
    """Returns given names of a pool, only a fifth of them where that is asked for."""
    pools = names.pool(origin).given
    if fifth is None:
        return pools[sex, born]
    everybody = sorted({name for (of, _), pool in pools.items() if of == sex for name in pool})
    own = set(everybody[fifth::_FIFTHS])
    return tuple(name for name in pools[sex, born] if name in own)


def _both(pool: NamePool, family: str, particle: str = "") -> FamilyName:
    return FamilyName(pool.in_form(family, "m"), pool.in_form(family, "f"), particle)


def _titles(draws: Draws, slot: str) -> tuple[str, ...]:
    titles = people.titles(slot)
    return draws.weighted("titles", titles.options, titles.weights)


@functools.lru_cache(maxsize=32)
def _origin_weights(origins: Origins) -> tuple[float, ...]:
    return tuple(getattr(origins, origin) for origin in names.ORIGINS)
