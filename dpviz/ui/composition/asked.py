"""What the page on growth asks: its sidebar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from dpviz.mechanisms import RandomizedResponse
from dpviz.mechanisms.left_open import in_units
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.composition import presets
from dpviz.ui.shell import inputs, learn_pages, page_state, reading, shell, words
from dpviz.ui.shell.document import promise_fields, session

# What addresses and lists show alike: an address holds the words of a choice, not its key.
SEVERAL, CURRENT = "Several, once each", "Current plan"
REPEATED = {
    "Laplace": "laplace", "Gaussian": "gaussian", "Randomized response": "randomized_response",
    "Black box": "approximate_dp", SEVERAL: "", CURRENT: "",
}  # fmt: skip
SIGMA = (0.1, 1e6)
MOST_TIMES, OFTEN = 1_000_000, 30  # repetitions that can be asked for, and of a plan at first


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

    @property
    def typed(self) -> bool:
        """Whether it was typed on this page, rather than taken from the plan."""
        return self.plan is not session.current()


def _budget() -> dict[str, float | None]:
    """The inputs δ and target as the current plan's budget has them."""
    budget = session.current().budget
    goal = None if math.isinf(budget.epsilon) else min(budget.epsilon, promise_fields.LARGEST_BUDGET)
    return {"deltak": min(budget.delta, promise_fields.LARGEST_DELTA), "goal": goal}


@shell.guarded
def _adopt_budget() -> None:
    """Take δ and target from the current plan when it is chosen; a callback."""
    if page_state.held("repeat") == CURRENT:
        page_state.put(_budget())


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        plan, what = _repeated()
        times = _times(plan)
        with learn_pages.rest():
            about = "The probability with which the bound on all repetitions together may fail. At 0 it never fails."
            delta = inputs.delta("δ of the whole", "deltak", 1e-6, about)
            about = "Draws a line, and counts how many repetitions stay within it."
            ends = (0.0, promise_fields.LARGEST_BUDGET)
            target = inputs.number("Target ε", "goal", ends, None, about, placeholder="none")
    return Question(plan, reading.told(what), times, delta, target, reading.people())


def _repeated() -> tuple[Plan, str]:
    """What is repeated: at first the current plan, with its budget, where it has releases."""
    learn_pages.start_from_plan(repeat=CURRENT, kmax=OFTEN, **_budget())
    about = "One release, or a whole plan, that is made again and again."
    options = {"on_change": _adopt_budget}
    kind = inputs.source("What is repeated", "repeat", tuple(REPEATED), CURRENT, "Laplace", about, **options)
    return _several() if kind == SEVERAL else _current() if kind == CURRENT else _single(kind)


def _single(kind: str) -> tuple[Plan, str]:
    mechanism = learn_pages.mechanism(REPEATED[kind], SIGMA)
    name = words.NAMES[mechanism.key]
    return Plan([Release(name[0].upper() + name[1:], in_units(mechanism))]), words.named(mechanism)


def _several() -> tuple[Plan, str]:
    about = "Separated by commas. Any ε-DP releases, each made once per repetition."
    epsilons = inputs.numbers("Each ε", "list1", presets.STEINKE_LIST, 600, about)
    plan = Plan([Release(f"release {n}", RandomizedResponse(each)) for n, each in enumerate(epsilons, 1)])
    return plan, f"the list of **{len(epsilons)}** releases with Σε = {shown_up(math.fsum(epsilons))}"


def _current() -> tuple[Plan, str]:
    plan = session.current()
    uses = words.uses(plan)
    return plan, f"the current plan of **{shown_count(uses)}** release{'' if uses == 1 else 's'}"


def _times(plan: Plan) -> int:
    about = "The right end of the chart. The number is fixed before the first result is seen."
    times = inputs.count("Repetitions, up to", "kmax", MOST_TIMES, 200, about, least=2)
    most = max(1, int(COUNT.high) // max([release.uses for release in plan.releases], default=1))
    if times > most:
        st.error(f"This plan can be repeated at most {shown_count(most)} times: no release beyond a count of 10⁹.")
    return min(times, most)
