"""The panel “A against B”: A kept apart, B edited, and what differs between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.figures.plan import scenario_bars
from dpviz.plan import Document, Plan
from dpviz.planning import scenario
from dpviz.planning.advice import faults
from dpviz.planning.scenario import Totals
from dpviz.rounding import shown_between, shown_quantity, shown_total
from dpviz.ui.plan.asked import AS_ENTERED
from dpviz.ui.plan.versus import answer as answers
from dpviz.ui.plan.versus import words as told
from dpviz.ui.shell import components, examples, opening, reading, shell
from dpviz.ui.shell.document import edits, saved, session
from dpviz.ui.shell.words import escaped, shortened

if TYPE_CHECKING:
    import pandas

VIEWS = ("Plan by plan", "Release by release")
NONE_KEPT = "**Nothing is kept as A to compare with.** “Keep as A” above and edit, or open another plan."
NOTE_LENGTH, NOTE_WIDTH = 44, 250  # letters for which a cell has room, and its pixels
NOTES = {"a_note": "About A", "b_note": "About B", "reason": "Why no difference"}
SENTENCE = "odds"  # the quantity whose note is a whole sentence, which the head says


@dataclass(frozen=True)
class Pair:
    """A and B, and what they cost: `one` and `other`."""

    a: Plan
    b: Plan
    one: Totals
    other: Totals

    @property
    def same(self) -> bool:
        """Whether there is nothing to compare."""
        return scenario.alike(self.a, self.b)

    @property
    def apart(self) -> str:
        """Why their promises cannot be subtracted; "" if they can."""
        return scenario.different_promises(self.one.promise, self.other.promise)


@shell.guarded
def swap() -> None:
    """Exchange A and B; a callback."""
    held = session.document()
    edits.swap(_a(), held.baseline_name if held.baseline else held.name)


@shell.guarded
def drop() -> None:
    """Forget plan A; a callback."""
    session.change(replace(session.document(), baseline=None, baseline_name=""))


def panel(plan: Plan) -> None:
    """Draw what changes from A to B, or how to come to two plans where none is kept."""
    plans = _pair(plan)
    if not session.document().baseline and not plans.a.releases:
        st.markdown(NONE_KEPT)
        _buttons(plans)
        return
    if session.document().uncounted:
        st.warning("Rows that do not count yet are in no number of this comparison.")
    if plans.same:
        said = "**A and B release the same, so no number differs.** Edit the plan, or open another."
        st.markdown(said if session.document().baseline else NONE_KEPT)
    else:
        errors = answers.releases(plans.a, plans.b)
        sentence = told.finding(plans.a, plans.b, plans.one, plans.other, errors)
        st.markdown(reading.told(sentence))
        if faults(plans.b):
            st.warning(AS_ENTERED)
        if asked := scenario.less_often(plans.a, plans.b):
            st.warning(reading.told(escaped(asked)))
        sooner = escaped(scenario.more_often(plans.a, plans.b))
        st.caption(" ".join(filter(None, (sooner, _named(session.document())))))
    _buttons(plans)
    if not plans.same:
        _changes(plans)
    if not reading.people() and (session.document().baseline or not plans.same):
        _tables(plans)


def _named(held: Document) -> str:
    """What A and B are, by their names where these tell them apart."""
    b = f"“{escaped(examples.title(held.name))}”"
    base = saved.base()
    own = f"version {base.number}, as saved" if base else "the plan as it was first opened"
    kept_as = f"“{escaped(examples.title(held.baseline_name))}”, kept" if held.baseline_name else "what was kept"
    a = kept_as if held.baseline else own
    if held.baseline and held.baseline_name == held.name:
        return f"Both are {b}: A is kept, B is what you edit."
    return f"A is {a}; B is {b}, as it is now."


def _a() -> Plan:
    """The plan that was kept as A, else this one as it was saved, else as it was opened."""
    held, base = session.document(), saved.base()
    return base.document.plan if base and not held.baseline else held.a


def _pair(b: Plan) -> Pair:
    """A and B with what they cost."""
    a = _a()
    return Pair(a, b, answers.totals(a), answers.totals(b))


def _buttons(plans: Pair) -> None:
    with st.container(horizontal=True):
        opening.beside()
        if not plans.same:
            st.button("Swap A and B", on_click=swap, key="swap")
        if session.document().baseline:
            st.button("Forget A", on_click=drop, key="drop_a")


def _changes(plans: Pair) -> None:
    """Draw what A and B cost; how their errors differ stands in the picture “How accurate”."""
    if plans.same:
        return
    totals = scenario.differences(plans.one, plans.other)
    shown = told.in_guesses(totals) if reading.people() else totals
    components.chart(
        components.drawn(scenario_bars.scenario_bars, shown),
        totals,
        "scenario-totals",
        _title(plans, totals),
        partial(scenario_bars.described_bars, shown),
    )
    loss, right = (totals.difference[totals.quantity == name].iloc[0] for name in ("epsilon", "advantage"))
    if None not in (loss, right) and loss * right < 0:
        st.caption(told.AVERAGE)


def _title(plans: Pair, totals: pandas.DataFrame) -> str:
    if plans.apart:
        return "What each costs: different promises, side by side"
    difference = totals.difference.iloc[0]
    if math.isinf(difference):
        return f"What it costs: nothing bounds {'B' if difference > 0 else 'A'}"
    a, b = (shown_total(totals[name].iloc[0], plan.budget.epsilon) for name, plan in (("a", plans.a), ("b", plans.b)))
    deltas = plans.a.budget.delta, plans.b.budget.delta
    beside = "" if deltas[0] == deltas[1] else f", and δ {'grows' if deltas[1] > deltas[0] else 'falls'}"
    if (change := shown_between(a, b, difference)) == "0":
        return f"What it costs: ε stays as it is{beside}"
    return f"What it costs: ε {'grows' if difference > 0 else 'falls'} by {change[1:]}{beside}"


def _tables(plans: Pair) -> None:
    """Draw the exact numbers, one table at a time."""
    totals, releases = st.tabs(VIEWS, key="abview", bind="query-params")
    if totals.open:
        with totals:
            frame, first = scenario.differences(plans.one, plans.other), {"label": "Quantity"}
            _differences(frame, first, "Exact totals of A and B")
    if releases.open:
        with releases:
            first = {"release": "Release", "status": "In", "label": "Quantity"}
            _differences(answers.releases(plans.a, plans.b), first, "Exact values of every release under A and B")
    st.caption("Costs and errors are rounded up, budgets down; differences are of what is shown.")


def told_value(quantity: str, value: float | None, limit: float = math.inf) -> str:
    """Return a number of a table as head, picture and report write it, or why there is none.

    Examples
    --------
    >>> told_value("uses", 1080.0), told_value("epsilon", 2.487314518127013, 4.0), told_value("budget", math.inf)
    ('1,080', '2.488', 'no limit')
    """
    if value is None or math.isinf(value):
        return "–" if value is None else "no limit" if quantity == "budget" else "none"
    return shown_quantity(quantity, value, limit)


def _with_texts(frame: pandas.DataFrame) -> pandas.DataFrame:
    limits = frame[frame.quantity == "budget"]
    texts = {
        name: [
            told_value(*row, limits[name].iloc[0] if len(limits) else math.inf)
            for row in zip(frame.quantity, frame[name], strict=True)
        ]
        for name in ("a", "b")
    }
    moved = [
        "–" if a == b == "none" else "not formed" if each is None or math.isinf(each) else shown_between(a, b, each)
        for a, b, each in zip(texts["a"], texts["b"], frame.difference, strict=True)
    ]
    brief = {name: frame[name].mask((frame.quantity == SENTENCE) & (name != "reason"), "") for name in NOTES}
    cut = {name: [shortened(each, NOTE_LENGTH) for each in told] for name, told in brief.items()}
    return frame.assign(**texts, **cut, difference=moved)


def _differences(frame: pandas.DataFrame, columns: dict[str, object], alt: str) -> None:
    numbers = {"a": "A", "b": "B", "difference": "B − A"}
    columns |= {
        name: st.column_config.TextColumn(label, alignment="right", width=90) for name, label in numbers.items()
    }
    columns |= {"label": st.column_config.TextColumn("Quantity", width=260), "unit": "Unit"}
    columns |= {name: st.column_config.TextColumn(label, width=NOTE_WIDTH) for name, label in NOTES.items()}
    shown = _with_texts(frame)
    columns = {name: told for name, told in columns.items() if shown[name].astype(bool).any()}
    st.dataframe(shown, hide_index=True, column_order=list(columns), column_config=columns, alt=alt)
