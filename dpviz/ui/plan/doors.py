"""The first visit: what dpviz is for, and three doors to a plan of one's own, a file or an example."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import streamlit as st

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Laplace
from dpviz.parameters import TYPICAL, Parameter
from dpviz.plan import CADENCES, RELATIONS, Document, Plan, Release
from dpviz.plan.cadence import checked_day
from dpviz.plan.kinds import KINDS
from dpviz.plan.release import LONGEST_TEXT
from dpviz.planning.accuracy import HALF_WIDTH, scale_within
from dpviz.planning.budgeting import solve_noise
from dpviz.planning.room import fits
from dpviz.rounding import next_below
from dpviz.ui.plan import promise
from dpviz.ui.shell import (
    components,
    examples,
    inputs,
    opening,
    page_state,
    reading,
    refusals,
    shell,
    workspace,
)
from dpviz.ui.shell.document import browser, filled_in, promise_fields, session

WHOM = ("person", "user", "customer", "member", "patient", "student", "household", "device", "business")
PERIODS = {"one day": "day", "one week": "week", "one month": "month", "one quarter": "quarter", "one year": "year",
           "all the time": ""}  # fmt: skip
OFTEN = {cadence.label: cadence.key for cadence in CADENCES}
USUAL_BUDGET, USUAL_DELTA, USUAL_EPSILON, USUAL_PERIOD = "1", 1e-6, 0.1, 4
LEAST_BUDGET = 0.01
OFF = "How far noise may move one published number; it may then cost more than the budget, which is said."
TYPICALLY = "The size of a typical true value, for errors in percent."
# Written by the browser, which alone knows what it has kept.
GO_ON = """<span id="dpviz-go-on"></span><script>(() => {{
  let kept = null;
  try {{ kept = JSON.parse(localStorage.getItem("{last}")); }} catch {{ /* a browser that keeps nothing */ }}
  const place = document.getElementById("dpviz-go-on");
  if (!place || !kept || !/^\\?(plan|example)=/.test(kept.search)) return;
  const link = document.createElement("a");
  link.href = location.pathname + kept.search;
  link.style.cssText = "{button};display:inline-block";
  link.textContent = "Go on with “" + String(kept.name).slice(0, 40) + "”";
  place.replaceChildren(link);
}})();</script>"""
# Streamlit's "Press Enter to submit form" lies across what is typed.
QUIET = "<style>[data-testid=stPopoverBody] [data-testid=InputInstructions] {display: none}</style>"
SHOWN = (
    "statistics-office", "census-2020-redistricting", "mobility", "federated-learning", "weekly-dashboard",
    "lecture-11",
)  # fmt: skip


def doors() -> None:
    """Draw what dpviz is for, and what begins a plan: three buttons that open what they need."""
    st.title("What may be published, and what does it cost in privacy?", anchor=False)
    st.markdown(
        "dpviz adds up what all your releases tell about one person, and says whether that stays within a limit. "
        "**Below is an example: change anything in it.**"
    )
    with st.container(horizontal=True, vertical_alignment="center", key="doors"):
        with st.popover("Start my own", icon=":material/edit:", type="primary", key="door_own", width="content"):
            _own()
        with st.popover("Open a file", icon=":material/folder_open:", key="door_open", width="content"):
            opening.open_file("door_file")
        with st.popover("See an example", icon=":material/menu_book:", key="door_examples", width="content"):
            for key in SHOWN:
                each = examples.BY_KEY[key]
                st.button(each.label, on_click=workspace.open_example, args=(key,), key=f"door_{key}", width="stretch")
                st.caption(reading.told(each.about))
        shell.link(shell.page_named("training"), "Train a model")
        go_on = GO_ON.format(last=browser.LAST, button=components.BUTTON)
        st.html(go_on, width="content", unsafe_allow_javascript=True)


def _own() -> None:
    """Ask the promise of an own plan, and its first release."""
    st.html(QUIET)
    with st.form("own", border=False, enter_to_submit=False):  # Enter takes a box, as everywhere else
        _promise_asked()
        _first_asked()
        with st.container(horizontal=True):
            st.form_submit_button("Start", type="primary", on_click=_start)
            st.form_submit_button("Start with an empty table", on_click=_start, args=(True,), key="door_empty")
    if refused := page_state.held("refused"):
        page_state.forget("refused")
        st.error(refusals.drawn(refused))


def _promise_asked() -> None:
    """Ask whom a plan protects, from what, and how well."""
    first, second = st.columns(2)
    first.selectbox("Whom does it protect? Choose, or type a word", WHOM, key="own_whom", accept_new_options=True)
    second.selectbox("For how long?", tuple(PERIODS), key="own_period", index=USUAL_PERIOD)
    first, second = st.columns(2)
    about = "The privacy loss that all releases of that time may cost together; a smaller one protects better."
    first.text_input(reading.told("Budget, ε"), USUAL_BUDGET, max_chars=20, key="own_budget", help=about)
    about = "How seldom the promise may fail: far less often than 1 in the number of people."
    seldom = promise_fields.shown("delta", USUAL_DELTA)
    second.text_input("Except with a chance of", seldom, max_chars=40, key="own_delta", help=about)
    first, second = st.columns(2)
    first.text_input("How many are in the data", max_chars=20, placeholder=promise.NOT_STATED, key="own_people")
    compared = "Added or removed, or replaced"
    second.selectbox(f"{compared}?", tuple(RELATIONS), key="own_relation", index=None,
                     format_func=RELATIONS.__getitem__, placeholder=promise.NOT_STATED,
                     help=(promise.ABOUT_IN_WORDS if reading.people() else promise.ABOUT)[compared])  # fmt: skip


def _first_asked() -> None:
    """Ask what a plan releases first, and from when on."""
    first, second = st.columns(2)
    hint = {"max_chars": LONGEST_TEXT, "placeholder": "such as Unemployed"}
    first.text_input("What is released first?", key="own_name", **hint)
    second.selectbox("What is it?", tuple(kind.label for kind in KINDS), key="own_kind")
    first, second = st.columns(2)
    first.selectbox("How often is it released?", tuple(OFTEN), key="own_often",
                    index=tuple(OFTEN.values()).index("monthly"))  # fmt: skip
    second.text_input("From, year-month-day", filled_in.coming_year().isoformat(), max_chars=10, key="own_from")
    first, second = st.columns(2)
    hint = {"max_chars": 20, "placeholder": "chosen for you"}
    first.text_input("Off by up to, 19 times of 20", key="own_off", help=OFF, **hint)
    second.text_input("Typical value", key="own_typical", max_chars=20, placeholder=promise.NOT_STATED, help=TYPICALLY)


@shell.guarded
def _start(empty: bool = False) -> None:
    """Make the plan of what is answered, or one without releases; a callback."""
    asked = ("whom", "period", "budget", "delta", "people", "relation", "from", "name", "kind", "often", "off",
             "typical")  # fmt: skip
    told = {name: page_state.held(f"own_{name}") for name in asked}
    told["unit"] = "-".join(filter(None, [told["whom"].strip() or WHOM[0], PERIODS[told["period"]]]))
    try:
        epsilon = inputs.within(told["budget"].strip(), "the budget", (LEAST_BUDGET, promise_fields.LARGEST_BUDGET))
        budget = Guarantee(epsilon, promise_fields.TYPED["delta"](told["delta"]))
        told["people"] = promise_fields.TYPED["people"](told["people"])
        begin = checked_day(told["from"].strip() or filled_in.coming_year(), "From")
        plan = _without_releases(told, budget) if empty else _with_first(told, budget, begin)
    except ValueError as error:
        page_state.put({"refused": "\n".join(refusals.lines(error))})
        return
    if empty:
        session.begin_work()
        workspace.open_plan(plan, None, begin=None if begin == filled_in.coming_year() else begin)
    else:
        session.put(Document(plan, examples.own_name(told["unit"])))
        if plan.relation != told["relation"]:
            session.tell("related", plan.relation)


def _without_releases(told: dict[str, Any], budget: Guarantee) -> Plan:
    """An empty plan with the promise that stood above the button."""
    own = examples.plan_of(examples.OWN)
    return replace(own, unit=told["unit"], budget=budget, population=told["people"], relation=told["relation"])


def _with_first(told: dict[str, Any], budget: Guarantee, start: date) -> Plan:
    """A plan of one release, as accurate as was asked, else with noise that leaves room for others."""
    kind = next(kind.key for kind in KINDS if kind.label == told["kind"])
    cadence = OFTEN[told["often"]]
    until = {} if cadence == "once" else {"cadence": cadence, "end": filled_in.last_day(start)}
    name = told["name"].strip() or "First release"
    off = _number(told["off"].strip().lstrip("±"), "“Off by up to”", HALF_WIDTH)
    typical = _number(told["typical"].strip(), "the typical value", TYPICAL)
    noise = Laplace(scale_within(Laplace, off)) if off else Laplace.from_epsilon(USUAL_EPSILON)
    first = Release(name, noise, kind=kind, start=start, typical=typical, **until)
    relation = told["relation"] or ("replace_one" if kind == "mean" else None)  # what a mean needs, as in the table
    plan = Plan([first], budget, unit=told["unit"], population=told["people"], relation=relation)
    return plan if off else within_budget(plan)


def _number(text: str, name: str, ends: Parameter) -> float | None:
    """A number that may be left out."""
    return inputs.within(text, name, ends) if text else None


def within_budget(plan: Plan) -> Plan:
    """Return a plan of one release as it is if half its budget holds it, else with the largest ε of two digits there.

    The other half is for what is planned next.
    """
    half = replace(plan, budget=replace(plan.budget, epsilon=plan.budget.epsilon / 2))
    if fits(half):
        return plan
    (first,) = solve_noise(half).plan.releases
    epsilon = next_below(first.mechanism.stated.epsilon, 2)
    return replace(plan, releases=(replace(first, mechanism=Laplace.from_epsilon(epsilon)),))
