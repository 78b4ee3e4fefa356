"""Clinical formulas that cases may use: kidney function, body mass, body surface."""

from __future__ import annotations

import math


def egfr(creatinine: float, age: float, sex: str) -> int:
    """Returns the estimated glomerular filtration rate in ml/min/1.73 m².

    Args:
      creatinine: Serum creatinine in mg/dl, positive.
      age: Years.
      sex: "m" or "f".

    Source: CKD-EPI 2021 without race, Inker et al., NEJM 2021;385:1737.
    """
    female = sex == "f"
    kappa, alpha = (0.7, -0.241) if female else (0.9, -0.302)
    ratio = creatinine / kappa
    value = (
        142
        * math.pow(min(ratio, 1.0), alpha)
        * math.pow(max(ratio, 1.0), -1.2)
        * math.pow(0.9938, age)
    )
    return round(value * 1.012) if female else round(value)


def creatinine_clearance(creatinine: float, age: float, weight: float, sex: str) -> int:
    """Returns the creatinine clearance in ml/min, which doses of anticoagulants follow.

    Source: Cockcroft and Gault, Nephron 1976;16:31.
    """
    value = (140 - age) * weight / (72 * creatinine)
    return round(value * 0.85) if sex == "f" else round(value)


def body_mass_index(weight: float, height: float) -> float:
    """Returns kg/m² to one decimal, for a weight in kg and a height in cm."""
    return round(weight / (height / 100) ** 2, 1)


def body_surface(weight: float, height: float) -> float:
    """Returns m² to two decimals, for a weight in kg and a height in cm.

    Source: Mosteller, NEJM 1987;317:1098.
    """
    return round(math.sqrt(weight * height / 3600), 2)
