"""Whoever guesses wrong what the public API takes is told which argument it was, what it must be, and what it got."""

from __future__ import annotations

import inspect
import io
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pytest

import dpviz
from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Guarantee,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    ReportNoisyMax,
    Subsampled,
    adversary,
    filters,
    noise_sums,
    risk,
    shuffling,
    subsampling,
)
from dpviz.mechanisms.declared import ZeroConcentrated

CORE = Path(dpviz.__file__).parent
BUDGET = Guarantee(1.0, 1e-6)
PLAN = Plan([Release("a", Laplace.from_epsilon(0.1), 2)], BUDGET)
LOSS = risk.PairLoss(Guarantee(1.0, 1e-6))
FILTER = filters.Filter(BUDGET, mechanism=Guarantee(0.1))
RUN = filters.run(FILTER, [Guarantee(0.1)])
COMPOSED = PrivacyLoss([Laplace(10.0)], [[2]])
VIEWS = adversary.run_experiment([Laplace(2.0)], trials=8, rng=np.random.default_rng(1))
MIXED = noise_sums.HiddenMixture(0.5, 1.0, 2.0)

WRONG = {
    "None": None, "text": "abc", "no text": "", "a list": [1, "a"], "an empty list": [], "a dict": {"a": 1},
    "a float": 0.37, "a negative": -1.5, "nan": float("nan"), "inf": float("inf"), "a bool": True, "a Plan": PLAN,
    "a Guarantee": BUDGET, "a mechanism": Laplace(1.0), "a class": Laplace, "another class": Plan,
    "a frame": pandas.DataFrame({"x": [1]}), "bytes": b"abc", "complex": 1j, "an array": np.array([0.1, 0.2]),
    "an object": object(), "a function": len, "a generator of text": "range", "huge": 10**400, "a tuple": (1, 2),
    "a set": {1}, "a nested list": [[1, 2], [3]], "a release": PLAN.releases[0], "a filter": FILTER,
}  # fmt: skip
MECHANISMS = (
    Laplace(2.0), Gaussian(2.0), RandomizedResponse(0.5), ApproximateDP(0.5, 1e-6), NameAndShame(1e-6),
    DiscreteLaplace(2.0), DiscreteGaussian(2.0), Exponential(0.5), PermuteAndFlip(0.5), ReportNoisyMax(0.5),
    KaryRandomizedResponse(0.5, 4), Declared.profile([0.5, 1.0], [1e-6, 1e-9]),
    Subsampled(Gaussian(2.0), 0.1, "poisson"),
)  # fmt: skip
# Every public call, with arguments that are right. Records, results and protocols are made by the library itself.
CALLS: tuple[tuple[Callable, dict[str, object]], ...] = (
    (Guarantee, {"epsilon": 1.0, "delta": 1e-6}),
    (BUDGET.implies, {"other": BUDGET}),
    (BUDGET.for_group, {"size": 2}),
    (Laplace, {"scale": 2.0, "sensitivity": 1.0, "declared": Guarantee(0.5)}),
    (Laplace.from_epsilon, {"epsilon": 0.5, "sensitivity": 1.0}),
    (Gaussian, {"sigma": 2.0, "sensitivity": 1.0, "stated": None, "calibration": None}),
    (Gaussian.from_guarantee, {"epsilon": 0.5, "delta": 1e-6, "sensitivity": 1.0, "calibration": "analytic"}),
    (RandomizedResponse, {"epsilon": 0.5}),
    (ApproximateDP, {"epsilon": 0.5, "delta": 1e-6}),
    (NameAndShame, {"delta": 1e-6}),
    (DiscreteLaplace, {"scale": 2.0, "sensitivity": 1, "declared": None}),
    (DiscreteLaplace.from_epsilon, {"epsilon": 0.5, "sensitivity": 1}),
    (DiscreteGaussian, {"sigma": 2.0, "sensitivity": 1}),
    (Exponential, {"epsilon": 0.5}),
    (PermuteAndFlip, {"epsilon": 0.5}),
    (ReportNoisyMax, {"epsilon": 0.5}),
    (KaryRandomizedResponse, {"epsilon": 0.5, "k": 4}),
    (Subsampled, {"base": Laplace(2.0), "rate": 0.1, "scheme": "poisson"}),
    (Declared, {"curve": ZeroConcentrated(0.1)}),
    (Declared.zcdp, {"rho": 0.1, "delta": 1e-9}),
    (Declared.gdp, {"mu": 0.1}),
    (Declared.renyi, {"orders": [2, 4], "epsilons": [0.1, 0.3]}),
    (Declared.profile, {"epsilons": [0.5, 1.0], "deltas": [1e-6, 1e-9]}),
    (Declared.profile_from_csv, {"text": "epsilon,delta\n0.5,1e-6"}),
    (Declared.from_text, {"curve": "rho 0.1"}),
    *((each.delta, {"epsilon": 0.5}) for each in MECHANISMS),
    *((each.epsilon, {"delta": 1e-6}) for each in MECHANISMS),
    *((each.rdp, {"alpha": 2.0}) for each in MECHANISMS),
    *((each.grouped, {"copies": 1}) for each in MECHANISMS),
    *((each.at_strength, {"ratio": 2.0}) for each in MECHANISMS[:3]),
    *((each.bare, {"ratio": 2.0}) for each in MECHANISMS[:3]),
    (Release, {
        "name": "a", "mechanism": Laplace(2.0), "count": 2, "part": None, "start": "2026-04-01", "cadence": "daily",
        "end": "2026-04-30", "weight": 1.0, "typical": None, "done": False, "answer_unit": None, "kind": None,
        "lower": 0.0, "upper": 1.0,
    }),
    (Plan, {
        "releases": PLAN.releases, "budget": BUDGET, "unit": "person", "relation": None, "population": 10,
        "adaptive": False,
    }),
    (PLAN.repeated, {"times": 2}),
    (PLAN.of_units, {"copies": 2, "days": 2, "unit": "user"}),
    (Plan.from_csv, {"text": PLAN.to_csv()}),
    (Plan.from_json, {"text": PLAN.to_json()}),
    (Plan.read, {"path_or_file": io.BytesIO(PLAN.to_json().encode())}),
    (PrivacyLoss, {"mechanisms": [Laplace(10.0)], "counts": [[2]], "accuracy": 1e-6}),
    (PrivacyLoss.of, {"plan": PLAN, "accuracy": 1e-6}),
    *((read, {"delta": 1e-6})
      for read in (COMPOSED.epsilon, COMPOSED.epsilon_bracket, COMPOSED.excess, COMPOSED.bound)),
    *((read, {"epsilon": 0.5}) for read in (COMPOSED.delta, COMPOSED.delta_bracket)),
    (COMPOSED.tradeoff, {"false_positive_rate": 0.1}),
    (COMPOSED.frame, {"points": 5}),
    (dpviz.compose, {"plan": PLAN, "delta": 1e-6, "theorem": None, "accuracy": None}),
    (dpviz.compare, {"plan": PLAN, "delta": 1e-6, "excess": False}),
    (dpviz.epsilon_curve, {"plan": PLAN, "counts": [1, 2], "delta": 1e-6, "theorems": ["basic"], "accuracy": 1e-4}),
    (dpviz.max_count, {"mechanism": Laplace(10.0), "budget": BUDGET, "theorem": "basic"}),
    (dpviz.calibrate, {
        "mechanism": Laplace, "count": 3, "budget": BUDGET, "theorem": "basic", "sensitivity": 1.0,
    }),
    (filters.Filter, {
        "budget": BUDGET, "rule": "rogers", "or_basic": False, "release_delta": 0.0, "mechanism": None,
        "arithmetic": "decimal", "tally": None,
    }),
    *((ask, {"request": Guarantee(0.1)}) for ask in (FILTER.admits, FILTER.charge, FILTER.reason, FILTER.spend)),
    (FILTER.largest_epsilon, {"delta": 0.0}),
    (filters.runs_until_exhausted, {"filter": FILTER, "request": Guarantee(0.1)}),
    (filters.breakeven_epsilon, {"filter": FILTER}),
    (filters.odometer, {"filter": FILTER, "requests": [Guarantee(0.1)], "after_refusal": "stop"}),
    (filters.run, {"filter": FILTER, "requests": [Guarantee(0.1)], "after_refusal": "stop"}),
    (filters.plan_verdicts, {"plan": PLAN}),
    (filters.rule_named, {"key": "basic"}),
    (filters.Query.of, {"request": Guarantee(0.1)}),
    (filters.Queries.of, {"requests": [Guarantee(0.1)]}),
    (filters.Queries.of_pairs, {"epsilons": [0.1], "deltas": 0.0}),
    (adversary.PairLoss, {"guarantee": BUDGET}),
    (LOSS.epsilon, {"delta": 1e-6}),
    (LOSS.delta, {"epsilon": 0.5}),
    (LOSS.tradeoff, {"false_positive_rate": 0.1}),
    (adversary.mechanism_list, {"mechanisms": [Laplace(2.0)], "part": None}),
    (adversary.midpoint_error, {"mechanisms": (Laplace(2.0),), "times": 1, "distance": 1.0}),
    (adversary.run_experiment, {
        "mechanisms": [Laplace(2.0)], "secrets": (1.0, 2.0), "rounds": 1, "trials": 8,
        "rng": np.random.default_rng(1), "workers": 1, "query": "component",
    }),
    *((read, {"confidence": 0.9}) for read in (VIEWS.advantage, VIEWS.success)),
    *((read, {"prior": 0.5}) for read in (VIEWS.posterior, VIEWS.guesses, VIEWS.error_rates)),
    (VIEWS.histogram_frame, {"statistic": "mean", "bins": 4}),
    (VIEWS.path_frame, {"paths": 2}),
    (risk.odds, {"loss": LOSS, "denominator": 100, "unit": "person", "relation": "add_remove"}),
    (risk.odds_record, {"loss": LOSS, "denominator": 100, "unit": "person", "relation": "add_remove"}),
    (risk.greatest_advantage, {"loss": LOSS}),
    (risk.best_success, {"loss": LOSS, "prior": 0.5}),
    (risk.true_positive_rate, {"loss": LOSS, "false_positive_rate": 0.1}),
    (risk.loss_bound, {"loss": LOSS, "probability": 0.01}),
    (risk.posterior, {"loss": LOSS, "prior": 0.1, "probability": 0.01}),
    (risk.posterior_frame, {"loss": LOSS, "delta": 1e-6, "priors": [0.1], "probabilities": [0.01]}),
    (risk.attack_frame, {"loss": LOSS, "delta": 1e-6, "priors": [0.1], "rates": [0.01]}),
    (subsampling.amplify, {"guarantee": BUDGET, "rate": 0.1}),
    (subsampling.base_epsilon, {"epsilon": 0.5, "rate": 0.1}),
    (subsampling.sampling_rate, {"draws": 5, "population": 10}),
    (subsampling.amplify_with_replacement, {
        "mechanism": Laplace(1.0), "draws": 5, "population": 10, "epsilon": 1.0,
    }),
    (subsampling.epsilon_against_rate, {"epsilons": [1.0], "rates": [0.5]}),
    (subsampling.runs_against_epsilon, {"filter": FILTER, "epsilons": [0.1], "rates": [0.5], "delta": 0.0}),
    (shuffling.amplify_by_shuffling, {"epsilon": 0.5, "clients": 1000, "delta": 1e-6, "bound": "shuffling"}),
    (shuffling.no_amplification, {"epsilon": 0.5, "clients": 1000, "delta": 1e-6, "bound": "shuffling"}),
    (shuffling.largest_local_epsilon, {"clients": 1000, "delta": 1e-6, "bound": "shuffling"}),
    (shuffling.fewest_reports, {"epsilon": 0.5, "delta": 1e-6, "bound": "shuffling"}),
    (shuffling.shuffle_curve, {"epsilon": 0.5, "clients": [1000], "delta": 1e-6}),
    (noise_sums.summed_epsilon, {"epsilons": [0.5, 1.0]}),
    (noise_sums.noise_sum, {"epsilons": [0.5, 1.0], "delta": 1e-6, "calibration": "analytic"}),
    (noise_sums.noise_sum_grid, {
        "epsilons_1": [0.5], "epsilons_2": [1.0], "delta": 1e-6, "calibration": "analytic",
    }),
    (noise_sums.noise_sum_table, {"pairs": [(0.5, 1.0)], "delta": 1e-6, "calibrations": ["analytic"]}),
    (noise_sums.honest_clients, {"clients": 5, "colluding": 1, "dropped": 1}),
    *((call, {
        "epsilon": 0.5, "delta": 1e-6, "clients": 5, "colluding": 1, "dropped": 1, "calibration": "analytic",
    }) for call in (noise_sums.secure_aggregation, noise_sums.vantage_points)),
    (noise_sums.client_curve, {
        "epsilon": 0.5, "delta": 1e-6, "clients": [5], "colluding": 1, "dropped": 1, "calibration": "analytic",
    }),
    (noise_sums.mixture, {
        "epsilon": 0.5, "delta": 1e-6, "clients": 5, "p": 0.5, "known": True, "calibration": "analytic",
        "centre_gap": 0.0,
    }),
    (noise_sums.HiddenMixture, {"p": 0.5, "sigma_1": 1.0, "sigma_2": 2.0, "gap": 0.0}),
    (MIXED.delta, {"epsilon": 0.5, "shift": 1.0}),
)  # fmt: skip
# What the interpreter and numpy say of a wrong value that nobody looked at.
PRIVATE = re.compile(
    r"has no attribute|not subscriptable|unsupported operand|not iterable|unexpected|ambiguous|hashable|broadcast"
)


def _ours(error: Exception) -> bool:
    """Whether a check in the core refused, with one sentence on what must be and what was got."""
    place = error.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    raised = Path(place.tb_frame.f_code.co_filename).is_relative_to(CORE)
    return isinstance(error, ValueError) and raised and " must " in str(error) and not PRIVATE.search(str(error))


def _named(call: Callable) -> str:
    if hasattr(call, "__self__"):
        return f"{type(call.__self__).__name__}.{call.__name__}"
    return getattr(call, "__qualname__", "rule_named")


def _outcome(call: Callable, arguments: dict[str, object]) -> str:
    """"" where the call is answered, or refused by a check; else what came out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(**arguments)
    except Exception as error:  # noqa: BLE001 - whatever comes out is looked at
        return "" if _ours(error) else f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("place", range(len(CALLS)), ids=lambda place: f"{place}-{_named(CALLS[place][0])}")
def test_a_wrong_argument_is_refused_by_a_check_that_names_it(place):
    call, right = CALLS[place]
    raw = [
        f"{_named(call)}({name}={what}): {outcome}"
        for name in right
        for what, value in WRONG.items()
        if (outcome := _outcome(call, right | {name: value}))
    ]
    assert not raw, "\n".join(raw)


def test_the_arguments_of_a_mechanism_are_shown():
    """A notebook that is asked for them shows those of the constructor."""
    shown = ["scale", "sensitivity", "declared", "sensitivity_from"]
    assert list(inspect.signature(Laplace).parameters) == shown


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: Laplace(epsilon=1.0), r"Laplace\.from_epsilon\(epsilon, sensitivity=\.\.\.\)"),
        (lambda: Gaussian(epsilon=1.0, delta=1e-6), r"Gaussian\.from_guarantee\(epsilon, delta"),
        (lambda: Laplace(), r"Laplace\(scale, sensitivity"),
        (lambda: RandomizedResponse(p=0.1), r"RandomizedResponse\(epsilon\)"),
        (lambda: Subsampled(Laplace(1.0), 0.1), r"Subsampled\(base, rate, scheme\)"),
    ],
)
def test_the_right_call_is_named(call: Callable, told: str):
    """Whoever names arguments that a mechanism does not take is told which ways make it."""
    with pytest.raises(TypeError, match=told):
        call()
