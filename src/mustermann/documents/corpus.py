"""Corpora on disk: JSON lines in one or more shards, and a manifest beside them.

A corpus is `corpus.jsonl`, or shards `corpus-00000.jsonl`, `corpus-00001.jsonl` … in one
directory, or one `.jsonl` file by itself. Documents are read and written one at a time;
memory does not grow with the corpus.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import make_directory, new_directory, read_json, refuse_existing
from mustermann.core.manifest import MANIFEST, Manifest
from mustermann.documents.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from mustermann.documents.formats.format import Format

STEM = "corpus"
PARTIAL = ".partial"


@dataclasses.dataclass(frozen=True, slots=True)
class Corpus:
    """Documents on disk; iterating reads them one by one, as often as asked.

    Attributes:
      path: The directory or file that it was loaded from.
      shards: The files that hold the documents, in order.
      manifest: What stands in `manifest.json`, empty where there is none.
      format: A name in the group `mustermann.formats`; JSON lines are ours.
    """

    path: Path
    shards: tuple[Path, ...]
    manifest: dict[str, Any]
    format: str = "jsonl"

    def __iter__(self) -> Iterator[Document]:
        if self.format != "jsonl":
            yield from _load_format(self.format).read(self.path)
        for shard in self.shards:
            yield from _read(shard)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yields the records as they stand, also where they make no valid document."""
        if self.format != "jsonl":
            yield from (document.to_record() for document in self)
        for shard in self.shards:
            yield from (record for _, record in _records(shard))

    @property
    def labels(self) -> str:
        """Returns the name of the label set that the manifest states, "" if none."""
        return str(self.manifest.get("labels", ""))


def load_corpus(path: Path | str, *, format: str | None = None) -> Corpus:
    """Returns the corpus at `path`.

    Args:
      path: A directory or a file in any of the known formats.
      format: Its name in the group `mustermann.formats`; None guesses it from the files.

    Raises:
      DataError: Nothing is there, no format knows it, or its writing was not finished.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(f"Expected a corpus at {path}, found nothing.")
    manifest = read_json(path / MANIFEST) if (path / MANIFEST).is_file() else {}
    if not isinstance(manifest, dict):
        raise DataError(f"Expected a JSON object in {path / MANIFEST}. Mend or remove it.")
    shards = (path,) if path.is_file() else tuple(sorted(path.glob(f"{STEM}*.jsonl")))
    native = format == "jsonl" or (format is None and shards and _has_documents(shards[0]))
    if native and shards:
        return Corpus(path, shards, manifest)
    if path.is_dir() and any(path.glob(f"{STEM}*{PARTIAL}")):
        raise DataError(
            f"Expected a finished corpus in {path}, but its writing was stopped: "
            f"run again with --resume."
        )
    from mustermann.documents.formats.format import guess_format

    name = _load_format(format).name if format else guess_format(path).name
    return Corpus(path, (), manifest, name)


def _has_documents(path: Path) -> bool:
    """Returns whether a file is JSON lines of documents, and not of chats or anything else."""
    if path.suffix != ".jsonl":
        return False
    with path.open("rb") as file:
        return b'"messages"' not in file.readline(1 << 12)


def write_corpus(
    documents: Iterable[Document], path: Path | str, *, manifest: Manifest | None = None
) -> Corpus:
    """Returns the corpus written to `path`, a new directory; whole or not at all.

    Raises:
      ConfigError: `path` exists already or can't be written to.
    """
    path = Path(path)
    with new_directory(path) as directory:
        with CorpusWriter(directory) as writer:
            for document in documents:
                writer.write(document)
        if manifest:
            manifest.write(directory)
    return load_corpus(path)


def _load_format(name: str) -> Format:
    from mustermann.documents.formats.format import load_format

    return load_format(name)


def encode(document: Document) -> bytes:
    """Returns the line of JSON, line break included, that stands for a document."""
    text = json.dumps(document.to_record(), ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


class CorpusWriter:
    """Appends documents to a corpus directory; what was appended survives a kill.

    Documents go to `….jsonl.partial`; leaving the block without an error renames the last
    shard. A writer with `resume=True` keeps every whole line that an earlier one left.

    Attributes:
      documents: How many documents the directory holds, those found on resuming included.
    """

    def __init__(self, path: Path, *, resume: bool = False, shard_size: int = 20_000) -> None:
        if not resume:
            refuse_existing(path)
        make_directory(path)
        if not os.access(path, os.W_OK):
            raise ConfigError(f"Expected to be able to write to {path}. Choose another path.")
        self._path, self._shard_size = path, shard_size
        self._done = len(tuple(path.glob(f"{STEM}*.jsonl")))
        self.documents = sum(1 for _ in self.kept())
        self._in_shard = self.documents - self._done * shard_size
        self._file = self._open()

    def kept(self) -> Iterator[Document]:
        """Yields the documents that are on disk already, in order."""
        for shard in sorted(self._path.glob(f"{STEM}*.jsonl")):
            yield from _read(shard)
        partial = self._partial()
        if partial.exists():
            _drop_torn_line(partial)
            yield from _read(partial)

    def write(self, document: Document) -> None:
        """Appends one document."""
        self.append(encode(document))

    def append(self, line: bytes) -> None:
        """Appends one document as `encode` made it; nothing where it is empty."""
        if not line:
            return
        if self._in_shard == self._shard_size:
            self._finish_shard(several=True)
            self._file, self._in_shard = self._open(), 0
        self._file.write(line)
        self.documents += 1
        self._in_shard += 1

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if kind is None:
            self._finish_shard(several=self._done > 0)
        else:
            self._file.close()

    def _partial(self) -> Path:
        return self._path / f"{STEM}{PARTIAL}"

    def _open(self) -> Any:
        return self._partial().open("ab", buffering=1 << 20)

    def _finish_shard(self, *, several: bool) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        name = f"{STEM}-{self._done:05}.jsonl" if several else f"{STEM}.jsonl"
        self._partial().rename(self._path / name)
        self._done += 1


def _drop_torn_line(path: Path) -> None:
    """Cuts what a kill left of the last line."""
    with path.open("rb+") as file:
        size = end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - (1 << 16))
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            file.truncate(end)


def _read(path: Path) -> Iterator[Document]:
    """Yields the documents of one file; an error names the line."""
    for number, record in _records(path):
        try:
            yield Document.from_record(record)
        except DataError as error:
            raise DataError(f"{error} ({path}, line {number})") from error


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the JSON objects of one file with their line numbers."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                raise DataError(f"Expected JSON, but: {error} ({path}, line {number})") from error
            if not isinstance(record, dict):
                raise DataError(f"Expected a JSON object ({path}, line {number}).")
            yield number, record
