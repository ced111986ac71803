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

from dpviz.gaussian import calibrated_sigma, gaussian_delta, gaussian_epsilon
from dpviz.guarantee import Guarantee
from dpviz.noise_sums import honest_clients
from dpviz.parameters import DELTA, Parameter

if TYPE_CHECKING:
    import pandas

PROBABILITY = Parameter("p", "p", "probability that an answer is not aggregated", 0, 1)
CENTRE_GAP = Parameter("centre_gap", "g", "distance between the two outputs' centres", -1e6, 1e6)
_REACH = 45.0  # standard deviations; beyond lies less than 1e-440
_PER_SIDE = 400  # points of the search for turning points, on either side of every centre
_ROUNDING = 6e-16  # of the masses whose difference is the hockey-stick
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
        >>> HiddenMixture(0.5, 1.0, 1.0).log_ratio(np.array([0.0]), 1.0).tolist()
        [0.5]
        """
        logs = [math.log(w / s) - ((x - shift - c) / s) ** 2 / 2 for w, c, s in self._parts]
        steps = [(shift * shift - 2 * shift * (x - c)) / (2 * s * s) for _, c, s in self._parts]
        whole = np.logaddexp(*logs)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            small = np.log1p(sum(np.exp(log - whole) * np.expm1(np.clip(step, -0.5, 0.5))
                                 for log, step in zip(logs, steps, strict=True)))  # fmt: skip
        large = np.logaddexp(*(log + step for log, step in zip(logs, steps, strict=True))) - whole
        return np.where(np.maximum(np.abs(steps[0]), np.abs(steps[1])) < 0.5, small, large)

    def _mass(self, low: np.ndarray, high: np.ndarray, shift: float) -> float:
        """Probability that noise + shift lies in the intervals, from whichever tail keeps the digits."""
        total = 0.0
        with np.errstate(under="ignore"):
            for weight, centre, sigma in self._parts:
                a, b = (low - shift - centre) / sigma, (high - shift - centre) / sigma
                a, b = np.where(a > 0, -b, a), np.where(a > 0, -a, b)
                total += weight * float(np.sum(ndtr(b) - ndtr(a)))
        return total

    def turning_points(self, shift: float) -> np.ndarray:
        """Return points between which the log ratio is monotone, with both ends of the support.

        Notes
        -----
        A grid that is geometrically finer towards every centre, then ternary search around each of its extrema.
        """
        grid = self._grid(shift)
        values = self.log_ratio(grid, shift)
        moves = np.concatenate([[True], np.diff(values) != 0])  # a plateau would hide that the ratio turns on it
        grid, values = grid[moves], values[moves]
        rising = np.sign(np.diff(values))
        turns = np.flatnonzero(rising[1:] != rising[:-1]) + 1
        low, high = grid[turns - 1], grid[turns + 1]
        sign = np.where(values[turns] >= values[turns - 1], 1.0, -1.0)
        for _ in range(40):
            third = (high - low) / 3
            left, right = low + third, high - third
            better = sign * self.log_ratio(left, shift) >= sign * self.log_ratio(right, shift)
            low, high = np.where(better, low, left), np.where(better, right, high)
        return np.unique(np.concatenate([grid[:1], (low + high) / 2, grid[-1:]]))

    def _grid(self, shift: float) -> np.ndarray:
        least, most = min(self.sigma_1, self.sigma_2), max(self.sigma_1, self.sigma_2)
        span = _REACH * most + abs(self.gap) + abs(shift)
        sides = np.geomspace(least * 1e-3, span, _PER_SIDE)
        centres = [0.0, shift, self.gap, self.gap + shift, shift / 2, self.gap / 2]
        return np.unique(np.concatenate([c + part for c in centres for part in (-sides, np.zeros(1), sides)]))

    def delta(self, epsilon: float, shift: float = 1.0, turns: np.ndarray | None = None) -> float:
        """Return ∫ (f(x) - e^ε f(x - shift))_+ dx, rounded up.

        Parameters
        ----------
        epsilon : float
            In [0, inf).
        shift : float
            In [-1, 1]: how far the answer moves.
        turns : ndarray, optional
            `turning_points` of this shift, where they are known.

        Examples
        --------
        >>> round(HiddenMixture(0.5, 1.0, 10.0).delta(1.0), 6)
        0.009866
        """
        ends, _ = self._positive(epsilon, shift, self.turning_points(shift) if turns is None else turns)
        here, there = self._mass(*ends, 0.0), self._mass(*ends, shift)
        there = 0.0 if there == 0 else math.exp(min(700.0, epsilon + math.log(there)))
        if here == 0:
            return 0.0
        digits = 1 + epsilon - math.log(here)  # the exponents that the masses were computed with
        return min(1.0, max(0.0, here - there) + _ROUNDING * digits * (here + there))

    def _positive(self, epsilon: float, shift: float, turns: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], int]:
        """The intervals on which the ratio exceeds e^ε, and the number of sign changes."""
        values = self.log_ratio(turns, shift) - epsilon
        above = values > 0
        crossing = np.flatnonzero(above[1:] != above[:-1])
        low, high, rising = turns[crossing], turns[crossing + 1], ~above[crossing]
        for _ in range(52):
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
        return self._positive(epsilon, shift, self.turning_points(shift))[1]

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
            if self.delta(worst, shift) > delta:
                worst = self._solve(delta, shift, ceiling)
        return min(ceiling, worst * (1 + 1e-13))  # δ(ε) drops to almost 0 where ε passes a peak of the log ratio

    def _solve(self, delta: float, shift: float, ceiling: float) -> float:
        turns = self.turning_points(shift)
        if self.delta(0.0, shift, turns) <= delta:
            return 0.0
        low, high = 0.0, ceiling
        target = math.log(delta)
        at_low, at_high = (math.log(max(self.delta(e, shift, turns), 5e-324)) - target for e in (low, high))
        for step in range(200):
            if high - low <= 1e-14 * high or at_high >= 0:
                break
            share = 0.5 if step % 3 == 2 else min(0.999, max(0.001, at_low / (at_low - at_high)))
            middle = low + share * (high - low)
            value = math.log(max(self.delta(middle, shift, turns), 5e-324)) - target
            if value > 0:
                low, at_low = middle, value
            else:
                high, at_high = middle, value
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

    Raises
    ------
    ValueError
        When a value lies outside its interval.

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
    sigma_1, sigma_2 = _sigmas(epsilon, delta, clients, calibration)
    p, gap = PROBABILITY.check(p), CENTRE_GAP.check(centre_gap)
    apart = _known(delta, p, sigma_1, sigma_2)
    if calibration == "analytic":
        apart = min(apart, float(epsilon))
    if known or p in (0, 1) or apart == 0:
        return Guarantee(apart, delta)
    return Guarantee(min(apart, HiddenMixture(p, sigma_1, sigma_2, gap).epsilon(delta, apart)), delta)


def _sigmas(epsilon: float, delta: float, clients: int, calibration: str) -> tuple[float, float]:
    sigma = calibrated_sigma(calibration, epsilon, delta, 1.0)
    return sigma, sigma * math.sqrt(honest_clients(clients))


def _known(delta: float, p: float, sigma_1: float, sigma_2: float) -> float:
    """Solve p δ_A(ε) + (1-p) δ_B(ε) = δ between the ε of the two noises, by bisection from above."""
    mus = np.array([1 / sigma_1, 1 / sigma_2]) * (1 + 1e-15)
    weights = np.array([p, 1 - p])
    ends = gaussian_epsilon(DELTA.check(delta), mus)
    if p in (0, 1) or sigma_1 == sigma_2:
        return float(ends[0 if p else 1])
    low, high = float(ends.min()), float(ends.max())
    if weights @ gaussian_delta(low, mus) <= delta:
        return low
    for _ in range(200):
        middle = (low + high) / 2
        if high - low <= 2e-16 * high or middle in (low, high):
            break
        meets = weights @ gaussian_delta(middle, mus) * (1 + 4e-16) <= delta
        low, high = (low, middle) if meets else (middle, high)
    return high


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


def sum_of_exponentials_edge(x: Iterable[float]) -> pandas.DataFrame:
    """Return the edge of the region where e^x + e^y <= e^(x+y): y = -ln(1 - e^-x) for x > 0.

    Returns
    -------
    pandas.DataFrame
        One row per x: x, y; true on the edge and above.

    Examples
    --------
    >>> sum_of_exponentials_edge([0.6931471805599453]).y.round(6).tolist()
    [0.693147]
    """
    import pandas

    points = Parameter("x", "x", "", 0, math.inf, open_low=True, open_high=True).check_array(list(x))
    return pandas.DataFrame({"x": points, "y": -np.log(-np.expm1(-points))})


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

    known, hidden = (
        mixture(epsilon, delta, clients, p, label, calibration, centre_gap).epsilon for label in (True, False)
    )
    secret = "" if p in (0, 1) else "a guarantee only while nobody learns the label"
    with np.errstate(divide="ignore"):
        x, y = epsilon + np.log(p), epsilon / math.sqrt(clients) + np.log1p(-p)
    line = float(np.logaddexp(x, y))
    same_set = "assumes P[A' in S] = P[B' in S], which no two different noises meet for every S"
    condition = "its condition ε1 + ln p > 0 and ε2 + ln(1-p) > 0 is not met"
    step = "e^x + e^y <= e^(x+y) is false here: it needs (e^x - 1)(e^y - 1) >= 1"
    false_step = "" if sum_of_exponentials_holds(x, y) else (step if x > 0 and y > 0 else condition)
    rows = [
        ("known", "Label known", known, True, ""),
        ("hidden", "Label hidden", hidden, not secret, secret),
        ("larger", "Section 3.1: the larger ε", float(epsilon), _meets(epsilon, known), _unmet(epsilon, known)),
        ("line", "Section 3.2 before its last step", line, False, same_set),
        ("product", "Section 3.2 as printed", float(x + y), False, false_step or same_set),
    ]  # fmt: skip
    frame = pandas.DataFrame(rows, columns=["bound", "label", "epsilon", "proved", "reason"])
    return frame.assign(delta=delta, holds=_meets(frame.epsilon, known) | (frame.bound == "known"))


def _meets(claim: float, truth: float) -> bool:
    return claim >= truth * (1 - 1e-12)


def _unmet(epsilon: float, known: float) -> str:
    return "" if _meets(epsilon, known) else "the calibration does not meet its own pair here"


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

    frames = [
        mixture_bounds(epsilon, delta, clients, p, calibration, centre_gap).assign(p=float(p)) for p in probabilities
    ]
    return pandas.concat(frames, ignore_index=True)
