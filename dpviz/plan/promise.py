"""What a plan says beside its releases: whom it protects, from what, and what it may cost; what nobody said is None."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from dpviz.guarantee import Guarantee
from dpviz.parameters import DELTA, EPSILON, POPULATION, checked_choice
from dpviz.plan.release import checked_text

if TYPE_CHECKING:
    from dpviz.plan.plan import Plan

# What happens to the one unit in which neighbours differ, in the passive and in the active voice.
RELATIONS = {"add_remove": "added or removed", "replace_one": "replaced by another"}
CHANGES = {"add_remove": "adding or removing one {}", "replace_one": "replacing one {} by another"}
NO_LIMIT = Guarantee(math.inf, 1e-6)
FIELDS = ("unit", "relation", "population", "adaptive")  # of a plan, beside its budget
_BUDGET = ("budget_epsilon", "budget_delta")
COLUMNS = ("unit", "relation", "population", *_BUDGET, "adaptive")  # of a table, which repeats them in every row
NUMBERS = ("population", *_BUDGET)
_CHECKS = {
    "unit": partial(checked_text, "unit"),
    "relation": partial(checked_choice, allowed=tuple(RELATIONS), name="relation"),
    "population": POPULATION.check,
    "budget_epsilon": partial(EPSILON.check, name="budget_epsilon"),
    "budget_delta": partial(DELTA.check, name="budget_delta"),
}


def stated(plan: Plan) -> dict[str, object]:
    """Return what a plan states, by the column of a table that holds it; what nobody stated is absent.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> stated(Plan([], Guarantee(4, 1e-6), relation="replace_one"))
    {'relation': 'replace_one', 'budget_epsilon': 4.0, 'budget_delta': 1e-06}
    """
    limit = None if math.isinf(plan.budget.epsilon) else plan.budget.epsilon
    budget = {} if plan.budget == NO_LIMIT else dict(zip(_BUDGET, (limit, plan.budget.delta), strict=True))
    found = {name: getattr(plan, name) for name in FIELDS} | budget
    return {column: found[column] for column in COLUMNS if found.get(column) is not None}


def checked_value(column: str, value: object) -> object:
    """Return what a column states, or refuse it with the sentence of the core.

    Examples
    --------
    >>> checked_value("population", 0)
    Traceback (most recent call last):
        ...
    ValueError: population must be in [1, 1e+13], a whole number; got 0
    """
    return _CHECKS[column](value) if column in _CHECKS else value


def arguments(found: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a plan that states this much, as `stated` gives it.

    Examples
    --------
    >>> arguments({"unit": "user-day", "budget_epsilon": 4.0})
    {'unit': 'user-day', 'budget': Guarantee(epsilon=4.0, delta=1e-06)}
    """
    epsilon, delta = (found.get(column) for column in _BUDGET)
    pair = (NO_LIMIT.epsilon if epsilon is None else epsilon, NO_LIMIT.delta if delta is None else delta)
    fields = {name: found[name] for name in FIELDS if name in found}
    return fields | {"budget": Guarantee(*pair)}


def in_words(plan: Plan) -> dict[str, str]:
    """Return unit, relation and order of a plan in words, each with "(not stated)" where that was only assumed.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> in_words(Plan([], unit="user-day", adaptive=True))
    {'unit': 'user-day', 'relation': 'added or removed (not stated)', 'order': 'chosen along the way'}
    """
    words = {
        "unit": plan.unit_in_words,
        "relation": RELATIONS[plan.neighbours],
        "order": "chosen along the way" if plan.adaptive else "fixed in advance",
    }
    fields = dict(zip(words, (plan.unit, plan.relation, plan.adaptive), strict=True))
    return {name: text + " (not stated)" * (fields[name] is None) for name, text in words.items()}
