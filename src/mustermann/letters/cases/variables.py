"""Drawing facts: each from its own named stream, so that a new fact moves no other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Draws
from mustermann.letters.cases.expressions import Environment, Expression, compile_expression
from mustermann.letters.cases.format import Variable

Sampler = Callable[[Draws, str, Environment], Any]
"""Returns the value of a fact from its named draw and the facts before it."""


def compile_variable(
    variable: Variable | float | str, *, where: str, whole: bool = True
) -> Sampler:
    """Returns the sampler of a fact; a bare number is itself, bare text an expression.

    Args:
      variable: As authored.
      where: Place for messages.
      whole: Whether a number is rounded to a whole one where nothing is said.

    Raises:
      ConfigError: Not exactly one way to draw is given, or an expression is wrong.
    """
    if isinstance(variable, int | float):
        return lambda draws, name, env: variable
    if isinstance(variable, str):
        read = compile_expression(variable, where=where)
        return lambda draws, name, env: read(env)
    ways = [
        way for way in ("range", "triangular", "normal", "calc", "pick", "chance")
        if getattr(variable, way) is not None
    ]  # fmt: skip
    if len(ways) != 1:
        raise ConfigError(
            f"Expected one of range, triangular, normal, calc, pick, chance in {where}, "
            f"got {', '.join(ways) or 'none'}."
        )
    if variable.pick is not None:
        return _pick(variable.pick, where)
    if variable.chance is not None:
        return _chance(variable.chance, where)
    if variable.range is not None and whole and _is_bare(variable):
        # Already whole and uncut: most facts are of this kind.
        return _number(variable, where)
    return _finish(variable, _number(variable, where), whole)


def _is_bare(variable: Variable) -> bool:
    cut = (variable.decimals, variable.step, variable.min, variable.max)
    return all(value is None for value in cut)


def _number(variable: Variable, where: str) -> Sampler:
    if variable.calc is not None:
        read = compile_expression(variable.calc, where=where)
        return lambda draws, name, env: read(env)
    if variable.normal is not None:
        mean, deviation = variable.normal
        return lambda draws, name, env: draws.normal(name, mean, deviation)
    if variable.range is not None:
        low, high = variable.range
        if not variable.decimals and not variable.step:
            return lambda draws, name, env: draws.integer(name, int(low), int(high))
        return lambda draws, name, env: draws.uniform(name, low, high)
    if variable.triangular is None:
        raise ConfigError(f"Expected a number in {where}.")
    left, mode, right = variable.triangular
    return lambda draws, name, env: _triangular(draws.uniform(name), left, mode, right)


def _triangular(u: float, low: float, mode: float, high: float) -> float:
    """Returns the quantile `u` of the triangular distribution."""
    if high == low:
        return low
    bend = (mode - low) / (high - low)
    if u < bend:
        return low + math.sqrt(u * (high - low) * (mode - low))
    return high - math.sqrt((1 - u) * (high - low) * (high - mode))


def _finish(variable: Variable, draw: Sampler, whole: bool) -> Sampler:
    """Cuts, steps and rounds numbers; truth values and words of `calc` pass."""
    low = -math.inf if variable.min is None else variable.min
    high = math.inf if variable.max is None else variable.max
    step = variable.step
    decimals = 0 if variable.decimals is None and whole else variable.decimals

    def finished(draws: Draws, name: str, env: Environment) -> Any:
        value = draw(draws, name, env)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if step:
            value = math.floor(value / step + 0.5) * step
        value = min(high, max(low, value))
        if decimals is None:
            return value
        rounded = math.floor(value * 10**decimals + 0.5 + 1e-9) / 10**decimals
        return rounded if decimals else int(rounded)

    return finished


def _chance(chance: float | str, where: str) -> Sampler:
    if isinstance(chance, str):
        read: Expression = compile_expression(chance, where=where)
        return lambda draws, name, env: draws.uniform(name) < read(env)
    return lambda draws, name, env: draws.uniform(name) < chance


def _pick(options: list[Any], where: str) -> Sampler:
    """Draws among the options whose `when` holds; `weight` and `when` are left in no record."""
    values, weights, tests = [], [], []
    for option in options:
        record = option if isinstance(option, Mapping) else {}
        weights.append(float(record.get("weight", 1.0)))
        when = record.get("when", "")
        tests.append(compile_expression(when, where=where) if when else None)
        bare = {key: value for key, value in record.items() if key not in {"weight", "when"}}
        values.append((bare["value"] if set(bare) == {"value"} else bare) if record else option)

    def draw(draws: Draws, name: str, env: Environment) -> Any:
        open_ = [
            weight if test is None or test(env) else 0.0
            for weight, test in zip(weights, tests, strict=True)
        ]
        total = sum(open_)
        if total <= 0:
            raise ConfigError(f"Expected an option that fits in {where}, none does.")
        point = draws.uniform(name) * total
        for value, weight in zip(values, open_, strict=True):
            point -= weight
            if point < 0:
                return value
        return values[-1]

    return draw
