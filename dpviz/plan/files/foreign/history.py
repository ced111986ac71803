"""The history of an accountant of Opacus: a list of (σ, q, steps)."""

from __future__ import annotations

from dpviz.mechanisms import Gaussian, Subsampled
from dpviz.parameters import COUNT, RATE, SIGMA, shown
from dpviz.plan.files.foreign.opened import MOST_RELEASES, Opened, refused
from dpviz.plan.plan import Plan
from dpviz.plan.release import Release

FORM = "a history of Opacus"
_ACCOUNTANTS = ("rdp", "gdp", "prv")  # of Gaussian noise, all of them: opacus.accountants.registry, 1.5


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
    told = _not_understood(value) if isinstance(value, dict) else ()
    left_open = ("sampling",) if any(each.mechanism.sampled for each in releases) else ()
    return Opened(FORM, told, bool(told), left_open=left_open, plan=plan)


def _not_understood(state: dict[str, object]) -> tuple[str, ...]:
    """What an accountant's state holds beside its history; how it accounts says nothing of what was released."""
    known = state.get("mechanism") in _ACCOUNTANTS
    others = [name for name in state if name != "history" and not (known and name == "mechanism")]
    told = "“{:.40}” beside the history is not taken over, and may say that more was released."
    return tuple(map(told.format, others))
