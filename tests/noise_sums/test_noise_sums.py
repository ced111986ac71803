"""Sums of Gaussian noise and secure aggregation, against reference values, simulation and laws."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import CALIBRATIONS, Gaussian
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma, gaussian_delta, lecture_sigma
from dpviz.noise_sums import NOTE_PAIRS, client_curve, noise_sum, secure_aggregation, summed_epsilon
from dpviz.noise_sums.sums import (
    fewest_clients,
    honest_clients,
    noise_sum_grid,
    noise_sum_table,
    standing,
    vantage_points,
)
from tests.exact import gaussian_delta as exact_delta
from tests.golden import GOLDEN, close_from_above
from tests.strategies import EPSILONS, WHOLE_DELTAS

KEYS = st.sampled_from([record.key for record in CALIBRATIONS])
FINE = 1e-11  # relative error of ε through the inverse of the exact profile
PRINTED = {(0.5, 0.75): 0.416, (1.0, 0.5): 0.447, (2.0, 1.0): 0.894, (2.0, 0.5): 0.485}
EXACT = {  # at δ = 1e-5: classical and analytic inputs, to the digits of the errata
    (0.5, 0.75): (0.288586, 0.404443),
    (1.0, 0.5): (0.312228, 0.436786),
    (2.0, 1.0): (0.664748, 0.871267),
    (2.0, 0.5): (0.341122, 0.479362),
}


class TestRule:
    @pytest.mark.parametrize(("pair", "printed"), PRINTED.items())
    def test_the_note_s_table(self, pair, printed):
        """The note cuts the third digit off."""
        assert math.floor(summed_epsilon(pair) * 1000) / 1000 == printed

    @given(st.lists(EPSILONS, min_size=1, max_size=6))
    def test_against_many_digits(self, epsilons):
        with mpmath.workdps(50):
            exact = 1 / mpmath.sqrt(mpmath.fsum(1 / mpmath.mpf(epsilon) ** 2 for epsilon in epsilons))
            digits = mpmath.mpf("1e-40")
        assert exact * (1 - digits) <= summed_epsilon(epsilons) <= exact * (1 + mpmath.mpf(1e-14))

    @given(EPSILONS, st.integers(1, 1000))
    def test_equal_noises_divide_by_the_root(self, epsilon, count):
        assert summed_epsilon([epsilon] * count) == pytest.approx(epsilon / math.sqrt(count), rel=1e-13)

    def test_limits(self):
        assert summed_epsilon([0.5, math.inf]) == pytest.approx(0.5)
        assert summed_epsilon([0.0, 1.0]) == 0.0
        assert summed_epsilon([math.inf, math.inf]) == math.inf
        assert summed_epsilon([1e-300, 1e300]) == pytest.approx(1e-300)
        for bad in ([], [-1.0], [math.nan]):
            with pytest.raises(ValueError, match="epsilons must be"):
                summed_epsilon(bad)

    @given(st.lists(st.floats(0.01, 5), min_size=2, max_size=5))
    def test_is_exact_for_mu(self, mus):
        """Noises of μ_i add up to noise of the harmonic sum, so the rule is exact for μ."""
        deviation = math.hypot(*(1 / mu for mu in mus))
        assert summed_epsilon(mus) == pytest.approx(Gaussian(deviation).mu, rel=1e-12)


class TestNoiseSum:
    @pytest.mark.parametrize("row", GOLDEN["dp_ml_proofs_table_delta_1e-5"]["rows"])
    @pytest.mark.parametrize("calibration", ["classical", "analytic"])
    def test_reference(self, row, calibration):
        pair = (float(row["eps1"]), float(row["eps2"]))
        frame = noise_sum_table([pair], 1e-5, [calibration])
        found = frame.iloc[0]
        assert close_from_above(found.epsilon, row[f"exact_eps3_{calibration}_inputs"], FINE)
        assert close_from_above(found.rule, row["formula"])
        assert found.sigma_sum == pytest.approx(float(row[f"sigma3_{calibration}"]), rel=1e-12)
        assert noise_sum(pair, 1e-5, calibration).epsilon == found.epsilon
        if calibration == "classical":
            assert close_from_above(found.exact_1, row["exact_eps1_of_classical_sigma1"], FINE)
            assert close_from_above(found.exact_2, row["exact_eps2_of_classical_sigma2"], FINE)
        else:
            assert found.difference == pytest.approx(float(row["formula_minus_exact_analytic"]), rel=1e-9)
            assert (found.exact_1, found.exact_2) == pytest.approx(pair, rel=FINE)

    def test_the_whole_table(self):
        frame = noise_sum_table()
        assert list(zip(frame.epsilon_1, frame.epsilon_2, strict=True))[::3] == list(NOTE_PAIRS)
        for pair, (classical, analytic) in EXACT.items():
            rows = frame[(frame.epsilon_1 == pair[0]) & (frame.epsilon_2 == pair[1])].set_index("calibration")
            assert rows.epsilon["classical"] == pytest.approx(classical, abs=5e-7)
            assert rows.epsilon["analytic"] == pytest.approx(analytic, abs=5e-7)
            assert rows.epsilon["lecture11"] < rows.epsilon["classical"]
        assert frame[frame.calibration == "classical"].standing.tolist() == ["proved"] * 4
        assert frame[frame.calibration == "lecture11"].standing.tolist() == ["proved"] * 4
        assert frame[frame.calibration == "analytic"].standing.tolist() == ["true"] * 4

    @given(st.lists(EPSILONS, min_size=1, max_size=4), WHOLE_DELTAS, KEYS)
    def test_is_exact_for_the_summed_noise(self, epsilons, delta, calibration):
        """By the exact profile at many digits: never below the truth, and hardly above."""
        answer = noise_sum(epsilons, delta, calibration)
        with mpmath.workdps(40):
            sigmas = [mpmath.mpf(calibrated_sigma(calibration, epsilon, delta, 1.0)) for epsilon in epsilons]
            mu = 1 / mpmath.sqrt(mpmath.fsum(sigma**2 for sigma in sigmas))
        assert answer.delta == delta
        assert exact_delta(answer.epsilon, mu) <= mpmath.mpf(delta) * (1 + mpmath.mpf(1e-14))
        if answer.epsilon > 0:
            assert exact_delta(answer.epsilon * (1 - 1e-10) - 1e-13, mu) > delta

    @given(st.lists(EPSILONS, min_size=1, max_size=4), EPSILONS, WHOLE_DELTAS, KEYS)
    def test_more_noise_never_costs_more(self, epsilons, further, delta, calibration):
        before = noise_sum(epsilons, delta, calibration).epsilon
        assert noise_sum([*epsilons, further], delta, calibration).epsilon <= before * (1 + 1e-13)

    def test_one_noise_is_itself(self):
        assert noise_sum([0.7], 1e-5).epsilon == 0.7
        assert noise_sum([0.7], 1e-5, "classical").epsilon < 0.7

    def test_simulation_of_the_law(self):
        """Sums of drawn noises have the promised quantiles and the promised δ, with a fixed seed."""
        rng, trials = np.random.default_rng(3), 400_000
        pair, delta = (2.0, 1.0), 1e-2
        noises = [Gaussian.from_guarantee(epsilon, delta) for epsilon in pair]
        drawn = sum(noise.sample(0.0, trials, rng) for noise in noises)
        total = Gaussian(math.hypot(*(noise.sigma for noise in noises)))
        for quantile in (-2, -1, 0, 1, 2):
            share, expected = np.mean(drawn <= quantile * total.sigma), float(mpmath.ncdf(quantile))
            assert share == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / trials))
        loss = total.log_ratio(drawn, 0.0, 1.0)
        excess = np.maximum(0.0, -np.expm1(noise_sum(pair, delta).epsilon - loss))
        assert excess.mean() == pytest.approx(delta, abs=5 * excess.std() / math.sqrt(trials))

    @pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, math.nan])
    @pytest.mark.parametrize("calibration", [record.key for record in CALIBRATIONS])
    def test_no_gaussian_is_pure(self, delta, calibration):
        with pytest.raises(ValueError, match=r"delta .*must be in"):
            noise_sum([1.0, 2.0], delta, calibration)

    @pytest.mark.parametrize("epsilons", [[], [-1.0], [math.inf, 1.0], ["a"]])
    def test_bad_epsilons_are_refused(self, epsilons):
        with pytest.raises(ValueError, match="must be"):
            noise_sum(epsilons, 1e-5)


class TestStanding:
    @given(EPSILONS, EPSILONS, WHOLE_DELTAS, KEYS)
    def test_says_the_truth(self, one, other, delta, calibration):
        """Neither proved nor true where the exact ε exceeds the rule, and never false where it does not."""
        row = noise_sum_table([(one, other)], delta, [calibration]).iloc[0]
        near = 1e-9
        if row.epsilon > row.rule * (1 + near):
            assert row.standing == "false"
        if row.epsilon < row.rule * (1 - near):
            assert row.standing in ("proved", "true")
        if calibration == "classical" and row.rule < 1:
            assert row.standing == "proved"
        if calibration == "analytic":
            assert row.standing != "proved"

    def test_all_three_occur(self):
        frame = noise_sum_table([(0.5, 0.75), (5.0, 5.0), (40.0, 40.0)], 1e-5, ["classical"])
        assert frame.standing.tolist() == ["proved", "true", "false"]

    @pytest.mark.parametrize("log_delta", [-30.0, -12.0, -5.0, -1.0, -0.31, math.log10(0.8)])
    def test_what_is_proved_of_lecture_11_holds_exactly(self, log_delta):
        """Both proved ranges against the exact profile, on a grid of ε up to their ends."""
        delta = 10.0**log_delta
        tail = 8 * (1 - math.sqrt(0.5)) * -math.log(delta)
        for epsilon in (1e-6, 0.1, 0.999, 0.5 * tail, tail * (1 - 1e-12)):
            sigma = lecture_sigma(epsilon, delta)
            assert standing(np.array(epsilon), np.array(sigma), delta, "lecture11") == "proved"
            assert exact_delta(epsilon, 1 / sigma) <= delta

    def test_nothing_is_proved_of_lecture_11_for_the_largest_deltas(self):
        assert standing(np.array(0.9), np.array(lecture_sigma(0.9, 0.9)), 0.9, "lecture11") == "true"
        assert standing(np.array(0.9), np.array(lecture_sigma(0.9, 0.999)), 0.999, "lecture11") == "false"


class TestCalibrations:
    @pytest.mark.parametrize("row", GOLDEN["gaussian_calibration_validity"]["rows"])
    def test_reference(self, row):
        delta = float(row["delta"])
        for key in ("lecture11", "classical", "analytic"):
            name = "lecture11_sigma_at_eps1" if key == "lecture11" else f"{key}_at_eps1"
            assert calibrated_sigma(key, 1.0, delta, 1.0) == pytest.approx(float(row[name]), rel=1e-12)
        exact = float(row["exact_eps_of_lecture11_sigma_at_eps1"])
        assert noise_sum([1.0], delta, "lecture11").epsilon == pytest.approx(exact, rel=FINE)

    @pytest.mark.parametrize("row", GOLDEN["gaussian_calibration_validity"]["rows"])
    @pytest.mark.parametrize(
        ("key", "column"),
        [
            ("classical", "classical_sqrt(2ln(1.25/d))/eps_true_up_to_eps"),
            ("lecture11", "lecture11_2sqrt(ln(1/d))/eps_true_up_to_eps"),
        ],
    )
    def test_true_up_to(self, row, key, column):
        """A pair is accepted up to the ε where its noise stops meeting it, and refused beyond."""
        delta, last = float(row["delta"]), float(row[column])
        edge = 1e-9
        assert Gaussian.from_guarantee(last * (1 - edge), delta, calibration=key).delta(last * (1 - edge)) <= delta
        with pytest.raises(ValueError, match="does not give"):
            Gaussian.from_guarantee(last * (1 + edge), delta, calibration=key)

    @given(EPSILONS, WHOLE_DELTAS)
    def test_lecture_11_is_no_less_than_classical(self, epsilon, delta):
        """For δ up to 0.8, so that the classical proof covers it."""
        assert calibrated_sigma("lecture11", epsilon, delta, 1.0) >= calibrated_sigma("classical", epsilon, delta, 1.0)


class TestGrid:
    @pytest.mark.parametrize("calibration", [record.key for record in CALIBRATIONS])
    def test_equals_the_single_points(self, calibration):
        first, second = [0.1, 1.0, 20.0], [0.5, 3.0]
        frame = noise_sum_grid(first, second, 1e-5, calibration)
        table = noise_sum_table([(a, b) for a in first for b in second], 1e-5, [calibration])
        for column in ("epsilon_1", "epsilon_2", "standing"):
            assert frame[column].tolist() == table[column].tolist()
        for column in ("rule", "epsilon"):
            assert frame[column].to_numpy() == pytest.approx(table[column].to_numpy(), rel=1e-14)

    def test_bad_axes_are_refused(self):
        with pytest.raises(ValueError, match="must be"):
            noise_sum_grid([], [1.0], 1e-5)
        with pytest.raises(ValueError, match="must be in"):
            noise_sum_grid([1.0], [-1.0], 1e-5)


CLIENTS = st.one_of(st.sampled_from([1, 2, 100, 10**6]), st.integers(1, 10**9))


class TestSecureAggregation:
    @pytest.mark.parametrize("row", GOLDEN["dp_ml_proofs_secagg_delta_1e-5"]["rows"])
    def test_reference(self, row):
        epsilon, clients = float(row["eps_a"]), int(row["n"])
        for calibration in ("analytic", "classical"):
            found = secure_aggregation(epsilon, 1e-5, clients, calibration=calibration)
            assert close_from_above(found.epsilon, row[f"exact_from_{calibration}"], 1e-10)
            assert found.delta == 1e-5
        frame = vantage_points(epsilon, 1e-5, clients, calibration="classical").set_index("vantage")
        assert frame.rule["server"] == pytest.approx(float(row["rule_eps_over_sqrt_n"]), rel=1e-14)
        assert frame.epsilon["note_scale"] == pytest.approx(float(row["note_scale_sigma^2*sqrt(n)_gives"]), rel=1e-10)
        assert frame.rule["note_scale"] == pytest.approx(epsilon / clients**0.25, rel=1e-14)

    @given(EPSILONS, WHOLE_DELTAS, CLIENTS, KEYS)
    def test_all_but_one_colluding_is_the_local_guarantee(self, epsilon, delta, clients, calibration):
        local = secure_aggregation(epsilon, delta, 1, calibration=calibration)
        assert secure_aggregation(epsilon, delta, clients, clients - 1, 0, calibration) == local
        assert secure_aggregation(epsilon, delta, clients, 0, clients - 1, calibration) == local
        if calibration == "analytic":
            assert epsilon * (1 - 1e-10) - 1e-13 <= local.epsilon <= epsilon  # σ is rounded up

    @given(EPSILONS, WHOLE_DELTAS, CLIENTS, st.floats(0, 1), st.floats(0, 1), KEYS)
    def test_fewer_honest_clients_never_promise_more(self, epsilon, delta, clients, share, part, calibration):
        colluding = int(share * (clients - 1))
        dropped = int(part * (clients - 1 - colluding))
        less = secure_aggregation(epsilon, delta, clients, colluding, dropped, calibration).epsilon
        assert secure_aggregation(epsilon, delta, clients, calibration=calibration).epsilon <= less * (1 + 1e-13)
        swapped = secure_aggregation(epsilon, delta, clients, dropped, colluding, calibration).epsilon
        assert swapped == less

    @given(EPSILONS, WHOLE_DELTAS, st.integers(2, 20), KEYS)
    def test_is_the_sum_of_the_clients_noises(self, epsilon, delta, clients, calibration):
        together = secure_aggregation(epsilon, delta, clients, calibration=calibration).epsilon
        apart = noise_sum([epsilon] * clients, delta, calibration).epsilon
        assert together == pytest.approx(apart, rel=1e-10, abs=1e-13)

    def test_simulation(self):
        """The deviation of the sum of honest noises, with a fixed seed."""
        rng, noise = np.random.default_rng(4), Gaussian.from_guarantee(1.0, 1e-5)
        drawn = noise.sample(0.0, (40_000, 25), rng).sum(axis=1)
        sigma = vantage_points(1.0, 1e-5, 30, colluding=5).set_index("vantage").sigma["server_and_colluders"]
        assert drawn.std() == pytest.approx(sigma, rel=5 / math.sqrt(2 * 40_000))

    def test_vantage_points(self):
        frame = vantage_points(1.0, 1e-5, 100, colluding=20, dropped=10).set_index("vantage")
        assert frame.index.tolist() == ["server", "server_and_colluders", "local", "note_scale"]
        assert frame.noises.tolist() == [90, 70, 1, pytest.approx(math.sqrt(90))]
        assert frame.epsilon["server_and_colluders"] == secure_aggregation(1.0, 1e-5, 100, 20, 10).epsilon
        assert frame.epsilon["server"] < frame.epsilon["server_and_colluders"] < frame.epsilon["local"] == 1.0
        assert frame.epsilon["note_scale"] > frame.epsilon["server"]
        for row in frame.itertuples():
            assert float(gaussian_delta(row.epsilon, 1 / row.sigma)) <= 1e-5 * (1 + 1e-11)

    def test_client_curve(self):
        frame = client_curve(1.0, 1e-5, [1, 5, 6, 100], colluding=3, dropped=2)
        assert frame.honest.tolist() == [0, 0, 1, 95]
        assert frame.epsilon.tolist()[:3] == [math.inf, math.inf, 1.0]
        assert frame.epsilon[3] == secure_aggregation(1.0, 1e-5, 100, 3, 2).epsilon
        assert frame.rule[3] == 1 / math.sqrt(95)
        assert (frame.note_scale >= frame.epsilon).all()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1.0, 1e-5, 10, 11), r"colluding must be in \[0, 9\]"),
            ((1.0, 1e-5, 10, 10), r"colluding must be in \[0, 9\]"),
            ((1.0, 1e-5, 10, 6, 4), r"colluding must be in \[0, 5\]"),
            ((1.0, 1e-5, 10, 0, 10), r"dropped must be in \[0, 9\]"),
            ((1.0, 1e-5, 0), "clients must be in"),
            ((1.0, 1e-5, 10, -1), "colluding must be in"),
            ((1.0, 0.0, 10), r"delta of Gaussian noise must be in \(0, 1\)"),
            ((math.nan, 1e-5, 10), "epsilon must be in"),
            ((1.0, 1e-5, 10, 0, 0, "magic"), "calibration must be one of analytic, classical, lecture11"),
        ],
    )
    def test_bad_input_is_refused(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            secure_aggregation(*arguments)

    def test_honest_clients(self):
        assert honest_clients(10, 3, 2) == 5


class TestFewestClients:
    @pytest.mark.parametrize(("colluding", "dropped"), [(0, 0), (3, 4)])
    @pytest.mark.parametrize("target", [0.7, 0.1, 0.01])
    def test_against_the_exact_profile(self, target: float, colluding: int, dropped: int):
        """So many honest noises of the classical σ keep δ, and one less does not, with 50 digits."""
        epsilon, delta = 0.5, 1e-5
        found = fewest_clients(epsilon, delta, target, colluding, dropped, "classical")
        with mpmath.workdps(50):
            sigma = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(1.25) / delta)) / epsilon
            honest = found - colluding - dropped
            spent = [exact_delta(target, 1 / (sigma * mpmath.sqrt(n))) if n else 1.0 for n in (honest, honest - 1)]
        assert spent[0] <= delta < spent[1]

    def test_no_number_is_enough(self):
        """At ε = 0 the sum may shift by μ = δ√(2π) at most: 10^8 clients at δ = 1e-5, 10^16 at 1e-9."""
        assert fewest_clients(1, 1e-9, 0.0) is None and fewest_clients(1, 1e-5, 0.0) < 10**9
        assert fewest_clients(1, 1e-5, 1.0) == 1

    def test_what_is_not_allowed(self):
        with pytest.raises(ValueError, match="colluding must be in"):
            fewest_clients(1, 1e-5, 0.1, colluding=-1)
        with pytest.raises(ValueError, match="epsilon must be in"):
            fewest_clients(-1, 1e-5, 0.1)
