"""How a budget may be divided among releases: a tuple of splits, each a family of noise levels that grow together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from dpviz.mechanisms.left_open import why_no_error
from dpviz.planning.budgeting.noise_costs import noise_at_cost, noise_at_price
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.records import Record, record_named

Family = Callable[[float], np.ndarray]
CONFIDENCE = 0.95  # of the half-widths that the relative split makes equal; any other gives nearly the same split


@dataclass(frozen=True, slots=True)
class Split(Record):
    """A way to divide a budget.

    Parameters
    ----------
    ordered : bool
        Whether it depends on how privacy is accounted for: on the Rényi order.
    weighs_errors : bool
        Whether it holds errors against each other. Those of trained models compare with no others: such a split leaves
        them the noise that they have in the plan scaled as planned, and divides what is left among the others.
    reason : callable
        ``reason(adjustable) -> str``: why it cannot be made; "" if it can.
    shape : callable
        ``shape(adjustable, order) -> family``: noise over sensitivity of each release at a common size of noise in
        (0, inf); every level grows with it.

    Examples
    --------
    >>> [split.key for split in SPLITS]
    ['proportional', 'equal', 'weights', 'variance', 'relative']
    """

    ordered: bool
    weighs_errors: bool
    reason: Callable[[Adjustable], str]
    shape: Callable[[Adjustable, float], Family]


def _proportional(levels: Adjustable, order: float) -> Family:
    return lambda size: size * levels.ratio


def _equal(levels: Adjustable, order: float) -> Family:
    return lambda size: np.full(len(levels), float(size))


def _weights(levels: Adjustable, order: float) -> Family:
    share = levels.weight / levels.uses
    return lambda size: noise_at_cost(levels.mechanisms, share / size**2, 1.0)


def _variance(levels: Adjustable, order: float) -> Family:
    gain = levels.weight * levels.sensitivity**2
    return lambda size: noise_at_price(levels.mechanisms, gain, size, order)


def _relative(levels: Adjustable, order: float) -> Family:
    shape = levels.typical / (levels.sensitivity * _half_widths(levels))
    return lambda size: size * shape


def _half_widths(levels: Adjustable) -> np.ndarray:
    """Half-widths of the 95 % interval per unit of noise scale; NaN where no noise is added to an answer."""
    noises = [each.base.noise for each in levels.mechanisms]
    return np.array([noise.half_width(CONFIDENCE) / noise.scale if noise else math.nan for noise in noises])


def _always(levels: Adjustable) -> str:
    return ""


def _relative_reason(levels: Adjustable) -> str:
    mute = next((each.base.label for each in levels.mechanisms if each.base.noise is None), "")
    if mute:
        return f"{mute.lower()} adds no noise to an answer, so it has no relative error: lock it"
    if any(why_no_error(each) for each in levels.mechanisms):
        return "a sensitivity is open, and with it the size of the noise and its relative error"
    missing = int((levels.typical == 0).sum())
    return f"a typical value is missing in {missing} of {len(levels)} adjustable releases" if missing else ""


SplitKey = Literal["proportional", "equal", "weights", "variance", "relative"]
SPLITS = (
    Split(
        "proportional",
        "As planned, scaled",
        r"r_i = c\,r_i^{\text{planned}}",
        "nothing; all noise times one factor, so the present proportions stay",
        "by definition",
        False,
        False,
        _always,
        _proportional,
    ),
    Split(
        "equal",
        "Equal noise",
        r"r_i = \frac{\text{noise}_i}{\Delta_i} = c",
        "nothing; the same noise over sensitivity in every release",
        "by definition",
        False,
        False,
        _always,
        _equal,
    ),
    Split(
        "weights",
        "By weight",
        r"n_i\,\rho_i \propto w_i",
        "the share of ρ of a row, all its uses together, is its weight; sampled releases by the leading term of theirs",
        "Bun & Steinke (2016), Lemma 2.3: ρ adds up",
        False,
        False,
        _always,
        _weights,
    ),
    Split(
        "variance",
        "Least variance",
        r"\min \sum_i w_i n_i \sigma_i^2:\quad \rho_i \propto \Delta_i\sqrt{w_i}\;\text{(Gaussian, zCDP)},\quad"
        r" \varepsilon_i \propto (w_i\Delta_i^2)^{1/3}\;\text{(Laplace, }\textstyle\sum\varepsilon_i\text{)}",
        "errors matter by weight, in every use; Gaussian noise: exact under zCDP and tight accounting; Laplace noise: "
        "exact under plain sums and zCDP, else the best order of Rényi DP; with sampled releases about the least: by "
        "a proxy of their curve, refined under tight accounting for up to eight different levels; trained models, "
        "whose noise is on gradients, are scaled as planned",
        "Lagrange multipliers: one price of privacy for all releases",
        True,
        True,
        _always,
        _variance,
    ),
    Split(
        "relative",
        "Equal relative error",
        r"\frac{\text{half-width}_i}{v_i} = c",
        "a typical value for every adjustable release; the largest relative error is then the least possible, since "
        "less noise in one release means more in another; trained models, whose noise is on gradients, are scaled as "
        "planned",
        "by exchange: whatever lowers the largest error raises another to it",
        False,
        True,
        _relative_reason,
        _relative,
    ),
)

split_named: Callable[[str], Split] = partial(record_named, SPLITS)
