"""Predictions on disk by detector signature and text digest, so that a killed run goes on."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from mustermann.core.files import make_directory
from mustermann.detectors.prediction import Prediction

if TYPE_CHECKING:
    from pathlib import Path


class PredictionCache:
    """One detector's predictions: a JSON line a text, appended as they come.

    Failures are not kept: the next run tries again. Texts are named by digest and never
    stored, but offsets and labels are; keep the directory where the corpus may be.
    """

    def __init__(self, directory: Path, *, signature: str) -> None:
        make_directory(directory)
        name = hashlib.blake2b(signature.encode(), digest_size=12).hexdigest()
        self._path = directory / f"{name}.jsonl"
        self._known = self._read(signature)

    def get(self, text: str) -> Prediction | None:
        """Returns what was found in `text` before, None if it is new."""
        record = self._known.get(digest(text))
        return None if record is None else Prediction.from_record(json.loads(record))

    def put(self, text: str, prediction: Prediction) -> None:
        """Keeps a prediction; a failure is not kept."""
        if prediction.failure or digest(text) in self._known:
            return
        record = json.dumps(prediction.to_record(), ensure_ascii=False, separators=(",", ":"))
        self._known[digest(text)] = record
        self._append(json.dumps([digest(text), record], ensure_ascii=False))

    def _read(self, signature: str) -> dict[str, str]:
        """Returns the records of the file; a line that a kill has torn is passed over."""
        if not self._path.exists():
            self._append(json.dumps({"signature": signature}))
            return {}
        known: dict[str, str] = {}
        for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, list) and len(value) == 2:
                known[value[0]] = value[1]
        return known

    def _append(self, line: str) -> None:
        with self._path.open("ab") as file:
            # A leading break ends a line that a kill may have torn.
            file.write(f"\n{line}\n".encode())


def digest(text: str) -> str:
    """Returns the name of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
