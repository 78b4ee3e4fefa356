import subprocess
import sys

import pytest

import mustermann


@pytest.mark.parametrize("name", mustermann.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert getattr(mustermann, name).__doc__


def test_the_api_is_small_and_says_what_it_has():
    assert len(mustermann.__all__) <= 20
    assert set(mustermann.__all__) <= set(dir(mustermann))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = mustermann.generate_leters


@pytest.mark.parametrize("command", ["import mustermann", "import mustermann.cli.main"])
def test_nothing_heavy_is_imported_before_it_is_asked_for(command):
    heavy = "{'torch', 'numpy', 'spacy', 'pandas', 'scipy', 'pydantic', 'pyarrow'}"
    code = f"import sys; {command}; print(sorted({heavy} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
