"""The midpoint test on the mean, in theory: how often the notebook's way of telling two worlds apart must fail."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from dpviz.mechanisms import Gaussian, Laplace, Mechanism
from dpviz.parameters import COUNT, SENSITIVITY
from dpviz.search import farthest

_STEP, _REACH = 1 / 128, 30.0  # of the trapezoidal rule along the contour; 1/64 gives the same twelve digits
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
        The error rate, the same in both worlds; None where a mechanism adds neither Laplace nor Gaussian noise.

    Raises
    ------
    ValueError
        When a value is not allowed.

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
    >>> notebook = (Laplace(2.0), Laplace(1.0), Gaussian.from_guarantee(0.5, 0.01, calibration="classical"))
    >>> print(f"{midpoint_error(notebook, 1):.3f} {midpoint_error(notebook, 1000):.2g}")
    0.414 5.2e-12
    """
    times, distance = COUNT.check(times, "times"), SENSITIVITY.check(distance, "distance")
    mechanisms = tuple(mechanisms)
    if not mechanisms or times == 0:
        raise ValueError("mechanisms must be asked at least once; got none")
    if not all(isinstance(each, Laplace | Gaussian) for each in mechanisms):
        return None
    scales = np.array([each.scale for each in mechanisms if isinstance(each, Laplace)])
    sigma = math.hypot(*(each.sigma for each in mechanisms if isinstance(each, Gaussian)))
    threshold = len(mechanisms) * times * distance / 2
    if not len(scales):
        return float(ndtr(-threshold / sigma / math.sqrt(times)))
    with np.errstate(under="ignore"):
        return _tail(scales, sigma, times, threshold)


def normal_midpoint_error(mechanisms: tuple[Mechanism, ...], times: int = 1, distance: float = 1.0) -> float | None:
    """Return `midpoint_error` as if the mean were normal: what its standard deviation alone suggests.

    Too small in the tail, where Laplace noise is heavier; for comparison with published numbers only.

    Examples
    --------
    >>> notebook = (Laplace(2.0), Laplace(1.0), Gaussian.from_guarantee(0.5, 0.01, calibration="classical"))
    >>> print(f"{normal_midpoint_error(notebook, 1000):.2g}")
    5.1e-12
    """
    if midpoint_error(mechanisms, times, distance) is None:
        return None
    noises = (each.scale * math.sqrt(2) if isinstance(each, Laplace) else each.sigma for each in mechanisms)
    return float(ndtr(-len(mechanisms) * math.sqrt(times) * distance / 2 / math.hypot(*noises)))


def _tail(scales: np.ndarray, sigma: float, times: int, threshold: float) -> float:
    """P[sum > threshold] for Laplace noises and one Gaussian, each drawn `times` times."""
    unit = max(float(scales.max()), sigma)  # in units of the largest noise, so that no square overflows
    scales, uses = np.unique(np.maximum(scales / unit, _NEGLIGIBLE), return_counts=True)
    variance, threshold = (sigma / unit) ** 2, threshold / unit

    def cumulant(s: np.ndarray) -> np.ndarray:
        laplace = -np.log1p(-(np.multiply.outer(s, scales) ** 2)) @ uses
        return times * (laplace + variance * s * s / 2)

    def slope(s: float) -> float:
        return times * (float((2 * scales**2 * s / (1 - (scales * s) ** 2)) @ uses) + variance * s)

    pole = 1 / float(scales.max())
    highest = min(pole * (1 - 1e-9), threshold / (times * variance) if variance else math.inf)
    saddle = farthest(lambda s: slope(s) < threshold, 0.0, highest)
    width = min(1 / math.sqrt(times * (2 * float(scales**2 @ uses) + variance)), pole / 2, pole - saddle)
    centre = max(saddle, width)
    parameter = np.arange(0, _REACH, _STEP)
    line = centre + width * (_SLANT * (np.cosh(parameter) - 1) + 1j * np.sinh(parameter))
    turn = width * (_SLANT * np.sinh(parameter) + 1j * np.cosh(parameter))
    exponent = cumulant(line) - threshold * line
    values = (np.exp(exponent - exponent[0].real) / line * turn).imag
    return float(np.exp(exponent[0].real) * _STEP * (values.sum() - values[0] / 2) / math.pi)
