"""What sources state about the privacy loss of a mechanism, and whether the drawn distribution agrees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpviz.losses.distribution import LossDistribution
from dpviz.mechanisms import Mechanism
from dpviz.records import Record, record_named

if TYPE_CHECKING:
    import pandas

LECTURE = 'Lecture notes "Advanced Composition" (Lecture 11)'


@dataclass(frozen=True, slots=True)
class StatedLaw(Record):
    """A stated law of the privacy loss of one release.

    Parameters
    ----------
    mean, variance : str
        Formulas of k releases; of the finite losses where some are infinite.
    """

    mean: str = "k ε tanh(ε/2)"
    variance: str = "k ε² / cosh²(ε/2)"


_RESPONSE = (
    r"I=\begin{cases}+\varepsilon&\text{w.p. }\frac{e^\varepsilon}{1+e^\varepsilon}\\-\varepsilon&\text{else}"
    r"\end{cases}\qquad \mathbb E[I]=\varepsilon\tanh\tfrac{\varepsilon}{2}\approx\tfrac{\varepsilon^2}{2}"
)
_LAPLACE = (
    r"\begin{aligned}I&=\varepsilon\ \text{w.p. }\tfrac12,\ \ -\varepsilon\ \text{w.p. }\tfrac12 e^{-\varepsilon}\\"
    r"&\phantom{=}\ \text{between: density }\tfrac14 e^{(t-\varepsilon)/2}\\"
    r"\mathbb E[I]&=\varepsilon+e^{-\varepsilon}-1\end{aligned}"
)
_LAPLACE_MOMENTS = "k (ε + e⁻ᵋ − 1)", "k Var(I)"
LAWS = (  # of one release, each with the key of its mechanism
    StatedLaw(
        "gaussian",
        "Gaussian noise loses normally",
        r"I\sim\mathcal N\!\left(\tfrac{\mu^2}{2},\,\mu^2\right),\quad \mu=\Delta/\sigma",
        "answers differ by the sensitivity Δ",
        f"{LECTURE}, example 1 (there Δ = 1: N(1/(2σ²), 1/σ²))",
        "k μ²/2",
        "k μ²",
    ),
    StatedLaw(
        "randomized_response",
        "Randomized response loses ±ε",
        _RESPONSE,
        "one bit differs",
        f"{LECTURE}, example 2",
    ),
    StatedLaw(
        "name_and_shame",
        "Name and shame loses nothing, or everything",
        r"I=\begin{cases}0&\text{w.p. }1-\delta\\ \infty&\text{w.p. }\delta\end{cases}\qquad \mathbb E[I]=\infty",
        "the records differ",
        f"{LECTURE}, example 3",
    ),
    StatedLaw(
        "laplace",
        "Half of all results of Laplace noise lose the most",
        _LAPLACE,
        "answers differ by the sensitivity",
        "Derived from the density; Steinke, Composition, for the largest loss of k releases",
        *_LAPLACE_MOMENTS,
    ),
    StatedLaw(
        "approximate_dp",
        "Leaky randomized response: ±ε, or everything",
        r"I=\begin{cases}\infty&\text{w.p. }\delta\\ \pm\varepsilon&\text{as in randomized response, else}\end{cases}",
        "only (ε, δ) is known; this is the worst that meets it",
        f"{LECTURE}, leaky randomized response; Kairouz, Oh & Viswanath (2015), Thm 3.3",
    ),
    StatedLaw(
        "discrete_laplace",
        "Discrete Laplace noise loses Δ + 1 different amounts",
        r"\begin{aligned}I&=\tfrac{|Y+\Delta|-|Y|}{b},\quad \Pr[Y=y]=\tfrac{1-a}{1+a}\,a^{|y|},\ a=e^{-1/b}\\"
        r"\Pr[I=\tfrac{\Delta}{b}]&=\tfrac1{1+a},\qquad "
        r"\mathbb E[I]=\tfrac1b\left(\Delta-\tfrac{2a(1-a^\Delta)}{1-a^2}\right)\end{aligned}",
        "answers are whole numbers and differ by the sensitivity Δ",
        "Derived from the masses; the noise is that of Ghosh, Roughgarden & Sundararajan (2012)",
        "k (Δ − 2a(1 − exp(−Δ/b))/(1 − a²)) / b",
        "k Var(I)",
    ),
    StatedLaw(
        "discrete_gaussian",
        "Discrete Gaussian noise loses like Gaussian noise, in steps of Δ/σ²",
        r"I=\tfrac{\Delta(2Y+\Delta)}{2\sigma^2},\quad \Pr[Y=y]\propto e^{-y^2/2\sigma^2},"
        r"\qquad \mathbb E[I]=\tfrac{\Delta^2}{2\sigma^2}",
        "answers are whole numbers and differ by the sensitivity Δ",
        "Derived from the masses; the noise is that of Canonne, Kamath & Steinke (2020)",
        "k Δ²/(2σ²)",
        "k Δ² Var(Y)/σ⁴",
    ),
    StatedLaw(
        "exponential_mechanism",
        "The exponential mechanism loses between −ε and ε, never surely its most",
        r"I\ \text{has the density}\ \frac{e^{(t-\varepsilon)/2}}{2(1-e^{-\varepsilon})}\ \text{on}\ "
        r"[-\varepsilon,\varepsilon],\qquad \mathbb E[I]=\varepsilon-2+\tfrac{2\varepsilon}{e^\varepsilon-1}",
        "no more than its range is known: this is the pair that dominates those of all scores",
        "Dong, Durfee & Rogers (2020), of bounded range; Zhu, Dong & Wang (2022), of pairs that dominate",
        "k (ε − 2 + 2ε/(eᵋ − 1))",
        "k Var(I)",
    ),
    StatedLaw(
        "kary_randomized_response",
        "Randomized response among k values mostly loses nothing where values are many",
        r"I=\begin{cases}+\varepsilon&\text{w.p. }p=\frac{e^\varepsilon}{e^\varepsilon+k-1}\\-\varepsilon&\text{w.p. }"
        r"q=\frac{1}{e^\varepsilon+k-1}\\0&\text{else}\end{cases}\qquad \mathbb E[I]=\varepsilon\,(p-q)",
        "one value differs",
        "Kairouz, Oh & Viswanath (2014), Extremal mechanisms for local differential privacy",
        "n ε (p − q), of n releases",
        "n Var(I)",
    ),
    StatedLaw(
        "permute_and_flip",
        "Permute and flip loses at most what Laplace noise does",
        _LAPLACE,
        "the worst over all scores: Laplace noise of the same ε dominates it",
        "McKenna & Sheldon (2020); Ding et al. (2021), of exponential noise; Dong, Roth & Su (2022), Thm 2.10",
        *_LAPLACE_MOMENTS,
    ),
    StatedLaw(
        "report_noisy_max",
        "Report noisy max loses at most what Laplace noise does",
        _LAPLACE,
        "the worst over all scores: Laplace noise of the same ε dominates it",
        "Dwork & Roth (2014), Claim 3.9; Dong, Roth & Su (2022), Thm 2.10",
        *_LAPLACE_MOMENTS,
    ),
)


def law_of(mechanism: Mechanism) -> Record:
    """Return the stated law of a mechanism's loss.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> law_of(Gaussian(1.0)).label
    'Gaussian noise loses normally'
    """
    return record_named(LAWS, mechanism.key)


def checked(distribution: LossDistribution) -> pandas.DataFrame:
    """Compare what is stated with what is drawn.

    Returns
    -------
    pandas.DataFrame
        One row per quantity with columns quantity, formula, stated (closed form), drawn (summed over the drawn
        distribution), and agrees. Rows that are claims of a source rather than laws have formula "claim".
    """
    import pandas

    rows = [
        _row("all probability", "1", 1.0, distribution.total),
        *_moments(distribution),
        *_particular(distribution),
    ]
    return pandas.DataFrame(rows)


def _row(quantity: str, formula: str, stated: float, drawn: float, tolerance: float = 1e-6) -> dict[str, object]:
    same = stated == drawn or abs(drawn - stated) <= tolerance * max(abs(stated), 1e-300) + 1e-15
    return {"quantity": quantity, "formula": formula, "stated": stated, "drawn": drawn, "agrees": same}


def _moments(distribution: LossDistribution) -> list[dict[str, object]]:
    finite = 1 - distribution.infinite
    if finite <= 0:
        return []
    mean = distribution.drawn_moment(0.0, 1) / finite
    variance = distribution.drawn_moment(mean, 2) / finite
    law = law_of(distribution.mechanism)
    finitely = " of finite losses" if distribution.infinite else ""
    return [
        _row(f"mean{finitely}", law.mean, distribution.finite_mean, mean),
        # Splitting the density over a lattice widens it a little: display only.
        _row(f"variance{finitely}", law.variance, distribution.variance, variance, 1e-3),
    ]


def _particular(distribution: LossDistribution) -> list[dict[str, object]]:
    mechanism, count = distribution.mechanism, distribution.count
    if mechanism.key == "laplace":
        return [_row("probability of the largest loss", "2⁻ᵏ", 0.5**count, distribution.largest[1])]
    if mechanism.key == "discrete_laplace":
        chance = (1 + math.exp(-1 / mechanism.scale)) ** -count
        return [_row("probability of the largest loss", "(1 + a)⁻ᵏ", chance, distribution.largest[1])]
    rows = []
    leak = mechanism.loss.leak
    if leak:
        kept = -math.expm1(count * math.log1p(-leak)) if leak < 1 else 1.0
        rows.append(_row("probability of an infinite loss", "1 − (1 − δ)ᵏ", kept, distribution.infinite))
        rows.append(_row("mean, infinite losses included", "∞", math.inf, distribution.mean))
    if mechanism.key == "randomized_response":
        limit = mechanism.stated.epsilon
        mean = distribution.drawn_moment(0.0, 1) / count
        claims = (
            ("mean per release: about ε²/2", limit**2 / 2),
            ("mean per release: the lecture's margin, ε/2", limit / 2),
        )
        rows.extend({**_row(name, "claim", value, mean, 0.05)} for name, value in claims)
    return rows
