"""Detectors by name."""

import pytest

from mustermann.core import plugins
from mustermann.core.errors import PluginError
from mustermann.detectors.registry import load_detector


def test_rules_load_by_name():
    assert load_detector("rules").name == "rules"


def test_a_misspelt_name_gets_a_hint():
    with pytest.raises(PluginError, match="Did you mean 'rules'"):
        load_detector("rulse")


def test_an_argument_too_many_is_one_line():
    with pytest.raises(PluginError, match="takes nothing after a colon"):
        load_detector("rules:model")


def test_what_makes_no_detector_is_refused(monkeypatch):
    monkeypatch.setattr(plugins, "load", lambda group, name: dict)
    with pytest.raises(PluginError, match="Expected 'odd' to make a detector"):
        load_detector("odd")
