from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.seeds import Seeds

keys = st.lists(st.one_of(st.text(max_size=8), st.integers(-10, 10**12)), max_size=4).map(tuple)


@given(st.integers(0, 2**63), st.lists(keys, min_size=2, max_size=6, unique=True), st.randoms())
def test_streams_do_not_depend_on_order(root, paths, shuffler):
    def draw(path):
        node = Seeds(root).child(*path)
        return (
            tuple(node.generator("x").integers(1 << 62, size=3)),
            node.random("x").random(),
            node.draws("x").bits("y"),
        )

    first = {path: draw(path) for path in paths}
    shuffler.shuffle(paths)
    assert {path: draw(path) for path in paths} == first
    assert len(set(first.values())) == len(paths)


def test_keys_are_told_apart_by_border_and_type():
    node = Seeds(1)
    seen = {
        node.child("a", "bc").draws().bits("x"),
        node.child("ab", "c").draws().bits("x"),
        node.child("abc").draws().bits("x"),
        node.child(1).draws().bits("x"),
        node.child("1").draws().bits("x"),
    }
    assert len(seen) == 5


def test_values_are_pinned_across_versions():
    draws = Seeds(2026).child("letters", 17).draws("person")
    assert draws.bits("given") == PINNED_BITS
    assert Seeds(2026).child("letters", 17).random("text").random() == PINNED_RANDOM


PINNED_BITS = 16528999708272654541
PINNED_RANDOM = 0.2504940582266394


@given(st.integers(-50, 50), st.integers(0, 40), st.text(max_size=5))
def test_integer_stays_inside_both_ends(low, width, name):
    assert low <= Seeds(3).draws().integer(name, low, low + width) <= low + width


def test_weighted_draws_follow_their_weights():
    draws = Seeds(5).draws("weights")
    counts = Counter(
        draws.weighted(str(i), ["never", "rare", "often"], [0, 1, 3]) for i in range(20_000)
    )
    assert counts["never"] == 0
    assert abs(counts["rare"] / 20_000 - 0.25) < 4 * (0.25 * 0.75 / 20_000) ** 0.5


def test_normal_has_its_mean_and_deviation():
    draws = Seeds(6).draws()
    values = [draws.normal(str(i), 10, 2) for i in range(20_000)]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    assert abs(mean - 10) < 4 * 2 / 20_000**0.5
    assert abs(variance / 4 - 1) < 0.05


@given(st.integers(0, 12), st.integers(0, 99))
def test_sample_gives_different_items(count, seed):
    items = list(range(12))
    taken = Seeds(seed).draws().sample("x", items, count)
    assert len(taken) == len(set(taken)) == count


@given(st.text(max_size=6), st.text(max_size=6))
def test_draws_below_a_node_are_their_own(name, other):
    draws = Seeds(7).draws("people")
    assert draws.below(name).bits("x") == draws.below(name).bits("x")
    assert draws.below(name).bits(other) != draws.bits(other)
    if name != other:
        assert draws.below(name).bits("x") != draws.below(other).bits("x")
