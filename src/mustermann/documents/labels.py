"""The labels, their tiers, and the components of a name.

Tier 1 identifies a person directly, tier 2 indirectly; tier 3 are decoys: text that
looks like PHI and is not, so a detector that touches it errs. Clinical labels live on
a layer of their own. Mappings to other label sets: `mustermann.documents.mappings`.

Source: LETTERS label table; guideline rules of GraSCCo_PHI (Lohr et al. 2024).
"""

from __future__ import annotations

import dataclasses
from typing import Literal

Tier = Literal[1, 2, 3]
Group = Literal["NAME", "DATE", "LOCATION", "CONTACT", "ID", "AGE", "ORG", "OTHER", "DECOY"]


@dataclasses.dataclass(frozen=True, slots=True)
class Label:
    """One label of ours.

    Attributes:
      name: As it stands in a corpus.
      tier: 1 direct, 2 indirect, 3 decoy.
      group: The coarse class that detectors are trained on and legends are coloured by.
      meaning: In German, for legends.
    """

    name: str
    tier: Tier
    group: Group
    meaning: str


_TABLE: tuple[tuple[Tier, Group, str], ...] = (
    (1, "NAME", "PATIENT_NAME=Patient RELATIVE_NAME=Angehörige STAFF_NAME=Klinikpersonal "
                "OTHER_PERSON_NAME=sonstige_Person USERNAME=Diktatzeichen"),
    (1, "DATE", "DATE_BIRTH=Geburtsdatum DATE_DEATH=Sterbedatum DATE_ADMISSION=Aufnahmedatum "
                "DATE_DISCHARGE=Entlassdatum DATE_LETTER=Briefdatum DATE_EVENT=Ereignisdatum "
                "DATE_PARTIAL=Teildatum"),
    (1, "LOCATION", "STREET=Straße CITY=Ort ZIP=Postleitzahl ADDRESS_OTHER=Adresszusatz"),
    (1, "CONTACT", "PHONE=Telefon MOBILE=Mobiltelefon FAX=Fax EMAIL=E-Mail URL=Webadresse "
                   "IP=IP-Adresse"),
    (1, "ID", "KVNR=Versichertennummer PKV_NR=PKV-Nummer CASE_ID=Fallnummer "
              "PATIENT_ID=Patientennummer ADMISSION_ID=Aufnahmenummer ORDER_ID=Auftragsnummer "
              "STUDY_ID=Studiennummer DONOR_ID=Spendernummer LANR=Arztnummer "
              "BSNR=Betriebsstättennummer IK_NR=Institutionskennzeichen EFN=Fortbildungsnummer "
              "IBAN=IBAN TAX_ID=Steuer-ID RVNR=Rentenversicherungsnummer ID_CARD=Ausweisnummer "
              "PASSPORT=Passnummer LICENSE_PLATE=Kennzeichen DEVICE_ID=Gerätenummer"),
    (2, "AGE", "AGE=Alter"),
    (2, "OTHER", "PROFESSION=Beruf OTHER_PHI=sonstiges_Merkmal"),
    (2, "ORG", "HOSPITAL=Krankenhaus WARD=Station ROOM=Zimmer INSURER=Versicherer "
               "ORGANIZATION=Organisation"),
    (2, "LOCATION", "STATE=Bundesland COUNTRY=Land"),
    (3, "DECOY", "EPONYM=Eponym LOOKALIKE=namensähnlicher_Fachbegriff "
                 "NONPII_ID=Nummer_ohne_Personenbezug"),
)  # fmt: skip


def _labels() -> dict[str, Label]:
    """Unfolds the table."""
    pairs = ((t, g, entry.split("=")) for t, g, entries in _TABLE for entry in entries.split())
    return {name: Label(name, t, g, meaning.replace("_", " ")) for t, g, (name, meaning) in pairs}


LABELS: dict[str, Label] = _labels()
"""Every PHI and decoy label by name, in the order of the table."""

DIRECT = frozenset(name for name, label in LABELS.items() if label.tier == 1)
INDIRECT = frozenset(name for name, label in LABELS.items() if label.tier == 2)
DECOYS = frozenset(name for name, label in LABELS.items() if label.tier == 3)
PHI = DIRECT | INDIRECT

CLINICAL = frozenset({"DIAGNOSIS", "PROCEDURE", "MEDICATION", "LAB"})
"""Labels of the clinical layer; they may overlap PHI spans, not each other."""

COMPONENTS = frozenset({"title", "given", "particle", "family", "suffix", "initial"})
"""Parts of a name inside its span; `suffix` is the genitive -s or apostrophe."""

ATTACHED = frozenset({"honorific", "salutation"})
"""Parts of a name that stand outside its span: Herr, Frau, Sehr geehrter …"""
