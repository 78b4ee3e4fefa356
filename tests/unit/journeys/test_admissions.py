from __future__ import annotations

from mustermann.journeys.admissions import DEPARTMENTS, fictitious_admissions
from mustermann.letters.cases.library import CaseLibrary


def test_stays_are_those_of_the_hospital_s_departments() -> None:
    rows = fictitious_admissions(60, seed=3).to_pylist()
    offered = {profile.specialty for profile in CaseLibrary().profiles}
    assert {row["specialty"] for row in rows} <= DEPARTMENTS
    assert offered >= DEPARTMENTS
    assert len({row["specialty"] for row in rows}) > 4
