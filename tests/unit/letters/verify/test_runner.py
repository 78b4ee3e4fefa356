"""Every check has a name, a severity and a count, and none uses what it checks."""

import ast
import dataclasses
from pathlib import Path

import pytest

from mustermann.letters import verify
from mustermann.letters.verify import runner
from mustermann.letters.verify.fault import Fault

FOLDER = Path(verify.__file__).parent
ALLOWED = ("mustermann.core", "mustermann.documents", "mustermann.letters.verify")
RECORD = {"id": "1", "text": "Frau Zabel kam.", "spans": []}


class Doubtful:
    name = "doubtful"
    severity = "warning"

    def faults(self, evidence):
        yield evidence.fault(self.name, "Hm.")
        yield Fault(self.name, evidence.document.id, 0, 1, "Hm again.")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_checker_imports_nothing_that_writes_letters(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [str(node.module)]
        ours = [name for name in names if name.startswith("mustermann")]
        assert all(name.startswith(ALLOWED) for name in ours), ours


def test_each_check_has_a_name_of_its_own_and_a_severity():
    found = runner.checks()
    assert len({check.name for check in found}) == len(found) >= 18
    assert {check.severity for check in found} <= {"error", "warning"}


def test_every_check_is_counted_also_where_it_finds_nothing():
    result = runner.verify_corpus([RECORD, {"id": "2", "text": "x", "spans": [{"start": 5}]}])
    assert result.faults == dict.fromkeys((c.name for c in runner.checks()), 0) | {"spans": 1}
    assert (result.letters, result.total) == (2, 1)
    assert result.severities == {"error": 1, "warning": 0}


def test_what_a_check_finds_is_as_severe_as_the_check(monkeypatch):
    monkeypatch.setattr(runner, "checks", lambda: (Doubtful(),))
    result = runner.verify_corpus([RECORD])
    assert {fault.severity for fault in result.first} == {"warning"}
    assert result.severities == {"error": 0, "warning": 2}
    assert dataclasses.asdict(result)["faults"] == {"doubtful": 2, "spans": 0}
