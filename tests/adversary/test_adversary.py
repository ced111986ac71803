"""The composition experiment: what is drawn, what the adversary computes, and that theory brackets simulation."""

import math
import runpy
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from dpviz import (
    ApproximateDP,
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
)
from dpviz.adversary import STRATEGIES, Experiment, midpoint_error, run_experiment
from dpviz.adversary.play import experiment_in_chunks
from dpviz.adversary.risk import best_success
from dpviz.adversary.strategies import loud_when_in_doubt, moving_databases
from dpviz.adversary.transcripts import chunk_sizes
from dpviz.filters import Filter
from dpviz.privacy_loss import PrivacyLoss
from tests.effort import with_peak

NOTEBOOK = (
    Laplace.from_epsilon(0.5),
    Laplace.from_epsilon(1.0),
    Gaussian.from_guarantee(0.5, 0.01, calibration="classical"),
)
NOTEBOOK_SUCCESS = 0.705730  # the reference value of the notebook's one pass
EVERY = (*NOTEBOOK, RandomizedResponse(0.7), ApproximateDP(0.4, 0.05), NameAndShame(0.1))
CERTAIN = 1 - 1e-9


def generator(seed=1):
    return np.random.default_rng(seed)


def responses_success(epsilon, rounds):
    """P[right] of the majority vote over `rounds` (odd) randomized responses: the optimum at prior 1/2."""
    truth, majority = 1 / (1 + math.exp(-epsilon)), range(rounds // 2 + 1, rounds + 1)
    return sum(math.comb(rounds, k) * truth**k * (1 - truth) ** (rounds - k) for k in majority)


SAMPLED = Subsampled(Gaussian(1.0), 0.25, "poisson")
# (mechanisms, rounds, exact success of the best adversary)
SOLVED = (
    ((Laplace.from_epsilon(0.5),), 1, (1 + -math.expm1(-0.25)) / 2),
    ((Gaussian(2.0),), 9, float(ndtr(1.5 / 2))),
    ((Gaussian(1.0), Gaussian(3.0)), 4, float(ndtr(math.sqrt(2 * (1 + 1 / 9)) / 2))),
    ((RandomizedResponse(0.5),), 7, responses_success(0.5, 7)),
    ((ApproximateDP(0.0, 0.1),), 3, (1 + 1 - 0.9**3) / 2),
    ((NameAndShame(0.3),), 2, (1 + 1 - 0.7**2) / 2),
    (NOTEBOOK, 3, NOTEBOOK_SUCCESS),
    ((SAMPLED,), 6, best_success(PrivacyLoss([SAMPLED], [[6]]))),
)


def test_two_hundred_experiments():
    """At most 9 of 200 miss the exact success with their 99 % interval, and none lies surely above it."""
    missed = 0
    for seed in range(200):
        mechanisms, rounds, exact = SOLVED[seed % len(SOLVED)]
        views = run_experiment(mechanisms, rounds=rounds, trials=1500, rng=generator(seed))
        missed += not views.success().holds(exact)
        assert views.success(confidence=CERTAIN).low <= exact
    assert missed <= 9


@pytest.mark.parametrize("offset", [0.0, 0.1, 1000.0])
def test_rounding_decides_no_tie(offset):
    """Two Laplace outputs beyond both answers cancel to 0, up to rounding that knows the world: no guess may use it."""
    mechanisms = [Laplace.from_epsilon(0.7), Laplace.from_epsilon(0.7)]
    views = run_experiment(mechanisms, (offset, offset + 1.0), trials=100_000, rng=generator())
    tied = np.abs(views.log_ratios) < views.experiment.tie
    assert tied.mean() == pytest.approx(math.exp(-0.7) / 2, abs=0.01)  # 2 × 1/2 × e^-ε/2
    assert np.all(views.guesses()[tied] == 0)
    optimum = best_success(PrivacyLoss.of(mechanisms))
    assert views.success(confidence=CERTAIN).low <= optimum <= views.success(confidence=CERTAIN).high
    prior = 1 / (1 + math.exp(-1.4))  # the threshold is then the atom at -2ε itself, where views tell nothing new
    assert views.success(prior, CERTAIN).holds(prior)


def test_the_notebooks_run():
    """One pass: right 70.6 times of 100, so the worlds can be told apart; 3000 releases: practically always."""
    views = run_experiment(NOTEBOOK, trials=200_000, rng=generator())
    assert views.success().holds(NOTEBOOK_SUCCESS)
    assert views.advantage().holds(0.411459)
    assert views.success().high - views.success().low < 0.004
    right = 1 - midpoint_error(NOTEBOOK)
    assert views.midpoint_success().holds(right)
    assert all(each.holds(1 - right) for each in views.midpoint_error_rates())
    long = run_experiment(NOTEBOOK, rounds=3000, trials=200, rng=generator())
    assert long.midpoint_success().value == 1.0
    assert long.means.std(axis=1) == pytest.approx([0.0735] * 2, rel=0.2)
    assert long.means.mean(axis=1) == pytest.approx([1.0, 2.0], abs=0.03)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda mechanism: type(mechanism).__name__)
def test_never_above_its_own_profile(mechanism):
    """Whatever the prior, the optimal guess is right at most as often as the mechanism's own δ(ε) allows."""
    views = run_experiment([mechanism], trials=20_000, rng=generator())
    for prior in (0.5, 0.2, 0.9):
        rarer = min(prior, 1 - prior)
        optimum = (1 - rarer) + rarer * mechanism.delta(math.log((1 - rarer) / rarer))
        success = views.success(prior, CERTAIN)
        assert success.low <= optimum <= success.high


@pytest.mark.parametrize("workers", [2, 5])
@pytest.mark.parametrize("adaptive", [False, True])
def test_workers_do_not_change_the_result(workers, adaptive):
    """Same seed, same result, for any number of workers."""
    ask = moving_databases(NOTEBOOK) if adaptive else None
    settings = {"rounds": 40, "trials": 30_000, "ask": ask}
    one, many = (run_experiment(NOTEBOOK, rng=generator(5), workers=each, **settings) for each in (1, workers))
    assert len(chunk_sizes(one.experiment)) > 1
    for name in ("means", "log_ratios", "mean_paths", "log_ratio_paths", "outputs", "asked"):
        first, second = getattr(one, name), getattr(many, name)
        assert (first is None and second is None) or np.array_equal(first, second, equal_nan=True)
    assert np.array_equal(one.tallies.total, many.tallies.total)
    assert one.experiment == many.experiment


def test_a_result_knows_what_made_it():
    """The same parameters and seed make an equal experiment; anything else makes the result stale."""
    made = {run_experiment(NOTEBOOK, trials=5, rng=generator(seed)).experiment for seed in (1, 1, 2)}
    made |= {run_experiment(NOTEBOOK, trials=trials, rng=generator(1)).experiment for trials in (5, 6)}
    made |= {run_experiment(NOTEBOOK, (1.0, 1.5), trials=5, rng=generator(1)).experiment}
    assert len(made) == 4
    rng = generator(1)
    first, second = (run_experiment(NOTEBOOK, trials=5, rng=rng) for _ in range(2))
    assert first.experiment != second.experiment
    assert not np.array_equal(first.means, second.means)


def test_stopping_leaves_a_result():
    """Chunks arrive in order; the views after some chunks are those of fewer trials, and stay as they are."""
    settings = {"rounds": 100, "trials": 20_000}
    whole = run_experiment(NOTEBOOK, rng=generator(3), **settings)
    chunks = experiment_in_chunks(NOTEBOOK, rng=generator(3), workers=2, **settings)
    first = next(chunks)
    kept = first.success()
    next(chunks)
    chunks.close()
    assert 0 < first.trials < whole.trials
    assert not first.complete and whole.complete
    assert np.array_equal(first.log_ratios, whole.log_ratios[:, : first.trials])
    assert first.success() == kept
    assert list(chunks) == []


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda mechanism: type(mechanism).__name__)
def test_statistics_follow_from_outputs(mechanism):
    """Means and log-likelihood ratios recomputed from the kept outputs, round by round."""
    views = run_experiment([mechanism, NOTEBOOK[1]], rounds=7, trials=50, rng=generator())
    assert views.outputs.shape == (2, 50, 7)
    own, laplace = views.outputs[:, :, ::2], views.outputs[:, :, 1::2]
    pair = (1.0, 2.0) if isinstance(mechanism, Laplace | Gaussian) else (0, 1)
    ratio = mechanism.log_ratio(own, pair[1], pair[0]).sum(axis=2)
    ratio = ratio + NOTEBOOK[1].log_ratio(laplace, 2.0, 1.0).sum(axis=2)
    assert np.allclose(views.log_ratios, ratio, rtol=1e-12, atol=1e-12)
    told = own if pair == (1.0, 2.0) else np.where(np.isnan(own), 1.5, 1 + own % 2)
    assert np.allclose(views.means, (told.sum(axis=2) + laplace.sum(axis=2)) / 7, rtol=1e-12)
    assert np.array_equal(views.mean_paths[:, :, -1], views.means[:, :50])


@pytest.mark.parametrize("rounds", [1, 2, 99, 101, 400, 401, 5000])
def test_checkpoints(rounds):
    """Statistics at every checkpoint are those of an experiment that is read so far."""
    views = run_experiment(NOTEBOOK, rounds=rounds, trials=20, rng=generator())
    marks = views.experiment.checkpoints
    assert marks[0] == 1 and marks[-1] == rounds and len(marks) <= 101 and np.all(np.diff(marks) > 0)
    means = np.cumsum(views.outputs, axis=2)[:, :, marks - 1] / marks
    assert np.allclose(views.mean_paths, means, rtol=1e-9)
    pieces = [m.log_ratio(views.outputs[:, :, i::3], 2.0, 1.0) for i, m in enumerate(NOTEBOOK)]
    whole = np.empty_like(views.outputs)
    for place, piece in enumerate(pieces):
        whole[:, :, place::3] = piece
    assert np.allclose(views.log_ratio_paths, np.cumsum(whole, axis=2)[:, :, marks - 1], rtol=1e-9, atol=1e-9)


def test_frames_agree_with_the_views():
    views = run_experiment(NOTEBOOK, rounds=300, trials=900, rng=generator())
    mean = views.mean_frame()
    end = mean[mean["round"] == 300]
    assert np.allclose(end["mean"], views.means.mean(axis=1)) and np.allclose(
        end["standard_deviation"], views.means.std(axis=1)
    )
    assert (mean["low"] <= mean["high"]).all()
    paths = views.path_frame(3)
    assert len(paths) == 2 * 3 * len(views.experiment.checkpoints)
    assert paths.query("world == 1 and trial == 2")["log_ratio"].iloc[-1] == views.log_ratios[1, 2]
    for statistic in ("mean", "log_ratio"):
        histogram = views.histogram_frame(statistic, 30)
        assert histogram.groupby("world")["trials"].sum().tolist() == [900, 900]


def test_certainty_is_counted_apart():
    """A leak makes the log-likelihood ratio infinite: the posterior is sure, and the histogram says so."""
    views = run_experiment([NameAndShame(0.5)], trials=400, rng=generator())
    sure = np.isinf(views.log_ratios)
    assert 0.4 < sure.mean() < 0.6
    assert set(views.posterior(0.01)[sure]) == {0.0, 1.0}
    histogram = views.histogram_frame("log_ratio")
    assert histogram[np.isinf(histogram["low"])]["trials"].sum() == sure.sum()
    assert histogram["trials"].sum() == 800


@given(st.floats(0, 1))
def test_posterior_is_bayes(prior):
    views = run_experiment(EVERY, trials=50, rng=generator())
    for ratio, posterior in zip(views.log_ratios.ravel(), views.posterior(prior).ravel(), strict=True):
        against = math.exp(-ratio) * (1 - prior) if ratio > -math.inf else math.inf
        bayes = prior if prior in (0.0, 1.0) else prior / (prior + against)
        assert posterior == pytest.approx(bayes, rel=1e-12, abs=1e-300)
    decided = np.abs(views.posterior(prior) - 0.5) > 1e-9
    assert np.array_equal((views.guesses(prior) == 1)[decided], (views.posterior(prior) > 0.5)[decided])


def test_many_draws_keep_summaries_only():
    """Beyond five million draws no outputs are kept, and memory stays bounded by trials, not by draws."""
    views, peak = with_peak(lambda: run_experiment(NOTEBOOK, rounds=150, trials=40_000, rng=generator()))
    assert views.experiment.draws == 12_000_000
    assert views.outputs is None and views.asked is None
    assert views.log_ratios.shape == (2, 40_000) and views.mean_paths.shape[1] == 1000
    assert peak < 40e6  # the draws alone would be 96 MB


# -- strategies ----------------------------------------------------------------------------------------------------


def test_strategies_are_listed():
    keys = [strategy.key for strategy in STRATEGIES]
    assert keys == ["list", "repeated_list", "moving_databases", "loud_when_in_doubt"]
    assert all(s.label and s.statement and s.assumes and s.source for s in STRATEGIES)
    assert [s.fixed_in_advance for s in STRATEGIES] == [s.choose is None for s in STRATEGIES]


@pytest.mark.parametrize(("mechanisms", "rounds", "exact"), SOLVED)
def test_adapting_the_data_gains_nothing(mechanisms, rounds, exact):
    """Databases and queries chosen along the way, noise fixed in advance: the same optimum, neither more nor less."""
    views = run_experiment(
        mechanisms, None, rounds, ask=moving_databases(mechanisms), trials=20_000, rng=generator(2)
    )
    assert views.experiment.fixed_in_advance and views.experiment.adaptive
    success = views.success(confidence=CERTAIN)
    assert success.low <= exact + 1e-6 and success.high >= exact


def test_moving_databases_really_move():
    """The questions differ between trials and between worlds, and stay neighbours at the whole sensitivity."""
    ask = moving_databases(NOTEBOOK)
    low, high = ask(np.random.default_rng(0).normal(0, 5, (100, 4)))
    assert len(set(low)) > 5 and {1.0, -1.0} == set(high - low)


def test_choosing_the_mechanism_stays_within_basic_composition():
    """Whatever is chosen, the log-likelihood ratio never exceeds the sum of the ε that were asked."""
    mechanisms = (Laplace.from_epsilon(0.1), Laplace.from_epsilon(1.0))
    choose = loud_when_in_doubt(mechanisms)
    views = run_experiment(mechanisms, rounds=20, choose=choose, trials=2000, rng=generator())
    assert not views.experiment.fixed_in_advance
    spent = np.array([0.1, 1.0])[views.asked].sum(axis=2)
    assert len(np.unique(views.asked.sum(axis=2))) > 3
    assert np.all(np.abs(views.log_ratios) <= spent * (1 + 1e-12))
    quiet, loud = (mechanism.log_ratio(views.outputs, 2.0, 1.0) for mechanism in mechanisms)
    replayed = np.where(views.asked == 1, loud, quiet).sum(axis=2)
    assert np.allclose(views.log_ratios, replayed, rtol=1e-9, atol=1e-9)
    wanted = np.stack([choose(views.outputs[0, :, :i]) for i in range(20)], axis=1)
    assert np.array_equal(wanted, views.asked[0])


def test_a_filter_stops_every_trial():
    """Each trial's own spend fits the budget exactly; what is refused is not answered, and costs nothing."""
    mechanisms = (Laplace.from_epsilon(0.1), Laplace.from_epsilon(0.7))
    budget = Filter(Guarantee(1.0), rule="basic")
    views = run_experiment(
        mechanisms, rounds=15, choose=loud_when_in_doubt(mechanisms), budget=budget, trials=500, rng=generator()
    )
    tenths = np.where(views.asked == 1, 7, views.asked == 0).sum(axis=2)
    assert tenths.max() == 10  # 0.7 + 3 × 0.1 fits into 1 exactly
    assert np.all(tenths <= 10)
    assert np.all(np.isnan(views.outputs) == (views.asked == -1))
    assert (views.asked == -1).any() and np.isfinite(views.means).all()
    optimum = 1 / (1 + math.exp(-1.0))
    assert views.success(confidence=CERTAIN).low <= optimum


def test_nothing_asked_tells_nothing():
    views = run_experiment(
        NOTEBOOK, rounds=3, choose=lambda outputs: np.full(len(outputs), -1), trials=9, rng=generator()
    )
    assert np.all(views.log_ratios == 0) and np.all(views.means == 1.5) and np.isnan(views.outputs).all()


@pytest.mark.parametrize(
    ("choose", "words"),
    [
        (lambda outputs: np.full(len(outputs), 3), r"choose must return numbers in \[-1, 2\]"),
        (lambda outputs: np.full(len(outputs), 0.5), "whole numbers"),
        (lambda outputs: np.zeros(len(outputs) + 1, int), "whole numbers"),
        ("loud", "choose must be a function"),
    ],
)
def test_bad_choices(choose, words):
    with pytest.raises(ValueError, match=words):
        run_experiment(NOTEBOOK, choose=choose, trials=5, rng=generator())


@pytest.mark.parametrize("pair", [(0.0, 1.1), (0.0, 0.0), (0.0, float("nan")), (0.0, math.inf)])
def test_bad_answers(pair):
    with pytest.raises(ValueError, match="ask must return answers that differ by at most the sensitivity 1"):
        run_experiment(NOTEBOOK, ask=lambda outputs: pair, trials=5, rng=generator())


# -- what is refused, and what is given -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"trials": 0}, r"trials must be in \[1, 1000000\]"),
        ({"trials": 1_000_001}, "trials must be in"),
        ({"trials": float("nan")}, "trials must be in"),
        ({"trials": 2.5}, "trials must be in"),
        ({"rounds": 0}, r"rounds must be in \[1, 100000\]"),
        ({"rounds": 100_001}, "rounds must be in"),
        ({"rounds": float("nan")}, "rounds must be in"),
        ({"rounds": 100_000, "trials": 10_000}, "draws = 2 x trials x rounds must be in"),
        ({"workers": 0}, "workers must be in"),
        ({"rng": 3}, "rng must be"),
        ({"rng": None}, "rng must be"),
        ({"secrets": (1.0, 2.5)}, "neighbours, which differ in exactly one component by at most the sensitivity 1"),
        ({"secrets": (1.0, 1.0)}, "exactly one component"),
        ({"secrets": (1.0, float("nan"))}, "must be in"),
        ({"secrets": 1.0}, "two databases"),
        ({"secrets": ([1, 2, 3, 4], [1, 2, 5, 8])}, "exactly one component"),
        ({"query": "median"}, "query must be one of"),
        ({"mechanisms": ()}, "mechanisms must be a list of 1 to"),
        ({"mechanisms": 3}, "mechanisms must be a sequence"),
        ({"mechanisms": (1.0,)}, "mechanisms must be a sequence"),
        ({"mechanisms": (Laplace(1.0, 0.5), Laplace(1.0))}, "sensitivity 0.5"),
    ],
)
def test_refused(changes, words):
    settings = {"mechanisms": NOTEBOOK, "trials": 10, "rng": generator()} | changes
    with pytest.raises(ValueError, match=words):
        run_experiment(**settings)
    with pytest.raises(ValueError, match=words):
        experiment_in_chunks(**settings)  # at once, not at the first chunk


def test_arrays_are_read_by_a_query():
    """The notebook's C and D: a component and the sum tell the same, the mean a third of it."""
    pair = ([1, 28, 91], [2, 28, 91])
    component, total, mean = (
        run_experiment([Laplace(1.0)], pair, query=query, trials=100, rng=generator())
        for query in ("component", "sum", "mean")
    )
    assert np.allclose(component.log_ratios, total.log_ratios)
    assert np.abs(mean.log_ratios).max() == pytest.approx(1 / 3)
    assert mean.midpoint == pytest.approx(40 + 1 / 6)


def test_bits_stand_for_any_secrets():
    bits, secrets = (
        run_experiment([RandomizedResponse(1.0)], pair, trials=100, rng=generator()) for pair in ((0, 1), (5.0, 40.0))
    )
    assert np.array_equal(bits.log_ratios, secrets.log_ratios)
    assert set(secrets.means.ravel()) == {5.0, 40.0}


def test_a_plan_at_its_own_sensitivities():
    """Without secrets, each release is attacked at its whole sensitivity, on one scale from 0 to 1."""
    plan = Plan([Release("big", Laplace(20.0, 10.0), 2), Release("small", Laplace(0.2, 0.1), 1)])
    views = run_experiment(plan, None, trials=40_000, rng=generator())
    assert views.experiment.rounds == 3
    same = run_experiment([Laplace(2.0)] * 3, trials=40_000, rng=generator(9))
    assert abs(views.success().value - same.success().value) < 0.015
    assert views.means.mean(axis=1) == pytest.approx([0.0, 1.0], abs=0.05)
    with pytest.raises(ValueError, match="at most 10000"):
        run_experiment(plan.repeated(10_000), trials=1, rng=generator())


def test_smaller_differences_tell_less():
    near, far = (run_experiment([Laplace(1.0)], (0.0, end), trials=20_000, rng=generator()) for end in (0.25, 1.0))
    assert near.success().high < far.success().low


@pytest.mark.parametrize("prior", [-0.1, 1.1, float("nan")])
def test_no_prior(prior):
    views = run_experiment(NOTEBOOK, trials=3, rng=generator())
    with pytest.raises(ValueError, match="prior must be in"):
        views.posterior(prior)
    with pytest.raises(ValueError, match="statistic must be one of"):
        views.histogram_frame("median")


def test_experiment_is_a_value():
    one, other = (Experiment(NOTEBOOK, ([1.0, 2.0], [1.0, 3.0]), 3, 5) for _ in range(2))
    assert one == other and hash(one) == hash(other)


def test_benchmark_runs(root, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["adversary.py", "--quick"])
    runpy.run_path(str(root / "benchmarks" / "adversary.py"), run_name="__main__")
    assert "share of numpy's rate" in capsys.readouterr().out
