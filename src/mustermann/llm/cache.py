"""Records answers and gives them back, so that a run can be repeated offline, byte for byte.

One JSON line an answer, appended as it comes, so that a stopped run goes on where it was.
A line holds the key (model, parameters, digest of the prompt) and the answer: neither the
prompt, nor the address of the server, nor a key to it.
"""

from __future__ import annotations

import dataclasses
import json
import threading
from pathlib import Path

from mustermann.core.errors import ConfigError
from mustermann.core.files import make_directory
from mustermann.llm.request import LanguageModel, LlmError, Reply, Request


class CachedModel:
    """A model whose answers are recorded in a file.

    Args:
      path: The file; made where it is missing.
      model: Name of the model, part of every key.
      behind: Is asked what the file does not hold; None answers from the file only.

    Attributes:
      replayed: Answers that came from the file.
      recorded: Answers that were asked for and written down.

    Raises:
      ConfigError: The file can't be read or written.
    """

    def __init__(self, path: Path, *, model: str, behind: LanguageModel | None = None) -> None:
        self._path, self._model, self._behind = path, model, behind
        self._lock = threading.Lock()
        self._known = self._read()
        self.replayed = 0
        self.recorded = 0
        if behind is not None:
            make_directory(path.parent)

    @property
    def model(self) -> str:
        """Returns the model's name."""
        return self._model

    def ask(self, request: Request) -> Reply:
        """Returns the answer, recorded or new.

        Raises:
          LlmError: It is not recorded, and there is no model behind or it does not answer.
        """
        key = request.key(self._model)
        with self._lock:
            known = self._known.get(key)
            self.replayed += known is not None
        if known is not None:
            return known
        if self._behind is None:
            raise LlmError(
                f"Expected an answer of {self._model!r} to prompt {request.prompt_digest()} in "
                f"{self._path}, found none. Run again with a server, or with the settings that "
                f"the answers were recorded with."
            )
        reply = self._behind.ask(request)
        with self._lock:
            # Another thread may have asked the same: the first answer is the one that counts.
            if key not in self._known:
                self._known[key] = reply
                self.recorded += 1
                self._append(key, request, reply)
            return self._known[key]

    def _append(self, key: str, request: Request, reply: Reply) -> None:
        parameters = request.parameters()
        schema = parameters.pop("schema")
        record = {
            "key": key, "model": self._model, "prompt": request.prompt_digest(),
            "parameters": parameters | {"schema": bool(schema)},
            "reply": dataclasses.asdict(reply),
        }  # fmt: skip
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        try:
            # One write on a file opened for appending: lines of several processes don't mix.
            # The leading break ends a line that a kill may have torn.
            with self._path.open("ab", buffering=0) as file:
                file.write(f"\n{line}\n".encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise ConfigError(
                f"Expected to be able to write answers to {self._path}, but: {error.strerror}."
            ) from error

    def _read(self) -> dict[str, Reply]:
        """Returns the answers of the file, the first of each key; a torn line is passed over."""
        known: dict[str, Reply] = {}
        try:
            if not self._path.exists():
                return known
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ConfigError(
                f"Expected a file of recorded answers at {self._path}, but: {error.strerror}."
            ) from error
        for line in text.split("\n"):
            try:
                record = json.loads(line)
                known.setdefault(str(record["key"]), Reply(**record["reply"]))
            except (ValueError, KeyError, TypeError):
                continue
        return known
