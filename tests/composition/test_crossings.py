"""How a plan's total grows when it is repeated: exact counts, however few of them are drawn."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import THEOREMS, ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.composition import crossings, epsilon_curve
from dpviz.composition.crossings import first_below, growth, largest_within
from dpviz.effort import DRAWN, QUOTED
from dpviz.privacy_loss import likely_epsilons
from tests.effort import examples

CLOSED = [theorem.key for theorem in THEOREMS if theorem.measured is None]
PLANS = {
    "laplace": Plan([Release("a", Laplace.from_epsilon(0.5))]),
    "mixed": Plan([Release("a", Laplace.from_epsilon(0.1), 2), Release("b", ApproximateDP(0.2, 1e-9))]),
}
DELTA = 0.1


def spread(times: int, log: bool) -> np.ndarray:
    """Some hundred counts from 1 to `times`."""
    space = np.geomspace if log else np.linspace
    return np.unique(np.rint(space(1, times, min(times, 120))).astype(int))


def formulas(epsilon: float) -> dict[str, Callable[[int], mpmath.mpf]]:
    """ε of k pure releases at `DELTA`, written out from Dwork & Roth (2014), Thm 3.16 and 3.20."""
    epsilon, slack = mpmath.mpf(repr(epsilon)), 2 * mpmath.log(1 / mpmath.mpf(DELTA))
    return {
        "basic": lambda k: k * epsilon,
        "advanced": lambda k: k * epsilon * mpmath.expm1(epsilon) + mpmath.sqrt(slack * k) * epsilon,
        "advanced_tight": lambda k: k * epsilon * mpmath.tanh(epsilon / 2) + mpmath.sqrt(slack * k) * epsilon,
    }


@pytest.mark.parametrize("times", [5, 60, 2000])
@pytest.mark.parametrize(("epsilon", "target"), [(0.5, 4.1), (0.11, 2.53), (0.02, 3.01)])
def test_counts_are_those_of_the_formulas(epsilon: float, target: float, times: int):
    """Counted one by one with 40 digits, whether within the curve or beyond it."""
    grown = growth(RandomizedResponse(epsilon), spread(times, True), DELTA, target)
    crossed, fits = (frame.set_index("theorem")["count"] for frame in (grown.crossings, grown.fits))
    with mpmath.workdps(40):
        totals = formulas(epsilon)
        for key in ("advanced", "advanced_tight"):
            assert crossed[key] == next(k for k in range(1, 10**4) if totals[key](k) < totals["basic"](k))
        for key, total in totals.items():
            last = next(k for k in range(1, 10**4) if total(k) > mpmath.mpf(repr(target))) - 1
            assert fits[key] == last


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(("times", "log"), [(150, False), (3000, False), (3000, True)])
def test_counts_are_exact(name: str, times: int, log: bool):
    """Crossings and what fits are those of the core, whether drawn, between two drawn, or beyond the axis."""
    grown = growth(PLANS[name], spread(times, log), 1e-6, 4.0)
    crossed, fits = (frame.set_index("theorem")["count"] for frame in (grown.crossings, grown.fits))
    for key in CLOSED:
        if key != "basic":
            assert first_below(PLANS[name], key, 1e-6) == (None if pandas.isna(crossed[key]) else crossed[key])
        assert fits[key] == largest_within(PLANS[name], Guarantee(4.0, 1e-6), key)


def test_crossings_are_drawn():
    """Every crossing within the axis is a count of the curve, with basic's total there."""
    grown = growth(PLANS["laplace"], spread(5000, True), 0.1)
    drawn = set(grown.curve["count"])
    crossed = grown.crossings.dropna(subset="count")
    assert len(crossed) > 3 and set(crossed["count"]) <= drawn
    assert crossed.epsilon.tolist() == [0.5 * int(count) for count in crossed["count"]]


@pytest.mark.parametrize("theorem", [theorem for theorem in THEOREMS if theorem.key not in CLOSED])
def test_numerical_counts_stay_within_the_target(theorem):
    """What is said to fit does fit, and a little more does not, also beyond the axis."""
    plan, target = PLANS["laplace"], 9.0
    for times in (20, 400):
        count = int(growth(plan, spread(times, False), 1e-6, target).fits.set_index("theorem")["count"][theorem.key])
        beyond = math.ceil(count * 1.01) + 1
        within, above = epsilon_curve(plan, [count, beyond], 1e-6, [theorem.key]).epsilon
        assert within <= target < above


@examples(5)
@given(
    st.floats(0.01, 1.0), st.floats(0.3, 300.0), st.integers(1, 4), st.integers(2, 300), st.floats(-20.0, -1.0)
)
def test_drawn_curves_are_upper_bounds_to_a_pixel(epsilon: float, sigma: float, uses: int, times: int, digits: float):
    """Never below what is quoted, and above it by no more than `_COARSE` says, which what is searched rests on."""
    plan, delta = {RandomizedResponse(epsilon): uses, Gaussian(sigma): 1}, 10.0**digits
    counts = np.unique([1, times // 3 + 1, times])
    for record in (theorem for theorem in THEOREMS if theorem.key not in CLOSED):
        curves = (epsilon_curve(plan, counts, delta, [record.key], accuracy) for accuracy in (DRAWN, QUOTED))
        drawn, quoted = (curve.epsilon.to_numpy() for curve in curves)
        assert np.all(drawn >= quoted * (1 - QUOTED)), record.key  # by which these err upwards
        assert np.all(drawn <= quoted * crossings._COARSE), record.key


def test_the_end_of_a_guarantee_is_exact():
    """Also where it lies between two counts that are drawn."""
    plan = Plan([Release("a", ApproximateDP(0.01, 1e-9))])
    ends = growth(plan, spread(50_000, True), 1e-6).ends
    assert ends["basic"] == 1000  # 1000 × 10⁻⁹ is all of 10⁻⁶
    assert ends["advanced"] == 999  # some δ must be left
    assert set(ends) == {theorem.key for theorem in THEOREMS}


def test_gaussian_noise_has_no_end():
    """Its δ is shared, however many there are."""
    assert not growth(Gaussian(50), spread(1000, False), 1e-6).ends


@pytest.mark.parametrize(
    ("counts", "delta", "target"),
    [([], 0.1, 1.0), ([0, 1], 0.1, 1.0), ([1.5], 0.1, 1.0), ([1], 1.0, 1.0), ([1], 0.1, -1.0), ([1], 0.1, math.nan)],
)
def test_what_cannot_be_repeated_is_refused(counts: list, delta: float, target: float):
    """No count, none at all, half of one, no δ, no target."""
    with pytest.raises(ValueError, match="must be"):
        growth(Laplace(1.0), counts, delta, target)


@pytest.mark.parametrize("start", [8, 64])
def test_a_total_that_changes_its_last_digits_moves_no_crossing_far(monkeypatch: pytest.MonkeyPatch, start: int):
    """A count found beyond the target, asked again in other company, may lie within it: the answer stays beside it."""
    asked = []

    def trembling(records: object, workload: object, counts: np.ndarray, *_: object) -> list[np.ndarray]:
        beyond = np.array(counts) >= (start if not asked else start + 1)
        asked.extend(counts)
        return [np.where(beyond, 2.0, 0.5)]

    monkeypatch.setattr(crossings, "repeated_totals", trembling)
    assert largest_within(Laplace(1.0), Guarantee(1.0, 1e-6), "basic") in (start - 1, start)


@pytest.mark.parametrize("rate", [None, 0.02])
def test_what_a_search_starts_from_decides_nothing(monkeypatch: pytest.MonkeyPatch, rate: float | None):
    """However far an estimate lies from the count that fits, or where there is none, the same count is found."""
    mechanism = Laplace(8.0) if rate is None else Subsampled(Laplace(2.0), rate, "without_replacement")
    target = Guarantee(1.5, 1e-6)
    found = largest_within(mechanism, target, "pld")
    for guess in (None, found // 3, 4 * found):
        monkeypatch.setattr(crossings, "_likely_count", lambda *_, guess=guess: guess)
        assert abs(largest_within(mechanism, target, "pld") - found) <= 1  # counts asked together share a grid


def test_an_estimate_of_a_total_is_close():
    """Within a few percent of what is proved, of noise on all data or a sample, often enough used."""
    for mechanism in (Laplace(10.0), Gaussian(30.0), Subsampled(Laplace(10.0), 0.01, "poisson")):
        counts = np.array([10, 1000])
        proved = epsilon_curve(mechanism, counts, 1e-6, ["pld"]).epsilon.to_numpy()
        assert likely_epsilons([mechanism], counts[:, None], 1e-6) == pytest.approx(proved, rel=0.05)
