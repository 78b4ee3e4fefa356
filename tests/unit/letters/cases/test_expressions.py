from __future__ import annotations

import pytest

from mustermann.core.errors import ConfigError
from mustermann.letters.cases.expressions import compile_expression, names_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("-age // 2", -32),
        ("age >= 60 and not copd", True),
        ("50 < age < 60 or copd", False),
        ("'a' if sex == 'f' else 'b'", "b"),
        ("sex in ('m', 'd')", True),
        ("gefaess.wand", "lateral"),
        ("has.mobil", True),
        ("has.fax", False),
        ("clip(round(2.5), 0, 9)", 3),
        ("round(-0.05, 1)", -0.1),
        ("step(63, 5)", 65),
        ("egfr(1.0, 60, 'm')", 86),
        ("crcl(1.0, 60, 72, 'f')", 68),
    ],
)
def test_expression(text: str, expected: object) -> None:
    env = {"age": 64, "sex": "m", "copd": False, "gefaess": {"wand": "lateral"}, "has": {"mobil"}}
    assert compile_expression(text, where="here")(env) == expected


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "open('x')", "lambda: 1", "[x for x in y]", "a[0]", "f'{a}'", "2 ** 9",
     "min(1, key=2)", "1 +"],
)  # fmt: skip
def test_what_the_language_does_not_have_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(ConfigError, match=r"case x, let.y"):
        compile_expression(text, where="case x, let.y")


def test_unknown_name_is_named() -> None:
    with pytest.raises(ConfigError, match="gewicht"):
        compile_expression("gewicht + 1", where="here")({})


def test_names_leave_functions_out() -> None:
    assert names_in("max(age, tag.koro + 1) if copd else has.fax") == {"age", "tag", "copd", "has"}
