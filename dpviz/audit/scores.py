"""What an audit measured: one score per run or canary, and whether the unit was in; from a CSV, or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpviz.adversary import mechanism_list, run_experiment
from dpviz.decimals import number
from dpviz.parameters import Parameter, checked, shown
from dpviz.plan import Plan
from dpviz.plan.files.table import Reader, Table, number_reader, read_table
from dpviz.plan.problems import PlanFileError

SCORES = Parameter("scores", "", "measured scores", 2, 200_000, integer=True)
DRAWN = Parameter("runs times releases", "", "outputs that are drawn", 1, 10_000_000, integer=True)
COLUMNS = ("score", "member")
_LONGEST = 10_000_000  # characters
_PLACES = {"column": "a cell beyond the columns", "header": "the header", "row": "a row"}
_INFINITE = {f"{sign}{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in ("inf", "infinity")}
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
            A line for each row: member is 1, true, yes or in for a run with the unit, else 0, false, no or out. Between
            commas, semicolons or tabs; between semicolons scores may have a decimal comma.

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
        table = _table(checked(text, str, "text", "text"))
        read = _reader(table)
        found = [_row(cells, line, read) for line, cells in table.rows]
        return cls(np.array([each for each, _ in found]), np.array([each for _, each in found], dtype=bool))

    @classmethod
    def of_guesses(cls, right: int, guesses: int, canaries: int | None = None) -> Scores:
        """Return scores of which so many guesses are right: 1 or -1 where a guess is made, 0 elsewhere.

        Parameters
        ----------
        right, guesses : int
            How many guesses are right, of how many, made about the canaries with the largest and the smallest scores.
        canaries : int, optional
            How many there are in all; as many as guesses where nothing is said.

        Raises
        ------
        ValueError
            When more are right than guessed, or more guessed than there are, or when all canaries would be of a kind.

        Examples
        --------
        >>> import numpy as np
        >>> from dpviz.audit import read_audit
        >>> scores = Scores.of_guesses(620, 1000)
        >>> reading = read_audit(scores, 1e-6, 0.95, "one_run", "beforehand", 1000, np.random.default_rng(1))
        >>> reading.right, round(reading.epsilon, 3)
        (620, 0.381)
        """
        guesses = SCORES.check(guesses, "guesses")
        canaries = guesses if canaries is None else SCORES.check(canaries, "canaries")
        right = Parameter("right", "", "right guesses", 0, guesses, integer=True).check(right)
        if canaries < guesses:
            raise ValueError(f"canaries must be at least the {guesses} guesses; got {canaries}")
        low, rest = guesses // 2, canaries - guesses
        high = guesses - low
        right_high = -(-right * high // guesses)
        right_low = right - right_high
        kinds = (right_high, high - right_high, rest // 2, rest - rest // 2, low - right_low, right_low)
        score = np.repeat([1.0, 0.0, -1.0], [high, rest, low])
        return cls(score, np.repeat([True, False] * 3, kinds))

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


def _table(text: str) -> Table:
    """The table of a text whose header names each column of a score once; what it cannot hold is refused."""
    if len(text) > _LONGEST:
        raise ValueError(f"text must be at most {_LONGEST:,} characters; got {len(text):,}")
    if (lines := text.count("\n") + text.count("\r")) > 2 * SCORES.high + 2:  # before any is taken apart
        SCORES.check(lines)
    try:
        table = read_table(text, lambda name: name if name in COLUMNS else "") if text.strip("\ufeff \t\r\n") else None
    except PlanFileError as error:
        problem = error.problems[0]
        got = f"; got {shown(problem.value)}" if problem.value else ""
        raise ValueError(f"{_PLACES[problem.column]} {problem.allowed}{got} in line {problem.line}") from None
    if missing := [name for name in COLUMNS if table is None or name not in table.columns]:
        raise ValueError(f"the first line must name the columns score and member: {missing[0]} is missing")
    return table


def _reader(table: Table) -> Reader:
    """What reads the scores: between commas a point is a decimal one, and else as in every other table."""
    if table.separator == ",":
        return number
    return number_reader(table.separator, (cells["score"] for _, cells in table.rows if "score" in cells))


def _row(cells: Mapping[str, str], line: int, read: Reader) -> tuple[float, bool]:
    score, said = cells.get("score", ""), cells.get("member", "")
    member = _MEMBER.get(said.lower())
    if member is None:
        allowed = "1 or 0, true or false, yes or no, in or out"
        raise ValueError(f"member must be {allowed}; got {shown(said)} in line {line}")
    plain = score.lower()
    value = _INFINITE.get(plain)
    value = read(plain) if value is None else value
    if value is None:
        raise ValueError(f"score must be a number; got {shown(score)} in line {line}")
    return float(value), member


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
