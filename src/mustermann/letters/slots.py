"""The slots that a placeholder may name, with their kind and label."""

from __future__ import annotations

import dataclasses
from typing import Literal

Kind = Literal["person", "date", "text", "age", "decoy", "clinical", "login"]


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """A name that may stand first in a placeholder.

    Attributes:
      name: As written in `[[name …]]`; a name that takes an argument is written `name:argument`.
      kind: What it resolves to; decides which forms, cases and variants are allowed.
      label: The label of its span, "" for clinical atoms (they have a layer of their own).
      argument: Whether `name:argument` is required.
    """

    name: str
    kind: Kind
    label: str
    argument: bool = False


RELATIVES = (
    "ehepartner", "mutter", "vater", "tochter", "sohn", "schwester", "bruder", "enkel",
    "angehoeriger",
)  # fmt: skip
STAFF = (
    "arzt_einweiser", "hausarzt", "facharzt", "konsiliararzt", "stationsarzt", "oberarzt",
    "chefarzt", "operateur", "pflege", "therapeut", "sozialdienst",
)  # fmt: skip
OTHERS = ("betreuer", "bekannter", "spender")

_TEXTS = {
    "STREET": "strasse klinik_strasse einweiser_strasse angehoeriger_strasse",
    "ZIP": "plz klinik_plz einweiser_plz angehoeriger_plz",
    "CITY": "ort klinik_ort einweiser_ort angehoeriger_ort geburtsort ort_ereignis",
    "ADDRESS_OTHER": "adresszusatz",
    "STATE": "bundesland",
    "COUNTRY": "land",
    "PHONE": "telefon klinik_telefon station_telefon einweiser_telefon angehoeriger_telefon",
    "MOBILE": "mobil angehoeriger_mobil",
    "FAX": "fax klinik_fax einweiser_fax",
    "EMAIL": "email klinik_email einweiser_email",
    "URL": "klinik_url",
    "IP": "ip",
    "KVNR": "kvnr", "PKV_NR": "pkv_nr", "CASE_ID": "fallnr", "PATIENT_ID": "patid",
    "ADMISSION_ID": "aufnahmenr", "ORDER_ID": "auftragsnr", "STUDY_ID": "studiennr",
    "DONOR_ID": "spendernr", "LANR": "lanr", "BSNR": "bsnr", "IK_NR": "ik_nr", "EFN": "efn",
    "IBAN": "iban", "TAX_ID": "steuer_id", "RVNR": "rvnr", "ID_CARD": "ausweis",
    "PASSPORT": "pass", "LICENSE_PLATE": "kennzeichen", "DEVICE_ID": "geraetenr",
    "PROFESSION": "beruf",
    "HOSPITAL": "klinik klinik_kurz vorklinik rehaklinik",
    "WARD": "station",
    "ROOM": "zimmer",
    "INSURER": "versicherer",
    "ORGANIZATION": "organisation pflegedienst arbeitgeber praxis",
    "OTHER_PHI": "sonstiges",
}  # fmt: skip


def _table() -> dict[str, Slot]:
    people = (
        ("PATIENT_NAME", ("patient",)), ("RELATIVE_NAME", RELATIVES),
        ("STAFF_NAME", STAFF), ("OTHER_PERSON_NAME", OTHERS),
    )  # fmt: skip
    slots = [Slot(name, "person", label) for label, names in people for name in names]
    slots += [
        Slot("geburtsdatum", "date", "DATE_BIRTH"), Slot("sterbedatum", "date", "DATE_DEATH"),
        Slot("aufnahme", "date", "DATE_ADMISSION"), Slot("entlassung", "date", "DATE_DISCHARGE"),
        Slot("brief", "date", "DATE_LETTER"), Slot("ereignis", "date", "DATE_EVENT", argument=True),
        Slot("alter", "age", "AGE"), Slot("lebensalter", "age", "AGE", argument=True),
        Slot("diktat", "login", "USERNAME"),
        Slot("eponym", "decoy", "EPONYM", argument=True),
        Slot("lookalike", "decoy", "LOOKALIKE", argument=True),
        Slot("nonpii_id", "decoy", "NONPII_ID", argument=True),
    ]  # fmt: skip
    slots += [
        Slot(name, "text", label) for label, names in _TEXTS.items() for name in names.split()
    ]
    atoms = ("diagnosis", "procedure", "med", "lab", "vital")
    slots += [Slot(name, "clinical", "", argument=True) for name in atoms]
    slots.append(Slot("los", "clinical", ""))
    return {slot.name: slot for slot in slots}


SLOTS: dict[str, Slot] = _table()
"""Every slot by name."""
