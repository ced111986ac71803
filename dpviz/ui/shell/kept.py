"""How answers are kept, within bounds, and those that several pages share.

Left alone, Streamlit hashes nested dataclasses without their type, so that Laplace and Gaussian noise with equal
numbers would share one answer: here a key is text that names every type.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache, partial, wraps
from inspect import BoundArguments, Parameter, Signature, signature
from types import FunctionType
from typing import ParamSpec, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.adversary import PairLoss
from dpviz.adversary.risk import best_success
from dpviz.composition import compare, compose, theorem_named
from dpviz.composition.compose import Total, smallest_total
from dpviz.filters import plan_verdicts
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.planning.room import Room, room
from dpviz.planning.schedule import of_one_unit as unit_part
from dpviz.planning.schedule import unit_cost
from dpviz.privacy_loss import PrivacyLoss
from dpviz.report.measures import bracket as ends_of_total
from dpviz.ui.shell import reading

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
BOUNDS: dict[str, int] = {}  # by function, how large all of its kept answers may be, in megabytes
MOST = 256  # megabytes of all together
_PLAIN = (type(None), bool, int, float, str, Decimal, date)
_DRAWN = 24  # of what each part of a page drew
_PLANS = 32  # whose text is remembered: a rerun asks for that of a few again and again


def told(value: object) -> str:
    """Return text that tells a value from every other one, of whatever type.

    Raises
    ------
    TypeError
        For a type whose values have no such text, so that none of them ever gets the answer of another.

    Examples
    --------
    >>> told((1, 1.0, "1", True))
    "tuple(1,1.0,'1',True)"
    >>> told(Guarantee(1)), told([Guarantee(1)]) == told((Guarantee(1),))
    ('dpviz.guarantee.Guarantee(1.0,0.0)', False)
    """
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind in (tuple, list):
        return f"{kind.__name__}({','.join(map(told, value))})"
    if kind is dict:
        return f"dict{told(tuple(value.items()))}"
    if kind is np.ndarray and not value.dtype.hasobject:
        return f"{_named(kind)}({value.dtype},{value.shape},{_digest(np.ascontiguousarray(value).tobytes())})"
    if isinstance(value, np.generic):
        return f"{_named(kind)}({value!r})"
    if kind is Plan:
        return _told_plan(value)
    if kind is pd.DataFrame:  # which holds plain values only
        return f"{_named(kind)}({_digest(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))})"
    if kind is FunctionType:
        return _named(value)
    if kind is partial:
        return f"partial({told((value.func, value.args, value.keywords))})"
    if not is_dataclass(kind):
        raise TypeError(f"answers cannot be kept for a {kind.__name__}")
    return _told_fields(value)


def _told_fields(value: object) -> str:
    # What cannot be given follows from the rest.
    given = [told(getattr(value, each.name)) for each in fields(value) if each.init]
    return f"{_named(type(value))}({','.join(given)})"


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


@lru_cache(_PLANS)
def _told_plan(plan: Plan) -> str:
    return f"{_named(Plan)}({_digest(_told_fields(plan).encode())})"


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _told_arguments(given: BoundArguments) -> str:
    return told((*given.args, *given.kwargs.values()))


def kept(
    entries: int, megabytes: int, waiting: str = "", *, shared: bool = False
) -> Callable[[Callable[Asked, Answer]], Callable[Asked, Answer]]:
    """Return a decorator that keeps the answers of a function, for all visitors.

    Parameters
    ----------
    entries : int
        How many are kept; then the oldest goes.
    megabytes : int
        How large all of them may be.
    waiting : str
        What is said while an answer takes its time; "" for nothing.
    shared : bool
        Whether every visitor gets the same object rather than a copy: for one that nobody changes. Streamlit does not
        weigh those, so that `entries` of the largest must stay within `megabytes`.
    """
    bounds = {"max_entries": entries, "show_spinner": waiting or False, "hash_funcs": {BoundArguments: _told_arguments}}
    keep = st.cache_resource(**bounds) if shared else st.cache_data(max_size=f"{megabytes}MB", **bounds)

    def decorated(answer: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
        asked = signature(answer)
        BOUNDS[_named(answer)] = megabytes
        # Streamlit tells functions apart by the name and source of what is wrapped.
        held = keep(wraps(answer)(lambda given: answer(*given.args, **given.kwargs)))

        @wraps(answer)
        def ask(*arguments: Asked.args, **named: Asked.kwargs) -> Answer:
            given = asked.bind(*arguments, **named)
            given.apply_defaults()
            return held(given)

        return ask

    return decorated


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is drawn once for all who see the same, on the same ground at the same level of reading."""

    given: tuple
    named: tuple[tuple[str, object], ...]
    ground: str | None
    level: str


def static(draw: Callable[Asked, None]) -> Callable[Asked, None]:
    """Return a function that draws without widgets, so that Streamlit sends again what it drew for these arguments.

    Parameters
    ----------
    draw : callable
        It may depend on its arguments, the ground and the level of reading, and on nothing else.
    """
    once = wraps(draw)(lambda seen: draw(*seen.given, **dict(seen.named)))
    once.__signature__ = Signature([Parameter("seen", Parameter.POSITIONAL_OR_KEYWORD)])
    drawn = kept(_DRAWN, 1, shared=True)(once)

    @wraps(draw)
    def shown(*arguments: Asked.args, **named: Asked.kwargs) -> None:
        drawn(_Seen(arguments, tuple(named.items()), st.context.theme.type, reading.level()))

    return shown


@lru_cache(_PLANS)
def priced(plan: Plan) -> Plan:
    """Return a plan with only that by which it costs what it does, so that an edit of the rest keeps the answer.

    Examples
    --------
    >>> priced(Plan((), Guarantee(1.0, 1e-6), "user-day", population=100)) == priced(Plan((), Guarantee(4.0, 1e-6)))
    True
    """
    # What a mean divides by says how much one value moves it.
    people = plan.population if any(each.kind == "mean" for each in plan.releases) else None
    unpriced = {"unit": "person", "population": people, "disclosure": None, "answers": None}
    return replace(plan, budget=Guarantee(math.inf, plan.budget.delta), **unpriced)


def proved(plan: Plan, theorem: str | None = None) -> Total:
    """Return the smallest total of a plan at its budget's δ, or that of one theorem, kept."""
    return _proved(priced(plan), theorem)


@kept(512, 1, shared=True)
def _proved(plan: Plan, theorem: str | None) -> Total:
    if theorem is None or plan.budget.delta >= 1:
        return smallest_total(plan, plan.budget.delta)
    return Total(compose(plan, plan.budget.delta, theorem).epsilon, theorem_named(theorem))


bracket = kept(64, 1)(ends_of_total)  # of a plan and its total: what is proved at least, and at most


def comparison(plan: Plan, delta: float) -> pd.DataFrame:
    """Return the plan under every theorem, without what the numerical ones may exceed the truth by; kept."""
    return _comparison(priced(plan), delta)


@kept(128, 4)
def _comparison(plan: Plan, delta: float) -> pd.DataFrame:
    return compare(plan, delta, excess=False)


def right_guesses(plan: Plan, epsilon: float, by_filter: bool = False) -> float:
    """Return how many of 100 guesses whether one unit is in the data the best attacker gets right, at most; kept.

    Parameters
    ----------
    plan : Plan
    epsilon : float
        What the plan is proved to cost at its budget's δ.
    by_filter : bool
        Whether a filter proves it, so that its budget is all that is promised.
    """
    return _right_guesses(priced(plan), epsilon, by_filter)


@kept(256, 1)
def _right_guesses(plan: Plan, epsilon: float, by_filter: bool) -> float:
    # What is chosen along the way is bounded by its pair alone; a fixed plan by its own privacy loss.
    pair = PairLoss(Guarantee(epsilon, plan.budget.delta))
    losses = (pair,) if by_filter or plan.adaptive else (pair, PrivacyLoss.of(plan, accuracy=1e-4))
    return 100 * min(map(best_success, losses))


@kept(256, 1)
def further(plan: Plan, row: int) -> Room:
    """Return how many more uses of the plan's release number `row` (from 0) fit, and by what, kept."""
    return room(plan, plan.releases[row])


one_unit = kept(64, 1)(unit_cost)
of_one_unit = kept(64, 1)(unit_part)
verdicts = kept(128, 2)(plan_verdicts)
