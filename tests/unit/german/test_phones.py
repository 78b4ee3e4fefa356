import phonenumbers
import pytest

from mustermann.core.seeds import Seeds
from mustermann.german import phones, places

DRAWS = Seeds(5).draws("phones")


def parsed(text: str) -> phonenumbers.PhoneNumber:
    return phonenumbers.parse(text, "DE")


@pytest.mark.parametrize("extension", [False, True])
def test_no_fixed_number_rings_anybody(extension: bool) -> None:
    for town in places.towns():
        phone = phones.fixed_line(DRAWS, town.name, area_code=town.area_code, extension=extension)
        area, subscriber = phone.text.split(" ")
        assert area == town.area_code
        assert ("-" in subscriber) == extension
        digits = subscriber.replace("-", "")
        if phone.kind == "fictional":
            assert digits.startswith(phones.DRAMA_BLOCKS[area])
            assert len(digits) == len(phones.DRAMA_BLOCKS[area]) + 3
        else:
            assert digits.startswith("11")
            assert not phonenumbers.is_valid_number(parsed(phone.text))


def test_mobiles_are_those_kept_for_fiction() -> None:
    found = {phones.mobile(DRAWS, f"{i}").text for i in range(3000)}
    singles = set(phones.DRAMA_MOBILES)
    assert singles <= found
    assert all(text in singles or text[:-2] in phones.DRAMA_MOBILE_BLOCKS for text in found)
    assert {"0152 28817386", "0172 9980752"} <= singles


def test_realistic_numbers_could_be_dialled() -> None:
    for town in places.towns()[:200]:
        fixed = phones.fixed_line(DRAWS, town.name, area_code=town.area_code, realistic=True)
        assert fixed.kind == "realistic"
        assert phonenumbers.is_valid_number(parsed(fixed.text))
        mobile = phones.mobile(DRAWS, town.name, realistic=True)
        assert phonenumbers.is_possible_number(parsed(mobile.text))
