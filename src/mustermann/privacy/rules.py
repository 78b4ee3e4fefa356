"""How a layer's per-record gradients are measured and summed without forming them.

A forward pass leaves one `Use` a call of a layer: what went in, and the gradient of what
came out. From these two a `Rule` knows everything about the layer's parameters.

A new kind of layer needs one class:

    @rule_for(MyLayer)
    class MyRule(Rule):
        parameters = ("weight",)
        def per_record(self, use, name): ...      # shape (B, *parameter's shape)

`norm2` and `contract` follow from `per_record`; a rule overrides them where there is a
way that is cheaper.
"""

from __future__ import annotations

import abc
import dataclasses
from typing import TYPE_CHECKING, ClassVar

import torch

from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn


@dataclasses.dataclass(frozen=True, kw_only=True)
class Use:
    """One call of a layer on a batch of B records of K views each.

    Attributes:
      layer: The layer that was called.
      names: Those of its parameters whose gradients are asked for.
      inputs: What went in, shape (B * K, ...): a record's views follow one another.
      gradient: Gradient of the records' mean losses at what came out, shape (B * K, ...).
      records: B.
      views: K.
      kept: What `norm2` leaves for `contract`, so that it is not computed twice.
    """

    layer: nn.Module
    names: frozenset[str]
    inputs: torch.Tensor
    gradient: torch.Tensor
    records: int
    views: int
    kept: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)

    def rows(self, tensor: torch.Tensor, *, features: int) -> torch.Tensor:
        """Returns `tensor` as (B, T, features): views and positions folded into one axis."""
        return tensor.reshape(self.records, -1, features)

    def by_view(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns `tensor`, shape (B * K, ...), as (B, K, ...)."""
        return tensor.reshape(self.records, self.views, *tensor.shape[1:])

    def spread(self, weights: torch.Tensor) -> torch.Tensor:
        """Returns one weight a record as one weight a view, shape (B * K,)."""
        return weights.repeat_interleave(self.views) if self.views > 1 else weights

    def naming(self, names: frozenset[str]) -> Use:
        """Returns this use with only `names` asked for."""
        return dataclasses.replace(self, names=names, kept={})

    def select(self, records: torch.Tensor) -> Use:
        """Returns the use by the given records alone, in float64.

        Args:
          records: Indices of records.
        """
        views = torch.arange(self.views, device=records.device)
        rows = (records.unsqueeze(1) * self.views + views).flatten()
        inputs = self.inputs[rows]
        return dataclasses.replace(
            self,
            inputs=inputs.double() if inputs.is_floating_point() else inputs,
            gradient=self.gradient[rows].double(),
            records=len(records),
            kept={},
        )

    def without(self, bad: torch.Tensor) -> Use:
        """Returns the use with zeros for the records where `bad`, shape (B,), is set."""
        rows = self.spread(bad)

        def zeroed(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.masked_fill(rows.view(-1, *[1] * (tensor.ndim - 1)), 0)

        return dataclasses.replace(
            self, inputs=zeroed(self.inputs), gradient=zeroed(self.gradient), kept={}
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class SquaredNorm:
    """Squared norms of records' gradients, and how far rounding may be off.

    Attributes:
      value: Squared L2 norm, shape (B,), float64.
      terms: Square of the sum of the absolute values of what was added up, shape (B,),
        float64: where it is far above `value`, the terms cancelled, and rounding errors,
        which are of the terms' size, matter.
    """

    value: torch.Tensor
    terms: torch.Tensor

    def __add__(self, other: SquaredNorm) -> SquaredNorm:
        return SquaredNorm(value=self.value + other.value, terms=self.terms + other.terms)


class Rule(abc.ABC):
    """What clipping must know of one kind of layer."""

    parameters: ClassVar[tuple[str, ...]]
    """Names of the layer's parameters that the rule handles."""

    @abc.abstractmethod
    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns each record's gradient of one parameter, shape (B, *its shape)."""

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms of the gradients of all `use.names` together."""
        total = zero_norm(use.records, use.gradient)
        for name in sorted(use.names):
            gradient = self.per_record(use, name).flatten(1)
            use.kept[name] = gradient
            value = square(gradient)
            total = total + SquaredNorm(value=value, terms=value)
        return total

    def contract(self, use: Use, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns the weighted sum over records of the gradients of `use.names`.

        Args:
          use: As given to `norm2`.
          weights: One weight a record, shape (B,), finite and in the gradients' dtype.
        """
        total = {}
        for name in use.names:
            gradient = use.kept.get(name)
            if gradient is None:
                gradient = self.per_record(use, name).flatten(1)
            shape = use.layer.get_parameter(name).shape
            total[name] = (weights @ gradient).view(shape)
        return total

    def check(self, layer: nn.Module) -> None:
        """Raises ConfigError if `layer` is set up in a way that the rule can't handle."""
        del layer


def square(rows: torch.Tensor) -> torch.Tensor:
    """Returns the squared norm of each row of (B, ...), float64, added up in float64.

    Over a last axis of layers' widths the squares are added up as they are, which spares a
    pass over memory.
    """
    if rows.ndim > 2:
        return size2(rows).flatten(1).sum(1, dtype=torch.float64)
    return rows.square().flatten(1).sum(1, dtype=torch.float64)


def size2(rows: torch.Tensor) -> torch.Tensor:
    """Returns the squared norms over the last axis, (..., d) to (...), in one pass."""
    sizes: torch.Tensor = torch.linalg.vector_norm(rows, dim=-1)
    return sizes.square()


def zero_norm(records: int, like: torch.Tensor) -> SquaredNorm:
    """Returns squared norms of nothing, on the device of `like`."""
    zeros = torch.zeros(records, dtype=torch.float64, device=like.device)
    return SquaredNorm(value=zeros, terms=zeros)


_RULES: dict[type[nn.Module], Rule] = {}


def rule_for(kind: type[nn.Module]) -> Callable[[type[Rule]], type[Rule]]:
    """Registers the decorated rule for layers whose type is exactly `kind`.

    A subclass may compute something else in its forward pass, so it needs a rule of its own.
    """

    def register(rule: type[Rule]) -> type[Rule]:
        if kind in _RULES:
            raise ConfigError(f"Expected one rule for {kind.__name__}, found a second one.")
        _RULES[kind] = rule()
        return rule

    return register


def find_rule(layer: nn.Module) -> Rule | None:
    """Returns the rule for the type of `layer`, or None."""
    return _RULES.get(type(layer))
