"""Noise per query against the number of queries: Lecture 11's table, Steinke's two scales, and the better ways."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dpviz.composition import calibrate
from dpviz.composition.conversions import rho_from_guarantee, rho_from_guarantee_classical
from dpviz.decimals import rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace
from dpviz.mechanisms.laws.gaussian_profile import analytic_sigma, gaussian_mu
from dpviz.mechanisms.laws.renyi import laplace_rho
from dpviz.outward import raised
from dpviz.parameters import COUNT
from dpviz.search import farthest

if TYPE_CHECKING:
    import pandas



@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer k queries of sensitivity 1 within a budget.

    Parameters
    ----------
    key, label : str
    statement : str
        LaTeX: the noise of one query.
    source : str
    table : str
        Where it stands: ``lecture`` or ``steinke``.
    proved : bool
        Whether the noise keeps the promise; False for a printed order of magnitude.
    theorem : str
        The key of the theorem whose colour it takes.
    error : callable
        ``error(count, budget)``: expected absolute error of one answer.
    """

    key: str
    label: str
    statement: str
    source: str
    table: str
    proved: bool
    theorem: str
    error: Callable[[int, Guarantee], float]


def gaussian_advanced_sigma(count: int, budget: Guarantee) -> float:
    """Return σ by advanced composition of Gaussian releases: half of δ for the theorem, half for the releases.

    Parameters
    ----------
    count : int
        Queries, at least 1.
    budget : Guarantee
        ε in (0, inf), δ in (0, 1).

    Examples
    --------
    >>> sigma = gaussian_advanced_sigma(100, Guarantee(1, 1e-6))
    >>> sigma > calibrate(Gaussian, 100, Guarantee(1, 1e-6), "pld").sigma
    True
    """
    each = calibrate(Laplace, count, Guarantee(budget.epsilon, budget.delta / 2), "advanced_tight").stated.epsilon
    return analytic_sigma(each, budget.delta / 2 / count)


def steinke_scale(count: int, budget: Guarantee, rho: float) -> float:
    """Return √(k/2ρ), the Laplace scale of the post."""
    return raised(math.sqrt(count / (2 * rho)), 88)


def sufficient_rho(epsilon: float, delta: float) -> float:
    """Return ρ of the post's footnote 2, which is enough for (`epsilon`, `delta`).

    Examples
    --------
    >>> round(sufficient_rho(1, 1e-6), 12)
    0.016874207542
    """
    return epsilon**2 / (4 * math.log(1 / delta) + 4 * epsilon)


@lru_cache(maxsize=64)
def _tight_rho(budget: Guarantee) -> float:
    return rho_from_guarantee(budget.epsilon, budget.delta)


def _plain_scale(count: int, budget: Guarantee) -> float:
    """k/ε of the typed ε, rounded up."""
    return rounded_up(count / typed(budget.epsilon))


def _own_scale(rho: float) -> float:
    """The least Laplace scale that is ρ-zCDP, rounded up."""
    highest = max(2.0, 2 * math.sqrt(rho) + 2 * rho)  # ε + e^-ε - 1 >= min(ε²/4, ε/4)
    return raised(1 / farthest(lambda epsilon: laplace_rho(epsilon) <= rho, 0.0, highest), 88)


def _gaussian(sigma: float) -> float:
    return Gaussian(sigma).noise.mean_distance


def printed_order(count: int, budget: Guarantee) -> float:
    """Return the lecture's order of magnitude for Gaussian noise and advanced composition."""
    return math.sqrt(count) / budget.epsilon * math.sqrt(math.log(count / budget.delta))


WAYS = (
    Way(
        "laplace_basic", "Laplace, basic", r"b = k/\varepsilon", "Lecture 11; Dwork & Roth (2014), Thm 3.16",
        "lecture", True, "basic", lambda count, budget: _plain_scale(count, budget),
    ),
    Way(
        "gaussian_basic", "Gaussian, basic", r"\sigma(\varepsilon/k,\ \delta/k)", "Lecture 11; Balle & Wang (2018)",
        "lecture", True, "basic",
        lambda count, budget: _gaussian(analytic_sigma(budget.epsilon / count, budget.delta / count)),
    ),
    Way(
        "gaussian_advanced", "Gaussian, advanced",
        r"\sigma(\varepsilon_0,\ \delta/2k),\quad \varepsilon_0\approx\varepsilon/\sqrt{2k\ln(1/\delta)}",
        "Lecture 11, with its factor √ln(1/δ)", "lecture", True, "advanced_tight",
        lambda count, budget: _gaussian(gaussian_advanced_sigma(count, budget)),
    ),
    Way(
        "gaussian_printed", "Gaussian, advanced, as printed", r"\frac{\sqrt k}{\varepsilon}\sqrt{\ln(k/\delta)}",
        "Lecture 11, without the factor √ln(1/δ)", "lecture", False, "", printed_order,
    ),
    Way(
        "laplace_advanced", "Laplace, advanced",
        r"b = 1/\varepsilon_0,\quad \varepsilon_0\approx\varepsilon/\sqrt{2k\ln(1/\delta)}",
        "Lecture 11; Kairouz, Oh & Viswanath (2015), Thm 3.4", "lecture", True, "advanced_tight",
        lambda count, budget: calibrate(Laplace, count, budget, "advanced_tight").scale,
    ),
    Way(
        "gaussian_zcdp", "Gaussian, zCDP", r"\sigma = \sqrt{k/2\rho}", "Canonne, Kamath & Steinke (2020), Cor. 13",
        "lecture", True, "zcdp",
        lambda count, budget: _gaussian(raised(math.sqrt(count / (2 * _tight_rho(budget))), 88)),
    ),
    Way(
        "gaussian_exact", "Gaussian, exact", r"\sigma = \sqrt k\,/\,\mu(\varepsilon,\delta)",
        "Dong, Roth & Su (2022), Cor. 3.3; Balle & Wang (2018), Thm 8", "lecture", True, "pld",
        lambda count, budget: _gaussian(raised(math.sqrt(count) / gaussian_mu(budget.epsilon, budget.delta), 88)),
    ),
    Way(
        "steinke_basic", "Laplace(k/ε)", r"b = k/\varepsilon", "Steinke, Composition", "steinke", True, "basic",
        lambda count, budget: _plain_scale(count, budget),
    ),
    Way(
        "steinke_sufficient", "Laplace(√(k/2ρ)), his ρ",
        r"\rho = \frac{\varepsilon^2}{4\ln(1/\delta)+4\varepsilon}", "Steinke, Composition, footnote 2", "steinke",
        True, "advanced_zcdp",
        lambda count, budget: steinke_scale(count, budget, sufficient_rho(budget.epsilon, budget.delta)),
    ),
    Way(
        "steinke_exact", "Laplace(√(k/2ρ)), exact ρ",
        r"\rho = \Bigl(\frac{\varepsilon}{\sqrt{\ln(1/\delta)+\varepsilon}+\sqrt{\ln(1/\delta)}}\Bigr)^2",
        "inverse of Bun & Steinke (2016), Prop. 1.3", "steinke", True, "advanced_zcdp",
        lambda count, budget: steinke_scale(count, budget, rho_from_guarantee_classical(budget.epsilon, budget.delta)),
    ),
    Way(
        "steinke_tight", "Laplace, its own ρ, tight",
        r"k\,(1/b + e^{-1/b} - 1) \le \max\{\rho : \rho\text{-zCDP proves } (\varepsilon,\delta)\}",
        "Canonne, Kamath & Steinke (2020), Cor. 13", "steinke", True, "zcdp",
        lambda count, budget: _own_scale(_tight_rho(budget) / count),
    ),
)  # fmt: skip


def noise_per_query(counts: Iterable[int], budget: Guarantee, table: str) -> pandas.DataFrame:
    """Return the noise of one answer against the number of queries, for every way of a table.

    Parameters
    ----------
    counts : iterable of int
        Numbers of queries, each at least 1.
    budget : Guarantee
        For all queries together: ε in (0, inf), δ in (0, 1).
    table : str
        ``lecture`` or ``steinke``.

    Returns
    -------
    pandas.DataFrame
        One row per way and count: way, label, theorem, count, error (expected absolute error of one answer, in units
        of the sensitivity, rounded up where proved), proved.

    Notes
    -----
    Queries of sensitivity 1, their number fixed in advance; any neighbour relation.

    Examples
    --------
    >>> frame = noise_per_query([100], Guarantee(1, 1e-6), "lecture").set_index("way")
    >>> round(float(frame.error["laplace_basic"]), 6), round(float(frame.error["gaussian_exact"]), 3)
    (100.0, 33.708)
    """
    import pandas

    counts = [COUNT.check(count) for count in counts]
    if not 0 < budget.epsilon < math.inf or not 0 < budget.delta < 1 or min(counts, default=1) < 1:
        raise ValueError(f"counts must be at least 1, epsilon in (0, inf) and delta in (0, 1); got {budget}")
    ways = [way for way in WAYS if way.table == table]
    if not ways:
        raise ValueError(f"table must be lecture or steinke; got {table!r}")
    rows = [
        (way.key, way.label, way.theorem, count, float(way.error(count, budget)), way.proved)
        for way in ways
        for count in counts
    ]
    return pandas.DataFrame(rows, columns=["way", "label", "theorem", "count", "error", "proved"])
