from datetime import date

import pytest

from mustermann.core.errors import DataError
from mustermann.german import identifiers as ids


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("kvnr", "A000500015"),
        ("kvnr", "C000500021"),
        ("kvnr", "A123456780"),
        ("lanr", "123456601"),
        ("lanr", "838382202"),
        ("ik_nr", "260326822"),
        ("ik_nr", "260120196"),
        ("ik_nr", "104212505"),
        ("pzn", "04877800"),
        ("pzn", "27580899"),
        ("iban", "DE89370400440532013000"),
        ("steuer_id", "86095742719"),
        ("steuer_id", "47036892816"),
        ("rvnr", "15070649C103"),
        ("ausweis", "T220001293"),
        ("iccsn", "80276001000000000008"),
    ],
)
def test_published_examples_hold_and_any_other_check_digit_fails(kind: str, text: str) -> None:
    assert ids.VALIDATORS[kind](text)
    for shift in range(1, 10):
        broken = ids.break_checksum(kind, text, shift=shift)
        assert len(broken) == len(text)
        assert sum(a != b for a, b in zip(text, broken, strict=True)) == 1
        assert not ids.VALIDATORS[kind](broken)


def test_a_published_number_with_a_wrong_check_digit_is_told() -> None:
    assert not ids.is_pzn("70669074")


def test_numbers_without_check_digit_have_their_form() -> None:
    assert ids.bsnr("17", "1234500") == "171234500"
    assert ids.is_bsnr("171234500") and not ids.is_bsnr("17123450")
    assert ids.is_efn(ids.efn("0012345678")) and not ids.is_efn("90276001234567")


def test_rvnr_carries_birth_date_and_initial() -> None:
    assert ids.rvnr("15", date(1949, 6, 7), "C", "10") == "15070649C103"


@pytest.mark.parametrize(
    "text", ["", "A00050001", "a000500015", "A0005000155", "Ä000500015", "A00050001٥"]
)
def test_other_forms_are_no_kvnr(text: str) -> None:
    assert not ids.is_kvnr(text)


@pytest.mark.parametrize(
    ("stem", "fits"),
    [("8609574271", True), ("1234567890", False), ("1112345678", False), ("1121345678", True),
     ("1122345678", False)],
)  # fmt: skip
def test_tax_ids_repeat_exactly_one_digit(stem: str, fits: bool) -> None:
    if fits:
        assert ids.is_tax_id(ids.tax_id(stem))
    else:
        with pytest.raises(DataError, match="139b"):
            ids.tax_id(stem)


def test_a_pzn_whose_remainder_is_ten_is_not_issued() -> None:
    unissued = [stem for stem in map("{:07d}".format, range(1000)) if ids.pzn(stem) is None]
    assert unissued
    assert all(not ids.is_pzn(f"{stem}{d}") for stem in unissued[:20] for d in range(10))


@pytest.mark.parametrize("shift", [0, 10, -1])
def test_a_shift_that_changes_nothing_is_refused(shift: int) -> None:
    with pytest.raises(DataError, match="shift"):
        ids.break_checksum("kvnr", "A000500015", shift=shift)


@pytest.mark.parametrize("make", [ids.kvnr, ids.pzn, ids.tax_id, ids.id_card, ids.iccsn])
def test_a_wrong_stem_is_refused_with_what_was_expected(make) -> None:
    with pytest.raises(DataError, match=r"Expected .* got 'x y'"):
        make("x y")
