from __future__ import annotations

import math
import random

import pytest

from mustermann.core.errors import ConfigError, MustermannError
from mustermann.letters.cases import grammar
from mustermann.letters.cases.house import WordEntry, Words
from mustermann.letters.segments import Mention, Placeholder

LEXICON = Words([WordEntry("Zustand nach", "Z.n."), WordEntry("beidseits", "bds.")])


def write(
    text: str, *, style: str = "standard", sex: str = "m", seed: int = 0, short: bool = False, **env
):
    state = grammar.Writing(
        random=random.Random(seed).random,
        style=style,
        sex=sex,
        env=env,
        decimals={"hb": 1},
        phrases={"pat": grammar.parse("{der//die} Kranke", lexicon=LEXICON, where="pat")},
        words=("Z.n.", "bds.") if short else ("Zustand nach", "beidseits"),
    )
    out: list = []
    grammar.parse(text, lexicon=LEXICON, where="here").write(state, out)
    return out


def text(source: str, **options) -> str:
    return "".join(write(source, **options))


def all_texts(source: str, **options) -> set[str]:
    return {text(source, seed=seed, **options) for seed in range(300)}


def test_alternatives_nest_and_may_be_empty() -> None:
    assert all_texts("a {b|c {d|e}|}f") == {"a bf", "a c df", "a c ef", "a f"}


def test_weights_shift_the_choice() -> None:
    drawn = [text("{9*a|b}", seed=seed) for seed in range(1000)]
    assert 850 < drawn.count("a") < 950


def test_sex_condition_phrase_and_values() -> None:
    assert (
        text(
            "{er//sie} {?x > 1: viel|wenig} {>pat} $hb ${x / 4:2} $r.f",
            sex="f",
            x=3,
            hb=12.0,
            r={"f": "RCA"},
        )
        == "sie viel die Kranke 12,0 0,75 RCA"
    )


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Es half. {>pat} ging.", "Es half. Der Kranke ging."),
        ("{Es|Es} {half}. {>pat} ging.", "Es half. Der Kranke ging."),
        ("Kam (neu). {>pat} ging.", "Kam (neu). Der Kranke ging."),
        ("wie z.B. {>pat}", "wie z.B. der Kranke"),
        ("evtl. {>pat}", "evtl. der Kranke"),
        ("dass {>pat} ging", "dass der Kranke ging"),
    ],
)
def test_a_phrase_that_begins_a_sentence_begins_large(source, written) -> None:
    assert text(source) == written


def test_style_tags_serve_their_style_and_leave_the_rest_to_others() -> None:
    source = "{%knapp: k|%akademisch: a1|%akademisch: a2|s}"
    assert all_texts(source, style="knapp") == {"k"}
    assert all_texts(source, style="akademisch") == {"a1", "a2"}
    assert all_texts(source, style="standard") == {"s"}


def test_ellipsis_only_in_knapp() -> None:
    assert text("{~Die Lunge ist }frei") == "Die Lunge ist frei"
    assert text("{~Die Lunge ist }frei", style="knapp") == "frei"


def test_order_groups_say_all_parts_and_drop_empty_ones() -> None:
    assert all_texts("{&und a|b|{?x: c}}", x=False) == {"a und b", "b und a"}
    assert len(all_texts("{&, a|b|c}")) == 6
    assert all_texts("{&. ab|cd}") == {"ab. Cd", "cd. Ab"}


def test_lexicon_matches_whole_phrases() -> None:
    assert text("Zustand nach X beidseits", short=True) == "Z.n. X bds."
    assert text("beidseitsig", short=True) == "beidseitsig"


def test_placeholders_pass_through_and_take_facts_as_argument() -> None:
    out = write(
        "[[patient form=hon_last case=dat]] <<diagnosis:x>>y<</diagnosis>> [[med:$m]]", m="ass"
    )
    assert out[0] == Placeholder("patient", "", "hon_last", "dat")
    assert out[2] == Mention(open=True, atom="diagnosis", key="x")
    assert out[4] == Mention(open=False, atom="diagnosis")
    assert out[6] == Placeholder("med", "ass")


def test_backslash_and_signs_without_meaning() -> None:
    assert text(r"\{a\|b\} 5 \$ < 3 [x]") == "{a|b} 5 $ < 3 [x]"


@pytest.mark.parametrize(
    "source",
    [
        "{a|b",
        "a}",
        "{?x y: a}",
        "{?x > 1 a|b",
        "{?x: a|b|c}",
        "{%laut: a|b}",
        "{& a|b}",
        "5 $",
        "$1",
        "[[patientin]]",
        "[[patient form=laut]]",
        "${open('x')}",
        "{er//sie|es}",
    ],
)
def test_faults_have_their_place(source: str) -> None:
    with pytest.raises(MustermannError, match=r"case x, text.y"):
        grammar.parse(source, lexicon=LEXICON, where="case x, text.y")


def test_unknown_names_are_collected() -> None:
    node = grammar.parse("{?a > b.c: $d|{e|${f + 1}}}", lexicon=LEXICON, where="here")
    assert grammar.names(node) == {"a", "b", "d", "f"}


def test_entropy_counts_wordings() -> None:
    def forms(source: str, style: str = "standard") -> float:
        node = grammar.parse(source, lexicon=LEXICON, where="here")
        return math.exp(grammar.entropy(node, {}, style))

    assert forms("{a|b} {c|d|e}") == pytest.approx(6)
    assert forms("{a|b|{c|d}}") == pytest.approx(3 * 2 ** (1 / 3))
    assert forms("{&, a|b|c}") == pytest.approx(6)
    assert forms("{~{a|b}}", "knapp") == pytest.approx(1)


@pytest.mark.parametrize(
    ("before", "after"),
    [("die", "Die"), (" die", " Die"), ("hs-Tn", "hs-Tn"), ("pH 7", "pH 7"), ("Ä", "Ä")],
)
def test_capitals(before: str, after: str) -> None:
    assert grammar.capitalise(["", before]) == ["", after]


def test_capitals_stop_at_placeholders() -> None:
    assert grammar.capitalise([Placeholder("patient"), "ist"]) == [Placeholder("patient"), "ist"]


def test_numbers_as_german_readers_write_them() -> None:
    assert [grammar.as_written(value) for value in (3, 3.0, 2.75, "x")] == ["3", "3", "2,75", "x"]
    assert grammar.as_written(3.0, 1) == "3,0"


def test_config_error_is_one_line() -> None:
    with pytest.raises(ConfigError) as raised:
        grammar.parse("ein langer Text {mit|Fehler", lexicon=LEXICON, where="here")
    assert "\n" not in str(raised.value)
