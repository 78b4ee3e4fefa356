import dataclasses
from datetime import date

import pytest

from mustermann.core.config import digest, plain, resolve
from mustermann.core.errors import ConfigError
from mustermann.german.names import ORIGINS
from mustermann.letters import config as config_module
from mustermann.letters.config import MODES, LettersConfig


def test_defaults_are_the_published_tables() -> None:
    config = LettersConfig()
    assert dataclasses.astuple(config.difficulty) == (0.25, 0.35, 0.25, 0.15)
    assert dataclasses.astuple(config.lengths.at("adversarial")) == (0.05, 0.15, 0.35, 0.45)
    assert dataclasses.astuple(config.structured) == (0.90, 0.70, 0.45, 0.30)
    assert dataclasses.astuple(config.stay) == (0.08, 0.78, 0.14)
    assert config.dates.anchor == date(2026, 9, 3)
    assert config.dates.years_back_weights == (30, 12, 8, 8, 6, 6, 5, 5, 5, 4, 4)
    assert (config.inclusion.kvnr, config.inclusion.ik_nr) == (0.75, 0.20)


def test_one_number_can_be_overridden_and_the_others_stay() -> None:
    config = resolve(LettersConfig, overrides=["inclusion.email=0.6", "modes.nfd.adversarial=1.0"])
    assert config.inclusion == dataclasses.replace(LettersConfig().inclusion, email=0.6)
    assert config.modes.nfd.adversarial == 1.0
    assert config.modes.nfd.hard == LettersConfig().modes.nfd.hard
    mixed = resolve(LettersConfig, overrides=["lengths.hard.kurz=0.5"])
    assert dataclasses.astuple(mixed.lengths.hard) == (0.5, 0.25, 0.35, 0.30)
    assert digest(config) != digest(LettersConfig())


def test_the_manifest_gets_every_number_as_json() -> None:
    shown = plain(LettersConfig())
    assert shown["dates"]["anchor"] == "2026-09-03"
    assert set(shown["modes"]) == set(MODES)
    assert set(shown["origins"]) == set(ORIGINS)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("inclusion.emial=0.5", "email"),
        ("inclusion.email=2", "less than or equal to 1"),
        ("difficulty.easy=-1", "greater than or equal to 0"),
        ("dates.birth_day=[1, 31]", "birth_day up to 28"),
        ("dates.years_back=[0, 1]", "one weight for each"),
        ("dates.admission_days=[9, 3]", "low <= high"),
        ("bands.kurz=[3500, 1500]", "band kurz"),
        ("lengths.easy.kurz=-1", "greater than"),
        ("stay={ambulant=0, akut=0, lang=0}", "above 0"),
        ("names.cross_origin.extreme=0.5", "extreme"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(override: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        resolve(LettersConfig, overrides=[override])


@pytest.mark.parametrize(
    "settings",
    [cls for cls in vars(config_module).values() if dataclasses.is_dataclass(cls)],
    ids=lambda cls: cls.__name__,
)
def test_every_settings_object_is_frozen_and_refuses_unknown_keys(settings: type) -> None:
    assert settings.__dataclass_params__.frozen
    assert settings.__pydantic_config__["extra"] == "forbid"
