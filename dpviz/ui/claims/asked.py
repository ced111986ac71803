"""What the page on claims asks: which releases, what is said of them, and what was not disclosed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import streamlit as st

from dpviz.claims import ASPECTS, PUBLISHED, PublishedClaim, StatedTotal
from dpviz.claims.stated import STATED_DELTA
from dpviz.decimals import spelt
from dpviz.plan import Origin, Plan
from dpviz.ui.shell import inputs, page_state, reading, row_choice, typed
from dpviz.ui.shell.document import session
from dpviz.ui.shell.presets import fill

CURRENT, KEPT = "Current plan", "Plan A"
ALONE = "Of these releases alone"
_SOME = ("claimrows", "Where something is claimed of some releases of the plan without the others. None: all count.")
SOURCES = (CURRENT, KEPT, *(each.label for each in PUBLISHED))
EPSILON = (0.0, 1e6)
DELTA = (STATED_DELTA.low, inputs.DELTA[1])
OPEN = tuple(ASPECTS.values())
_BY_LABEL = {each.label: each for each in PUBLISHED}
_FOR = "claim_for"  # which claim the boxes were filled with


@dataclass(frozen=True, slots=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    plan : Plan
    stated : StatedTotal or None
        None where nobody claims anything: of a plan without a budget, until a claim is typed.
    delta : float
        At which it is claimed, or would be.
    left_open : tuple of str
        Keys of `dpviz.claims.ASPECTS`.
    origin : Origin or None
        What is to be known of the file that the plan was opened from, where that was another program's.
    published : PublishedClaim or None
        The claim from the literature that is shown; None for the current plan and plan A.
    level : str
        Of reading.
    left_out : bool
        Whether the table of the current plan has rows that do not count yet.
    alone : bool
        Whether it is about some releases of the plan alone.
    kept : bool
        Whether it is about plan A.
    """

    plan: Plan
    stated: StatedTotal | None
    delta: float
    left_open: tuple[str, ...]
    origin: Origin | None
    published: PublishedClaim | None
    level: str
    left_out: bool = False
    alone: bool = False
    kept: bool = False

    @property
    def incomplete(self) -> bool:
        """Whether releases are missing: of that file some were not understood, or rows of the table do not count."""
        return self.left_out or (self.origin is not None and self.origin.incomplete)

    @property
    def in_words(self) -> bool:
        """Whether people read it."""
        return self.level == reading.LEVELS[0]


@dataclass(frozen=True, slots=True)
class _First:
    """What is claimed where nobody has typed anything; no ε where nobody claims one."""

    epsilon: float | None
    delta: float
    printed: str = ""


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    about = "The plan that you work on, the one kept as A, or a claim from the literature."
    _own_again()
    absent = () if session.document().baseline else (KEPT,)
    with st.sidebar:
        # Its verdict tells what an answer makes of it.
        chosen = inputs.source("Whose claim", "claimof", SOURCES, CURRENT, SOURCES[2], about, (), absent)
        if chosen == CURRENT:
            inputs.unsaid()
        boxes = st.container()  # above what grows and shrinks, so that no box moves under a click
        published, kept = _BY_LABEL.get(chosen), chosen == KEPT
        plan = published.releases() if published else _own(kept)
        several = not published and len(plan.releases) > 1
        names = [row_choice.shown(each.name, number) for number, each in enumerate(plan.releases, start=1)]
        names = names if kept else row_choice.names(plan)
        some = row_choice.several(ALONE, names, *_SOME, empty="all") if several else ()
        if some:  # under the relation in force, though only one that is left out may demand it
            plan = replace(plan, releases=tuple(plan.releases[row] for row in some), relation=plan.neighbours)
        file = None if published or kept or some else session.document().origin
        first = _first(published, plan, file)
        open_first = published.left_open if published else _aspects(file)
        _fill(chosen, first, open_first)
        with boxes:
            epsilon = _epsilon(first)
            delta = inputs.delta("Claimed δ", "claimdelta", first.delta, "At which probability of failure.", ends=DELTA)
        left_open = _left_open(open_first)
    stated = None if epsilon is None else _stated(epsilon, delta, first)
    left_out = chosen == CURRENT and not some and bool(session.document().uncounted)
    return Question(plan, stated, delta, left_open, file, published, reading.level(), left_out, bool(some), kept)


def _own(kept: bool) -> Plan:
    """The current plan, or plan A."""
    return session.document().baseline if kept else session.current()


def _own_again() -> None:
    """Judge the current plan where its releases were changed since the page was here: whoever did that comes for it."""
    releases = session.current().releases
    if releases and page_state.held("claims_saw", releases) != releases:
        page_state.put({"claimof": CURRENT})
    page_state.put({"claims_saw": releases})


def _epsilon(first: _First) -> float | None:
    """Draw the box of the claimed ε; it is empty, and may be, where nobody claims one."""
    hint = {} if first.epsilon is not None else {"placeholder": "which is claimed?"}
    about = "What all releases together may cost."
    return inputs.number("Claimed ε", "claimeps", EPSILON, first.epsilon, about, read=typed.decimal, **hint)


def _stated(epsilon: float, delta: float, first: _First) -> StatedTotal:
    """The claim; as it was published, it keeps the digits that were printed, as what is typed does."""
    untouched = page_state.held("claimeps") == typed.shown(first.epsilon)
    printed = first.printed if untouched else spelt(str(page_state.held("claimeps")), epsilon)
    return StatedTotal(epsilon, delta, printed)


def _first(published: PublishedClaim | None, plan: Plan, file: Origin | None) -> _First:
    """What is claimed where nobody has typed anything: by the source, by the file, or by the budget of the plan."""
    if published:
        stated = published.stated()
        return _First(stated.epsilon, stated.delta, stated.printed)
    claim = file and file.claim
    budget = claim or plan.budget
    if not math.isfinite(budget.epsilon) or not budget.delta <= DELTA[1]:
        return _First(None, min(budget.delta, DELTA[1]))
    if budget.epsilon > EPSILON[1]:
        return _First(EPSILON[1], budget.delta)
    return _First(budget.epsilon, budget.delta, file.printed if claim else "")


def _aspects(file: Origin | None) -> tuple[str, ...]:
    """What files of this form do not tell, as far as it is known here: an address may hold anything."""
    return tuple(each for each in ASPECTS if file and each in file.left_open)


def _fill(chosen: str, first: _First, left_open: tuple[str, ...]) -> None:
    """Fill the boxes with another claim once that is chosen; what an address brings stays."""
    marked = (chosen, first, left_open, None if chosen in _BY_LABEL or chosen == KEPT else session.document().opened)
    before, here = page_state.held(_FOR), page_state.held("claims_opened")
    page_state.forget("claims_opened")
    # What was typed stays where a file is opened on this page, to be judged by it.
    if before not in (None, marked) and not (here and before[:3] == marked[:3]):
        fill({"claimeps": typed.shown(first.epsilon), "claimdelta": typed.shown(first.delta)})
        page_state.put({"claimopen": [ASPECTS[each] for each in left_open]})
    page_state.put({_FOR: marked})


def _left_open(first: tuple[str, ...]) -> tuple[str, ...]:
    about = "Every reading of what was not disclosed counts: the claim holds only if it holds under all of them."
    held = st.multiselect(
        "Not disclosed", OPEN, default=[ASPECTS[each] for each in first], key="claimopen", bind="query-params",
        placeholder="all is disclosed", help=about,
    )  # fmt: skip
    return tuple(key for key, label in ASPECTS.items() if label in held)
