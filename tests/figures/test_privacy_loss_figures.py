"""The charts of the privacy-loss page: what they are made of, and that extremes leave none of them empty."""

import math

import pytest

from dpviz import ApproximateDP, Gaussian, Laplace, NameAndShame, Plan, RandomizedResponse, Release, compare
from dpviz.figures.learn import largest_loss, privacy_loss, privacy_profile, privacy_region, simulation_lemma
from dpviz.losses import LossDistribution, Simulation
from dpviz.losses.largest import largest_losses
from dpviz.losses.region import regions
from dpviz.losses.simulation_lemma import leaky_response
from dpviz.privacy_loss import PrivacyLoss

KINDS = {
    "laplace": Laplace(10.0, 1),
    "gaussian": Gaussian(2.0, 1),
    "response": RandomizedResponse(0.5),
    "box": ApproximateDP(0.5, 0.01),
    "shame": NameAndShame(0.01),
}


def structure(figure) -> dict:
    """What a reader sees of a figure, without its numbers."""
    return {
        "traces": [(trace.type, trace.name) for trace in figure.data],
        "axes": sorted(
            (name, axis.get("title", {}).get("text", ""), axis.get("type", ""))
            for name, axis in figure.to_plotly_json()["layout"].items()
            if "axis" in name
        ),
        "height": figure.layout.height,
    }


def drawn(mechanism, count: int, delta: float, log: bool = False, dark: bool = False):
    epsilon = float(PrivacyLoss.of(Plan([Release("release", mechanism, count)]), 1e-3).epsilon(delta))
    distribution = LossDistribution.of(mechanism, count)
    marks = privacy_loss.Marks(distribution.finite_mean, epsilon, delta, distribution.largest[0])
    frame = distribution.frame(epsilon)
    return privacy_loss.privacy_loss(frame, distribution.tail(epsilon), marks, log, dark), frame, marks


@pytest.mark.parametrize("log", [False, True], ids=["linear", "log"])
@pytest.mark.parametrize("kind", KINDS)
def test_distribution(snapshot, kind: str, log: bool):
    """Atoms are stems, densities areas, and the infinite loss a bar."""
    figure, frame, marks = drawn(KINDS[kind], 3, 1e-3, log)
    assert structure(figure) == snapshot
    assert privacy_loss.described(frame, marks).startswith("Distribution of the total privacy loss")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 10_000])
@pytest.mark.parametrize("delta", [0.0, 1e-30, 0.5])
def test_extremes_are_drawn(kind: str, count: int, delta: float):
    """There is something to see, all of it finite, within ends that are in order."""
    figure, frame, _ = drawn(KINDS[kind], count, delta)
    assert figure.data
    low, high = figure.layout.xaxis.range
    assert math.isfinite(low) and math.isfinite(high) and low < high
    assert len(figure.to_json()) < 250_000
    finite = frame.loss[frame.kind != "infinity"]
    assert finite.between(low, high).all()


def test_dark_differs_in_colour_only():
    light, dark = (structure(drawn(KINDS["laplace"], 20, 1e-6, dark=ground)[0]) for ground in (False, True))
    assert light == dark


@pytest.mark.parametrize("log", [False, True], ids=["linear", "log"])
def test_profile_and_region(snapshot, log: bool):
    """One line per theorem, the mechanisms' own among them."""
    plan = Plan([Release("release", Laplace(10.0, 1), 100)])
    comparison, loss = compare(plan, 1e-6), PrivacyLoss.of(plan, 1e-3)
    profile = loss.frame(50)
    figures = [
        privacy_profile.privacy_profile(profile, comparison, 1e-6),
        privacy_region.privacy_region(regions(comparison, loss), log),
    ]
    assert [structure(figure) for figure in figures] == snapshot
    assert "theorems prove epsilon" in privacy_profile.described(profile, comparison, 1e-6)
    assert "false positive rate" in privacy_region.described(regions(comparison, loss))


def test_theorems_on_the_axes_are_named_not_drawn():
    """A line that nobody could tell from an axis is left out, and the words say so; the mechanisms never are."""
    plan = Plan([Release("release", Laplace(1.0, 1), 30)])
    frame = regions(compare(plan, 1e-6), PrivacyLoss.of(plan, 1e-3))
    hidden = privacy_region.on_axes(frame)
    names = {trace.name for trace in privacy_region.privacy_region(frame).data}
    assert "Basic" in hidden and not names & set(hidden) and "The mechanisms" in names
    assert names | set(hidden) == {*frame.label, "A coin flip"}
    assert f"on the axes: {', '.join(hidden)}." in privacy_region.described(frame)
    clear = Plan([Release("release", Laplace(10.0, 1), 3)])
    few = regions(compare(clear, 1e-6), PrivacyLoss.of(clear, 1e-3))
    assert not privacy_region.on_axes(few) and "Not drawn" not in privacy_region.described(few)


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_largest_loss(snapshot, delta: float):
    frame = largest_losses(Laplace(10.0), [1, 10, 100], delta)
    assert structure(largest_loss.largest_loss(frame)) == snapshot
    assert "10 to the power -30.1" in largest_loss.described(frame)


@pytest.mark.parametrize("kind", KINDS)
def test_lemma(snapshot, kind: str):
    """The stacked parts add up to the outlines."""
    simulation = Simulation.of(KINDS[kind], 0.3)
    frame, response = simulation.frame(), leaky_response(0.3, simulation.delta)
    figure = simulation_lemma.simulation_lemma(frame, response.p_u.tolist(), response.p_v.tolist())
    assert structure(figure) == snapshot
    for axis, values in (("y", frame.p), ("y2", frame.q)):
        parts = [trace.y for trace in figure.data if trace.yaxis == axis and not trace.name.startswith("M")]
        assert max(abs(sum(parts) - values)) < 1e-12 * max(values)
    assert "add up" in simulation_lemma.described(frame, 0.3, simulation.delta)
