"""The plans that a newcomer can open: what they are, and which other one they are to be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpviz.plan import Plan
from dpviz.plan.document import OWN as UNNAMED

FOLDER = Path(__file__).resolve().parents[3] / "examples"
OWN = "own"


@dataclass(frozen=True, slots=True)
class Contrast:
    """The same releases for another unit of privacy.

    Parameters
    ----------
    example : str
        Key of the example to compare with.
    why : str
        Why its total differs, in one or two sentences.
    """

    example: str
    why: str


@dataclass(frozen=True, slots=True)
class Example:
    """A plan in ``examples/``.

    Parameters
    ----------
    key, about : str
        File name without extension, which is also its name in the list and in the URL; origin in one sentence.
    contrast : Contrast, optional
        What it should be compared with.
    """

    key: str
    about: str
    contrast: Contrast | None = None


@dataclass(frozen=True, slots=True)
class Guided:
    """An example that a first visit is led to.

    Parameters
    ----------
    label : str
        As the visitor reads it.
    example, page : str
        Key of the example, name of the page that shows it best.
    question : str
        What to look for there.
    view : tuple of (str, str)
        What the page's inputs are set to, by their name in the address.
    """

    label: str
    example: str
    page: str
    question: str
    view: tuple[tuple[str, str], ...] = ()


EXAMPLES = (
    Example(
        "mobility",
        "Google's COVID-19 Community Mobility Reports (arXiv 2004.04145): what one day of reports publishes.",
        Contrast(
            "mobility-30-days",
            "A user-month is touched by the reports of all 30 days, a user-day by those of its own day only.",
        ),
    ),
    Example(
        "mobility-30-days",
        "The same reports for 30 days, and the promise made to a person for the whole month.",
        Contrast(
            "mobility",
            "For the unit user-day the 30 days are disjoint: each user-day is touched by one day's reports only, so "
            "the total stays that of one day. A user-month is touched by all 30, and they add up.",
        ),
    ),
    Example(
        "statistics-office",
        "A statistics office's year, of our own making: six releases of 2026 about the 480,000 people of a region.",
    ),
    Example(
        "weekly-dashboard",
        "A dashboard of our own making: three weekly figures and a monthly one for a year, about 40,000 people.",
    ),
    Example(
        "federated-learning",
        "Federated learning, of our own making: 1,000 rounds, each on one in a hundred of 100,000 users at random.",
    ),
    Example("lecture-11", "The numeric example of Lecture 11: 500 releases at ε = 0.001."),
    Example("sherpa-notebook", "The mechanisms of the Sherpa notebook: two Laplace, one Gaussian."),
)
GUIDED = (
    Guided("a weekly dashboard", "weekly-dashboard", "forecast", "When is the budget of a year spent?"),
    Guided("federated learning round", "federated-learning", "budget", "How large must the noise of a round be?"),
    Guided(
        "the lecture",
        "lecture-11",
        "composition",
        "Which theorem proves the lecture's total of 0.1?",
        (("eps1", "0.001"), ("kmax", "500"), ("deltak", "1e-06"), ("goal", "0.1"), ("axes", "linear")),
    ),
)
BY_KEY = {example.key: example for example in EXAMPLES}
FIRST = EXAMPLES[0].key


@cache
def plan_of(key: str) -> Plan:
    """Return the plan of an example; an empty one for the visitor's own."""
    return Plan.read(FOLDER / f"{key}.json") if key in BY_KEY else Plan(())


def name_of(plan: Plan) -> str:
    """Return the key of the example that a plan is, else the name of a plan that nobody has named."""
    return next((key for key in BY_KEY if plan_of(key) == plan), UNNAMED)
