"""The charts of the scenarios page: A and B side by side, and what others publish; complete at every extreme."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz import Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.figures.plan import published_epsilons, scenario_bars
from dpviz.figures.plan.published_epsilons import Mark
from dpviz.planning.deployments import neighbouring, published, unit_group
from dpviz.planning.scenario import differences

A = Plan(
    [Release("Visits", Laplace.from_epsilon(0.2), 30), Release("Mean <b>age</b>", Gaussian(5.0, 1))],
    Guarantee(10.0, 1e-6),
    "user-month",
)
B = replace(A, releases=(Release("Visits", Laplace.from_epsilon(0.1), 30), Release("Trips", Laplace(4.0, 1))))
EMPTY = Plan([], Guarantee(1.0, 1e-6))
RESPONSE = Plan([Release("r", RandomizedResponse(50.0), 1_000_000)], Guarantee(1.0, 0.0))
MANY = Plan([Release(f"release {n}", Laplace(10.0**n, 1), 1) for n in range(-6, 14)])
NEVER = Plan([Release("g", Gaussian(1.0, 1))], Guarantee(1.0, 0.0))


def structure(figure) -> dict:
    """What a reader sees of a figure, without its numbers."""
    layout = figure.layout
    return {
        "traces": [(trace.type, trace.name, trace.showlegend) for trace in figure.data],
        "x": (layout.xaxis.title.text, layout.xaxis.type),
        "notes": len(layout.annotations),
        "height": layout.height,
    }


def test_structures(snapshot):
    """Traces, axes and notes of a real pair and of the registry."""
    marks = [Mark("δ = 10⁻⁶", "Approximate DP", 5.0), Mark("pure", "Pure DP", 6.0)]
    figures = {
        "bars": scenario_bars.scenario_bars(differences(A, B)),
        "published": published_epsilons.published_epsilons(published(A), marks, "user-month"),
    }
    assert {name: structure(figure) for name, figure in figures.items()} == snapshot


@pytest.mark.parametrize("a", [A, EMPTY, RESPONSE, MANY, NEVER])
@pytest.mark.parametrize("b", [B, EMPTY, RESPONSE, NEVER])
def test_pairs_of_any_plans(a: Plan, b: Plan):
    """Bars start at zero and end inside their axis; what is the same in both is none, but for the total."""
    totals = differences(a, b)
    bars = scenario_bars.scenario_bars(totals)
    had = totals.set_index("quantity").loc[list(scenario_bars.DRAWN[1:])]
    either = np.isfinite(had[["a", "b"]].astype(float)).any(axis=1)
    assert len(bars.data) == 2 * (1 + (either & (had.difference != 0)).sum())
    for bar in bars.data:
        axis = bars.layout[bar.xaxis.replace("x", "xaxis")]
        assert axis.range[0] == 0 and 0 <= bar.x[0] <= axis.range[1] < math.inf
    assert scenario_bars.described_bars(totals)
    assert "nan" not in bars.to_json().lower().replace("tenant", "")


def test_limits_are_marked_where_the_bars_reach():
    """A dashed line across each bar; a limit far beyond them is told in words alone, and none where there is none."""
    narrow = replace(B, budget=Guarantee(8.0, 1e-6))
    figure = scenario_bars.scenario_bars(differences(A, narrow))
    assert [(line.x0, line.y0, line.y1) for line in figure.layout.shapes] == [(10, -0.5, 0.5), (8, 0.5, 1.5)]
    assert figure.layout.xaxis.range[1] >= 10 and figure.layout.annotations[0].text.endswith("; limit (dashed) 10 → 8")
    far = [replace(each, budget=Guarantee(1000.0, 1e-6)) for each in (A, B)]
    figure = scenario_bars.scenario_bars(differences(*far))
    assert not figure.layout.shapes and figure.layout.annotations[0].text.endswith("; limit 1000")
    figure = scenario_bars.scenario_bars(differences(A, replace(B, budget=Guarantee(math.inf, 1e-6))))
    assert len(figure.layout.shapes) == 1 and figure.layout.annotations[0].text.endswith("; limit (dashed) 10 → none")
    none = [replace(each, budget=Guarantee(math.inf, 1e-6)) for each in (A, B)]
    figure = scenario_bars.scenario_bars(differences(*none))
    assert not figure.layout.shapes and "limit" not in figure.layout.annotations[0].text


def test_different_promises_are_not_subtracted():
    """No arrow and no difference between numbers of two units."""
    figure = scenario_bars.scenario_bars(differences(A, replace(B.repeated(2), unit="person")))
    first, *_, uses = [note.text for note in figure.layout.annotations]
    assert "two different promises" in first and "→" not in first
    assert "(" in uses and "→" in uses


def test_markup_is_shown_letter_by_letter():
    """Names come from visitors."""
    figure = published_epsilons.published_epsilons(published(A), [], "<b>x</b>")
    assert "&lt;b&gt;x" in figure.layout.yaxis.ticktext[0]


@pytest.mark.parametrize("unit", ["user-day", "person", "household", "User-level"])
def test_each_deployment_stands_in_the_row_of_its_unit(unit: str):
    """Units are never mixed: one row holds one unit, and only the plan's own unit is spread over several."""
    frame = published(Plan((), Guarantee(1.0, 1e-6), unit))
    group = unit_group(unit)
    figure = published_epsilons.published_epsilons(frame, [Mark("pure", "Pure DP", 1.0)], group)
    drawn = [(y, hover, trace.name) for trace in figure.data for y, hover in zip(trace.y, trace.hovertext, strict=True)]
    assert len(drawn) == len(frame) + 1
    own = len(frame[frame.matches])
    labels = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    for y, hover, name in drawn:
        if name == "current plan":
            assert y == 0
        elif y <= own:
            assert y > 0
        else:
            assert labels[y] in frame.group.map(published_epsilons._cut).tolist()
            units = {part for row in frame.itertuples() if row.name in hover for part in [row.group]}
            assert labels[y] in {published_epsilons._cut(unit) for unit in units}
    assert sum(0 < y <= own for y, *_ in drawn) == own
    assert len({trace.marker.color for trace in figure.data if trace.name != "current plan"}) == 1  # no verdict


@pytest.mark.parametrize("unit", ["person-year", "user-day", "person", "household"])
def test_neighbouring_units_have_names(unit: str):
    """In the plan's unit and its neighbours each deployment has a row and a name of its own; others have marks only."""
    frame, near = published(Plan((), Guarantee(1.0, 1e-6), unit)), neighbouring(unit)
    figure = published_epsilons.published_epsilons(frame, [], unit_group(unit), near=near)
    drawn = [
        (y, text, hover)
        for trace in figure.data
        for y, text, hover in zip(trace.y, trace.text, trace.hovertext, strict=True)
    ]
    expected = frame[frame.matches | frame.group.isin(near)]
    named = [(y, text) for y, text, _ in drawn if text]
    assert len(named) == len(expected) == len({y for y, _ in named}) == len({text for _, text in named})
    assert all(any(row.name in hover for *_, hover in drawn) for row in expected.itertuples())
    labels = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert set(near) <= set(labels.values()) and not set(labels) & {y for y, _ in named}


def test_a_unit_has_at_most_twelve_names():
    """Further ones stand, unnamed, in the unit's first row."""
    frame = published(Plan((), Guarantee(1.0, 1e-6), "user"))
    many = frame.loc[frame.index.repeat(3)].reset_index(drop=True)
    figure = published_epsilons.published_epsilons(many, [], "user")
    assert sum(bool(text) for trace in figure.data for text in trace.text) == published_epsilons.MOST_NAMES
    unnamed = int(many.matches.sum()) - published_epsilons.MOST_NAMES
    assert sum(y == 0 for trace in figure.data for y in trace.y) == unnamed


def test_no_deployments_and_no_total_have_no_axis():
    frame = published(Plan((), Guarantee(1.0, 1e-6), "person")).head(0)
    assert not published_epsilons.published_epsilons(frame, [], "person").layout.xaxis.visible


def test_converted_numbers_have_a_symbol_of_their_own():
    """What was converted here is never drawn as reported."""
    frame = published(Plan((), Guarantee(1.0, 1e-6), "person"))
    figure = published_epsilons.published_epsilons(frame, [], "person")
    hollow = next(trace for trace in figure.data if trace.marker.symbol == published_epsilons.CONVERTED)
    assert sorted(hollow.x) == sorted(frame.epsilon[frame.epsilon_basis != "reported"])
    assert all("converted here" in text for text in hollow.hovertext)
    none = published(Plan((), Guarantee(1.0, 0.0), "person"))
    figure = published_epsilons.published_epsilons(none, [], "person")
    assert sum(len(trace.x) for trace in figure.data) == len(frame) - len(hollow.x)


@pytest.mark.parametrize("epsilon", [0.0, math.inf, 1e-9, 1e9])
def test_plans_off_the_axis(epsilon: float):
    """0 and inf have no place on a logarithmic axis; all else stretches it. The words say each."""
    frame, marks = published(A), [Mark("pure", "Pure DP", epsilon)]
    figure = published_epsilons.published_epsilons(frame, marks, "user-month")
    plan = figure.data[-1]
    low, high = figure.layout.xaxis.range
    assert len(plan.x) == (0 < epsilon < math.inf)
    assert all(low < math.log10(x) < high for trace in figure.data for x in trace.x)
    assert "pure" in published_epsilons.described(frame, marks, "user-month")


def test_the_plan_is_named_where_there_is_room():
    """A number at the right end of the chart is written to its left: cut off, 79.2 would read as 79."""
    marks = [Mark("δ = 10⁻⁶", "Approximate DP", 21.98), Mark("pure", "Pure DP", 79.2)]
    frame = published(Plan((), unit="user-month"))
    figure = published_epsilons.published_epsilons(frame, marks, "user-month")
    [plan] = [trace for trace in figure.data if trace.name == published_epsilons.PLAN]
    assert list(plan.textposition) == ["middle left", "top left"]


def test_without_kinds_who_promises_is_named_and_marks_are_alike():
    """For who is told no kinds of promise: filled or hollow, each with its publisher; the plan alone is called so."""
    frame, marks = published(replace(EMPTY, unit="person-year")), [Mark("δ = 10⁻⁶", "Approximate DP", 5.0)]
    near = neighbouring("person-year")
    *others, plan = published_epsilons.published_epsilons(frame, marks, near=near, kinds=False).data
    assert {trace.marker.symbol for trace in others} <= {"circle", "circle-open"}
    named = [text for trace in others for text in trace.text if text]
    assert named and all(any(text.strip().startswith(each[:10]) for each in frame.curator) for text in named)
    assert plan.text[0].strip() == "<b>this plan: 5</b>"
