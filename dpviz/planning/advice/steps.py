"""One step of a lever: the same release with a little more or less noise, count or sampling rate."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpviz.decimals import rounded_down, rounded_up, typed
from dpviz.mechanisms import Mechanism
from dpviz.rounding import shown_count, shown_up

LEFT_OUT = "left out"  # what is used once, and then not at all


@dataclass(frozen=True, slots=True)
class Step:
    """A lever of a release, moved to either side.

    Parameters
    ----------
    lever : {"noise", "count", "rate"}
    less, more : tuple of (Mechanism, int)
        Mechanism and uses after the cheaper and after the dearer step.
    what, opposite : str
        The cheaper and the dearer step in words.
    """

    lever: str
    less: tuple[Mechanism, int]
    more: tuple[Mechanism, int]
    what: str
    opposite: str


def steps(mechanism: Mechanism, uses: int, change: float) -> tuple[Step, ...]:
    """Return the levers that a release has, each moved by `change` to either side.

    Parameters
    ----------
    mechanism : Mechanism
    uses : int
        How often it is used in all, at least 1.
    change : float
        Relative step, in (0, 1). A count moves by at least 1, and not below 1 unless it is 1: then it is left out.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> [step.what for step in steps(Laplace(10), 30, 0.1)]
    ['noise 10 % larger', '27 instead of 30 times']
    """
    found = (_noise(mechanism, uses, change), _count(mechanism, uses, change), _rate(mechanism, uses, change))
    return tuple(step for step in found if step is not None)


def _noise(mechanism: Mechanism, uses: int, change: float) -> Step | None:
    try:
        less, more = (mechanism.scaled(1 + sign * typed(change)) for sign in (1, -1))
    except ValueError:  # beyond the largest or smallest number that a mechanism takes
        return None
    if less is None or more is None or less == mechanism:
        return None
    if mechanism.base.noise is not None or mechanism.base.stated is None:  # of a trained model, on its gradients
        percent = f"{float(100 * typed(change)):.6g} %"
        words = f"noise {percent} larger", f"noise {percent} smaller"
    else:
        now = shown_up(mechanism.base.stated.epsilon)
        cheap, dear = (each.base.stated.epsilon for each in (less, more))
        words = f"its ε {shown_up(cheap)} instead of {now}", f"its ε {shown_up(dear)} instead of {now}"
    return Step("noise", (less, uses), (more, uses), *words)


def _count(mechanism: Mechanism, uses: int, change: float) -> Step:
    by = max(1, round(typed(change) * uses))
    fewer = max(uses - by, 1) if uses > 1 else 0
    what = f"{_times(fewer)} instead of {_times(uses)}" if fewer else LEFT_OUT
    if fewer > 1:  # "27 instead of 30 times" says it once
        what = f"{shown_count(fewer)} instead of {_times(uses)}"
    opposite = (
        f"{_times(uses + by)} instead of once" if uses == 1 else f"{shown_count(uses + by)} instead of {_times(uses)}"
    )
    return Step("count", (mechanism, fewer), (mechanism, uses + by), what, opposite)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{shown_count(count)} times"


def _rate(mechanism: Mechanism, uses: int, change: float) -> Step | None:
    if not mechanism.sampled or mechanism.rate == 0:
        return None
    rate, share = typed(mechanism.rate), typed(change)
    low, high = rounded_down(rate * (1 - share)), min(rounded_up(rate * (1 + share)), 1.0)
    less, more = (replace(mechanism, rate=each) for each in (low, high))
    what, opposite = (f"sampling rate {each:.6g} instead of {mechanism.rate:.6g}" for each in (low, high))
    return Step("rate", (less, uses), (more, uses), what, opposite if high > mechanism.rate else "everybody is sampled")
