"""The claims of the note "DP-ML Proofs": sums of Gaussian noise, secure aggregation, mixtures."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpviz.mechanisms import CALIBRATIONS
from dpviz.mechanisms.laws.gaussian_profile import gaussian_epsilon
from dpviz.noise_sums import mixture, noise_sum, secure_aggregation, summed_epsilon
from dpviz.noise_sums.mixtures import mixture_bounds
from dpviz.noise_sums.sums import vantage_points
from dpviz.records import record_named
from dpviz.sources.claim import RIGHT, UNPROVED, WRONG, Claim
from dpviz.sources.sherpa_sampling import largest_true_epsilon

DELTA = 1e-5
EXACT = "Balle & Wang (2018), Thm 8"


def _printed_sum(first: float, second: float) -> float:
    return math.sqrt(first**2 * second**2 / (first**2 + second**2))


def _classical(first: float, second: float) -> float:
    return noise_sum([first, second], DELTA, "classical").epsilon


def _analytic(first: float, second: float) -> float:
    return noise_sum([first, second], DELTA, "analytic").epsilon


def _row(key: str, first: float, second: float, right: str, verdict: str) -> Claim:
    """One row of the note's table."""
    rule = f"{_printed_sum(first, second):.3f}"
    return Claim(
        key, "1, table", f"Noises for ε = {first:g} and {second:g} add up to one for ε = {rule}.", right,
        verdict, "ε of the sum of both classical noises, δ = 10⁻⁵", lambda: _printed_sum(first, second),
        lambda: _classical(first, second), EXACT, (
            ("stated, over the truth", lambda: _printed_sum(first, second) / _classical(first, second)),
            ("truth of analytic noises", lambda: _analytic(first, second)),
            ("stated, less that truth", lambda: summed_epsilon([first, second]) - _analytic(first, second)),
        ),
    )  # fmt: skip


_PROVED = "The arithmetic is right and the rule proved for the classical σ; the noise is worth more than that."
_BEYOND = (
    "The classical σ is proved for ε below 1 only, and an input lies outside. It holds there by the exact profile, so "
    "the row is true; the sum's own ε is below 1."
)


@lru_cache(maxsize=32)
def _bounds(epsilon: float, clients: int, p: float, calibration: str = "analytic") -> dict[str, float]:
    return dict(mixture_bounds(epsilon, DELTA, clients, p, calibration).set_index("bound").epsilon)


def _bound(bound: str, epsilon: float, clients: int, calibration: str = "analytic") -> float:
    return float(_bounds(epsilon, clients, 0.5, calibration)[bound])


def _printed_line(epsilon: float, clients: int, p: float) -> float:
    return math.log(p * math.exp(epsilon) + (1 - p) * math.exp(epsilon / math.sqrt(clients)))


def _printed_product(epsilon: float, clients: int, p: float) -> float:
    return epsilon + math.log(p) + epsilon / math.sqrt(clients) + math.log(1 - p)


def _vantage(name: str) -> float:
    frame = vantage_points(1.0, DELTA, 100, calibration="classical").set_index("vantage")
    return float(frame.epsilon[name])


def _with_label(clients: int, known: bool, calibration: str) -> float:
    return mixture(1.0, DELTA, clients, 0.5, known, calibration).epsilon


def _shared(epsilon: float, clients: int, colluding: int = 0) -> float:
    return secure_aggregation(epsilon, DELTA, clients, colluding).epsilon


PROOFS_CLAIMS = (
    _row("proofs_row_1", 0.5, 0.75, _PROVED, RIGHT),
    _row("proofs_row_2", 1.0, 0.5, _BEYOND, UNPROVED),
    _row("proofs_row_3", 2.0, 1.0, _BEYOND, UNPROVED),
    _row("proofs_row_4", 2.0, 0.5, _BEYOND, UNPROVED),
    Claim("proofs_pure", "Thm 1.1", "C(x) is √(ε₁²ε₂²/(ε₁²+ε₂²)) differentially private.",
        "The statement lost its δ: Gaussian noise is never pure. It also needs equal sensitivity, independent noises, "
        "and both of them secret.",
        WRONG, "ε of the sum at δ = 0", lambda: _printed_sum(0.5, 0.75), lambda: gaussian_epsilon(0.0, 1.0), EXACT),
    Claim("proofs_harmonic", "1, proof", "1/ε₃² = 1/ε₁² + 1/ε₂².",
        "Exact for μ, the parameter of Gaussian DP. For ε it follows the calibration: of noises of the smallest σ it "
        "states too much.",
        WRONG, "ε of the sum of both smallest noises, ε = 0.5 and 0.75", lambda: _printed_sum(0.5, 0.75),
        lambda: _analytic(0.5, 0.75), "Dong, Roth & Su (2022), Cor. 3.3"),
    Claim("proofs_margin", "1, margin note", "Perhaps the result cannot be used for ε above 1.",
        "The doubt is right: the classical proof ends at ε = 1. The noise itself meets its pair far beyond.",
        RIGHT, "largest ε of the classical σ at δ = 10⁻⁵",
        lambda: record_named(CALIBRATIONS, "classical").proved_below, lambda: largest_true_epsilon("classical", DELTA),
        EXACT),
    Claim("proofs_aggregation", "Thm 2.1", "The secure sum of n answers, each (ε, δ)-DP, is (ε/√n, δ)-DP.",
        "An upper bound here, if all n are honest; exact is less. At ε = 1 and above, the classical proof does not "
        "reach the single answers.",
        RIGHT, "ε for ε = 1, n = 100, smallest σ, δ = 10⁻⁵", lambda: 1 / math.sqrt(100), lambda: _shared(1.0, 100),
        EXACT, (
            ("stated for n = 10", lambda: 1 / math.sqrt(10)), ("exact for n = 10", lambda: _shared(1.0, 10)),
            ("stated for ε = 0.5, n = 1000", lambda: 0.5 / math.sqrt(1000)),
            ("exact for ε = 0.5, n = 1000", lambda: _shared(0.5, 1000)),
        )),
    Claim("proofs_honest", "Thm 2.1", "The same, whoever the n clients are.",
        "Whoever colludes knows its own noise: with t colluding clients only n - t noises hide anybody.",
        WRONG, "ε for ε = 1, n = 100, of which 50 collude", lambda: 1 / math.sqrt(100), lambda: _shared(1.0, 100, 50),
        EXACT),
    Claim("proofs_notation", "2", "S(x) adds noise from N(0, σ_s); “then C(x) is ε/√n private”.",
        "N(0, σ_s²), as everywhere else in the note; and S(x) is meant.",
        WRONG, "", None, None, "the note's own convention"),
    Claim("proofs_scale", "3", "B adds noise from N(0, σ₂²√n) for ε₂ = ε₁/√n.",
        "The sum of n noises has variance nσ₁². With √n as printed only about ε₁/n^¼ is left.",
        WRONG, "ε of B for ε = 1, n = 100, classical σ", lambda: 1 / math.sqrt(100), lambda: _vantage("note_scale"),
        EXACT, (("with nσ₁²", lambda: _vantage("server")),)),
    Claim("proofs_larger", "3.1", "Without any assumption the mixture is (ε₁, δ)-DP.",
        "Valid, and trivial: the larger of both. The displayed “=” before it should be “≤”.",
        RIGHT, "ε of the mixture, ε₁ = 1, n = 100, p = ½, label known", lambda: max(1.0, 1 / math.sqrt(100)),
        lambda: _with_label(100, True, "analytic"), EXACT),
    Claim("proofs_same_set", "3.2", "If A' = B', the mixture costs ln(p e^ε₁ + (1-p) e^ε₂).",
        "A' = B' for every set S would force equal noises. Where the label can be known the line is no guarantee; "
        "where it stays hidden, less is spent: A's tail hides in B's.",
        WRONG, "ε of the mixture, ε₁ = 1, n = 100, p = ½, label known", lambda: _printed_line(1.0, 100, 0.5),
        lambda: _with_label(100, True, "analytic"), EXACT, (
            ("label hidden", lambda: _with_label(100, False, "analytic")), ("ε of B alone", lambda: _shared(1.0, 100)),
            ("n = 4, known", lambda: _with_label(4, True, "analytic")),
            ("n = 4, hidden", lambda: _with_label(4, False, "analytic")),
            ("n = 4, known, classical σ", lambda: _with_label(4, True, "classical")),
            ("n = 4, hidden, classical σ", lambda: _with_label(4, False, "classical")),
        )),
    Claim("proofs_exponentials", "3.2", "e^x + e^y ≤ e^(x+y) for x, y ≥ 0.",
        "Only where (e^x - 1)(e^y - 1) ≥ 1 with x, y > 0, as when both are at least ln 2.",
        WRONG, "bound for e^x + e^y at x = y = 0.5", lambda: math.exp(0.5 + 0.5), lambda: np.exp([0.5, 0.5]).sum(),
        "by expanding (e^x - 1)(e^y - 1)",
        (("sum at x = y = 0", lambda: np.exp([0.0, 0.0]).sum()), ("bound at x = y = 0", lambda: math.exp(0)))),
    Claim("proofs_condition", "3.2", "The last bound is valid if ε₁ + ln p > 0 and ε₂ + ln(1-p) > 0.",
        "Not sufficient: one client (n = 1) at p = ½ meets the condition, and the bound is below the truth.",
        WRONG, "ε of the mixture, ε₁ = 1, n = 1, p = ½", lambda: _printed_product(1.0, 1, 0.5),
        lambda: _bound("known", 1.0, 1), EXACT),
    Claim("proofs_product", "3.2", "The mixture costs at most ε₁ + ε₂ + ln p + ln(1-p).",
        "Where its step does hold, the bound exceeds both the line before it and the trivial max(ε₁, ε₂): true, and of "
        "no use.",
        UNPROVED, "ε of the mixture, ε₁ = 3, n = 2, p = ½, label known", lambda: _printed_product(3.0, 2, 0.5),
        lambda: _bound("known", 3.0, 2), EXACT, (
            ("trivial", lambda: _bound("larger", 3.0, 2)), ("line before it", lambda: _bound("line", 3.0, 2)),
            ("label hidden", lambda: _bound("hidden", 3.0, 2)),
        )),
)  # fmt: skip
