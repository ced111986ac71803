"""The history of an accountant of Opacus: a list of (σ, q, steps)."""

from __future__ import annotations

from dpviz.mechanisms import Gaussian, Subsampled
from dpviz.parameters import COUNT, RATE, SIGMA, shown
from dpviz.plan.files.foreign.opened import MOST_RELEASES, Opened, refused
from dpviz.plan.plan import Plan
from dpviz.plan.release import Release

FORM = "a history of Opacus"


def is_history(value: object) -> bool:
    """Say whether a value is a list of three numbers each, or holds one under "history".

    Examples
    --------
    >>> is_history([[1.5, 0.04, 2250]]), is_history({"history": [[1.5, 0.04, 2250]], "mechanism": "rdp"})
    (True, True)
    """
    rows = value.get("history") if isinstance(value, dict) else value
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, list) and len(row) == 3 for row in rows)


def opened_history(value: object) -> Opened:
    """Return the plan of a history: noisy sums of clipped gradients, each on a Poisson sample.

    Raises
    ------
    PlanFileError
        When a number is not allowed.

    Notes
    -----
    Relation add_remove, as Opacus accounts. A history does not tell whether its batches were drawn as Poisson samples;
    Opacus draws them so unless it is told otherwise.

    Examples
    --------
    >>> opened_history([[1.5, 0.04, 2250]]).plan.releases[0].uses
    2250
    """
    rows = value.get("history") if isinstance(value, dict) else value
    if len(rows) > MOST_RELEASES:
        raise refused("text", f"{len(rows):,} rows", f"must be at most {MOST_RELEASES:,} rows of a history")
    releases = []
    for number, (sigma, rate, steps) in enumerate(rows, 1):
        try:
            noise, share = Gaussian(SIGMA.check(sigma, "σ"), 1.0), RATE.check(rate, "q")
            mechanism = noise if share == 1 else Subsampled(noise, share, "poisson")
            releases.append(Release(f"Steps {number}", mechanism, COUNT.check(steps, "steps")))
        except ValueError as error:
            raise refused("text", shown(rows[number - 1]), f"in row {number}, {error}") from None
    plan = Plan(tuple(releases), unit="training example", relation="add_remove")
    return Opened(plan, FORM, left_open=("sampling",) if any(each.mechanism.sampled for each in releases) else ())
