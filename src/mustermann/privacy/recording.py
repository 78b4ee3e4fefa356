"""Records what the layers of a module take and give, and refuses what can't be clipped.

The checks look at structure, never at values:

* every parameter that is trained belongs to a layer whose rule handles it;
* no parameter is used outside its layer's forward pass, where no rule would see it;
* no layer's output is changed in place, which would change what its gradient means;
* no record's loss depends on another record's activations.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from mustermann.core.errors import PrivacyError
from mustermann.privacy import layer_rules  # noqa: F401  (registers the rules)
from mustermann.privacy.rules import Rule, find_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclasses.dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer that has trained parameters.

    Attributes:
      path: Its name within the module.
      module: The layer.
      rule: Its rule.
      names: The parameters to train: name within the layer to name within the module.
    """

    path: str
    module: nn.Module
    rule: Rule
    names: dict[str, str]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a layer: what it took and gave, with the versions they had then."""

    layer: Layer
    inputs: torch.Tensor
    output: torch.Tensor
    versions: tuple[int, int]


class Recorder:
    """Hooks on a module's layers that record their calls while asked to."""

    def __init__(self, module: nn.Module) -> None:
        """Hooks into `module`.

        Raises:
          PrivacyError: A trained parameter has no rule, or a layer mixes records.
        """
        self.layers = find_layers(module)
        self._calls: list[Call] | None = None
        self._active: list[nn.Module] = []
        self._hooks = []
        for layer in self.layers:
            self._hooks += [
                layer.module.register_forward_pre_hook(self._enter),
                layer.module.register_forward_hook(functools.partial(self._leave, layer)),
            ]

    def close(self) -> None:
        """Takes the hooks off again."""
        for hook in self._hooks:
            hook.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def calls(self, run: Callable[[], torch.Tensor]) -> tuple[torch.Tensor, list[Call]]:
        """Returns what `run` returns, and the calls of layers that it made.

        Raises:
          PrivacyError: A layer ran in a way that its rule does not cover.
        """
        self._calls, self._active = [], []
        try:
            with torch.enable_grad():
                result = run()
            calls = self._calls
        finally:
            self._calls = None
        for call in calls:
            if (call.inputs._version, call.output._version) != call.versions:
                raise PrivacyError(
                    f"Expected what {call.layer.path!r} takes and gives to stay as it is, found "
                    f"that it was changed in place. Use the operation that returns a new tensor."
                )
        return result, calls

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Refuses, while the block runs, parameters used outside their layers."""
        owners: dict[int, tuple[str, list[nn.Module]]] = {}
        for layer in self.layers:
            for local, name in layer.names.items():
                parameter = layer.module.get_parameter(local)
                owners.setdefault(id(parameter), (name, []))[1].append(layer.module)
        with _Watch(owners, self._active_modules):
            yield

    def _active_modules(self) -> list[nn.Module]:
        return self._active

    def _enter(self, module: nn.Module, args: Any) -> None:
        del args
        if self._calls is not None:
            self._active.append(module)

    def _leave(self, layer: Layer, module: nn.Module, args: Any, output: Any) -> None:
        if self._calls is None:
            return
        del self._active[self._active.index(module) :]
        if len(args) != 1 or not isinstance(args[0], torch.Tensor):
            raise PrivacyError(
                f"Expected {layer.path!r} to be called with one tensor and no keywords, which is "
                f"what its rule knows, found {len(args)} arguments. Call it as layer(x)."
            )
        if not output.requires_grad:
            raise PrivacyError(
                f"Expected {layer.path!r} to run with gradients, found it under no_grad or a "
                f"checkpoint. Run it plainly, or freeze its parameters."
            )
        inputs = args[0].detach()
        versions = (args[0]._version, output._version)
        self._calls.append(Call(layer=layer, inputs=inputs, output=output, versions=versions))


def find_layers(module: nn.Module) -> list[Layer]:
    """Returns the layers of `module` that have trained parameters.

    Raises:
      PrivacyError: A trained parameter has no rule, or a layer mixes records.
    """
    names = {id(parameter): name for name, parameter in module.named_parameters()}
    layers = []
    for path, child in module.named_modules():
        if isinstance(child, nn.modules.batchnorm._BatchNorm):
            raise PrivacyError(
                f"Expected layers that keep records apart, found batch normalisation at "
                f"{path!r}, which mixes them. Use nn.LayerNorm."
            )
        own = {n: p for n, p in child.named_parameters(recurse=False) if p.requires_grad}
        if not own:
            continue
        rule = find_rule(child)
        unknown = set(own) - set(rule.parameters if rule else ())
        if rule is None or unknown:
            missing = ", ".join(sorted(names[id(own[name])] for name in unknown))
            raise PrivacyError(
                f"Expected a rule for every trained parameter, found none for {missing} of "
                f"{type(child).__name__}. Register one with rule_for, or freeze the parameter."
            )
        rule.check(child)
        local = {name: names[id(parameter)] for name, parameter in own.items()}
        layers.append(Layer(path=path, module=child, rule=rule, names=local))
    return layers


def refuse_mixing(losses: torch.Tensor, calls: list[Call], *, views: int) -> None:
    """Refuses a module in which one record's loss reaches another record's activations.

    A NaN sent back from the first record's loss marks everything that the loss depends
    on, even through weights that are zero. Nothing of the other records may be marked.

    Args:
      losses: Losses of all views, shape (B * K,), B at least 2.
      calls: The calls that led to them.
      views: K.

    Raises:
      PrivacyError: Another record was marked.
    """

    def sent_back(probe: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        outputs = [call.output for call in calls]
        return torch.autograd.grad(losses, outputs, probe, retain_graph=True, allow_unused=True)

    probe = torch.zeros_like(losses)
    # Records that hold NaN themselves send it back whatever the probe.
    before = sent_back(probe)
    probe[:views] = torch.nan
    for call, old, new in zip(calls, before, sent_back(probe), strict=True):
        if old is not None and new is not None and bool((new.isnan() & ~old.isnan())[views:].any()):
            raise PrivacyError(
                f"Expected each record's loss to depend on that record alone, found that it "
                f"reaches others through {call.layer.path!r}. Keep the records in the first "
                f"axis of every layer and out of one another's way."
            )


class _Watch(TorchFunctionMode):
    """Looks at the arguments of every torch function for parameters out of place."""

    def __init__(
        self,
        owners: dict[int, tuple[str, list[nn.Module]]],
        active: Callable[[], list[nn.Module]],
    ) -> None:
        super().__init__()
        self._owners = owners
        self._active = active

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for value in (*args, *(kwargs or {}).values()):
            for part in value if isinstance(value, list | tuple) else (value,):
                name, owners = self._owners.get(id(part), ("", []))
                if owners and not any(module in owners for module in self._active()):
                    raise PrivacyError(
                        f"Expected {name!r} to be used by its layer alone, found it in "
                        f"{getattr(func, '__name__', func)} outside. Call the layer, or tie two "
                        f"layers by giving them the same parameter."
                    )
        return func(*args, **(kwargs or {}))
