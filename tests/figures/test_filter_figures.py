"""The charts of filters: complete, readable at the extremes, exact on hover."""

import numpy as np
import pandas
import pytest
from plotly.graph_objects import Figure

from dpviz.figures.base.identity import identity
from dpviz.figures.learn import filter_counts, odometer

RULES = {"basic": "Basic", "rogers": "Rogers et al.", "fully_adaptive": "Fully adaptive", "zcdp": "zCDP"}


def counts(runs: float = 1.0) -> pandas.DataFrame:
    epsilons = np.geomspace(0.001, 1, 30)
    rows = [
        pandas.DataFrame(
            {"rule": rule, "label": label, "epsilon": epsilons, "runs": (runs * 0.1**place / epsilons).astype(int)}
        )
        for place, (rule, label) in enumerate(RULES.items())
    ]
    return pandas.concat(rows, ignore_index=True)


def crossings(*epsilons: float) -> pandas.DataFrame:
    chosen = list(RULES.items())[1 : 1 + len(epsilons)]
    return pandas.DataFrame(
        {
            "rule": [rule for rule, _ in chosen],
            "label": [label for _, label in chosen],
            "epsilon": list(epsilons),
            "runs": [int(1 / each) for each in epsilons],
        }
    ).astype({"epsilon": float})


def session(budget: float = 1.0, steps: int = 50) -> tuple[pandas.DataFrame, odometer.Stops]:
    step = np.arange(steps + 1)
    lines = [
        pandas.DataFrame({"rule": rule, "label": label, "step": step, "epsilon": np.minimum(step * each, 1) * budget})
        for (rule, label), each in zip(
            [*RULES.items(), ("fixed", "Fixed")], (0.05, 0.04, 0.03, 0.02, 0.01), strict=True
        )
    ]
    stops = pandas.DataFrame(
        {"rule": list(RULES)[:3], "label": list(RULES.values())[:3], "step": [21, 26, 34], "epsilon": [budget] * 3}
    )
    return pandas.concat(lines, ignore_index=True), odometer.Stops(stops, 40)


def structure(figure: Figure) -> dict:
    return {
        "traces": [(trace.type, trace.mode, trace.name, trace.line.dash) for trace in figure.data],
        "axes": (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.type),
        "words": sorted(annotation.text for annotation in figure.layout.annotations),
        "height": figure.layout.height,
    }


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("in_words", [False, True])
def test_counts_structure(snapshot, log: bool, in_words: bool):
    """Lines, axes and words."""
    figure = filter_counts.filter_counts(counts(), crossings(0.01, 0.03, 0.05), 0.01, log, in_words)
    assert structure(figure) == snapshot


@pytest.mark.parametrize("in_words", [False, True])
def test_odometer_structure(snapshot, in_words: bool):
    """Lines, budget, refusals."""
    assert structure(odometer.odometer(*session(), 1.0, in_words)) == snapshot


def test_every_rule_looks_the_same_on_both():
    """Colour and dash belong to the rule."""
    first = filter_counts.filter_counts(counts(), crossings(), 0.01).data
    second = odometer.odometer(*session(), 1.0).data
    for place, rule in enumerate(RULES):
        for trace in (first[place], second[place]):
            assert (trace.line.color, trace.line.dash) == (identity(rule).light, identity(rule).dash)


def test_hover_is_exact_and_nothing_is_no_point_on_a_logarithmic_axis():
    """Counts of 0 are gaps, not points; the hover holds the counts."""
    frame = counts(0.1)
    drawn = filter_counts.filter_counts(frame, crossings(), 0.01).data
    for place, rule in enumerate(RULES):
        trace, rows = drawn[place], frame[frame.rule == rule]
        assert trace.customdata.tolist() == rows.runs.tolist()
        assert np.array_equal(np.isnan(trace.y), rows.runs.to_numpy() == 0)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("chosen", "text"), [(0.01, "ε = 0.01"), (50, "ε = 50 →"), (1e-6, "← ε = 10⁻⁶")])
def test_the_chosen_epsilon_is_named(log: bool, chosen: float, text: str):
    """Inside the chart, beyond, and before it; on a linear axis a tiny ε lies at the very left."""
    words = [each.text for each in filter_counts.filter_counts(counts(), crossings(), chosen, log).layout.annotations]
    assert words == [text if log or chosen > 1e-3 else "ε = 10⁻⁶"]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("factor", [0.0, 1e6])
def test_extremes_have_a_proper_axis(log: bool, factor: float):
    """Not one query, or a thousand million."""
    low, high = filter_counts.filter_counts(counts(factor), crossings(), 0.01, log).layout.yaxis.range
    assert low < high and np.isfinite([low, high]).all()


@pytest.mark.parametrize("budget", [1e-6, 1000.0])
def test_the_budget_keeps_its_place(budget: float):
    """Words stand above the line of the budget, whatever its size."""
    figure = odometer.odometer(*session(budget), budget)
    assert figure.layout.yaxis.range[1] == pytest.approx(odometer.ROOM * budget)
    assert all(0 <= shape.y1 <= max(1, budget) for shape in figure.layout.shapes)


def test_a_session_without_queries_is_drawn():
    """Axes and the budget, and a sentence that says so."""
    frame, stops = session(steps=0)
    nothing = odometer.Stops(stops.frame.iloc[:0])
    assert "budget ε = 1" in [each.text for each in odometer.odometer(frame, nothing, 1.0).layout.annotations]
    assert "Nothing is refused" in odometer.described(frame, nothing, 1.0)


def test_they_can_be_heard():
    """The text alternatives say what wins, and what is refused."""
    text = filter_counts.described(counts(), crossings(0.01))
    assert "Rogers et al. beats Basic below 0.01" in text and "Basic from 1,000 to 1" in text
    frame, stops = session()
    text = odometer.described(frame, stops, 1.0)
    assert "Basic refuses query 21 first" in text and "the budget is 1" in text
