"""What terminals and pipes ask for: characters that they know, and silence once they are shut."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TextIO

ESCAPES = "mustermann.escapes"


def escape_what_does_not_fit(*streams: TextIO) -> None:
    r"""Makes streams write what their encoding can't hold as \uXXXX, as JSON has it.

    Thus German text comes through an ASCII terminal, and JSON stays JSON.
    """
    codecs.register_error(ESCAPES, _escaped)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPES)


def close_quietly() -> None:
    """Lets nothing more go to a pipe that nobody reads, also when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    units = (int.from_bytes(part[at : at + 2]) for at in range(0, len(part), 2))
    return "".join(f"\\u{unit:04x}" for unit in units), error.end
