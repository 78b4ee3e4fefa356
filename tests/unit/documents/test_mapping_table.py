"""Every line of the published label table, for every target."""

import pytest

from mustermann.documents.labels import LABELS
from mustermann.documents.mapping import load_mapping

ORDER = ("grascco", "i2b2", "hipaa")
TABLE = """
PATIENT_NAME NAME_PATIENT PATIENT 1
RELATIVE_NAME NAME_RELATIVE PATIENT 1
STAFF_NAME NAME_DOCTOR DOCTOR -
OTHER_PERSON_NAME NAME_EXT|NAME_OTHER - 1
USERNAME NAME_USERNAME USERNAME 18
DATE_BIRTH DATE DATE 3
DATE_DEATH DATE DATE 3
DATE_ADMISSION DATE DATE 3
DATE_DISCHARGE DATE DATE 3
DATE_LETTER DATE DATE 3
DATE_EVENT DATE DATE 3
DATE_PARTIAL DATE DATE 3
STREET LOCATION_STREET STREET 2
CITY LOCATION_CITY CITY 2
ZIP LOCATION_ZIP ZIP 2
ADDRESS_OTHER LOCATION_OTHER LOCATION-OTHER 2
PHONE CONTACT_PHONE PHONE 4
MOBILE CONTACT_PHONE PHONE 4
FAX CONTACT_FAX FAX 5
EMAIL CONTACT_EMAIL EMAIL 6
URL CONTACT_URL URL 14
IP - IPADDR 15
KVNR ID HEALTHPLAN 9
PKV_NR ID HEALTHPLAN 9
CASE_ID ID MEDICALRECORD 8
PATIENT_ID ID MEDICALRECORD 8
ADMISSION_ID ID MEDICALRECORD 8
ORDER_ID ID IDNUM 18
STUDY_ID ID IDNUM 18
DONOR_ID ID IDNUM 18
LANR ID LICENSE|IDNUM 11
BSNR ID LICENSE|IDNUM 11
IK_NR ID LICENSE|IDNUM 11
EFN ID LICENSE|IDNUM 11
IBAN ID ACCOUNT 10
TAX_ID ID IDNUM 18
RVNR ID SSN 7
ID_CARD ID LICENSE 11
PASSPORT ID LICENSE 11
LICENSE_PLATE ID VEHICLE 12
DEVICE_ID ID DEVICE 13
AGE AGE AGE -
PROFESSION PROFESSION PROFESSION -
HOSPITAL LOCATION_HOSPITAL HOSPITAL 2
WARD LOCATION_HOSPITAL DEPARTMENT 2
ROOM LOCATION_HOSPITAL ROOM 2
INSURER LOCATION_ORGANIZATION ORGANIZATION -
ORGANIZATION LOCATION_ORGANIZATION ORGANIZATION -
STATE LOCATION_STATE STATE -
COUNTRY LOCATION_COUNTRY COUNTRY -
OTHER_PHI OTHER - 18
EPONYM - - -
LOOKALIKE - - -
NONPII_ID - - -
"""
ROWS = [line.split() for line in TABLE.split("\n") if line]


def test_the_table_has_one_line_a_label() -> None:
    assert sorted(row[0] for row in ROWS) == sorted(LABELS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_label_maps_as_the_table_says(row: list[str]) -> None:
    label, *targets = row
    for name, target in zip(ORDER, targets, strict=True):
        prefix = "HIPAA_" if name == "hipaa" else ""
        allowed = {"" if one == "-" else f"{prefix}{one}" for one in target.split("|")}
        assert load_mapping(name).labels[label] in allowed, name


def test_gemtex_differs_from_grascco_in_births_and_deaths_alone() -> None:
    ours, theirs = load_mapping("grascco").labels, load_mapping("gemtex").labels
    assert {label for label in LABELS if ours[label] != theirs[label]} == {
        "DATE_BIRTH", "DATE_DEATH",
    }  # fmt: skip
    assert "1.2" in load_mapping("gemtex").target
