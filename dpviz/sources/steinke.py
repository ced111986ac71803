"""The claims of Steinke's post "Composition"."""

from __future__ import annotations

import math

from scipy.special import ndtri

from dpviz.composition import calibrate, compose
from dpviz.composition.conversions import rho_from_guarantee, rho_from_guarantee_classical
from dpviz.guarantee import Guarantee
from dpviz.losses.largest import log10_probability
from dpviz.mechanisms import ApproximateDP, Laplace, RandomizedResponse
from dpviz.mechanisms.laws.gaussian_profile import gaussian_epsilon
from dpviz.mechanisms.laws.renyi import pure_rho
from dpviz.plan import Plan, Release
from dpviz.search import farthest
from dpviz.sources.claim import RIGHT, WRONG, Claim
from dpviz.sources.noise_per_query import sufficient_rho

EPSILONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
POST = "Bun & Steinke (2016), Prop. 1.3 and 1.4"


def _close_rho(epsilon: float, delta: float) -> float:
    return epsilon**2 / (4 * math.log(1 / delta) + 2 * epsilon)


def printed_advanced(epsilons: tuple[float, ...], delta: float) -> float:
    """Return advanced composition as the post has it.

    Examples
    --------
    >>> round(printed_advanced((0.5, 0.5, 0.5), 0.1), 12)
    2.233461094425
    """
    squares = sum(epsilon**2 for epsilon in epsilons)
    return squares / 2 + math.sqrt(2 * math.log(1 / delta) * squares)


def _total(theorem: str, delta: float) -> float:
    return compose([RandomizedResponse(each) for each in EPSILONS], delta, theorem).epsilon


def _delta_total() -> float:
    """The least δ at which Kairouz, Oh and Viswanath promise the ε of δ' = 10⁻⁶, for ten releases of δ_j = 0.01."""
    target = compose(Plan([Release("release", RandomizedResponse(0.01), 10)]), 1e-6, "kov").epsilon
    leaky = Plan([Release("release", ApproximateDP(0.01, 0.01), 10)])
    return farthest(lambda delta: compose(leaky, delta, "kov").epsilon <= target, 10 * 0.01 + 1e-6, 0.0)


def _tail_epsilon(mu: float, delta: float) -> float:
    """The ε that a Gaussian privacy loss exceeds with probability δ."""
    return mu**2 / 2 - mu * float(ndtri(delta))


def _ratio(epsilon: float) -> float:
    return rho_from_guarantee_classical(epsilon, 1e-6) / sufficient_rho(epsilon, 1e-6)


STEINKE_CLAIMS = (
    Claim("steinke_basic", "Basic Composition", "Pure ε_j add up: ε = Σε_j.", "So it is.",
        RIGHT, "ε of ten releases, ε_j = 0.05 to 0.5", lambda: sum(EPSILONS), lambda: _total("basic", 0.0),
        "Dwork & Roth (2014), Thm 3.16"),
    Claim("steinke_variance", "Is Basic Composition Optimal?",
        "Laplace(k/ε) noise for each of k values has variance 2k²/ε².", "So it has.",
        RIGHT, "variance for k = 10, ε = 1", lambda: 2 * 10**2 / 1.0**2,
        lambda: 2 * calibrate(Laplace, 10, Guarantee(1.0), "basic").scale ** 2, "Dwork & Roth (2014), Thm 3.6"),
    Claim("steinke_optimal", "Is Basic Composition Optimal?", "At δ = 0 no better ε than Σε_j can be proved.",
        "So it is: the best that any proof can do from the pairs is the sum.",
        RIGHT, "ε of ten releases at δ = 0", lambda: sum(EPSILONS), lambda: _total("optimal", 0.0),
        "Kairouz, Oh & Viswanath (2015), Thm 3.3"),
    Claim("steinke_rare", "Is Basic Composition Optimal?", "All k losses are largest with probability 2⁻ᵏ.",
        "So it is for Laplace noise.",
        RIGHT, "probability for k = 10", lambda: 2.0**-10, lambda: 10 ** log10_probability(Laplace(10.0), 10),
        "the post's own example"),
    Claim("steinke_tail", "Is Basic Composition Optimal?",
        "Instead of ε-DP ask that the loss is at most ε* except with probability δ.",
        "That suffices for (ε*, δ)-DP, but is more than it asks: the exact profile needs less.",
        RIGHT, "ε* of Gaussian noise of μ = 1 at δ = 10⁻⁶", lambda: _tail_epsilon(1.0, 1e-6),
        lambda: float(gaussian_epsilon(1e-6, 1.0)), "Balle & Wang (2018), Thm 8"),
    Claim("steinke_advanced", "Preview: Advanced Composition", "ε = ½Σε_j² + √(2 ln(1/δ) Σε_j²) for any δ > 0.",
        "Right for δ in (0, 1), and not only for independent releases: each may depend on earlier outputs.",
        RIGHT, "ε of ten releases at δ = 10⁻⁶", lambda: printed_advanced(EPSILONS, 1e-6),
        lambda: _total("advanced_zcdp", 1e-6), POST),
    Claim("steinke_half_square", "Preview: Advanced Composition", "Each ε_j enters as ½ε_j².",
        "Right, and can be sharpened: every ε-DP release is ε tanh(ε/2)-zCDP.",
        RIGHT, "ρ of ε = 2", lambda: 2.0**2 / 2, lambda: pure_rho(2.0),
        "Steinke (2024), A tight pure-DP to zCDP conversion, Thm 5"),
    Claim("steinke_footnote_1", "footnote 1", "With δ_j > 0 the total is δ + Σδ_j.",
        "Right, and can be sharpened to 1 - (1-δ)Π(1-δ_j).",
        RIGHT, "δ of ten releases of δ_j = 0.01, δ' = 10⁻⁶", lambda: 1e-6 + 10 * 0.01, _delta_total,
        "Kairouz, Oh & Viswanath (2015), Thm 3.5"),
    Claim("steinke_footnote_2", "footnote 2", "ρ = ε² / (4 ln(1/δ) + 4ε) ensures (ε, δ).",
        "Sufficient, not exact: ρ = (ε / (√(ln(1/δ)+ε) + √ln(1/δ)))² is larger, that is, less noise.",
        RIGHT, "ρ for ε = 1, δ = 10⁻⁶", lambda: sufficient_rho(1.0, 1e-6),
        lambda: rho_from_guarantee_classical(1.0, 1e-6), POST, (
            ("exact over sufficient, ε = 1", lambda: _ratio(1.0)),
            ("exact over sufficient, ε = 10", lambda: _ratio(10.0)),
            ("exact over ε²/(4L+2ε), ε = 1", lambda: rho_from_guarantee_classical(1, 1e-6) / _close_rho(1, 1e-6)),
            ("exact over ε²/(4L+2ε), ε = 10", lambda: rho_from_guarantee_classical(10, 1e-6) / _close_rho(10, 1e-6)),
            ("by the tight conversion, ε = 1", lambda: rho_from_guarantee(1.0, 1e-6)),
        )),
    Claim("steinke_scale", "Preview: Advanced Composition",
        "Laplace(√(k/2ρ)) noise is enough for k queries: it grows as √k, not as k.",
        "So it does. With the exact ρ the scale is smaller still, and by tight accounting smaller again.",
        RIGHT, "Laplace scale for k = 100, ε = 1, δ = 10⁻⁶", lambda: math.sqrt(100 / (2 * sufficient_rho(1.0, 1e-6))),
        lambda: math.sqrt(100 / (2 * rho_from_guarantee_classical(1.0, 1e-6))), POST, (
            ("Laplace(k/ε)", lambda: calibrate(Laplace, 100, Guarantee(1.0), "basic").scale),
            ("tight accounting", lambda: calibrate(Laplace, 100, Guarantee(1.0, 1e-6), "pld").scale),
        )),
    Claim("steinke_notation", "throughout", "P[M(x) = y], y in R^d, “compositoin”, “2\\rho” in footnote 2.",
        "For noise on real numbers these are densities; y lies in R^k; the rest are slips of the keyboard.",
        WRONG, "", None, None, "the post's own notation"),
)  # fmt: skip
