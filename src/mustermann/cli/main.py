"""The command line: parse, call one journey, print one result."""

from __future__ import annotations

import difflib
import os
import signal
import sys
from importlib import import_module

import click

from mustermann.cli.streams import close_quietly, escape_what_does_not_fit
from mustermann.core.errors import ConfigError, MustermannError, PrivacyError

EXIT = {ConfigError: 2, PrivacyError: 3}
INTERRUPTED = 130

_GROUPS = {
    "demo": ("mustermann.cli.demo:demo", "Run both halves end to end and write one report."),
    "table": ("mustermann.cli.tables:table", "Fit, sample, score and compare private tables."),
    "letters": ("mustermann.cli.letters:letters", "Write and verify labelled letters."),
    "corpus": ("mustermann.cli.corpus:corpus", "Convert and measure corpora."),
    "deid": ("mustermann.cli.deid:deid", "Run, benchmark and train de-identifiers."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Returns the names of the commands."""
        del context
        return list(_GROUPS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Returns the command `name`, imported now."""
        del context
        if name not in _GROUPS:
            return None
        module, _, attribute = _GROUPS[name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is not a command")
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the arguments begin with, or names the nearest one."""
        name = arguments[0]
        if name not in _GROUPS and not name.startswith("-"):
            near = difflib.get_close_matches(name, _GROUPS, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(_GROUPS)}."
            context.fail(f"No such command {name!r}. {hint}")
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands from the table above, without importing them."""
        del context
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in _GROUPS.items()])


@click.command(cls=LazyGroup, context_settings={"auto_envvar_prefix": "MUSTERMANN"})
@click.version_option(package_name="mustermann")
def main() -> None:
    """Synthetic records of people who do not exist, with proofs."""


def run() -> None:
    """Runs the command line; foreseen errors become one line and an exit code.

    Numeric libraries get one thread unless OMP_NUM_THREADS says otherwise: on models of this
    size threads wait for each other longer than they compute.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    escape_what_does_not_fit(sys.stdout, sys.stderr)
    try:
        main.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "mustermann"
        _fail(f"{error.format_message().rstrip('.')}. Try {command} --help.", error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # A second one would spoil the exit code.
        _fail("stopped; what was written so far is whole", INTERRUPTED)
    except MustermannError as error:
        code = next((code for kind, code in EXIT.items() if isinstance(error, kind)), 1)
        _fail(str(error), code)
    except BrokenPipeError:
        close_quietly()
        sys.exit(1)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        _fail(f"the file system refused: {error.strerror or error}{place}", 1)


def _fail(message: str, code: int) -> None:
    click.echo(f"mustermann: {' '.join(message.split())}", err=True)
    sys.exit(code)
