"""Answers behind the page on sampling: in order, and as the core has them."""

import pytest

from dpviz import Guarantee
from dpviz.ui.subsampling import answer as cache
from dpviz.ui.subsampling import asked
from dpviz.ui.subsampling.presets import ADAPTIVE, BASIC, GAUSSIAN, LAPLACE, ROGERS
from tests.golden import GOLDEN


@pytest.mark.parametrize(
    ("run", "budget", "rate"),
    [
        (asked.Run(LAPLACE, 0.001), Guarantee(0.2, 2e-30), 0.5),
        (asked.Run(LAPLACE, 1e-5), Guarantee(1.0, 1e-6), 0.01),
        (asked.Run(LAPLACE, 2.0), Guarantee(1.0, 0.0), 0.3),
        (asked.Run(GAUSSIAN, 0.5, 1e-9), Guarantee(1.0, 1e-6), 0.1),
    ],
)
def test_totals_are_in_order(run: asked.Run, budget: Guarantee, rate: float):
    """More knowledge never costs more: the noise and the sample, the noise, the best theorem on pairs, the sum."""
    wide = cache.totals(run, budget.delta, rate, 100_000).pivot(index="count", columns="way", values="epsilon")
    assert (wide["poisson"] <= wide["without_replacement"]).all()
    assert (wide["without_replacement"] <= wide["pairs"]).all()
    assert (wide["pairs"] <= wide["sum"]).all()
    assert wide["poisson"].iloc[-1] > 0 and wide["poisson"].is_monotonic_increasing


def test_rules_admit_what_is_known():
    """At ε = 0.001, with and without a sample of half the records."""
    rows = [
        GOLDEN["curves"][section]["rows"][0]
        for section in ("sherpa_subsampling_none", "sherpa_subsampling_without_replacement_m50")
    ]
    counts = cache.by_rule(asked.Run(LAPLACE, 0.001), Guarantee(0.2, 2e-30), (1.0, 0.5))
    known = {ROGERS: "sherpa_rule_exact", BASIC: "basic_exact", ADAPTIVE: "whitehouse_or_basic"}
    assert counts == {rule: [int(row[name]) for row in rows] for rule, name in known.items()}


@pytest.mark.parametrize("span", [2, 9, 100, 101, 1000])
def test_the_grid_is_made_of_decimals(span: int):
    """From ε to its multiple, increasing, without digits that nobody typed."""
    values = cache.grid(0.001, span)
    assert values[0] == 0.001 and values[-1] == round(0.001 * span, 9) and values == sorted(set(values))
    assert all(len(repr(value)) <= 9 for value in values)


def test_a_line_has_points_where_the_runs_that_fit_end():
    """Drawn in steps, as high as at the next point, it crosses the budget there and not long before."""
    run, fit = asked.Run(LAPLACE, 0.1), 30
    counts = cache.totals(run, 1e-6, 0.1, 1000, cache.KINDS[:1], cache.ACCURACY, (fit, 5000))["count"]
    assert {fit, fit + 1} <= set(counts) == {*cache.rounds(1000).tolist(), fit, fit + 1}
