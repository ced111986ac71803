"""The mixture of one noise and the aggregated noise, against reference values, integration, simulation and laws."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz import CALIBRATIONS
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma, gaussian_delta
from dpviz.noise_sums import HiddenMixture, mixture, secure_aggregation
from dpviz.noise_sums.mixtures import mixture_bounds, mixture_curve, sum_of_exponentials_holds
from tests.effort import cases
from tests.exact import gaussian_delta as exact_delta
from tests.golden import GOLDEN
from tests.strategies import EPSILONS, WHOLE_DELTAS

ROWS = GOLDEN["dp_ml_proofs_mixture"]["rows"]
PRINTED = 4e-15  # the reference has 15 digits
FINE = 1e-11  # relative error of ε through the inverse of a profile
KEYS = st.sampled_from([record.key for record in CALIBRATIONS])
CLIENTS = st.one_of(st.sampled_from([1, 2, 100, 10**6]), st.integers(1, 10**6))
SHARES = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-9, 0.999]), st.floats(0, 1))


def arguments(row):
    return float(row["eps1"]), float(row["delta"]), int(row["n"]), float(row["p"])


def noise(row):
    epsilon, delta, clients, p = arguments(row)
    sigma = calibrated_sigma(row["calibration"], epsilon, delta, 1.0)
    return HiddenMixture(p, sigma, sigma * math.sqrt(clients))


def integrated(mixed, epsilon, shift):
    """The hockey-stick by the trapezoidal rule, without looking for sign changes."""
    reach = 12 * max(mixed.sigma_1, mixed.sigma_2) + abs(mixed.gap)
    near = 12 * min(mixed.sigma_1, mixed.sigma_2)
    x = np.unique(np.concatenate([np.linspace(-reach, reach, 200_001), np.linspace(-near, near, 100_001)]))

    def density(y):
        parts = ((mixed.p, 0.0, mixed.sigma_1), (1 - mixed.p, mixed.gap, mixed.sigma_2))
        return sum(w * np.exp(-(((y - c) / s) ** 2) / 2) / (s * math.sqrt(2 * math.pi)) for w, c, s in parts)

    return float(np.trapezoid(np.maximum(density(x) - math.exp(epsilon) * density(x - shift), 0.0), x))


class TestReference:
    @pytest.mark.parametrize("row", ROWS)
    def test_epsilon(self, row):
        for known, column in ((True, "tight_eps_label_known"), (False, "tight_eps_label_unknown")):
            answer = mixture(*arguments(row), known=known, calibration=row["calibration"])
            exact = float(row[column])
            assert exact * (1 - PRINTED) <= answer.epsilon <= exact * (1 + FINE)
            assert answer.delta == float(row["delta"])

    @pytest.mark.parametrize("row", ROWS)
    def test_sign_changes(self, row):
        assert noise(row).sign_changes(float(row["tight_eps_label_unknown"])) == row["n_roots"]

    @pytest.mark.parametrize("row", ROWS)
    def test_bounds_of_the_note(self, row):
        frame = mixture_bounds(*arguments(row), calibration=row["calibration"]).set_index("bound")
        assert frame.epsilon["larger"] == float(row["trivial_eps1"])
        assert frame.epsilon["line"] == pytest.approx(float(row["corrected_line_ln(p e^e1+(1-p)e^e2)"]), rel=1e-12)
        assert frame.epsilon["product"] == pytest.approx(float(row["note_printed_bound"]), rel=1e-12)
        reason = frame.reason["product"]
        assert ("condition" in reason) == (not row["note_condition_met(x>0,y>0)"])
        assert ("is false here" in reason) == (
            row["note_condition_met(x>0,y>0)"] and not row["inequality_true((e^x-1)(e^y-1)>=1)"]
        )
        for bound in ("larger", "line", "product"):
            assert frame.holds[bound] == (frame.epsilon[bound] >= float(row["tight_eps_label_known"]) * (1 - 1e-9))

    def test_numbers_of_the_errata(self):
        """A gap between the centres gives the label away, and the note's product bound is broken within its terms."""
        assert mixture(1, 1e-5, 100, 0.5, known=False).epsilon == pytest.approx(0.32139, abs=5e-6)
        assert mixture(1, 1e-5, 100, 0.5, known=False, centre_gap=100).epsilon == pytest.approx(0.72, abs=5e-3)
        assert mixture(1, 1e-5, 100, 0.5, known=False, centre_gap=1e5).epsilon == pytest.approx(0.95324, abs=5e-6)
        frame = mixture_bounds(1, 1e-5, 1, 0.5).set_index("bound")
        assert frame.epsilon["product"] == pytest.approx(0.6137, abs=5e-5)
        assert frame.epsilon["known"] == pytest.approx(1.0, rel=FINE)
        assert not frame.holds["product"]
        assert not frame.proved["line"]


class TestHiddenLabel:
    @pytest.mark.parametrize(
        ("mixed", "epsilon"),
        [
            (HiddenMixture(0.5, 3.7, 37.0), 0.1),
            (HiddenMixture(0.9, 1.0, 4.0), 0.4),
            (HiddenMixture(0.99, 0.5, 30.0), 1.2),
            (HiddenMixture(0.5, 3.7, 37.0, 100.0), 0.3),
            (HiddenMixture(0.3, 0.6, 2.0, 4.0), 0.8),
            (HiddenMixture(0.3, 0.6, 2.0, -4.0), 0.8),
        ],
    )
    @pytest.mark.parametrize("shift", [1.0, -1.0, 0.3])
    def test_against_plain_integration(self, mixed, epsilon, shift):
        trapezoid = 1e-6  # relative error of the rule at kinks
        value = mixed.delta(epsilon, shift)
        assert value == pytest.approx(integrated(mixed, epsilon, shift), rel=trapezoid, abs=1e-12)

    @pytest.mark.parametrize("delta", [1e-5, 1e-12, 1e-30])
    @pytest.mark.parametrize(("clients", "p"), [(4, 0.5), (100, 0.9), (10**4, 0.01)])
    def test_against_many_digits(self, delta, clients, p):
        """At the returned ε the integral, with 60 digits over the sign changes found there, is at most δ."""
        answer = mixture(1.0, delta, clients, p, known=False)
        sigma = calibrated_sigma("analytic", 1.0, delta, 1.0)
        mixed = HiddenMixture(p, sigma, sigma * math.sqrt(clients))
        for epsilon, above in ((answer.epsilon, False), (answer.epsilon * (1 - 1e-9), True)):
            exact = many_digits(mixed, epsilon)
            assert (exact > delta) == above

    @given(SHARES, st.floats(-1, 2), CLIENTS, st.floats(0, 3))
    def test_joint_convexity(self, p, log_sigma, clients, epsilon):
        """Hiding the label never tells more, at every ε."""
        assume(0 < p < 1)
        sigma = 10.0**log_sigma
        mixed = HiddenMixture(p, sigma, sigma * math.sqrt(clients))
        apart = p * float(gaussian_delta(epsilon, 1 / sigma))
        apart += (1 - p) * float(gaussian_delta(epsilon, 1 / mixed.sigma_2))
        assert mixed.delta(epsilon) <= apart * (1 + 1e-9) + 1e-15

    @given(st.floats(0.01, 0.99), st.floats(-1, 2), CLIENTS, st.floats(0, 3), st.floats(0, 1))
    def test_the_whole_sensitivity_is_the_worst_shift(self, p, log_sigma, clients, epsilon, shift):
        """Around one centre; and both directions tell the same."""
        mixed = HiddenMixture(p, 10.0**log_sigma, 10.0**log_sigma * math.sqrt(clients))
        assert mixed.delta(epsilon, shift) <= mixed.delta(epsilon) * (1 + 1e-9) + 1e-15
        assert mixed.delta(epsilon, -1.0) == pytest.approx(mixed.delta(epsilon), rel=1e-9, abs=1e-15)

    def test_equal_noises_are_one_gaussian(self):
        for epsilon in (0.0, 0.3, 1.0):
            exact = exact_delta(epsilon, 0.4)
            assert exact <= HiddenMixture(0.3, 2.5, 2.5).delta(epsilon) <= exact * (1 + 1e-11)

    def test_a_wide_gap_gives_the_label_away(self):
        known = mixture(1, 1e-5, 100, 0.5).epsilon
        gaps = [0, 30, 100, 1000]
        hidden = [mixture(1, 1e-5, 100, 0.5, known=False, centre_gap=gap).epsilon for gap in gaps]
        assert hidden == sorted(hidden)
        assert hidden[-1] == pytest.approx(known, rel=1e-9)

    @pytest.mark.parametrize("gap", [3.0, 60.0])
    def test_no_shift_up_to_the_sensitivity_breaks_the_answer(self, gap):
        """A finer search than the one inside, in both directions, by plain integration."""
        delta = 1e-3
        answer = mixture(2.0, delta, 50, 0.4, known=False, centre_gap=gap)
        sigma = calibrated_sigma("analytic", 2.0, delta, 1.0)
        mixed = HiddenMixture(0.4, sigma, sigma * math.sqrt(50), gap)
        for shift in np.linspace(-1, 1, 41):
            assert integrated(mixed, answer.epsilon, shift) <= delta * (1 + 1e-6)

    def test_simulation(self):
        """The average of (1 - e^(ε - loss))_+ over drawn outputs is δ, with a fixed seed."""
        rng, trials, delta = np.random.default_rng(7), 1_000_000, 1e-2
        answer = mixture(1.0, delta, 25, 0.5, known=False)
        sigma = calibrated_sigma("analytic", 1.0, delta, 1.0)
        mixed = HiddenMixture(0.5, sigma, 5 * sigma)
        outputs = rng.normal(0, np.where(rng.random(trials) < 0.5, sigma, 5 * sigma))
        excess = np.maximum(0.0, -np.expm1(answer.epsilon - mixed.log_ratio(outputs, 1.0)))
        assert excess.mean() == pytest.approx(delta, abs=5 * excess.std() / math.sqrt(trials))


def many_digits(mixed, epsilon, digits=60):
    """∫ (f(x) - e^ε f(x-1))_+ with normal distribution functions at many digits, between roots refined there."""
    with mpmath.workdps(digits):
        p, one, two, loss = (mpmath.mpf(value) for value in (mixed.p, mixed.sigma_1, mixed.sigma_2, epsilon))

        def density(x):
            return p * mpmath.npdf(x, 0, one) + (1 - p) * mpmath.npdf(x, 0, two)

        def below(x):
            return p * mpmath.ncdf(x / one) + (1 - p) * mpmath.ncdf(x / two)

        def excess(x):
            return density(x) - mpmath.exp(loss) * density(x - 1)

        def ratio(x):
            return mpmath.log(density(x)) - mpmath.log(density(x - 1))

        grid = np.linspace(-40, 40, 8001) * mixed.sigma_1
        grid = np.unique(np.concatenate([grid, np.linspace(-40, 1, 8001) * mixed.sigma_2]))
        heights = mixed.log_ratio(grid, 1.0)
        peaks = np.flatnonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] > heights[2:])) + 1
        peaks = [highest(ratio, mpmath.mpf(grid[place - 1]), mpmath.mpf(grid[place + 1])) for place in peaks]
        signs = dict(zip(map(mpmath.mpf, grid), (heights > epsilon).tolist(), strict=True))
        signs |= {peak: excess(peak) > 0 for peak in peaks}
        points = sorted(signs)
        above = [signs[point] for point in points]
        edges = [-mpmath.inf] if above[0] else []
        for low, high, here, there in zip(points, points[1:], above, above[1:], strict=False):
            if here == there:
                continue
            for _ in range(120):
                middle = (low + high) / 2
                low, high = (middle, high) if (excess(middle) > 0) == here else (low, middle)
            edges.append(low)
        ends = list(zip(edges[::2], edges[1::2], strict=True))
        return mpmath.fsum(below(b) - below(a) - mpmath.exp(loss) * (below(b - 1) - below(a - 1)) for a, b in ends)


def highest(function, low, high):
    """Where a function with one peak in between is highest."""
    for _ in range(150):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if function(left) >= function(right) else (left, high)
    return (low + high) / 2


GAPS = [*product([1e-6, 1.0, 50.0], [-1e6, 0.01, 3.0, 1e4], [(2, 0.999), (10**9, 1e-9)])]
# Each two extremes of ε, gap and clients meet.
EACH_TWO = [GAPS[place] for place in (1, 2, 4, 7, 8, 11, 13, 14, 17, 18, 20, 23)]


class TestLaws:
    @given(EPSILONS, WHOLE_DELTAS, CLIENTS, SHARES, KEYS)
    def test_hidden_is_at_most_known_which_lies_between_the_parts(self, epsilon, delta, clients, p, calibration):
        known = mixture(epsilon, delta, clients, p, True, calibration).epsilon
        hidden = mixture(epsilon, delta, clients, p, False, calibration).epsilon
        local = secure_aggregation(epsilon, delta, 1, calibration=calibration).epsilon
        together = secure_aggregation(epsilon, delta, clients, calibration=calibration).epsilon
        assert hidden <= known
        assert together * (1 - 1e-10) - 1e-13 <= known <= local * (1 + 1e-10) + 1e-13

    @cases(("epsilon", "gap", "whose"), EACH_TWO, GAPS)
    def test_extremes_of_a_gap(self, epsilon, gap, whose):
        """Any gap costs no more than the label known; its sign is a reflection."""
        clients, p = whose
        hidden = mixture(epsilon, 1e-9, clients, p, False, centre_gap=gap).epsilon
        assert 0 <= hidden <= mixture(epsilon, 1e-9, clients, p).epsilon
        mirrored = mixture(epsilon, 1e-9, clients, p, False, centre_gap=-gap).epsilon
        assert mirrored == pytest.approx(hidden, rel=1e-7, abs=1e-12)

    @given(EPSILONS, WHOLE_DELTAS, CLIENTS, st.floats(0.01, 0.99))
    def test_known_label_solves_its_equation(self, epsilon, delta, clients, p):
        answer = mixture(epsilon, delta, clients, p).epsilon
        sigma = calibrated_sigma("analytic", epsilon, delta, 1.0)
        mus = np.array([1 / sigma, 1 / (sigma * math.sqrt(clients))])

        def total(value):
            return np.array([p, 1 - p]) @ gaussian_delta(value, mus)

        assert total(answer) <= delta * (1 + 1e-10)
        if answer > 1e-12:
            assert total(answer * (1 - 1e-9) - 1e-12) > delta

    @given(EPSILONS, WHOLE_DELTAS, CLIENTS, st.booleans())
    def test_one_client_or_one_outcome_is_no_mixture(self, epsilon, delta, clients, known):
        rounding = {"rel": 1e-9, "abs": 1e-12}
        local = secure_aggregation(epsilon, delta, 1).epsilon
        together = secure_aggregation(epsilon, delta, clients).epsilon
        assert mixture(epsilon, delta, 1, 0.5, known).epsilon == pytest.approx(local, **rounding)
        assert mixture(epsilon, delta, clients, 1, known).epsilon == pytest.approx(local, **rounding)
        assert mixture(epsilon, delta, clients, 0, known).epsilon == pytest.approx(together, **rounding)

    def test_beyond_the_range_of_exp_the_known_label_stands_in(self):
        assert mixture(1000, 1e-5, 2, 0.5, False) == mixture(1000, 1e-5, 2, 0.5)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1, 1e-5, 10, -0.1), r"p must be in \[0, 1\]; got -0.1"),
            ((1, 1e-5, 10, 1.1), r"p must be in \[0, 1\]"),
            ((1, 1e-5, 10, math.nan), r"p must be in \[0, 1\]"),
            ((1, 0.0, 10, 0.5), r"delta of Gaussian noise must be in \(0, 1\)"),
            ((1, 1e-5, 0, 0.5), "clients must be in"),
            ((-1, 1e-5, 10, 0.5), "epsilon must be in"),
            ((1, 1e-5, 10, 0.5, False, "analytic", math.inf), "centre_gap must be in"),
        ],
    )
    def test_bad_input_is_refused(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            mixture(*arguments)


class TestFalseStep:
    @given(st.floats(-5, 5), st.floats(-5, 5))
    def test_region(self, x, y):
        left, right = math.exp(x) + math.exp(y), math.exp(x + y)
        assume(abs(left - right) > 1e-12 * left)
        assert bool(sum_of_exponentials_holds(x, y)) == (left <= right)

    def test_edge(self):
        for x in (0.1, math.log(2), 3.0):
            y = -math.log(-math.expm1(-x))
            assert sum_of_exponentials_holds(x, y + 1e-9)
            assert not sum_of_exponentials_holds(x, y - 1e-9)
        assert not sum_of_exponentials_holds(0.0, 0.0)
        assert sum_of_exponentials_holds(1e3, 1e3)


def test_curve():
    frame = mixture_curve(1, 1e-5, 100, [0, 0.5, 1])
    assert frame.groupby("p").size().tolist() == [5, 5, 5]
    known, hidden = (frame[frame.bound == bound].epsilon.to_numpy() for bound in ("known", "hidden"))
    assert (hidden <= known).all()
    assert (np.diff(known) > 0).all()
    assert frame[(frame.bound == "product") & (frame.p != 0.5)].epsilon.tolist() == [-math.inf, -math.inf]
    assert frame[["epsilon", "delta"]].notna().all().all()
