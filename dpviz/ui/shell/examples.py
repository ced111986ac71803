"""The plans that a newcomer can open."""

from __future__ import annotations

from functools import cache

from dpviz.plan import Plan
from dpviz.plan.document import OWN as UNNAMED
from dpviz.plan.examples import EXAMPLES, FOLDER

OWN = "own"
BY_KEY = {example.key: example for example in EXAMPLES}
OPENED_FIRST = "statistics-office"  # by who has none of their own
FIRST = "mobility"  # where an address names an example that there is not


@cache
def plan_of(key: str) -> Plan:
    """Return the plan of an example; an empty one for the visitor's own."""
    return Plan.read(FOLDER / f"{key}.json") if key in BY_KEY else Plan(())


def title(name: str) -> str:
    """Return what a document of this name is called: an example by its label.

    Examples
    --------
    >>> title("lecture-11"), title("My plan")
    ('The lecture', 'My plan')
    """
    return BY_KEY[name].label if name in BY_KEY else name


def name_of(plan: Plan) -> str:
    """Return the key of the example that a plan is, else the name of a plan that nobody has named."""
    return next((key for key in BY_KEY if plan_of(key) == plan), UNNAMED)


def own_name(unit: str) -> str:
    """Return what a plan that somebody begins is called, until they name it, by whom it protects.

    Examples
    --------
    >>> own_name("person-year")
    'Plan of one person-year'
    """
    return f"Plan of one {unit}"


def of_unit(name: str, old: str, new: str) -> str:
    """Return the name of a plan whose unit is another one, by which it is called where nobody named it.

    Examples
    --------
    >>> of_unit("Plan of one user", "user", "person"), of_unit("Visits", "user", "person")
    ('Plan of one person', 'Visits')
    """
    return own_name(new) if name == own_name(old) else name


def given(name: str, unit: str) -> str:
    """Return the name that somebody gave a plan about this unit, "" where nobody did, or it is called by its unit.

    Examples
    --------
    >>> given("Visits 2028", "person-year"), given("Plan of one person-year", "person-year"), given(UNNAMED, "person")
    ('Visits 2028', '', '')
    """
    return "" if name in (UNNAMED, own_name(unit)) else name
