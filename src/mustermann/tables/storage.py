"""The files of a SynLM model: its weights as safetensors, all else as JSON."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import torch

from mustermann.core import config, files
from mustermann.core.errors import DataError
from mustermann.tables.recipe import Sampling
from mustermann.tables.transformer import Shape, TableTransformer

if TYPE_CHECKING:
    from pathlib import Path

    from mustermann.tables.domain import Domain

WEIGHTS = "synlm.safetensors"
RECORD = "synlm.json"
FORMAT = 1


@dataclasses.dataclass(frozen=True)
class Stored:
    """A fitted transformer and how to draw rows from it."""

    model: TableTransformer
    sampling: Sampling


def write(stored: Stored, directory: Path) -> None:
    """Writes the two files into `directory`."""
    from safetensors.torch import save_file

    record = {
        "format": FORMAT,
        "shape": config.plain(stored.model.shape),
        "order": stored.model.order.tolist(),
        "sampling": config.plain(stored.sampling),
    }
    files.write_json(directory / RECORD, record)
    weights = {name: value.contiguous() for name, value in stored.model.state_dict().items()}
    with files.new_file(directory / WEIGHTS) as partial:
        save_file(weights, partial)


def read(directory: Path, domain: Domain) -> Stored:
    """Returns what `write` wrote.

    Raises:
      DataError: A file is missing, broken, or of another domain.
    """
    path = directory / RECORD
    record = files.read_json(path)
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise DataError(
            f"Expected the record of a SynLM model of format {FORMAT} in {path}, found another "
            f"one. Fit the model anew, or install the version that wrote it."
        )
    try:
        shape = config.validate(Shape, record["shape"], where=str(path))
        sampling = config.validate(Sampling, record["sampling"], where=str(path))
        order = [int(column) for column in record["order"]]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected shape, order and sampling in {path}, but: {error}.") from error
    if sorted(order) != list(range(len(domain))):
        raise DataError(
            f"Expected an order of {len(domain)} columns in {path}, found {order}. "
            f"The model is of another table."
        )
    model = TableTransformer(domain, shape, order=order, generator=torch.Generator())
    _fill(model, directory / WEIGHTS)
    return Stored(model.eval(), sampling)


def _fill(model: TableTransformer, path: Path) -> None:
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
