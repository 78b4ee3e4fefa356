"""Where a fit stands, on disk, so that it can go on after a crash or Ctrl-C.

`begun.json`     which fit this is, and the journal that it was charged to; from before any
                 noise is drawn
`state.json`     the ledger, the discretiser and the method's own record
`*.safetensors`  the method's tensors, one file a checkpoint; `state.json` names the last

A fit that goes on has its releases from `state.json` and draws fresh noise for the steps
after it; the steps that were lost were never shown to anyone. A fit that was stopped before
its first checkpoint begins anew: nothing of it was kept. Neither is charged twice. The
directory goes when the fit ends well; until then it is not for release.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from mustermann.core import files
from mustermann.core.errors import ConfigError, DataError
from mustermann.privacy.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import torch

    from mustermann.tables.domain import Codes

_BEGUN = "begun.json"
_STATE = "state.json"
EVERY = 25
"""Steps of training between two checkpoints."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Saved:
    """A fit between two steps.

    Attributes:
      ledger: What was released so far, and the steps that are paid.
      context: The journey's own record: the discretiser, and which rows these were.
      record: The method's own record, JSON values.
      tensors: The method's tensors by name.
    """

    ledger: Ledger
    context: dict[str, Any]
    record: dict[str, Any]
    tensors: dict[str, torch.Tensor]


@runtime_checkable
class Resumable(Protocol):
    """A synthesiser that keeps checkpoints; others begin anew."""

    def keep_in(self, checkpoints: Checkpoints) -> None:
        """Lets the next `fit` go on from a checkpoint, and write further ones."""
        ...


class Checkpoints:
    """The checkpoints of one fit.

    Attributes:
      directory: Made by `begin`.
      context: Goes into each checkpoint; set before the synthesiser is fitted.
    """

    def __init__(self, directory: Path, *, settings: str) -> None:
        """Opens the directory; reads and writes nothing yet.

        Args:
          directory: Beside the model.
          settings: A digest of everything that was asked for.
        """
        self.directory = directory
        self.context: dict[str, Any] = {}
        self._settings = settings

    @property
    def exists(self) -> bool:
        """Returns whether a fit was stopped here."""
        return (self.directory / _BEGUN).is_file()

    @property
    def has_state(self) -> bool:
        """Returns whether there is a checkpoint."""
        return (self.directory / _STATE).is_file()

    @property
    def is_charged(self) -> bool:
        """Returns whether this fit is in any journal."""
        return self.exists and self._begun().get("journal") is not None

    def begin(self) -> None:
        """Makes the directory, or checks that the fit in it is this one.

        Raises:
          ConfigError: It is another fit, or the place can't be written to.
        """
        if not self.exists:
            files.make_directory(self.directory)
            self._write_begun(journal=None)
            return
        if self._begun().get("settings") != self._settings:
            raise ConfigError(
                f"Expected the fit that was stopped in {self.directory}, found one with other "
                f"settings. Give the same ones, or remove that directory to begin anew."
            )

    def charged(self, journal: str) -> bool:
        """Returns whether this fit is in a journal already."""
        return bool(self._begun().get("journal") == journal)

    def charge(self, journal: str) -> None:
        """Notes that this fit is in a journal; comes after the journal's own entry."""
        self._write_begun(journal=journal)

    def saved(self) -> Saved | None:
        """Returns the last checkpoint, None where there is none.

        Raises:
          DataError: It is broken.
          PrivacyError: Its ledger was changed.
        """
        if not self.has_state:
            return None
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        state = files.read_json(self.directory / _STATE)
        try:
            return Saved(
                ledger=Ledger.from_record(state["ledger"]),
                context=state["context"],
                record=state["record"],
                tensors=load_file(self.directory / state["tensors"]),
            )
        except (KeyError, TypeError, OSError, SafetensorError) as error:
            raise DataError(
                f"Expected a checkpoint in {self.directory}, but: {error!r}. Remove it to begin "
                f"anew."
            ) from error

    def write(
        self, name: str, *, ledger: Ledger, record: Mapping[str, Any],
        tensors: Mapping[str, torch.Tensor],
    ) -> None:  # fmt: skip
        """Writes a checkpoint, whole or not at all, and removes the one before."""
        from safetensors.torch import save_file

        file = self.directory / f"{name}.safetensors"
        with files.new_file(file) as partial:
            save_file({key: value.contiguous() for key, value in tensors.items()}, partial)
        state = {
            "ledger": ledger.to_record(), "context": self.context, "record": dict(record),
            "tensors": file.name,
        }  # fmt: skip
        files.write_json(self.directory / _STATE, state)
        for other in self.directory.glob("*.safetensors"):
            if other != file:
                other.unlink()

    def remove(self) -> None:
        """Removes the directory."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def _begun(self) -> dict[str, Any]:
        begun = files.read_json(self.directory / _BEGUN)
        return begun if isinstance(begun, dict) else {}

    def _write_begun(self, *, journal: str | None) -> None:
        record = {"settings": self._settings, "journal": journal}
        files.write_json(self.directory / _BEGUN, record)


def digest_of(codes: Codes) -> str:
    """Returns what tells these rows from others; private like the rows."""
    return hashlib.blake2b(np.ascontiguousarray(codes).tobytes(), digest_size=16).hexdigest()


def digest_of_text(value: Any) -> str:
    """Returns what tells these JSON values from others."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
