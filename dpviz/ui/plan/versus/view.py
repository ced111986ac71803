"""The panel “A against B”: A kept apart, B edited, and what differs between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.figures import scenario_bars
from dpviz.plan import Document, Plan
from dpviz.planning import deployments, scenario
from dpviz.planning.budgeting import solve as budgeting
from dpviz.planning.scenario import Totals
from dpviz.rounding import shown_count, shown_down, shown_up
from dpviz.ui.plan.answer import published
from dpviz.ui.plan.versus import answer as answers
from dpviz.ui.plan.versus import words as told
from dpviz.ui.shell import components, reading, shell, workspace
from dpviz.ui.shell.words import escaped, uses

if TYPE_CHECKING:
    import pandas

VIEWS = ("Plan by plan", "Release by release", "Published deployments")
TIMES = 2
DIGITS = 9  # of exact values; the files hold all
COUNTS = ("uses", "releases")


@dataclass(frozen=True)
class Pair:
    """A and B with what they cost.

    Parameters
    ----------
    a, b : Plan
    one, other : Totals
        Theirs.
    """

    a: Plan
    b: Plan
    one: Totals
    other: Totals

    @property
    def same(self) -> bool:
        """Whether there is nothing to compare."""
        return self.a == self.b

    @property
    def apart(self) -> str:
        """Why their promises cannot be subtracted; "" if they can."""
        return scenario.different_promises(self.one.promise, self.other.promise)


@shell.guarded
def swap() -> None:
    """Exchange A and B; a callback."""
    held = workspace.document()
    name = held.baseline_name if held.baseline else held.name
    swapped = Document(held.a, name, baseline=held.plan, baseline_name=held.name)
    workspace.change(swapped)


@shell.guarded
def open_a() -> None:
    """Make A the current plan again; a callback."""
    held = workspace.document()
    workspace.change(replace(held, plan=held.a, opened=held.a, name=held.baseline_name or held.name, uncounted=()))


@shell.guarded
def drop() -> None:
    """Forget plan A; a callback."""
    workspace.change(replace(workspace.document(), baseline=None, baseline_name=""))


@shell.guarded
def solve() -> None:
    """Give B the noise that just uses the budget, or say why there is none; a callback."""
    solution = budgeting.solve_noise(workspace.current())
    if solution.plan is None:
        st.session_state["unsolved"] = solution.reason
    else:
        workspace.replace_releases(solution.plan)


@shell.guarded
def repeat() -> None:
    """Release everything in B twice as often; a callback."""
    try:
        workspace.replace_releases(workspace.current().repeated(TIMES))
    except ValueError as error:
        st.session_state["unsolved"] = str(error)


def panel(plan: Plan) -> None:
    """Draw what changes from A to B, or how to come to two plans where none is kept."""
    plans = _pair(plan)
    if plans.same:
        _offers("**A and B are the same plan, so nothing differs.**", plan)
    else:
        errors = answers.releases(plans.a, plans.b)
        sentence = told.finding(plans.a, plans.b, plans.one, plans.other, errors)
        st.markdown(reading.told(sentence))
        held = workspace.document()
        origin = f"{escaped(held.baseline_name)}, kept" if held.baseline else "the plan as it was opened"
        about_a = told.about("A", plans.a, origin)
        about_b = told.about("B", plans.b, f"{escaped(held.name)}, the current plan")
        st.caption(f"{about_a}  \n{about_b}")
        _buttons()
        if plans.a.releases == plans.b.releases and not plans.apart:
            _offers("**A and B release the same.**", plan)
    if reason := st.session_state.pop("unsolved", ""):
        st.warning(f"B stays as it was: {escaped(reason)}")
    if not plans.same:
        _changes(plans)
    if not reading.people():
        _tables(plans)
        _explain(plans)


def _pair(b: Plan) -> Pair:
    """A and B with what they cost."""
    a = workspace.document().a
    return Pair(a, b, answers.totals(a), answers.totals(b))


def _offers(state: str, plan: Plan) -> None:
    """Say how A and B stand, and offer what makes a difference."""
    st.markdown(f"{state} Edit the plan, which is B, or begin with")
    with st.container(horizontal=True):
        limit = plan.budget.epsilon
        if uses(plan) and 0 < limit < math.inf:
            label = reading.told(f"Noise that just uses ε = {shown_down(limit)}")
            st.button(label, on_click=solve, key="solve_b", help="Scales the noise of every release of B alike.")
        st.button("Everything twice as often", on_click=repeat, key="twice", disabled=not uses(plan))


def _buttons() -> None:
    with st.container(horizontal=True):
        st.button("Swap A and B", on_click=swap, key="swap")
        st.button("Open A again", on_click=open_a, key="open_a", help="Makes A the current plan; undo brings B back.")
        if workspace.document().baseline:
            st.button("Forget A", on_click=drop, key="drop_a")


def _changes(plans: Pair) -> None:
    """Draw what differs between A and B; nothing where they are the same."""
    if plans.same:
        return
    totals, errors = scenario.differences(plans.one, plans.other), answers.releases(plans.a, plans.b)
    if _differs(totals, errors):
        _charts(plans, totals, errors)
    else:
        with st.expander("No total and no error differs: what A and B cost and give"):
            _charts(plans, totals, errors)


def _differs(totals: pandas.DataFrame, errors: pandas.DataFrame) -> bool:
    """Whether the charts show any difference, or two promises that have none."""
    drawn = totals[totals.quantity.isin(scenario_bars.DRAWN)]
    return any(difference != 0 for frame in (drawn, errors) for difference in frame.difference)


def _charts(plans: Pair, totals: pandas.DataFrame, errors: pandas.DataFrame) -> None:
    costs, accuracy = st.columns(2, gap="medium")
    with costs:
        components.chart(
            scenario_bars.scenario_bars(totals, components.dark()),
            totals,
            "scenario-totals",
            _title(plans, totals),
            scenario_bars.described_bars(totals),
        )
    with accuracy:
        _errors(errors)


def _title(plans: Pair, totals: pandas.DataFrame) -> str:
    if plans.apart:
        return "What each costs: promises about different units, side by side"
    difference = totals.difference.iloc[0]
    if math.isinf(difference):
        return f"What it costs: nothing bounds {'B' if difference > 0 else 'A'}"
    return f"What it costs: ε changes by {scenario_bars.changed(difference)}"


def _errors(errors: pandas.DataFrame) -> None:
    drawn = errors[errors.quantity == "half_width"]
    if drawn.empty:
        st.markdown("**What it gives**: neither plan adds noise to a number, so there is no error to compare.")
        return
    moved = sum(difference != 0 for difference in drawn.difference)
    components.chart(
        scenario_bars.error_dumbbells(errors, components.dark()),
        errors,
        "scenario-errors",
        f"What it gives: {_moved(moved, len(drawn))}",
        scenario_bars.described_errors(errors),
    )
    if len(drawn) > scenario_bars.MOST_ROWS:
        st.caption(f"The {scenario_bars.MOST_ROWS} that change most are drawn; all {len(drawn)} are in the table.")


def _moved(moved: int, among: int) -> str:
    return f"the error of {moved} of {among} releases changes" if moved else "no release's error changes"


def _tables(plans: Pair) -> None:
    """Draw the exact numbers, one table at a time."""
    tabs = st.tabs(VIEWS, key="abview", bind="query-params")
    bodies = (partial(_totals_table, plans), partial(_releases_table, plans), partial(_published_table, plans.b))
    for tab, body in zip(tabs, bodies, strict=True):
        if tab.open:
            with tab:
                body()
    st.caption("Costs and errors are rounded up to nine digits, budgets down; files of data hold all digits.")


def exact(quantity: str, value: float | None) -> str:
    """Return a number of a table: counts whole, a limit rounded down, all else rounded up, to nine digits.

    Examples
    --------
    >>> exact("uses", 1080.0), exact("epsilon", 2.487314518127013), exact("budget", 4.0), exact("delta", 1e-6)
    ('1,080', '2.48731452', '4', '10⁻⁶')
    """
    if value is None or math.isinf(value):
        return "–" if value is None else "no limit" if quantity == "budget" else "none"
    if quantity in COUNTS:
        return shown_count(int(value))
    return (shown_down if quantity == "budget" else shown_up)(value, DIGITS)


def _with_texts(frame: pandas.DataFrame) -> pandas.DataFrame:
    texts = {name: [exact(*row) for row in zip(frame.quantity, frame[name], strict=True)] for name in ("a", "b")}
    moved = [
        "not formed" if each is None or math.isinf(each) else scenario_bars.changed(each, 6)
        for each in frame.difference
    ]
    return frame.assign(**texts, difference=moved)


def _number_columns() -> dict[str, object]:
    config = st.column_config
    numbers = {"a": "A", "b": "B", "difference": "B − A"}
    return {name: config.TextColumn(label, alignment="right", width=150) for name, label in numbers.items()}


def _differences(frame: pandas.DataFrame, columns: dict[str, object], alt: str) -> None:
    columns |= _number_columns()
    columns |= {"unit": "Unit", "a_note": "About A", "b_note": "About B", "reason": "Why no difference"}
    st.dataframe(_with_texts(frame), hide_index=True, column_order=list(columns), column_config=columns, alt=alt)


def _totals_table(plans: Pair) -> None:
    columns = {"label": st.column_config.TextColumn("Quantity", pinned=True)}
    _differences(scenario.differences(plans.one, plans.other), columns, "Exact totals of A and B")


def _releases_table(plans: Pair) -> None:
    release = st.column_config.TextColumn("Release", pinned=True)
    columns = {"release": release, "status": "In", "label": "Quantity"}
    _differences(answers.releases(plans.a, plans.b), columns, "Exact values of every release under A and B")


def _published_table(plan: Plan) -> None:
    frame = published(plan.unit, plan.budget.delta)
    config = st.column_config
    number = partial(config.TextColumn, alignment="right")
    shown = frame.assign(
        epsilon=["–" if row.epsilon is None else _published_text(row) for row in frame.itertuples()],
        delta=[row.delta_basis if row.delta is None else shown_up(row.delta, DIGITS) for row in frame.itertuples()],
        rho=["" if rho is None else shown_up(rho, DIGITS) for rho in frame.rho],
    )
    st.dataframe(
        shown,
        hide_index=True,
        column_order=[name for name in deployments.COLUMNS if name not in ("group", "matches", "delta_basis")],
        column_config={
            "unit": config.TextColumn("Unit of privacy", pinned=True),
            "name": "Deployment",
            "curator": "Curator",
            "published": "Published",
            "model": "Model",
            "variant": "Variant",
            "epsilon": number("ε"),
            "epsilon_basis": "ε is",
            "delta": number("δ"),
            "rho": number("ρ"),
            "review_status": "Review",
            "tier": "Tier",
            "source": config.LinkColumn("Source", display_text="open"),
        },
        alt="Published deployments of differential privacy",
    )


def _published_text(row: object) -> str:
    """The number as reported; a converted one with few digits, rounded up."""
    return shown_up(row.epsilon, DIGITS) if row.epsilon_basis == "reported" else shown_up(row.epsilon)


def _explain(plans: Pair) -> None:
    """Draw what is compared, what risk means, and where the published numbers come from."""
    with st.expander("Why: what is compared, what risk means, and where the published numbers come from"):
        for note in told.compared(plans.one, plans.other):
            st.markdown(note)
        st.latex(r"\text{advantage} = \max_{\text{attacks}}\,(\mathrm{TPR}-\mathrm{FPR}) = \delta(0)")
        st.markdown(told.registry())
        st.latex(
            r"\varepsilon = \min_{\alpha>1}\; \alpha\rho + \frac{\ln(1/\delta)}{\alpha-1}"
            r" + \ln\frac{\alpha-1}{\alpha} - \frac{\ln\alpha}{\alpha-1}"
        )
        st.markdown("Source: Canonne, Kamath & Steinke (2020), Cor. 13.")
