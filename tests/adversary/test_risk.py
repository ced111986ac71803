"""Risk from a whole privacy loss: closed forms, an independent implementation, simulation, and the odds in words."""

import math

import numpy as np
import pytest
import riskcal.analysis
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, NameAndShame, RandomizedResponse
from dpviz.adversary import PairLoss, odds, run_experiment
from dpviz.adversary.intervals import clopper_pearson
from dpviz.adversary.odds import odds_record
from dpviz.adversary.risk import (
    attack_frame,
    best_success,
    greatest_advantage,
    loss_bound,
    posterior,
    posterior_frame,
    true_positive_rate,
)
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta, gaussian_epsilon
from dpviz.privacy_loss import PrivacyLoss
from tests.strategies import EPSILONS, MECHANISMS, SMALL_DELTAS, WHOLE_DELTAS

ROUNDING = 1e-9  # relative: outward rounding of this project, and the peers' own
STEEP = 1e-11  # absolute: rounding of rates, where the trade-off curve may be vertical
ENGINE = 1e-5  # relative excess of the numerical engine at its default accuracy
NOTEBOOK = (
    Laplace.from_epsilon(0.5),
    Laplace.from_epsilon(1.0),
    Gaussian.from_guarantee(0.5, 0.01, calibration="classical"),
)


class GaussianLoss:
    """The exact privacy loss of Gaussian noise, from closed forms alone."""

    def __init__(self, mu):
        self.mu = mu
        self.advantage = float(gaussian_delta(0.0, mu))

    def epsilon(self, delta):
        return float(gaussian_epsilon(np.array([delta]), self.mu)[0])

    def delta(self, epsilon):
        return gaussian_delta(np.asarray(epsilon, dtype=float), self.mu)

    def tradeoff(self, rate):
        return ndtr(ndtri(1 - np.asarray(rate)) - self.mu)

    def exceeded(self, epsilon):
        """P[L > ε]: the loss is normal with mean μ²/2 and standard deviation μ."""
        return float(ndtr(-(epsilon - self.mu**2 / 2) / self.mu))


class ResponsesLoss:
    """The exact privacy loss of `count` randomized responses: atoms, their tails, and Neyman-Pearson's lemma."""

    def __init__(self, each, count):
        truth = 1 / (1 + math.exp(-each))
        lies = np.arange(count + 1)
        ways = np.array([math.comb(count, k) for k in lies], dtype=float)
        self.losses = (count - 2 * lies) * each
        self.masses = ways * truth ** (count - lies) * (1 - truth) ** lies
        self.others = ways * (1 - truth) ** (count - lies) * truth**lies
        self.advantage = float(self.delta(0.0))

    def delta(self, epsilon):
        gaps = np.minimum(np.subtract.outer(np.asarray(epsilon, dtype=float), self.losses), 0.0)
        return (-np.expm1(gaps) * self.masses).sum(axis=-1)

    def epsilon(self, delta):
        low, high = 0.0, float(self.losses[0])
        if self.delta(0.0) <= delta:
            return 0.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high

    def tradeoff(self, rate):
        accused, right = np.cumsum(self.others), np.cumsum(self.masses)
        return 1 - np.interp(rate, np.concatenate([[0], accused]), np.concatenate([[0], right]))

    def exceeded(self, epsilon):
        return float(self.masses[self.losses > epsilon].sum())


EXACT = (GaussianLoss(0.1), GaussianLoss(1.0), GaussianLoss(4.0), ResponsesLoss(0.5, 7), ResponsesLoss(0.1, 100))


class MechanismLoss:
    """One mechanism's own exact profile; its trade-off as the supremum of the lines that the profile gives."""

    def __init__(self, mechanism):
        self.epsilon, self.delta = mechanism.epsilon, mechanism.delta
        self.advantage = mechanism.delta(0.0)
        top = mechanism.stated.epsilon if mechanism.stated else mechanism.epsilon(1e-12)
        self.grid = np.linspace(0, top, 2001)
        self.deltas = mechanism.delta(self.grid)

    def tradeoff(self, rate):
        kept, rate = 1 - self.deltas, np.asarray(rate, dtype=float)[..., None]
        lines = np.maximum(kept - np.exp(self.grid) * rate, np.exp(-self.grid) * (kept - rate))
        return np.maximum(lines.max(axis=-1), 0.0)


def loss_of(mechanism):
    if mechanism.stated:
        return PairLoss(mechanism.stated)
    return PrivacyLoss.of(mechanism) if mechanism.mu is None else GaussianLoss(mechanism.mu)


# -- the checked values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "without"), [(0.1, 47), (0.5, 37), (1, 26), (2, 11), (3, 4), (4, 1)])
def test_odds_of_randomized_response(epsilon, without):
    record = odds_record(PrivacyLoss.of(RandomizedResponse(epsilon)))
    assert (record.without, record.within, record.denominator) == (without, 100 - without, 100)
    assert record.sentence == odds(PairLoss(Guarantee(epsilon)))


def test_odds_of_laplace():
    record = odds_record(PrivacyLoss.of(Laplace.from_epsilon(0.5)), unit="user-day")
    assert (record.without, record.within) == (38, 62)
    assert record.sentence == (
        "Is this user-day in the data? An attacker who knows all other data says yes to about 62 of 100 results where "
        "it is, and to about 38 of 100 where it is not."
    )
    assert odds(PrivacyLoss.of(Laplace.from_epsilon(0.5)), unit="user-day") == record.sentence


def test_the_notebooks_pass():
    """The best adversary is right with probability 0.705730 after one pass; its three pairs imply far more."""
    loss = PrivacyLoss.of(NOTEBOOK)
    assert loss.advantage == pytest.approx(0.411459, abs=1e-6)
    assert best_success(loss) == pytest.approx(0.705730, abs=1e-6)
    assert best_success(PairLoss(Guarantee(2.0, 0.01))) > 0.88


def test_gap_between_plan_and_pair():
    """Gaussian noise at (6, 1e-5): advantage 0.49; the pair alone implies 0.995."""
    frame = attack_frame(PrivacyLoss.of(Gaussian.from_guarantee(6, 1e-5)), 1e-5)
    advantage = frame.set_index("measure").loc["advantage"]
    assert advantage["value"] == pytest.approx(0.49, abs=0.005)
    assert advantage["pair_value"] == pytest.approx(0.995, abs=0.0005)
    assert (frame["value"] <= frame["pair_value"]).all()


# -- odds in words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "denominator", "without", "words"),
    [
        (4.5, 100, 1, "about 1 of"),
        (4.7, 1000, 9, "about 9 of"),
        (6.0, 1000, 2, "about 2 of"),
        (7.0, 10_000, 9, "about 9 of"),
        (8.0, 10_000, 3, "about 3 of"),
        (12.0, 10_000, 0, "fewer than 1 of"),
    ],
)
def test_denominators(epsilon, denominator, without, words):
    """Below 1 in 100 the odds are out of 1,000, then out of 10,000, and never "0 in"."""
    record = odds_record(PairLoss(Guarantee(epsilon)))
    assert (record.denominator, record.without) == (denominator, without)
    assert words in record.sentence and f"of {denominator:,} results" in record.sentence


def test_extremes_in_words():
    assert "about 50 of" in odds(PairLoss(Guarantee(0.0)))
    certain = odds_record(PairLoss(Guarantee(1.0, 1.0)))
    assert (certain.without, certain.within) == (0, 10_000)
    assert "none of 10,000" in certain.sentence and "all of 10,000" in certain.sentence
    replaced = odds(PairLoss(Guarantee(1.0)), unit="household", relation="replace_one")
    assert replaced.startswith("Which of two records has this household?") and "the right one for about 74" in replaced


@given(EPSILONS, SMALL_DELTAS)
def test_odds_never_tell_too_few_right_guesses(epsilon, delta):
    record = odds_record(PairLoss(Guarantee(epsilon, delta)))
    assert record.without + record.within == record.denominator
    right = record.true_positive_rate * record.denominator
    assert right - ROUNDING <= record.within <= right + 1 + ROUNDING
    assert record.denominator == 10_000 or record.false_positive_rate * record.denominator >= 1


@pytest.mark.parametrize(
    ("changes", "words"), [({"denominator": 0}, "denominator"), ({"relation": "zero"}, "relation")]
)
def test_odds_refused(changes, words):
    with pytest.raises(ValueError, match=f"{words} must be"):
        odds_record(PairLoss(Guarantee(1.0)), **changes)


# -- attacks -------------------------------------------------------------------------------------------------------


@given(MECHANISMS.filter(lambda each: each.stated or each.mu))  # those with a closed form
def test_greatest_advantage_lies_on_the_curve(mechanism):
    """With equal error rates, no other attack on the curve gains more."""
    loss = loss_of(mechanism)
    point = greatest_advantage(loss)
    assert point.true_positive_rate - point.false_positive_rate == pytest.approx(loss.advantage, rel=1e-9, abs=1e-15)
    beside = point.false_positive_rate + np.array([-STEEP, STEEP])
    least, most = 1 - loss.tradeoff(np.clip(beside, 0, 1))
    assert least - STEEP <= point.true_positive_rate <= most + STEEP
    rates = np.linspace(0, 1, 101)
    assert np.all(1 - loss.tradeoff(rates) - rates <= loss.advantage + STEEP)


@pytest.mark.parametrize("loss", EXACT)
def test_success_is_the_best_on_the_curve(loss):
    """Bayes' error found by searching the exact trade-off curve, at any prior."""
    rates = np.unique(np.concatenate([np.linspace(0, 1, 20001), np.cumsum(getattr(loss, "others", [0.0])).clip(0, 1)]))
    missed = loss.tradeoff(rates)
    for prior in (0.001, 0.01, 0.1, 0.3, 0.5, 0.8, 0.999):
        searched = 1 - ((1 - prior) * rates + prior * missed).min()
        assert searched - 1e-12 <= best_success(loss, prior) <= searched + 1e-6


@given(MECHANISMS, st.floats(0, 1), st.floats(0, 1))
def test_rates_are_rates(mechanism, prior, rate):
    loss = loss_of(mechanism)
    assert max(prior, 1 - prior) <= best_success(loss, prior) <= 1
    assert best_success(loss, prior) == pytest.approx(best_success(loss, 1 - prior), rel=1e-9)
    assert rate <= true_positive_rate(loss, rate) <= 1


@given(EPSILONS, WHOLE_DELTAS, st.floats(0, 1))
def test_pair_curve_is_the_envelope_of_its_profile(epsilon, delta, rate):
    """The pair's trade-off, against the supremum of lines over its own profile."""
    pair = PairLoss(Guarantee(epsilon, delta))
    grid = np.linspace(0, epsilon, 51)
    lines = np.maximum(1 - pair.delta(grid) - np.exp(grid) * rate, np.exp(-grid) * (1 - pair.delta(grid) - rate))
    assert pair.tradeoff(rate) == pytest.approx(max(lines.max(), 0.0), rel=1e-9, abs=1e-12)
    assert pair.tradeoff(rate) <= max(1 - delta - rate, 0.0) + 1e-15


def test_a_pair_that_says_nothing():
    for pair in (PairLoss(Guarantee(math.inf)), PairLoss(Guarantee(1.0, 1.0))):
        assert pair.advantage == 1.0 and true_positive_rate(pair, 0.0) == 1.0 and best_success(pair, 0.2) == 1.0
        assert math.isinf(loss_bound(pair, 0.5).epsilon) and posterior(pair, 0.01) == 1.0


@pytest.mark.parametrize("mechanism", [*NOTEBOOK, RandomizedResponse(1.0), ApproximateDP(0.5, 0.01), NameAndShame(0.1)])
def test_no_attack_does_better(mechanism):
    """Simulated attacks at every threshold lie under the curve, by intervals that hold but once in 10^9."""
    views = run_experiment([mechanism], trials=20_000, rng=np.random.default_rng(3))
    loss = MechanismLoss(mechanism)
    for threshold in np.quantile(views.log_ratios, np.linspace(0.02, 0.98, 9), method="lower"):
        accused, right = ((row > threshold + views.experiment.tie).sum() for row in views.log_ratios)
        rate = clopper_pearson(int(accused), views.trials, 1 - 1e-9)
        assert clopper_pearson(int(right), views.trials, 1 - 1e-9).low <= true_positive_rate(loss, rate.high)


# -- an independent implementation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.0, 2.5])
def test_riskcal_gaussian(mu):
    """Advantage, trade-off at 100 points and Bayes' risk of Gaussian noise."""
    loss, rates = PrivacyLoss.of(Gaussian(1 / mu)), np.linspace(0.005, 0.995, 100)
    assert loss.advantage == pytest.approx(riskcal.analysis.get_advantage_from_gdp(mu), abs=1e-6)
    beta = riskcal.analysis.get_beta_from_gdp(mu, rates)
    ours = np.array([true_positive_rate(loss, rate) for rate in rates])
    assert np.allclose(1 - ours, beta, rtol=0, atol=1e-6)
    for prior in (0.01, 0.1, 0.5):
        assert 1 - best_success(loss, prior) == pytest.approx(normal_bayes_error(mu, prior), abs=1e-9)


def normal_bayes_error(mu, prior):
    """Both errors of the likelihood-ratio test between N(0, 1) and N(μ, 1) at the prior's threshold."""
    threshold = mu / 2 + math.log((1 - prior) / prior) / mu
    return (1 - prior) * ndtr(-threshold) + prior * ndtr(threshold - mu)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 1e-5), (3.0, 0.01)])
def test_riskcal_pairs(epsilon, delta):
    """Advantage and trade-off at 100 points of a black box."""
    pair, rates = PairLoss(Guarantee(epsilon, delta)), np.linspace(0.005, 0.995, 100)
    profile = MechanismLoss(ApproximateDP(epsilon, delta))
    beta = riskcal.analysis.get_beta_from_adp(epsilon, delta, rates)
    assert pair.advantage == pytest.approx(riskcal.analysis.get_advantage_from_adp(epsilon, delta), abs=1e-6)
    for loss in (pair, profile):
        assert np.allclose([1 - true_positive_rate(loss, rate) for rate in rates], beta, rtol=0, atol=1e-6)


def test_riskcal_composed():
    """The notebook's mixed pass, composed by two engines: trade-off at 100 points."""
    step, rates = {"value_discretization_interval": 1e-4}, np.linspace(0.005, 0.995, 100)
    composed = privacy_loss_distribution.from_gaussian_mechanism(NOTEBOOK[2].sigma, **step)
    for scale in (2.0, 1.0):
        composed = composed.compose(privacy_loss_distribution.from_laplace_mechanism(scale, **step))
    loss = PrivacyLoss.of(NOTEBOOK)
    missed = 1 - np.array([true_positive_rate(loss, rate) for rate in rates])
    assert np.allclose(missed, riskcal.analysis.get_beta_from_pld(composed, rates), rtol=0, atol=1e-6)
    assert loss.advantage == pytest.approx(riskcal.analysis.get_advantage_from_pld(composed), abs=1e-6)


@pytest.mark.parametrize("mu", [0.5, 2.0])
def test_the_engines_curve_is_exact(mu):
    """Real and closed-form privacy loss agree on everything risk reads."""
    real, exact = PrivacyLoss.of([Gaussian(math.sqrt(2) / mu)] * 2), GaussianLoss(mu)
    for probability in (1e-9, 1e-6, 0.01):
        ours, theirs = loss_bound(real, probability).epsilon, loss_bound(exact, probability).epsilon
        assert ours == pytest.approx(theirs, rel=ENGINE)
    for rate in (1e-6, 1e-3, 0.01, 0.3):
        assert true_positive_rate(real, rate) == pytest.approx(true_positive_rate(exact, rate), rel=ENGINE)
        assert true_positive_rate(real, rate) >= (1 - exact.tradeoff(rate)) * (1 - ROUNDING)


# -- how far a prior can rise --------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", EXACT)
@pytest.mark.parametrize("probability", [1e-12, 1e-6, 0.01, 0.1, 0.5])
def test_loss_bound_is_a_bound(loss, probability):
    """The exact tail beyond it is at most the probability; ε(δ) would not do."""
    bound = loss_bound(loss, probability)
    assert bound.reason == "" and math.isfinite(bound.epsilon)
    assert loss.exceeded(bound.epsilon) <= probability * (1 + ROUNDING)


def test_epsilon_of_delta_is_no_such_bound():
    """Why not ε(δ): the loss of Gaussian noise exceeds it far more often than δ."""
    loss = GaussianLoss(1.0)
    assert loss.exceeded(loss.epsilon(1e-6)) > 3e-6
    assert loss_bound(loss, 1e-6).epsilon > loss.epsilon(1e-6)


def test_loss_bound_is_the_smallest_it_proves():
    """Against the formula minimised over 20,000 values of ε'."""
    for loss in EXACT:
        for probability in (1e-6, 0.01):
            grid = np.linspace(0, loss_bound(loss, probability).epsilon, 20_001)
            share = loss.delta(grid) / probability
            searched = (grid - np.log1p(-np.minimum(share, 1 - 1e-16)))[share < 1].min()
            assert loss_bound(loss, probability).epsilon == pytest.approx(searched, rel=1e-4)


def test_losses_simulated():
    """Losses drawn from the notebook's pass exceed the bound at most as often as promised."""
    views = run_experiment(NOTEBOOK, trials=100_000, rng=np.random.default_rng(11))
    loss = PrivacyLoss.of(NOTEBOOK)
    for probability in (0.3, 0.1, 0.01):
        bound = loss_bound(loss, probability).epsilon
        for losses in (views.log_ratios[1], -views.log_ratios[0]):
            exceeded = clopper_pearson(int((losses > bound).sum()), views.trials, 1 - 1e-9)
            assert exceeded.low <= probability
        assert (views.posterior(0.1)[1] > posterior(loss, 0.1, probability)).mean() <= probability


@given(EPSILONS, st.sampled_from([0.0, 1e-9, 0.01, 0.5]))
def test_pure_losses_stay_below_epsilon(epsilon, probability):
    """Randomized response: its ε, always; posteriors are the well-known p e^ε / (p e^ε + 1 - p)."""
    loss = PairLoss(Guarantee(epsilon))
    assert loss_bound(loss, probability).epsilon <= epsilon
    if probability == 0:
        assert loss_bound(loss, probability).epsilon == epsilon
        for prior in (0.001, 0.01, 0.1, 0.5):
            known = prior / (prior + (1 - prior) * math.exp(-epsilon))
            assert known <= posterior(loss, prior, 0.0) <= known * (1 + 1e-11)


@pytest.mark.parametrize(
    ("epsilon", "prior", "percent"),
    [(1, 0.01, 2.7), (1, 0.1, 23), (1, 0.5, 73), (3, 0.01, 17), (3, 0.1, 69), (3, 0.5, 95), (6, 0.01, 80)],
)
def test_known_posteriors(epsilon, prior, percent):
    assert 100 * posterior(PairLoss(Guarantee(epsilon)), prior, 0.0) == pytest.approx(percent, abs=0.5)


def test_unbounded_losses_say_so():
    gaussian, leaky = PrivacyLoss.of(Gaussian(1.0)), PrivacyLoss.of(NameAndShame(0.05))
    assert loss_bound(gaussian, 0.0).reason == "the loss has no bound that always holds"
    assert math.isinf(loss_bound(leaky, 0.05).epsilon) and "not proved" in loss_bound(leaky, 0.05).reason
    assert loss_bound(leaky, 0.04).reason and posterior(leaky, 0.001, 0.04) == 1.0
    assert math.isfinite(loss_bound(leaky, 0.06).epsilon)
    assert loss_bound(leaky, 1.0).epsilon == 0.0


def test_posterior_frame():
    """Rows for 1 % and the plan's δ; at δ the pair alone proves nothing, the plan itself does."""
    frame = posterior_frame(PrivacyLoss.of(Gaussian.from_guarantee(1.0, 1e-6)), 1e-6)
    assert list(frame["probability"].unique()) == [0.01, 1e-6]
    assert list(frame["prior"].unique()) == [0.001, 0.01, 0.1, 0.5]
    assert (frame["posterior"] <= frame["pair_posterior"]).all() and (frame["posterior"] >= frame["prior"]).all()
    strict = frame[frame["probability"] == 1e-6]
    assert (strict["pair_posterior"] == 1).all() and strict["pair_reason"].str.len().min() > 0
    assert (strict["posterior"] < 1).all() and (strict["reason"] == "").all()
    assert len(posterior_frame(PairLoss(Guarantee(1.0)), 0.0, probabilities=[0.0])) == 4


def test_pair_never_beats_the_plan():
    """Own and implied values for every kind of mechanism, also where no finite ε exists."""
    for mechanism in (*NOTEBOOK, RandomizedResponse(2.0), ApproximateDP(0.5, 0.01), NameAndShame(0.1)):
        for delta in (1e-6, 0.05):
            loss = MechanismLoss(mechanism)
            rates, rises = attack_frame(loss, delta), posterior_frame(loss, delta)
            assert (rates["value"] <= rates["pair_value"] * (1 + ROUNDING)).all()
            assert (rises["epsilon"] <= rises["pair_epsilon"]).all()
            assert rates["value"].between(0, 1).all() and not rates["pair_value"].isna().any()


@pytest.mark.parametrize("bad", [-0.1, 1.5, float("nan")])
def test_refused(bad):
    loss = PairLoss(Guarantee(1.0))
    for call in (
        lambda: posterior(loss, bad),
        lambda: posterior(loss, 0.5, bad),
        lambda: best_success(loss, bad),
        lambda: true_positive_rate(loss, bad),
        lambda: posterior_frame(loss, bad),
        lambda: attack_frame(loss, bad),
    ):
        with pytest.raises(ValueError, match=r"must be in \[0, 1\]"):
            call()
