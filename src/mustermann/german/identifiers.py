"""Check digits of German identifiers: how each is made, and whether a text has it right.

A function named after an identifier completes its stem; `is_…` tells whether a text holds
the rule, in the form without blanks. `break_checksum` gives a text that fails only there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from itertools import cycle

from stdnum import iban as stdnum_iban
from stdnum import luhn
from stdnum.iso7064 import mod_11_10

from mustermann.core.errors import DataError

_RVNR_WEIGHTS = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
_LANR_WEIGHTS = (4, 9, 4, 9, 4, 9)
_ICAO = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def kvnr(stem: str) -> str:
    """Returns the unchanging part of a health insurance number: letter, 8 digits, check digit.

    The letter counts as its place in the alphabet with two digits. The ten digits are
    weighted 1, 2, 1, 2 …, the digits of the products added, and the last digit of the sum
    is the check digit.

    Source: § 290 SGB V; GKV-Spitzenverband, Richtlinie nach § 290 SGB V, Anlage 1.
    """
    _require(stem, r"[A-Z]\d{8}", "a letter and 8 digits")
    digits = f"{_ordinal(stem[0]):02d}{stem[1:]}"
    return stem + str(_digit_sums(digits, cycle((1, 2))) % 10)


def is_kvnr(text: str) -> bool:
    """Returns whether `text` is a health insurance number with its check digit."""
    return _holds(text, r"[A-Z]\d{9}", lambda: kvnr(text[:-1]))


def lanr(stem: str, group: str) -> str:
    """Returns a physician's number: 6 digits, check digit, 2 digits of the specialist group.

    The digits are weighted 4, 9, 4, 9, 4, 9; the check digit fills the sum up to the next ten.

    Source: § 75 (7) SGB V; KBV, Richtlinie zur Vergabe der Arzt-, Betriebsstätten-,
    Praxisnetz- sowie der Netzverbundnummern, § 4.
    """
    _require(stem, r"\d{6}", "6 digits")
    _require(group, r"\d{2}", "2 digits")
    total = sum(int(d) * w for d, w in zip(stem, _LANR_WEIGHTS, strict=True))
    return f"{stem}{-total % 10}{group}"


def is_lanr(text: str) -> bool:
    """Returns whether `text` is a physician's number with its check digit."""
    return _holds(text, r"\d{9}", lambda: lanr(text[:6], text[7:]))


def bsnr(region: str, serial: str) -> str:
    """Returns the number of a place of practice: 2 digits of the KV region, 7 digits, no check.

    Source: § 75 (7) SGB V; the KBV guideline of `lanr`, § 6.
    """
    _require(region, r"\d{2}", "2 digits")
    _require(serial, r"\d{7}", "7 digits")
    return region + serial


def is_bsnr(text: str) -> bool:
    """Returns whether `text` has the form of the number of a place of practice."""
    return re.fullmatch(r"\d{9}", text, re.ASCII) is not None


def ik(kind: str, region: str, serial: str) -> str:
    """Returns an institution number: kind (26 hospital), region, serial, check digit.

    Places 3 to 8 are weighted 2, 1, 2, 1, 2, 1, the digits of the products added, and the
    last digit of the sum is the check digit.

    Source: § 293 SGB V; ARGE·IK, Gemeinsames Rundschreiben Institutionskennzeichen.
    """
    _require(kind, r"\d{2}", "2 digits")
    _require(region, r"\d{2}", "2 digits")
    _require(serial, r"\d{4}", "4 digits")
    return f"{kind}{region}{serial}{_digit_sums(region + serial, cycle((2, 1))) % 10}"


def is_ik(text: str) -> bool:
    """Returns whether `text` is an institution number with its check digit."""
    return _holds(text, r"\d{9}", lambda: ik(text[:2], text[2:4], text[4:8]))


def pzn(stem: str) -> str | None:
    """Returns a product number for drugs: 7 digits, check digit; None where none is issued.

    Each digit is weighted with its place, 1 to 7; the remainder by 11 is the check digit,
    and numbers with remainder 10 are not issued.

    Source: § 300 (3) SGB V; IFA, Technische Hinweise zur PZN-Codierung (PZN8).
    """
    _require(stem, r"\d{7}", "7 digits")
    check = sum(place * int(digit) for place, digit in enumerate(stem, start=1)) % 11
    return None if check == 10 else f"{stem}{check}"


def is_pzn(text: str) -> bool:
    """Returns whether `text` is a product number with its check digit."""
    return _holds(text, r"\d{8}", lambda: pzn(text[:-1]))


def iban(bank: str, account: str) -> str:
    """Returns a German IBAN: DE, two check digits, bank code of 8, account of 10 digits.

    Source: ISO 13616 and ISO 7064 MOD 97-10, computed by python-stdnum.
    """
    _require(bank, r"\d{8}", "8 digits")
    _require(account, r"\d{10}", "10 digits")
    return f"DE{stdnum_iban.calc_check_digits(f'DE00{bank}{account}')}{bank}{account}"


def is_iban(text: str) -> bool:
    """Returns whether `text` is a German IBAN with its check digits."""
    return re.fullmatch(r"DE\d{20}", text, re.ASCII) is not None and stdnum_iban.is_valid(text)


def tax_id(stem: str) -> str:
    """Returns a tax identification number: 10 digits, check digit.

    Of the ten digits, which don't begin with 0, one occurs twice or three times (three times
    not in a row) and no other more than once.

    Source: § 139b AO; § 1 StIdV; ISO 7064 MOD 11,10, computed by python-stdnum.
    """
    _require(stem, r"[1-9]\d{9}", "10 digits that do not begin with 0")
    if not _repeats_as_tax_ids_do(stem):
        raise DataError(f"Expected one digit twice or three times in {stem!r}, see § 139b AO.")
    return stem + mod_11_10.calc_check_digit(stem)


def is_tax_id(text: str) -> bool:
    """Returns whether `text` is a tax identification number with its check digit."""
    fits = re.fullmatch(r"[1-9]\d{10}", text, re.ASCII) is not None
    return fits and _repeats_as_tax_ids_do(text[:10]) and bool(mod_11_10.is_valid(text))


def rvnr(area: str, birth: date, initial: str, serial: str) -> str:
    """Returns a pension insurance number: area, birth date, initial at birth, serial, check digit.

    The letter counts as its place in the alphabet with two digits. The twelve digits are
    weighted 2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1, the digits of the products added, and the
    last digit of the sum is the check digit. Serials 00 to 49 are men's.

    Source: § 147 SGB VI; § 2 VKVV.
    """
    _require(area, r"\d{2}", "2 digits")
    _require(initial, r"[A-Z]", "a letter A to Z")
    _require(serial, r"\d{2}", "2 digits")
    stem = f"{area}{birth:%d%m%y}{initial}{serial}"
    return stem + _rvnr_check(stem)


def is_rvnr(text: str) -> bool:
    """Returns whether `text` is a pension insurance number with its check digit."""
    return _holds(text, r"\d{8}[A-Z]\d{3}", lambda: text[:-1] + _rvnr_check(text[:-1]))


def id_card(stem: str) -> str:
    """Returns the number of an identity card or passport: 9 characters, check digit.

    Characters count 0 to 35 and are weighted 7, 3, 1, 7, 3, 1 …; the last digit of the sum is
    the check digit.

    Source: ICAO Doc 9303-3, section 4.9; § 5 PAuswG.
    """
    _require(stem, r"[0-9A-Z]{9}", "9 digits or letters")
    total = sum(_ICAO.index(c) * w for c, w in zip(stem, cycle((7, 3, 1)), strict=False))
    return f"{stem}{total % 10}"


def is_id_card(text: str) -> bool:
    """Returns whether `text` is the number of an identity card with its check digit."""
    return _holds(text, r"[0-9A-Z]{9}\d", lambda: id_card(text[:-1]))


def iccsn(stem: str) -> str:
    """Returns the serial number of a health card: 19 digits that begin with 80276, Luhn digit.

    Source: ISO/IEC 7812 (80 health, 276 Germany); § 291 SGB V; Luhn by python-stdnum.
    """
    _require(stem, r"80276\d{14}", "19 digits that begin with 80276")
    return stem + luhn.calc_check_digit(stem)


def is_iccsn(text: str) -> bool:
    """Returns whether `text` is the serial number of a health card with its check digit."""
    return re.fullmatch(r"80276\d{15}", text, re.ASCII) is not None and bool(luhn.is_valid(text))


def efn(serial: str) -> str:
    """Returns a physician's number for continuing education: 80276 and 10 digits, no check claimed.

    Source: Bundesärztekammer, Einheitliche Fortbildungsnummer.
    """
    _require(serial, r"\d{10}", "10 digits")
    return f"80276{serial}"


def is_efn(text: str) -> bool:
    """Returns whether `text` has the form of a number for continuing education."""
    return re.fullmatch(r"80276\d{10}", text, re.ASCII) is not None


VALIDATORS: Mapping[str, Callable[[str], bool]] = {
    "kvnr": is_kvnr, "lanr": is_lanr, "ik_nr": is_ik, "pzn": is_pzn, "iban": is_iban,
    "steuer_id": is_tax_id, "rvnr": is_rvnr, "ausweis": is_id_card, "pass": is_id_card,
    "iccsn": is_iccsn,
}  # fmt: skip
"""Rule by identifier, for those that have a check digit."""

_CHECK_PLACE: Mapping[str, int] = {"lanr": 6, "iban": 3}
"""Where the check digit stands, if not last."""


def break_checksum(kind: str, text: str, *, shift: int) -> str:
    """Returns `text` with another check digit, so that it fails its rule and nothing else.

    Args:
      kind: A key of VALIDATORS.
      text: A valid identifier.
      shift: 1 to 9, added to the check digit modulo 10.

    Raises:
      DataError: The shift would change nothing.
    """
    if not 1 <= shift <= 9:
        raise DataError(f"Expected a shift of 1 to 9 for a broken check digit, got {shift}.")
    place = _CHECK_PLACE.get(kind, len(text) - 1)
    return f"{text[:place]}{(int(text[place]) + shift) % 10}{text[place + 1 :]}"


def _rvnr_check(stem: str) -> str:
    digits = f"{stem[:8]}{_ordinal(stem[8]):02d}{stem[9:]}"
    return str(_digit_sums(digits, _RVNR_WEIGHTS) % 10)


def _digit_sums(digits: str, weights: Iterable[int]) -> int:
    products = (int(digit) * weight for digit, weight in zip(digits, weights, strict=False))
    return sum(product // 10 + product % 10 for product in products)


def _ordinal(letter: str) -> int:
    return ord(letter) - ord("A") + 1


def _repeats_as_tax_ids_do(stem: str) -> bool:
    repeated = {digit: count for digit, count in Counter(stem).items() if count > 1}
    if len(repeated) != 1:
        return False
    ((digit, count),) = repeated.items()
    return count == 2 or (count == 3 and digit * 3 not in stem)


def _holds(text: str, pattern: str, expected: Callable[[], str | None]) -> bool:
    return re.fullmatch(pattern, text, re.ASCII) is not None and expected() == text


def _require(text: str, pattern: str, words: str) -> None:
    if re.fullmatch(pattern, text, re.ASCII) is None:
        raise DataError(f"Expected {words}, got {text!r}.")
