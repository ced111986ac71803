"""The rules of privacy filters: what each request adds to their sums, and the ε that the sums prove.

A rule is monotone: its sums only grow, and a larger sum never proves a smaller ε. That is why "or basic" is sound. Take
releases without δ_i. On every course of events that ends with Σε_i within the budget, the loss is within it surely; on
the others basic has failed for good, so the rule itself has held from the first request to the last, and those alone
make up at most the rule's δ'. With δ_i > 0 each release is, but with probability δ_i, one without (Kairouz, Oh &
Viswanath 2015): both branches then share one allowance for Σδ_i, beside δ'.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import Literal

import numpy as np

from dpviz.composition.conversions import best_order, epsilon_from_rdp, rho_from_guarantee
from dpviz.decimals import rounded_down, typed
from dpviz.guarantee import Guarantee
from dpviz.outward import lowered, raised, roundings
from dpviz.records import Record, record_named

_CONSTANT = 28.04  # of H, as Rogers, Roth, Ullman and Vadhan print it
_ORDERS = 512  # solved exactly; between them the order is interpolated, and every order proves its ε


@dataclass(frozen=True, slots=True, repr=False)
class FilterRule(Record):
    """A rule by which a filter admits or refuses.

    Parameters
    ----------
    reads_pairs : bool
        Whether it sees a request as its stated pair (ε_i, δ_i); else by its ρ.
    kept : Decimal or None
        The share of the budget's δ that it keeps for Σδ_i; None where that is chosen as ``release_delta``.
    reason : callable
        ``reason(epsilon, slack) -> str``: why it admits nothing under this budget; "" if it may.
    charge : callable
        ``charge(epsilon, rho, up) -> tuple``: what a request adds to each of its sums, enlarged by the factor `up`.
    bound : callable
        ``bound(sums, epsilon, slack) -> ε``: what the sums prove, for numbers or arrays.
    limit : callable or None
        ``limit(epsilon, slack)``: the largest admitted sum, rounded down, where there is only one sum.
    """

    reads_pairs: bool
    kept: Decimal | None
    reason: Callable[[float, float], str]
    charge: Callable[..., tuple]
    bound: Callable[..., np.ndarray]
    limit: Callable[[float, float], float] | None

    @property
    def splits(self) -> bool:
        """Whether ``release_delta`` is chosen by whoever makes the filter."""
        return self.kept is None


def variance_floor(epsilon: float, delta: float) -> float:
    """Return H of Rogers' theorem; any positive constant that is fixed before the first request would do.

    Examples
    --------
    >>> variance_floor(0.2, 2e-30)  # doctest: +ELLIPSIS
    2.08605092173910...e-05
    """
    return epsilon * epsilon / (_CONSTANT * -math.log(delta))


def rogers_epsilon(
    square: float | np.ndarray, drift: float | np.ndarray, delta: float, floor: float
) -> float | np.ndarray:
    """Return K of Rogers' theorem, to a few units in the last place.

    Parameters
    ----------
    square, drift : float or ndarray
        Σε_i² and Σε_i(e^ε_i - 1)/2.
    delta : float
        The budget's δ, in (0, 1/e).
    floor : float
        H, positive, fixed in advance.

    References
    ----------
    Rogers, Roth, Ullman & Vadhan (2016), Thm 5.1.

    Examples
    --------
    >>> round(float(rogers_epsilon(0.0, 0.0, 1e-6, variance_floor(1.0, 1e-6))), 12)
    0.273688242983
    """
    log_delta = math.log(2) - math.log(delta)
    if isinstance(square, float):
        return drift + math.sqrt((square + floor) * (2 + math.log1p(square / floor)) * log_delta)
    return drift + np.sqrt((square + floor) * (2 + np.log1p(square / floor)) * log_delta)


def fully_adaptive_epsilon(square: float | np.ndarray, slack: float) -> float | np.ndarray:
    """Return sqrt(2 ln(1/δ') S) + S/2 for S = Σε_i², to a few units in the last place.

    References
    ----------
    Whitehouse, Ramdas, Rogers & Wu (2023), Thm 2.

    Examples
    --------
    >>> round(float(fully_adaptive_epsilon(72 * 0.002**2, 2e-30)), 12)
    0.19861167402
    """
    return np.sqrt(2 * _log_inverse(slack) * square) + square / 2


def _log_inverse(slack: float) -> float:
    """ln(1/δ'), not below that of the decimal which `slack` stands for, however close to 1."""
    return 2e-16 - math.log(slack)


def fully_adaptive_limit(epsilon: float, slack: float) -> float:
    """Return the largest Σε_i² with sqrt(2 ln(1/δ') Σε_i²) + Σε_i²/2 <= ε, rounded down.

    Examples
    --------
    >>> round(fully_adaptive_limit(0.2, 2e-30), 12)
    0.000292037442
    """
    if math.isinf(epsilon):
        return math.inf
    twice = 2 * _log_inverse(slack)
    root = 2 * epsilon / (math.sqrt(twice + 2 * epsilon) + math.sqrt(twice)) if epsilon else 0.0
    return lowered(root**2, 34)


def concentrated_epsilon(rho: float | np.ndarray, slack: float) -> np.ndarray:
    """Return the ε that each ρ proves at δ', an upper bound.

    Notes
    -----
    For more than 512 values the best order is solved at 512 of them and interpolated: still a bound, within 1e-6.

    Examples
    --------
    >>> round(float(concentrated_epsilon(0.5, 1e-5)), 9)
    4.728386985
    """
    rho = np.asarray(rho, dtype=float)
    epsilon = np.where(rho > 0, np.inf, 0.0)
    solvable = (rho > 0) & (rho < 1e300)
    if slack <= 0 or not solvable.any():
        return epsilon
    if slack >= 1:
        return np.where(solvable, 0.0, epsilon)
    values = rho[solvable]
    nodes = values
    if values.size > _ORDERS:
        nodes = np.geomspace(values.min(), values.max(), _ORDERS)
    solved, order = best_order(lambda alpha: alpha * nodes[:, None], np.full(nodes.shape, slack))
    if nodes is not values:
        alpha = 1 + np.exp(np.interp(np.log(values), np.log(nodes), np.log(order - 1)))
        solved = raised(epsilon_from_rdp(alpha, alpha * values, slack), roundings(2e-13))
    epsilon[solvable] = solved
    return epsilon


def _always(epsilon: float, slack: float) -> str:
    return ""


def _rogers_reason(epsilon: float, slack: float) -> str:
    if not 0 < slack < math.exp(-1):
        return "its theorem needs a budget with δ in (0, 1/e)"
    return "" if epsilon * epsilon > 1e-290 else "its theorem needs a budget with ε above 0"


def _slack_reason(epsilon: float, slack: float) -> str:
    return "" if slack > 0 else "it proves no pure ε: it needs δ beyond what is kept for Σδ_i"


def _rogers_charge(epsilon: float | np.ndarray, rho: float | np.ndarray, up: float) -> tuple:
    with np.errstate(over="ignore", invalid="ignore"):
        return epsilon * epsilon * up, epsilon * np.expm1(epsilon * up) / 2 * up


def _rogers_bound(sums: tuple, epsilon: float, slack: float) -> float | np.ndarray:
    if math.isinf(epsilon):  # met by everything; no K is needed
        return math.inf
    return rogers_epsilon(*sums, slack, variance_floor(epsilon, slack))


def _square_charge(epsilon: float | np.ndarray, rho: float | np.ndarray, up: float) -> tuple:
    return (epsilon * epsilon * up,)


@lru_cache(maxsize=1024)
def _rho_limit(epsilon: float, slack: float) -> float:
    return rho_from_guarantee(epsilon, slack) if slack < 1 else math.inf


RuleKey = Literal["basic", "rogers", "fully_adaptive", "zcdp"]
FILTERS = (
    FilterRule(
        "basic",
        "Basic",
        r"\sum_i \varepsilon_i \le \varepsilon_g \;\text{ and }\; \sum_i \delta_i \le \delta_g",
        "a stated pair for every request, which may be chosen from all earlier answers; one neighbour relation",
        "Rogers, Roth, Ullman & Vadhan (2016), Thm 3.6",
        True,
        Decimal(1),
        _always,
        lambda epsilon, rho, up: (epsilon,),
        lambda sums, epsilon, slack: sums[0],
        lambda epsilon, slack: epsilon,
    ),
    FilterRule(
        "rogers",
        "Rogers et al.",
        r"\sum_i \varepsilon_i\frac{e^{\varepsilon_i}-1}{2} + \sqrt{(S+H)\Bigl(2+\ln\bigl(\tfrac SH+1\bigr)\Bigr)"
        r"\ln\tfrac{2}{\delta_g}} \le \varepsilon_g \;\text{ and }\; \sum_i \delta_i \le \tfrac{\delta_g}{2},"
        r"\qquad S=\sum_i\varepsilon_i^2,\; H=\frac{\varepsilon_g^2}{28.04\ln(1/\delta_g)}",
        "ε_g > 0 and δ_g in (0, 1/e), half of which is kept for Σδ_i; a stated pair for every request, which may be "
        "chosen from all earlier answers; one neighbour relation",
        "Rogers, Roth, Ullman & Vadhan (2016), Thm 5.1",
        True,
        Decimal("0.5"),
        _rogers_reason,
        _rogers_charge,
        _rogers_bound,
        None,
    ),
    FilterRule(
        "fully_adaptive",
        "Fully adaptive",
        r"\sqrt{2\ln(1/\delta')\,S} + \tfrac12 S \le \varepsilon_g \;\text{ and }\; \sum_i \delta_i \le \delta'',"
        r"\qquad S=\sum_i\varepsilon_i^2,\; \delta'+\delta''=\delta_g",
        "δ' > 0; δ'' fixed before the first request; a stated pair for every request, which may be chosen from all "
        "earlier answers; one neighbour relation",
        "Whitehouse, Ramdas, Rogers & Wu (2023), Thm 2",
        True,
        None,
        _slack_reason,
        _square_charge,
        lambda sums, epsilon, slack: fully_adaptive_epsilon(sums[0], slack),
        fully_adaptive_limit,
    ),
    FilterRule(
        "zcdp",
        "Zero-concentrated DP",
        r"\sum_i \rho_i \le \rho_g \;\text{ and }\; \sum_i \delta_i \le \delta'',\qquad"
        r" \rho_g = \max\{\rho : \rho\text{-zCDP proves } (\varepsilon_g,\delta')\},\; \delta'+\delta''=\delta_g",
        "δ' > 0; δ'' fixed before the first request; a ρ for every request (a pair has ε tanh(ε/2)), which may be "
        "chosen from all earlier answers; one neighbour relation",
        "Whitehouse, Ramdas, Rogers & Wu (2023), approximate-zCDP filter; Canonne, Kamath & Steinke (2020), Cor. 13",
        False,
        None,
        _slack_reason,
        lambda epsilon, rho, up: (rho,),
        lambda sums, epsilon, slack: concentrated_epsilon(sums[0], slack),
        _rho_limit,
    ),
)

rule_named: Callable[[str], FilterRule] = partial(record_named, FILTERS)


def slack_of(budget: Guarantee, release_delta: float) -> float:
    """Return δ' = δ - release_delta, rounded down; 0 where nothing is left.

    Examples
    --------
    >>> slack_of(Guarantee(1, 3e-6), 1e-6)
    2e-06
    """
    return max(0.0, rounded_down(typed(budget.delta) - typed(release_delta)))
