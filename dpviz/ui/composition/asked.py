"""What the page on growth asks: its sidebar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, Mechanism, RandomizedResponse
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.plan.fields import number
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.composition import presets as composition_presets
from dpviz.ui.shell import shell, sidebar, steps, words, workspace

# What addresses and lists show alike: an address holds the words of a choice, not its key.
LAPLACE, GAUSSIAN, RESPONSE, BLACK_BOX = "Laplace", "Gaussian", "Randomized response", "Black box"
SEVERAL, CURRENT = "Several, once each", "Current plan"
REPEATED = (LAPLACE, GAUSSIAN, RESPONSE, BLACK_BOX, SEVERAL, CURRENT)
EPSILON = (1e-6, 50.0)
SIGMA = (0.1, 1e6)
MOST_TIMES = 1_000_000
MOST_LISTED = 100


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    plan : Plan
        What is repeated.
    what : str
        Its name, in Markdown.
    times : int
        The largest number of repetitions.
    delta : float
        The whole δ.
    target : float or None
        ε to stay within.
    """

    plan: Plan
    what: str
    times: int
    delta: float
    target: float | None
    in_words: bool


@shell.guarded
def _adopt_budget() -> None:
    """Take δ and target from the current plan when it is chosen; a callback."""
    if st.session_state["repeat"] != CURRENT:
        return
    budget = workspace.current().budget
    st.session_state["deltak"] = min(budget.delta, steps.LARGEST)
    st.session_state["goal"] = None if math.isinf(budget.epsilon) else min(budget.epsilon, workspace.LARGEST_BUDGET)


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        kind = st.selectbox(
            "What is repeated",
            REPEATED,
            key="repeat",
            bind="query-params",
            on_change=_adopt_budget,
            help="One release, or a whole plan, that is made again and again.",
        )
        plan, what = _several() if kind == SEVERAL else _current() if kind == CURRENT else _single(kind)
        times = _times(plan)
        delta, target = _promise()
    return Question(plan, what, times, delta, target, sidebar.reading())


def _promise() -> tuple[float, float | None]:
    delta = steps.of_ten(
        "δ of the whole",
        "deltak",
        value=1e-6,
        bind="query-params",
        help="The probability with which the bound on all repetitions together may fail. At 0 it never fails.",
    )
    target = st.number_input(
        "Target ε",
        min_value=0.0,
        max_value=workspace.LARGEST_BUDGET,
        value=None,
        step=0.5,
        format="%.6g",
        key="goal",
        bind="query-params",
        placeholder="none",
        help="Draws a line, and counts how many repetitions stay within it.",
    )
    return delta, target


def _single(kind: str) -> tuple[Plan, str]:
    mechanism = _mechanism(kind)
    return Plan([Release(mechanism.label, mechanism)]), words.named(mechanism)


def _mechanism(kind: str) -> Mechanism:
    if kind == GAUSSIAN:
        return Gaussian(
            st.number_input(
                "σ of one release",
                *SIGMA,
                value=10.0,
                step=1.0,
                format="%.6g",
                key="sigma1",
                bind="query-params",
                help="Standard deviation of the noise, in units of the L2 sensitivity. More noise is more private.",
            )
        )
    epsilon = st.number_input(
        "ε of one release",
        *EPSILON,
        value=0.1,
        step=0.1,
        format="%.6g",
        key="eps1",
        bind="query-params",
        help="Privacy loss of one release. A smaller ε is more noise.",
    )
    if kind == BLACK_BOX:
        return ApproximateDP(epsilon, _delta_of_one())
    return RandomizedResponse(epsilon) if kind == RESPONSE else Laplace.from_epsilon(epsilon)


def _delta_of_one() -> float:
    return steps.of_ten(
        "δ of one release",
        "delta1",
        value=1e-9,
        bind="query-params",
        help="The probability with which the ε of one release may fail.",
    )


def _several() -> tuple[Plan, str]:
    typed = st.text_input(
        "Each ε",
        value=composition_presets.STEINKE_LIST,
        max_chars=600,
        key="list1",
        bind="query-params",
        help="Separated by commas. Any ε-DP releases, each made once per repetition.",
    )
    try:
        st.session_state["_listed"] = listed(typed)
    except ValueError as error:
        st.error(words.escaped(str(error)))
    epsilons = st.session_state.get("_listed") or listed(composition_presets.STEINKE_LIST)
    plan = Plan([Release(f"release {n}", RandomizedResponse(each)) for n, each in enumerate(epsilons, 1)])
    return plan, f"the list of **{len(epsilons)}** releases with Σε = {shown_up(math.fsum(epsilons))}"


def listed(text: str) -> list[float]:
    """Return the ε that a line of text lists.

    Raises
    ------
    ValueError
        When a part is no number, outside its interval, or there are too many.

    Examples
    --------
    >>> listed("0.1, 0.25; 1e-3")
    [0.1, 0.25, 0.001]
    """
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST_LISTED:
        raise ValueError(f"the list must hold 1 to {MOST_LISTED} numbers; got {len(parts)}")
    low, high = EPSILON
    values = [number(part.lower()) for part in parts]
    for part, value in zip(parts, values, strict=True):
        if value is None or not low <= value <= high:
            raise ValueError(f"each ε must be a number in [{low:g}, {high:g}]; got {words.shortened(part, 20)!r}")
    return [float(value) for value in values]


def _current() -> tuple[Plan, str]:
    plan = workspace.current()
    st.caption("Its releases are edited on the page “Cost of a plan”.")
    uses = words.uses(plan)
    return plan, f"the current plan of **{shown_count(uses)}** release{'' if uses == 1 else 's'}"


def _times(plan: Plan) -> int:
    times = st.number_input(
        "Repetitions, up to",
        2,
        MOST_TIMES,
        value=200,
        step=10,
        key="kmax",
        bind="query-params",
        help="The right end of the chart. The number is fixed before the first result is seen.",
    )
    most = max(1, int(COUNT.high) // max([release.uses for release in plan.releases], default=1))
    if times > most:
        st.error(f"This plan can be repeated at most {shown_count(most)} times: no release beyond a count of 10⁹.")
    return min(times, most)
