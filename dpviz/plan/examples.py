"""The plans that travel with dpviz, for newcomers: which there are, and their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dpviz.places import ROOT

FOLDER = ROOT / "examples"
GRIDS = "grids"


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

    @property
    def files(self) -> tuple[Path, ...]:
        """Where its files lie: the plan as JSON and, where there are, as CSV, and a grid for a sweep of it."""
        places = (FOLDER / f"{self.key}.json", FOLDER / f"{self.key}.csv", FOLDER / GRIDS / f"{self.key}.json")
        return tuple(path for path in places if path.is_file())



EXAMPLES = (
    Example(
        "statistics-office",
        "A statistics office's year",
        "Of our own making: six statistics of 2026 about the 480,000 people of a region.",
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
        "Persons of the United States, as published in 2022: ten tables at each of eight levels, ρ = 3.65 for all.",
    ),
    Example("lecture-11", "The lecture", "The numeric example of Lecture 11: 500 releases at ε = 0.001."),
    Example("sherpa-notebook", "The notebook", "The mechanisms of the Sherpa notebook: two Laplace, one Gaussian."),
)
