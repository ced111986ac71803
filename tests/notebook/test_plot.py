"""Every frame that can be drawn finds its figure by itself and by its name; values show themselves in a notebook."""

import html
import math
from collections.abc import Callable
from datetime import date

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given

import dpviz
from dpviz import Gaussian, Guarantee, Laplace, Plan, PrivacyLoss, Release, compare, epsilon_curve, noise_sums, plot
from dpviz.adversary.risk import posterior_frame
from dpviz.amplification.shuffling import shuffle_curve
from dpviz.amplification.subsampling import epsilon_against_rate
from dpviz.audit import audit_power
from dpviz.claims import StatedTotal, judge
from dpviz.jobs import Grid, swept
from dpviz.losses.largest import largest_losses
from dpviz.losses.region import regions
from dpviz.notebook import FIGURES
from dpviz.planning.advice.levers import levers
from dpviz.planning.deployments import published
from dpviz.planning.scenario import differences
from dpviz.planning.schedule import dated, forecast
from dpviz.sources.claims import claims_frame
from dpviz.sources.noise_per_query import noise_per_query
from dpviz.training import TrainingRun, epsilon_over_epochs
from tests.plan_strategies import PLANS

PLAN = Plan(
    [Release("a", Laplace.from_epsilon(0.1, 1), 3), Release("b", Gaussian(20.0, 1), 5)],
    Guarantee(1, 1e-6),
    unit="household",
)
GRID = {"a": {"noise": [1, 2]}}
MADE: dict[str, Callable[[], pd.DataFrame]] = {
    "plan_totals": lambda: compare(PLAN, 1e-6),
    "growth": lambda: epsilon_curve(PLAN, range(1, 6), 1e-6),
    "privacy_profile": lambda: PrivacyLoss.of(PLAN).frame(),
    "privacy_loss": lambda: dpviz.LossDistribution.of(Laplace.from_epsilon(1), 10).frame(),
    "privacy_region": lambda: regions(compare(PLAN, 1e-6), PrivacyLoss.of(PLAN)),
    "largest_loss": lambda: largest_losses(Laplace.from_epsilon(0.1), [1, 10, 100], 1e-6),
    "posterior_slopes": lambda: posterior_frame(PrivacyLoss.of(PLAN), 1e-6),
    "tornado": lambda: levers(PLAN),
    "scenario_bars": lambda: differences(PLAN, PLAN.repeated(2)),
    "forecast": lambda: forecast(dated(PLAN, date(2026, 1, 1), "monthly", date(2026, 3, 31))),
    "published_epsilons": lambda: published(PLAN),
    "audit_power": lambda: audit_power(PrivacyLoss.of(PLAN), Guarantee(0.1, 1e-6), numbers=[10, 1000]),
    "training_curves": lambda: epsilon_over_epochs(TrainingRun(1000, 100, 2.0, 1e-5, epochs=1), [1, 2], ["tree"]),
    "frontier": lambda: swept(Grid.of(PLAN, GRID)).frame,
    "against_rate": lambda: epsilon_against_rate([1.0, 2.0], [0.01, 0.1, 1.0]),
    "shuffle_curve": lambda: shuffle_curve(1.0, [1000, 10_000], 1e-6),
    "client_curve": lambda: noise_sums.client_curve(1.0, 1e-6, [2, 10, 100]),
    "noise_per_query": lambda: noise_per_query([1, 10], Guarantee(1, 1e-6), "lecture"),
    "claim_bracket": lambda: judge(PLAN, StatedTotal(1.0, 1e-6)).frame(),
    "claim_ratios": claims_frame,
}


def test_every_figure_is_tried():
    """The registry and this file name the same figures, in the same order."""
    assert [each.key for each in FIGURES] == list(MADE)


@pytest.mark.parametrize("drawable", FIGURES, ids=lambda each: each.key)
def test_a_frame_finds_its_figure(drawable):
    """Drawn without a word beside the frame: the same figure as by its name, of one size, in Plotly's own theme."""
    frame = MADE[drawable.key]()
    before = frame.copy()
    figure = plot(frame)
    assert isinstance(figure, go.Figure) and figure.data and figure.layout.height > 100
    assert figure.layout.template == go.Figure(layout={"template": "plotly_white"}).layout.template
    assert figure == getattr(plot, drawable.key)(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("drawable", FIGURES, ids=lambda each: each.key)
def test_who_makes_a_frame_is_told_truly(drawable):
    """What the registry names can be reached from the package."""
    place = dpviz
    for name in drawable.made_by.removesuffix(".frame").split("."):
        place = getattr(place, name)
    assert callable(place)


def test_options_reach_the_figure():
    """A budget becomes a line with its name; dark takes the dark theme; labels are those of the theorems."""
    drawn = plot(compare(PLAN, 1e-6), budget=2, unit="household", dark=True)
    assert "budget ε = 2" in " ".join(note.text for note in drawn.layout.annotations)
    assert drawn.layout.xaxis.title.text == "total ε per household"
    assert drawn.layout.template == go.Figure(layout={"template": "plotly_dark"}).layout.template
    assert "Tight accounting" in {trace.name for trace in plot(MADE["growth"]()).data}
    assert plot(MADE["forecast"](), budget=0.3, log=True).layout.yaxis.type == "log"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: plot(PLAN), "frame must be one that dpviz returns"),
        (lambda: plot(None), "got None"),
        (lambda: plot(pd.DataFrame({"a": [1]})), "got columns a"),
        (lambda: plot.growth(compare(PLAN, 1e-6)), "as dpviz.epsilon_curve returns it, with count"),
        (lambda: plot(compare(PLAN, 1e-6), budgets=2), "plan_totals takes budget, unit, dark beside its frame"),
        (lambda: plot(MADE["forecast"](), window=2), "takes budget, unit, log, dark beside its frame"),
    ],
)
def test_a_wrong_guess_is_answered(call, words: str):
    """One sentence names what would be right."""
    with pytest.raises(ValueError, match=words):
        call()


def test_a_title_says_what_is_shown_and_for_what_it_holds():
    """Unit and δ, where the frame says them; and there is room above the figure for it."""
    assert plot(MADE["plan_totals"]()).layout.title.text == "Total ε under each theorem, for one household, δ = 1e-06"
    forecasts = MADE["forecast"]()
    assert forecasts.attrs == {"unit": "household", "relation": "add_remove", "delta": 1e-6}
    assert plot(forecasts).layout.title.text.startswith("ε spent by each date, for one household")
    assert plot(MADE["privacy_profile"]()).layout.title.text and plot(forecasts).layout.margin.t >= 40


@pytest.mark.parametrize(("value", "shown"), [
    (Laplace(10), "Laplace(scale=10.0)"),
    (Laplace.from_epsilon(0.1, 2), "Laplace.from_epsilon(epsilon=0.1, sensitivity=2.0)"),
    (Plan([Release("a", Laplace(10), kind="count")]).releases[0],
     "Release('a', Laplace(scale=10.0, sensitivity=1.0), kind='count')"),
    (dpviz.Subsampled(Gaussian(1.0, 1), 0.1, "poisson"),
     "Subsampled(Gaussian(sigma=1.0, sensitivity=1.0), scheme='poisson', rate=0.1)"),
    (dpviz.Thresholding(Laplace(10, 1), 200, 3),
     "Thresholding(Laplace(scale=10.0, sensitivity=1.0), threshold=200.0, keys=3)"),
])  # fmt: skip
def test_a_value_prints_as_the_call_that_makes_it(value, shown: str):
    assert repr(value) == shown


def test_a_finding_a_theorem_and_a_loss_show_themselves():
    (finding, *_) = dpviz.checks(PLAN)
    assert finding.sentence in repr(finding) and finding.severity in repr(finding)
    assert dpviz.THEOREMS[0].source in dpviz.THEOREMS[0]._repr_markdown_()
    assert PrivacyLoss.of(Laplace(10, 1))._repr_html_().count("<tr>") == 4


def test_names_are_listed():
    """What a notebook offers after a dot."""
    assert dir(plot) == sorted(MADE)
    assert "plan_totals" in dir(dpviz.figures) and "plot" in dir(dpviz)
    with pytest.raises(AttributeError, match="plot draws plan_totals"):
        plot.totals  # noqa: B018
    with pytest.raises(AttributeError, match=r"dpviz\.plot draws"):
        dpviz.figures.totals  # noqa: B018
    for name in dir(dpviz):
        assert getattr(dpviz, name) is not None
    with pytest.raises(AttributeError, match="compose"):
        dpviz.total  # noqa: B018


@given(PLANS)
def test_a_plan_shows_itself(plan):
    """Whom it protects and each of its first releases, letter by letter."""
    shown = plan._repr_html_()
    assert html.escape(plan.unit) in shown and shown.count("<tr>") == 1 + min(len(plan.releases), 50)
    for each in plan.releases[:50]:
        assert f"<td>{html.escape(each.name)}</td>" in shown


def test_long_plans_and_guarantees_show_themselves():
    """A long plan is cut, and says by how much; nothing promised is said."""
    long = Plan([Release(f"<{place}>", Laplace(1.0, 1)) for place in range(53)])
    assert long._repr_html_().endswith("<p>and 3 more</p>") and "<0>" not in long._repr_html_()
    assert Guarantee(1, 1e-6)._repr_html_() == "<b>ε = 1, δ = 10⁻⁶</b>"
    assert Guarantee(1.00000001, 1e-6)._repr_html_() == "<b>ε = 1.00001, δ = 10⁻⁶</b>", "never less than it is"
    assert Guarantee(math.inf)._repr_html_() == "<b>ε = ∞, δ = 0</b> (no guarantee)"


def test_what_is_drawn_is_what_the_frame_says():
    """The numbers of a curve are those of the frame, to the last digit."""
    frame = MADE["growth"]()
    drawn = next(trace for trace in plot(frame).data if trace.name == "Tight accounting")
    np.testing.assert_array_equal(drawn.y, frame[frame.theorem == "pld"].epsilon)
