"""Amplification by subsampling and its price, against reference values, exact hockey-sticks and simulation."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz import Gaussian, Guarantee, Laplace, RandomizedResponse
from dpviz.amplification import AMPLIFICATIONS, amplify, amplify_with_replacement, base_epsilon, sampling_rate
from dpviz.amplification.sampling_error import error_against_rate, mean_error, sampling_error
from dpviz.amplification.subsampling import epsilon_against_rate, runs_against_epsilon
from dpviz.filters import Filter
from dpviz.mechanisms import Subsampled
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta
from dpviz.mechanisms.subsampled import amplified_epsilon
from tests.golden import GOLDEN, close_from_above, rows
from tests.strategies import EPSILONS, MECHANISMS, SMALL_DELTAS

RATES = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1e-300]), st.floats(-12, 0).map(lambda power: 10.0**power))
WIDE_EPSILONS = st.one_of(EPSILONS, st.floats(-16, math.log10(700)).map(lambda power: 10.0**power))
ROUNDING = 1e-14  # of δ where e^ε meets the largest privacy loss
COUNTING = 1e-9  # relative error of binomial weights over windows of up to a million terms


def exact_epsilon(epsilon, rate, digits=700):
    with mpmath.workdps(digits):
        return mpmath.log1p(mpmath.mpf(rate) * mpmath.expm1(mpmath.mpf(epsilon)))


class TestAmplify:
    @pytest.mark.parametrize(("args", "value"), rows("subsample_eps"))
    def test_reference(self, args, value):
        assert close_from_above(amplify(Guarantee(float(args["eps"])), float(args["q"])).epsilon, value)

    @given(WIDE_EPSILONS, RATES)
    def test_never_below_the_truth(self, epsilon, rate):
        """From ε = 1e-16 to 700, and rates down to 1e-300."""
        value, exact = amplify(Guarantee(epsilon), rate).epsilon, exact_epsilon(epsilon, rate)
        rounding = 1e-14 * (1 + epsilon + abs(math.log(rate or 1.0)))
        assert exact <= value <= exact * (1 + mpmath.mpf(rounding)) + mpmath.mpf("5e-324")

    @pytest.mark.parametrize("epsilon", [710.0, 1e5, 1e308])
    @pytest.mark.parametrize("rate", [0.5, 1e-6, 1e-300])
    def test_beyond_the_range_of_exp(self, epsilon, rate):
        """Where e^ε overflows, ε' is ε + ln q."""
        shift = np.logaddexp(0.0, epsilon + math.log(rate))
        assert shift <= amplify(Guarantee(epsilon), rate).epsilon <= shift * (1 + 1e-11)

    @given(WIDE_EPSILONS, SMALL_DELTAS)
    def test_rates_0_and_1_are_exact(self, epsilon, delta):
        base = Guarantee(epsilon, delta)
        assert amplify(base, 1) == base
        assert amplify(base, 0) == Guarantee(0.0, 0.0)

    @given(WIDE_EPSILONS, SMALL_DELTAS, RATES, RATES)
    def test_a_smaller_sample_never_costs_more(self, epsilon, delta, rate, other):
        low, high = sorted((rate, other))
        base = Guarantee(epsilon, delta)
        rounding = 1 + 1e-14 * (1 + epsilon)
        assert amplify(base, low).epsilon <= amplify(base, high).epsilon * rounding
        assert amplify(base, low).delta <= amplify(base, high).delta
        assert amplify(base, high).implies(base)

    @given(WIDE_EPSILONS, RATES)
    def test_at_least_the_rate_times_epsilon(self, epsilon, rate):
        """The bound by convexity that makes samples of a mean no bargain."""
        assert amplify(Guarantee(epsilon), rate).epsilon >= rate * epsilon

    def test_no_guarantee_stays_none(self):
        assert amplify(Guarantee(math.inf), 0.5).epsilon == math.inf
        assert amplify(Guarantee(1, 1), 0.25).delta == 0.25

    def test_delta_is_the_exact_decimal(self):
        assert amplify(Guarantee(1, 0.1), 0.3).delta == 0.03

    def test_arrays(self):
        assert amplified_epsilon([[0.0, 1.0]], [[0.5], [1.0]]).tolist() == [
            [0.0, amplify(Guarantee(1), 0.5).epsilon],
            [0.0, 1.0],
        ]

    @pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan, "half", True])
    def test_bad_rates_are_refused_with_the_rule(self, rate):
        with pytest.raises(ValueError, match=r"rate must be in \[0, 1\]; got"):
            amplify(Guarantee(1), rate)
        with pytest.raises(ValueError, match=r"rate must be in \[0, 1\]; got"):
            base_epsilon(1, rate)

    def test_what_the_closed_form_bounds_is_met_by_the_tight_profile(self):
        """Poisson sampled Laplace noise by quadrature: (1-q) p0 + q p1 against p0, in both directions."""
        epsilon, rate = 1.0, 0.3
        y = np.linspace(-60, 60, 2_400_001)
        without, with_it = (np.exp(-np.abs(y - centre)) / 2 for centre in (0.0, 1.0))
        mixed = (1 - rate) * without + rate * with_it
        amplified = amplify(Guarantee(epsilon), rate).epsilon
        rounding = 1e-13  # of logarithms of densities as small as e^-61
        for p, q in ((mixed, without), (without, mixed)):
            assert np.max(np.log(p) - np.log(q)) <= amplified + rounding
        assert np.max(np.log(mixed) - np.log(without)) == pytest.approx(amplified, rel=1e-12)


class TestBaseEpsilon:
    @pytest.mark.parametrize(("args", "value"), rows("subsample_eps_inverse"))
    def test_reference(self, args, value):
        found, exact = base_epsilon(float(args["eps_prime"]), float(args["q"])), float(value)
        assert exact * (1 - 1e-12) <= found <= exact

    @given(WIDE_EPSILONS, RATES)
    def test_round_trip(self, epsilon, rate):
        """What the inverse allows costs no more than asked for, and nearly that."""
        assume(rate > 0)
        base = base_epsilon(epsilon, rate)
        again = amplify(Guarantee(base), rate).epsilon
        rounding = 4e-14 * (1 + base)
        assert epsilon * (1 - rounding) <= again <= epsilon

    def test_limits(self):
        assert base_epsilon(0.5, 0) == math.inf
        assert base_epsilon(0.5, 1) == 0.5
        assert base_epsilon(0, 0.5) == 0.0
        assert base_epsilon(math.inf, 0.5) == math.inf


class TestSamplingRate:
    def test_rounded_up(self):
        assert sampling_rate(50, 100) == 0.5
        assert sampling_rate(100, 100) == 1.0
        assert sampling_rate(0, 7) == 0.0
        assert mpmath.mpf(repr(sampling_rate(1, 3))) * 3 >= 1

    @pytest.mark.parametrize(("draws", "population"), [(101, 100), (-1, 100), (2.5, 100), (0, 0), (1, math.nan)])
    def test_impossible_samples_are_refused(self, draws, population):
        with pytest.raises(ValueError, match="must be in"):
            sampling_rate(draws, population)


def repeated_record(noise, draws, population, epsilon, up):
    """Exact hockey-stick when one record of `population` zeros is 0 or 1 and a noisy sum over the draws is released."""
    copies = np.arange(draws + 1)
    weights = np.array([math.comb(draws, j) / population**j * (1 - 1 / population) ** (draws - j) for j in copies])
    y = np.linspace(-40, 40 + draws, 400_001)
    density = {
        "laplace": lambda x: np.exp(-np.abs(x)) / 2,
        "gaussian": lambda x: np.exp(-(x**2) / 8) / math.sqrt(8 * math.pi),
    }[noise]
    zero, one = density(y), sum(w * density(y - j) for w, j in zip(weights, copies, strict=True))
    p, q = (one, zero) if up else (zero, one)
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)) * (y[1] - y[0]))


class TestWithReplacement:
    @pytest.mark.parametrize(("args", "value"), rows("subsample_wr_eps"))
    def test_reference_epsilon(self, args, value):
        answer = amplify_with_replacement(Laplace(1.0), int(args["m"]), int(args["n"]), float(args["eps"]))
        assert close_from_above(answer.epsilon, value)

    @pytest.mark.parametrize("up", [True, False])
    @pytest.mark.parametrize(("noise", "mechanism"), [("laplace", Laplace(1.0)), ("gaussian", Gaussian(2.0))])
    @pytest.mark.parametrize(("draws", "population"), [(1, 4), (5, 10), (8, 8), (6, 2)])
    @pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
    def test_bounds_the_exact_hockey_stick(self, up, noise, mechanism, draws, population, epsilon):
        """A real query whose record may be drawn several times tells no more than the theorem says."""
        answer = amplify_with_replacement(mechanism, draws, population, epsilon)
        quadrature = 1e-6
        assert repeated_record(noise, draws, population, answer.epsilon, up) <= answer.delta + quadrature

    def test_is_tight_for_noisy_sums(self):
        """The direction in which the record appears attains the theorem when no draw is without it."""
        answer = amplify_with_replacement(Gaussian(2.0), 1, 4, 0.5)
        assert repeated_record("gaussian", 1, 4, answer.epsilon, True) == pytest.approx(answer.delta, rel=1e-6)

    @pytest.mark.parametrize("mechanism", [Laplace(2.0), Gaussian(3.0), RandomizedResponse(0.5)])
    @pytest.mark.parametrize(("draws", "population"), [(1, 3), (50, 100), (1000, 1000), (300, 2)])
    def test_delta_is_the_sum(self, mechanism, draws, population):
        """Against the theorem's sum, term by term with exact binomials."""
        epsilon = 0.4
        with mpmath.workdps(40):
            share = mpmath.mpf(1) / population
            terms = [
                mpmath.binomial(draws, j) * share**j * (1 - share) ** (draws - j) * mpmath.mpf(float(each))
                for j, each in enumerate((mechanism.grouped(j).delta(epsilon) for j in range(1, draws + 1)), start=1)
            ]
            exact = mpmath.fsum(terms)
        value = amplify_with_replacement(mechanism, draws, population, epsilon).delta
        assert exact <= value <= exact * (1 + mpmath.mpf(COUNTING))

    def test_pure_noise_has_a_delta(self):
        """Records drawn twice cost twice: at the base ε of Laplace noise δ' is above 0, without replacement it is 0."""
        noise = Laplace.from_epsilon(1)
        answer = amplify_with_replacement(noise, 60, 100, 1.0)
        assert answer.epsilon == pytest.approx(math.log1p((1 - 0.99**60) * math.expm1(1)), rel=1e-12)
        assert 0.01 < answer.delta < 0.2
        assert amplify(noise.stated, 0.6).delta == 0

    @given(MECHANISMS, st.integers(0, 10**6), st.integers(1, 10**9), EPSILONS)
    def test_never_better_than_one_copy_nor_worse_than_all(self, mechanism, draws, population, epsilon):
        answer = amplify_with_replacement(mechanism, draws, population, epsilon)
        assert 0 <= answer.epsilon <= epsilon
        if draws:
            at_least_once = -math.expm1(draws * math.log1p(-1 / population)) if population > 1 else 1.0
            one, most = (mechanism.grouped(copies).delta(epsilon) for copies in (1, draws))
            assert at_least_once * one * (1 - COUNTING) <= answer.delta
            assert answer.delta <= max(one, most) * (1 + COUNTING)
        else:
            assert answer == Guarantee(0.0)

    def test_extremes(self):
        assert amplify_with_replacement(Laplace(1.0), 10**9, 1, 1.0) == Guarantee(1.0, 1.0)
        assert amplify_with_replacement(Gaussian(1e6), 10**9, 10**9, 0.0).delta > 0
        everything = amplify_with_replacement(Gaussian(1.0), 10**9, 10, 50.0)
        assert (everything.epsilon, everything.delta) == (50.0, 1.0)

    def test_one_draw_is_without_replacement(self):
        answer = amplify_with_replacement(Gaussian(2.0), 1, 8, 0.7)
        other = amplify(Guarantee(0.7, Gaussian(2.0).delta(0.7)), 1 / 8)
        assert answer.epsilon == pytest.approx(other.epsilon, rel=1e-13)
        assert answer.delta == pytest.approx(other.delta, rel=1e-11)

    def test_add_remove_is_refused(self):
        with pytest.raises(ValueError, match="replacing one record"):
            amplify_with_replacement(Subsampled(Laplace(1.0), 0.5, "poisson"), 5, 10, 1.0)

    @pytest.mark.parametrize(("draws", "population", "epsilon"), [(-1, 5, 1), (1, 0, 1), (1, 5, math.inf), (1, 5, -1)])
    def test_bad_input_is_refused(self, draws, population, epsilon):
        with pytest.raises(ValueError, match="must be in"):
            amplify_with_replacement(Laplace(1.0), draws, population, epsilon)


class TestRecords:
    def test_every_scheme_says_its_relation(self):
        assert [record.key for record in AMPLIFICATIONS] == [
            "poisson",
            "without_replacement",
            "with_replacement",
            "shuffling",
            "shuffling_randomized_response",
            "shuffling_numerical",
            "shuffling_randomized_response_numerical",
        ]
        assert [record.relation for record in AMPLIFICATIONS] == ["add_remove"] + 6 * ["replace_one"]
        for record in AMPLIFICATIONS:
            assert all((record.label, record.statement, record.assumes, record.source))


class TestFrames:
    def test_epsilon_against_rate(self):
        frame = epsilon_against_rate([0.1, 1.0], [0.0, 0.25, 1.0])
        assert frame.columns.tolist() == ["base_epsilon", "rate", "epsilon"]
        assert len(frame) == 6
        for row in frame.itertuples():
            assert row.epsilon == amplify(Guarantee(row.base_epsilon), row.rate).epsilon

    @pytest.mark.parametrize(
        "section",
        ["sherpa_subsampling_none", "sherpa_subsampling_without_replacement_m50", "sherpa_subsampling_gaussian_none"],
    )
    @pytest.mark.parametrize(
        ("arithmetic", "column"), [("float64", "sherpa_float64"), ("decimal", "sherpa_rule_exact")]
    )
    def test_the_notebook_s_runs(self, section, arithmetic, column):
        curve = GOLDEN["curves"][section]
        budget = Guarantee(*map(float, curve["global"]))
        draws, population = curve["sample"] or (1, 1)
        ledger = Filter(budget, "rogers", or_basic=True, arithmetic=arithmetic)
        epsilons = [float(row["eps"]) for row in curve["rows"]]
        frame = runs_against_epsilon(
            ledger, epsilons, [sampling_rate(draws, population)], delta=float(curve["delta_access"])
        )
        assert frame.runs.tolist() == [row[column] for row in curve["rows"]]

    @pytest.mark.parametrize(
        ("draws", "runs"),
        [
            (60, [348, 166, 111, 83, 66, 55, 47, 41, 36]),
            (70, [285, 142, 95, 71, 57, 47, 40, 35, 31]),
            (80, [249, 124, 83, 62, 49, 41, 35, 31, 27]),
        ],
    )
    def test_the_notebook_s_other_samples(self, draws, runs):
        ledger = Filter(Guarantee(0.2, 2e-30), "rogers", or_basic=True, arithmetic="float64")
        epsilons = [float(f"0.00{n}") for n in range(1, 10)]
        assert runs_against_epsilon(ledger, epsilons, [sampling_rate(draws, 100)]).runs.tolist() == runs


class TestSamplingError:
    BUDGET = Guarantee(1.0, 1e-6)

    def test_the_whole_population_has_none(self):
        assert sampling_error(0.3, 1000, 1000) == 0.0
        frame = error_against_rate(1000, 0.3, 5, self.BUDGET, [1000])
        assert frame.error[0] == pytest.approx(math.sqrt(2) / 1000 / 0.2, rel=1e-12)

    @given(
        st.integers(2, 10**6), st.floats(0, 0.5), st.integers(1, 10**4), EPSILONS, st.floats(0, 1), st.floats(0, 1)
    )
    def test_a_sample_never_makes_a_laplace_mean_more_accurate(self, records, spread, queries, epsilon, one, other):
        """At equal budget, whatever the spread: both parts of the error grow as the sample shrinks."""
        sizes = sorted(1 + round(part * (records - 1)) for part in (one, other))
        frame = error_against_rate(records, spread, queries, Guarantee(epsilon), [*sizes, records])
        rounding = 1 + 1e-9
        for part in ("sampling_error", "noise_error", "error"):
            assert (frame[part].to_numpy()[1:] <= frame[part].to_numpy()[:-1] * rounding).all()

    def test_every_row_keeps_the_budget(self):
        """k queries at the amplified pair add up to no more than the budget."""
        frame = error_against_rate(10_000, 0.25, 7, self.BUDGET, [10, 333, 10_000], noises=("laplace", "gaussian"))
        for row in frame.itertuples():
            each = amplify(Guarantee(row.epsilon, row.delta), row.rate)
            assert 7 * each.epsilon <= 1.0 * (1 + 1e-12)
            assert 7 * each.delta <= 1e-6 * (1 + 1e-12)
        assert frame[frame.noise == "laplace"].delta.eq(0).all()

    def test_gaussian_noise_meets_its_pair(self):
        _, noisy, base = mean_error(10_000, 0.25, 7, self.BUDGET, 500, noise="gaussian")
        assert float(gaussian_delta(base.epsilon, 1 / 500 / noisy)) <= base.delta * (1 + 1e-9)

    @pytest.mark.parametrize("draws", [20, 100, 399])
    def test_simulation(self, draws):
        """Samples of a fixed population with fixed seed: the root mean square error is the frame's."""
        rng = np.random.default_rng(8)
        values = rng.beta(2, 5, 400)
        frame = error_against_rate(400, float(values.std()), 2, self.BUDGET, [draws])
        scale = 1 / (draws * frame.epsilon[0])
        trials = 20_000
        order = np.argpartition(rng.random((trials, 400)), draws - 1, axis=1)[:, :draws]
        errors = values[order].mean(axis=1) + rng.laplace(0, scale, trials) - values.mean()
        four_standard_errors = 4 * math.sqrt(5 / trials) / 2  # the kurtosis of Laplace noise is 6
        assert math.sqrt(np.mean(errors**2)) == pytest.approx(frame.error[0], rel=four_standard_errors)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"draws": 0}, r"draws must be in \[1, 100\]"),
            ({"draws": 101}, r"draws must be in \[1, 100\]"),
            ({"spread": 0.6}, r"spread must be in \[0, 0.5\]"),
            ({"queries": 0}, "queries must be in"),
            ({"budget": Guarantee(0.0)}, "epsilon of the budget must be in"),
            ({"noise": "uniform"}, "noise must be one of laplace, gaussian"),
            ({"noise": "gaussian", "budget": Guarantee(1.0)}, "delta of a budget for Gaussian noise"),
            ({"width": 0.0}, "width must be in"),
        ],
    )
    def test_bad_input_is_refused(self, change, message):
        good = {"records": 100, "spread": 0.2, "queries": 3, "budget": self.BUDGET, "draws": 50}
        with pytest.raises(ValueError, match=message):
            mean_error(**{**good, **change})


def test_a_delta_with_replacement_too_small_for_a_double_is_not_zero():
    """Two copies of a record at μ = 0.04 exceed ε = 4.21 with probability 1e-500."""
    guarantee = amplify_with_replacement(Gaussian(24.75), 2, 2, 4.21)
    assert 0 < guarantee.delta < 1e-300
