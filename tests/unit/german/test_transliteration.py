import pytest

from mustermann.german import names
from mustermann.german.transliteration import fold


@pytest.mark.parametrize(
    ("text", "plain"),
    [("Müller", "Mueller"), ("Voß", "Voss"), ("Çam", "Cam"), ("Kılıç", "Kilic"),
     ("Łukasz", "Lukasz"),
     ("Đorđević", "Dordevic"), ("Mu\u0308ller", "Mueller"), ("Ștefan", "Stefan"), ("Åse", "Ase")],
)  # fmt: skip
def test_fold(text: str, plain: str) -> None:
    assert fold(text) == plain


def test_no_letter_of_any_name_is_lost() -> None:
    for origin in names.ORIGINS:
        pool = names.pool(origin)
        for text in (*(n.male for n in pool.family), *(n for g in pool.given.values() for n in g)):
            assert len(fold(text)) >= len(text.replace("’", "").replace("'", "")), text
            assert fold(text).isascii()
