from __future__ import annotations

import pytest

from mustermann.letters.cases import physiology


@pytest.mark.parametrize(
    ("creatinine", "age", "sex", "expected"),
    [(0.8, 60, "m", 101), (1.5, 60, "m", 53), (4.0, 60, "m", 16), (1.2, 80, "m", 61),
     (0.8, 60, "f", 84), (2.0, 80, "f", 25), (1.0, 80, "f", 57)],
)  # fmt: skip
def test_egfr_agrees_with_published_table(creatinine, age, sex, expected) -> None:
    assert physiology.egfr(creatinine, age, sex) == pytest.approx(expected, abs=1)


def test_clearance_falls_with_age_and_is_lower_in_women() -> None:
    assert physiology.creatinine_clearance(1.0, 70, 70, "m") == 68
    assert physiology.creatinine_clearance(1.0, 70, 70, "f") == 58


def test_body_measures() -> None:
    assert physiology.body_mass_index(80, 180) == 24.7
    assert physiology.body_surface(80, 180) == 2.0
