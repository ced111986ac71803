"""The privacy region: the pairs of error rates that no attacker can get below, under a guarantee and in truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.adversary import PairLoss
from dpviz.guarantee import Guarantee
from dpviz.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    import pandas

SMALLEST_RATE = 1e-9
MECHANISM = "pld"


def corner(guarantee: Guarantee) -> float:
    """Return the false positive rate at which both kinds of error are equal: (1 - δ) / (1 + e^ε)."""
    with np.errstate(over="ignore"):
        return float((1 - guarantee.delta) / (1 + np.exp(guarantee.epsilon)))


def rates_to_draw(guarantees: list[Guarantee]) -> np.ndarray:
    """Return false positive rates that show every bend of these guarantees, from 1e-9 on and 0."""
    bends = [place for each in guarantees for place in (corner(each), 1 - each.delta)]
    return np.unique(np.concatenate([[0.0, 1.0], np.geomspace(SMALLEST_RATE, 1, 28), np.linspace(0, 1, 26), bends]))


def regions(comparison: pandas.DataFrame, loss: PrivacyLoss) -> pandas.DataFrame:
    """Compute the boundary of the privacy region of every theorem that applies, and of the mechanisms themselves.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As `dpviz.compare` returns it.
    loss : PrivacyLoss
        Of the same plan.

    Returns
    -------
    pandas.DataFrame
        One row per (theorem, false positive rate) with columns theorem, label, epsilon, delta, false_positive_rate,
        false_negative_rate (the least possible, rounded down). The rows "pld" hold the whole trade-off curve, not that
        of its pair (epsilon, delta), which stands as "pld_pair".
    """
    import pandas

    kept = comparison[comparison.applies & np.isfinite(comparison.epsilon)]
    pairs = [Guarantee(row.epsilon, row.delta) for row in kept.itertuples()]
    rates = rates_to_draw(pairs)
    parts = [
        pandas.DataFrame(
            {
                "theorem": f"{MECHANISM}_pair" if row.theorem == MECHANISM else row.theorem,
                "label": "Only this (ε, δ)" if row.theorem == MECHANISM else row.label,
                "epsilon": row.epsilon,
                "delta": row.delta,
                "false_positive_rate": rates,
                "false_negative_rate": PairLoss(pair).tradeoff(rates),
            }
        )
        for row, pair in zip(kept.itertuples(), pairs, strict=True)
    ]
    whole = {"theorem": MECHANISM, "label": "The mechanisms", "epsilon": np.nan, "delta": np.nan}
    curve = {"false_positive_rate": rates, "false_negative_rate": loss.tradeoff(rates)}
    return pandas.concat([*parts, pandas.DataFrame({**whole, **curve})], ignore_index=True)
