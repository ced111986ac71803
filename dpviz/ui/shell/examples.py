"""The plans that a newcomer can open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from dpviz.places import ROOT
from dpviz.plan import Plan
from dpviz.plan.document import OWN as UNNAMED

FOLDER = ROOT / "examples"
OWN = "own"


@dataclass(frozen=True, slots=True)
class Example:
    """A plan in ``examples/``.

    Parameters
    ----------
    key, label, about : str
        File name without extension, which is also its name in the URL; what it is called; origin in one sentence.
    """

    key: str
    label: str
    about: str


EXAMPLES = (
    Example(
        "statistics-office",
        "A statistics office's year",
        "Of our own making: six releases of 2026 about the 480,000 people of a region.",
    ),
    Example(
        "mobility",
        "The mobility reports, one day",
        "Google's COVID-19 Community Mobility Reports (arXiv 2004.04145): what one day of reports publishes.",
    ),
    Example(
        "mobility-30-days",
        "The mobility reports, 30 days",
        "The same reports for 30 days, and the promise made to a person for the whole month.",
    ),
    Example(
        "weekly-dashboard",
        "A weekly dashboard",
        "A dashboard of our own making: three weekly figures and a monthly one for a year, about 40,000 people.",
    ),
    Example(
        "federated-learning",
        "Federated learning",
        "Of our own making: 1,000 rounds, each on one in a hundred of 100,000 users at random.",
    ),
    Example(
        "census-2020-redistricting",
        "The 2020 Census, redistricting",
        "Persons of the United States, as published in 2022: ten tables at each of eight levels share ρ = 3.65.",
    ),
    Example("lecture-11", "The lecture", "The numeric example of Lecture 11: 500 releases at ε = 0.001."),
    Example("sherpa-notebook", "The notebook", "The mechanisms of the Sherpa notebook: two Laplace, one Gaussian."),
)
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
