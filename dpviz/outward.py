"""Outward rounding: numbers of doubles moved past all that they may be off, up or down.

u = 2⁻⁵³. Every + − × ÷ √ of doubles is off by at most u of its result, every elementary function (exp, expm1, log,
log1p, sinh, ...) by at most eight u: it counts as `ELEMENTARY` operations. Who rounds outward says how many operations
that covers; for an error that was measured, not counted, `roundings` says to how many operations it amounts.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

U = 2.0**-53
ELEMENTARY = 8

Number = TypeVar("Number", float, np.ndarray)


def raised(value: Number, operations: int) -> Number:
    """Return `value` moved up, past the true number that it was computed for.

    Parameters
    ----------
    value : float or array of float
        At least 0, and not below the normal range of doubles (or 0 itself).
    operations : int
        How many operations it took, so that their errors add up to at most `operations` u; below 2²⁶.

    Notes
    -----
    With n operations the value is at least t (1 − nu), t the true number, as Π(1 − aᵢu) >= 1 − Σaᵢu. The factor is at
    least 1 + (n + 2)u, an even multiple of u beyond 1, which is a double, and the product errs by u: what is returned
    is at least t (1 − (n + 1)u)(1 + (n + 2)u) = t (1 + u − (n + 1)(n + 2)u²) >= t.

    Examples
    --------
    >>> raised(1.0, 0) - 1.0 == 2 * U, raised(0.1 + 0.7, 1) > 0.8
    (True, True)
    """
    return value * (1 + 2 * U * ((operations + 3) // 2))


def lowered(value: Number, operations: int) -> Number:
    """Return `value` moved down, past the true number that it was computed for.

    Parameters
    ----------
    value, operations
        As for `raised`.

    Notes
    -----
    The value is at most t Π(1 + aᵢu) <= t e^(nu), t the true number, or with a divisor that is off by au, where
    1/(1 − au) <= e^(au + a²u²), at most t e^(nu + n²u²). The factor 1 − (n + 2)u, a double, is at most e^(−(n + 2)u),
    and the product errs by u: what is returned is at most t e^(−u + n²u²) <= t.

    Examples
    --------
    >>> 1.0 - lowered(1.0, 0) == 2 * U, lowered(0.7 + 0.1, 1) < 0.8
    (True, True)
    """
    return value * (1 - slack(operations))


def slack(operations: int) -> float:
    """Return the share of a number that covers `operations`, and the two roundings of whoever adds it or takes it off.

    Examples
    --------
    >>> slack(2) == 4 * U
    True
    """
    return (operations + 2) * U


def roundings(error: float) -> int:
    """Return to how many operations a relative error amounts, such as one measured against more digits.

    Examples
    --------
    >>> roundings(1e-12)
    9008
    """
    return math.ceil(error / U)
