"""The noise of a release as one positive number: noise over sensitivity, which a split of a budget may change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Mechanism, RandomizedResponse, Subsampled
from dpviz.mechanisms.gaussian_profile import calibrated_sigma
from dpviz.parameters import COUNT, Parameter
from dpviz.plan import Plan

RATIO = Parameter("ratio", "r", "noise over sensitivity", 0, math.inf, open_low=True, open_high=True)
DIGITS = 6
_FLOAT_NOISE = 4e-12  # relative: a level that close beyond a number of six digits stands for that number


def noise_ratio(mechanism: Mechanism) -> float | None:
    """Return noise over sensitivity: Laplace b/Δ, Gaussian σ/Δ, randomized response 1/ε, sampled ones their base's.

    Returns
    -------
    float or None
        None where there is no noise to change: black boxes, name and shame, and what costs nothing.

    Examples
    --------
    >>> noise_ratio(Laplace.from_epsilon(0.5)), noise_ratio(Gaussian(6.0, 2.0))
    (2.0, 3.0)
    """
    match mechanism:
        case Subsampled():
            return noise_ratio(mechanism.base) if mechanism.rate > 0 else None
        case Laplace():
            return 1 / mechanism.stated.epsilon
        case Gaussian():
            return mechanism.sigma / mechanism.sensitivity
        case RandomizedResponse():
            return 1 / mechanism.stated.epsilon if mechanism.stated.epsilon > 1 / 1e300 else None
    return None


def with_noise(mechanism: Mechanism, ratio: float) -> Mechanism:
    """Return the mechanism with another noise-to-sensitivity ratio, given in the same form as before.

    Parameters
    ----------
    mechanism : Mechanism
        One with a `noise_ratio`.
    ratio : float
        In (0, inf).

    Returns
    -------
    Mechanism
        A scale or σ rounded up, a stated ε rounded down, to six significant digits: never less noise than `ratio`, but
        for the last digits of a double. A stated δ stays, and with it the pair; a calibration that does not give the
        new pair gives way to the analytic one, and where the noise would meet ε = 0 no pair is stated any more.

    Raises
    ------
    ValueError
        When there is no noise to change, or the new noise is no finite number.

    Examples
    --------
    >>> with_noise(Laplace(10, 2.0), 1 / 3).scale
    0.666667
    >>> with_noise(Laplace.from_epsilon(0.5), 3).stated.epsilon
    0.333333
    """
    ratio = RATIO.check(ratio)
    match mechanism:
        case Subsampled() if noise_ratio(mechanism) is not None:
            return replace(mechanism, base=with_noise(mechanism.base, ratio))
        case Laplace() if mechanism.declared is not None:
            return Laplace.from_epsilon(_rounded(1 / ratio, ROUND_FLOOR), mechanism.sensitivity)
        case Laplace():
            return Laplace(_rounded(ratio * mechanism.sensitivity, ROUND_CEILING), mechanism.sensitivity)
        case Gaussian() if mechanism.stated is not None:
            return _with_pair(mechanism, ratio)
        case Gaussian():
            return Gaussian(_rounded(ratio * mechanism.sensitivity, ROUND_CEILING), mechanism.sensitivity)
        case RandomizedResponse():
            return RandomizedResponse(_rounded(1 / ratio, ROUND_FLOOR))
    raise ValueError(f"mechanism must have noise that can be changed; got {mechanism!r:.60}")


def _with_pair(mechanism: Gaussian, ratio: float) -> Gaussian:
    """The noise stated as a pair with the same δ."""
    delta, calibration = mechanism.stated.delta, mechanism.calibration
    if calibration != "analytic":
        epsilon = _rounded(calibrated_sigma(calibration, 1.0, delta, 1.0) / ratio, ROUND_FLOOR)
        try:
            return Gaussian.from_guarantee(epsilon, delta, mechanism.sensitivity, calibration)
        except ValueError:  # beyond the range in which it holds
            pass
    epsilon = float(Gaussian(ratio).epsilon(delta))
    if epsilon < 1e-9:
        return Gaussian(_rounded(ratio * mechanism.sensitivity, ROUND_CEILING), mechanism.sensitivity)
    return Gaussian.from_guarantee(_rounded(epsilon, ROUND_FLOOR), delta, mechanism.sensitivity)


def _rounded(value: float, way: str) -> float:
    """`value` to six significant digits, rounded the given way."""
    if not 0 < value < math.inf:
        raise ValueError(f"noise must be in (0, inf); got {value!r}")
    exact = Decimal(value * (1 + _FLOAT_NOISE if way == ROUND_FLOOR else 1 - _FLOAT_NOISE))
    rounded = float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - DIGITS), way))
    return rounded if 0 < rounded < math.inf else value


def bare(mechanism: Mechanism, ratio: float) -> Mechanism:
    """Return what costs the same as `mechanism` at this ratio, unrounded and with sensitivity 1.

    A stated δ stays, and the pair is the one of its calibration, the tight one where that does not hold.

    Examples
    --------
    >>> bare(Gaussian(6.0, 2.0), 4.0)
    Gaussian(sigma=4.0, sensitivity=1.0, stated=None, calibration=None)
    """
    match mechanism:
        case Subsampled():
            return replace(mechanism, base=bare(mechanism.base, ratio))
        case Laplace():
            return Laplace.from_epsilon(1 / ratio)
        case Gaussian() if mechanism.stated is not None:
            return _bare_with_pair(mechanism.stated.delta, mechanism.calibration, ratio)
        case Gaussian():
            return Gaussian(ratio)
    return RandomizedResponse(1 / ratio)


def _bare_with_pair(delta: float, calibration: str, ratio: float) -> Gaussian:
    if calibration != "analytic":
        try:
            pair = Guarantee(calibrated_sigma(calibration, 1.0, delta, 1.0) / ratio, delta)
            return Gaussian(ratio, stated=pair, calibration=calibration)
        except ValueError:  # beyond the range in which it holds
            pass
    return Gaussian(ratio, stated=Guarantee(float(Gaussian(ratio).epsilon(delta)), delta), calibration="analytic")


@dataclass(frozen=True, eq=False)
class Adjustable:
    """The releases of a plan whose noise may be changed, as columns of shape (adjustable,).

    Parameters
    ----------
    rows : ndarray of int
        Their places in the plan, from 0.
    mechanisms : tuple of Mechanism
    ratio, sensitivity, uses, weight : ndarray of float
        Present noise over sensitivity; sensitivity 1 for randomized response.
    typical : ndarray of float
        Size of a typical true value; 0 where none is given.

    Examples
    --------
    >>> from dpviz.plan import Release
    >>> Adjustable.of(Plan([Release("a", Gaussian(2)), Release("b", Gaussian(3), done=True)])).rows.tolist()
    [0]
    """

    rows: np.ndarray
    mechanisms: tuple[Mechanism, ...]
    ratio: np.ndarray
    sensitivity: np.ndarray
    uses: np.ndarray
    weight: np.ndarray
    typical: np.ndarray

    @classmethod
    def of(cls, plan: Plan, locked: Sequence[int] = ()) -> Adjustable:
        """Return what may be changed: all but locked rows, what is done even in part or never used, and without noise.

        Raises
        ------
        ValueError
            When a locked row is none of the plan.
        """
        last = len(plan.releases) - 1
        for row in locked:
            if not COUNT.admits(row) or row > last:
                raise ValueError(f"locked must hold rows in [0, {last}]; got {row!r}")
        held = {int(row) for row in locked}
        rows = [
            row
            for row, each in enumerate(plan.releases)
            if row not in held and not each.done_uses and each.uses and noise_ratio(each.mechanism) is not None
        ]
        chosen = [plan.releases[row] for row in rows]
        return cls(
            np.array(rows, dtype=np.int64),
            tuple(each.mechanism for each in chosen),
            np.array([noise_ratio(each.mechanism) for each in chosen], dtype=float),
            np.array([base_of(each.mechanism).parameters.get("sensitivity", 1.0) for each in chosen], dtype=float),
            np.array([each.uses for each in chosen], dtype=float),
            np.array([each.weight for each in chosen], dtype=float),
            np.array([each.typical or 0.0 for each in chosen], dtype=float),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def ratios_in(self, plan: Plan) -> np.ndarray:
        """Return the noise over sensitivity of these rows in another plan."""
        return np.array([noise_ratio(plan.releases[row].mechanism) for row in self.rows.tolist()], dtype=float)

    def applied(self, plan: Plan, ratios: np.ndarray) -> Plan:
        """Return the plan with these ratios, rounded as by `with_noise`."""
        releases = list(plan.releases)
        for row, ratio in zip(self.rows.tolist(), ratios.tolist(), strict=True):
            releases[row] = replace(releases[row], mechanism=with_noise(releases[row].mechanism, ratio))
        return replace(plan, releases=tuple(releases))

    def held(self, plan: Plan) -> Plan:
        """Return the plan of the other releases alone."""
        mine = set(self.rows.tolist())
        return replace(plan, releases=tuple(each for row, each in enumerate(plan.releases) if row not in mine))


def base_of(mechanism: Mechanism) -> Mechanism:
    """Return what is sampled for, or the mechanism itself.

    Examples
    --------
    >>> base_of(Subsampled(Gaussian(2.0), 0.1, "poisson")) == Gaussian(2.0)
    True
    """
    return mechanism.base if isinstance(mechanism, Subsampled) else mechanism
