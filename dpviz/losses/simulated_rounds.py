"""F* of the simulation lemma at work: transcripts made from k leaky responses, and from the mechanism itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpviz.losses.simulation_lemma import Simulation, symbol_masses
from dpviz.parameters import COUNT, Parameter

if TYPE_CHECKING:
    import pandas

BINS = 40
TRIALS = Parameter("trials", "n", "repetitions of a simulation", 1, 10_000_000, integer=True)


@dataclass(frozen=True)
class Transcripts:
    """Simulated transcripts of k rounds, made by F* from k leaky responses, and drawn from the mechanism itself.

    Parameters
    ----------
    simulated, direct : ndarray of float, shape (trials,)
        Total finite privacy loss of each transcript under M(x).
    leaked : int
        In how many simulated transcripts some U_j was the leak.
    leak_probability : float
        How often that happens in the long run, 1 - (1 - δ)^k.
    """

    simulated: np.ndarray
    direct: np.ndarray
    leaked: int
    leak_probability: float

    def histogram(self) -> pandas.DataFrame:
        """Count both kinds of transcripts by their total loss.

        Returns
        -------
        pandas.DataFrame
            One row per interval of losses with columns low, high (nats), made (share of the transcripts made by F*),
            drawn (share of those of the mechanism), and error (one standard error of the former).
        """
        import pandas

        edges = _edges(np.concatenate([self.simulated, self.direct]))
        made, drawn = (np.histogram(losses, edges)[0] / len(losses) for losses in (self.simulated, self.direct))
        error = np.sqrt(made * (1 - made) / len(self.simulated))
        return pandas.DataFrame({"low": edges[:-1], "high": edges[1:], "made": made, "drawn": drawn, "error": error})


def _edges(losses: np.ndarray) -> np.ndarray:
    """One interval per value where there are few, else equal ones."""
    low, high = float(losses.min()), float(losses.max())
    values = np.unique(np.round(losses, 9))
    if len(values) > BINS:
        return np.linspace(low, high, BINS + 1)
    if len(values) == 1:
        return np.array([low - 0.5, high + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])


def simulate_rounds(simulation: Simulation, rounds: int, trials: int, rng: np.random.Generator) -> Transcripts:
    """Run F* = (F, ..., F) on k independent leaky responses U_1, ..., U_k, and the mechanism itself beside it.

    Parameters
    ----------
    simulation : Simulation
    rounds : int
        k, at least 1.
    trials : int
        In [1, 10000000].
    rng : numpy.random.Generator

    Notes
    -----
    Infinite losses (outputs that M(x') never gives) count as 0 in the totals of both.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> each = Simulation.of(RandomizedResponse(1.0), 0.5)
    >>> simulate_rounds(each, 3, 10, np.random.default_rng(1)).simulated.shape
    (10,)
    """
    rounds, trials = COUNT.check(rounds, "rounds"), TRIALS.check(trials)
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1; got {rounds}")
    masses = symbol_masses(simulation.epsilon, simulation.delta)
    symbols = np.searchsorted(np.cumsum(masses[:3]), rng.random((trials, rounds)), "right").clip(max=2)
    made = simulation.draw(symbols, rng)
    drawn = _direct(simulation, (trials, rounds), rng)
    leaked = int((symbols == 2).any(axis=1).sum())
    chance = -math.expm1(rounds * math.log1p(-simulation.delta)) if simulation.delta < 1 else 1.0
    return Transcripts(_total_loss(simulation, made), _total_loss(simulation, drawn), leaked, chance)


def _direct(simulation: Simulation, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    if not simulation.pair.labels:
        return simulation.mechanism.sample(0.0, size, rng)
    reached = np.cumsum(simulation.pair.p(simulation.outputs()))
    return np.minimum(np.searchsorted(reached, rng.random(size), "right"), len(reached) - 1).astype(float)


def _total_loss(simulation: Simulation, outputs: np.ndarray) -> np.ndarray:
    if simulation.mechanism.noise is not None:
        return simulation.mechanism.log_ratio(outputs, 0.0, simulation.pair.shift).sum(axis=1)
    index = outputs.astype(int)
    p, q = simulation.pair.p(index), simulation.pair.q(index)
    both = (p > 0) & (q > 0)
    ratios = np.log(np.where(both, p, 1.0)) - np.log(np.where(both, q, 1.0))
    return ratios.sum(axis=1)
