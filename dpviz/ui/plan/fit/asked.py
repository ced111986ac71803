"""What the panel “Fit to budget” asks: what to solve, and under which conditions."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.plan import Plan
from dpviz.planning.advice.finding import named
from dpviz.planning.budgeting import SPLITS, Goal
from dpviz.planning.budgeting.solve import split_named
from dpviz.planning.error_measure import in_unit_of
from dpviz.ui.shell import inputs, page_state, reading, row_choice, shell, typed
from dpviz.ui.shell.document import edits, promise_fields, session
from dpviz.ui.shell.words import escaped

SOLVE = ("noise for the budget", "how many more releases or epochs", "budget for an accuracy", "noise for a risk")
NOISE, MORE, ACCURACY, RISK = SOLVE
RISKS = ("right guesses of 100", "errors of an attacker")
KEYS = (
    "solve", "riskof", "right", "wrong", "missed", "split", "like", "accurate", "within", "sure", "atonce", "keep",
    "single",
)  # fmt: skip
SPLIT_KEYS = tuple(split.key for split in SPLITS)
LARGEST_WIDTH = 1e12
USUAL_SPLIT = "proportional"
USUAL_WIDTH = 20.0
USUAL_RIGHT = 60.0  # of 100 guesses; 50 is a coin
USUAL_ERRORS = (1.0, 90.0)  # percent: accuses wrongly, and misses then
LIMIT = "For another limit, change it in the first line of the plan, above: all figures here follow."
APPLIED = "Changed: {}. “Undo” takes it back."
SINGLE = "Then Gaussian noise may become Laplace noise: for one number, its sensitivity is the same in L1 and L2."


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a plan.

    Parameters
    ----------
    solve : str
        One of `SOLVE`.
    split : str
        Key of the split.
    kept : tuple of int
        Rows (from 0) whose noise stays as it is, those that are done among them.
    confidence : float
        How often a number lies within its ±w.
    jointly : bool
        Whether all numbers are to lie inside at once.
    width : float
        The ±w that is wanted.
    row : int
        The release (from 0) of which more are wanted, or whose accuracy, with that of all in its unit of the answer.
    single : bool
        Whether every release is a single number, so that Gaussian noise may become Laplace noise.
    goal : Goal, optional
        The risk that the noise is to keep, where that is asked.
    """

    solve: str
    split: str
    kept: tuple[int, ...]
    confidence: float
    jointly: bool
    width: float
    row: int
    single: bool = False
    goal: Goal | None = None


def solved_for(plan: Plan) -> tuple[str, int, tuple[int, ...]]:
    """Draw what is solved for, of which release and beside which, above the answer, which so stays in sight.

    Returned are the choice, that release, and those whose noise stays, where noise is solved for.
    """
    left, right = st.columns([2, 1], gap="medium")
    with left:
        solve = st.radio("Solve for", SOLVE, key="solve", bind="query-params", horizontal=True)
    with right:
        if solve == MORE:
            return solve, row_choice.one("Of which release", row_choice.names(plan), "like"), ()
        if solve == ACCURACY:
            return solve, row_choice.one("Accuracy of", row_choice.names(plan), "accurate", _noisy(plan)), ()
        return solve, 0, _kept(plan)


def question(plan: Plan, solve: str, row: int, kept: tuple[int, ...]) -> Question:
    """Draw what is asked further of what is solved for, at the place where this is called."""
    first, second, third = st.columns(3, gap="medium")
    split, width = USUAL_SPLIT, USUAL_WIDTH
    with first:
        goal = _goal() if solve == RISK else None
        if solve in (NOISE, RISK):
            about = "How noise is shared out among the releases."
            about += "" if reading.people() else " “Why” tells how each split works."
            split = inputs.choice(
                "Split the budget", "split", SPLIT_KEYS, about, format_func=lambda key: split_named(key).label
            )
        if solve == ACCURACY:
            width = _width(plan, row)
    with first if solve == MORE else second:
        about = "Of 100 numbers published this way, so many lie within their error."
        confidence = inputs.number("Numbers within, %", "sure", (1.0, 99.9999), 95.0, about) / 100
    jointly, single = False, False
    with third:
        if solve == ACCURACY:
            kept = _kept(plan)
        if solve == MORE:
            kept = tuple(row for row, each in enumerate(plan.releases) if each.done)
        else:
            about = "On: all numbers lie within their error at once this often. Off: each on its own does."
            jointly = inputs.toggle("All numbers at once", "atonce", about)
        if solve == ACCURACY:  # one ±w is for answers in one unit; what adds no noise stays what it is
            kept = tuple(sorted({*kept, *set(range(len(plan.releases))).difference(in_unit_of(plan, row))}))
            single = inputs.toggle("Every release is a single number", "single", SINGLE)
    if solve in (NOISE, MORE):
        st.caption(LIMIT)
    return Question(solve, split, kept, confidence, jointly, width, row, single, goal)


def _goal() -> Goal:
    """The risk that is asked for; where two errors say less than a blind guess makes, the usual ones."""
    about = "How often the best attacker, who knows all other data, may guess right whether one unit is in it."
    if inputs.choice("Risk", "riskof", RISKS, "What an attacker may reach, at most.") == RISKS[0]:
        right = inputs.number("Right guesses of 100, at most", "right", (50.001, 99.999), USUAL_RIGHT, about)
        return Goal(advantage=2 * right / 100 - 1)
    about = "How often an attacker who is to be sure accuses somebody who is not in the data."
    wrong = inputs.number("Accuses wrongly, %", "wrong", (0.0, 99.0), USUAL_ERRORS[0], about)
    about = "How often such an attacker then overlooks somebody who is. A blind guess makes both errors 100 % together."
    missed = inputs.number("Must then miss, %", "missed", (0.001, 99.999), USUAL_ERRORS[1], about)
    if wrong + missed >= 100:
        st.error(f"Both errors must be below 100 % together: a blind guess reaches that. {_instead()}")
        wrong, missed = USUAL_ERRORS
    return Goal(None, wrong / 100, missed / 100)


def _instead() -> str:
    return f"Until then they are {USUAL_ERRORS[0]:g} % and {USUAL_ERRORS[1]:g} %."


def _noisy(plan: Plan) -> int:
    """The first release with noise of its own, of which an error can be asked; the first where none has any."""
    return next((row for row, each in enumerate(plan.releases) if each.mechanism.base.noise is not None), 0)


def _width(plan: Plan, row: int) -> float:
    if plan.releases and (unit := plan.releases[row].answer_unit):
        more = len(in_unit_of(plan, row)) - 1
        st.caption(f"In {escaped(unit)}{f', for this and {more} more in {escaped(unit)}' if more > 0 else ''}.")
    elif len(plan.releases) > 1:
        st.caption("Rows that state the same unit of the answer are asked together.")
    about = "How far a published number may lie from the exact answer, in its own units."
    return inputs.number("Off by at most", "within", (1e-9, LARGEST_WIDTH), USUAL_WIDTH, about)


def _kept(plan: Plan) -> tuple[int, ...]:
    done = {row for row, each in enumerate(plan.releases) if each.done}
    help_text = "Rows of the table whose noise stays. Releases that are done are always kept."
    return tuple(sorted(done.union(row_choice.several("Keep as they are", row_choice.names(plan), "keep", help_text))))


@shell.guarded
def keep_rows(rows: tuple[int, ...]) -> None:
    """Keep these rows (from 0) as they are, and no others; a callback."""
    page_state.put({"keep": [row + 1 for row in rows]})


@shell.guarded
def split_as_planned() -> None:
    """Choose the split that needs nothing; a callback."""
    page_state.put({"split": USUAL_SPLIT})


@shell.guarded
def solve_for_noise() -> None:
    """Ask for the noise that fits the budget; a callback."""
    page_state.put({"solve": NOISE})


def held() -> dict[str, str]:
    """Return what the inputs of the panel hold, by their keys; what is not drawn is soon no longer held."""
    return {key: str(page_state.held(key)) for key in KEYS if page_state.holds(key)}


def _read(asked: dict[str, str]) -> dict[str, str | float | None]:
    """What was asked, where numbers are alike however they are written: 95.0 and 95."""
    return {key: text if (number := typed.counted_number(text)) is None else number for key, text in asked.items()}


@shell.guarded
def apply(after: Plan, asked: dict[str, str] | None = None) -> None:
    """Take the releases of an answer over, and close the panel, which would propose something else; a callback.

    Where the inputs no longer hold what was `asked`, another answer is being searched, and this one is not taken.
    """
    if asked is not None and not _read(held()).items() <= _read(asked).items():
        st.toast(edits.CHANGED_SINCE, icon=":material/info:")
        return
    changed = [row for row, pair in enumerate(zip(session.current().releases, after.releases, strict=False))
               if pair[0] != pair[1]]  # fmt: skip
    edits.replace_releases(after)
    page_state.put({"panel": None})
    st.toast(APPLIED.format(escaped(named(after, changed))), icon=":material/check:")


@shell.guarded
def set_delta(delta: float) -> None:
    """Change δ of the budget; a callback."""
    session.change_plan(promise_fields.with_delta(session.current(), delta))
