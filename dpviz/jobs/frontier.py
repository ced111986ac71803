"""The plans that nothing beats: the frontier of error against ε, in memory and as a CSV file."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np

from dpviz.plan import Plan
from dpviz.plan.files import file, permalink

if TYPE_CHECKING:
    import pandas

FIRST = ("number", "epsilon", "delta", "error", "measure", "uses", "theorem")
TOKEN = "plan"
_TYPES = {"number": int, "epsilon": float, "delta": float, "error": float, "uses": int, TOKEN: str}
MOST_READ = 20_000  # plans of a file that is opened
MEASURES = {
    "largest": "largest error of a release, 95 % of uses within ±, over its typical value",
    "variance": "sum of weight · uses · variance of the noise, of a trained model its noise multiplier squared",
}


def unbeaten(epsilon: np.ndarray, error: np.ndarray, uses: np.ndarray, slack: float = 0.0) -> np.ndarray:
    """Return the places of the plans that no other one beats, in ascending order.

    Parameters
    ----------
    epsilon, error : ndarray of float, shape (plans,)
        What a plan costs and how far off it is; a plan without a finite ε is never kept.
    uses : ndarray of int, shape (plans,)
        How many numbers it publishes in all.
    slack : float
        Share by which the other's ε must be smaller, at least 0; with more, more plans are kept.

    Notes
    -----
    A plan beats another that it is no worse than in all three, and better in one. Of plans that are equal in all three
    the first is kept. What is kept of several sets together is what is kept of what each keeps.

    Examples
    --------
    >>> ones = np.ones(4, dtype=int)
    >>> unbeaten(np.array([1.0, 2.0, 2.0, 3.0]), np.array([9.0, 4.0, 4.0, 5.0]), ones).tolist()
    [0, 1]
    """
    order = np.lexsort((np.arange(len(uses)), error, epsilon, -uses))
    order = order[np.isfinite(epsilon[order])]
    kept, costs, errors = [], np.empty(0), np.empty(0)  # the staircase of what publishes at least as much
    for level in _levels(uses[order]):
        rows = order[level]
        candidates = rows if slack else rows[_steps(epsilon[rows], error[rows])]
        every, wrong = _staircase(np.append(costs, epsilon[rows]), np.append(errors, error[rows]))
        if slack:
            free = ~_beaten(np.nextafter(epsilon[candidates] / (1 + slack), -np.inf), error[candidates], every, wrong)
        else:
            free = ~_beaten(epsilon[candidates], error[candidates], costs, errors)
        kept.append(candidates[free])
        costs, errors = every, wrong
    return np.sort(np.concatenate([*kept, np.empty(0, dtype=np.int64)]).astype(np.int64))


def _levels(uses: np.ndarray) -> list[slice]:
    """The stretches of equal uses."""
    ends = np.flatnonzero(np.diff(uses)) + 1
    return [slice(*each) for each in zip([0, *ends.tolist()], [*ends.tolist(), len(uses)], strict=True) if len(uses)]


def _steps(epsilon: np.ndarray, error: np.ndarray) -> np.ndarray:
    """The places, in order of ε and then of error, at which the error falls below all before."""
    before = np.minimum.accumulate(np.append(np.inf, error))[:-1]
    return np.flatnonzero(error < before)


def _staircase(epsilon: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.lexsort((error, epsilon))
    epsilon, error = epsilon[order], error[order]
    steps = _steps(epsilon, error)
    return epsilon[steps], error[steps]


def _beaten(epsilon: np.ndarray, error: np.ndarray, costs: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Whether a step of the staircase costs no more and errs no more."""
    place = np.searchsorted(costs, epsilon, "right") - 1
    return (place >= 0) & (np.append(errors, np.inf)[place] <= error)


@dataclass(frozen=True)
class Frontier:
    """The plans that nothing beats.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per plan, in order of ε: number (its combination in the grid, from 0), epsilon (nats, the smallest
        proved total, rounded up), delta (the whole δ of every total), error, measure (a key of ``MEASURES``), uses (how
        many numbers it publishes in all), theorem (the key of what proves ε), one column per axis of the grid, named
        after its release and quantity, and plan (its token, see `dpviz.plan.files.permalink`; "" where too large).
    """

    frame: pandas.DataFrame

    @classmethod
    def read(cls, path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> Frontier:
        """Read what `to_csv` wrote, of at most 5 MB.

        Raises
        ------
        ValueError
            When it is no such file.
        """
        import pandas as pd

        text, _ = file.contents(path_or_file)
        if not is_frontier(text):
            raise ValueError(f"frontier must be a CSV file whose first columns are {', '.join(FIRST)}")
        try:
            frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
            frame = frame.assign(**{name: frame[name].map(kind).astype(kind) for name, kind in _TYPES.items()})
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            reason = str(error).partition("\n")[0][:100]
            raise ValueError(f"frontier must be a CSV file as a sweep writes it ({reason})") from None
        numbers = frame[["epsilon", "delta", "error"]].to_numpy()
        if not np.isfinite(numbers).all() or (numbers < 0).any() or not frame.measure.isin(tuple(MEASURES)).all():
            raise ValueError("frontier must hold finite numbers of at least 0 and a known measure of error")
        if not 1 <= len(frame) <= MOST_READ:
            raise ValueError(f"frontier must hold 1 to {MOST_READ:,} plans; got {len(frame):,}")
        return cls(frame)

    @property
    def axes(self) -> list[str]:
        """The columns of the axes of the grid."""
        return [each for each in self.frame.columns if each not in (*FIRST, TOKEN)]

    def plan(self, place: int) -> Plan:
        """Return the plan of one row, from 0.

        Raises
        ------
        ValueError
            When its token is damaged, or it was too large for one.
        """
        if not self.frame[TOKEN].iloc[place]:
            raise ValueError("plan must be small enough for a link; this one stands in the file by its values alone")
        return permalink.opened(self.frame[TOKEN].iloc[place])

    def to_csv(self) -> str:
        """Return the frontier as CSV text."""
        return self.frame.to_csv(index=False, lineterminator="\n")


def is_frontier(text: str) -> bool:
    """Say whether a text is a file of a frontier, by its first columns.

    Examples
    --------
    >>> is_frontier("number,epsilon,delta,error,measure,uses,theorem,plan"), is_frontier("name,mechanism,epsilon")
    (True, False)
    """
    return text.removeprefix("\ufeff").startswith(",".join(FIRST) + ",")
