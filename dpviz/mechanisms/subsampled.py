"""A mechanism read on a random sample of the data, Poisson or without replacement, each with its own relation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms.declared import Declared
from dpviz.mechanisms.laws.costs import Cost
from dpviz.mechanisms.laws.groups import group_points
from dpviz.mechanisms.laws.loss_laws import (
    FAR,
    LARGE_MU,
    RAREST,
    GaussianLaw,
    Law,
    ResponseLaw,
    SampledLaw,
    sampled_loss,
)
from dpviz.mechanisms.laws.renyi import pure_rho
from dpviz.mechanisms.laws.sampled_renyi import sampled_rdp
from dpviz.mechanisms.mechanism import Form, Mechanism
from dpviz.outward import lowered, raised, roundings, slack
from dpviz.parameters import ALPHA, COPIES, DELTA, EPSILON, RATE, REAL_EPSILON, Amount, checked_choice

RELATIONS = {"poisson": "add_remove", "without_replacement": "replace_one"}
_TOLD = 64  # records of one unit of which it is told apart how many are drawn


def amplified_epsilon(epsilon: float | np.ndarray, rate: float | np.ndarray) -> np.ndarray:
    """Return ln(1 + q(e^ε - 1)) elementwise, rounded up, never above `epsilon`.

    Parameters
    ----------
    epsilon : float or ndarray of float
        In [0, inf].
    rate : float or ndarray of float
        In [0, 1].

    Notes
    -----
    Stable from the smallest ε to the largest: with x = ε + ln q the logarithmic form has relative error at most that
    of x, as d/dx ln(1 + e^x) <= ln(1 + e^x).

    Examples
    --------
    >>> amplified_epsilon([1e-16, 1000.0], 0.5)
    array([5.00000000e-17, 9.99306853e+02])
    """
    epsilon, rate = np.broadcast_arrays(EPSILON.check_array(epsilon), RATE.check_array(rate))
    finite = np.where(np.isfinite(epsilon), epsilon, 1.0)
    value = raised(sampled_loss(finite, rate), 16)
    lost = np.where(finite < FAR, 0.0, finite - np.log(np.where(rate > 0, rate, 1.0)))
    value = np.nextafter(value + np.minimum(value, 1.0) * lost * slack(16), np.inf)
    value = np.where((rate == 0) | (epsilon == 0), 0.0, np.where(np.isinf(epsilon), np.inf, value))
    return np.where(rate == 1, epsilon, np.minimum(value, epsilon))


def _log_expm1(y: np.ndarray) -> np.ndarray:
    return np.where(y > 30, y, np.log(np.expm1(np.minimum(y, 30.0))))


@dataclass(frozen=True, slots=True)
class _SampledCost(Cost):
    """A proxy, at most the base's cost: a χ² term, exact at order 2, and above that order the term in rate^order."""

    base: Cost
    rate: float

    def cost(self, u: np.ndarray, order: float) -> np.ndarray:
        base = self.base.cost(u, order)
        if math.isinf(order):
            return np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + base)
        square = _log_expm1(self.base.cost(u, 2.0)) + 2 * math.log(self.rate) + math.log(order / 2)
        if order <= 2:
            return np.minimum(np.logaddexp(0.0, square + math.log(max(order - 1, 1e-9))) / max(order - 1, 1e-9), base)
        largest = _log_expm1((order - 1) * base) + order * math.log(self.rate)
        return np.minimum(np.logaddexp(0.0, np.logaddexp(square + math.log(order - 1), largest)) / (order - 1), base)

    def variance(self, u: np.ndarray) -> np.ndarray:
        return self.base.variance(u)

    def log_variance_slope(self, x: np.ndarray) -> np.ndarray:
        return self.base.log_variance_slope(x)


@dataclass(frozen=True, slots=True, repr=False)
class Subsampled(Mechanism):
    """Runs `base` on a random sample that nobody learns.

    Parameters
    ----------
    base : Mechanism
        Any but a subsampled one, one with a threshold, of whose samples nothing is proved here, and a trained model,
        whose batches are its samples.
    rate : float
        Probability that a record is in the sample, or sample size over population, in [0, 1].
    scheme : str
        ``"poisson"``: each record is in with probability `rate`, on its own; relation add_remove; tight.
        ``"without_replacement"``: a sample of fixed size; relation replace_one; an upper bound, not tight.

    Raises
    ------
    ValueError
        When a value lies outside its interval, the scheme is unknown, or the base does not fit it.

    Notes
    -----
    A Poisson sample has no form under replace_one: replacing a record compares two mixtures of three laws, with it,
    without it and with the other, for which no pair is proved here to dominate. State it under add_remove.

    References
    ----------
    Balle, Barthe and Gaboardi (2018), Privacy Amplification by Subsampling, Thm 8 and Thm 9.
    Zhu, Dong and Wang (2022), Optimal Accounting of Differential Privacy via Characteristic Function, Thm 11.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> print(f"{Subsampled(Laplace(1), 0.01, 'poisson').stated.epsilon:.6f}")
    0.017037
    """

    base: Mechanism
    rate: float
    scheme: Literal["poisson", "without_replacement"]
    stated: Guarantee | None = field(init=False, repr=False, compare=False)
    label: ClassVar[str] = "Subsampled"
    forms: ClassVar[tuple[Form, ...]] = ()
    leak = mu = loss = noise = norm = None
    why_no_noise, note = property(lambda self: self.base.why_no_noise), property(lambda self: self.base.note)
    strength = property(lambda self: self.base.strength if self.rate > 0 else None)
    spared = property(lambda self: self)

    def __post_init__(self) -> None:
        checked_choice(self.scheme, RELATIONS, "scheme")
        object.__setattr__(self, "rate", RATE.check(self.rate, "rate"))
        if not isinstance(self.base, Mechanism) or self.base.base is not self.base:
            raise ValueError(
                f"base must be a mechanism that is not subsampled, and holds no key back; got {self.base!r}"
            )
        if self.base.key == "trained_model":  # a rate beside its batches is nearly always theirs, told twice
            raise ValueError(f"rate must be empty of a trained model, which samples its batches; got {self.rate!r}")
        object.__setattr__(self, "stated", self._amplified())

    def _amplified(self) -> Guarantee | None:
        pair = self.base.stated
        if self.rate == 0:
            return Guarantee(0.0)
        if pair is None or self.rate == 1:
            return pair
        delta = min(raised(self.rate * pair.delta, 16), 1.0)
        return Guarantee(float(amplified_epsilon(pair.epsilon, self.rate)), delta)

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
    def profiles(self) -> tuple[Callable[[np.ndarray], np.ndarray], ...]:
        """The directional profiles: (remove, add) for Poisson sampling, one without replacement."""
        if self.rate == 1:
            return self.base.profiles
        return (self._removed, self._added) if self.scheme == "poisson" else (self._replaced,)

    def delta(self, epsilon: Amount) -> Amount:
        """Return delta(epsilon) for every real epsilon, the worst of both directions, rounded up.

        Parameters
        ----------
        epsilon : float or ndarray of float
            Any real number.

        Examples
        --------
        >>> from dpviz.mechanisms import Gaussian
        >>> print(f"{Subsampled(Gaussian(1), 0.01, 'poisson').delta(0.0):.6f}")
        0.003829
        """
        values = REAL_EPSILON.check_array(epsilon)
        worst = np.max([profile(values) for profile in self.profiles], axis=0)
        return float(worst) if values.ndim == 0 else worst

    def epsilon(self, delta: Amount) -> Amount:
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
            with np.errstate(over="ignore"):  # of the rarest rates: the whole δ of the base is 1 then
                whole = np.minimum(lowered(values / self.rate, 2), 1.0)
            result = amplified_epsilon(self.base.epsilon(whole), self.rate)
        result = np.where(values >= self.rate, 0.0, result)
        return float(result) if values.ndim == 0 else result

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Renyi divergence of order `alpha` in (1, inf), the worst of both directions, rounded up by 2e-12.

        Notes
        -----
        Never above the base's own curve, which stands in where the base leaks.
        """
        orders = ALPHA.check_array(alpha)
        if self.rate in (0, 1):
            return self.base.rdp(alpha) if self.rate else 0.0 * orders[()]
        result = np.array(self.base.rdp(orders))
        with np.errstate(over="ignore"):
            finite = np.isfinite(result * orders)
        if finite.any():
            own = sampled_rdp(self.base, self.rate, self.scheme, orders[finite])
            result[finite] = np.minimum(own, result[finite])
        return float(result) if orders.ndim == 0 else result

    @property
    def rho(self) -> float:
        """A zCDP parameter: the base's, or that of the pure stated pair if smaller."""
        pure = self.stated is not None and self.stated.delta == 0
        return min(self.base.rho, pure_rho(self.stated.epsilon)) if pure else self.base.rho

    def laws(self) -> tuple[Law, ...]:
        """Return the laws of (remove, add) for Poisson sampling, one without replacement."""
        (base,) = self.base.laws()
        if self.rate >= 1:
            return (base,)
        if self.rate <= 0:
            return (ResponseLaw(0.0, 0.0),)
        if math.isinf(base.top) and self.rate < RAREST:
            return (ResponseLaw(0.0, self.rate, True),)
        if isinstance(base, GaussianLaw):
            base = replace(base, both=True) if base.mu <= LARGE_MU else ResponseLaw(0.0, 1.0, True)
        directions = ("remove", "add") if self.scheme == "poisson" else ("replace",)
        return tuple(SampledLaw(base, self.rate, direction) for direction in directions)

    def grouped(self, copies: int) -> Subsampled | Declared:
        """Return the profile of so many records: by what one loses, and in a Poisson sample by how many are drawn."""
        copies = COPIES.check(copies)
        if copies == 1 or self.rate == 0:
            return self
        if self.rate == 1:
            return replace(self, base=self.base.grouped(copies))
        drawn = self._drawn(copies) if self.scheme == "poisson" else None
        return Declared.profile(*group_points(self, copies, drawn))

    def _drawn(self, copies: int) -> Callable[[np.ndarray], np.ndarray]:
        """δ(ε), ε >= 0, by how many of the records are drawn, read as if that were told where any is.

        With q the probability that any is, Σ_j P[j of them] δ_j(ln(1 + (e^ε - 1)/q)) by joint convexity, δ_j the base's
        profile for j records; for the other direction it is less, as of one record. Of many, all are read as drawn.
        """
        drawn = raised(-math.expm1(copies * math.log1p(-self.rate)), 16)
        several = replace(self, rate=min(drawn, copies * self.rate, 1.0))
        shares = {copies: several.rate}
        if copies <= _TOLD:
            logs = [j * math.log(self.rate) + (copies - j) * math.log1p(-self.rate) for j in range(copies + 1)]
            each = {j: math.comb(copies, j) * math.exp(logs[j]) for j in range(1, copies + 1)}
            shares = {j: raised(share, roundings(1e-12)) for j, share in each.items()}
        bases = [(share, self.base.grouped(j)) for j, share in shares.items()]

        def profile(epsilon: np.ndarray) -> np.ndarray:
            _, source = several._source(epsilon)
            return raised(np.sum([share * np.asarray(base.delta(source)) for share, base in bases], axis=0), 16)

        return profile

    @property
    def cost(self) -> Cost | None:
        """A proxy by that of its base."""
        cost = self.base.cost
        return _SampledCost(cost, self.rate) if cost and self.rate < 1 else cost

    def at_strength(self, ratio: float) -> Subsampled:
        """Return a sample of the base at that strength."""
        return replace(self, base=self.base.at_strength(ratio))

    def bare(self, ratio: float) -> Subsampled:
        """Return a sample of the bare base."""
        return replace(self, base=self.base.bare(ratio))

    def scaled(self, factor: Fraction) -> Subsampled | None:
        """Return a sample of the scaled base."""
        base = self.base.scaled(factor)
        return base and replace(self, base=base)

    def sample(self, value: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw outputs for a sum to which one record adds `value` if sampled, all others 0; for simulation only."""
        there, away = self.base.sample(value, size, rng), self.base.sample(0 * value, size, rng)
        return np.where(rng.random(size) < self.rate, there, away)

    def log_ratio(self, outputs: np.ndarray, value: float, other: float) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        zero = 0 * value
        ahead, behind = (sampled_loss(self.base.log_ratio(outputs, point, zero), self.rate) for point in (value, other))
        return np.where(ahead == behind, 0.0, ahead - np.where(ahead == behind, 0.0, behind))

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
        floor = raised(np.abs(np.expm1(np.minimum(epsilon, 0.0))), 16)
        base = np.asarray(self.base.delta(source))
        values = np.maximum(raised(weight * base, 16), np.where((base > 0) & (weight > 0), np.nextafter(0.0, 1.0), 0.0))
        return np.minimum(np.where(gain > -1, np.maximum(values, floor), floor), 1.0)

    def _source(self, epsilon: np.ndarray, up: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """(e^ε - 1) / rate, and the base's ε from which the sample's ε comes; both rounded down, or `up`."""
        if self.rate == 0:
            return np.where(epsilon >= 0, math.inf, -1.0), np.where(epsilon >= 0, math.inf, 0.0)
        outward = slack(4) if up else -slack(4)
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
        behind = np.minimum(raised(-np.expm1(-size) + np.exp(-size) * gain, 16), 1.0)
        return np.where(np.asarray(epsilon) >= 0, gain, behind)
