"""Privacy events as text for people and as JSON for files."""

from __future__ import annotations

import math
from typing import Any

import attr
import dp_accounting

from mustermann.core.errors import DataError

# A file names one of these and nothing else: dp_accounting's own decoder imports whatever
# module a record names.
_KINDS: dict[str, type[dp_accounting.DpEvent]] = {
    kind.__name__: kind
    for kind in (
        dp_accounting.NoOpDpEvent,
        dp_accounting.NonPrivateDpEvent,
        dp_accounting.GaussianDpEvent,
        dp_accounting.LaplaceDpEvent,
        dp_accounting.ZCDpEvent,
        dp_accounting.PoissonSampledDpEvent,
        dp_accounting.SelfComposedDpEvent,
        dp_accounting.ComposedDpEvent,
    )
}


def describe(event: dp_accounting.DpEvent) -> str:
    """Returns one line of plain English that says what was released and under what noise."""
    match event:
        case dp_accounting.GaussianDpEvent():
            return f"Gaussian noise of {event.noise_multiplier:.6g} times the sensitivity"
        case dp_accounting.LaplaceDpEvent():
            return f"Laplace noise of {event.noise_multiplier:.6g} times the sensitivity"
        case dp_accounting.ZCDpEvent():
            return f"{event.rho:.6g}-zero-concentrated privacy"
        case dp_accounting.PoissonSampledDpEvent():
            rate = event.sampling_probability
            return f"{describe(event.event)} over rows that each join with probability {rate:.6g}"
        case dp_accounting.SelfComposedDpEvent():
            return f"{event.count} times: {describe(event.event)}"
        case dp_accounting.ComposedDpEvent():
            return "; then ".join(describe(part) for part in event.events)
        case dp_accounting.NonPrivateDpEvent():
            return "no noise: not private"
        case dp_accounting.NoOpDpEvent():
            return "nothing"
        case _:
            return repr(event)


def to_record(event: dp_accounting.DpEvent) -> dict[str, Any]:
    """Returns `event` as JSON values; `from_record` is the inverse.

    Raises:
      DataError: The event, or one inside it, is of a kind that files don't hold.
    """
    kind = type(event).__name__
    if _KINDS.get(kind) is not type(event):
        raise DataError(f"Expected an event of {', '.join(_KINDS)}, found {kind}.")
    fields = {field.name: getattr(event, field.name) for field in attr.fields(type(event))}
    return {"kind": kind} | {name: _encode(value) for name, value in fields.items()}


def from_record(record: Any) -> dp_accounting.DpEvent:
    """Returns the event that `to_record` wrote.

    Raises:
      DataError: `record` is not such a record.
    """
    kind = _KINDS.get(record.get("kind", "")) if isinstance(record, dict) else None
    if kind is None:
        raise DataError(f"Expected an event of {', '.join(_KINDS)}, found {record!r}.")
    fields = {name: _decode(value) for name, value in record.items() if name != "kind"}
    expected = {field.name for field in attr.fields(kind)}
    if set(fields) != expected:
        raise DataError(
            f"Expected the fields {sorted(expected)} in a {kind.__name__}, found {sorted(fields)}."
        )
    return kind(**fields)


def _encode(value: Any) -> Any:
    if isinstance(value, dp_accounting.DpEvent):
        return to_record(value)
    if isinstance(value, list | tuple):
        return [_encode(part) for part in value]
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        return from_record(value)
    if isinstance(value, list):
        return [_decode(part) for part in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DataError(f"Expected a finite number in an event, found {value!r}.")
    return value
