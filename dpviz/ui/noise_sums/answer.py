"""Answers of the page on sums of noise that are kept, within bounds."""

from __future__ import annotations

import numpy as np
import pandas

from dpviz.amplification import shuffling
from dpviz.noise_sums import mixtures
from dpviz.noise_sums import sums as noise_sums
from dpviz.ui.shell.kept import kept

MAP_POINTS = 100  # along each side of the heat map
CURVE_POINTS = 220
SHUFFLE_POINTS = 38  # two numerical bounds take a few milliseconds at each
SHARES = (0.0, 0.001, 0.01, 0.03, 0.07, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 0.85, 0.93, 0.97, 0.99, 0.999, 1.0)
FEW_SHARES = (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)  # two centres take ten times as long


@kept(1024, 2)
def pair(epsilon_1: float, epsilon_2: float, delta: float, calibration: str) -> pandas.DataFrame:
    """Return the one row of `noise_sum_table` for a pair, kept."""
    return noise_sums.noise_sum_table([(epsilon_1, epsilon_2)], delta, [calibration])


def pairs(epsilons: tuple[tuple[float, float], ...], delta: float, calibration: str) -> pandas.DataFrame:
    """Return the rows of `noise_sum_table` for several pairs, each kept."""
    rows = [pair(first, second, delta, calibration) for first, second in epsilons]
    return pandas.concat(rows, ignore_index=True)


@kept(24, 2)
def heat_map(delta: float, calibration: str, low: float, high: float) -> pandas.DataFrame:
    """Return the exact ε over a square of pairs, both sides from `low` to `high`, logarithmic; kept."""
    side = np.geomspace(low, high, MAP_POINTS)
    side[0], side[-1] = low, high
    return noise_sums.noise_sum_grid(side, side, delta, calibration)


@kept(256, 1)
def several(epsilons: tuple[float, ...], delta: float, calibration: str) -> tuple[float, float]:
    """Return the rule's ε of any number of noises, and the exact one; kept."""
    exact = noise_sums.noise_sum(epsilons, delta, calibration).epsilon
    return noise_sums.summed_epsilon(epsilons), exact


vantage_points = kept(256, 2)(noise_sums.vantage_points)


@kept(64, 2)
def client_curve(
    epsilon: float, delta: float, clients: int, colluding: int, dropped: int, calibration: str
) -> pandas.DataFrame:
    """Return the guarantee for numbers of clients up to ten times `clients`, kept; each leaves an honest one."""
    lost = colluding + dropped
    end = max(10 * clients, 10 * (lost + 1), 1000)
    honest = np.unique(np.geomspace(1, end - lost, CURVE_POINTS).round().astype(int))
    counts = sorted({*(honest + lost).tolist(), clients} - set(range(lost + 1)))
    return noise_sums.client_curve(epsilon, delta, counts, colluding, dropped, calibration)


fewest_clients = kept(256, 1)(noise_sums.fewest_clients)
mixture_bounds = kept(256, 2)(mixtures.mixture_bounds)


@kept(64, 2, "Integrating the mixture for every p")
def mixture_curve(epsilon: float, delta: float, clients: int, calibration: str, gap: float) -> pandas.DataFrame:
    """Return every bound of the mixture against p, kept."""
    return mixtures.mixture_curve(epsilon, delta, clients, FEW_SHARES if gap else SHARES, calibration, gap)


@kept(64, 2)
def shuffle_curve(epsilon: float, reports: int, delta: float) -> pandas.DataFrame:
    """Return the shuffled ε against the number of reports, with the first at which each bound is proved; kept."""
    first = [shuffling.fewest_reports(epsilon, delta, bound.key) for bound in shuffling.SHUFFLE_BOUNDS]
    known = [each for each in first if each is not None and each > 1]  # a sum is proved from one report on
    end = max(1_000_000, 10 * reports, *(30 * each for each in known))
    counts = set(np.geomspace(10, min(end, 10 * shuffling.MOST_REPORTS), SHUFFLE_POINTS).round().astype(int).tolist())
    counts |= {reports, *known, *(each - 1 for each in known)}
    return shuffling.shuffle_curve(epsilon, sorted(counts), delta)
