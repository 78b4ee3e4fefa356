"""Any text that the grammar can hold parses, writes and is drawn alike from equal streams."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from mustermann.letters.cases import grammar
from mustermann.letters.cases.house import Lexicon, WordEntry, Words

LEXICON = Words([WordEntry("beidseits", "bds.")])
WORDS = st.text(alphabet="abcäß ,.;()%/-<>0123456789", min_size=1, max_size=12).filter(
    lambda text: "//" not in text and "<<" not in text and "%" not in text and "*" not in text
)


def groups(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=4)
    return (
        several.map(lambda parts: "{" + "|".join(parts) + "}")
        | several.map(lambda parts: "{&, " + "|".join(parts) + "}")
        | st.tuples(inner, inner).map(lambda pair: "{" + pair[0] + "//" + pair[1] + "}")
        | st.tuples(inner, inner).map(lambda pair: "{?x > 3: " + pair[0] + "|" + pair[1] + "}")
        | inner.map(lambda part: "{~" + part + "}")
        | st.tuples(inner, inner).map("".join)
    )


GRAMMARS = st.recursive(WORDS.map(lambda text: "x" + text + "x"), groups, max_leaves=12)


def expand(node: grammar.Node, *, seed: int, x: int, style: str) -> str:
    state = grammar.Writing(
        random=random.Random(seed).random,
        style=style,
        sex="f",
        env={"x": x},
        decimals={},
        phrases={},
        words=("beidseits",),
    )
    out: list = []
    node.write(state, out)
    return "".join(out)


@given(GRAMMARS, st.integers(0, 99), st.integers(0, 9), st.sampled_from(grammar.STYLES))
def test_equal_streams_write_equal_text_without_any_sign_left(source, seed, x, style) -> None:
    node = grammar.parse(source, lexicon=LEXICON, where="here")
    written = expand(node, seed=seed, x=x, style=style)
    assert written == expand(node, seed=seed, x=x, style=style)
    assert not set(written) & set("{}|&?~")


@given(GRAMMARS)
def test_entropy_is_never_negative_and_zero_only_where_all_draws_agree(source) -> None:
    node = grammar.parse(source, lexicon=LEXICON, where="here")
    entropy = grammar.entropy(node, {})
    assert entropy >= 0
    if entropy == 0:
        assert len({expand(node, seed=seed, x=5, style="standard") for seed in range(8)}) == 1


@given(st.text(alphabet="{}|ab/?&~$[]<>:% ", max_size=24))
def test_any_text_parses_or_is_refused_in_one_line(source) -> None:
    try:
        grammar.parse(source, lexicon=LEXICON, where="here")
    except ValueError as error:
        assert "\n" not in str(error)
        assert "here" in str(error)


@given(
    phrases=st.sets(
        st.text("ab -", min_size=1, max_size=5).map(str.strip).filter(bool), min_size=1
    ),
    text=st.text("ab -", max_size=40),
)
def test_the_longest_phrase_of_a_lexicon_is_found_as_by_trying_each(phrases, text):
    longest = sorted(phrases, key=len, reverse=True)
    each = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest))})(?![\w-])")
    index = {phrase: number for number, phrase in enumerate(sorted(phrases))}
    expected = [index[p] if i % 2 else p for i, p in enumerate(each.split(text)) if p]
    assert Lexicon(index).split(text) == expected
