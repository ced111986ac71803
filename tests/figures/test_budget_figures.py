"""The charts of the budget page: complete, zero-based where they are bars, one scale per panel."""

import math

import pandas
import pytest

from dpviz import ApproximateDP, Gaussian, Laplace, RandomizedResponse
from dpviz.figures.base.scale import SMALL
from dpviz.figures.plan import error_against_budget, error_bars, release_errors
from dpviz.mechanisms import Exponential
from dpviz.planning.accuracy import half_width, quantile_dots

NAMES = ("now", "then")


def rows(number: int = 3) -> pandas.DataFrame:
    """Releases before and after, one of them without noise, one added."""
    widths = [10.0 / (row + 1) for row in range(number)]
    frame = pandas.DataFrame(
        {
            "release": [f"release <b>{row}</b>" for row in range(number)],
            "note": ["", "kept", "added"][:number] + [""] * (number - 3),
            "answer_unit": ["persons", "", ""][:number] + [""] * (number - 3),
            "typical": pandas.Series([100.0, None, *[50.0] * (number - 2)], dtype=object),
            "why_no_width": "",
            "width_before": pandas.Series(widths, dtype=object),
            "width_after": pandas.Series([each / 2 for each in widths], dtype=object),
        }
    )
    frame.at[1, "width_before"] = frame.at[1, "width_after"] = None
    frame.at[2, "width_before"] = None
    return frame


def structure(figure) -> dict:
    """What a reader sees of a figure, without its data."""
    layout = figure.to_dict()["layout"]
    axes = {name: axis for name, axis in layout.items() if name[1:5] == "axis"}
    titles = {name: axis["title"]["text"] for name, axis in axes.items() if "title" in axis}
    return {
        "traces": [(trace.type, trace.name) for trace in figure.data],
        "axes": titles,
        "domains": {name: axis["domain"] for name, axis in axes.items() if "domain" in axis},
        "texts": [note.text for note in figure.layout.annotations],
        "height": figure.layout.height,
    }


def dots() -> pandas.DataFrame:
    parts = []
    for state, mechanism in zip(NAMES, (Laplace(10.0), Gaussian(3.0)), strict=True):
        errors, width = quantile_dots(mechanism), half_width(mechanism)
        parts.append(pandas.DataFrame({"state": state, "error": errors, "half_width": width}))
    frame = pandas.concat(parts, ignore_index=True)
    return frame.assign(inside=frame.error.abs() <= frame.half_width)


CURVE = pandas.DataFrame({"epsilon": [0.5, 1.0, 4.0], "half_width": [80.0, 40.0, 10.0], "correct": [55.0, 60.0, 80.0]})


def test_structures(snapshot):
    """Traces, names, axes and texts of the three charts."""
    assert structure(error_bars.error_bars(rows(), NAMES, "error ±w")) == snapshot
    assert structure(release_errors.release_errors(dots(), 40.0)) == snapshot
    assert structure(error_against_budget.error_against_budget(CURVE, 1.0, "person")) == snapshot


def test_dark_charts_say_the_same():
    """Only colours differ."""
    for draw in (
        lambda dark: error_bars.error_bars(rows(), NAMES, "error", dark),
        lambda dark: release_errors.release_errors(dots(), None, dark),
        lambda dark: error_against_budget.error_against_budget(CURVE, 1.0, "person", dark),
    ):
        assert structure(draw(False)) == structure(draw(True))
        assert draw(False).to_json() != draw(True).to_json()


def test_bars_start_at_zero_and_end_inside():
    """Every known value has a bar within its axis; what is missing has none."""
    figure = error_bars.error_bars(rows(), NAMES, "error")
    for bar in figure.data:
        start, end = figure.layout.xaxis.range
        assert start == 0 and all(value is None or 0 <= value <= end for value in bar.x)
        assert None in bar.x
    assert "no noise to measure" in [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize("mechanism", [RandomizedResponse(1.0), ApproximateDP(1.0, 0.0), Exponential(1.0)])
def test_a_row_without_an_error_says_why(mechanism):
    """In at most two lines; a long reason goes on in the table."""
    frame = rows().assign(why_no_width=["", mechanism.why_no_noise, ""])
    figure = error_bars.error_bars(frame, NAMES, "error")
    told = [note.text.split("<br>") for note in figure.layout.annotations if note.font.size == SMALL]
    (lines,) = told
    assert " ".join(lines) == mechanism.why_no_noise
    assert len(lines) <= error_bars.WHY_LINES and max(map(len, lines)) <= error_bars.WHY_LENGTH


@pytest.mark.parametrize("value", [0.0, None, 1e-300, 1e300])
def test_extreme_errors_are_drawn(value):
    """Neither nothing nor very much breaks the chart."""
    frame = rows()
    frame["width_before"] = frame["width_after"] = pandas.Series([value] * 3, dtype=object)
    figure = error_bars.error_bars(frame, NAMES, "error")
    assert all(math.isfinite(x) for bar in figure.data for x in bar.x)


def contrast(colour: str, ground: str) -> float:
    """Contrast ratio of WCAG 2."""

    def luminance(text: str) -> float:
        parts = [int(text[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(colour), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("dark", "ground"), [(False, "#ffffff"), (True, "#0e1117")])
def test_texts_that_carry_values_are_read_easily(dark, ground):
    """AA contrast of all texts on both grounds."""
    split = error_bars.error_bars(rows(), NAMES, "error", dark)
    others = (release_errors.release_errors(dots(), None, dark),
              error_against_budget.error_against_budget(CURVE, 1.0, "person", dark))  # fmt: skip
    colours = [figure.layout.font.color for figure in (split, *others)]
    colours += [bar.textfont.color for bar in split.data]
    assert min(contrast(colour, ground) for colour in colours) >= 4.5


def test_names_take_two_lines_and_what_is_special_follows():
    frame = rows()
    frame["release"] = ["Visits to public places, per county or municipality", "x" * 200, "short"]
    figure = error_bars.error_bars(frame, NAMES, "error")
    names = [note.text.split("<br>") for note in figure.layout.annotations if note.yanchor == "bottom" and note.y != 1]
    assert [len(lines) for lines in names] == [2, 2, 1]
    assert [each[-1].partition(", <i>")[2] for each in names] == ["", "kept</i>", "added</i>"]
    assert max(len(line.partition(", <i>")[0]) for lines in names for line in lines) <= error_bars.LINE_LENGTH


def test_rows_in_different_units_have_no_common_axis():
    """The larger of both states fills its row; texts and pointing keep the errors themselves."""
    figure = error_bars.error_bars(rows(), NAMES, "error", one_scale=False)
    before, after = figure.data
    assert before.x == (1.0, None, None) and after.x[0] == 0.5 and after.x[2] == 1.0
    assert before.text[0] == "±10 persons (10 %)" and after.text[0] == "±5 persons (5 %)"
    assert before.customdata[0][1] == "±10"
    assert figure.layout.xaxis.showticklabels is False
    assert any("each row on its own scale" in note.text for note in figure.layout.annotations)


def test_errors_of_one_state_are_shares_of_typical_values():
    """Units differ, and there is no other state that a bar could be held against; without a typical value, no bar."""
    now = rows().assign(width_after=None)
    now.at[2, "width_before"] = 25.0
    figure = error_bars.error_bars(now, NAMES, "error", one_scale=False)
    (errors,) = figure.data
    assert errors.x == (0.1, None, 0.5) and errors.text == ("±10 persons (10 %)", "", "±25 (50 %)")
    assert figure.layout.showlegend is False
    assert any("as a share of its typical value" in note.text for note in figure.layout.annotations)
    untold = error_bars.error_bars(now.assign(typical=None), NAMES, "error", one_scale=False)
    assert not any("as a share" in note.text for note in untold.layout.annotations), "where no bar is one"


def test_many_releases_are_cut_and_the_rest_is_named():
    """Twelve rows are drawn; the alternative text says how many more there are."""
    figure = error_bars.error_bars(rows(40), NAMES, "error")
    assert len(figure.data[0].x) == error_bars.MOST_ROWS
    assert "28 more releases" in error_bars.described(rows(40), NAMES, "95 %")


def test_every_dot_is_drawn_once_at_its_own_place():
    """Twenty dots per state, at their exact errors around the exact answer; each state counts its own."""
    frame = dots()
    figure = release_errors.release_errors(frame, 40.0)
    drawn = sorted(x for trace in figure.data for x in trace.x)
    assert drawn == pytest.approx(sorted(frame.error + 40.0))
    texts = [note.text for note in figure.layout.annotations]
    assert sum("19 of 20 within" in text for text in texts) == 2 and "exact answer 40" in texts


def test_stacked_dots_never_share_a_place():
    """Dots of one bin stand above each other."""
    figure = release_errors.release_errors(dots(), None)
    places = [(trace.yaxis, x, y) for trace in figure.data for x, y in zip(trace.x, trace.y, strict=True)]
    assert len(set(places)) == len(places) == 40


def test_two_panels_share_one_axis_and_never_a_plot():
    """Error above, risk below, one guide line through both at the budget."""
    figure = error_against_budget.error_against_budget(CURVE, 1.0, "<i>person</i>")
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert figure.layout.yaxis2.overlaying is None and figure.layout.xaxis.anchor == "y2"
    [line] = figure.layout.shapes
    assert line.x0 == line.x1 == 1.0 and line.yref == "paper" and (line.y0, line.y1) == (0, 1)
    assert "&lt;i&gt;" in figure.layout.xaxis.title.text


def test_alternative_texts_speak_numbers():
    """Charts can be heard."""
    assert "within plus or minus 10, then 5 persons" in error_bars.described(rows(), NAMES, "95 %")
    assert "19 of 20" in release_errors.described(dots(), "visits")
    heard = error_against_budget.described(CURVE, 1.0, "row 1")
    assert "plus or minus 80 to 10" in heard and "at most 55 right, then 80" in heard
