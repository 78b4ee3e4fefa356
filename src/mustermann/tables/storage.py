"""The files of a SynLM model: its weights as safetensors, all else as JSON.

`synlm.json`         shape, order and, for sentences, how each level is spelt
`synlm.safetensors`  weights
`tokenizer.json`     where the levels' names are spelt in pieces: the tokenizer that did it, as
                     the library `tokenizers` reads it; loading the model takes `synlm.json`'s
                     spellings and does not need it
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch

from mustermann.core import config, files
from mustermann.core.errors import DataError, MustermannError
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.recipe import Sampling
from mustermann.tables.row_model import lexicon_of, refuse_foreign_order
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.transformer import Shape, TableTransformer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mustermann.tables.domain import Domain
    from mustermann.tables.row_model import RowModel

WEIGHTS = "synlm.safetensors"
RECORD = "synlm.json"
TOKENIZER = "tokenizer.json"
FORMAT = 1
SENTENCES = 2
"""The format of models of sentences, which earlier versions must not take for the other."""
_FLAGS = ("random", "guided", "tied")


@dataclasses.dataclass(frozen=True)
class Stored:
    """A fitted transformer and how to draw rows from it."""

    model: RowModel
    sampling: Sampling


def write(stored: Stored, directory: Path) -> None:
    """Writes the files into `directory`."""
    from safetensors.torch import save_file

    record: dict[str, Any] = {
        "format": FORMAT,
        "shape": config.plain(stored.model.shape),
        "order": stored.model.order.tolist(),
        "sampling": config.plain(stored.sampling),
    }
    lexicon = lexicon_of(stored.model)
    if isinstance(stored.model, SentenceTransformer) and lexicon is not None:
        flags = {name: getattr(stored.model, name) for name in _FLAGS}
        record |= {"format": SENTENCES, "lexicon": lexicon.to_record()} | flags
        if lexicon.tokenizer:
            with files.new_file(directory / TOKENIZER) as partial:
                partial.write_text(lexicon.tokenizer, encoding="utf-8")
    files.write_json(directory / RECORD, record)
    # Tied weights share memory, which the format does not hold.
    weights = {name: value.clone() for name, value in stored.model.state_dict().items()}
    with files.new_file(directory / WEIGHTS) as partial:
        save_file(weights, partial)


def read(directory: Path, domain: Domain) -> Stored:
    """Returns what `write` wrote.

    Raises:
      DataError: A file is missing, broken, or of another domain.
    """
    path = directory / RECORD
    record = files.read_json(path)
    if not isinstance(record, dict) or record.get("format") not in (FORMAT, SENTENCES):
        raise DataError(
            f"Expected the record of a SynLM model of format {FORMAT} or {SENTENCES} in {path}, "
            f"found another one. Fit the model anew, or install the version that wrote it."
        )
    try:
        shape = config.validate(Shape, record["shape"], where=str(path))
        sampling = config.validate(Sampling, record["sampling"], where=str(path))
        order = [int(column) for column in record["order"]]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected shape, order and sampling in {path}, but: {error}.") from error
    refuse_foreign_order(order, domain, where=str(path))
    model: RowModel
    if record["format"] == SENTENCES:
        model = _sentences(record, domain, shape, order, path)
    else:
        model = TableTransformer(domain, shape, order=order, generator=torch.Generator())
    _fill(model, directory / WEIGHTS)
    return Stored(model.eval(), sampling)


def _sentences(
    record: Mapping[str, Any], domain: Domain, shape: Shape, order: Sequence[int], path: Path
) -> SentenceTransformer:
    """Returns an empty model of sentences."""
    tokenizer = path.with_name(TOKENIZER)
    text = tokenizer.read_text(encoding="utf-8") if tokenizer.is_file() else None
    try:
        lexicon = Lexicon.from_record(record["lexicon"], domain, tokenizer=text)
        random, guided, tied = (bool(record[name]) for name in _FLAGS)
        return SentenceTransformer(
            lexicon, shape, order=order, random=random, guided=guided, tied=tied,
            generator=torch.Generator(),
        )  # fmt: skip
    except (KeyError, TypeError, UnicodeDecodeError, MustermannError) as error:
        reason = str(error) if isinstance(error, MustermannError) else repr(error)
        raise DataError(f"Expected a model of sentences in {path}, but: {reason}") from error


def _fill(model: RowModel, path: Path) -> None:
    """Puts the weights in `path` into `model`."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        weights = load_file(path)
        model.load_state_dict(weights)
    except (OSError, SafetensorError) as error:
        raise DataError(f"Expected weights in {path}, but: {error}.") from error
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise DataError(f"Expected weights of this table in {path}, but: {reason}") from error
    if not all(bool(weight.isfinite().all()) for weight in weights.values()):
        raise DataError(f"Expected finite weights in {path}, found others. Fit the model anew.")
