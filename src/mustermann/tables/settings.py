"""What a fit is asked for, checked against what its method takes."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, get_type_hints

from mustermann.core import config
from mustermann.core.errors import ConfigError
from mustermann.tables.discretise import BinsMode, DiscretiseSettings
from mustermann.tables.model import synthesiser_type

if TYPE_CHECKING:
    from mustermann.tables.synthesiser import Synthesiser

DELTA = 1e-5


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What a fit is asked for.

    Attributes:
      epsilon: Budget for everything that reads the table.
      delta: Refused when one over the number of rows or more.
      method: A plugin of the group `mustermann.synthesisers`.
      bins: Whether what the schema leaves open is refused, paid for or read freely.
      seed: Steers initialisation and what costs nothing; noise knows no seed.
      overrides: Settings of the discretiser and the method, as `discretise.bins=50`.
    """

    epsilon: float
    delta: float = DELTA
    method: str = "synlm"
    bins: BinsMode = "nonprivate"
    seed: int = 0
    overrides: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Resolved:
    """Settings after checking: the discretiser's, and the method's arguments."""

    discretise: DiscretiseSettings
    method: type[Synthesiser]
    arguments: dict[str, Any]

    @property
    def rows_are_public(self) -> bool:
        """Returns whether the method takes the number of rows as public."""
        return self.arguments.get("rows") != "noised"

    def synthesiser(self) -> Synthesiser:
        """Returns a new model with these settings."""
        return self.method(**self.arguments)

    def plain(self) -> dict[str, Any]:
        """Returns the settings as JSON values."""
        arguments = {
            name: config.plain(value) if dataclasses.is_dataclass(value) else value
            for name, value in self.arguments.items()
        }
        return {"discretise": config.plain(self.discretise)} | arguments


def resolve(settings: FitSettings) -> Resolved:
    """Returns the settings that the overrides name, checked against what the method takes.

    Raises:
      ConfigError: A key is unknown (with the nearest known one) or a value does not fit.
      PluginError: There is no such method.
    """
    if settings.bins not in ("public", "private", "nonprivate"):
        raise ConfigError(f"Expected bins public, private or nonprivate, got {settings.bins!r}.")
    method = synthesiser_type(settings.method)
    hints = get_type_hints(method.__init__)
    parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    fields: list[Any] = [("discretise", DiscretiseSettings, DiscretiseSettings())]
    fields += [(p.name, hints[p.name], dataclasses.field(default=p.default)) for p in parameters]
    known = config.strict(dataclasses.make_dataclass("Settings", fields, frozen=True))
    values: Any = config.resolve(known, overrides=settings.overrides)
    return Resolved(
        discretise=values.discretise,
        method=method,
        arguments={p.name: getattr(values, p.name) for p in parameters},
    )
