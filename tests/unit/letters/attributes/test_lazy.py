import pickle

import pytest

from mustermann.letters.attributes.lazy import Lazy


def test_values_are_made_once_and_only_when_asked_for() -> None:
    made = []
    lazy = Lazy(("a", "b"), lambda name: made.append(name) or name * 2)
    assert list(lazy) == ["a", "b"] and len(lazy) == 2 and "a" in lazy
    assert made == []
    assert lazy["b"] == lazy["b"] == "bb"
    assert made == ["b"]


def test_it_equals_a_dict_and_pickles_as_one() -> None:
    lazy = Lazy(("a", "b"), str.upper)
    assert lazy == {"a": "A", "b": "B"}
    assert pickle.loads(pickle.dumps(lazy)) == {"a": "A", "b": "B"}
    assert repr(lazy) == "{'a': 'A', 'b': 'B'}"


def test_other_keys_are_missing() -> None:
    lazy = Lazy(("a",), str.upper)
    with pytest.raises(KeyError):
        lazy["z"]
    assert lazy.get("z") is None
