import pytest

from mustermann.letters.verify import checksums


@pytest.mark.parametrize(
    ("rule", "valid"),
    [
        (checksums.kvnr, ["A000500015", "C000500021", "A123456780"]),
        (checksums.lanr, ["123456601", "838382202"]),
        (checksums.ik, ["260326822", "260120196", "104212505"]),
        (checksums.iban, ["DE89370400440532013000"]),
        (checksums.tax_id, ["86095742719", "47036892816"]),
        (checksums.rvnr, ["15070649C103"]),
        (checksums.id_card, ["T220001293"]),
    ],
)
def test_valid_ids_pass_and_every_changed_check_digit_fails(rule, valid):
    for text in valid:
        assert rule(text), text
        at = 6 if rule is checksums.lanr else len(text) - 1
        for digit in set("0123456789") - {text[at]}:
            assert not rule(text[:at] + digit + text[at + 1 :])
        assert not rule(text[:-1])
        assert not rule("")
