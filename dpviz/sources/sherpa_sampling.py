"""The claims of the Sherpa notebook on subsampling."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from dpviz.amplification import amplify, amplify_with_replacement, sampling_rate
from dpviz.composition import max_count
from dpviz.filters import Filter, runs_until_exhausted
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import CALIBRATIONS, Gaussian, Laplace
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta
from dpviz.records import record_named
from dpviz.search import farthest
from dpviz.sources.claim import RIGHT, WRONG, Claim

WITHOUT = "Balle, Barthe & Gaboardi (2018), Thm 9"
WITH = "Balle, Barthe & Gaboardi (2018), Thm 10"
PURE, GAUSSIAN = Guarantee(0.2, 2e-30), Guarantee(0.2, 2e-10)
PLOTTED = tuple(float(Fraction(n, 1000)) for n in range(1, 10))  # 0.001, …, 0.009


@lru_cache(maxsize=256)
def runs(draws: int, epsilon: float, rule: str = "rogers", delta: float = 0.0) -> int:
    """Return the runs of the notebook's figures, in its arithmetic; 100 draws stand for no sampling."""
    budget = GAUSSIAN if delta else PURE
    request = amplify(Guarantee(epsilon, delta), sampling_rate(draws, 100))
    return runs_until_exhausted(Filter(budget, rule, or_basic=rule != "basic", arithmetic="float64"), request)


def _points_beyond_basic(draws: int, delta: float = 0.0) -> int:
    return sum(runs(draws, each, "rogers", delta) > runs(draws, each, "basic", delta) for each in PLOTTED)


def _printed_epsilon(epsilon: float, rate: float) -> float:
    """The notebook's code, which cancels for small ε."""
    return math.log(1 + rate * (math.exp(epsilon) - 1))


def _largest_sample(population: int) -> int:
    """The largest sample for which the theorem promises no more than ε itself."""
    sizes = range(1, population + 1)
    return max(m for m in sizes if amplify(Guarantee(1.0), sampling_rate(m, population)).epsilon <= 1.0)


def _rate_with_replacement(draws: int, population: int) -> float:
    """The rate that the theorem's ε' reveals."""
    epsilon = amplify_with_replacement(Laplace(1.0), draws, population, 1.0).epsilon
    return math.expm1(epsilon) / math.expm1(1.0)


@lru_cache(maxsize=8)
def largest_true_epsilon(calibration: str, delta: float) -> float:
    """Return the ε up to which the named calibration's σ meets (ε, `delta`) by the exact profile, rounded down.

    Examples
    --------
    >>> round(largest_true_epsilon("classical", 1e-5), 4)
    8.4198
    """
    sigma = record_named(CALIBRATIONS, calibration).sigma
    return farthest(lambda epsilon: float(gaussian_delta(epsilon, 1 / sigma(epsilon, delta))) <= delta, 0.5, 200.0)


def _one_call() -> Gaussian:
    return Gaussian.from_guarantee(0.001, 2e-20, calibration="classical")


SAMPLING_CLAIMS = (
    Claim("sampling_formula", "2",
        "A sample without replacement of m of n records turns (ε, δ) into (ln(1 + (m/n)(e^ε - 1)), (m/n)δ).",
        "Right, with n public and a record replaced, for the base and for the result; the notebook leaves the relation "
        "unsaid and loses the primes.",
        RIGHT, "ε' at ε = 1, m/n = 0.5", lambda: _printed_epsilon(1.0, 0.5),
        lambda: amplify(Guarantee(1.0), 0.5).epsilon, WITHOUT),
    Claim("sampling_cancels", "library", "ε' in code: log(1 + p (exp(ε) - 1)).",
        "For tiny ε this cancels to 0, and 0 would admit endless runs; log1p and expm1 keep every digit.",
        WRONG, "ε' at ε = 10⁻¹⁶, m/n = 0.5", lambda: _printed_epsilon(1e-16, 0.5),
        lambda: amplify(Guarantee(1e-16), 0.5).epsilon, WITHOUT),
    Claim("sampling_whole", "2", "The sample must be smaller than the data, m < n.",
        "The library accepts m = n, and rightly: the theorem then returns ε itself.",
        WRONG, "largest sample of 100 records", lambda: 100 - 1, lambda: _largest_sample(100), WITHOUT,
        (("ε' at ε = 1, m = n", lambda: amplify(Guarantee(1.0), 1.0).epsilon),)),
    Claim("sampling_title", "figure 3", "The figure is titled “Sampling with replacement”.",
        "Its samples are drawn without replacement. With replacement the rate is 1 - (1 - 1/n)^m, and a record drawn "
        "twice makes δ' > 0 even for Laplace noise.",
        WRONG, "rate for m = 60 of n = 100", lambda: 60 / 100, lambda: _rate_with_replacement(60, 100), WITH,
        (("δ' for Laplace noise, ε = 1", lambda: amplify_with_replacement(Laplace(1.0), 60, 100, 1.0).delta),)),
    Claim("sampling_filter", "library", "Each run hands (ε', (m/n)δ) to the filter.",
        "Right. Basic asks for Σδ_i ≤ δ_g, Rogers et al. for half of it; neither binds in the figures.",
        RIGHT, "δ' of one run, δ = 2 × 10⁻²⁰, m/n = 0.5", lambda: 0.5 * 2e-20,
        lambda: amplify(Guarantee(0.001, 2e-20), 0.5).delta, WITHOUT, (
            ("Σδ_i of all runs", lambda: runs(50, 0.001, delta=2e-20) * amplify(Guarantee(0, 2e-20), 0.5).delta),
            ("what the filter keeps for it", lambda: Filter(GAUSSIAN, "rogers").allowance),
        )),
    Claim("sampling_incredible", "figure 2", "The results with half of the records are incredible.",
        "Each run reads half of the records: what is gained in runs is lost in records, but where the advanced filter "
        "applies (gain 1/q², not 1/q).",
        WRONG, "gain at ε = 0.001, as runs and as records read", lambda: runs(50, 0.001) / runs(100, 0.001),
        lambda: runs(50, 0.001) * 50 / (runs(100, 0.001) * 100), WITHOUT, (
            ("runs without sampling", lambda: runs(100, 0.001)), ("runs, m = 50", lambda: runs(50, 0.001)),
            ("runs by basic, m = 50", lambda: runs(50, 0.001, "basic")),
            ("points where advanced is used, m = 50", lambda: _points_beyond_basic(50)),
        )),
    Claim("sampling_great", "figure 3", "Even 80 % of the records give a great improvement.",
        "The gain in runs is 1/q; each run answers from 80 % of the records, so nothing is gained in records read. The "
        "advanced filter is used at one point of m = 60, at none of m = 70 or 80.",
        WRONG, "gain at ε = 0.001, as runs and as records read", lambda: runs(80, 0.001) / runs(100, 0.001),
        lambda: runs(80, 0.001) * 80 / (runs(100, 0.001) * 100), WITHOUT, (
            ("runs, m = 60", lambda: runs(60, 0.001)), ("runs by basic, m = 60", lambda: runs(60, 0.001, "basic")),
            ("points where advanced is used, m = 60", lambda: _points_beyond_basic(60)),
            ("points where advanced is used, m = 80", lambda: _points_beyond_basic(80)),
        )),
    Claim("sampling_below_one", "3", "The improvement is greatest for ε below 1.",
        "Right: ε/ε' tends to n/m as ε tends to 0, and to 1 as ε grows.",
        RIGHT, "ε/ε' at ε = 0.001, m/n = 0.5", lambda: 100 / 50,
        lambda: 0.001 / amplify(Guarantee(0.001), 0.5).epsilon, WITHOUT,
        (("at ε = 5", lambda: 5 / amplify(Guarantee(5.0), 0.5).epsilon),)),
    Claim("sampling_gaussian", "3", "Gaussian noise needs ε smaller than 1.",
        "Only the classical proof does. Its σ holds much further, by the exact profile, and the analytic calibration "
        "holds for every ε.",
        WRONG, "largest ε of the classical σ at δ = 10⁻⁵",
        lambda: record_named(CALIBRATIONS, "classical").proved_below, lambda: largest_true_epsilon("classical", 1e-5),
        "Balle & Wang (2018), Thm 8", (
            ("at δ = 0.1", lambda: largest_true_epsilon("classical", 0.1)),
            ("at δ = 10⁻⁶", lambda: largest_true_epsilon("classical", 1e-6)),
        )),
    Claim("sampling_noise", "3", "Sampling ensures a minor quantity of noise.",
        "Sampling does not reduce noise. A mean over m records moves by up to 1/m, so its noise grows by n/m, beside "
        "the sampling error.",
        WRONG, "sensitivity of a mean, m = 50 of n = 100", lambda: 1 / 100, lambda: 1 / 50, WITHOUT),
    Claim("sampling_pairs", "figure 4", "377 Gaussian runs exhaust (0.2, 2 × 10⁻¹⁰) at ε = 0.001.",
        "That counts Gaussian noise by its (ε, δ). By the noise itself the same budget admits about 300 times as many, "
        "their number fixed in advance.",
        WRONG, "runs at ε = 0.001, δ = 2 × 10⁻²⁰", lambda: runs(100, 0.001, delta=2e-20),
        lambda: max_count(_one_call(), GAUSSIAN, "pld"), "Dong, Roth & Su (2022), Cor. 3.3", (
            ("by zero-concentrated DP", lambda: max_count(_one_call(), GAUSSIAN, "zcdp")),
            ("runs, m = 50", lambda: runs(50, 0.001, delta=2e-20)),
            ("gain of m = 50", lambda: runs(50, 0.001, delta=2e-20) / runs(100, 0.001, delta=2e-20)),
            ("points where advanced is used, m = 50", lambda: _points_beyond_basic(50, 2e-20)),
            ("points where advanced is used, all records", lambda: _points_beyond_basic(100, 2e-20)),
        )),
    Claim("sampling_words", "1 and 4", "Privacy “augmentation”; “Laplace mechanism” beside Gaussian code.",
        "The field says amplification; the comments were copied, and the size of the data is once 100, later (100,).",
        WRONG, "", None, None, WITHOUT),
)  # fmt: skip
