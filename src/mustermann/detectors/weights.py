"""Names models by their content, so that a retrained one meets no old prediction."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 1 << 22


def digest_of(path: Path) -> str:
    """Returns 16 hex digits for the file, or for all files below the directory, at `path`."""
    total = hashlib.blake2b(digest_size=8)
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        total.update(str(file.relative_to(path)).encode())
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                total.update(chunk)
    return total.hexdigest()
