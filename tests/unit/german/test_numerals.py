import pytest

from mustermann.german.numerals import MONTHS, MONTHS_SHORT, cardinal, decimal


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (0, "null"), (1, "eins"), (7, "sieben"), (11, "elf"), (12, "zwölf"), (16, "sechzehn"),
        (17, "siebzehn"), (20, "zwanzig"), (21, "einundzwanzig"), (30, "dreißig"),
        (66, "sechsundsechzig"), (77, "siebenundsiebzig"), (99, "neunundneunzig"),
        (100, "hundert"), (101, "hunderteins"), (112, "hundertzwölf"),
    ],
)  # fmt: skip
def test_cardinals(number, word):
    assert cardinal(number) == word


def test_one_loses_its_s_before_a_word():
    assert cardinal(1, joined=True) + "jährig" == "einjährig"
    assert cardinal(101, joined=True) == "hundertein"
    assert cardinal(21, joined=True) == "einundzwanzig"


def test_all_cardinals_differ():
    assert len({cardinal(number) for number in range(200)}) == 200
    for number in (-1, 200):
        with pytest.raises(ValueError, match="0 to 199"):
            cardinal(number)


def test_decimals_have_a_comma():
    assert [decimal(4.5, 1), decimal(124.0, 0), decimal(0.05, 2)] == ["4,5", "124", "0,05"]


def test_months():
    assert len(MONTHS) == len(MONTHS_SHORT) == 12
    for long, short in zip(MONTHS, MONTHS_SHORT, strict=True):
        assert long.startswith(short.rstrip("."))
