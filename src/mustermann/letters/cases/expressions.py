"""The expression language of case files: arithmetic and conditions, parsed once to closures.

Python's grammar, a short list of its nodes, and no names but the case's own. Nothing is
evaluated by the interpreter: `ast` parses, and each node becomes a function of the
environment.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from functools import cache
from keyword import iskeyword
from typing import Any

from mustermann.core.errors import ConfigError
from mustermann.letters.cases import physiology

Environment = Mapping[str, Any]
Expression = Callable[[Environment], Any]

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "abs": abs, "round": lambda x, n=0: _round(x, n),
    "floor": math.floor, "ceil": math.ceil, "sqrt": math.sqrt, "log": math.log,
    "clip": lambda x, low, high: max(low, min(high, x)),
    "step": lambda x, width: _round(x / width, 0) * width,
    "egfr": physiology.egfr, "crcl": physiology.creatinine_clearance,
    "bmi": physiology.body_mass_index, "bsa": physiology.body_surface,
}  # fmt: skip
"""What an expression may call; `step(x, 5)` rounds to the nearest 5."""

NAMESPACES = frozenset({"has", "med", "dx", "vor", "person", "frau"})
"""Names whose attributes are true or false by presence: a slot, a drug, a diagnosis, a
person, a woman among them."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def compile_expression(text: str, *, where: str) -> Expression:
    """Returns `text` as a function of the environment.

    Raises:
      ConfigError: It does not parse, or uses more than the language has.
    """
    try:
        return _compiled(text)
    except SyntaxError as error:
        raise ConfigError(
            f"Expected an expression in {where}, got {text!r}: {error.msg}."
        ) from error
    except _RefusedError as refused:
        raise ConfigError(f"{refused} in {text!r} in {where}.") from refused


# Half of all expressions of the library stand in it more than once.
@cache
def _compiled(text: str) -> Expression:
    return _node(ast.parse(text.strip(), mode="eval").body)


@cache
def names_in(text: str) -> frozenset[str]:
    """Returns the names that an expression reads, functions left out."""
    if text.isidentifier() and not iskeyword(text):
        return frozenset({text})
    nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    called = {node.func.id for node in nodes
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}  # fmt: skip
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name)) - called


class _RefusedError(Exception):
    """Something the language does not have."""


def _round(value: float, digits: int = 0) -> float:
    """Rounds half away from zero, as people do; an integer without digits."""
    scale = 10**digits
    rounded = math.floor(abs(value) * scale + 0.5 + 1e-9) / scale
    signed = -rounded if value < 0 else rounded
    return signed if digits else int(signed)


def _node(node: ast.expr) -> Expression:
    build = _BUILDERS.get(type(node))
    if build is None:
        raise _RefusedError(f"Expected arithmetic or a condition, found {type(node).__name__}")
    return build(node)


def _constant(node: Any) -> Expression:
    value = node.value
    if not isinstance(value, bool | int | float | str):
        raise _RefusedError(f"Expected a number or text, found {value!r}")
    return lambda env: value


def _name(node: Any) -> Expression:
    name = node.id

    def read(env: Environment) -> Any:
        try:
            return env[name]
        except KeyError:
            raise ConfigError(f"Expected a known name in an expression, got {name!r}.") from None

    return read


def _attribute(node: Any) -> Expression:
    inner, field = _node(node.value), node.attr
    if isinstance(node.value, ast.Name) and node.value.id in NAMESPACES:
        space = node.value.id
        return lambda env: field in env[space]

    def read(env: Environment) -> Any:
        value = inner(env)
        if isinstance(value, Mapping) and field in value:
            return value[field]
        raise ConfigError(f"Expected a record with a field {field!r}, got {value!r}.")

    return read


def _binary(node: Any) -> Expression:
    apply = _BINARY.get(type(node.op))
    if apply is None:
        raise _RefusedError(f"Expected + - * / // %, found {type(node.op).__name__}")
    left, right = _node(node.left), _node(node.right)
    return lambda env: apply(left(env), right(env))


def _unary(node: Any) -> Expression:
    inner = _node(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda env: not inner(env)
    if isinstance(node.op, ast.USub):
        return lambda env: -inner(env)
    raise _RefusedError(f"Expected - or not, found {type(node.op).__name__}")


def _boolean(node: Any) -> Expression:
    parts = [_node(value) for value in node.values]
    if isinstance(node.op, ast.And):
        return lambda env: all(part(env) for part in parts)
    return lambda env: any(part(env) for part in parts)


def _compare(node: Any) -> Expression:
    first = _node(node.left)
    steps = []
    for op, right in zip(node.ops, node.comparators, strict=True):
        apply = _COMPARE.get(type(op))
        if apply is None:
            raise _RefusedError(f"Expected a comparison, found {type(op).__name__}")
        steps.append((apply, _node(right)))

    def check(env: Environment) -> bool:
        left = first(env)
        for apply, right_of in steps:
            right = right_of(env)
            if not apply(left, right):
                return False
            left = right
        return True

    return check


def _choice(node: Any) -> Expression:
    test, then, other = _node(node.test), _node(node.body), _node(node.orelse)
    return lambda env: then(env) if test(env) else other(env)


def _call(node: Any) -> Expression:
    if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
        raise _RefusedError(f"Expected one of the functions {', '.join(sorted(FUNCTIONS))}")
    function, arguments = FUNCTIONS[node.func.id], [_node(value) for value in node.args]
    return lambda env: function(*(argument(env) for argument in arguments))


def _sequence(node: Any) -> Expression:
    parts = [_node(value) for value in node.elts]
    return lambda env: tuple(part(env) for part in parts)


_BUILDERS: dict[type[ast.expr], Callable[[Any], Expression]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.BoolOp: _boolean, ast.Compare: _compare, ast.IfExp: _choice,
    ast.Call: _call, ast.Tuple: _sequence, ast.List: _sequence,
}  # fmt: skip


def require_known(text: str, known: Collection[str], *, where: str) -> None:
    """Raises ConfigError when an expression reads a name that is not in `known`."""
    unknown = sorted(names_in(text) - set(known))
    if unknown:
        raise ConfigError(f"Unknown name {unknown[0]!r} in {text!r} in {where}.")
