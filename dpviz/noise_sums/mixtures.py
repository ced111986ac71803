"""A release that is aggregated only sometimes: with probability p one client's noise, else the noise of all of them.

What it promises depends on whether the adversary learns which of the two happened. Where they do not, the output has
the density f = p N(0, σ1²) + (1-p) N(g, σ2²), with g the gap between the centres of the two outputs, and the promise is
the hockey-stick ∫ (f(x) - e^ε f(x-s))_+ dx at the worst shift s. Sensitivity is 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma, gaussian_delta, gaussian_epsilon
from dpviz.noise_sums.sums import honest_clients
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import DELTA, Parameter, checked
from dpviz.search import farthest

if TYPE_CHECKING:
    import pandas

PROBABILITY = Parameter("p", "p", "probability that an answer is not aggregated", 0, 1)
CENTRE_GAP = Parameter("centre_gap", "g", "distance between the two outputs' centres", -1e6, 1e6)
EXPONENT = Parameter("epsilon", "ε", "privacy loss", 0, 600)
SHIFT = Parameter("shift", "", "how far the answer moves", -1, 1)
_LARGEST = 600.0  # e^ε is a double; beyond, the known label's ε stands in for the hidden one's
_REACH = 45.0  # standard deviations; beyond lies less than 1e-440
_PER_SIDE = 300  # points on either side of every centre
_ROUNDING = 6e-16  # of the masses whose difference is the hockey-stick
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_SHIFTS = np.array([0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95])


@dataclass(frozen=True, slots=True)
class HiddenMixture:
    """The noise p N(0, σ1²) + (1-p) N(gap, σ2²), of which nobody learns the component.

    Parameters
    ----------
    p : float
        In (0, 1).
    sigma_1, sigma_2 : float
        In (0, inf).
    gap : float
        Between the centres, in units of the sensitivity.

    Examples
    --------
    >>> from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta
    >>> HiddenMixture(0.5, 3.0, 3.0).delta(0.2) - float(gaussian_delta(0.2, 1 / 3.0)) < 1e-14
    True
    """

    p: float
    sigma_1: float
    sigma_2: float
    gap: float = 0.0

    @property
    def _parts(self) -> tuple[tuple[float, float, float], ...]:
        return (self.p, 0.0, self.sigma_1), (1 - self.p, self.gap, self.sigma_2)

    def log_ratio(self, x: np.ndarray, shift: float) -> np.ndarray:
        """Return ln f(x) / f(x - shift), exact also where it is tiny.

        Examples
        --------
        >>> import numpy as np
        >>> HiddenMixture(0.5, 1.0, 1.0).log_ratio(np.array([0.0]), 1.0).tolist()
        [0.5]
        """
        logs = [math.log(w) - math.log(s) - ((x - shift - c) / s) ** 2 / 2 for w, c, s in self._parts]
        steps = [(shift * shift - 2 * shift * (x - c)) / (2 * s * s) for _, c, s in self._parts]
        whole = np.logaddexp(*logs)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            small = np.log1p(sum(np.exp(log - whole) * np.expm1(np.clip(step, -0.5, 0.5))
                                 for log, step in zip(logs, steps, strict=True)))  # fmt: skip
        large = np.logaddexp(*(log + step for log, step in zip(logs, steps, strict=True))) - whole
        return np.where(np.maximum(np.abs(steps[0]), np.abs(steps[1])) < 0.5, small, large)

    def _mass(self, low: np.ndarray, high: np.ndarray, shift: float) -> tuple[float, float]:
        """Probability that noise + shift lies in the intervals, from whichever tail keeps the digits; and its error."""
        total = size = 0.0
        with np.errstate(under="ignore"):
            for weight, centre, sigma in self._parts:
                a, b = (low - shift - centre) / sigma, (high - shift - centre) / sigma
                a, b = ndtr(np.where(a > 0, -b, a)), ndtr(np.where(a > 0, -a, b))
                total += weight * float(np.sum(b - a))
                size += weight * float(np.sum(b + a))
        return total, _ROUNDING * (1 - math.log(size)) * size if size else 0.0

    def _narrow(self, epsilon: float, shift: float, low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
        """Excess and shifted mass e^ε f(x - shift) over short intervals, by quadrature: no difference of masses."""
        half = (high - low)[:, None] / 2
        x = low[:, None] + half * (1 + _NODES)
        with np.errstate(under="ignore"):
            there = sum(w / s * np.exp(epsilon - ((x - shift - c) / s) ** 2 / 2) for w, c, s in self._parts)
            over = np.expm1(np.maximum(self.log_ratio(x, shift) - epsilon, 0.0) + 4e-15 * (1 + epsilon))
            there = there * half * _WEIGHTS / math.sqrt(2 * math.pi)
        return float(np.sum(there * over)), float(np.sum(there))

    def landscape(self, shift: float, peaks: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Return points x in ascending order, and the log ratio there, between which it is monotone.

        Notes
        -----
        A grid that is geometrically finer towards every centre; with `peaks`, ternary search around its extrema adds
        these. The ratio does not depend on ε, so one landscape serves every ε.
        """
        grid = self._grid(shift)
        values = self.log_ratio(grid, shift)
        moves = np.concatenate([[True], np.diff(values) != 0])  # a plateau would hide that the ratio turns on it
        grid, values = grid[moves], values[moves]
        rising = np.sign(np.diff(values))
        turns = np.flatnonzero(rising[1:] != rising[:-1]) + 1
        if not peaks or not turns.size:
            return grid, values
        low, high = grid[turns - 1], grid[turns + 1]
        sign = np.where(values[turns] >= values[turns - 1], 1.0, -1.0)
        for _ in range(36):
            third = (high - low) / 3
            left, right = self.log_ratio(np.array([low + third, high - third]), shift)
            better = sign * left >= sign * right
            low, high = np.where(better, low, low + third), np.where(better, high - third, high)
        found = (low + high) / 2
        places = np.searchsorted(grid, found)
        return np.insert(grid, places, found), np.insert(values, places, self.log_ratio(found, shift))

    def _grid(self, shift: float) -> np.ndarray:
        least, most = min(self.sigma_1, self.sigma_2), max(self.sigma_1, self.sigma_2)
        span = _REACH * most + abs(self.gap) + abs(shift)
        sides = np.geomspace(least * 1e-3, span, _PER_SIDE)
        around = np.concatenate([-sides, np.zeros(1), sides])
        centres = {0.0, shift, shift / 2, self.gap, self.gap + shift, self.gap / 2}
        return np.unique(np.concatenate([centre + around for centre in centres]))

    def delta(self, epsilon: float, shift: float = 1.0) -> float:
        """Return ∫ (f(x) - e^ε f(x - shift))_+ dx, rounded up.

        Parameters
        ----------
        epsilon : float
            In [0, 600].
        shift : float
            In [-1, 1]: how far the answer moves.

        Examples
        --------
        >>> round(HiddenMixture(0.5, 1.0, 10.0).delta(1.0), 6)
        0.009866
        """
        epsilon, shift = EXPONENT.check(epsilon), SHIFT.check(shift, "shift")
        return self._delta_and_slope(epsilon, shift, self.landscape(shift))[0]

    def _delta_and_slope(self, epsilon: float, shift: float, land: tuple) -> tuple[float, float]:
        """δ(ε), rounded up, and its derivative, -e^ε times the shifted mass where the ratio exceeds e^ε."""
        (low, high), _ = self._above(epsilon, shift, land)
        short = high - low < min(self.sigma_1, self.sigma_2) / 4
        excess, slope = self._narrow(epsilon, shift, low[short], high[short]) if short.any() else (0.0, 0.0)
        here, error = self._mass(low[~short], high[~short], 0.0)
        there, shifted_error = self._mass(low[~short], high[~short], shift)
        factor = math.exp(min(700.0, epsilon))
        excess += max(0.0, here - factor * there) + (1 + epsilon) * (error + factor * shifted_error)
        return min(1.0, excess), -factor * there - slope

    def _above(self, epsilon: float, shift: float, land: tuple) -> tuple[tuple[np.ndarray, np.ndarray], int]:
        """The intervals on which the ratio exceeds e^ε, and the number of sign changes."""
        grid, values = land
        above = values > epsilon
        crossing = np.flatnonzero(above[1:] != above[:-1])
        low, high, rising = grid[crossing], grid[crossing + 1], ~above[crossing]
        for _ in range(44 if crossing.size else 0):
            middle = (low + high) / 2
            right = (self.log_ratio(middle, shift) > epsilon) == rising
            low, high = np.where(right, low, middle), np.where(right, middle, high)
        roots = (low + high) / 2
        edges = np.concatenate([[-np.inf] if above[0] else [], roots, [np.inf] if above[-1] else []])
        return (edges[::2], edges[1::2]), len(roots)

    def sign_changes(self, epsilon: float, shift: float = 1.0) -> int:
        """Return how often f(x) - e^ε f(x - shift) changes its sign: 1 for one Gaussian, up to 3 around one centre.

        Examples
        --------
        >>> HiddenMixture(0.5, 4.8448, 48.448).sign_changes(0.2476)
        3
        """
        return self._above(epsilon, shift, self.landscape(shift))[1]

    def epsilon(self, delta: float, ceiling: float) -> float:
        """Return the smallest ε >= 0 with δ(ε) <= `delta` at every shift up to 1, rounded up, at most `ceiling`.

        Notes
        -----
        With one centre the worst shift is 1: f is symmetric and falls with the distance, so f(x) > e^ε f(x-s) only
        left of s/2, where a larger s lowers f(x-s) further. With two centres the worst of 12 shifts to either side: a
        numerical search, no proof.
        """
        shifts = [1.0] if self.gap == 0 else [1.0, -1.0]
        worst = max(self._solve(delta, shift, ceiling) for shift in shifts)
        for shift in () if self.gap == 0 else (*-_SHIFTS, *_SHIFTS):
            if self._delta_and_slope(worst, shift, self.landscape(shift, peaks=False))[0] > delta:
                worst = max(worst, self._solve(delta, shift, ceiling))
        # δ(ε) drops to almost 0 where ε passes a peak of the log ratio.
        return min(ceiling, raised(worst, roundings(1e-13)))

    def _solve(self, delta: float, shift: float, ceiling: float) -> float:
        """Newton's method for ln δ(ε) in a bracket; the answer is the bracket's upper end."""
        land = self.landscape(shift)
        low, high, middle = 0.0, ceiling, 0.0
        for _ in range(200):
            value, slope = self._delta_and_slope(middle, shift, land)
            low, high = (middle, high) if value > delta else (low, middle)
            if high - low <= 1e-13 * high:
                break
            newton = middle - math.log(value / delta) * value / slope if value > 0 and slope < 0 else low
            if abs(newton - middle) < 1e-8 * newton:  # to the other side, so that the bracket closes
                newton *= 1 + (3e-14 if value > delta else -3e-14)
            middle = newton if low < newton < high else (low + high) / 2
        return high


def mixture(
    epsilon: float,
    delta: float,
    clients: int,
    p: float,
    known: bool = True,
    calibration: str = "analytic",
    centre_gap: float = 0.0,
) -> Guarantee:
    """Return the guarantee of an answer that is sent alone with probability `p`, and securely aggregated else.

    Parameters
    ----------
    epsilon, delta : float
        What a client's own noise was made for: ε in (0, inf), δ in (0, 1).
    clients : int
        n of at least 1; the aggregate carries noise of standard deviation σ√n.
    p : float
        In [0, 1].
    known : bool
        Whether the adversary learns which of the two happened. False is a promise only if nothing else tells.
    calibration : str
        A key of ``CALIBRATIONS``.
    centre_gap : float
        For a hidden label: how far apart the two outputs are centred, in units of the sensitivity. 0 only where the
        sum of the other clients' answers is known to be 0; a gap gives the label away.

    Returns
    -------
    Guarantee
        At `delta`, rounded up. Label known: exact, by solving p δ_A(ε) + (1-p) δ_B(ε) = δ. Label hidden: numerical
        hockey-stick over every sign change, never above the known label's; with a gap the worst shift is searched for
        numerically.

    Notes
    -----
    Neighbour relation: one client's answer changes by at most 1 in L2.

    References
    ----------
    Note "DP-ML Proofs" (2019), section 3, with its scale corrected to nσ²; Balle & Wang (2018), Thm 8; joint convexity
    of the hockey-stick divergence.

    Examples
    --------
    >>> round(mixture(1, 1e-5, 100, 0.5).epsilon, 5)
    0.95324
    >>> round(mixture(1, 1e-5, 100, 0.5, known=False).epsilon, 5)
    0.32139
    """
    checked(known, bool, "known", "True or False")
    answers = _known_and_hidden(epsilon, delta, clients, p, calibration, centre_gap, both=not known)
    return Guarantee(answers[0 if known else 1], delta)


def _known_and_hidden(
    epsilon: float, delta: float, clients: int, p: float, calibration: str, centre_gap: float, both: bool = True
) -> tuple[float, float]:
    """The ε with the label known and, where wanted, hidden."""
    sigma = calibrated_sigma(calibration, epsilon, delta, 1.0)
    noises = sigma, sigma * math.sqrt(honest_clients(clients))
    p, gap = PROBABILITY.check(p), CENTRE_GAP.check(centre_gap)
    known = _known(delta, p, *noises)
    if calibration == "analytic":
        known = min(known, float(epsilon))
    if not both or p in (0, 1) or known == 0 or known > _LARGEST:
        return known, known
    return known, HiddenMixture(p, *noises, gap).epsilon(delta, known)


def _known(delta: float, p: float, sigma_1: float, sigma_2: float) -> float:
    """Solve p δ_A(ε) + (1-p) δ_B(ε) = δ between the ε of the two noises, by bisection from above."""
    mus = raised(np.array([1 / sigma_1, 1 / sigma_2]), 7)
    weights = np.array([p, 1 - p])
    ends = gaussian_epsilon(DELTA.check(delta), mus)
    if p in (0, 1) or sigma_1 == sigma_2:
        return float(ends[0 if p else 1])
    low, high = float(ends.min()), float(ends.max())
    if weights @ gaussian_delta(low, mus) <= delta:
        return low
    return farthest(lambda epsilon: raised(weights @ gaussian_delta(epsilon, mus), 2) <= delta, high, low)


def sum_of_exponentials_holds(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Say where e^x + e^y <= e^(x+y), the last step of the note's section 3.2, is true.

    Notes
    -----
    It is true exactly where (e^x - 1)(e^y - 1) >= 1 with x, y > 0, not for all x, y >= 0 as the note says.

    Examples
    --------
    >>> sum_of_exponentials_holds([0.0, 0.5, 0.7], [0.0, 0.5, 0.7]).tolist()
    [False, False, True]
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    with np.errstate(over="ignore"):
        return (x > 0) & (y > 0) & (np.expm1(np.maximum(x, 0)) * np.expm1(np.maximum(y, 0)) >= 1)


def mixture_bounds(
    epsilon: float, delta: float, clients: int, p: float, calibration: str = "analytic", centre_gap: float = 0.0
) -> pandas.DataFrame:
    """Return the note's bounds for the mixture beside what it really promises.

    Returns
    -------
    pandas.DataFrame
        One row per bound: bound (``known``, ``hidden``, ``larger``, ``line``, ``product``), label, epsilon (may be
        negative for ``product``), delta, proved (whether it is a guarantee whoever learns the label), reason ("" or
        why it is none), holds (whether it is at least the exact ε with the label known).

    Notes
    -----
    ``line`` is ln(p e^ε1 + (1-p) e^ε2), ``product`` ε1 + ε2 + ln p + ln(1-p), with ε2 = ε1/√n by the rule.

    Examples
    --------
    >>> mixture_bounds(1, 1e-5, 1, 0.5)[["bound", "epsilon", "holds"]].round(4).values.tolist()[-1]
    ['product', 0.6137, False]
    """
    import pandas

    return pandas.DataFrame(_bounds(epsilon, delta, clients, p, calibration, centre_gap), columns=_BOUNDS)


_BOUNDS = ["bound", "label", "epsilon", "delta", "proved", "reason", "holds"]


def _bounds(epsilon: float, delta: float, clients: int, p: float, calibration: str, centre_gap: float) -> list[tuple]:
    known, hidden = _known_and_hidden(epsilon, delta, clients, p, calibration, centre_gap)
    with np.errstate(divide="ignore"):
        x, y = float(epsilon + np.log(p)), float(epsilon / math.sqrt(clients) + np.log1p(-p))
    secret = "" if p in (0, 1) else "a guarantee only while nobody learns the label"
    same_set = "assumes P[A' in S] = P[B' in S], which no two different noises meet for every S"
    condition = "its condition ε1 + ln p > 0 and ε2 + ln(1-p) > 0 is not met"
    step = "e^x + e^y <= e^(x+y) is false here: it needs (e^x - 1)(e^y - 1) >= 1"
    false_step = "" if sum_of_exponentials_holds(x, y) else (step if x > 0 and y > 0 else condition)
    unmet = "" if _meets(epsilon, known) else "the calibration does not meet its own pair here"
    rows = (
        ("known", "Label known", known, ""),
        ("hidden", "Label hidden", hidden, secret),
        ("larger", "Section 3.1: the larger ε", float(epsilon), unmet),
        ("line", "Section 3.2 before its last step", float(np.logaddexp(x, y)), same_set),
        ("product", "Section 3.2 as printed", x + y, false_step or same_set),
    )
    return [(key, label, value, delta, not why, why, _meets(value, known)) for key, label, value, why in rows]


def _meets(claim: float, truth: float) -> bool:
    return claim >= lowered(truth, roundings(1e-12))


def mixture_curve(
    epsilon: float,
    delta: float,
    clients: int,
    probabilities: Iterable[float],
    calibration: str = "analytic",
    centre_gap: float = 0.0,
) -> pandas.DataFrame:
    """Return every bound of the mixture against p.

    Returns
    -------
    pandas.DataFrame
        One row per p and bound: p, and the columns of `mixture_bounds`.

    Examples
    --------
    >>> mixture_curve(1, 1e-5, 100, [0, 1]).query("bound == 'hidden'").epsilon.round(4).tolist()
    [0.0809, 1.0]
    """
    import pandas

    shares = [PROBABILITY.check(p) for p in probabilities]
    rows = [(p, *row) for p in shares for row in _bounds(epsilon, delta, clients, p, calibration, centre_gap)]
    return pandas.DataFrame(rows, columns=["p", *_BOUNDS])
