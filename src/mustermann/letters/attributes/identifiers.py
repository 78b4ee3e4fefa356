"""The letter's numbers: each follows its rule, or fails its check digit where the mode asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from mustermann.core.seeds import Draws
from mustermann.german import identifiers as german
from mustermann.german.transliteration import fold
from mustermann.letters.attributes.scene import Maker, Scene, Value

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CARD_LETTERS = "CFGHJKLMNPRTVWXYZ"
_PLATE_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"

_SPECIALIST_GROUPS = ("01", "02", "03", "23", "26", "28", "34", "53")
"""General, internal, paediatric, neurological practice. Source: KBV, Anlage 2 to BMV-Ä."""

_KV_REGIONS: Mapping[str, str] = {
    "Schleswig-Holstein": "01", "Hamburg": "02", "Bremen": "03", "Niedersachsen": "17",
    "Nordrhein-Westfalen": "38", "Hessen": "46", "Rheinland-Pfalz": "51", "Baden-Württemberg": "52",
    "Bayern": "71", "Berlin": "72", "Saarland": "73", "Mecklenburg-Vorpommern": "78",
    "Brandenburg": "83", "Sachsen-Anhalt": "88", "Thüringen": "93", "Sachsen": "98",
}  # fmt: skip
"""First two digits of a BSNR by state. Source: KBV, Schlüsselverzeichnis S_KBV_KV."""

_IK_REGIONS: Mapping[str, str] = {
    "Schleswig-Holstein": "01", "Hamburg": "02", "Niedersachsen": "03", "Bremen": "04",
    "Nordrhein-Westfalen": "05", "Hessen": "06", "Rheinland-Pfalz": "07", "Baden-Württemberg": "08",
    "Bayern": "09", "Saarland": "10", "Berlin": "11", "Brandenburg": "12",
    "Mecklenburg-Vorpommern": "13", "Sachsen": "14", "Sachsen-Anhalt": "15", "Thüringen": "16",
}  # fmt: skip
"""Region in an IK by state. Source: ARGE·IK, Gemeinsames Rundschreiben, Anlage 1."""

_RVNR_AREAS = (
    "02", "03", "04", "08", "09", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20",
    "21", "23", "24", "25", "26", "28", "29", "38", "39", "40", "42", "43", "44", "48", "49", "50",
    "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "63", "64", "65", "66", "68",
    "69", "80", "81", "82", "89",
)  # fmt: skip
"""Areas of pension insurers. Source: § 2 VKVV with its annex."""


def _checked(make: Callable[[Scene, Draws], str]) -> Maker:
    """Returns a maker whose numbers carry whether their check digit holds."""

    def maker(scene: Scene, slot: str) -> Value:
        draws = scene.draws(slot)
        text = make(scene, draws)
        if not scene.has("broken_checksums"):
            return Value(text, {"checksum": "valid"})
        broken = german.break_checksum(slot, text, shift=draws.integer("shift", 1, 9))
        return Value(broken, {"checksum": "broken"})

    return maker


def _free(make: Callable[[Scene, Draws], str]) -> Maker:
    return lambda scene, slot: Value(make(scene, scene.draws(slot)))


def _digits(draws: Draws, name: str, count: int) -> str:
    return f"{draws.integer(name, 0, 10**count - 1):0{count}d}"


def _kvnr(scene: Scene, draws: Draws) -> str:
    return german.kvnr(draws.choice("letter", _LETTERS) + _digits(draws, "serial", 8))


def _lanr(scene: Scene, draws: Draws) -> str:
    group = draws.choice("group", _SPECIALIST_GROUPS)
    return german.lanr(_digits(draws, "serial", 6), group)


def _bsnr(scene: Scene, draws: Draws) -> str:
    return german.bsnr(_KV_REGIONS[scene.practice.state], _digits(draws, "serial", 7))


def _ik(scene: Scene, draws: Draws) -> str:
    return german.ik("26", _IK_REGIONS[scene.clinic.state], _digits(draws, "serial", 4))


def _iban(scene: Scene, draws: Draws) -> str:
    # Bank codes begin with 1 to 8, so no account has a code that begins with 9.
    return german.iban("9" + _digits(draws, "bank", 7), _digits(draws, "account", 10))


def _tax_id(scene: Scene, draws: Draws) -> str:
    """Draws ten digits of which exactly one is repeated, away from its first place."""
    order = draws.sample("digits", "0123456789", 9)
    if order[0] == "0":
        order[0], order[1] = order[1], order[0]
    order.insert(draws.integer("place", 2, 9), order[0])
    return german.tax_id("".join(order))


def _rvnr(scene: Scene, draws: Draws) -> str:
    name = fold(scene.patient.birth_name or scene.patient.family).upper()
    low, high = (0, 49) if scene.sex == "m" else (50, 99)
    serial = f"{draws.integer('serial', low, high):02d}"
    return german.rvnr(draws.choice("area", _RVNR_AREAS), scene.birth, name[0], serial)


def _id_card(scene: Scene, draws: Draws) -> str:
    stem = draws.choice("office", "LMNPRTVWXYZ") + _digits(draws, "start", 3)
    return german.id_card(stem + _card_text(draws, 5))


def _passport(scene: Scene, draws: Draws) -> str:
    return german.id_card(draws.choice("office", "CFGHJK") + _card_text(draws, 8))


def _card_text(draws: Draws, count: int) -> str:
    pool = "0123456789" + _CARD_LETTERS
    return "".join(draws.choice(f"place {place}", pool) for place in range(count))


def _pzn(scene: Scene, draws: Draws) -> str:
    stem = draws.integer("stem", 100_000, 1_999_999)
    while (number := german.pzn(f"{stem:07d}")) is None:
        stem += 1
    return number


def _case_id(scene: Scene, draws: Draws) -> str:
    year = scene.stay.admission.year
    if scene.has("date_like_ids"):
        return _date_like(scene, draws)
    serial = draws.integer("serial", 1, 9_999_999)
    forms = (
        f"{serial:08d}", f"{40_000_000 + serial}", f"{year}-{serial % 100_000:05d}",
        f"F{serial:07d}", f"{year % 100:02d}{serial % 1_000_000:06d}",
        f"{year}/{serial % 1_000_000:06d}",
    )  # fmt: skip
    return draws.choice("form", forms)


def _patient_id(scene: Scene, draws: Draws) -> str:
    if scene.has("date_like_ids"):
        return _date_like(scene, draws)
    serial = draws.integer("serial", 1, 99_999_999)
    forms = (f"{serial:08d}", f"P{serial:08d}", f"PID-{serial % 1_000_000:06d}", f"{serial:010d}")
    return draws.choice("form", forms)


def _date_like(scene: Scene, draws: Draws) -> str:
    """Returns a number that reads like a date, but is not one of the letter's."""
    day, month = draws.integer("day", 1, 28), draws.integer("month", 1, 12)
    then = date(scene.stay.admission.year - draws.integer("year", 3, 25), month, day)
    tail = draws.integer("tail", 1, 99)
    forms = (
        f"{then:%d%m%Y}", f"{then:%Y%m%d}", f"{then:%d.%m.%Y}-{tail}",
        f"{then:%Y-%m-%d}/{tail:02d}", f"{then:%d%m%y}-{tail:03d}",
    )  # fmt: skip
    return draws.choice("form", forms)


def _admission_id(scene: Scene, draws: Draws) -> str:
    serial = _digits(draws, "serial", 6)
    return draws.choice(
        "form", (f"A{serial}", f"AUF-{serial}", f"S{scene.stay.admission:%y}-{serial}")
    )


def _order_id(scene: Scene, draws: Draws) -> str:
    serial = _digits(draws, "serial", 6)
    day = f"{scene.stay.admission:%y}"
    return draws.choice(
        "form", (f"{day}-{serial}", f"L{day}{serial}", f"RAD-{serial}", f"E/{day}/{serial}")
    )


def _study_id(scene: Scene, draws: Draws) -> str:
    site, subject = draws.integer("site", 1, 60), draws.integer("subject", 1, 400)
    return draws.choice(
        "form",
        (
            f"S-{site:03d}-{subject:04d}",
            f"{site:02d}-{subject:03d}",
            f"SUBJ{site:02d}{subject:04d}",
        ),
    )


def _donor_id(scene: Scene, draws: Draws) -> str:
    serial = _digits(draws, "serial", 6)
    year = f"{scene.stay.admission:%y}"
    return draws.choice("form", (f"D{year}{serial}", f"SP-{year}-{serial[:4]}", f"ET-{serial}"))


def _private_id(scene: Scene, draws: Draws) -> str:
    serial = _digits(draws, "serial", 9)
    return draws.choice(
        "form", (serial, f"{serial[:3]}/{serial[3:]}", f"KV {serial[:6]}.{serial[6:8]}")
    )


def _efn(scene: Scene, draws: Draws) -> str:
    return german.efn(_digits(draws, "serial", 10))


def _plate(scene: Scene, draws: Draws) -> str:
    letters = "".join(
        draws.choice(f"letter {place}", _PLATE_LETTERS)
        for place in range(draws.integer("letters", 1, 2))
    )
    number = draws.integer("number", 1, 10 ** draws.integer("digits", 2, 4) - 1)
    suffix = draws.choice("suffix", ("",) * 12 + ("E", "H"))
    return f"{scene.home.plate}-{letters} {number}{suffix}"


def _device_id(scene: Scene, draws: Draws) -> str:
    serial = _digits(draws, "serial", 8)
    model = draws.choice("model", ("", "A", "PM-", "BLH", "TEP-", "RVB"))
    return f"{model}{serial}{draws.choice('suffix', ('', 'A', 'H', '-X'))}"


def _batch(scene: Scene, draws: Draws) -> str:
    letters = draws.choice("letter", _LETTERS) + draws.choice("second", _LETTERS)
    return letters + _digits(draws, "serial", 5)


def _article(scene: Scene, draws: Draws) -> str:
    return f"{_digits(draws, 'group', 3)}.{_digits(draws, 'serial', 3)}.{_digits(draws, 'size', 2)}"


MAKERS: Mapping[str, Maker] = {
    "kvnr": _checked(_kvnr), "lanr": _checked(_lanr), "ik_nr": _checked(_ik),
    "iban": _checked(_iban), "steuer_id": _checked(_tax_id), "rvnr": _checked(_rvnr),
    "ausweis": _checked(_id_card), "pass": _checked(_passport),
    "bsnr": _free(_bsnr), "fallnr": _free(_case_id), "patid": _free(_patient_id),
    "aufnahmenr": _free(_admission_id), "auftragsnr": _free(_order_id),
    "studiennr": _free(_study_id), "spendernr": _free(_donor_id), "pkv_nr": _free(_private_id),
    "efn": _free(_efn), "kennzeichen": _free(_plate), "geraetenr": _free(_device_id),
    "nonpii_id:pzn": _free(_pzn), "nonpii_id:charge": _free(_batch),
    "nonpii_id:artikel": _free(_article),
}  # fmt: skip
"""Makers of numbers by slot; `nonpii_id:…` are decoys that identify products, not people."""
