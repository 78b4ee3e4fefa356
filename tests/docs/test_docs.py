"""What the documentation tells a reader to type exists, and its links lead somewhere."""

import re
import shlex
from pathlib import Path

import click
import pytest

from mustermann.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.M | re.S)


def commands():
    for page in PAGES:
        for block in FENCE.findall(page.read_text(encoding="utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                if line.strip().startswith("mustermann "):
                    yield pytest.param(line.strip(), id=f"{page.name}: {line.strip()[:60]}")


@pytest.mark.parametrize("line", list(commands()))
def test_every_command_and_option_in_the_documentation_exists(line):
    words = shlex.split(line, comments=True)[1:]
    command, context = main, click.Context(main)
    while isinstance(command, click.Group) and words:
        found = command.get_command(context, words[0])
        assert found is not None, f"{words[0]!r} is no command"
        command, words = found, words[1:]
    options = {name for parameter in command.params for name in parameter.opts}
    used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert used <= options | {"--help"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(page):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
