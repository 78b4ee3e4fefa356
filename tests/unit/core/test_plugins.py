import pytest

from mustermann.core import plugins
from mustermann.core.errors import PluginError
from mustermann.core.parallel import SerialExecutor


def test_a_plugin_is_found_by_name():
    assert "serial" in plugins.names("mustermann.executors")
    assert plugins.load("mustermann.executors", "serial") is SerialExecutor


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(PluginError, match="Did you mean 'serial'"):
        plugins.load("mustermann.executors", "seriel")


def test_a_missing_dependency_names_the_extra(monkeypatch):
    from importlib.metadata import EntryPoint

    point = EntryPoint("flair", "no_such_module_of_ours:X", "mustermann.detectors")
    monkeypatch.setattr(plugins, "entry_points", lambda **_: [point])
    with pytest.raises(PluginError, match=r"pip install 'mustermann\[flair\]'"):
        plugins.load("mustermann.detectors", "flair")
