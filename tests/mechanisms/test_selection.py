"""Mechanisms that pick a candidate: profiles, compositions and Rényi curves against scores, chosen ones and random."""

import itertools
import math

import mpmath
import numpy as np
import pytest
import scipy.integrate
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpviz import (
    THEOREMS,
    Exponential,
    KaryRandomizedResponse,
    Laplace,
    PermuteAndFlip,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    ReportNoisyMax,
    Subsampled,
    compare,
    compose,
)
from dpviz.adversary import run_experiment
from dpviz.adversary.experiment import Experiment
from dpviz.adversary.midpoint import midpoint_error
from dpviz.adversary.transcripts import reading
from dpviz.losses import LossDistribution
from dpviz.losses.largest import has_largest
from dpviz.losses.simulation_lemma import Pair
from dpviz.mechanisms.laws.loss_laws import BoundedRangeLaw, ResponseLaw, SampledLaw, attained, sure
from dpviz.mechanisms.selection import expected_shortfall, largest_shortfall, report_noisy_max, shortfall_within
from dpviz.planning import errors
from dpviz.report.loss_programs import loss_program
from dpviz_certified.certify import enclose_epsilon
from dpviz_certified.enclosure import NotCertified
from tests.effort import examples

ROUNDED = 1e-12  # relative: closed forms in doubles, rounded up
QUOTED = 1e-6  # relative excess of ε to which compositions are computed; of δ at one ε it is times the slope of ln δ
QUADRATURE = 1e-7  # of SciPy's adaptive rule over noise with a kink
THEOREM_KEYS = [theorem.key for theorem in THEOREMS]
LIMITS = st.floats(-2, 1.5).map(lambda power: float(f"{10**power:.6g}"))
EXTREMES = st.floats(-6, 1.69).map(lambda power: float(f"{10**power:.6g}"))
SHARES = st.floats(0, 0.999)
SEEDS = st.integers(0, 2**32 - 1)


def two_points(limit, t):
    """P[loss = t], where the other loss is t - ε."""
    return mpmath.expm1(mpf(t) - mpf(limit)) / mpmath.expm1(-mpf(limit))


def two_points_delta(limit, t, x, count=1):
    """δ(x) of `count` releases with these two losses."""
    p, limit, t = two_points(limit, t), mpf(limit), mpf(t)
    paid = mpf(0)
    for low in range(count + 1):
        loss = count * t - low * limit
        if loss > x:
            paid += mpmath.binomial(count, low) * p ** (count - low) * (1 - p) ** low * -mpmath.expm1(mpf(x) - loss)
    return paid


def exponential_below(y, start, order, sign):
    """The integral of (s - start)^(order-1) / (order-1)! e^(sign s) up to y, by parts."""
    reach = mpf(y) - start
    if sign < 0:
        whole = 1 - mpmath.exp(-reach) * mpmath.fsum(reach**n / mpmath.factorial(n) for n in range(order))
        return mpmath.exp(-start) * whole
    signs = mpmath.exp(reach) * mpmath.fsum(
        (-1) ** (order - 1 - n) * reach**n / mpmath.factorial(n) for n in range(order)
    )
    return mpmath.exp(start) * (signs - (-1) ** (order - 1))


def composed_delta(limit, count, x):
    """δ(x) of `count` dominating pairs: losses lie below their ends by 2s, s of density e^(-s) on [0, ε], scaled.

    So their sum has the density e^(-s) times that of a sum of uniform numbers, a spline.
    """
    with mp.workdps(60 + count * (3 + max(0, round(-2 * math.log10(limit))))):
        limit, x = mpf(limit), mpf(x)
        y, paid = (count * limit - x) / 2, mpf(0)
        for j in range(count + 1):
            start = j * limit
            if start < y:
                ahead = exponential_below(y, start, count, -1)
                behind = exponential_below(y, start, count, 1) * mpmath.exp(-2 * y)
                paid += (-1) ** j * mpmath.binomial(count, j) * (ahead - behind)
        return paid / (-mpmath.expm1(-limit)) ** count


def random_scores(rng, candidates, spread):
    """Two lists of scores, none of which moves by more than 1."""
    scores = rng.uniform(-spread, spread, candidates)
    moves = rng.choice([-1.0, 1.0], candidates) if rng.random() < 0.7 else rng.uniform(-1, 1, candidates)
    return scores, scores + moves


def softmax(scores, limit):
    weights = np.exp(limit / 2 * (scores - scores.max()))
    return weights / weights.sum()


def flipped(scores, limit):
    """Probabilities of permute and flip by its definition, over all orders of the candidates."""
    weights, chances = np.exp(limit / 2 * (scores - scores.max())), np.zeros(len(scores))
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = 1 / len(orders)
        for place in order:
            chances[place] += left * weights[place]
            left *= 1 - weights[place]
    return chances


def adaptive(rng, picks, limit, uses):
    """(P, Q) of all outcomes of `uses` picks, each by scores drawn anew after every outcome before."""
    if uses == 0:
        return np.ones(1), np.ones(1)
    here, there = random_scores(rng, int(rng.integers(2, 4)), 10.0 ** rng.uniform(-1, 2))
    p, q = picks(here, limit), picks(there, limit)
    later = [adaptive(rng, picks, limit, uses - 1) for _ in p]
    return tuple(np.concatenate([m * each[side] for m, each in zip(side_p, later, strict=True)])
                 for side, side_p in ((0, p), (1, q)))  # fmt: skip


def attacked(p, q, epsilon):
    with np.errstate(over="ignore", invalid="ignore"):
        return max(float(np.maximum(p - math.exp(min(epsilon, 700)) * q, 0).sum()),
                   float(np.maximum(q - math.exp(min(epsilon, 700)) * p, 0).sum()))  # fmt: skip


@given(LIMITS, st.floats(-1, 0.999), st.floats(0, 1))
def test_no_pair_of_the_range_exceeds_the_profile_and_one_attains_it(limit, share, other):
    x = share * limit
    with mp.workdps(40):
        best, found = two_points_delta(limit, (mpf(x) + mpf(limit)) / 2, x), Exponential(limit).delta(x)
        assert two_points_delta(limit, mpf(other) * mpf(limit), x) <= best * (1 + mpf(10) ** -30)
        assert best * (1 - mpf(10) ** -30) <= found <= best * (1 + ROUNDED) + mpf(10) ** -300
        assert Exponential(limit).delta(-limit * 1.5) >= -mpmath.expm1(-mpf(limit * 1.5))


@given(EXTREMES, st.floats(-30, -1e-3))
def test_the_inverse_is_no_less_than_that_at_forty_digits(limit, power):
    delta = 10.0**power
    with mp.workdps(60):
        root = mpmath.sqrt(mpf(delta) * -mpmath.expm1(-mpf(limit)))
        exact = mpf(limit) + 2 * mpmath.log1p(-root)
        found = Exponential(limit).epsilon(delta)
        assert found >= exact
        assert found <= max(exact, 0) + (limit + 4 / (1 - root)) * mpf("4e-15")


@given(LIMITS, st.integers(2, 12), SHARES)
def test_compositions_of_the_pair_against_splines(limit, count, share):
    x = share * limit * count
    exact, found = composed_delta(limit, count, x), PrivacyLoss([Exponential(limit)], [[count]]).delta(x)
    # Close to its top, count times the limit, δ falls as the distance from there to the power of count + 1.
    steepest = max(1.0, 2 * (count + 1) * max(limit, 1.0) / (1 - share))  # of ln δ in ln ε, at most
    assert exact * (1 - mpf(10) ** -25) <= found
    assert share > 0.9 or found <= exact * (1 + 4 * QUOTED * steepest) + mpf(
        "1e-290"
    )  # reads close to the top are rough


@pytest.mark.parametrize(("limit", "count"), [(1e-6, 2), (1e-6, 40), (0.3, 60), (50.0, 3), (50.0, 40)])
@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.5])
def test_compositions_at_the_extremes(limit, count, delta):
    epsilon = PrivacyLoss([Exponential(limit)], [[count]]).epsilon(delta)
    assert composed_delta(limit, count, epsilon) <= delta * (1 + mpf("1e-12"))
    if epsilon > 0:
        less = epsilon - 10 * QUOTED * max(epsilon, 1e-3)  # below 0.001 the accuracy is absolute
        assert composed_delta(limit, count, less) >= delta * (1 - mpf("1e-12"))
    else:
        assert composed_delta(limit, count, 0) <= delta


@given(LIMITS, LIMITS, st.integers(1, 4), st.integers(1, 4), SHARES)
def test_beside_randomized_response_it_is_a_mixture(limit, other, count, flips, share):
    x = share * (limit * count + other * flips)
    with mp.workdps(40):
        truth, exact = 1 / (1 + mpmath.exp(-mpf(other))), mpf(0)
        for lies in range(flips + 1):
            mass = mpmath.binomial(flips, lies) * truth ** (flips - lies) * (1 - truth) ** lies
            at = mpf(x) - (flips - 2 * lies) * mpf(other)
            below = at < -limit * count
            exact += mass * (-mpmath.expm1(at) if below else composed_delta(limit, count, at))
    found = PrivacyLoss([Exponential(limit), RandomizedResponse(other)], [[count, flips]]).delta(x)
    steepest = max(1.0, 2 * (count * limit + flips * other) / (1 - share))
    assert exact * (1 - mpf(10) ** -20) <= found
    assert share > 0.9 or found <= exact * (1 + 4 * QUOTED * steepest) + mpf("1e-290")


@examples(6)
@given(LIMITS, st.integers(1, 200), st.floats(-12, -0.5))
def test_no_theorem_is_below_the_best_score_of_all(limit, count, power):
    """Of the scores that are the same every time: exact binomial sums, at many t."""
    delta = 10.0**power
    frame = compare(Plan([Release("pick", Exponential(limit), count)]), delta).set_index("theorem")
    least = frame.epsilon[frame.applies].min()
    with mp.workdps(40):
        for t in np.linspace(0, limit, 9)[1:-1]:
            assert two_points_delta(limit, t, least, count) <= delta * (1 + ROUNDED) + mpf("1e-38")


@pytest.mark.parametrize(("kind", "picks"), [(Exponential, softmax), (PermuteAndFlip, flipped)])
@examples(10)
@given(seed=SEEDS, limit=LIMITS, uses=st.integers(1, 3), power=st.floats(-9, -0.5))
def test_no_score_chosen_along_the_way_exceeds_any_theorem(kind, picks, seed, limit, uses, power):
    delta = 10.0**power
    p, q = adaptive(np.random.default_rng(seed), picks, limit, uses)
    frame = compare(Plan([Release("pick", kind(limit), uses)]), delta)
    for row in frame[frame.applies].itertuples():
        assert attacked(p, q, row.epsilon) <= delta * (1 + 1e-9) + 1e-14, row.theorem
    for order in (1.01, 2.0, 10.0):
        with np.errstate(divide="ignore", under="ignore"):
            used = (p > 0) & (q > 0)
            moment = np.logaddexp.reduce(order * np.log(p[used]) + (1 - order) * np.log(q[used]))
        assert moment / (order - 1) <= uses * kind(limit).rdp(order) * (1 + 1e-9) + 1e-12


@given(EXTREMES, st.floats(-6, 6))
def test_the_renyi_curve_is_the_largest_over_all_pairs(limit, log_order):
    alpha = 1 + 10.0**log_order
    found = Exponential(limit).rdp(alpha)
    with mp.workdps(60):
        a, whole = mpf(alpha) - 1, mpf(limit)

        def divergence(t):
            p = two_points(limit, t)
            return mpmath.log(p * mpmath.exp(a * t) + (1 - p) * mpmath.exp(a * (t - whole))) / a

        ratio, ends = (mpmath.sqrt(5) - 1) / 2, [mpf(0), whole]
        for _ in range(120):
            low, high = (ends[1 - n] + (ends[n] - ends[1 - n]) * ratio for n in (0, 1))
            ends = [ends[0], high] if divergence(low) > divergence(high) else [low, ends[1]]
        exact = divergence(ends[0])
        assert exact * (1 - mpf(10) ** -25) <= found <= exact * (1 + 10 * ROUNDED)
    assert found <= alpha * Exponential(limit).rho * (1 + ROUNDED)
    assert found <= alpha * limit**2 / 8 * (1 + ROUNDED)


@given(EXTREMES)
def test_rho_is_the_largest_mean_loss(limit):
    with mp.workdps(60):
        share = mpf(limit) / mpmath.expm1(mpf(limit))
        exact = share - 1 - mpmath.log(share)
        assert exact <= Exponential(limit).rho <= exact * (1 + ROUNDED)


def test_a_published_divergence():
    """A value of dp-accounting's tests for an exponential mechanism of ε = 1, at order 1."""
    assert Exponential(1.0).rho == pytest.approx(0.123301561, abs=1e-9)


@pytest.mark.parametrize("limit", [1e-6, 0.5, 3.0, 50.0])
def test_moments_and_draws_of_the_pair(limit):
    mechanism = Exponential(limit)
    losses = mechanism.log_ratio(mechanism.sample(1, 200_000, np.random.default_rng(3)), 1, 0)
    mean, variance = mechanism.loss.moments
    assert abs(losses.mean() - mean) <= 5 * math.sqrt(variance / len(losses))
    assert losses.var() == pytest.approx(variance, rel=0.05)
    with mp.workdps(40):
        density = lambda x: mpmath.exp((x - limit) / 2) / (-2 * mpmath.expm1(-mpf(limit)))  # noqa: E731
        exact = mpmath.quad(lambda x: x * density(x), [-limit, 0, limit])
        square = mpmath.quad(lambda x: x * x * density(x), [-limit, 0, limit])
        assert mean == pytest.approx(float(exact), rel=1e-12)
        assert variance == pytest.approx(float(square - exact**2), rel=1e-11)
    mirrored = mechanism.sample(0, 200_000, np.random.default_rng(3))
    assert np.array_equal(mechanism.log_ratio(mirrored, 0, 1), losses)
    assert not mechanism.log_ratio(losses, 1, 1).any()


@given(LIMITS, st.floats(0.01, 0.9), SHARES)
def test_a_sample_without_replacement_has_the_share_of_the_profile(limit, rate, share):
    """δ' at ln(1 + q (e^ε - 1)) is q δ(ε), and the law has that profile."""
    sampled, x = Subsampled(Exponential(limit), rate, "without_replacement"), share * limit
    place = math.log1p(rate * math.expm1(x))
    assert sampled.delta(place) == pytest.approx(rate * Exponential(limit).delta(x), rel=1e-9)
    (law,) = sampled.laws()
    atoms = law.atoms(np.linspace(-limit, limit, 101), -200.0)
    assert np.exp(atoms.log_masses).sum() == pytest.approx(1, rel=1e-9)
    assert sampled.epsilon(1e-6) <= Subsampled(RandomizedResponse(limit), rate, "without_replacement").epsilon(1e-6)


def test_lower_ends_are_those_of_a_score():
    """Two candidates whose scores move apart by Δ each: randomized response with half of ε."""
    assert sure(BoundedRangeLaw(1.0)) == ResponseLaw(0.5, 0.0)
    assert sure(SampledLaw(BoundedRangeLaw(1.0), 0.1, "replace")) == SampledLaw(ResponseLaw(0.5, 0.0), 0.1, "replace")
    p, q = softmax(np.array([0.5, -0.5]), 1.0), softmax(np.array([-0.5, 0.5]), 1.0)
    assert math.log(p[0] / q[0]) == pytest.approx(0.5)
    bracket = PrivacyLoss([Exponential(1.0)], [[20]]).epsilon_bracket(1e-6)
    response = PrivacyLoss([RandomizedResponse(0.5)], [[20]]).epsilon(1e-6)
    assert bracket.lower == pytest.approx(response, rel=1e-9) and bracket.lower < bracket.upper
    single = PrivacyLoss([Exponential(1.0)], [[1]]).epsilon_bracket(1e-6)
    assert single.excess < 1e-10


@pytest.mark.parametrize("count", [2, 100, 10**6])
def test_tight_accounting_is_no_more_than_renyi(count):
    plan = Plan([Release("pick", Exponential(0.1), count), Release("flag", RandomizedResponse(0.1))])
    assert compose(plan, 1e-6, "pld").epsilon <= compose(plan, 1e-6, "rdp").epsilon


def picked(scores, scale, density, below):
    """Probabilities of the largest score plus noise, by quadrature; noise has its kinks at 0."""
    kinks = sorted(scores)
    edges = [min(kinks) - 60 * scale, *kinks, max(kinks) + 60 * scale]

    def one(i):
        def integrand(x):
            return (
                density((x - scores[i]) / scale)
                / scale
                * math.prod(below((x - other) / scale) for j, other in enumerate(scores) if j != i)
            )

        pieces = itertools.pairwise(edges)
        return sum(scipy.integrate.quad(integrand, *piece, epsabs=1e-13, limit=200)[0] for piece in pieces)

    return np.array([one(i) for i in range(len(scores))])


GUMBEL = (
    lambda z: math.exp(-z - math.exp(-z)) if z > -700 else 0.0,
    lambda z: math.exp(-math.exp(-z)) if z > -700 else 0.0,
)
ONE_SIDED = (lambda z: math.exp(-z) if z >= 0 else 0.0, lambda z: -math.expm1(-z) if z >= 0 else 0.0)
TWO_SIDED = (lambda z: math.exp(-abs(z)) / 2, lambda z: math.exp(z) / 2 if z < 0 else 1 - math.exp(-z) / 2)


@pytest.mark.parametrize("seed", range(4))
def test_noise_on_scores_makes_the_same_mechanisms(seed):
    rng = np.random.default_rng(seed)
    limit, scores = rng.uniform(0.2, 2), rng.uniform(-3, 3, 4)
    with np.errstate(all="ignore"):
        assert picked(scores, 2 / limit, *GUMBEL) == pytest.approx(softmax(scores, limit), abs=QUADRATURE)
        assert picked(scores, 2 / limit, *ONE_SIDED) == pytest.approx(flipped(scores, limit), abs=QUADRATURE)
    assert report_noisy_max(limit, "gumbel") == Exponential(limit)
    assert report_noisy_max(limit, "exponential") == PermuteAndFlip(limit)
    assert report_noisy_max(limit) == ReportNoisyMax(limit)
    with pytest.raises(ValueError, match="noise must be one of gumbel, exponential, laplace; got 'normal'"):
        report_noisy_max(limit, "normal")


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_score_with_laplace_noise_keeps_its_epsilon(seed):
    rng = np.random.default_rng(seed)
    limit, (here, there) = rng.uniform(0.2, 2), random_scores(rng, 4, 3.0)
    ratios = np.log(picked(here, 2 / limit, *TWO_SIDED) / picked(there, 2 / limit, *TWO_SIDED))
    assert np.abs(ratios).max() <= ReportNoisyMax(limit).epsilon(0.0) + QUADRATURE
    assert_laplace_dominates(picked(here, 2 / limit, *TWO_SIDED), picked(there, 2 / limit, *TWO_SIDED), limit)


def moved(p, epsilon):
    """What an event of probability p under Laplace noise has at most once it is moved by ε: its trade-off function."""
    place = np.where(p < 0.5, np.log(2 * np.maximum(p, 1e-300)), -np.log(2 * np.maximum(1 - p, 1e-300))) + epsilon
    return np.where(p <= 0, 0.0, np.where(place < 0, np.exp(np.minimum(place, 0.0)) / 2, 1 - np.exp(-place) / 2))


def assert_laplace_dominates(p, q, epsilon):
    """No event, of all sets of candidates, in either direction, tells more than of Laplace noise."""
    sets = np.array(list(itertools.product([0.0, 1.0], repeat=len(p))))
    for one, other in ((sets @ p, sets @ q), (sets @ q, sets @ p)):
        assert (other <= moved(one, epsilon) + QUADRATURE * np.sqrt(one) + ROUNDED).all()


@given(SEEDS, LIMITS, st.integers(2, 5), st.floats(-1, 1.5), st.booleans())
def test_laplace_noise_dominates_permute_and_flip(seed, limit, candidates, power, upwards):
    """Scores that move both ways; and those that move up alone, weighted twice as much."""
    scores, after = random_scores(np.random.default_rng(seed), candidates, 10.0**power)
    if upwards:
        scores, after = 2 * scores, 2 * np.maximum(scores, after)
    p, q = flipped(scores, limit), flipped(after, limit)
    assert_laplace_dominates(p, q, limit)
    for order in (1.01, 2.0, 30.0):
        with np.errstate(divide="ignore", under="ignore"):
            used = (p > 0) & (q > 0)
            moment = np.logaddexp.reduce(order * np.log(p[used]) + (1 - order) * np.log(q[used]))
        assert moment / (order - 1) <= PermuteAndFlip(limit).rdp(order) * (1 + 1e-9) + ROUNDED


@given(st.floats(0.01, 20), st.floats(0, 0.99))
def test_two_candidates_attain_laplace_noise_by_permute_and_flip(limit, share):
    """At each ε, by the pair whose gap before and after has that ε between them."""
    place = share * limit
    p, q = (flipped(np.array([gap / limit * 2, 0.0]), limit)[0] for gap in (-(limit + place) / 2, (limit - place) / 2))
    assert q - math.exp(place) * p == pytest.approx(PermuteAndFlip(limit).delta(place), rel=1e-9, abs=ROUNDED)


@pytest.mark.parametrize("limit", [1e-3, 0.7, 1.9, 2.1, 30.0])
def test_lower_ends_of_the_largest_score_are_of_two_candidates(limit):
    (law,), (noisy,) = PermuteAndFlip(limit).laws(), ReportNoisyMax(limit).laws()
    with mp.workdps(40):
        half = mpf(limit) / 2
        for pick, lost in ((law, mpmath.exp(-half) / 2), (noisy, (2 + half) * mpmath.exp(-half) / 4)):
            exact = mpmath.log1p(-lost) - mpmath.log(lost)
            assert exact * (1 - mpf("1e-12")) <= sure(pick).epsilon <= exact
    single = {"permute_and_flip": True, "report_noisy_max": False}
    assert {kind.key: attained(*kind(limit).laws()) for kind in (PermuteAndFlip, ReportNoisyMax)} == single
    for gap in (-0.5, 0.5):
        chances = picked([gap, -gap], 2 / limit, *TWO_SIDED) if limit < 3 else None
        assert chances is None or np.log(chances[0] / chances[1]) == pytest.approx(
            math.copysign(noisy.surely, gap), rel=1e-6
        )


@given(SEEDS, LIMITS, st.integers(1, 6), st.floats(0.1, 10))
def test_the_expected_shortfall_is_that_of_the_probabilities(seed, limit, candidates, sensitivity):
    scores = np.random.default_rng(seed).uniform(-20, 20, candidates)
    gaps = scores.max() - scores
    for kind, picks in ((Exponential, softmax), (PermuteAndFlip, flipped)):
        found = expected_shortfall(kind(limit), scores, sensitivity)
        assert found == pytest.approx(float(picks(scores / sensitivity, limit) @ gaps), rel=1e-9, abs=1e-13)
        assert found <= largest_shortfall(kind(limit), candidates, sensitivity) * (1 + ROUNDED)
    flips, picks = (expected_shortfall(kind(limit), scores) for kind in (PermuteAndFlip, Exponential))
    assert flips <= picks * (1 + 1e-9) + 1e-13


@pytest.mark.parametrize("candidates", [127, 129, 1000, 50_000])
def test_many_candidates_are_summed_in_panels(candidates):
    """All alike but one: the time at which none came before is a beta variable's, in closed form."""
    gap, limit = 3.0, 1.0
    with mp.workdps(30):
        w, n = mpmath.exp(-mpf(gap) * limit / 2), candidates - 1
        panels = [0.0, *(2.0**-n for n in range(20, -1, -1))]
        exact = gap * (1 - mpmath.quad(lambda s: (1 - s * w) ** n, panels))
    scores = np.append(gap, np.zeros(n))
    assert expected_shortfall(PermuteAndFlip(limit), scores) == pytest.approx(float(exact), rel=1e-10)
    assert expected_shortfall(PermuteAndFlip(limit), np.ones(candidates)) == 0
    assert float(exact) <= largest_shortfall(PermuteAndFlip(limit), candidates)


def test_a_shortfall_that_is_not_known_is_refused():
    for ask in (lambda kind: expected_shortfall(kind, [1.0, 2.0]), lambda kind: largest_shortfall(kind, 2)):
        with pytest.raises(ValueError, match="mechanism must be Exponential or PermuteAndFlip; got Report noisy max"):
            ask(ReportNoisyMax(1.0))
    with pytest.raises(ValueError, match=r"scores must be in \(-inf, inf\); got nan"):
        expected_shortfall(Exponential(1.0), [math.nan])
    with pytest.raises(ValueError, match=r"candidates must be in \[1, inf\), a whole number; got 0"):
        expected_shortfall(Exponential(1.0), [])
    assert largest_shortfall(Exponential(1.0), 1) == 0


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, ReportNoisyMax])
def test_every_room_answers_or_says_why_not(kind):
    pick = kind(0.5)
    for key in THEOREM_KEYS:
        row = compose(Plan([Release("pick", pick, 3)]), 1e-6, key)
        assert math.isfinite(row.epsilon) or row.reason
    assert midpoint_error((pick,)) is None
    assert pick.why_no_noise and pick.noise is None
    sampled = Plan([Release("pick", Subsampled(pick, 0.1, "poisson"), 3)])
    assert 0 < compose(sampled, 1e-6).epsilon < compose(Plan([Release("pick", pick, 3)]), 1e-6).epsilon


def test_what_has_no_closed_form_elsewhere_is_refused():
    with pytest.raises(ValueError, match="knows no mechanism of bounded range"):
        loss_program(Exponential(0.5))
    assert loss_program(PermuteAndFlip(0.5)) == loss_program(Laplace.from_epsilon(0.5, 1))
    assert Pair.of(Exponential(0.5)).span == (-0.5, 0.5)
    for mechanism in (Exponential(0.5), Subsampled(Exponential(0.5), 0.1, "without_replacement")):
        with pytest.raises(NotCertified, match="Exponential mechanism is enclosed by the engine alone"):
            enclose_epsilon([mechanism], [3], 1e-6)


@pytest.mark.parametrize("limit", [1e-300, 1e-12, 2000.0, 1e300])
@pytest.mark.filterwarnings("error")
def test_an_epsilon_far_out_keeps_its_ends(limit):
    mechanism = Exponential(limit)
    assert 0 < mechanism.epsilon(1e-320) <= limit
    assert mechanism.delta(limit) == 0 and 0 < mechanism.delta(0.0) <= 1
    assert mechanism.rho > 0 and 0 < mechanism.rdp(2.0) <= limit
    bracket = PrivacyLoss([mechanism], [[3]]).epsilon_bracket(1e-6)
    assert bracket.lower <= bracket.upper <= 3 * limit * (1 + ROUNDED)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.inf, math.nan, True])
def test_a_bad_epsilon_is_refused(bad):
    with pytest.raises(ValueError, match=r"epsilon must be in \(0, inf\)"):
        Exponential(bad)


@given(LIMITS, st.integers(1, 1000))
def test_the_exponential_mechanism_costs_no_more_than_its_epsilon_says(limit, count):
    pick, pure = ({kind(limit): count} for kind in (Exponential, PermuteAndFlip))
    assume(count * limit < 1e6)
    assert compose(pick, 1e-6).epsilon <= compose(pure, 1e-6).epsilon * (1 + 2 * QUOTED)


@pytest.mark.parametrize("mechanism", [Exponential(1.5), PermuteAndFlip(1.5), KaryRandomizedResponse(1.5, 6)], ids=str)
def test_the_experiment_reads_for_which_bit_an_output_speaks(mechanism):
    """A reading of 1 where it speaks for the second database, 0 for the first, else the middle."""
    question = Experiment((mechanism,), None, 1, 1).questions[0]
    outputs = mechanism.sample(1, 1000, np.random.default_rng(2))
    readings = reading(Experiment((mechanism,), None, 1, 1), question, outputs, 0, 1)
    ratios = mechanism.log_ratio(outputs, 1, 0)
    assert np.array_equal(readings, np.where(ratios > 0, 1.0, np.where(ratios < 0, 0.0, 0.5)))
    views = run_experiment([mechanism], rounds=3, trials=200, rng=np.random.default_rng(1))
    assert np.isfinite(views.log_ratios).all()


@pytest.mark.parametrize(("limit", "count"), [(0.5, 1), (0.5, 3), (2.0, 20)])
def test_the_drawn_losses_are_those_of_the_pair(limit, count):
    """All of it, its mean, and δ beyond an ε in the tail, drawn anew there."""
    drawn = LossDistribution.of(Exponential(limit), count)
    assert drawn.total == pytest.approx(1, abs=1e-9) and drawn.largest == (count * limit, 0.0)
    for share in (0.2, 0.7):
        frame = drawn.tail(share * limit * count)
        paid = np.trapezoid(frame.paid, frame.loss)
        assert paid == pytest.approx(float(composed_delta(limit, count, share * limit * count)), rel=0.02)
    assert has_largest(RandomizedResponse(limit)) and not has_largest(Exponential(limit))


@given(st.floats(0.05, 20), st.integers(2, 60), st.floats(0.05, 0.999), st.floats(0.1, 10), st.data())
def test_a_pick_stays_within_as_surely_as_is_said(limit, candidates, confidence, sensitivity, data):
    """By the exact chances of the exponential mechanism, at scores that are as bad as they can be and at others."""
    within = shortfall_within(Exponential(limit), candidates, confidence, sensitivity)
    gaps = data.draw(st.lists(st.floats(0, 100), min_size=candidates - 1, max_size=candidates - 1))
    for rest in (gaps, [within * (1 + ROUNDED)] * (candidates - 1)):
        weights = np.exp(-limit / (2 * sensitivity) * np.array([0.0, *rest]))
        beyond = np.array([0.0, *rest]) > within
        assert weights[beyond].sum() / weights.sum() <= (1 - confidence) * (1 + ROUNDED)
    assert within == shortfall_within(PermuteAndFlip(limit), candidates, confidence, sensitivity)
    assert shortfall_within(Exponential(limit), 1, confidence) == 0
    assert shortfall_within(Exponential(limit), candidates, 1.0) == math.inf


def test_errors_tell_how_far_a_pick_falls_short():
    """Of a stated number of candidates; the reason, which report and pages show, tells it in words."""
    told = errors(Plan([Release("Site", Exponential(0.5), candidates=40), Release("Any", Exponential(0.5))]), 0.9)
    assert told.shortfall[0] == largest_shortfall(Exponential(0.5), 40) and told.shortfall[1] is None
    assert told.shortfall_within[0] == shortfall_within(Exponential(0.5), 40, 0.9)
    assert told.reason[0].startswith(told.reason[1]) and "of 40 candidates it falls short" in told.reason[0]
