"""The total of a plan in more than one number: its two proved ends, ρ, Rényi divergences, μ and regret."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpviz.composition.compose import NO_DELTA, kinds
from dpviz.effort import PLOTTED, quoted
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.uses import taken_apart
from dpviz.outward import raised
from dpviz.plan import Plan
from dpviz.planning.attained import certain, lost_by_models
from dpviz.privacy_loss import PrivacyLoss, gaussian_fit

ORDERS = (2, 4, 8, 16, 32, 64)  # of the Rényi divergences that are told
CHOSEN = "releases are chosen along the way, where nothing holds that is proved for a plan fixed in advance"


def bracket(plan: Plan, total: float | None) -> dict[str, object]:
    """Return the two proved ends of the smallest ε that is true at the plan's δ.

    Parameters
    ----------
    plan : Plan
    total : float or None
        The total that is quoted; None where there is none.

    Returns
    -------
    dict
        lower (no ε below it is true; rounded down), upper (the total), reason: why there is no lower end, else "".

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> told = bracket(Plan([Release("a", Laplace.from_epsilon(0.5), 3)]), 1.5)
    >>> bool(told["lower"] <= 1.5), told["upper"], told["reason"]
    (True, 1.5, '')
    """
    if total is None or plan.adaptive or plan.budget.delta >= 1:
        reason = CHOSEN if plan.adaptive else NO_DELTA if plan.budget.delta >= 1 else "no theorem gives a total"
        return {"lower": None, "upper": total, "reason": reason}
    mechanisms, counts = certain(plan).workload()
    lower = lost_by_models(plan, plan.budget.delta)
    if mechanisms:
        loss = PrivacyLoss(mechanisms, counts, quoted(kinds(mechanisms)))
        lower = max(lower, float(loss.epsilon_bracket(plan.budget.delta).lower))
    return {"lower": min(lower, total), "upper": total, "reason": ""}


def parameters(plan: Plan) -> dict[str, object]:
    """Return the whole plan in other measures, each for the worst part of the data and rounded up.

    Returns
    -------
    dict
        rho (of zero-concentrated DP), renyi (the divergence at each of `ORDERS`, by the order), mu, regret and rarest
        (`dpviz.privacy_loss.gaussian_fit`); None where nothing finite is proved. reason: why all of them are None.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> told = parameters(Plan([Release("a", Gaussian(2, 1), 4)]))
    >>> print(f"{told['rho']:.3f} {told['mu']:.3f} {told['renyi']['2']:.3f}")
    0.500 1.000 1.000
    """
    if plan.adaptive:
        return {"rho": None, "renyi": None, "mu": None, "regret": None, "rarest": None, "reason": CHOSEN}
    mechanisms, counts = taken_apart(*plan.workload())
    rho, *renyi = (
        _summed(mechanisms, counts, of)
        for of in (lambda each: each.rho, *(lambda each, order=order: each.rdp(float(order)) for order in ORDERS))
    )
    fit = gaussian_fit(PrivacyLoss(mechanisms, counts, PLOTTED))
    curve = {str(order): value for order, value in zip(ORDERS, renyi, strict=True)}
    told = {"rho": rho, "renyi": curve if any(value is not None for value in renyi) else None}
    return told | {"mu": fit.mu, "regret": fit.regret, "rarest": fit.rarest, "reason": ""}


def _summed(
    mechanisms: tuple[Mechanism, ...], counts: np.ndarray, of: Callable[[Mechanism], float]
) -> float | None:
    """The largest sum over the parts; None where it is infinite."""
    each = np.array([float(of(mechanism)) for mechanism in mechanisms])
    if not np.isfinite(each).all():
        return None
    total = float(raised((counts * each).sum(axis=1).max(initial=0.0), 2 * len(each) + 2))
    return total if math.isfinite(total) else None
