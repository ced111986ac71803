"""The simulation lemma: whatever is (ε, δ)-DP is a post-processing of leaky randomized response, made concrete.

U and V are the two inputs of leaky randomized response. A randomized map F turns U into M(x) and V into M(x'). So what
holds for k leaky responses holds for k uses of any (ε, δ)-DP mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from dpviz.mechanisms import Laplace, Mechanism
from dpviz.mechanisms.laws.loss_laws import BoundedRangeLaw, PickLaw, ResponseLaw, TernaryLaw
from dpviz.mechanisms.noise import Noise
from dpviz.parameters import DELTA, Parameter

if TYPE_CHECKING:
    import pandas

SYMBOLS = ("0", "1", "U", "V")
PAIR_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, 700)
ROUNDING = 1e-12  # how far a reproduced density may lie off, relative to the largest; rounding only
POINTS = 401


def leaky_response(epsilon: float, delta: float) -> pandas.DataFrame:
    """Return the distributions of U and V of leaky randomized response.

    Parameters
    ----------
    epsilon : float
        In [0, 700].
    delta : float
        In [0, 1].

    Returns
    -------
    pandas.DataFrame
        One row per symbol with columns symbol, p_u, p_v, loss (ln p_u / p_v; -inf, inf at the leaks).

    Notes
    -----
    Any neighbour relation. U and V are (epsilon, delta)-indistinguishable, and nothing that is can differ more.

    References
    ----------
    Lecture notes "Advanced Composition" (Lecture 11); Kairouz, Oh & Viswanath (2015), Thm 3.3.

    Examples
    --------
    >>> leaky_response(0.0, 0.5).p_u.tolist()
    [0.25, 0.25, 0.5, 0.0]
    """
    import pandas

    epsilon, delta = PAIR_EPSILON.check(epsilon), DELTA.check(delta)
    u = symbol_masses(epsilon, delta)
    losses = [epsilon, -epsilon, math.inf, -math.inf]
    return pandas.DataFrame({"symbol": SYMBOLS, "p_u": u, "p_v": u[[1, 0, 3, 2]], "loss": losses})


def symbol_masses(epsilon: float, delta: float) -> np.ndarray:
    """Return the probabilities of the symbols under U; V has the first two, and the last two, exchanged."""
    return np.array([(1 - delta) * expit(epsilon), (1 - delta) * expit(-epsilon), delta, 0.0])


@dataclass(frozen=True)
class Pair:
    """The output distributions of a mechanism on two neighbouring inputs, its likelihood ratio falling from x to x'.

    Parameters
    ----------
    labels : tuple of str
        Names of the outputs where they are few; empty where outputs are numbers.
    p, q : callable
        Density at an array of outputs (of M(x) and of M(x')); masses by index where there are labels.
    span : tuple of float
        The outputs to draw.
    whole : bool
        Whether outputs are whole numbers, whose density is the mass of each.
    shift : float
        M(x') mirrors M(x): an output y of one is as likely as `shift` - y of the other.
    bend : callable or None
        ``bend(epsilon)``: the output at which p is e^ε q, where outputs are numbers.
    """

    labels: tuple[str, ...]
    p: Callable
    q: Callable
    span: tuple[float, float]
    whole: bool = False
    shift: float = 0.0
    bend: Callable | None = None

    @classmethod
    def of(cls, mechanism: Mechanism) -> Pair:
        """Return the pair of one use of `mechanism`, its answers one sensitivity apart: 0 on x, the sensitivity on x'.

        Raises
        ------
        ValueError
            For a mechanism whose privacy loss differs between the two directions, or that has no closed form here.
        """
        if mechanism.noise is not None:
            return _shifted(mechanism.noise, mechanism.sensitivity)
        if isinstance(mechanism.loss, ResponseLaw):
            u = symbol_masses(mechanism.loss.epsilon, mechanism.loss.delta)
            labels = ("says 0", "says 1", "leaks x", "leaks x'")[: 4 if mechanism.loss.leak else 2]
            v = u[[1, 0, 3, 2]]
            return cls(labels, lambda y: u[y], lambda y: v[y], (0.0, len(labels) - 1.0))
        if isinstance(mechanism.loss, TernaryLaw):
            *ends, other = _answers(mechanism.loss)
            u, v = np.array([*ends, other]), np.array([*ends[::-1], other])
            return cls(("tells x", "tells x'", "another"), lambda y: u[y], lambda y: v[y], (0.0, 2.0))
        if isinstance(mechanism.loss, PickLaw):
            return cls.of(Laplace.from_epsilon(mechanism.loss.epsilon))
        if isinstance(mechanism.loss, BoundedRangeLaw):
            return _bounded(mechanism.loss.epsilon)
        raise ValueError(
            "mechanism must be one whose loss has a known law, the same in both directions, as those of U and V; got "
            f"{mechanism}"
        )


def _answers(law: TernaryLaw) -> tuple[float, float, float]:
    """The probabilities of the truth, of the other data set's, and of any other value."""
    lie = math.exp(law.log_top_mass - law.epsilon)
    return math.exp(law.log_top_mass), lie, (law.k - 2) * lie


def _bounded(limit: float) -> Pair:
    """The pair that dominates an exponential mechanism; an output is the loss with its sign changed."""
    whole = -math.expm1(-limit)

    def density(y: np.ndarray) -> np.ndarray:
        return np.where(np.abs(y) <= limit, np.exp(-(np.clip(y, -limit, limit) + limit) / 2) / (2 * whole), 0.0)

    return Pair((), density, lambda y: density(-y), (-limit, limit), bend=lambda each: -each)


def _shifted(noise: Noise, shift: float) -> Pair:
    return Pair(
        (),
        noise.density,
        lambda y: noise.density(y - shift),
        (-5.0 * noise.scale, shift + 5.0 * noise.scale),
        noise.pole is None,
        shift,
        lambda epsilon: noise.bend(epsilon, shift),
    )


@dataclass(frozen=True)
class Simulation:
    """F for one mechanism and one (ε, δ): a density over outputs for each symbol that U and V may take.

    Parameters
    ----------
    mechanism : Mechanism
    epsilon, delta : float
        The pair; the mechanism meets it.
    least_delta : float
        The mechanism's own δ(epsilon).
    pair : Pair

    Notes
    -----
    Neighbour relation: the mechanism's; both directions agree.

    References
    ----------
    Lecture notes "Advanced Composition" (Lecture 11), simulation lemma; Kairouz, Oh & Viswanath (2015), Thm 3.3.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> Simulation.of(Laplace.from_epsilon(1.0), 0.5).frame().reproduced_p.notna().all()
    np.True_
    """

    mechanism: Mechanism
    epsilon: float
    delta: float
    least_delta: float
    pair: Pair

    @classmethod
    def of(cls, mechanism: Mechanism, epsilon: float, delta: float | None = None) -> Simulation:
        """Return F for `mechanism` and a pair that it meets.

        Parameters
        ----------
        mechanism : Mechanism
            With the same loss in both directions.
        epsilon : float
            In [0, 700].
        delta : float, optional
            At least δ(epsilon) of the mechanism, which None takes.

        Raises
        ------
        ValueError
            When the mechanism is not (epsilon, delta)-DP, or loses differently in the two directions.
        """
        pair, epsilon = Pair.of(mechanism), PAIR_EPSILON.check(epsilon)
        least = mechanism.delta(epsilon)
        delta = least if delta is None else DELTA.check(delta)
        if delta < least:
            raise ValueError(
                f"delta must be in [{least:.12g}, 1], since one use of {mechanism} is not (ε, δ)-DP with less at "
                f"ε = {epsilon:.12g}; got {delta!r}"
            )
        return cls(mechanism, epsilon, delta, least, pair)

    @property
    def kept(self) -> float:
        """The factor that shrinks what U and V share when δ is more than the mechanism needs."""
        return 1.0 if self.least_delta >= 1 else (1 - self.delta) / (1 - self.least_delta)

    def given(self, symbol: str, outputs: np.ndarray) -> np.ndarray:
        """Return the density of F(symbol) at `outputs`, or its masses there.

        Parameters
        ----------
        symbol : {"0", "1", "U", "V"}
        outputs : ndarray
            Numbers; indices of the labels where the pair has labels.
        """
        p, q = self.pair.p(outputs), self.pair.q(outputs)
        near, far = (p, q) if symbol in ("0", "U") else (q, p)
        growth, gap = math.exp(self.epsilon), math.expm1(self.epsilon)
        apart = near - far  # the densities' exact difference: at a tiny ε a product with e^ε is too coarse
        beyond = apart > gap * far
        covered = np.where(beyond, far + gap * far, near)
        if symbol in ("U", "V"):  # a symbol of probability 0 may stand for anything: here, for the mechanism itself
            return (near - self.kept * covered) / self.delta if self.delta > 0 else near
        if self.least_delta >= 1:
            return near
        if self.epsilon == 0:  # U and V share one fair coin, which tells nothing
            return covered / (1 - self.least_delta)
        # (e^ε min(near, e^ε far) - min(far, e^ε near)) / (e^ε - 1), case by case so that nothing cancels.
        with np.errstate(over="ignore"):  # only where it is not taken
            between = np.maximum(near + apart / gap, 0.0)
        return np.where(beyond, (growth + 1) * far, between) / (1 - self.least_delta)

    def outputs(self) -> np.ndarray:
        """Return the outputs to look at: all labels, or an even grid, of whole numbers rounded, and where F bends."""
        if self.pair.labels:
            return np.arange(len(self.pair.labels))
        grid, middle = np.linspace(*self.pair.span, POINTS), self.pair.shift
        seen = np.union1d(grid, [self.bend, middle - self.bend, 0.0, middle])
        return np.unique(np.rint(seen)) if self.pair.whole else seen

    @property
    def bend(self) -> float:
        """The output left of which M(x) exceeds e^ε times M(x'); -inf where none does."""
        always = self.mechanism.mu is not None or self.least_delta > 0
        return self.pair.bend(self.epsilon) if always else -math.inf

    def frame(self, outputs: np.ndarray | None = None) -> pandas.DataFrame:
        """Return F, and what it makes of U and V.

        Returns
        -------
        pandas.DataFrame
            One row per output with columns output, label, p and q (M(x), M(x')), f_0, f_1, f_u, f_v (F given each
            symbol), reproduced_p and reproduced_q (F(U), F(V)).
        """
        import pandas

        places = self.outputs() if outputs is None else outputs
        places = places[np.isfinite(places)]
        given = {f"f_{symbol.lower()}": self.given(symbol, places) for symbol in SYMBOLS}
        u = symbol_masses(self.epsilon, self.delta)
        values = np.stack(list(given.values()))
        labels = [self.pair.labels[index] for index in places] if self.pair.labels else [""] * len(places)
        columns = {"output": places, "label": labels, "p": self.pair.p(places), "q": self.pair.q(places), **given}
        made = {"reproduced_p": u @ values, "reproduced_q": u[[1, 0, 3, 2]] @ values}
        return pandas.DataFrame({**columns, **made})

    def verified(self) -> Verification:
        """Check F on all outputs to look at."""
        frame = self.frame()
        scale = max(frame.p.max(), frame.q.max())
        least = min(frame[f"f_{symbol.lower()}"].min() for symbol in SYMBOLS)
        off_p = (frame.reproduced_p - frame.p).abs().max() / scale
        off_q = (frame.reproduced_q - frame.q).abs().max() / scale
        return Verification(float(least), float(off_p), float(off_q), len(frame))


@dataclass(frozen=True)
class Verification:
    """What a check of F found.

    Parameters
    ----------
    least : float
        The smallest value of F; 0 or more.
    off_p, off_q : float
        Largest distance between F(U) and M(x), and F(V) and M(x'), relative to the largest density.
    outputs : int
        At how many outputs it looked.
    """

    least: float
    off_p: float
    off_q: float
    outputs: int

    @property
    def holds(self) -> bool:
        """Whether F is nowhere negative and makes both distributions, up to rounding."""
        return self.least >= -ROUNDING and max(self.off_p, self.off_q) <= ROUNDING
