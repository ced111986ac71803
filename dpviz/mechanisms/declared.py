"""Releases of which only a guarantee is declared: ρ, μ, a Rényi curve at some orders, or a privacy profile as points.

Whatever is read between the numbers that were declared lies on the safe side. A profile is convex in e^ε and the same
in both directions, so that the chords between its points, and their mirror images at negative ε, bound it; these
chords are themselves the profile of a pair with finitely many losses, which every theorem can read. ρ and Rényi curves
are converted to points where a theorem needs a profile.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np

from dpviz.decimals import number, rounded_up, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms.laws.gaussian_profile import gaussian_delta, gaussian_epsilon
from dpviz.mechanisms.laws.groups import group_points
from dpviz.mechanisms.laws.loss_laws import GaussianLaw, Law, PointsLaw, ResponseLaw
from dpviz.mechanisms.laws.renyi import pure_rdp, pure_rho
from dpviz.mechanisms.mechanism import FINITE_EPSILON, LEAST, Form, Mechanism, Whole, elementwise
from dpviz.mechanisms.responses import checked_bit, grouped_pair
from dpviz.outward import U, raised
from dpviz.parameters import ALPHA, COPIES, DELTA, REAL_EPSILON, Amount, Parameter, checked, checked_items

DECLARED_RHO = Parameter("rho", "ρ", "zero-concentrated privacy loss", 0, 1e9, open_low=True)
DECLARED_MU = Parameter("mu", "μ", "Gaussian privacy loss", 0, 1e6, open_low=True)
DECLARED_LEAK = Parameter("delta", "δ", "probability with which the bound may fail", 0, 1, open_high=True)
DIVERGENCE = Parameter("epsilons", "r", "Rényi divergence", 0, 1e9)
MOST = 1000  # points of a curve
_GRID = 512  # points that a ρ or a Rényi curve is converted to
_FARTHEST = 660.0  # -ln of the smallest δ among them
_FLAT = 1e-6  # a point that bends the chords by less than this share is left out: its chord stays, on the safe side
_RATIO, _STEPS = 1.005, 2800  # of the orders at which a supremum over all orders is bounded
_SIGNS = {"ρ": "rho", "δ": "delta", "μ": "mu", "rényi": "renyi"}


class _Chords:
    """A profile by its points: the chords between them in e^ε, and their mirror image at negative ε."""

    def __init__(self, epsilons: np.ndarray, deltas: np.ndarray) -> None:
        # A chord from a point to its own mirror image passes ε = 0 here.
        chords = raised(deltas + (1 - deltas) * np.tanh(epsilons / 2), 16)
        start = float(min(1.0, chords.min(), *deltas[epsilons == 0]))
        kept = [(0.0, start)]
        for epsilon, delta in sorted(zip(epsilons.tolist(), deltas.tolist(), strict=True)):
            if epsilon == 0 or delta >= kept[-1][1]:
                continue
            while len(kept) > 1 and not _bends(kept[-2], kept[-1], (epsilon, delta)):
                kept.pop()
            kept.append((epsilon, delta))
        self.points = kept
        self.epsilons, self.deltas = (np.array(each) for each in zip(*kept, strict=True))

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return δ at every real ε, rounded up."""
        size = np.minimum(np.abs(epsilon), self.epsilons[-1])
        after = np.minimum(np.searchsorted(self.epsilons, size, "right"), len(self.epsilons) - 1)
        before = np.maximum(after - 1, 0)
        left, right = self.epsilons[before], self.epsilons[after]
        with np.errstate(invalid="ignore"):
            share = np.where(size >= right, 0.0, np.expm1(size - right) / np.expm1(left - right))
        high, low = self.deltas[before], self.deltas[after]
        inside = np.minimum(raised(low + (high - low) * share, 16), high)
        ahead = np.where(size >= right, low, inside)
        back = -np.expm1(-np.abs(epsilon)) + np.exp(-np.abs(epsilon)) * ahead
        return np.where(epsilon >= 0, ahead, np.minimum(raised(back, 16), 1.0))

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`, rounded up; inf where there is none."""
        place = np.searchsorted(-self.deltas, -delta)
        after = np.clip(place, 1, len(self.deltas) - 1) if len(self.deltas) > 1 else np.zeros_like(place)
        before = np.maximum(after - 1, 0)
        left, right = self.epsilons[before], self.epsilons[after]
        high, low = self.deltas[before], self.deltas[after]
        with np.errstate(divide="ignore", invalid="ignore"):
            upper, lower = np.log((delta - low) / (high - low)), np.log((high - delta) / (high - low))
            found = np.logaddexp(left + upper, right + lower) + 16 * U * (1 + right)
        found = np.where(delta == low, right, np.clip(found, left, right))
        return np.where(place == 0, 0.0, np.where(place == len(self.deltas), np.inf, found))

    def law(self, stands_in: bool) -> Law:
        """Return the law of the loss of the pair whose profile this is."""
        (_, start), *points = self.points
        if not points:
            return ResponseLaw(0.0, start, stands_in)
        top, leak = points[-1]
        if len(points) == 1 and start >= (leak + (1 - leak) * math.tanh(top / 2)) * (1 - 4 * U):
            return ResponseLaw(top, leak, stands_in)
        slopes = [_slopes(*pair) for pair in pairwise(self.points)]
        into, out = [steep for steep, _ in slopes], [*(flat for _, flat in slopes[1:]), 0.0]
        gaps = [*(after[0] - before[0] for before, after in pairwise(points)), 0.0]
        masses = tuple(steep - flat for steep, flat in zip(into, out, strict=True))
        errors = tuple(
            16 * U * (1 + (steep + flat * (1 + gap)) / mass)
            for steep, flat, gap, mass in zip(into, out, gaps, masses, strict=True)
        )
        return PointsLaw(tuple(epsilon for epsilon, _ in points), masses, errors, leak, stands_in)


def _slopes(before: tuple[float, float], after: tuple[float, float]) -> tuple[float, float]:
    """By how much δ falls along a chord per unit of e^ε, times e^ε at its right and at its left end."""
    gap, fall = after[0] - before[0], before[1] - after[1]
    return fall / -math.expm1(-gap), fall / math.expm1(min(gap, 700.0))


def _bends(before: tuple[float, float], point: tuple[float, float], after: tuple[float, float]) -> bool:
    """Whether a point lies below the chord between its neighbours by more than rounding may hide."""
    steep, flat = _slopes(before, point)[0], _slopes(point, after)[1]
    return steep - flat > _FLAT * steep


@dataclass(frozen=True, slots=True)
class Curve:
    """What is declared; every kind answers what the facets of `Declared` ask."""

    leak = mu = stated = None
    spared = property(lambda self: self)
    stands_in: ClassVar[bool] = True

    def chords(self) -> _Chords:
        """Return the chords that bound its profile."""
        return _chords(self)

    def law(self) -> Law:
        """Return the law that dominates its loss."""
        return _law(self)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return δ at every real ε."""
        return self.chords().delta(epsilon)

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        """Return ε of δ."""
        return self.chords().epsilon(delta)


@lru_cache(maxsize=256)
def _chords(curve: Curve) -> _Chords:
    return _Chords(*curve.points())


@lru_cache(maxsize=256)
def _law(curve: Curve) -> Law:
    return _chords(curve).law(curve.stands_in)


@dataclass(frozen=True, slots=True)
class ZeroConcentrated(Curve):
    """δ-approximate ρ-zCDP; see `Declared.zcdp`."""

    given_rho: float
    given_delta: float = 0.0
    text = property(
        lambda self: f"rho {_shown(self.given_rho)}" + (f" delta {_shown(self.given_delta)}" * (self.given_delta > 0))
    )
    rho = property(lambda self: math.inf if self.given_delta else self.given_rho)
    leak = property(lambda self: self.given_delta or None)
    spared = property(lambda self: ZeroConcentrated(self.given_rho))

    def __post_init__(self) -> None:
        object.__setattr__(self, "given_rho", DECLARED_RHO.check(self.given_rho))
        object.__setattr__(self, "given_delta", DECLARED_LEAK.check(self.given_delta))

    def rdp(self, order: np.ndarray) -> np.ndarray:
        """Return ρ α; inf where the bound may fail."""
        return order * self.rho

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs that follow from it."""
        width = math.sqrt(self.given_rho)
        orders = 1 + np.geomspace(1e-3 / (1 + width), 60 * (1 + 1 / width), 400)
        epsilons, deltas = _converted(orders, orders * self.given_rho, self.given_rho)
        return epsilons, np.minimum(raised(self.given_delta + (1 - self.given_delta) * deltas, 16), 1.0)


@dataclass(frozen=True, slots=True)
class GaussianDP(Curve):
    """μ-Gaussian DP; see `Declared.gdp`."""

    mu: float
    text = property(lambda self: f"mu {_shown(self.mu)}")
    rho = property(lambda self: max(raised(self.mu * self.mu / 2, 16), LEAST))

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", DECLARED_MU.check(self.mu))

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """Return the δ of Gaussian noise."""
        return gaussian_delta(epsilon, self.mu)

    def epsilon(self, delta: np.ndarray) -> np.ndarray:
        """Return the ε of Gaussian noise."""
        return gaussian_epsilon(delta, self.mu)

    def rdp(self, order: np.ndarray) -> np.ndarray:
        """Return the Rényi divergence of Gaussian noise."""
        return order * self.rho

    def law(self) -> Law:
        """Return the law of Gaussian noise."""
        return GaussianLaw(self.mu)


@dataclass(frozen=True, slots=True)
class RenyiCurve(Curve):
    """Rényi divergences at some orders; see `Declared.renyi`."""

    pairs: tuple[tuple[float, float], ...]
    text = property(lambda self: "renyi " + _pairs_text(self.pairs))
    rho = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", _checked(self.pairs, ALPHA, "orders", DIVERGENCE, "epsilons"))

    def rdp(self, order: np.ndarray) -> np.ndarray:
        """Return (α-1) D by its chords, as it is convex, from 0 at α = 1 on; inf beyond the largest order."""
        orders, divergences = (np.array(each) for each in zip(*self.pairs, strict=True))
        whole = np.interp(order - 1, np.append(0.0, orders - 1), np.append(0.0, (orders - 1) * divergences))
        inside = np.maximum(raised(whole / (order - 1), 36), LEAST * (divergences[-1] > 0))
        return np.where(order > orders[-1], np.inf, inside)

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs that follow from it."""
        orders, divergences = (np.array(each) for each in zip(*self.pairs, strict=True))
        return _converted(orders, divergences, float(divergences[0]))


@dataclass(frozen=True, slots=True)
class PrivacyProfile(Curve):
    """Points (ε, δ) of a profile; see `Declared.profile`."""

    pairs: tuple[tuple[float, float], ...]
    stands_in: ClassVar[bool] = False  # the pair of the chords keeps all that is declared
    text = property(lambda self: "profile " + _pairs_text(self.pairs))
    least = property(lambda self: min(delta for _, delta in self.pairs))
    leak = property(lambda self: self.least or None)
    rho = property(lambda self: math.inf if self.least else _largest_ratio(self))

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", _checked(self.pairs, FINITE_EPSILON, "epsilons", DELTA, "deltas"))

    @property
    def stated(self) -> Guarantee | None:
        """Its one pair, or its pure ε."""
        pure = [epsilon for epsilon, delta in self.pairs if delta == 0]
        return Guarantee(*self.pairs[0]) if len(self.pairs) == 1 else Guarantee(min(pure)) if pure else None

    @property
    def spared(self) -> PrivacyProfile:
        """What is left when the smallest δ is spent: both distributions of the pair leak it alike."""
        if not self.least < 1:
            return PrivacyProfile(((0.0, 0.0),))
        shares = ((delta - self.least) / (1 - self.least) * (1 + 8 * U) for _, delta in self.pairs)
        epsilons = (epsilon for epsilon, _ in self.pairs)
        return PrivacyProfile(tuple((each, min(share, 1.0)) for each, share in zip(epsilons, shares, strict=True)))

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Return its points."""
        return tuple(np.array(each) for each in zip(*self.pairs, strict=True))

    def rdp(self, order: np.ndarray) -> np.ndarray:
        """Return the Rényi divergence of the pair of the chords; inf where it leaks."""
        if self.least:
            return np.full(order.shape, np.inf)
        law = self.law()
        if isinstance(law, ResponseLaw):
            return np.maximum(pure_rdp(law.epsilon, order), LEAST * (law.epsilon > 0))
        return np.array([_divergence(law, each) for each in order.ravel().tolist()]).reshape(order.shape)


def _divergence(law: PointsLaw, order: float) -> float:
    """ln(1 + Σ q (e^(αx) - 1)(1 - e^(-(α-1)x))) / (α-1), of positive terms, rounded up."""
    losses, masses = np.array(law.losses), np.array(law.masses)
    logs = np.log(masses) - losses + order * losses
    logs += np.log(np.maximum([-np.expm1(-order * losses), -np.expm1(-(order - 1) * losses)], LEAST)).sum(axis=0)
    largest = logs.max()
    total = largest + math.log(np.exp(logs - largest).sum())
    moment = total + 2 * max(law.errors) + 64 * U * (len(losses) + abs(total) + order * law.top)
    return min(max(raised(float(np.logaddexp(0.0, moment)) / (order - 1), 16), LEAST), law.top)


@lru_cache(maxsize=256)
def _largest_ratio(curve: PrivacyProfile) -> float:
    """An upper bound on D_α/α over all α: D does not fall, so that it is at most its value at the next order tried."""
    law = curve.law()
    if isinstance(law, ResponseLaw):
        return max(pure_rho(law.epsilon), LEAST * (law.epsilon > 0))
    orders = _RATIO ** np.arange(1, _STEPS + 1)
    ratios = curve.rdp(orders) / np.append(1.0, orders[:-1])
    return min(raised(max(float(ratios.max()), law.top / float(orders[-1])), 16), pure_rho(law.top))


def _converted(orders: np.ndarray, divergences: np.ndarray, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Points that Rényi divergences prove, and at ε = 0 what the `mean` loss does.

    Canonne, Kamath & Steinke (2020), Prop. 12; Bretagnolle & Huber (1979) at ε = 0.
    """
    tilts, logs = orders - 1, np.log(orders)
    drop = np.log1p(-1 / orders)
    farthest = float((divergences + drop + (_FARTHEST - logs) / tilts).min())
    epsilons = max(farthest, 1e-290) * (np.arange(_GRID + 1) / _GRID) ** 2
    terms = tilts * (divergences + drop - epsilons[:, None]) - logs
    sizes = tilts * (divergences + np.abs(drop) + epsilons[:, None]) + logs
    least = (terms + 16 * U * (1 + sizes)).min(axis=1)
    deltas = np.exp(np.minimum(least, 0.0))
    deltas[0] = min(deltas[0], raised(math.sqrt(-math.expm1(-mean)), 16))
    return epsilons, np.maximum(deltas, LEAST)


def _checked(pairs: Iterable, first: Parameter, one: str, second: Parameter, other: str) -> tuple:
    """The pairs, sorted by their first number, each number in its interval."""
    checked = sorted((first.check(left, one), second.check(right, other)) for left, right in pairs)
    if not 1 <= len(checked) <= MOST:
        raise ValueError(f"curve must have 1 to {MOST} points; got {len(checked)}")
    if len({left for left, _ in checked}) < len(checked):
        raise ValueError(f"{one} must differ from each other; got {[left for left, _ in checked]!r:.60}")
    return tuple(checked)


def _shown(value: float) -> str:
    return repr(value).removesuffix(".0")


def _pairs_text(pairs: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{_shown(left)}:{_shown(right)}" for left, right in pairs)


def _paired(left: Iterable[float], right: Iterable[float], names: str) -> tuple[tuple[float, float], ...]:
    one, other = names.split(" and ")
    left, right = checked_items(left, one), checked_items(right, other)
    if len(left) != len(right):
        raise ValueError(f"{names} must be equally many; got {len(left)} and {len(right)}")
    return tuple(zip(left, right, strict=True))


@dataclass(frozen=True, slots=True)
class Declared(Whole):
    """A release of which somebody declares ρ, μ, a Rényi curve or a privacy profile, and nothing else.

    Parameters
    ----------
    curve : ZeroConcentrated, GaussianDP, RenyiCurve or PrivacyProfile
        As the class methods make it.

    Notes
    -----
    Any symmetric neighbour relation, the one it was declared for: what is declared holds in both directions.

    References
    ----------
    Bun & Steinke (2016), Def. 1.1 and 8.1; Mironov (2017), Def. 4; Dong, Roth & Su (2022); Canonne, Kamath & Steinke
    (2020), Prop. 12; Zhu, Dong & Wang (2022), of pairs that dominate.

    Examples
    --------
    >>> round(Declared.gdp(0.1).epsilon(1e-6), 6), Declared.zcdp(0.02).rho
    (0.396857, 0.02)
    >>> Declared.profile([0.5, 1.0], [1e-6, 1e-9]).epsilon(1e-9)
    1.0
    """

    curve: Curve
    key: ClassVar[str] = "declared"
    label: ClassVar[str] = "Declared curve"
    forms: ClassVar[tuple[Form, ...]] = (Form(("curve",), (), "from_text"),)
    loss = noise = norm = strength = cost = None
    note = ""
    why_no_noise = "of a declared release only its curve is known, not its noise"
    at_strength = bare = Whole.unchangeable
    stated = property(lambda self: self.curve.stated)
    leak = property(lambda self: self.curve.leak)
    mu = property(lambda self: self.curve.mu)
    rho = property(lambda self: self.curve.rho)
    spared = property(lambda self: self if self.leak is None else Declared(self.curve.spared))
    parameters = property(lambda self: {"curve": self.curve.text})

    def __post_init__(self) -> None:
        if not isinstance(self.curve, Curve):
            raise ValueError(f"curve must be made by Declared.zcdp, gdp, renyi or profile; got {self.curve!r:.60}")

    @classmethod
    def zcdp(cls, rho: float, delta: float = 0.0) -> Declared:
        """Return what is `delta`-approximately `rho`-zCDP, with rho in (0, 1e9] and delta in [0, 1).

        Examples
        --------
        >>> Declared.zcdp(0.5, 1e-9).leak
        1e-09
        """
        return cls(ZeroConcentrated(rho, delta))

    @classmethod
    def gdp(cls, mu: float) -> Declared:
        """Return what is `mu`-Gaussian differentially private, mu in (0, 1e6]: never worse than that Gaussian noise.

        Examples
        --------
        >>> Declared.gdp(1).mu
        1.0
        """
        return cls(GaussianDP(mu))

    @classmethod
    def renyi(cls, orders: Iterable[float], epsilons: Iterable[float]) -> Declared:
        """Return what has Rényi divergences of at most `epsilons`, in [0, 1e9], at `orders` in (1, inf).

        Examples
        --------
        >>> curve = Declared.renyi([2, 4], [0.1, 0.3])
        >>> round(curve.rdp(3.0), 6), curve.rdp(5.0)  # (1 · 0.1 + 3 · 0.3) / 2 / 2, and nothing is known
        (0.25, inf)
        """
        return cls(RenyiCurve(_paired(orders, epsilons, "orders and epsilons")))

    @classmethod
    def profile(cls, epsilons: Iterable[float], deltas: Iterable[float]) -> Declared:
        """Return what is (ε, δ)-DP at each of these pairs, ε in [0, inf) and δ in [0, 1].

        Examples
        --------
        >>> Declared.profile([1.0], [1e-9]).stated
        Guarantee(epsilon=1.0, delta=1e-09)
        """
        return cls(PrivacyProfile(_paired(epsilons, deltas, "epsilons and deltas")))

    @classmethod
    def profile_from_csv(cls, text: str) -> Declared:
        r"""Return the profile of a CSV file with the columns epsilon and delta.

        Examples
        --------
        >>> Declared.profile_from_csv("epsilon,delta\n0.5,1e-6\n1,1e-9").parameters
        {'curve': 'profile 0.5:1e-06 1:1e-09'}
        """
        text = checked(text, str, "text", "text").removeprefix("\ufeff").strip()
        rows = csv.DictReader(io.StringIO(text, newline=""))
        missing = [name for name in ("epsilon", "delta") if name not in (rows.fieldnames or ())]
        if missing:
            raise ValueError(f"the file must have the columns epsilon and delta; got {rows.fieldnames!r:.60}")
        found = [tuple(_read(row[name] or "", f"line {line}, {name}") for name in ("epsilon", "delta"))
                 for line, row in enumerate(rows, start=2)]  # fmt: skip
        return cls.profile(*zip(*found, strict=True)) if found else cls.profile((), ())

    @classmethod
    def from_text(cls, curve: str) -> Declared:
        """Return what a file or a cell declares.

        Parameters
        ----------
        curve : str
            ``rho 0.1``, ``rho 0.1 delta 1e-9``, ``mu 0.5``, ``renyi 2:0.1 4:0.3`` (orders and divergences) or ``profile
            0.5:1e-6 1:1e-9`` (ε and δ); Greek letters, commas and = are understood, too.

        Examples
        --------
        >>> Declared.from_text("ρ = 0.1, δ = 1e-9") == Declared.zcdp(0.1, 1e-9)
        True
        >>> Declared.from_text("rho much")
        Traceback (most recent call last):
        ValueError: curve must have a number such as 0.5 or 1e-6 after rho; got 'much'
        """
        words = re.split(r"[\s,;=]+", curve.strip().lower()) if isinstance(curve, str) else [""]
        words = [_SIGNS.get(word, word) for word in words]
        match words:
            case ["rho", rho]:
                return cls.zcdp(_read(rho, "curve", " after rho"))
            case ["rho", rho, "delta", delta]:
                return cls.zcdp(_read(rho, "curve", " after rho"), _read(delta, "curve", " after delta"))
            case ["mu", mu]:
                return cls.gdp(_read(mu, "curve", " after mu"))
            case [("renyi" | "profile") as kind, _, *_]:
                return getattr(cls, kind)(*zip(*(_pair(word, kind) for word in words[1:]), strict=True))
        allowed = "rho 0.1, rho 0.1 delta 1e-9, mu 0.5, renyi 2:0.1 4:0.3 or profile 0.5:1e-6 1:1e-9"
        raise ValueError(f"curve must be written like {allowed}; got {curve!r:.60}")

    def __repr__(self) -> str:
        return f"Declared.from_text({self.curve.text!r})"

    def delta(self, epsilon: Amount) -> Amount:
        """Return the smallest δ(ε) that is known to hold, for every real ε."""
        return elementwise(self.curve.delta, epsilon, REAL_EPSILON)

    def epsilon(self, delta: Amount) -> Amount:
        """Return the smallest ε >= 0 with δ(ε) <= `delta`; inf where none is known."""
        return elementwise(self.curve.epsilon, delta, DELTA)

    def rdp(self, alpha: Amount) -> Amount:
        """Return the Rényi divergence of order `alpha` in (1, inf) that is known to hold; inf where none is."""
        return elementwise(self.curve.rdp, alpha, ALPHA)

    def laws(self) -> tuple[Law, ...]:
        """Return the law that dominates its loss."""
        return (self.curve.law(),)

    def grouped(self, copies: int) -> Mechanism:
        """Return what is known of a group: mμ, m²ρ, what one pair becomes, or the profile that follows from its own.

        References
        ----------
        Dong, Roth & Su (2022), Thm 2.14; Bun & Steinke (2016), Prop. 1.9; Vadhan (2017), Lemma 2.2.
        """
        copies = COPIES.check(copies)
        if copies == 1:
            return self
        if self.mu is not None:
            return Declared.gdp(rounded_up(typed(self.mu) * copies))
        if isinstance(self.curve, ZeroConcentrated) and self.leak is None:
            return Declared.zcdp(rounded_up(typed(self.rho) * copies**2))
        if isinstance(self.curve, PrivacyProfile) and len(self.curve.pairs) == 1:
            return grouped_pair(self.stated, copies)
        return Declared.profile(*group_points(self, copies))

    def scaled(self, factor: Fraction) -> None:
        """Return nothing: there is no noise to scale."""

    def sample(self, value: int, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw from the worst pair that keeps a declared profile, for the secret bit `value`: 0 or 1.

        An output 2i + bit speaks for that bit with the i-th of its losses; NaN tells nothing.
        """
        bit, (losses, masses) = checked_bit(value), self._heard()
        told = np.concatenate([masses, masses * np.exp(-losses)])
        place = rng.choice(len(told) + 1, size, p=np.append(told, max(1 - told.sum(), 0.0)) / max(told.sum(), 1.0))
        answers = 2 * (place % len(losses)) + np.where(place < len(losses), bit, 1 - bit)
        return np.where(place == len(told), np.nan, answers)

    def log_ratio(self, outputs: np.ndarray, value: int, other: int) -> np.ndarray:
        """Return ln p(outputs | value) / p(outputs | other)."""
        value, other, outputs = checked_bit(value), checked_bit(other), np.asarray(outputs, dtype=float)
        losses = self._heard()[0][np.nan_to_num(outputs // 2).astype(int)]
        told = np.where(outputs % 2 == value, losses, -losses)
        return np.where(np.isnan(outputs) | (value == other), 0.0, told)

    def _heard(self) -> tuple[np.ndarray, np.ndarray]:
        """The losses of the worst pair above 0, the infinite one last, and their masses."""
        if not isinstance(self.curve, PrivacyProfile):
            raise ValueError(f"declared as {self.curve.text[:40]!r}, it says nothing about outputs that could be drawn")
        law = self.curve.law()
        if isinstance(law, ResponseLaw):
            kept = (1 - law.delta) / (1 + math.exp(-law.epsilon))
            return np.array([law.epsilon, math.inf]), np.array([kept, law.delta])
        return np.array([*law.losses, math.inf]), np.array([*law.masses, law.leak])


def _read(text: str, where: str, place: str = "") -> float:
    value = number(text.strip().lower())
    if value is None:
        raise ValueError(f"{where} must have a number such as 0.5 or 1e-6{place}; got {text!r:.60}")
    return value


def _pair(word: str, kind: str) -> tuple[float, float]:
    left, colon, right = word.partition(":")
    if not colon:
        raise ValueError(f"curve must be pairs such as 2:0.1 after {kind}; got {word!r:.60}")
    place = f" on both sides of the colon of {word!r:.40}"
    return _read(left, "curve", place), _read(right, "curve", place)
