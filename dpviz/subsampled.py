"""A mechanism read on a random sample of the data: Poisson or without replacement.

Each with its own neighbour relation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, log_ndtr, logsumexp

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, Mechanism
from dpviz.parameters import ALPHA, DELTA, RATE, REAL_EPSILON
from dpviz.renyi import pure_rho

RELATIONS = {"poisson": "add_remove", "without_replacement": "replace_one"}
UP = 1 + 2e-15  # outward rounding of a handful of double operations
NEAR = 6e-16  # of numbers that nearly cancel: rounding of either
RARE = 1e-3  # sampling rate below which the terms of a Renyi moment nearly cancel
LARGEST_ORDER = 1000.0  # beyond, the base's own Renyi curve stands in


@dataclass(frozen=True, slots=True)
class Subsampled(Mechanism):
    """Runs `base` on a random sample that nobody learns.

    Parameters
    ----------
    base : Mechanism
        Laplace or Gaussian for Poisson sampling; any but a subsampled one without replacement.
    rate : float
        Probability that a record is in the sample, or sample size over population, in [0, 1].
    scheme : str
        ``"poisson"``: each record is in with probability `rate`, on its own; relation add_remove; tight.
        ``"without_replacement"``: a sample of fixed size; relation replace_one; an upper bound, not tight.

    Raises
    ------
    ValueError
        When a value lies outside its interval, the scheme is unknown, or the base does not fit it.

    References
    ----------
    Balle, Barthe and Gaboardi (2018), Privacy Amplification by Subsampling, Thm 8 and Thm 9.
    Zhu, Dong and Wang (2022), Optimal Accounting of Differential Privacy via Characteristic Function, Thm 11.

    Examples
    --------
    >>> print(f"{Subsampled(Laplace(1), 0.01, 'poisson').stated.epsilon:.6f}")
    0.017037
    """

    base: Mechanism
    rate: float
    scheme: str
    stated: Guarantee | None = field(init=False, repr=False, compare=False)
    label: ClassVar[str] = "Subsampled"

    def __post_init__(self) -> None:
        if self.scheme not in RELATIONS:
            raise ValueError(f"scheme must be one of {', '.join(RELATIONS)}; got {self.scheme!r}")
        object.__setattr__(self, "rate", RATE.check(self.rate, "rate"))
        allowed = (Laplace, Gaussian) if self.scheme == "poisson" else Mechanism
        if not isinstance(self.base, allowed) or isinstance(self.base, Subsampled):
            wanted = "Laplace or Gaussian" if self.scheme == "poisson" else "a mechanism that is not subsampled"
            raise ValueError(f"base must be {wanted} for scheme {self.scheme!r}; got {self.base!r}")
        object.__setattr__(self, "stated", self._amplified())

    def _amplified(self) -> Guarantee | None:
        pair = self.base.stated
        if self.rate == 0:
            return Guarantee(0.0)
        if pair is None or self.rate == 1:
            return pair
        return Guarantee(min(self._forward(pair.epsilon) * UP, pair.epsilon), min(self.rate * pair.delta * UP, 1.0))

    @property
    def relation(self) -> str:
        """The neighbour relation that the scheme demands."""
        return RELATIONS[self.scheme]

    @property
    def key(self) -> str:
        """The key of what is sampled for; the scheme says the rest."""
        return self.base.key

    @property
    def parameters(self) -> dict[str, object]:
        """The inputs as typed."""
        return {**self.base.parameters, "scheme": self.scheme, "rate": self.rate}

    @property
    def profiles(self) -> tuple[Callable, ...]:
        """The directional profiles: (remove, add) for Poisson sampling, one without replacement."""
        if self.rate == 1:
            return self.base.profiles
        return (self._removed, self._added) if self.scheme == "poisson" else (self._replaced,)

    def delta(self, epsilon: float | np.ndarray) -> float | np.ndarray:
        """Return delta(epsilon) for every real epsilon, the worst of both directions, rounded up.

        Parameters
        ----------
        epsilon : float or ndarray of float
            Any real number.

        Examples
        --------
        >>> print(f"{Subsampled(Gaussian(1), 0.01, 'poisson').delta(0.0):.6f}")
        0.003829
        """
        values = REAL_EPSILON.check_array(epsilon)
        worst = np.max([profile(values) for profile in self.profiles], axis=0)
        return float(worst) if values.ndim == 0 else worst

    def epsilon(self, delta: float | np.ndarray) -> float | np.ndarray:
        """Return the smallest epsilon >= 0 with delta(epsilon) <= `delta`, rounded up.

        Parameters
        ----------
        delta : float or ndarray of float
            In [0, 1].

        Notes
        -----
        At epsilon >= 0 removing a record is never better than adding one, so its profile alone is inverted.
        """
        values = DELTA.check_array(delta)
        if self.rate == 0:
            result = np.zeros(values.shape)
        else:
            result = self._forward(np.asarray(self.base.epsilon(np.minimum(values / self.rate * (1 - 4e-16), 1.0))))
        result = np.where(values >= self.rate, 0.0, result * UP)
        return float(result) if values.ndim == 0 else result

    def rdp(self, alpha: float | np.ndarray) -> float | np.ndarray:
        """Return an upper bound on the Renyi divergence of order `alpha` in (1, inf), the worst of both directions.

        Notes
        -----
        Integrated numerically over the privacy loss law, what is cut off bounded and added; never above the base's
        own curve.
        """
        orders = ALPHA.check_array(alpha)
        if self.rate in (0, 1):
            return self.base.rdp(alpha) if self.rate else 0.0 * orders[()]
        flat = np.array([self._renyi(float(order)) for order in orders.ravel()])
        result = np.minimum(flat.reshape(orders.shape), self.base.rdp(orders))
        return float(result) if orders.ndim == 0 else result

    @property
    def rho(self) -> float:
        """A zCDP parameter: the base's, or that of the pure stated pair if smaller."""
        pure = self.stated is not None and self.stated.delta == 0
        return min(self.base.rho, pure_rho(self.stated.epsilon)) if pure else self.base.rho

    def sample(self, value: float, size: int | tuple, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for a sum to which one record adds `value` if sampled, all others 0; for simulation only."""
        there, away = self.base.sample(value, size, rng), self.base.sample(type(value)(0), size, rng)
        return np.where(rng.random(size) < self.rate, there, away)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        zero = type(value)(0)
        ahead, behind = (self._forward(self.base.log_ratio(outputs, point, zero)) for point in (value, other))
        return np.where(ahead == behind, 0.0, ahead - np.where(ahead == behind, 0.0, behind))

    def _forward(self, loss: float | np.ndarray) -> np.ndarray:
        """ln(1 + rate (exp(loss) - 1)), the loss of the sample at a loss of the base."""
        loss = np.asarray(loss, dtype=float)
        if self.rate == 0:
            return np.zeros(loss.shape)
        near = np.log1p(np.maximum(self.rate * np.expm1(np.minimum(loss, 30.0)), -1 + 1e-300))
        with np.errstate(invalid="ignore"):
            far = np.maximum(loss, 30.0) + np.log1p(-np.exp(-np.maximum(loss, 30.0)))
            log_gain = far + math.log(self.rate) + NEAR * (far - math.log(self.rate))
        return np.where(loss < 30, near, np.logaddexp(0.0, log_gain))

    def _removed(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        return self._scaled(epsilon, self.rate, *self._source(epsilon))

    def _added(self, epsilon: np.ndarray) -> np.ndarray:
        epsilon = np.asarray(epsilon, dtype=float)
        gain, source = self._source(-epsilon, up=True)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = np.exp(epsilon) * self.rate * (1 + gain)
        return self._scaled(epsilon, np.where(np.isfinite(weight), weight, 0.0), gain, -source)

    def _scaled(self, epsilon: np.ndarray, weight: np.ndarray, gain: np.ndarray, source: np.ndarray) -> np.ndarray:
        """`weight` times the base's δ at `source` where there is one (`gain` above -1), rounded up; 0 only if it is."""
        floor = np.abs(np.expm1(np.minimum(epsilon, 0.0))) * UP
        base = np.asarray(self.base.delta(source))
        values = np.maximum(weight * base * UP, np.where((base > 0) & (weight > 0), np.nextafter(0.0, 1.0), 0.0))
        return np.minimum(np.where(gain > -1, np.maximum(values, floor), floor), 1.0)

    def _source(self, epsilon: np.ndarray, up: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """(e^ε - 1) / rate, and the base's ε from which the sample's ε comes; both rounded down, or `up`."""
        if self.rate == 0:
            return np.where(epsilon >= 0, math.inf, -1.0), np.where(epsilon >= 0, math.inf, 0.0)
        outward = NEAR if up else -NEAR
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            gain = np.expm1(epsilon) / self.rate
            gain = np.where(np.isfinite(gain), gain + outward * np.abs(gain), gain)
            far = epsilon + np.log(-np.expm1(-np.abs(epsilon))) - math.log(self.rate)
            source = np.where(gain < 1e300, np.log1p(np.maximum(gain, -1.0)), far)
        source = np.where(gain > -1, source, 0.0)
        return gain, source + outward * np.abs(np.where(np.isfinite(source), source, 0.0))

    def _replaced(self, epsilon: np.ndarray) -> np.ndarray:
        size = np.abs(epsilon)
        gain = self._removed(size)
        return np.where(np.asarray(epsilon) >= 0, gain, np.minimum((-np.expm1(-size) + np.exp(-size) * gain) * UP, 1.0))

    def _renyi(self, order: float) -> float:
        from dpviz.loss_laws import loss_laws  # the laws know this class, so it can only meet them late

        if order > LARGEST_ORDER or (isinstance(self.base, Gaussian) and order * self.base.mu > 1e4):
            return math.inf
        if isinstance(self.base, Gaussian) and self.scheme == "poisson" and order.is_integer():
            return self._whole_renyi(int(order))
        return max(self._law_renyi(law, order) for law in loss_laws(self))

    def _whole_renyi(self, order: int) -> float:
        """The exact curve of sampled Gaussian noise at a whole order: a binomial sum of positive terms, rounded up.

        Removing a record is the worse direction: Mironov, Talwar & Zhang (2019), Renyi Differential Privacy of the
        Sampled Gaussian Mechanism, Thm 5 and Sec. 3.3.
        """
        drawn = np.arange(2, order + 1)
        ways = gammaln(order + 1) - gammaln(drawn + 1) - gammaln(order - drawn + 1)
        chances = ways + drawn * math.log(self.rate) + (order - drawn) * math.log1p(-self.rate)
        growth = np.maximum(drawn * (drawn - 1) * self.base.mu**2 / 2, 1e-300)
        terms = chances + np.where(growth > 30, growth, np.log(np.expm1(np.minimum(growth, 30.0))))
        excess = float(logsumexp(terms))  # ln of the moment less 1
        moment = math.log1p(math.exp(excess)) if excess < 30 else excess + math.exp(-excess)
        # Logarithms of factorials of up to 1000 are good to 2e-12.
        return moment * (1 + 1e-11) / (order - 1)

    def _law_renyi(self, law: object, order: float) -> float:
        if law.leak > 0:
            return math.inf
        mu = self.base.mu if isinstance(self.base, Gaussian) else 0.0
        finer = 2.0 ** math.ceil(math.log2(1 + order * (mu + 1) / 40))
        atoms = _nodes(law, 0.06 / finer)
        exponents = (order - 1) * atoms.losses
        if exponents.max() < 30:
            log_moment = math.log1p(max(float(np.exp(atoms.log_masses) @ np.expm1(exponents)), -0.5))
        else:
            exponents += atoms.log_masses
            log_moment = float(exponents.max() + np.log(np.exp(exponents - exponents.max()).sum()))
        if self.rate < RARE:
            log_moment = max(log_moment, _positive_moment(atoms, order))
        if mu and atoms.cut:
            end = law.base.span(-650.0)[1]
            reach = end / mu - mu / 2
            sampled = order * math.log(
                self.rate + (1 - self.rate) * math.exp(-end)
            )  # beyond, the loss is smaller by this
            tail = order * (order - 1) * mu * mu / 2 + float(log_ndtr((order - 1) * mu - reach)) + sampled
            log_moment = (
                float(np.logaddexp(log_moment, tail)) if log_moment > 1 else log_moment + math.exp(min(tail, 700.0))
            )
        return max(log_moment * (1 + 1e-9) + 1e-15 * self.rate, 0.0) / (order - 1)


def _positive_moment(atoms: object, order: float) -> float:
    """ln E[e^((α-1)L)] from terms that are all positive: E[e^-L] = 1, so (α-1)(e^-L - 1) is added without changing it.

    For rare sampling the plain terms nearly cancel, and the sum of what rounding left of them can be too small.
    """
    losses = np.clip(atoms.losses, -600.0, None)
    grown, small = (order - 1) * losses, np.abs(order * losses) < 1e-3
    near = losses**2 * (order - 1) * (order / 2 + (order * (order - 2) * losses) / 6 + order**3 * losses**2 / 24)
    plain = np.expm1(np.minimum(grown, 30.0)) + (order - 1) * np.expm1(-losses)
    far = grown > 30
    body = float(np.exp(atoms.log_masses[~far]) @ np.maximum(np.where(small, near, plain)[~far], 0.0))
    tail = float(logsumexp(grown[far] + atoms.log_masses[far])) if far.any() else -math.inf
    excess = float(np.logaddexp(math.log(max(body, 1e-300)), tail))
    return math.log1p(math.exp(excess)) if excess < 30 else excess


@lru_cache(maxsize=2)
def _nodes(law: object, change: float) -> object:
    """The nodes of a law on a mesh of its own, kept for the next order."""
    return law.atoms(np.empty(0), -650.0, change)
