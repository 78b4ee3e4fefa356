import json
import os

import pytest

from mustermann.core import files
from mustermann.core.errors import ConfigError, DataError


def test_a_directory_appears_whole_or_not_at_all(tmp_path):
    with files.new_directory(tmp_path / "out") as directory:
        (directory / "a").write_text("1")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out" / "a").read_text() == "1"
    with pytest.raises(RuntimeError), files.new_directory(tmp_path / "other"):
        raise RuntimeError
    assert os.listdir(tmp_path) == ["out"]


def test_an_existing_output_is_refused_and_kept(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").write_text("1")
    with pytest.raises(ConfigError, match="exists"), files.new_directory(tmp_path / "out"):
        pass
    assert (tmp_path / "out" / "precious").exists()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    target = tmp_path / "x.json"
    files.write_json(target, {"ä": 1})
    assert json.loads(target.read_text(encoding="utf-8")) == {"ä": 1}
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(target, float("nan"))
    assert files.read_json(target) == {"ä": 1}
    assert os.listdir(tmp_path) == ["x.json"]


def test_a_missing_directory_and_a_broken_json_are_named(tmp_path):
    with pytest.raises(ConfigError, match="nowhere"):
        files.write_json(tmp_path / "nowhere" / "x.json", 1)
    with pytest.raises(DataError, match="found none"):
        files.read_json(tmp_path / "x.json")
    (tmp_path / "x.json").write_bytes(b"\x80")
    with pytest.raises(DataError, match=r"x\.json"):
        files.read_json(tmp_path / "x.json")
