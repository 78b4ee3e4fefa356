from __future__ import annotations

import pytest

from mustermann.core.errors import ConfigError
from mustermann.tables.conditions import parse

NAMES = ["sex", "age", "zip code"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sex=F", [("sex", "=", ("F",), 1)]),
        ("sex=F,age>=65", [("sex", "=", ("F",), 1), ("age", ">=", ("65",), 7)]),
        (" sex == F | M ", [("sex", "=", ("F", "M"), 1)]),
        ("age!=3,age<9", [("age", "!=", ("3",), 1), ("age", "<", ("9",), 8)]),
        ("sex=", [("sex", "=", ("",), 1)]),
        ("sex=F|", [("sex", "=", ("F", ""), 1)]),
        ('"zip code"="a,b\\"|c"', [("zip code", "=", ('a,b"|c',), 1)]),
        ("zip code=01 a", [("zip code", "=", ("01 a",), 1)]),
    ],
)
def test_conditions_are_read_as_they_are_written(text, wanted):
    found = [(c.column, c.operator, c.values, c.place) for c in parse(text, NAMES)]
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sxe=F", "at character 1 of 'sxe=F', found 'sxe'. Did you mean 'sex'?"),
        ("sex=F,agee<3", "at character 7 of .* found 'agee'. Did you mean 'age'?"),
        ("sex", "after 'sex' at character 4"),
        ("sex=F,,age=3", "the name of a column at character 7"),
        ("age<1|2", "one value after < at character 5"),
        ("age<", "one value after < at character 5"),
        ('sex="F', "at character 5"),
        ("age=1>2", "a comma or the end at character 6"),
    ],
)
def test_an_error_says_where_and_what_was_meant(text, words):
    with pytest.raises(ConfigError, match=words):
        parse(text, NAMES)
