import dataclasses

import pytest

from mustermann.core import config
from mustermann.core.errors import ConfigError


@config.strict
@dataclasses.dataclass(frozen=True)
class Inner:
    strategy: str = "uniform"
    bins: int = 100


@config.strict
@dataclasses.dataclass(frozen=True)
class Outer:
    epsilon: float = 1.0
    discretise: Inner = Inner()


def test_defaults_then_file_then_overrides(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("epsilon = 2.0\n[discretise]\nbins = 50\n")
    found = config.resolve(Outer, file=file, overrides=["discretise.strategy=quantile"])
    assert found == Outer(2.0, Inner("quantile", 50))


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("epsilom=3", "Did you mean 'epsilon'"),
        ("discretise.strateg=uniform", "Did you mean 'strategy'"),
        ("epsilon=many", "epsilon"),
        ("epsilon", "KEY=VALUE"),
        ("epsilon.deep=1", "epsilon"),
    ],
)
def test_a_wrong_setting_is_named_with_the_nearest_known_one(override, words):
    with pytest.raises(ConfigError, match=words):
        config.resolve(Outer, overrides=[override])


@pytest.mark.parametrize("content", [b"epsilon = ", b"\xff\xfe\x00"])
def test_a_broken_file_is_named(tmp_path, content):
    file = tmp_path / "broken.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"broken\.toml"):
        config.resolve(Outer, file=file)
    with pytest.raises(ConfigError, match="found none"):
        config.resolve(Outer, file=tmp_path / "missing.toml")


def test_equal_settings_have_equal_digests():
    assert config.digest(Outer()) == config.digest(Outer(1.0, Inner()))
    assert config.digest(Outer()) != config.digest(Outer(1.5))


@config.strict
@dataclasses.dataclass(frozen=True)
class Two:
    first: Inner = Inner("quantile", 7)
    second: Inner = Inner("uniform", 9)


def test_a_group_given_in_part_keeps_the_rest_of_its_own_default():
    found = config.resolve(Two, overrides=["first.bins=3"])
    assert found == Two(Inner("quantile", 3), Inner("uniform", 9))
