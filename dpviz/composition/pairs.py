"""The theorems that see each release as a pair (ε_i, δ_i): basic, three forms of advanced, Kairouz-Oh-Viswanath.

What a bound takes and returns is said once, at `Theorem.bound`.

Stated δ_i are spent first. A use without a stated pair is read as its tight ε at the δ it is allotted: all that is left
where ε_i are only summed, half of it where slack δ' is used (`stated_pairs`). Every ε is rounded up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpviz.composition.stated_pairs import StatedPairs
from dpviz.composition.theorem import Theorem
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.gaussian_profile import composed_mu
from dpviz.outward import raised


def basic(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
    """Return Σ ε_i where Σ δ_i <= `delta`, and inf elsewhere.

    Notes
    -----
    Any symmetric neighbour relation that all releases share. Exact decimals for stated ε.

    References
    ----------
    Dwork & Roth (2014), Thm 3.16.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> float(basic((Laplace.from_epsilon(0.11), Laplace.from_epsilon(0.22)), np.array([[12, 6]]), 0.0)[0])
    2.64
    """
    pairs = StatedPairs(mechanisms, counts, delta)
    each, _ = pairs.shares(slack=False, compound=False)
    return np.where(pairs.overspent, np.inf, pairs.sum_of_epsilons(each))


def _moments(counts: np.ndarray, epsilons: np.ndarray, factor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ ε_i factor_i and sqrt(Σ ε_i²), over uses; inf rather than NaN where an ε is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        first = np.where((counts > 0) & (epsilons > 0), counts * epsilons * factor, 0.0).sum(axis=1)
    return first, composed_mu(counts, epsilons)


def _deviation(mean: np.ndarray, root: np.ndarray, log_term: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(root > 0, raised(mean + root * np.sqrt(2 * log_term), 88), 0.0)


Total = Callable[[tuple[Mechanism, ...], np.ndarray, float], np.ndarray]


def _with_slack(drift: Callable[[np.ndarray], np.ndarray]) -> Total:
    """Build the bound Σ ε_i drift(ε_i) + sqrt(2 ln(1/δ') Σ ε_i²) from its drift."""

    def bound(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
        pairs = StatedPairs(mechanisms, counts, delta)
        each, slack = pairs.shares(slack=True, compound=False)
        epsilons = pairs.readings(each)
        with np.errstate(over="ignore", divide="ignore"):
            mean, root = _moments(counts, epsilons, drift(epsilons))
            total = _deviation(mean, root, -np.log(slack))
        return np.where(pairs.overspent, np.inf, total)

    return bound


advanced: Total = _with_slack(np.expm1)
advanced_tight: Total = _with_slack(lambda epsilon: np.tanh(epsilon / 2))
advanced_zcdp: Total = _with_slack(lambda epsilon: epsilon / 2)


def kov(mechanisms: tuple[Mechanism, ...], counts: np.ndarray, delta: float) -> np.ndarray:
    """Return the smallest of Σ ε_i and two deviation bounds, where 1 - Π(1-δ_i) <= `delta`, and inf elsewhere.

    References
    ----------
    Kairouz, Oh & Viswanath (2015), The composition theorem for differential privacy, Thm 3.5.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> round(float(kov((RandomizedResponse(0.001),), np.array([[500]]), 1e-6)[0]), 12)
    0.100325875624
    """
    pairs = StatedPairs(mechanisms, counts, delta)
    each, _ = pairs.shares(slack=False, compound=True)
    shared, slack = pairs.shares(slack=True, compound=True)
    epsilons = pairs.readings(shared)
    mean, root = _moments(counts, epsilons, np.tanh(epsilons / 2))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        second = _deviation(mean, root, np.log(np.e + root / slack))
        third = _deviation(mean, root, -np.log(slack))
    smallest = np.minimum(pairs.sum_of_epsilons(each), np.fmin(second, third))
    return np.where(pairs.log_kept > 0, np.inf, smallest)


def _needs_pairs(mechanisms: tuple[Mechanism, ...], delta: float) -> str:
    unstated = [mechanism for mechanism in mechanisms if mechanism.stated is None]
    if unstated and delta == 0:
        noise = " noise" if unstated[0].base.norm else ""
        return f"{unstated[0].label}{noise} has no finite ε at δ = 0"
    return ""


def _needs_slack(mechanisms: tuple[Mechanism, ...], delta: float) -> str:
    if delta == 0 and mechanisms:
        return "it needs δ above 0: part of δ pays for the rare large loss"
    return _needs_pairs(mechanisms, delta)


PAIR_THEOREMS = (
    Theorem(
        "basic",
        "Basic",
        r"\varepsilon = \sum_i \varepsilon_i,\qquad \delta = \sum_i \delta_i",
        "each release has a pair (ε, δ), under one neighbour relation; holds for releases chosen along the way too",
        "Dwork & Roth (2014), Thm 3.16; chosen along the way: Rogers, Roth, Ullman & Vadhan (2016), Thm 3.6",
        True,
        _needs_pairs,
        basic,
    ),
    Theorem(
        "advanced",
        "Advanced",
        r"\varepsilon = \sum_i \varepsilon_i(e^{\varepsilon_i}-1) + \sqrt{2\ln(1/\delta')\,\sum_i\varepsilon_i^2},"
        r"\qquad \delta = \delta' + \sum_i\delta_i",
        "parameters fixed in advance; δ' > 0",
        "Dwork & Roth (2014), Thm 3.20 (Dwork, Rothblum & Vadhan 2010)",
        False,
        _needs_slack,
        advanced,
    ),
    Theorem(
        "advanced_tight",
        "Advanced, tight mean",
        r"\varepsilon = \sum_i \varepsilon_i\tanh(\varepsilon_i/2) + \sqrt{2\ln(1/\delta')\,\sum_i\varepsilon_i^2},"
        r"\qquad \delta = \delta' + \sum_i\delta_i",
        "parameters fixed in advance; δ' > 0",
        "Kairouz, Oh & Viswanath (2015), Thm 3.4, third term; Lecture 11",
        False,
        _needs_slack,
        advanced_tight,
    ),
    Theorem(
        "advanced_zcdp",
        "Advanced, ½ε²",
        r"\varepsilon = \tfrac12\sum_i \varepsilon_i^2 + \sqrt{2\ln(1/\delta')\,\sum_i\varepsilon_i^2},"
        r"\qquad \delta = \delta' + \sum_i\delta_i",
        "parameters fixed in advance; δ' > 0",
        "Bun & Steinke (2016), Prop. 1.3 and 1.4; Steinke, Composition",
        False,
        _needs_slack,
        advanced_zcdp,
    ),
    Theorem(
        "kov",
        "Kairouz-Oh-Viswanath",
        r"\begin{aligned}\varepsilon &= \min\Bigl\{\sum_i\varepsilon_i,\;"
        r" T+\sqrt{2S\ln\bigl(e+\tfrac{\sqrt S}{\delta'}\bigr)},\;"
        r" T+\sqrt{2S\ln(1/\delta')}\Bigr\},\\ S&=\sum_i\varepsilon_i^2,\; T=\sum_i\varepsilon_i"
        r"\tanh(\varepsilon_i/2),\quad \delta = 1-(1-\delta')\prod_i(1-\delta_i)\end{aligned}",
        "parameters fixed in advance",
        "Kairouz, Oh & Viswanath (2015), Thm 3.5",
        False,
        _needs_pairs,
        kov,
    ),
)
