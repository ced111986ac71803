"""The staircase of what is spent: complete, readable at the extremes, never below its data."""

import math
from inspect import unwrap

import numpy as np
import pandas
import pytest
from plotly.graph_objects import Figure

from dpviz.figures.base.ink import finished
from dpviz.figures.plan.spend_over_time import PAPER, Spending, described, spend_over_time


def spending(totals: list[float], budget: float = 1.0, alone: float = 0.1, step: int = 30, **options) -> Spending:
    """One step every `step` days from New Year on."""
    date = pandas.Series(np.datetime64("2026-01-01", "s") + np.arange(len(totals)) * np.timedelta64(step, "D"))
    lifetime = pandas.DataFrame({"date": date, "until": date, "uses": range(len(totals)), "epsilon": totals})
    windows = pandas.DataFrame({"start": date, "end": date + pandas.Timedelta(days=step - 1), "epsilon": alone})
    return Spending(lifetime, windows, budget, "month", "a person", **options)


def structure(figure: Figure) -> dict:
    return {
        "traces": [(trace.type, trace.mode, trace.name, trace.line.dash, trace.line.shape) for trace in figure.data],
        "axes": (figure.layout.yaxis.title.text, figure.layout.yaxis.type),
        "words": [annotation.text for annotation in figure.layout.annotations],
        "height": figure.layout.height,
    }


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("budget", [1.0, 99.0, math.inf], ids=["passed", "kept", "none"])
def test_structure(log: bool, budget: float, snapshot):
    """Two lines, a budget with its name, and a mark where it is passed."""
    figure = spend_over_time(spending([0.5, 0.9, 1.4, 20.0], budget), log, in_words=log, dark=log)
    assert structure(figure) == snapshot


def stairs(figure: Figure) -> tuple[list, list]:
    [trace] = [trace for trace in figure.data if "person" in trace.name]
    return list(trace.x), list(trace.y)


def test_steps_hold_from_their_date_on():
    """The line jumps up on the date itself, starts from the floor, and lasts until the last window ends."""
    x, y = stairs(spend_over_time(spending([0.5, 0.9])))
    assert x == ["2026-01-01", "2026-01-01", "2026-01-31", "2026-03-02"] and y == [0.0, 0.5, 0.9, 0.9]


@pytest.mark.parametrize("totals", [[0.0], [0.0, 0.0], [1e-6], [math.inf], [0.5, math.inf], [1e9, 1e12]])
@pytest.mark.parametrize("budget", [0.0, 1e-9, 1.0, 1e6, math.inf])
@pytest.mark.parametrize("log", [False, True])
def test_extremes_are_drawn(totals: list[float], budget: float, log: bool):
    """Nothing, everything and infinity have axes with finite ends, and no value that a browser cannot draw."""
    asked = spending(totals, budget, min(totals[0], 1.0))
    figure = spend_over_time(asked, log)
    assert all(math.isfinite(end) for end in figure.layout.yaxis.range)
    assert figure.layout.yaxis.range[0] < figure.layout.yaxis.range[1]
    assert all(each is None or math.isfinite(each) for each in stairs(figure)[1])
    assert ("is passed" in str(structure(figure)["words"]) or "no finite" in str(structure(figure)["words"])) == (
        max(totals) > budget
    )
    assert described(asked).startswith("Step chart")


def test_words_of_visitors_are_shown_letter_by_letter():
    asked = spending([0.5])
    figure = spend_over_time(Spending(asked.lifetime, asked.windows, 1.0, "month", "<b>x</b>"))
    assert figure.data[1].name == "&lt;b&gt;x&lt;/b&gt;"


def test_the_axis_is_logarithmic_where_the_budget_would_lie_flat():
    assert spending([0.5, 90.0]).steep and not spending([0.5, 2.0], alone=0.5).steep
    assert not spending([math.inf]).steep and not spending([0.0], math.inf, 0.0).steep


@pytest.mark.parametrize(("last", "label"), [(1.139, "1.139"), (0.99, "at most 1.139")])
def test_a_window_is_labelled_with_its_maximum_and_so_called(last: float, label: str):
    """Months differ: a number beside the end of the line is its value there, or says that it is the maximum."""
    asked = spending([1.0, 4.0, 5.0], 3.0)
    windows = asked.windows.assign(epsilon=[0.99, 1.139, last])
    figure = spend_over_time(Spending(asked.lifetime, windows, 3.0, "month", "a person"))
    assert label in structure(figure)["words"]


def test_values_are_dark_enough_on_a_light_ground():
    """4.5 : 1 on white for every text; on a dark ground the theme's own grey reads well."""
    description = unwrap(spend_over_time)(spending([0.5, 1.4])).description()
    layout = finished(description, dark=False, people=False).figure().layout
    colours = {layout.xaxis.tickfont.color, layout.yaxis.tickfont.color, layout.yaxis.title.font.color}
    colours |= {note.font.color for note in layout.annotations}
    assert all(contrast(colour) >= 4.5 for colour in colours) and contrast("#808495") < 4.5


def contrast(colour: str) -> float:
    """WCAG contrast on white."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


def test_a_budget_of_another_unit_marks_no_date():
    """The line says whose it is; nothing is said to be passed by somebody to whom it was not promised."""
    asked = spending([0.5, 1.4, 20.0], budget_of="user-<b>day")
    words = structure(spend_over_time(asked))["words"]
    assert "budget ε = 1 per user-&lt;b&gt;day" in words and not any("passed" in each for each in words)
    assert asked.exhausted is None and spending([0.5, 1.4, 20.0]).exhausted is not None
    assert "The budget is 1 per user-<b>day; none is stated for a person." in described(asked)


@pytest.mark.parametrize("log", [False, True])
def test_what_is_published_lies_under_the_staircase(log: bool):
    """Its own steps, until the day after the last that is done."""
    done = spending([0.5, 0.9]).lifetime
    figure = spend_over_time(spending([0.5, 0.9, 1.4], published=done), log)
    [ground] = [trace for trace in figure.data if trace.name == "published already"]
    assert list(ground.x) == ["2026-01-01", "2026-01-01", "2026-01-31", "2026-02-01"]
    assert list(ground.y)[1:] == [0.5, 0.9, 0.9] and ground.fill == "tozeroy"


def test_another_plan_has_a_staircase_of_its_own():
    """Thin, dashed, with its name; the axis has room for it, and the words tell its end."""
    asked = spending([0.5, 0.9], before=spending([1.0, 3.0, 30.0]).lifetime, before_name="<b>A</b>")
    figure = spend_over_time(asked)
    [other] = [trace for trace in figure.data if trace.name == "&lt;b&gt;A&lt;/b&gt;"]
    assert other.line.dash and other.line.width < 2 and list(other.y) == [0.0, 1.0, 3.0, 30.0, 30.0]
    assert figure.layout.yaxis.range[1] > 30 and asked.steep
    assert figure.layout.xaxis.range[1] == other.x[-1] == "2026-03-03"
    assert described(asked).endswith("That of <b>A</b> reaches at most 30.")


def test_a_window_counts_from_its_last_day_on():
    """The total has risen to what a window reveals by the day on which the window ends, not before."""
    asked = spending([1.0, 4.0, 5.0], 3.0)
    figure = spend_over_time(Spending(asked.lifetime, asked.windows, 3.0, "month", "a person"))
    line = figure.data[0]
    assert list(line.x[:-1]) == [str(end.date()) for end in asked.windows.end] and line.line.shape == "hv"


def test_the_largest_window_is_named_where_the_line_has_that_value():
    """Between the last day of that window and the last day of the next."""
    asked = spending([1.0, 4.0, 5.0, 6.0], 3.0)
    windows = asked.windows.assign(epsilon=[0.5, 1.139, 0.9, 0.7])
    figure = spend_over_time(Spending(asked.lifetime, windows, 3.0, "month", "a person"))
    [note] = [note for note in figure.layout.annotations if note.text == "at most 1.139"]
    assert str(windows.end[1].date()) <= note.x <= str(windows.end[2].date()) and note.y == 1.139


def test_a_spend_of_nothing_has_one_label():
    """No scale is invented above 0; a budget is a scale."""
    nothing = spend_over_time(spending([0.0], math.inf, 0.0)).layout.yaxis
    assert list(nothing.tickvals) == [0] and spend_over_time(spending([0.0], 1.0, 0.0)).layout.yaxis.tickvals is None


def test_it_is_told_in_words():
    """The text names the ends, the total, the budget and the date."""
    text = described(spending([0.5, 1.4]))
    assert "reaches at most 1.4" in text and "The budget is 1, passed on 31 January 2026." in text
    assert "which is not passed" in described(spending([0.5]))


@pytest.mark.parametrize("budget", [0.1, 0.45, 1.0, 1.3])
def test_words_of_the_mark_stand_apart_from_the_value_at_the_end(budget: float):
    """On the chart of a phone, where the staircase starts above the budget as where it ends above it."""
    asked = spending([0.5, 0.9, 1.2, 1.4], budget)
    figure = spend_over_time(asked)
    low, high = figure.layout.yaxis.range
    [mark] = [note for note in figure.layout.annotations if "is passed" in note.text]
    [value] = [note for note in figure.layout.annotations if note.text == "<b>1.4</b>"]
    share = np.datetime64(mark.x) - np.datetime64(figure.layout.xaxis.range[0])
    share = share / (np.datetime64(figure.layout.xaxis.range[1]) - np.datetime64(figure.layout.xaxis.range[0]))
    [narrow, _] = PAPER.around((share, (budget - low) / (high - low)), (mark.ax, -mark.ay), mark.text, (0.5, 0.5))
    point = 1, (1.4 - low) / (high - low)
    held = {"bottom": 0, "top": 1, "middle": 0.5}[value.yanchor]
    [other, _] = PAPER.around(point, (value.xshift, value.yshift), value.text, (1, held))
    assert not narrow.meets(other) and not narrow.leaves_the_chart()
