"""The charts of the theorems page: complete, and silent about what cannot be drawn."""

import math

import numpy as np
import pandas
from plotly.graph_objects import Figure

from dpviz.figures.check import claim_ratios
from dpviz.figures.learn import noise_per_query

CLAIMS = pandas.DataFrame(
    {
        "document": ["First", "First", "Second, part", "Second, part", "Second, part"],
        "says": ["<b>a</b>", "b", "c", "d", "e"],
        "quantity": ["ε"] * 5,
        "verdict": ["right", "wrong", "true, but not by the quoted theorem", "wrong", "wrong"],
        "stated": [1.0, 2.0, 3.0, math.inf, math.nan],
        "correct": [1.0, 4.0, 2.0, 1.0, math.nan],
        "off_by": ["equal"] * 5,
    }
)
NOISE = pandas.DataFrame(
    {
        "way": ["a", "a", "b", "b", "c", "c"],
        "label": ["One", "One", "Two", "Two", "Three", "Three"],
        "theorem": ["basic", "basic", "basic", "basic", "", ""],
        "count": [1, 10] * 3,
        "error": [1.0, 10.0, 2.0, 20.0, 0.5, 5.0],
        "proved": [True, True, True, True, False, False],
    }
)


def structure(figure: Figure) -> dict:
    return {
        "traces": [(trace.type, trace.mode, trace.name, trace.line.dash) for trace in figure.data],
        "axes": (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.type),
        "words": sorted(annotation.text for annotation in figure.layout.annotations),
        "height": figure.layout.height,
    }


def test_structure(snapshot):
    assert structure(claim_ratios.claim_ratios(CLAIMS)) == snapshot
    assert structure(noise_per_query.noise_per_query(NOISE)) == snapshot


def test_ratios_are_stated_over_right():
    """Infinite and missing values are left to the table."""
    figure = claim_ratios.claim_ratios(CLAIMS, dark=True)
    assert sorted(np.concatenate([trace.x for trace in figure.data]).tolist()) == [0.5, 1.0, 1.5]
    assert "farthest: b" in claim_ratios.described(CLAIMS)


def test_markup_is_shown_letter_by_letter():
    figure = claim_ratios.claim_ratios(CLAIMS)
    assert figure.data[0].text[0].startswith("&lt;b&gt;a")


def test_nothing_to_draw():
    none = CLAIMS.iloc[3:]
    assert len(claim_ratios.claim_ratios(none).data) == 0
    assert claim_ratios.described(none).startswith("No claim")


def test_a_second_line_of_a_theorem_has_another_dash():
    lines = noise_per_query.noise_per_query(NOISE, dark=True).data
    assert lines[0].line.color == lines[1].line.color and lines[0].line.dash != lines[1].line.dash
    assert lines[2].line.dash == "dot"
    assert noise_per_query.described(NOISE).endswith("first: Three 5; One 10; Two 20.")
