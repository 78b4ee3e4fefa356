import collections
import dataclasses
from datetime import date, timedelta

import pytest

from mustermann.core.errors import ConfigError
from mustermann.letters.house import HouseWeights, house_style


def letters(attributes, count, difficulty="easy"):
    parameters = dataclasses.replace(attributes.parameters, difficulty=difficulty)
    for day in range(count):
        dates = {**attributes.dates, "brief": date(2026, 4, 9) + timedelta(days=day)}
        yield dataclasses.replace(attributes, dates=dates, parameters=parameters)


def test_a_letter_keeps_its_style_and_others_have_theirs(attributes):
    one = [dataclasses.replace(house_style(attributes), draws=None) for _ in range(2)]
    assert one[0] == one[1]
    many = {(s.stay, s.event, s.letter, s.phone) for s in map(house_style, letters(attributes, 99))}
    assert len(many) > 10


def test_styles_follow_their_weights(attributes):
    styles = [house_style(one) for one in letters(attributes, 2000)]
    weights = HouseWeights()

    def share(holds):
        return sum(map(holds, styles)) / len(styles)

    assert abs(share(lambda style: style.birth == "d_m_y") - weights.unpadded) < 0.04
    assert abs(share(lambda style: style.event.endswith("2")) - weights.event_short_year) < 0.04
    assert abs(share(lambda style: style.letter == "d_month_y") - weights.letter_in_words) < 0.04
    phones = collections.Counter(style.phone for style in styles)
    for form, weight in weights.phone.items():
        assert abs(phones[form] / 2000 - weight) < 0.04
    months = collections.Counter(style.month for style in styles)
    for form, weight in weights.month.items():
        assert abs(months[form] / 2000 - weight) < 0.04
    assert abs(share(lambda style: style.elided) - weights.elided * (1 - weights.slash)) < 0.04
    assert abs(share(lambda style: style.short_titles) - weights.short_titles) < 0.04
    assert abs(share(lambda style: style.zip_prefix == "D-") - weights.zip_prefix) < 0.02


def test_a_house_pads_all_its_numeric_dates_or_none(attributes):
    for style in map(house_style, letters(attributes, 200)):
        numeric = {style.birth, style.stay, style.event, style.letter} - {"d_month_y", "iso"}
        known = ({"dmy", "dmy2"}, {"d_m_y", "d_m_y2"}, {"slash"})
        assert any(numeric <= alike for alike in known)


def test_only_hard_letters_have_careless_titles(attributes):
    def share(difficulty):
        styles = [house_style(one) for one in letters(attributes, 400, difficulty)]
        return sum(style.noisy_titles for style in styles) / 400

    assert share("easy") == 0
    assert share("medium") < share("hard") < share("adversarial") < 0.5


def test_weights_can_be_set_and_are_checked(attributes):
    always = HouseWeights(letter_in_words=1.0)
    assert house_style(attributes, always).letter == "d_month_y"
    with pytest.raises(ConfigError, match="Expected phone among din"):
        HouseWeights(phone={"morse": 1.0})
    with pytest.raises(ConfigError, match="Expected month among my, my2, my1, got dm"):
        HouseWeights(month={"dm": 1.0})
