"""Identifiers: by the word before them, by their form, and by their check digit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find

if TYPE_CHECKING:
    from collections.abc import Iterator

_NR = (
    r"(?:[- ]?(?:[Nn]r\.?|[Nn]ummern?|[Nn]o\.?|[Zz]ahl|ID|Id|Nº|#)|nummern?|nr\.?|zahl"
    r"|[- ]?[Kk]ennzeichen|[- ]?Code)"
)
_N = r"(?:[- ]?[Nn]r\.?|nummer)"
_KEYWORDS: dict[str, str] = {
    "KVNR": rf"KVNR\.?|KV[- ]?[Nn]r\.?|eGK(?:{_NR})?|(?:Kranken)?[Vv]ersicherte?n?{_NR}"
    rf"|Kranken(?:kassen|versicherungs?|versicherten){_NR}|Kassen{_NR}|Vers\.?{_NR}"
    rf"|Versicherungs{_NR}|SV|SVNR|SV{_NR}|Sozialversicherungs{_NR}|Mitglieds?{_NR}",
    "PKV_NR": rf"PKV{_NR}|Vers\.?-Schein{_NR}|Versicherungsschein{_NR}|Policen?{_NR}|Beihilfe{_NR}",
    "CASE_ID": rf"Fall{_NR}|FN|F{_NR}|Fall|Fall-ID|Aktenzeichen|Akten{_NR}|Az\.?|Vorgangs?{_NR}"
    rf"|Vorg\.?{_NR}|Besuchs?{_NR}|KIS{_NR}|Behandlungs?{_NR}",
    "ADMISSION_ID": rf"Aufnahme{_NR}|Aufn\.?{_NR}|Aufnahme(?=[ ][A-Z]{{1,4}}\d*-?\d{{5}})",
    "PATIENT_ID": rf"Pat(?:ienten|ient(?:in)?|\.)?{_NR}|PIZ|PID|MRN|Pat[.-]?ID|P[Ii]d{_NR}|I-?Zahl"
    rf"|Patientenakte|Stamm{_NR}",
    "ORDER_ID": rf"Auftrags?{_NR}|Auftr\.?{_NR}|Anforderungs?{_NR}|E{_NR}|Eingangs?{_NR}"
    rf"|Befund{_NR}|Labor{_NR}|Proben?{_NR}|Journal{_NR}|J{_NR}|Histo(?:logie)?{_NR}"
    rf"|Untersuchungs?{_NR}|Acc(?:ession)?{_NR}|Barcode|Rezept{_NR}|Überweisungs?{_NR}"
    rf"|Röntgen{_NR}|Tagebuch{_NR}|Präparate?{_NR}|Rechnungs?{_NR}|Konsil{_NR}",
    "STUDY_ID": rf"Studien{_NR}|Studien-?ID|Probanden{_NR}|Prot(?:okoll|\.)\s?{_NR}"
    rf"|Screening{_NR}|Randomisierungs?{_NR}|Studienteilnehmer{_NR}|Teilnehmer{_NR}|Subject{_NR}"
    r"|Pseudonym",
    "DONOR_ID": rf"Spender{_NR}|ET{_NR}|Eurotransplant{_NR}|DSO{_NR}|Organspender{_NR}"
    rf"|Empfänger{_NR}|Konserven?{_NR}",
    "LANR": rf"(?:[Ll]ebenslange )?Arzt{_N}|LANR\.?",
    "BSNR": rf"BSNR\.?|Betriebsstätten{_N}|NBSNR",
    "IK_NR": r"IK(?:[- ]?N[Rr]\.?)?|IKNR|Institutionskennzeichen|Institutskennzeichen",
    "EFN": rf"EFN\.?|Fortbildungs{_NR}",
    "IBAN": rf"IBAN\.?|Konto{_N}",
    "TAX_ID": rf"Steuer[- ]?(?:ID|Id|IdNr\.?|identifikations{_NR}|{_NR})|IdNr\.?|St(?:euer)?-?ID"
    rf"|Steuer{_NR}|TIN",
    "RVNR": rf"RVNR\.?|RV[- ]?[Nn]r\.?|Rentenversicherungs{_NR}|Renten{_NR}",
    "ID_CARD": rf"(?:Personal)?[Aa]usweis{_NR}|Personalausweis|Perso(?:{_NR})?|Führerschein{_NR}"
    rf"|Schwerbehindertenausweis(?:{_NR})?",
    "PASSPORT": rf"(?:Reise)?[Pp]ass{_NR}|Reisepass",
    "DEVICE_ID": rf"(?:Serien|Geräte|Implantat|Modell|Aggregat|Device){_NR}|Serien?{_NR}|S/?N"
    rf"|Ser\.?{_NR}|Snr\.?",
}
_VALUE = (
    r"(?P<value>(?:[A-ZÄÖÜ]{1,4}[ -]?(?=[A-Za-z]*\d))?"
    r"[A-Za-z0-9](?:[A-Za-z0-9]|[./_–-](?=[A-Za-z0-9])){0,60}"
    r"(?: \d{2,}(?!\.\d|[ ]?(?:mg|ml|Uhr|Jahre|%))(?:[/-]\d+)*[A-Z]?\d*| [A-Z] ?\d{2,}(?!\w))*)"
)
_KEYED = re.compile(
    r"(?:" + "|".join(f"(?P<{label}>{words})" for label, words in _KEYWORDS.items()) + ")"
    r"(?: \([^()\n]{1,24}\))?"
    r"(?:[ \t]*[:=#][ \t]*(?:\n[ \t]*)?|[ \t]+(?:lautet |ist |lautete )?"
    r"|\.[ ]?:?[ ]?)(?:Nr\.?:? ?)?" + _VALUE
)
_WORD_START = re.compile(r"[A-ZÄÖÜeml](?<![\w-].)")
_SPACED_ID = re.compile(r"\b[iI][dD]:? (?P<value>\d{1,2}\.\d{1,2}\.\d{4}|[A-Z0-9][\w-]*\d[\w-]*)")
_NEEDS_COLON = frozenset(
    {"Fall", "FN", "SV", "IK", "Personalausweis", "Reisepass", "Az", "Barcode"}
)

_IBAN = re.compile(r"[A-Z](?<![\w-].)[A-Z]\d{2}(?: ?[\dA-Z]{4}){3,7}(?: ?[\dA-Z]{1,4})?(?!\w)")
_KVNR = re.compile(r"[A-Z](?<!\w.)[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}(?!\w)")
_RVNR = re.compile(
    r"\d(?<!\w.)\d ?(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2} ?[A-Z] ?\d{3}(?!\w)"
)
_CARD = re.compile(r"8(?<!\w.)0276[ ]?\d{3}[ ]?\d{3}[ ]?\d{4}(?:[ ]?\d{5})?(?!\w)")
_SPECIMEN = re.compile(
    r"[A-Z](?<![\w/.-].)[A-Z]{0,2}(?:[ -]?\d{4,7}|\d{3})[/-](?:\d\d|\d{4})(?:-\d+)?(?![\w/-])"
)
_LONG = re.compile(
    r"[A-Z0-9](?<![\w.,/+-].)(?:[A-Z]{0,2}-?\d{8,14}|(?<=\d)\d{7,13})(?![\w%]|[.,/]\d)"
)
_PLATE = re.compile(
    r"(?:[Kk]ennzeichen|K[Ff][Zz]|P[Kk][Ww]|Auto|Fahrzeug|Motorrad|Wagen)[^.;\n]{0,40}?"
    r"(?<![\w-])(?P<value>[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[ -]?\d{1,4}[EH]?)(?!\w)"
)
_BARE = {"IBAN": _IBAN, "EFN": _CARD, "RVNR": _RVNR, "KVNR": _KVNR, "ORDER_ID": _SPECIMEN,
         "CASE_ID": _LONG}  # fmt: skip


def find_identifiers(text: str) -> Iterator[Find]:
    """Yields the identifiers that a word announces; may overlap."""
    end = 0
    for start in _WORD_START.finditer(text):
        if start.start() < end:
            continue
        match = _KEYED.match(text, start.start())
        if match:
            label = next(label for label in _KEYWORDS if match[label] is not None)
            if _fits(match, label):
                end = match.end()
                yield Find(*match.span("value"), label)
    for match in _SPACED_ID.finditer(text):
        yield Find(*match.span("value"), "CASE_ID")


def find_bare_identifiers(text: str) -> Iterator[Find]:
    """Yields identifiers that their form gives away, where no word announces them."""
    for label, pattern in _BARE.items():
        for match in pattern.finditer(text):
            yield Find(*match.span(), label)
    for match in _PLATE.finditer(text):
        yield Find(*match.span("value"), "LICENSE_PLATE")


def _fits(match: re.Match[str], label: str) -> bool:
    word, value = match[label], match["value"]
    if not any(character.isdigit() for character in value):
        return False
    if word.rstrip(".") in _NEEDS_COLON and ":" not in match[0]:
        return (
            len(re.sub(r"\D", "", value)) >= 6 or re.fullmatch(r"[A-Z0-9]{8,}", value) is not None
        )
    return len(value) > 1 or ":" in match[0]
