"""A fitted table: discretiser, synthesiser, layout and guarantee, and its directory on disk."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, cast

from mustermann.core import config, plugins
from mustermann.core.errors import DataError
from mustermann.core.files import make_directory, read_json, write_json
from mustermann.core.seeds import Seeds
from mustermann.privacy.guarantee import Guarantee
from mustermann.tables import conditional, given
from mustermann.tables.constraints import Constraint
from mustermann.tables.discretise import Discretiser
from mustermann.tables.frames import Frame, Layout
from mustermann.tables.rulebook import Rulebook
from mustermann.tables.walks import walkable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from mustermann.tables.synthesiser import Synthesiser

GUARANTEE = "guarantee.json"
_TABLE = "table.json"
_SYNTHESISER = "synthesiser"
_FORMAT = 1


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class TableModel:
    """Everything that a fit has released, and nothing of the data beside it.

    Attributes:
      layout: How the fitted table was laid out.
      discretiser: Values to levels and back.
      synthesiser: The model of levels.
      guarantee: What was spent and what is not covered; it holds for every output.
      constraints: What every row keeps to; likelihoods are those under it.
    """

    layout: Layout
    discretiser: Discretiser
    synthesiser: Synthesiser
    guarantee: Guarantee
    constraints: tuple[Constraint, ...] = ()

    @functools.cached_property
    def rulebook(self) -> Rulebook:
        """Returns what the constraints mean for levels, in the synthesiser's order.

        Raises:
          ConfigError: The synthesiser can't be held to conditions.
        """
        return Rulebook(
            constraints=self.constraints,
            discretiser=self.discretiser,
            order=walkable(self.synthesiser).order,
        )

    def sample(self, count: int, *, seed: int) -> Iterator[Frame]:
        """Yields blocks of synthetic rows, `count` in all, in constant memory."""
        if self.constraints:
            for rows in given.sample_given(self, count, seed=seed):
                yield rows.frame
            return
        for block, codes in enumerate(self.synthesiser.sample(count, seed=seed)):
            draws = Seeds(seed).generator("values", block)
            yield self.discretiser.decode(codes, self.layout, draws)

    def log_likelihood(self, frame: Frame) -> npt.NDArray[np.float64]:
        """Returns the exact log-likelihood of each discretised row in nats, shape (N,).

        Under constraints each level's chance is renormalised over those that leave some valid
        row; a row that breaks a constraint has minus infinity.
        """
        if self.constraints:
            codes, model = self.discretiser.encode(frame), walkable(self.synthesiser)
            return conditional.log_likelihood(model, codes, self.rulebook.base)
        return self.synthesiser.log_likelihood(self.discretiser.encode(frame))

    def save(self, directory: Path) -> None:
        """Writes the model into `directory`: JSON and safetensors, nothing that runs."""
        record = {
            "format": _FORMAT,
            "method": self.synthesiser.name,
            "layout": self.layout.to_record(),
            "discretiser": self.discretiser.to_record(),
            "constraints": [constraint.to_record() for constraint in self.constraints],
        }
        write_json(directory / _TABLE, record)
        write_json(directory / GUARANTEE, self.guarantee.to_record())
        make_directory(directory / _SYNTHESISER)
        self.synthesiser.save(directory / _SYNTHESISER)

    @classmethod
    def load(cls, directory: Path) -> TableModel:
        """Returns the model that `save` wrote; runs no code from the directory.

        Raises:
          DataError: The directory holds no model, or one of another version.
          PluginError: The method that made it is not installed.
        """
        if not directory.is_dir():
            raise DataError(f"Expected the directory of a fitted model, found none at {directory}.")
        record = read_json(directory / _TABLE)
        if not isinstance(record, dict) or record.get("format") != _FORMAT:
            raise DataError(f"Expected a model of format {_FORMAT} in {directory}. Fit it again.")
        try:
            discretiser = Discretiser.from_record(record["discretiser"])
            layout = Layout.from_record(record["layout"])
            method = str(record["method"])
            constraints = tuple(
                config.validate(Constraint, entry, where=str(directory / _TABLE))
                for entry in record.get("constraints", ())
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"Expected a fitted table in {directory / _TABLE}: {error}.") from error
        synthesiser = synthesiser_type(method).load(directory / _SYNTHESISER, discretiser.domain)
        guarantee = Guarantee.from_record(read_json(directory / GUARANTEE))
        return cls(
            layout=layout, discretiser=discretiser, synthesiser=synthesiser,
            guarantee=guarantee, constraints=constraints,
        )  # fmt: skip


def synthesiser_type(method: str) -> type[Synthesiser]:
    """Returns the class of a method by its plugin's name.

    Raises:
      PluginError: It is unknown or does not import; names what is on offer.
    """
    return cast("type[Any]", plugins.load("mustermann.synthesisers", method))


def guarantee_beside(table: Path) -> Path:
    """Returns where the guarantee of a synthetic table stands."""
    return table.with_name(f"{table.name}.{GUARANTEE}")
