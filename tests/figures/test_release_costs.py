"""What costs what: complete, ranked, zero-based, readable at the extremes."""

import math

import pandas
import pytest

from dpviz.figures.plan.release_costs import BEFORE, EMPTY, MOST_ROWS, described, release_costs


def costs(shares: list[float], **columns: list) -> pandas.DataFrame:
    numbers = range(1, len(shares) + 1)
    fixed = {
        "row": numbers,
        "release": [f"release {number}" for number in numbers],
        "share": shares,
        "label": [f"{share:.0f} %" for share in shares],
    }
    return pandas.DataFrame(fixed | columns)


def texts(figure) -> list[str]:
    return [note.text for note in figure.layout.annotations]


def test_structure(snapshot):
    """Bars, names, and the marks of plan A."""
    figure = release_costs(costs([20.0, 50.0, 30.0], share_before=[10.0, math.nan, 30.0]))
    seen = {
        "traces": [(trace.type, trace.mode if trace.type == "scatter" else None, trace.name) for trace in figure.data],
        "x": [[None if x is None or math.isnan(x) else round(x, 6) for x in trace.x] for trace in figure.data],
        "words": texts(figure),
        "axis": (figure.layout.xaxis.title.text, list(figure.layout.xaxis.range)),
        "height": figure.layout.height,
    }
    assert seen == snapshot


def test_the_largest_are_on_top_and_the_rest_is_counted():
    """At most 24 rows, equal shares in the order of the plan, and how many there are."""
    figure = release_costs(costs([1.0, *[2.0] * 30]))
    [bars] = figure.data
    assert len(bars.x) == MOST_ROWS and texts(figure)[:2] == ["release 2", "release 3"]
    assert list(bars.y) == sorted(bars.y) and "24 largest of 31 releases" in figure.layout.xaxis.title.text


@pytest.mark.parametrize("shares", [[100.0], [0.0, 0.0], [1e-9, 100.0], [math.nan, 40.0]])
def test_extremes_are_drawn(shares: list[float]):
    """Bars start at 0 and end inside the axis; a label stands for each, also where a bar has no length."""
    figure = release_costs(costs(shares, label=[f"label {number}" for number in range(len(shares))]))
    low, high = figure.layout.xaxis.range
    bars = figure.data[0]
    assert low == 0 < high < math.inf and all(0 <= x <= high for x in bars.x)
    drawn = [text for text, x in zip(bars.text, bars.x, strict=True) if x > 0]
    assert len(drawn) + sum(text.startswith("label") for text in texts(figure)) == len(shares)
    assert figure.layout.xaxis.showticklabels == (max(bars.x) > 0)


def test_nothing_is_said_not_drawn():
    figure = release_costs(costs([]))
    assert texts(figure) == [EMPTY] == [described(costs([]))]
    assert not figure.layout.xaxis.visible and not figure.data


def test_names_of_visitors_are_shown_letter_by_letter_and_in_full_on_hover():
    long = "<b>Visits</b> to public places, per county and week of the year"
    figure = release_costs(costs([5.0], release=[long], hover=["ε = 1\nsecond <i>line</i>"]))
    assert texts(figure)[0] == "&lt;b&gt;Visits&lt;/b&gt; to public places, per county and week of<br>the year"
    longer = texts(release_costs(costs([5.0], release=[long + " of the year, " * 4])))[0].split("<br>")
    assert len(longer) == 2 and len(longer[1]) <= 56 and longer[1].endswith("…")
    assert "per county" in figure.data[0].hovertext[0] and "<br>second &lt;i&gt;line" in figure.data[0].hovertext[0]


def test_plan_a_is_marked_where_it_has_a_share():
    """A hollow mark, joined to the bar by dashes; the axis has room for it; no legend without one."""
    figure = release_costs(costs([20.0, 80.0], share_before=[90.0, None]))
    [marks] = [trace for trace in figure.data if trace.name == BEFORE]
    assert list(marks.x) == [90.0] and marks.marker.symbol.endswith("open") and figure.layout.showlegend
    assert figure.layout.xaxis.range[1] >= 90
    assert not release_costs(costs([20.0, 80.0], share_before=[None, None])).layout.showlegend
    assert "release 1: 20 %, in plan A 90 %" in described(costs([20.0, 80.0], share_before=[90.0, None]))


def test_dark_says_the_same():
    frame = costs([20.0, 80.0])
    light, dark = release_costs(frame), release_costs(frame, dark=True)
    assert texts(light) == texts(dark) and light.data[0].marker.color != dark.data[0].marker.color


def test_a_label_is_inside_where_the_bar_is_long_on_the_axis():
    """The axis reaches as far as plan A's shares do."""
    long, short = release_costs(costs([50.0, 20.0])), release_costs(costs([10.0, 9.0], share_before=[95.0, math.nan]))
    assert list(long.data[0].textposition) == ["inside", "outside"]
    assert list(short.data[0].textposition) == ["outside", "outside"]
