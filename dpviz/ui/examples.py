"""The plans that a newcomer can open: what they are, and which other one they are to be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpviz.plan import Plan

FOLDER = Path(__file__).resolve().parents[2] / "examples"
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
    key, label, about : str
        File name without extension, name in the list, origin in one sentence.
    contrast : Contrast, optional
        What it should be compared with.
    """

    key: str
    label: str
    about: str
    contrast: Contrast | None = None


EXAMPLES = (
    Example(
        "mobility",
        "Mobility reports, one day",
        "Google's COVID-19 Community Mobility Reports (arXiv 2004.04145): what one day of reports publishes.",
        Contrast(
            "mobility-30-days",
            "A user-month is touched by the reports of all 30 days, a user-day by those of its own day only.",
        ),
    ),
    Example(
        "mobility-30-days",
        "Mobility reports, 30 days",
        "The same reports for 30 days, and the promise made to a person for the whole month.",
        Contrast(
            "mobility",
            "For the unit user-day the 30 days are disjoint: each user-day is touched by one day's reports only, so "
            "the total stays that of one day. A user-month is touched by all 30, and they add up.",
        ),
    ),
    Example("lecture-11", "500 counting queries", "The numeric example of Lecture 11: 500 releases at ε = 0.001."),
    Example("sherpa-notebook", "Three mixed queries", "The mechanisms of the Sherpa notebook: two Laplace, one Gaussian."),
)
BY_KEY = {example.key: example for example in EXAMPLES}


def label(key: str) -> str:
    """Return the name of an example in the list of plans."""
    return BY_KEY[key].label if key in BY_KEY else "My own plan"


@cache
def plan_of(key: str) -> Plan:
    """Return the plan of an example; an empty one for the visitor's own."""
    return Plan.read(FOLDER / f"{key}.json") if key in BY_KEY else Plan(())
