"""What the page on audits asks: what is claimed and what is true, how it is measured, and the scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from dpviz.audit import CHOICES, DESIGNS, Scores
from dpviz.audit.scores import SCORES
from dpviz.audit.thresholds import SURE
from dpviz.composition import tightest
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.plan.files.file import decoded
from dpviz.rounding import next_below
from dpviz.ui.shell import inputs, learn_pages, page_state, reading, refusals
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import comparison
from dpviz.ui.shell.words import uses

TRUTHS = ("the current plan", "another loss")
CURRENT, TYPED = TRUTHS
EPSILON = (1e-6, 1000.0)
USUAL = Guarantee(1.0, 1e-6)  # of what is true, where there is no plan
SURE_RANGE = (50.0, 100 * SURE.high)  # %
HELD = "_audit_scores"  # what was pasted or opened last: no address holds it
PLACEHOLDER = "score,member\n1.73,1\n-0.20,0\n…"


@dataclass(frozen=True)
class Question:
    """What is asked.

    Parameters
    ----------
    plan : Plan or None
        What is true: the current plan; None where a pair is typed.
    truth : Guarantee
        What is proved of it, or typed.
    claim : Guarantee
        What is said.
    design, choice : str
        Keys of ``DESIGNS`` and ``CHOICES``.
    confidence, power : float
        Of the bound; how often it is to show that the claim is too small.
    at : float
        The threshold, or the number of guesses, that was fixed beforehand.
    scores : Scores or None
        What was measured; None for the worked example.
    in_words : bool
    """

    plan: Plan | None
    truth: Guarantee
    claim: Guarantee
    design: str
    choice: str
    confidence: float
    power: float
    at: float
    scores: Scores | None
    in_words: bool


def question() -> Question:
    """Draw the sidebar, which asks about both halves of the page; the scores are asked for by `measured`."""
    plan, proved = session.current(), _proved(session.current())
    with st.sidebar:
        about = "An audit can only show what is there: the plan that you work on, or a loss that you suspect."
        true = inputs.choice("What is true", "audittrue", TRUTHS, about, index=0 if proved else 1)
        if true == CURRENT and not proved:
            st.caption("Of the current plan no finite loss is proved: say what is true instead.")
        pair = proved if true == CURRENT and proved else _typed()
        claim = _claim(pair)
        about = "Of many runs, or of many canaries of one: records that are put in, or left out, by a coin each."
        design = inputs.choice("How it is measured", "auditdesign", tuple(DESIGNS), about, format_func=DESIGNS.get)
        with learn_pages.rest():
            about = "How often what the audit says of the loss stays below what is true."
            sure = inputs.number("Confidence, %", "auditsure", SURE_RANGE, 95.0, about) / 100
            about = "How many of 100 audits are to show that the claim is too small."
            power = inputs.number("Audits that show it, of 100", "auditpower", (1.0, 99.99), 90.0, about) / 100
            about = "Looking for the best threshold on the very scores that are measured has its price."
            choice = inputs.choice("Threshold", "auditchoice", tuple(CHOICES), about, index=1, format_func=CHOICES.get)
            at = _beforehand(design) if choice == "beforehand" else 0.0
    own = plan if true == CURRENT and proved else None
    return Question(own, pair, claim, design, choice, sure, power, at, None, reading.people())


def _proved(plan: Plan) -> Guarantee | None:
    """What the plan is proved to cost; None where nothing finite is."""
    try:
        best = tightest(comparison(plan, plan.budget.delta)) if uses(plan) else None
    except ValueError:  # a sensitivity is missing: no total may be quoted
        best = None
    epsilon = math.inf if best is None else float(best.epsilon)
    return Guarantee(epsilon, plan.budget.delta) if 0 < epsilon < math.inf else None


def _typed() -> Guarantee:
    about = "What you suspect the loss to be."
    epsilon = inputs.number("True ε", "auditeps", EPSILON, USUAL.epsilon, about)
    about = "With the chance of failure of both promises."
    return Guarantee(epsilon, inputs.delta("δ", "auditdelta", USUAL.delta, about))


def _claim(truth: Guarantee) -> Guarantee:
    half = min(max(next_below(truth.epsilon / 2, 2), EPSILON[0]), EPSILON[1])
    about = "What somebody says that one unit loses. Left empty: about half of what is true."
    typed = inputs.number("Claimed ε", "auditclaim", EPSILON, None, about, placeholder=f"{half:g}")
    return Guarantee(half if typed is None else typed, truth.delta)


def _beforehand(design: str) -> float:
    if design == "one_run":
        about = "About how many canaries a guess is made: those with the largest and with the smallest scores."
        return inputs.count("Guesses, fixed beforehand", "auditguesses", int(SCORES.high), 100, about)
    about = "The test says that the unit is in where the score is larger."
    return inputs.number("Threshold, fixed beforehand", "auditat", (-1e300, 1e300), 0.0, about)


def measured() -> Scores | None:
    """Draw where scores are pasted or opened, and return them; None where there are none that can be read."""
    typed, opened = st.columns([3, 2], gap="medium")
    with typed:
        about = "A line per run, or per canary: its score, and 1 where the unit was in, 0 where it was not."
        text = st.text_area(
            "Scores, pasted as CSV (a reload forgets them)", page_state.held(HELD, ""), key="auditscores",
            placeholder=PLACEHOLDER, help=about, height=120,
        )  # fmt: skip
    with opened:
        about = "With the columns score and member. The file stays on the machine that runs this page."
        upload = st.file_uploader("Or a file, CSV", type=["csv"], key="auditfile", help=about)
    try:
        text = decoded(upload.getvalue()) if upload else text
        page_state.put({HELD: text})
        return Scores.from_csv(text) if text.strip() else None
    except ValueError as error:
        st.error(refusals.drawn(error, "Until then the example is shown."))
        return None


def counted() -> tuple[Scores, int] | None:
    """Draw where right guesses are given by their number; return scores that have them, and how many guesses there are.

    None where nothing is given, or what is given is refused.
    """
    ends = (0, SCORES.high)
    first, second, third = st.columns(3)
    with first:
        about = "Who was in and who was out, guessed of so many as was fixed beforehand, each in or out by a fair coin."
        guesses = inputs.number("Or by number: guesses in all", "auditof", ends, None, about, whole=True)
    with second:
        right = inputs.number("Of these right", "auditright", ends, None, whole=True)
    with third:
        about = "Records that were in or out by a coin, also those about which no guess was made. Empty: none of these."
        canaries = inputs.number("Canaries in all", "auditcanaries", ends, None, about, whole=True)
    if guesses is None or right is None:
        return None
    try:
        return Scores.of_guesses(int(right), int(guesses), None if canaries is None else int(canaries)), int(guesses)
    except ValueError as error:
        st.error(refusals.drawn(error, "Until then the example is shown."))
        return None
