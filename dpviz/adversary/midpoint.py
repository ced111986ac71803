"""The midpoint test on the mean, in theory: how often the notebook's way of telling two worlds apart must fail."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.noise import Noise
from dpviz.parameters import COUNT, SENSITIVITY, checked_items
from dpviz.search import farthest

_STEP, _REACH = 1 / 128, 30.0  # of the trapezoidal rule along the contour; 1/64 gives the same twelve digits
_TINY = 1e-30  # imaginary step of a derivative, exact to rounding
_NEGLIGIBLE = 1e-100  # scale, beside the largest
_SLANT = 0.7  # below 1, so that Gaussian terms fall along the contour


def midpoint_error(mechanisms: tuple[Mechanism, ...], times: int = 1, distance: float = 1.0) -> float | None:
    """Return how often the mean of all outputs lies on the wrong side of the midpoint.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
        Asked once each, `times` times over.
    times : int
        At least 1.
    distance : float
        Between the two answers, in (0, inf).

    Returns
    -------
    float or None
        The error rate, the same in both worlds; None where a mechanism adds no noise to an answer, or whole numbers.

    Notes
    -----
    P[sum of noises > t] is the integral of exp(K(s) - s t) / (2πi s) along a line right of 0, K the cumulant generating
    function. The line is bent into a hyperbola through a point near the saddle, around the poles of Laplace terms: the
    integrand then falls doubly exponentially, and the trapezoidal rule is accurate to about 1e-12 relative, also for
    tails of 1e-300.

    References
    ----------
    Lugannani & Rice (1980), Saddle point approximation for the distribution of the sum of independent random variables;
    Trefethen & Weideman (2014), The exponentially convergent trapezoidal rule, Sec. 15.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> notebook = (Laplace(2.0), Laplace(1.0), Gaussian.from_guarantee(0.5, 0.01, calibration="classical"))
    >>> print(f"{midpoint_error(notebook, 1):.3f} {midpoint_error(notebook, 1000):.2g}")
    0.414 5.2e-12
    """
    times, distance = COUNT.check(times, "times"), SENSITIVITY.check(distance, "distance")
    mechanisms = tuple(checked_items(mechanisms, "mechanisms", "mechanisms", Mechanism))
    if not mechanisms or times == 0:
        raise ValueError("mechanisms must be asked at least once; got none")
    noises = Counter(each.noise for each in mechanisms)
    if any(noise is None or noise.pole is None for noise in noises):
        return None
    threshold = len(mechanisms) * times * distance / 2
    if all(each.mu is not None for each in mechanisms):
        return float(ndtr(-threshold / _deviation(noises) / math.sqrt(times)))
    with np.errstate(under="ignore"):
        return _tail(noises, times, threshold)


def normal_midpoint_error(mechanisms: tuple[Mechanism, ...], times: int = 1, distance: float = 1.0) -> float | None:
    """Return `midpoint_error` as if the mean were normal: what its standard deviation alone suggests.

    Too small in the tail, where Laplace noise is heavier; for comparison with published numbers only.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> notebook = (Laplace(2.0), Laplace(1.0), Gaussian.from_guarantee(0.5, 0.01, calibration="classical"))
    >>> print(f"{normal_midpoint_error(notebook, 1000):.2g}")
    5.1e-12
    """
    if midpoint_error(mechanisms, times, distance) is None:
        return None
    deviation = _deviation(Counter(each.noise for each in mechanisms))
    return float(ndtr(-len(mechanisms) * math.sqrt(times) * distance / 2 / deviation))


def _deviation(noises: Counter[Noise]) -> float:
    return math.hypot(*(math.sqrt(uses) * noise.deviation for noise, uses in noises.items()))


def _tail(noises: Counter[Noise], times: int, threshold: float) -> float:
    """P[sum > threshold] for noises of which some have a pole, each drawn `times` its number."""
    unit = max(max(each.scale for each in noises), _deviation(noises))  # so that no square overflows
    drawn = [(replace(each, scale=max(each.scale / unit, _NEGLIGIBLE)), times * uses) for each, uses in noises.items()]
    threshold /= unit

    def cumulant(s: np.ndarray) -> np.ndarray:
        return sum(uses * noise.cumulant(s) for noise, uses in drawn)

    def slope(s: float) -> float:
        return float(cumulant(complex(s, _TINY)).imag) / _TINY

    pole = min(noise.pole for noise, _ in drawn)
    saddle = farthest(lambda s: slope(s) < threshold, 0.0, pole * (1 - 1e-9))
    deviation = math.sqrt(sum(uses * noise.deviation**2 for noise, uses in drawn))
    width = min(1 / deviation, pole / 2, pole - saddle)
    centre = max(saddle, width)
    parameter = np.arange(0, _REACH, _STEP)
    line = centre + width * (_SLANT * (np.cosh(parameter) - 1) + 1j * np.sinh(parameter))
    turn = width * (_SLANT * np.sinh(parameter) + 1j * np.cosh(parameter))
    exponent = cumulant(line) - threshold * line
    values = (np.exp(exponent - exponent[0].real) / line * turn).imag
    return float(np.exp(exponent[0].real) * _STEP * (values.sum() - values[0] / 2) / math.pi)
