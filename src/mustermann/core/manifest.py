"""The manifest of a run: what made these files, so that they can be made again."""

from __future__ import annotations

import dataclasses
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

from mustermann.core import config as settings
from mustermann.core.files import write_json

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "manifest.json"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Manifest:
    """What stands in `manifest.json`.

    Attributes:
      kind: What the directory holds: "corpus", "model", "benchmark" …
      config: The resolved settings.
      config_digest: Names the settings; equal digests, equal settings.
      seed: The run's root seed, None where there is none.
      counts: Whole numbers about the result, nested by what they count.
      more: Anything else that belongs to this kind.
    """

    kind: str
    config: dict[str, Any]
    config_digest: str
    seed: int | None = None
    counts: dict[str, Any] = dataclasses.field(default_factory=dict)
    more: dict[str, Any] = dataclasses.field(default_factory=dict)

    def write(self, directory: Path) -> None:
        """Writes `manifest.json` into `directory`, whole or not at all."""
        record = dataclasses.asdict(self)
        record |= record.pop("more")
        write_json(directory / MANIFEST, record | {"versions": versions()})


def describe(kind: str, config: Any, **fields: Any) -> Manifest:
    """Returns the manifest of a run with these settings (a dataclass)."""
    return Manifest(
        kind=kind, config=settings.plain(config), config_digest=settings.digest(config), **fields
    )


def versions() -> dict[str, str]:
    """Returns the versions that a result may depend on."""
    found = {"python": platform.python_version()}
    for name in ("mustermann", "numpy", "torch", "dp-accounting"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
