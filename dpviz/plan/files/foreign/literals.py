"""Numbers, lists and named calls out of Python's notation or JSON, without running anything.

The text is parsed into a syntax tree, of which only constants, lists, dictionaries and calls of plain names are taken.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass

from dpviz.plan.files.foreign.opened import LONGEST, refused

DEEPEST = 40  # brackets within brackets
_ALLOWED = "must hold numbers, lists and the names of events alone"


@dataclass(frozen=True, slots=True)
class Call:
    """A name with what stands in its brackets: by position, and by name.

    Examples
    --------
    >>> literal("GaussianDpEvent(noise_multiplier=1.5)")
    Call(name='GaussianDpEvent', given=(), named={'noise_multiplier': 1.5})
    """

    name: str
    given: tuple[object, ...]
    named: dict[str, object]

    def taken(self, *names: str) -> list[object]:
        """Return what was given for these parameters, in their order; None for what was not.

        Raises
        ------
        ValueError
            When anything else was given, or one of them twice: what is left out might say that less is lost.

        Examples
        --------
        >>> literal("ApproxDPBudget(0.5, delta=1e-7)").taken("epsilon", "delta")
        [0.5, 1e-07]
        >>> literal("PureDPBudget(0, 5)").taken("epsilon")
        Traceback (most recent call last):
            ...
        ValueError: PureDPBudget must have epsilon alone, and once; got 2 values
        """
        found = dict(zip(names, self.given, strict=False))
        values = len(self.given) + len(self.named)
        if len(found | self.named) != values or not self.named.keys() <= {*names}:
            unknown = next((repr(name)[:40] for name in self.named if name not in names), f"{values} values")
            wanted = f"{' and '.join(names)} alone, and once" if names else "nothing in its brackets"
            raise ValueError(f"{self.name:.60} must have {wanted}; got {unknown}")
        return [(found | self.named).get(name) for name in names]


def literal(text: str) -> object:
    """Return what a text holds: numbers, text, lists, dictionaries and `Call`.

    Parameters
    ----------
    text : str
        An expression in Python's notation, such as the repr of an event; or JSON.

    Raises
    ------
    PlanFileError
        In one sentence, where it holds anything else, is too long or too deep.

    Examples
    --------
    >>> literal("[(1.5, 0.04, 2250)]"), literal('{"history": [[1.5, 0.04, 2250]]}')
    ([[1.5, 0.04, 2250]], {'history': [[1.5, 0.04, 2250]]})
    >>> literal("__import__('os').system('id')")
    Traceback (most recent call last):
        ...
    dpviz.plan.problems.PlanFileError: The plan was not read, because of 1 problem:
    plan, text "__import__('os').system": must hold numbers, lists and the names of events alone
    """
    text = text.strip()
    check_size(text)
    if deepest(text) > DEEPEST:
        raise refused("text", text, f"must have at most {DEEPEST} brackets within each other")
    try:
        if text.startswith("{"):
            return json.loads(text, object_pairs_hook=_once)
        return _value(_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        if isinstance(error, ValueError) and hasattr(error, "problems"):
            raise
        if text.startswith("{") and isinstance(error, json.JSONDecodeError):
            return _python(text)
        raise refused("text", text, _ALLOWED) from None


def _python(text: str) -> object:
    """A dictionary in Python's notation, which is no JSON."""
    try:
        return _value(_tree(text))
    except (SyntaxError, RecursionError, MemoryError, OverflowError):
        raise refused("text", text, _ALLOWED) from None


def _tree(text: str) -> ast.AST:
    """The syntax tree of an expression; refused where Python would pass over a part of it."""
    if "#" in text:
        raise refused("text", text, "must be without comments, since what stands in them is not read")
    return ast.parse(text, mode="eval").body


def check_size(text: str) -> None:
    """Refuse a text that is longer than such files are."""
    if len(text) > LONGEST:
        raise refused("text", text, f"must be at most {LONGEST:,} characters of another program's file")


def deepest(text: str) -> int:
    """Return how many brackets stand within each other, at most; signs in a row count, too.

    Examples
    --------
    >>> deepest("[(1, 2), (3, 4)]"), deepest("---1")
    (2, 3)
    """
    depth = most = signs = 0
    for each in text:
        signs = signs + 1 if each in "+-~" else signs if each.isspace() else 0
        depth += (each in "([{") - (each in ")]}")
        most = max(most, depth, signs)
    return most


def _value(node: ast.AST) -> object:
    match node:
        case ast.Constant(value=int() | float() | str() | bool() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as value)):
            return -value if isinstance(sign, ast.USub) else value
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
        case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
            return _once([(str(key.value), _value(value)) for key, value in zip(keys, values, strict=True)])
        case ast.Call(func=function, args=args, keywords=keywords) if all(each.arg for each in keywords):
            named = _once([(each.arg, _value(each.value)) for each in keywords])
            return Call(_name(function), tuple(_value(each) for each in args), named)
    raise refused("text", ast.unparse(node), _ALLOWED)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """What names stand for; refused where one stands for two things."""
    found = {}
    for name, value in pairs:
        if name in found:
            raise refused("text", name, "must stand once within its brackets")
        found[name] = value
    return found


def _name(function: ast.AST) -> str:
    """The last part of the name that is called, such as of ``dp_accounting.GaussianDpEvent``; never run."""
    node = function
    while isinstance(node, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Name):
        raise refused("text", ast.unparse(function), _ALLOWED)
    return function.attr if isinstance(function, ast.Attribute) else node.id
