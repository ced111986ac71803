"""What an audit measured: one score per run or canary, and whether the unit was in; from a CSV, or simulated."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

import numpy as np

from dpviz.adversary import mechanism_list, run_experiment
from dpviz.parameters import Parameter, checked, shown
from dpviz.plan import Plan

SCORES = Parameter("scores", "", "measured scores", 2, 200_000, integer=True)
DRAWN = Parameter("runs times releases", "", "outputs that are drawn", 1, 10_000_000, integer=True)
COLUMNS = ("score", "member")
_LONGEST = 10_000_000  # characters
_MEMBER = {"1": True, "true": True, "yes": True, "in": True, "0": False, "false": False, "no": False, "out": False}


@dataclass(frozen=True, eq=False)
class Scores:
    r"""One score per run, or per canary of one run, and whether the unit was in.

    Parameters
    ----------
    score : array of float, shape (scores,)
        The larger, the more it speaks for the unit being in; infinite ones are allowed, NaN is not.
    member : array of bool, shape (scores,)

    Raises
    ------
    ValueError
        When the shapes differ, a score is no number, or there is not at least one of each kind.

    Examples
    --------
    >>> scores = Scores.from_csv("score,member\n0.3,1\n-1.2,0\n")
    >>> scores.members, scores.others
    (1, 1)
    """

    score: np.ndarray
    member: np.ndarray

    def __post_init__(self) -> None:
        score, member = np.asarray(self.score, dtype=float), np.asarray(self.member)
        if score.ndim != 1 or score.shape != member.shape or member.dtype != bool:
            raise ValueError("score and member must be two arrays of one length, of numbers and of True or False")
        SCORES.check(score.size)
        if np.isnan(score).any():
            raise ValueError(f"score must be a number; got nan at place {int(np.isnan(score).argmax())}")
        if not 0 < member.sum() < member.size:
            which = "with" if not member.any() else "without"
            raise ValueError(f"member must name both kinds of rows; got none {which} the unit")
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "member", member)

    @property
    def members(self) -> int:
        """How many had the unit in."""
        return int(self.member.sum())

    @property
    def others(self) -> int:
        """How many had it out."""
        return self.member.size - self.members

    @classmethod
    def from_csv(cls, text: str) -> Scores:
        r"""Read scores from CSV text with the columns score and member, in any order, among others.

        Parameters
        ----------
        text : str
            A line for each row: member is 1, true, yes or in for a run with the unit, else 0, false, no or out.

        Raises
        ------
        ValueError
            With the first line that cannot be read.

        Examples
        --------
        >>> Scores.from_csv("score,member\n0.3,perhaps\n")
        Traceback (most recent call last):
            ...
        ValueError: member must be 1 or 0, true or false, yes or no, in or out; got 'perhaps' in line 2
        """
        if len(checked(text, str, "text", "text")) > _LONGEST:
            raise ValueError(f"text must be at most {_LONGEST:,} characters; got {len(text):,}")
        text = text.removeprefix("\ufeff").strip()
        first = text.partition("\n")[0]
        parted = next((sign for sign in ("\t", ";") if sign in first), ",")
        try:
            rows = list(csv.reader(io.StringIO(text), delimiter=parted))
        except csv.Error as error:
            raise ValueError(f"text must be CSV; got {shown(first)} ({error})") from None
        header = [name.strip().lower() for name in rows[0]] if rows else []
        if missing := [name for name in COLUMNS if name not in header]:
            raise ValueError(f"the first line must name the columns score and member; got no {missing[0]} in it")
        score, member = (header.index(name) for name in COLUMNS)
        read = [_row(row, score, member, line) for line, row in enumerate(rows[1:], 2) if any(row)]
        return cls(np.array([each for each, _ in read]), np.array([each for _, each in read], dtype=bool))

    def to_csv(self) -> str:
        r"""Return the scores as CSV text; `from_csv` gives them back.

        Examples
        --------
        >>> import numpy as np
        >>> Scores([0.5, -1.0], np.array([True, False])).to_csv()
        'score,member\n0.5,1\n-1.0,0\n'
        """
        rows = zip(self.score.tolist(), self.member.tolist(), strict=True)
        return "\n".join([",".join(COLUMNS), *(f"{score!r},{member:d}" for score, member in rows), ""])


def _row(row: list[str], score: int, member: int, line: int) -> tuple[float, bool]:
    cells = [row[place].strip() if place < len(row) else "" for place in (score, member)]
    said = _MEMBER.get(cells[1].lower())
    if said is None:
        allowed = "1 or 0, true or false, yes or no, in or out"
        raise ValueError(f"member must be {allowed}; got {shown(cells[1])} in line {line}")
    try:
        value = float(cells[0])
    except ValueError:
        value = math.nan
    if math.isnan(value) or "_" in cells[0]:
        raise ValueError(f"score must be a number; got {shown(cells[0])} in line {line}")
    return value, said


def simulated_scores(plan: Plan, runs: int, rng: np.random.Generator) -> Scores:
    """Return the scores of the best attack on a plan's own mechanisms: half of the runs with the unit, half without.

    Parameters
    ----------
    plan : Plan
        All its releases are made in every run, for a unit that moves every answer by its sensitivity; of disjoint
        parts, those of the first.
    runs : int
        An even number of runs, at least 2; times releases at most 10^7.
    rng : numpy.random.Generator

    Returns
    -------
    Scores
        Log-likelihood ratios, in nats; shape (runs,).

    Raises
    ------
    ValueError
        When outputs cannot be drawn, or there are too many.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> import numpy as np
    >>> simulated_scores(Plan([Release("a", Laplace.from_epsilon(1.0))]), 10, np.random.default_rng(1)).members
    5
    """
    half = SCORES.check(runs, "runs") // 2
    part = next((each.part for each in plan.releases if each.part is not None), None)
    mechanisms = mechanism_list(plan, part)
    DRAWN.check(2 * half * len(mechanisms))
    views = run_experiment(mechanisms, None, trials=half, rng=rng)
    out, member = views.log_ratios
    return Scores(np.concatenate([member, out]), np.arange(2 * half) < half)
