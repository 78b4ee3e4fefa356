"""Sums of clipped per-record gradients, without ever forming a record's gradient.

One backward pass yields the gradients of the layers' outputs. From those and the layers'
inputs come first the records' norms, then, weighted by the clip factors, the sum. It costs
little more than an ordinary backward pass, which computes the same two products.

The bound: with clip C, one record, whatever it holds, moves the sum by at most C in L2.
An empty batch sums to zero. A record whose gradient is not finite counts as zero, and so
does one whose gradient is so large (1e24 C) that no direction is left after scaling.

Source: Bu et al. 2023, "Differentially Private Optimization on Large Model at Small Cost"
(book-keeping); Li et al. 2022 (ghost norms); De et al. 2022, sec. 3.2 (views).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Self

import torch

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.recording import Recorder, refuse_mixing
from mustermann.privacy.rules import SquaredNorm, Use, square, zero_norm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import nn

    from mustermann.privacy.recording import Call

Tree = dict[str, torch.Tensor]

DEFAULT_MEMORY = 256 * 2**20
"""Bytes that a micro-batch may take."""

_HUGE = 1e24
_FIRST_BATCH = 16
# Where the terms of a norm cancel to less than this part, it is computed again in float64.
_CANCELLED = 1 / 32


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClippedSum:
    """What a batch adds up to. All of it is private: it must not leave without noise.

    Attributes:
      grads: Parameter name to the sum of the clipped gradients.
      norms: L2 norms before clipping, shape (B,), float64.
      losses: Mean loss of each record's views, shape (B,).
    """

    grads: Tree
    norms: torch.Tensor
    losses: torch.Tensor


class PerRecordClipper:
    """Clips the gradients of one module; hooks into it until closed.

    Attributes:
      clip: L2 bound C of one record's share of a sum.
      views: K, the number of augmented views of a record, whose mean loss counts.
    """

    def __init__(
        self, module: nn.Module, *, clip: float, views: int = 1, memory: int = DEFAULT_MEMORY
    ) -> None:
        """Hooks into `module`.

        Args:
          module: Built of layers that have rules; parameters that require no gradient are
            left alone.
          clip: L2 bound of one record, above 0.
          views: Views of a record, at least 1.
          memory: Bytes that one micro-batch may take.

        Raises:
          ConfigError: `clip`, `views` or `memory` is out of range.
          PrivacyError: A trained parameter has no rule, or a layer mixes records.
        """
        if not (math.isfinite(clip) and clip > 0):
            raise ConfigError(f"Expected a finite clip above 0, found {clip}.")
        if views < 1 or memory < 1:
            raise ConfigError(f"Expected views and memory of at least 1, got {views}, {memory}.")
        self.clip = clip
        self.views = views
        self._memory = memory
        self._parameters = {n: p for n, p in module.named_parameters() if p.requires_grad}
        self._recorder = Recorder(module)
        self._record_bytes: int | None = None
        self._separate = False

    def close(self) -> None:
        """Takes the hooks off the module."""
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __call__(
        self, losses: Callable[[torch.Tensor], torch.Tensor], records: torch.Tensor
    ) -> ClippedSum:
        """Returns the sum of the records' clipped gradients.

        Args:
          losses: Runs the module on some records, shape (B, ...), and returns the losses of
            their views in nats, shape (B * K,), a record's views next to one another.
          records: Any tensor with one row a record, B may be 0.

        Raises:
          ConfigError: `losses` returns another shape.
          PrivacyError: A layer runs in a way that its rule does not cover, or a record's
            loss depends on another record.
        """
        grads = {name: torch.zeros_like(value) for name, value in self._parameters.items()}
        norms, means = [], []
        start = 0
        while start < len(records):
            part = records[start : start + self._batch(len(records) - start)]
            start += len(part)
            clipped = self._part(losses, part)
            for name, total in clipped.grads.items():
                grads[name] += total
            norms.append(clipped.norms)
            means.append(clipped.losses)
        like = next(iter(grads.values()), torch.zeros(0))
        return ClippedSum(
            grads=grads,
            norms=torch.cat(norms) if norms else like.new_zeros(0, dtype=torch.float64),
            losses=torch.cat(means) if means else like.new_zeros(0),
        )

    def _batch(self, left: int) -> int:
        """Returns the size of the next micro-batch when `left` records are to come.

        A few until the memory of a record has been measured, then even parts that fit.
        """
        if self._record_bytes is None:
            return _FIRST_BATCH
        most = max(1, self._memory // self._record_bytes)
        return math.ceil(left / math.ceil(left / most))

    def _part(
        self, losses: Callable[[torch.Tensor], torch.Tensor], records: torch.Tensor
    ) -> ClippedSum:
        """Returns the clipped sum of one micro-batch, which is not empty."""
        values, calls = self._forward(losses, records)
        outputs = [call.output for call in calls]
        gradients = torch.autograd.grad(values.sum() / self.views, outputs, allow_unused=True)
        with torch.no_grad():
            uses = self._uses(calls, gradients, len(records))
            norm2 = self._norm2(uses)
            weights = self._weights(norm2)
            bad = weights == 0
            if bool(bad.any()):
                uses = [(call, use.without(bad)) for call, use in uses]
            return ClippedSum(
                grads=self._contract(uses, weights),
                norms=norm2.value.sqrt(),
                losses=values.detach().view(-1, self.views).mean(1),
            )

    def _forward(
        self, losses: Callable[[torch.Tensor], torch.Tensor], records: torch.Tensor
    ) -> tuple[torch.Tensor, list[Call]]:
        """Returns the views' losses and the calls that made them; checks the first time."""
        if self._record_bytes is None:
            saved = _Saved()
            with self._recorder.watching(), saved.counting():
                values, calls = self._recorder.calls(lambda: losses(records))
            given = sum(call.output.numel() * call.output.element_size() for call in calls)
            self._record_bytes = max(1, (saved.bytes + 2 * given) // len(records))
        else:
            values, calls = self._recorder.calls(lambda: losses(records))
        rows = len(records) * self.views
        if values.shape != (rows,):
            raise ConfigError(
                f"Expected losses of shape ({rows},) for {len(records)} records of "
                f"{self.views} views, found {tuple(values.shape)}."
            )
        for call in calls:
            if not rows == len(call.inputs) == len(call.output):
                raise PrivacyError(
                    f"Expected {call.layer.path!r} to take and give one row a view ({rows}), "
                    f"found {len(call.inputs)} and {len(call.output)}. Keep the records in the "
                    f"first axis of every layer."
                )
        if not self._separate and len(records) > 1:
            refuse_mixing(values, calls, views=self.views)
            self._separate = True
        return values, calls

    def _uses(
        self, calls: list[Call], gradients: Sequence[torch.Tensor | None], records: int
    ) -> list[tuple[Call, Use]]:
        """Returns the calls that reached the losses, as uses of their parameters."""
        return [
            (
                call,
                Use(
                    layer=call.layer.module,
                    names=frozenset(call.layer.names),
                    inputs=_wide(call.inputs),
                    gradient=_wide(gradient),
                    records=records,
                    views=self.views,
                ),
            )
            for call, gradient in zip(calls, gradients, strict=True)
            if gradient is not None
        ]

    def _norm2(self, uses: list[tuple[Call, Use]]) -> SquaredNorm:
        """Returns the squared norms over all parameters, in float64 where it matters."""
        if not uses:
            raise PrivacyError(
                "Expected losses that depend on a trained parameter, found none that do. "
                "Check that the module is what `losses` runs."
            )
        norm2 = self._norm2_as_is(uses)
        poor = ~(norm2.value.isfinite() & (norm2.value >= norm2.terms * _CANCELLED))
        if bool(poor.any()):
            chosen = poor.nonzero().squeeze(1)
            exact = self._norm2_as_is([(call, use.select(chosen)) for call, use in uses])
            # Even float64 may lose what cancels to less than its precision.
            floor = exact.terms * torch.finfo(torch.float64).eps
            norm2.value[chosen] = torch.maximum(exact.value, floor)
            norm2.terms[chosen] = exact.terms
        return norm2

    def _norm2_as_is(self, uses: list[tuple[Call, Use]]) -> SquaredNorm:
        """Returns the squared norms over all parameters, in the uses' dtype."""
        users: dict[str, list[tuple[Use, str, Call]]] = {}
        for call, use in uses:
            for local, name in call.layer.names.items():
                users.setdefault(name, []).append((use, local, call))
        total = zero_norm(uses[0][1].records, uses[0][1].gradient)
        for call, use in uses:
            alone = {n for n, name in call.layer.names.items() if len(users[name]) == 1}
            if alone == use.names:
                total = total + call.layer.rule.norm2(use)
            elif alone:
                total = total + call.layer.rule.norm2(use.naming(frozenset(alone)))
        for shared in users.values():
            if len(shared) > 1:
                total = total + self._shared_norm2(shared)
        return total

    def _shared_norm2(self, shared: list[tuple[Use, str, Call]]) -> SquaredNorm:
        """Returns the squared norms for a parameter that is used more than once.

        The uses' gradients meet in each record's norm, so they are formed and added up, a
        few records at a time.
        """
        first, local, _ = shared[0]
        parameter = first.layer.get_parameter(local)
        size = parameter.numel() * first.gradient.element_size() * (len(shared) + 1)
        block = max(1, self._memory // size)
        values, terms = [], []
        for start in range(0, first.records, block):
            stop = min(first.records, start + block)
            chosen = torch.arange(start, stop, device=first.gradient.device)
            parts = [
                call.layer.rule.per_record(use.select(chosen), name) for use, name, call in shared
            ]
            values.append(square(torch.stack(parts).sum(0)))
            terms.append(square(torch.stack(parts).abs().sum(0)))
        return SquaredNorm(value=torch.cat(values), terms=torch.cat(terms))

    def _weights(self, norm2: SquaredNorm) -> torch.Tensor:
        """Returns the clip factors, shape (B,), float64, 0 for records that must not count.

        The sum itself is rounded: of a record's share it may be off by the rounding unit
        times the size of the terms. The factor leaves room for that.
        """
        unit = max(torch.finfo(p.dtype).eps / 2 for p in self._parameters.values())
        norms = norm2.value.sqrt() + unit * norm2.terms.sqrt()
        usable = norms < self.clip * _HUGE  # false for NaN, too
        return torch.where(usable, (self.clip / norms).clamp(max=1.0), 0.0)

    def _contract(self, uses: list[tuple[Call, Use]], weights: torch.Tensor) -> Tree:
        """Returns the weighted sum of the records' gradients by parameter name."""
        grads: Tree = {}
        for call, use in uses:
            scaled = weights.to(use.gradient.dtype)
            for local, total in call.layer.rule.contract(use, scaled).items():
                name = call.layer.names[local]
                grads[name] = grads[name] + total if name in grads else total
        return grads


def clipped_sum(
    module: nn.Module,
    losses: Callable[[torch.Tensor], torch.Tensor],
    records: torch.Tensor,
    *,
    clip: float,
    views: int = 1,
) -> ClippedSum:
    """Returns the sum of the records' clipped gradients; see `PerRecordClipper`."""
    with PerRecordClipper(module, clip=clip, views=views) as clipper:
        return clipper(losses, records)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    """Returns `tensor` in at least float32: half precision can't hold a bound."""
    return tensor.float() if tensor.is_floating_point() and tensor.element_size() < 4 else tensor


class _Saved:
    """Counts the bytes that a forward pass keeps for its backward pass."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    @property
    def bytes(self) -> int:
        """Returns the bytes of all storages seen, each once."""
        return sum(self._seen.values())

    def counting(self) -> torch.autograd.graph.saved_tensors_hooks:
        """Returns a context that counts what is saved within it."""
        return torch.autograd.graph.saved_tensors_hooks(self._pack, lambda tensor: tensor)

    def _pack(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        self._seen[storage.data_ptr()] = storage.nbytes()
        return tensor
