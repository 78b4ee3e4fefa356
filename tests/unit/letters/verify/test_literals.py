"""What looks like a name, and what only stands before one."""

from __future__ import annotations

import pytest

from mustermann.letters.verify.evidence import COVERED
from mustermann.letters.verify.literals import _looks


@pytest.mark.parametrize(
    "text",
    ["Herr Kaminski kam", "mit Schwester Hedwig", "Pfleger Uwe half", "Dr. med. Okafor", "Frau K."],
)
def test_a_titled_name_is_found(text: str) -> None:
    assert [kind for kind, _, _ in _looks(text)] == ["name"]


@pytest.mark.parametrize(
    "text",
    [
        f"begleitet von der Schwester Frau {COVERED * 6}",
        f"die Schwester Herrn {COVERED * 6}",
        "Frau Kollegin", "Herr Patient", "Frau und Herr",
    ],
)  # fmt: skip
def test_an_honorific_before_a_label_is_none(text: str) -> None:
    assert list(_looks(text)) == []
