"""Check digits catch what they promise to catch."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.de import idnr

from mustermann.german import identifiers as ids


def digits(count: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=count, max_size=count)


LETTERS = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@st.composite
def identifiers(draw: st.DrawFn) -> tuple[str, str]:
    """Draws a kind and a valid identifier of it."""
    makers = {
        "kvnr": lambda: ids.kvnr(draw(LETTERS) + draw(digits(8))),
        "lanr": lambda: ids.lanr(draw(digits(6)), draw(digits(2))),
        "ik_nr": lambda: ids.ik("26", draw(digits(2)), draw(digits(4))),
        "pzn": lambda: ids.pzn(draw(digits(7).filter(lambda stem: ids.pzn(stem) is not None))),
        "iban": lambda: ids.iban(draw(digits(8)), draw(digits(10))),
        "rvnr": lambda: ids.rvnr(
            draw(digits(2)), draw(st.dates(date(1920, 1, 1))), draw(LETTERS), draw(digits(2))
        ),
        "ausweis": lambda: ids.id_card(draw(LETTERS) + draw(digits(8))),
        "iccsn": lambda: ids.iccsn("80276" + draw(digits(14))),
    }
    kind = draw(st.sampled_from(sorted(makers)))
    return kind, makers[kind]()


@given(identifiers())
def test_what_is_made_holds(made: tuple[str, str]) -> None:
    kind, text = made
    assert ids.VALIDATORS[kind](text)


@given(identifiers(), st.integers(1, 9))
def test_a_broken_one_never_holds(made: tuple[str, str], shift: int) -> None:
    kind, text = made
    assert not ids.VALIDATORS[kind](ids.break_checksum(kind, text, shift=shift))


@given(st.text(max_size=24))
def test_validators_take_any_text(text: str) -> None:
    assert all(isinstance(holds(text), bool) for holds in ids.VALIDATORS.values())


@given(digits(11))
def test_tax_ids_agree_with_another_implementation(text: str) -> None:
    # python-stdnum checks the repeated digits after § 139b AO too.
    assert ids.is_tax_id(text) == idnr.is_valid(text)


@given(digits(14))
def test_card_numbers_agree_with_another_implementation(tail: str) -> None:
    assert luhn.is_valid(ids.iccsn("80276" + tail))
