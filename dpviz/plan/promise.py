"""What a plan says beside its releases: whom it protects, from what, and what it may cost; what nobody said is None."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Literal

from dpviz.guarantee import Guarantee
from dpviz.parameters import DELTA, EPSILON, POPULATION, checked_choice
from dpviz.plan.release import checked_text

Relation = Literal["add_remove", "replace_one"]
# What happens to the one unit in which neighbours differ, in the passive and in the active voice.
RELATIONS = {"add_remove": "added or removed", "replace_one": "replaced by another"}
CHANGES = {"add_remove": "adding or removing one {}", "replace_one": "replacing one {} by another"}
NO_LIMIT = Guarantee(math.inf, 1e-6)
FIELDS = ("unit", "relation", "population", "adaptive")  # of a plan, beside its budget
BUDGET = ("budget_epsilon", "budget_delta")
COLUMNS = ("unit", "relation", "population", *BUDGET, "adaptive")  # of a table, which repeats them in every row
NUMBERS = ("population", *BUDGET)
_CHECKS = {
    "unit": partial(checked_text, "unit"),
    "relation": partial(checked_choice, allowed=tuple(RELATIONS), name="relation"),
    "population": POPULATION.check,
    "budget_epsilon": partial(EPSILON.check, name="budget_epsilon"),
    "budget_delta": partial(DELTA.check, name="budget_delta"),
}


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
    """Return the arguments of a plan that states this much, as `Plan.stated` gives it.

    Examples
    --------
    >>> arguments({"unit": "user-day", "budget_epsilon": 4.0})
    {'unit': 'user-day', 'budget': Guarantee(epsilon=4.0, delta=1e-06)}
    """
    epsilon, delta = (found.get(column) for column in BUDGET)
    pair = (NO_LIMIT.epsilon if epsilon is None else epsilon, NO_LIMIT.delta if delta is None else delta)
    fields = {name: found[name] for name in FIELDS if name in found}
    return fields | {"budget": Guarantee(*pair)}
