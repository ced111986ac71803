"""The panel “Plans that nothing beats”: the frontier of a sweep that was opened as a file, to choose a plan from."""

from __future__ import annotations

import math

import streamlit as st

from dpviz.figures.plan import frontier as figure
from dpviz.jobs.frontier import MEASURES, Frontier
from dpviz.plan import Plan
from dpviz.rounding import shown_count, shown_delta, shown_up
from dpviz.ui.shell import components, page_state, reading, refusals, shell
from dpviz.ui.shell.document import session
from dpviz.ui.shell.words import escaped

TITLE = "Plans that nothing beats"
CHART, ROW = "frontier_chart", "frontier_row"
PEOPLE = (
    "Each point is a plan. Further right, one person is protected less; further up, the figures are less accurate. "
    "No plan of the sweep is better than one of these in both, and publishes as much."
)


def panel(plan: Plan) -> None:
    """Draw the plans of the file that was opened, and what makes one of them the current plan; nothing without one."""
    opened = session.frontier()
    if opened is None:
        return
    frame = opened.frame
    if not 0 <= page_state.held(ROW, 0) < len(frame):
        page_state.put({ROW: 0})
    with st.container(border=True, key="frontier"):
        st.markdown(f"**{TITLE}**")
        st.markdown(_finding(opened))
        st.selectbox("Plan", range(len(frame)), format_func=lambda place: label(opened, place), key=ROW)
        chosen = page_state.held(ROW)
        _chart(opened, chosen, plan.budget.epsilon)
        st.caption(values(opened, chosen))
        with st.container(horizontal=True):
            st.button("Work on this plan", on_click=take, args=(chosen,), key="frontier_take", type="primary")
            st.button("Close", on_click=close, key="frontier_close")
            st.download_button(
                "Data as CSV", opened.to_csv, "frontier.csv", "text/csv", on_click="ignore", key="frontier_csv"
            )
        if trouble := session.told("frontier"):
            st.error(refusals.drawn(trouble))


def _finding(opened: Frontier) -> str:
    """What the file holds, in one or two sentences."""
    frame, count = opened.frame, shown_count(len(opened.frame))
    if reading.people():
        return f"{PEOPLE} There are {count}, as the sweep found them."
    ends = " to ".join(shown_up(each) for each in (frame.epsilon.min(), frame.epsilon.max()))
    errors = " to ".join(shown_up(each, 3) for each in (frame.error.min(), frame.error.max()))
    return (
        f"{count} plans, as the sweep found them: total ε {ends} at δ = {shown_delta(frame.delta.iloc[0])}, error "
        f"{errors} ({MEASURES[frame.measure.iloc[0]]}). Click a point, or choose below; Undo returns."
    )


def _chart(opened: Frontier, chosen: int, budget: float) -> None:
    frame = opened.frame.assign(hover=[values(opened, place, "\n") for place in range(len(opened.frame))])
    columns = ["epsilon", "error", "uses", "measure", "hover"]
    limit = budget if math.isfinite(budget) else 0.0
    drawn = components.drawn(figure.frontier, frame[columns], chosen, limit).finished()
    alt = reading.told(figure.described(frame, chosen))
    config = {"displayModeBar": False, "scrollZoom": False}
    st.plotly_chart(
        drawn, key=CHART, on_select=picked, selection_mode="points", height=drawn.height, config=config,
        alt=alt,
    )  # fmt: skip


def label(opened: Frontier, place: int) -> str:
    """Return what a plan of the list is called."""
    row = opened.frame.iloc[place]
    text = f"ε = {shown_up(row.epsilon)}, error {shown_up(row.error, 3)}, {shown_count(int(row.uses))} numbers"
    return reading.told(text)


def values(opened: Frontier, place: int, between: str = " · ") -> str:
    """Return what the sweep chose for a plan, by release and quantity."""
    row = opened.frame.iloc[place]
    found = between.join(f"{axis} {row[axis]}" for axis in opened.axes)
    return found if between == "\n" else escaped(found)


@shell.guarded
def picked() -> None:
    """Look at the plan whose point was clicked; a callback."""
    points = page_state.held(CHART)["selection"]["points"]
    if points and points[0].get("customdata"):
        page_state.put({ROW: int(points[0]["customdata"][0])})


@shell.guarded
def take(place: int) -> None:
    """Make one plan of the frontier the current one; a callback."""
    session.tell("frontier", "")
    try:
        session.change_plan(session.frontier().plan(place))
    except ValueError as error:
        session.tell("frontier", "\n".join(refusals.lines(error)))


@shell.guarded
def close() -> None:
    """Forget the frontier; a callback."""
    session.put_frontier(None)
    session.tell("frontier", "")
    page_state.forget(ROW)
