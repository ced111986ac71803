"""Audits prove no more than is true: against exact fractions, other implementations, and simulated mechanisms."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from dpviz.adversary import PairLoss
from dpviz.audit import (
    CHOICES,
    DESIGNS,
    Scores,
    audit_power,
    one_run_epsilon,
    one_run_p_value,
    read_audit,
    reading,
    runs_needed,
    simulated_scores,
    threshold_epsilon,
)
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, RandomizedResponse, Subsampled
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss
from tests.effort import examples, share

BINOMIAL = 1e-8  # relative: by how much the p-value is rounded up, against exact fractions
LEFT_OUT = 1e-7  # probability of the counts that a power leaves out
SURE = 0.9
CHANCE = 1e-6  # that a right bound fails a count of simulations
PLANS = {
    "randomized response": (RandomizedResponse(1.0), 1, 0.0),
    "leaky": (ApproximateDP(1.0, 0.05), 1, 0.05),
    "Gaussian": (Gaussian(1.0, 1), 1, 0.01),
    "Laplace, three times": (Laplace.from_epsilon(0.5), 3, 0.001),
    "sampled": (Subsampled(Gaussian(0.5, 1), 0.3, "poisson"), 2, 0.01),
}


def exactly(right: int, guesses: int, canaries: int, odds: Fraction, delta: Fraction) -> Fraction:
    """The formula of the source for e^ε = odds, in fractions."""
    chance = odds / (1 + odds)
    mass = [math.comb(guesses, k) * chance**k * (1 - chance) ** (guesses - k) for k in range(guesses + 1)]
    gained = max(sum(mass[right - i : right]) / i for i in range(1, right + 1))
    return sum(mass[right:]) + 2 * canaries * delta * gained


@given(st.data())
@examples(40)
def test_a_p_value_is_that_of_fractions(data):
    """Rounded up, and by no more than is said."""
    canaries = data.draw(st.integers(1, 60))
    guesses = data.draw(st.integers(1, canaries))
    right = data.draw(st.integers(1, guesses))
    odds, delta = Fraction(data.draw(st.integers(10, 400)), 10), Fraction(data.draw(st.integers(0, 100)), 10**5)
    truth = float(exactly(right, guesses, canaries, odds, delta))
    # ε in doubles stands for odds that are off by a rounding, which many trials multiply.
    found = one_run_p_value(right, guesses, canaries, math.log(odds), float(delta))
    assert min(1.0, truth) * (1 - 1e-12) <= found <= min(1.0, truth * (1 + BINOMIAL)) or truth < 1e-290


def test_the_window_of_many_guesses_loses_nothing(monkeypatch):
    """Beyond it a bound stands in: never less than all terms, and no more where these are small."""
    from dpviz.audit import one_run

    found = one_run_p_value(5200, 10_000, 20_000, 0.1, 1e-6)
    monkeypatch.setattr(one_run, "_WINDOW", 10**6)
    whole = one_run_p_value(5200, 10_000, 20_000, 0.1, 1e-6)
    assert whole <= found <= whole * (1 + 1e-2)


@pytest.mark.parametrize(
    ("given", "published"), [((75, 100, 1000, 1e-4), 0.67298), ((1439, 1510, 100_000, 1e-5), 2.67585)]
)
def test_the_published_bounds(given, published):
    """Those that arXiv 2305.08846v1 prints in App. D and Sec. 7."""
    assert one_run_epsilon(*given) == pytest.approx(published, abs=1e-5)


@given(st.floats(0, 4), st.floats(0, 0.1), st.integers(1, 40), st.data())
def test_no_mechanism_guesses_better(epsilon, delta, canaries, data):
    """Two of which all is known: each canary leaks on its own, or all of them at once."""
    right = data.draw(st.integers(1, canaries))
    bound = one_run_p_value(right, canaries, canaries, epsilon, delta)
    chance = 1 / (1 + math.exp(-epsilon))
    alone = binom.sf(right - 1, canaries, delta + (1 - delta) * chance)
    together = delta + (1 - delta) * binom.sf(right - 1, canaries, chance)
    assert max(alone, together) <= bound * (1 + 1e-9)


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 0.2), st.floats(0.01, 0.999), st.data())
def test_a_threshold_proves_what_two_intervals_do(members, others, delta, confidence, data):
    """By SciPy's own Clopper-Pearson intervals; never more."""
    hits, alarms = data.draw(st.integers(0, members)), data.draw(st.integers(0, others))
    low = binomtest(hits, members).proportion_ci(confidence, "exact").low
    high = binomtest(alarms, others).proportion_ci(confidence, "exact").high
    ratios = [(low - delta) / high, (1 - high - delta) / (1 - low) if low < 1 else 0.0]
    truth = math.log(max(*ratios, 1.0))
    found = float(threshold_epsilon(hits, members, alarms, others, delta, confidence))
    assert truth - 1e-7 <= found <= truth + 1e-9


@given(st.integers(2, 12), st.floats(0.05, 3), st.floats(0, 0.1), st.floats(0.5, 0.99))
@examples(20)
def test_the_power_is_that_of_all_outcomes(runs, epsilon, delta, confidence):
    """Enumerated with the bound itself, at the rates that the frame names."""
    truth, claim = PairLoss(Guarantee(3.0, 0.05)), Guarantee(epsilon, delta)
    row = audit_power(truth, claim, "many_runs", confidence, [runs]).iloc[0]
    hits, alarms = np.meshgrid(np.arange(runs + 1), np.arange(runs + 1), indexing="ij")
    refuted = threshold_epsilon(hits, runs, alarms, runs, delta, confidence) > epsilon
    chances = [binom.pmf(np.arange(runs + 1), runs, p) for p in (row.true_positive_rate, row.false_positive_rate)]
    assert row.power == pytest.approx(float(chances[0] @ refuted @ chances[1]), abs=LEFT_OUT)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_true_claim_is_seldom_refuted(design):
    """Whatever the numbers: the confidence is kept; and a claim that is far too small is found out by few."""
    truth = PrivacyLoss([Gaussian(1.0, 1)], [[1]])
    epsilon = float(truth.epsilon(1e-6))
    true = audit_power(truth, Guarantee(epsilon, 1e-6), design, 0.95, (10, 100, 1000, 10_000))
    assert true.power.max() <= 0.05 and runs_needed(true) is None
    parts, sizes = (0.02, 0.1), (10, 30, 100, 300, 1000, 3000)
    found = [audit_power(truth, Guarantee(part * epsilon, 1e-6), design, numbers=sizes) for part in parts]
    assert 10 < runs_needed(found[0]) < runs_needed(found[1])


def exceeded(name: str, design: str, choice: str, times: int, size: int = 200, seed: int = 33) -> tuple[int, int]:
    """How often a bound exceeds what is true, over simulated audits."""
    mechanism, uses, delta = PLANS[name]
    plan = Plan([Release("a", mechanism, uses)])
    truth, rng = float(PrivacyLoss.of(plan).epsilon_bracket(delta).lower), np.random.default_rng(seed)
    drawn = simulated_scores(plan, size * times, rng)
    pools = [drawn.score[drawn.member == kind].reshape(times, -1) for kind in (True, False)]
    at = size // 2 if design == "one_run" else 0.4
    over = 0
    for member, other in zip(*pools, strict=True):
        inside = np.arange(size) < size // 2
        if design == "one_run":
            inside = rng.random(size) < 0.5
            pool = np.where(inside, np.resize(member, size), np.resize(other, size))
        else:
            pool = np.concatenate([member, other])
        over += read_audit(Scores(pool, inside), delta, SURE, design, choice, at, rng).epsilon > truth
    return over, times


def check_simulated(name: str, design: str, choice: str, times: int) -> int:
    over, played = exceeded(name, design, choice, times)
    assert over <= binom.ppf(1 - CHANCE, played, 1 - SURE), (over, played)
    return over


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds on one run are searched for once for each count."""
    monkeypatch.setattr(reading, "one_run_epsilon", cache(one_run_epsilon))


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.usefixtures("remembered")
def test_a_bound_seldom_exceeds_the_truth(design, choice):
    """Of simulated audits no more than 1 - confidence do, whichever threshold is chosen how."""
    for name in ("randomized response", "Gaussian"):
        check_simulated(name, design, choice, share(40, 400))


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.usefixtures("remembered")
def test_a_bound_seldom_exceeds_the_truth_of_any_plan(name, design, choice):
    """The same with a thousand simulations of each."""
    check_simulated(name, design, choice, 1000)


def test_choosing_has_its_price():
    """What the best of all thresholds proves is less than what the same threshold proves that was fixed before."""
    scores = simulated_scores(Plan([Release("a", Gaussian(1.0, 1))]), 2000, np.random.default_rng(2))
    best = read_audit(scores, 1e-3)
    fixed = read_audit(scores, 1e-3, choice="beforehand", at=best.threshold)
    assert (fixed.true_positives, fixed.false_positives) == (best.true_positives, best.false_positives)
    assert 0 < best.epsilon < fixed.epsilon and best.looked_at == 1000


def test_equal_scores_say_nothing():
    """Not even where the file is sorted by membership."""
    scores = Scores(np.zeros(400), np.arange(400) < 200)
    for design in DESIGNS:
        assert read_audit(scores, 0.0, 0.95, design, "best", rng=np.random.default_rng(1)).epsilon < 0.3


def test_csv_comes_back():
    """Infinite scores too; other columns, signs between them and words are understood."""
    scores = simulated_scores(Plan([Release("a", ApproximateDP(1.0, 0.2))]), 50, np.random.default_rng(3))
    back = Scores.from_csv(scores.to_csv())
    assert (back.score == scores.score).all() and (back.member == scores.member).all()
    assert np.isinf(scores.score).any()
    words = Scores.from_csv("\ufeffrun;Member;Score\n1;yes;0.5\n\n2;OUT;1e3\n")
    assert words.score.tolist() == [0.5, 1000.0] and words.member.tolist() == [True, False]
    comma = Scores.from_csv("run;score;member\n1;-0,5;1\n2;1,25;0\n")
    assert comma.score.tolist() == [-0.5, 1.25]
    program = Scores.from_csv("score,member\n1.000,1\n-Infinity,0\n12.340,0\n")
    assert program.score.tolist() == [1.0, -math.inf, 12.34], "a point between commas is a decimal one"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the first line must name the columns"),
        ("score\n1\n", "member is missing"),
        ("score,member\n1,1\nnan,0\n", "got 'nan' in line 3"),
        (
            "score,member\n0,5,1\n0,25,0\n",
            "a cell beyond the columns must be empty, since the header names no column here; got '1' in line 2",
        ),
        ("score,member,\n1,1,\n0,25,0\n", "header names no column here; got '0' in line 3"),
        ('score,member\n"0,5",1\n', "score must be a number; got '0,5' in line 2"),
        ("score\tmember\n0,5\t1\n", "score must be a number; got '0,5' in line 2"),
        ("score;member\n0,5;1\n1,000;0\n", "score must be a number; got '1,000' in line 3"),
        ("score,member,Score\n1,1,5\n", "must name each column once"),
        ("score,member\n1_0,1\n", "got '1_0' in line 2"),
        ("score,member\n1e999,1\n", "got '1e999' in line 2"),
        ("score,member\n" + "1,1\n" * 500_000, "scores must be in"),
        ('score,member\n"1,1\n', "a row must be cells with closed quotes"),
        ("score,member\n1,1\n1_0,0\n", "got '1_0' in line 3"),
        ("score,member\n1\n", "got '' in line 2"),
        ("score,member\n1,1\n2,1\n", "got none without the unit"),
        ("score,member\n1,1\n", "scores must be in"),
    ],
)
def test_what_is_no_audit_is_refused(text, said):
    """With the line that is meant."""
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        Scores.from_csv(text)


def test_what_is_not_allowed_is_refused():
    """Each argument by its name."""
    scores = Scores(np.array([1.0, 0.0]), np.array([True, False]))
    with pytest.raises(ValueError, match="at must be the threshold"):
        read_audit(scores, choice="beforehand")
    with pytest.raises(ValueError, match="rng must be"):
        read_audit(scores, design="one_run")
    with pytest.raises(ValueError, match="at most the 2 canaries"):
        read_audit(scores, design="one_run", choice="beforehand", at=3, rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="right must be at most guesses"):
        one_run_p_value(3, 2, 10, 1.0)
    with pytest.raises(ValueError, match="claim must have a finite"):
        audit_power(PairLoss(Guarantee(1.0)), Guarantee(math.inf))


@given(st.integers(2, 400), st.integers(0, 400), st.integers(0, 100))
def test_scores_of_guesses_have_as_many_right(guesses: int, right: int, more: int):
    """Whoever reads so many guesses finds so many right, of so many canaries."""
    canaries = guesses + more
    if right > guesses:
        with pytest.raises(ValueError, match="right must be"):
            Scores.of_guesses(right, guesses, canaries)
        return
    try:
        scores = Scores.of_guesses(right, guesses, canaries)
    except ValueError:  # all of one kind
        assert canaries <= 3
        return
    reading = read_audit(scores, 0.0, 0.95, "one_run", "beforehand", guesses, np.random.default_rng(1))
    assert (reading.right, reading.guesses, scores.score.size) == (right, guesses, canaries)
    assert reading.epsilon == one_run_epsilon(right, guesses, canaries, 0.0, 0.95)
