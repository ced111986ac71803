"""The claims of the lecture notes "Advanced Composition" (Lecture 11)."""

from __future__ import annotations

import math

from scipy.special import ndtr

from dpviz.composition import calibrate
from dpviz.composition.crossings import largest_within
from dpviz.guarantee import Guarantee
from dpviz.losses import Simulation
from dpviz.mechanisms import Gaussian, Laplace, NameAndShame, RandomizedResponse
from dpviz.mechanisms.laws.gaussian_profile import (
    analytic_sigma,
    classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
    lecture_sigma,
)
from dpviz.mechanisms.laws.renyi import pure_rho
from dpviz.privacy_loss import PrivacyLoss
from dpviz.search import farthest
from dpviz.sources.claim import RIGHT, UNPROVED, WRONG, Claim
from dpviz.sources.noise_per_query import gaussian_advanced_sigma, printed_order
from dpviz.sources.sherpa_composition import repeated, total
from dpviz.sources.sherpa_sampling import largest_true_epsilon

ADVANCED = "Kairouz, Oh & Viswanath (2015), Thm 3.4"
EPSILON, COUNT, DELTA = 0.001, 500, 1e-6  # the numeric example
_BUDGET = Guarantee(1.0, 1e-6)


def printed_advanced(epsilon: float, count: int, slack: float) -> float:
    """Return advanced composition as the lecture has it.

    Examples
    --------
    >>> round(printed_advanced(0.001, 500, 1e-6), 12)
    0.117789400003
    """
    mean = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
    return epsilon * math.sqrt(2 * count * math.log(1 / slack)) + count * epsilon * mean


def _printed_final(delta: float) -> float:
    """The final lemma's ε̃, which has δ where δ' is meant."""
    return printed_advanced(EPSILON, COUNT, delta) if delta else math.inf


def _slack_for(target: float) -> float:
    """The δ' at which the lecture's own formula gives the target, by the core's theorem."""
    return farthest(lambda slack: total("advanced_tight", EPSILON, COUNT, slack) <= target, 0.5, 1e-12)


def _fitting(theorem: str) -> int:
    return largest_within(RandomizedResponse(EPSILON), Guarantee(0.1, DELTA), theorem)


def _by_lecture() -> float:
    """The lecture's order for Gaussian + advanced, from its own (ε/√(2k ln(1/δ)), δ/2k) per query."""
    return printed_order(1000, _BUDGET) * math.sqrt(math.log(1e6))


def _per_query(mechanism: type, theorem: str, count: int = 1000) -> float:
    return calibrate(mechanism, count, _BUDGET, theorem).noise.mean_distance


def _tail(sigma: float, epsilon: float) -> float:
    """P[loss > ε] of Gaussian noise: the loss is normal with mean 1/(2σ²) and variance 1/σ²."""
    return float(ndtr((1 / (2 * sigma**2) - epsilon) * sigma))


LECTURE_CLAIMS = (
    Claim("lecture_basic", "numeric example", "500 releases of ε = 0.001 cost 0.5 by basic composition.",
        "So they do.",
        RIGHT, "ε", lambda: 500 * 0.001, lambda: total("basic", EPSILON, COUNT, 0.0), "Dwork & Roth (2014), Thm 3.16"),
    Claim("lecture_formula", "adaptive composition", "ε̃ = ε√(2k ln(1/δ')) + kε(e^ε - 1)/(e^ε + 1), δ̃ = kδ + δ'.",
        "Right, for δ' in (0, 1).",
        RIGHT, "ε of 500 releases of ε = 0.001 at δ' = 10⁻⁶", lambda: printed_advanced(EPSILON, COUNT, DELTA),
        lambda: total("advanced_tight", EPSILON, COUNT, DELTA), ADVANCED),
    Claim("lecture_tenth", "numeric example", "By advanced composition they cost at most 0.1 at δ = 10⁻⁶.",
        "True, by the optimal composition theorem. The lecture's own formula gives 0.1178, and needs δ' = 4.8 × 10⁻⁵ "
        "for 0.1.",
        UNPROVED, "ε, by the lecture's formula and the best there is", lambda: printed_advanced(EPSILON, COUNT, DELTA),
        lambda: total("optimal", EPSILON, COUNT, DELTA), "Kairouz, Oh & Viswanath (2015), Thm 3.3", (
            ("δ' at which the formula gives 0.1", lambda: _slack_for(0.1)),
            ("Kairouz-Oh-Viswanath", lambda: total("kov", EPSILON, COUNT, DELTA)),
            ("zero-concentrated DP", lambda: total("zcdp", EPSILON, COUNT, DELTA)),
            ("least δ at ε = 0.1", lambda: PrivacyLoss.of(repeated(EPSILON, COUNT)).delta(0.1)),
            ("releases within 0.1, own formula", lambda: _fitting("advanced_tight")),
            ("releases within 0.1, optimal", lambda: _fitting("optimal")),
        )),
    Claim("lecture_half", "adaptive composition", "(e^ε - 1)/(e^ε + 1) ≈ ε/2 for ε ≤ 1.", "So it is, and never more.",
        RIGHT, "mean per ε at ε = 0.1", lambda: 0.1 / 2, lambda: RandomizedResponse(0.1).delta(0.0),
        "Kairouz, Oh & Viswanath (2015)"),
    Claim("lecture_much_less", "adaptive composition", "ε̃ ≪ ε√k.",
        "Of the order of ε√k up to logarithms, but never below it: ε̃ is at least ε√(2k ln(1/δ')).",
        WRONG, "ε̃ of the numeric example", lambda: EPSILON * math.sqrt(COUNT),
        lambda: total("advanced_tight", EPSILON, COUNT, DELTA), ADVANCED,
        (("ε√(2k ln(1/δ'))", lambda: EPSILON * math.sqrt(2 * COUNT * math.log(1 / DELTA))),)),
    Claim("lecture_laplace_basic", "k adaptive queries", "Laplace and basic: expected error ≈ k/ε̃.",
        "Exact: the expected error of Laplace noise is its scale.",
        RIGHT, "expected error, k = 1000, ε̃ = 1", lambda: 1000 / 1.0, lambda: _per_query(Laplace, "basic"),
        "Dwork & Roth (2014), Thm 3.6 and 3.16"),
    Claim("lecture_gaussian_basic", "k adaptive queries", "Gaussian and basic: ≈ (k/ε̃)√ln(k/δ).",
        "Right in order; the exact σ is a little smaller.",
        RIGHT, "expected error, k = 1000, ε̃ = 1, δ = 10⁻⁶", lambda: 1000 / 1.0 * math.sqrt(math.log(1000 / 1e-6)),
        lambda: Gaussian(analytic_sigma(1.0 / 1000, 1e-6 / 1000)).noise.mean_distance, "Balle & Wang (2018), Thm 8"),
    Claim("lecture_laplace_advanced", "k adaptive queries", "Laplace and advanced: ≈ (√k/ε̃)√ln(1/δ).",
        "Right in order; the constant √2 is left out.",
        RIGHT, "expected error, k = 1000, ε̃ = 1, δ = 10⁻⁶", lambda: math.sqrt(1000) / 1.0 * math.sqrt(math.log(1e6)),
        lambda: _per_query(Laplace, "advanced_tight"), ADVANCED),
    Claim("lecture_gaussian_advanced", "k adaptive queries", "Gaussian and advanced: ≈ (√k/ε̃)√ln(k/δ).",
        "A factor √ln(1/δ) is missing: with (ε̃/√(2k ln(1/δ)), δ/2k) per query it is (√k/ε̃)√(ln(k/δ) ln(1/δ)).",
        WRONG, "order of the error, k = 1000, ε̃ = 1, δ = 10⁻⁶", lambda: printed_order(1000, _BUDGET), _by_lecture,
        ADVANCED, (
            ("missing factor √ln(1/δ)", lambda: math.sqrt(math.log(1e6))),
            ("expected error, constants included",
             lambda: Gaussian(gaussian_advanced_sigma(1000, _BUDGET)).noise.mean_distance),
        )),
    Claim("lecture_better", "k adaptive queries", "There are better ways to analyze this.",
        "There are: zero-concentrated DP, or Gaussian noise exactly, need no ln k; σ is about √(2k ln(1.25/δ))/ε̃.",
        RIGHT, "σ for k = 1000, ε̃ = 1, δ = 10⁻⁶", lambda: math.sqrt(1000) * classical_sigma(1.0, 1e-6),
        lambda: calibrate(Gaussian, 1000, _BUDGET, "pld").sigma, "Dong, Roth & Su (2022), Cor. 3.3",
        (("zero-concentrated DP", lambda: calibrate(Gaussian, 1000, _BUDGET, "zcdp").sigma),)),
    Claim("lecture_probability", "privacy loss", "To prove (ε, δ)-DP: the loss is at most ε with probability 1-δ.",
        "Sufficient, not necessary: the exact δ counts by how much the loss exceeds ε.",
        RIGHT, "δ at ε = 1 of the lecture's σ for δ = 10⁻⁵", lambda: _tail(lecture_sigma(1.0, 1e-5), 1.0),
        lambda: float(gaussian_delta(1.0, 1 / lecture_sigma(1.0, 1e-5))), "Balle & Wang (2018), Thm 8"),
    Claim("lecture_gaussian_loss", "example 1", "The loss of Gaussian noise is N(1/(2σ²), 1/σ²).",
        "Right where the answers differ by 1; in general by Δ, and the mean is Δ²/(2σ²).",
        RIGHT, "mean loss for σ = 10", lambda: 1 / (2 * 10**2), lambda: Gaussian(10.0).rho,
        "Bun & Steinke (2016), Prop. 1.6"),
    Claim("lecture_sigma", "example 1", "σ = 2√ln(1/δ)/ε is enough.",
        "Enough, but neither the classical σ nor the smallest: larger than the classical one for δ up to 0.8.",
        RIGHT, "σ for ε = 1, δ = 10⁻⁵", lambda: 2 * math.sqrt(math.log(1e5)), lambda: analytic_sigma(1.0, 1e-5),
        "Balle & Wang (2018), Thm 9", (
            ("classical", lambda: classical_sigma(1.0, 1e-5)),
            ("true ε of the lecture's σ", lambda: gaussian_epsilon(1e-5, 1 / lecture_sigma(1.0, 1e-5))),
            ("true up to ε, δ = 10⁻⁵", lambda: largest_true_epsilon("lecture11", 1e-5)),
            ("true up to ε, δ = 0.1", lambda: largest_true_epsilon("lecture11", 0.1)),
        )),
    Claim("lecture_response", "example 2", "The loss of randomized response is ±ε, its mean ε(e^ε - 1)/(e^ε + 1).",
        "Right: ε tanh(ε/2).",
        RIGHT, "mean loss at ε = 0.1", lambda: 0.1 * (math.exp(0.1) - 1) / (math.exp(0.1) + 1), lambda: pure_rho(0.1),
        "Bun & Steinke (2016)"),
    Claim("lecture_response_mean", "example 2", "That mean is about ε/2.",
        "ε/2 is the fraction alone; the mean is about ε²/2.",
        WRONG, "mean loss at ε = 0.1", lambda: 0.1 / 2, lambda: pure_rho(0.1), "Bun & Steinke (2016)"),
    Claim("lecture_shame", "example 3", "Name and shame: a loss of ∞ with probability δ, so its mean is ∞.",
        "Right; and (0, δ)-DP nevertheless, which is why δ must be far below 1/n.",
        RIGHT, "mean loss at δ = 0.01", lambda: 0.01 * math.inf, lambda: NameAndShame(0.01).rho,
        "Dwork & Roth (2014), section 2.3", (("δ it promises", lambda: NameAndShame(0.01).delta(0.0)),)),
    Claim("lecture_simulation", "simulation lemma",
        "Any (ε, δ)-DP release is a random map of leaky randomized response.",
        "Right; dpviz builds the map and checks it.",
        RIGHT, "largest distance of the mapped law from Laplace noise of ε = 1, at ε = ½", None,
        lambda: Simulation.of(Laplace.from_epsilon(1.0), 0.5).verified().off_p,
        "Kairouz, Oh & Viswanath (2015), Thm 3.3; Murtagh & Vadhan (2016), Lemma 3.2"),
    Claim("lecture_final", "final lemma", "ε̃ = ε√(2k ln(1/δ)) + kε(e^ε - 1)/(e^ε + 1).",
        "ln(1/δ') is meant: with δ = 0 of the single releases the printed ε̃ is infinite.",
        WRONG, "ε̃ of the numeric example, where δ = 0", lambda: _printed_final(0.0),
        lambda: total("advanced_tight", EPSILON, COUNT, DELTA), ADVANCED),
    Claim("lecture_indices", "composed loss", "Sums and products run over y_1, …, y_{j-2}; ≈_{ε,δ} in the lemma.",
        "Each release sees y_1, …, y_{j-1} (and y_{k-1}); the composed pair is ≈ with ε̃ and δ̃.",
        WRONG, "", None, None, ADVANCED),
)  # fmt: skip
