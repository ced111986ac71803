"""Both ends of epsilon for laws of one direction: each composition goes to a closed form, or else to the engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpviz.decimals import compounded_within, rounded_up, weighted_sums
from dpviz.mechanisms.laws.gaussian_profile import gaussian_epsilon, gaussian_epsilon_floor
from dpviz.mechanisms.laws.loss_laws import Law, ResponseLaw, SampledLaw
from dpviz.outward import ELEMENTARY, lowered, raised, slack
from dpviz.privacy_loss.above import upper_epsilons
from dpviz.privacy_loss.below import lower_epsilons
from dpviz.privacy_loss.limits import (
    CLOSED,
    all_gaussian,
    in_doubles,
    leaks,
    log_kept,
    lower_epsilon_limit,
    lower_mu,
    one_sided,
    own_laws,
    reach,
    upper_epsilon_limit,
    upper_mu,
    upper_sum,
    vast,
    weighted,
)
from dpviz.privacy_loss.records import Solved
from dpviz.privacy_loss.responses import lower_response_epsilon, upper_response_epsilon

_SETTLED = 0.01  # of the wanted accuracy: where what is surely lost and what suffices differ less, nothing is searched


def upper_ends(
    laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray, accuracy: float, likely: np.ndarray | None = None
) -> Solved:
    """Return upper ends of epsilon of distinct laws of one direction, with what lower ends need of the search.

    `likely` is about what they are, where that is known; it only steers.
    """
    log_rest = _log_remainder(laws, counts, delta)
    answer = np.where(log_rest > -np.inf, 0.0, _without_slack(laws, counts, delta))
    estimate, finer = np.zeros(len(counts)), np.ones(len(counts))
    rows = np.flatnonzero((log_rest > -np.inf) & (log_rest < 0) & (delta > 0))
    if len(rows):
        near = None if likely is None else likely[rows]
        found = _upper_of_finite(laws, counts[rows], log_rest[rows], accuracy, near)
        answer[rows], estimate[rows], finer[rows] = found
    return Solved(answer, estimate, finer)


def _upper_of_finite(
    laws: Sequence[Law], counts: np.ndarray, log_rest: np.ndarray, accuracy: float, likely: np.ndarray | None
) -> Solved:
    """Return epsilon at ln of what delta leaves for finite losses, never below what is surely lost.

    Laws out of the engine's reach are paid with their largest loss. Where the engine has no answer, the ceiling stands.
    """
    if all_gaussian(laws):
        return _upper_in_reach(laws, counts, log_rest, accuracy)
    laws = in_doubles(laws)
    floors, outer = lower_epsilon_limit(laws, counts, log_rest), vast(laws, counts)
    inner, within, paid, solvable = reach(laws, counts)
    answer = np.full(len(counts), np.inf)

    def clip(rows: np.ndarray) -> None:
        answer[rows] = np.minimum(answer[rows], upper_epsilon_limit(laws, counts[rows], log_rest[rows]))

    clip(np.flatnonzero(outer | ~solvable))
    closed = all_gaussian(inner) or (len(inner) == 1 and isinstance(inner[0], ResponseLaw))
    rows = np.flatnonzero(solvable & (closed | (answer * (1 - _SETTLED * accuracy) > floors)))
    heard = weighted(counts, np.where(within, 0.0, log_kept(laws)))  # ln of the mass that the others' leaks leave
    near = None if likely is None else likely[rows] - paid[rows]
    inside = _upper_in_reach(inner, counts[rows][:, within], -raised((heard - log_rest)[rows], 88), accuracy, near)
    found = raised(inside.epsilon + paid[rows], 2)
    estimate, finer = np.full(len(counts), np.inf), np.ones(len(counts))
    clip(rows[~((found >= floors[rows]) & (found < np.inf))])
    better = (found >= floors[rows]) & (found <= answer[rows])
    answer[rows[better]], estimate[rows[better]] = found[better], (inside.estimate + paid[rows])[better]
    finer[rows] = inside.finer
    known = np.isfinite(answer)
    return Solved(answer, np.minimum(estimate, np.where(known, answer, 0.0) - np.where(known, floors, 0.0)), finer)


def _upper_in_reach(
    laws: Sequence[Law], counts: np.ndarray, log_rest: np.ndarray, accuracy: float, likely: np.ndarray | None = None
) -> Solved:
    """Return epsilon of laws within the engine's reach, by the closed form where there is one."""
    exact, log_rest = np.zeros(len(counts)), np.minimum(log_rest, 0.0)
    if not laws:
        return Solved(exact, exact, exact + 1)
    if all_gaussian(laws):
        mu = upper_mu(laws, counts)
        return Solved(gaussian_epsilon(np.exp(log_rest), mu), exact, exact + 1)
    if len(laws) == 1 and isinstance(laws[0], ResponseLaw):
        return Solved(*upper_response_epsilon(laws[0], counts[:, 0], log_rest), exact + 1)
    return upper_epsilons(laws, counts, log_rest, accuracy, likely)


def lower_ends(
    laws: Sequence[Law],
    counts: np.ndarray,
    delta: np.ndarray,
    epsilon: np.ndarray,
    accuracy: float,
    finer: np.ndarray,
) -> np.ndarray:
    """Return lower ends beside the upper ends `epsilon`: no smaller epsilon has delta(epsilon) <= `delta`.

    Laws that stand in for others are left out, and laws out of the engine's reach but for leaks that Q has, too: who
    releases less loses less.
    """
    laws, counts = own_laws(laws, counts)
    lower, log_rest = lower_closed(laws, counts, delta)
    rows = np.flatnonzero((log_rest > -np.inf) & (log_rest < 0) & (delta > 0) & (epsilon > 0))
    if not len(rows):
        return lower
    inner, within, paid, _ = reach(laws, counts[rows])
    if all_gaussian(laws):
        inner, within = list(laws), np.ones(len(laws), dtype=bool)  # whatever its size, it has a closed form
    epsilon = np.minimum(epsilon, 1e300)  # a sum beyond doubles is infinite
    if np.any(one_sided(laws) & ~within):
        targets = _log_remainder(inner, counts[rows][:, within], delta[rows], up=True)
    else:
        heard = weighted(counts[rows], np.where(within, 0.0, log_kept(laws)))
        targets = -lowered(heard - log_rest[rows], 88)
    places = epsilon[rows] - np.minimum(paid, 1e300)
    found = _lower_in_reach(inner, counts[rows][:, within], targets, places, accuracy, finer[rows])
    lower[rows] = np.minimum(np.maximum(lower[rows], found), np.finfo(float).max)
    return lower


def lower_closed(laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return lower ends without any search, and ln of what the leaks leave of delta, rounded up."""
    log_rest = _log_remainder(laws, counts, delta, up=True)
    lower = np.where((log_rest == -np.inf) & (leaks(laws, counts) > 0), np.inf, 0.0)  # surely exhausted
    pure = (delta == 0) & (leaks(laws, counts) == 0)
    lower[pure] = weighted(counts[pure], [law.top for law in laws]) * (1 - CLOSED)
    rows = np.flatnonzero((log_rest > -np.inf) & (log_rest < 0) & (delta > 0))
    if len(rows):
        floor = lower_epsilon_limit(laws, counts[rows], log_rest[rows])
        lower[rows] = np.minimum(floor, np.finfo(float).max)
    return lower, log_rest


def _lower_in_reach(
    laws: Sequence[Law],
    counts: np.ndarray,
    log_rest: np.ndarray,
    epsilon: np.ndarray,
    accuracy: float,
    finer: np.ndarray,
) -> np.ndarray:
    """Return lower ends of laws within the engine's reach, by the closed form where there is one."""
    if not laws:
        return np.zeros(len(counts))
    if all_gaussian(laws):
        mu = lower_mu(laws, counts)
        return gaussian_epsilon_floor(np.exp(np.minimum(log_rest, 0.0)), mu)
    if len(laws) == 1 and isinstance(laws[0], ResponseLaw):
        return lower_response_epsilon(laws[0], counts[:, 0], log_rest)
    return lower_epsilons(laws, counts, log_rest, np.maximum(epsilon, 0.0), accuracy, finer)


def _without_slack(laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return the largest losses added up where the leaks, as decimals, take no more than all of delta, else inf."""
    taken, tops = leaks(laws, counts), np.array([law.top for law in laws])
    answer = np.where((taken == 0) & (delta == 0), upper_sum(counts, tops), np.inf)
    for point in np.flatnonzero((taken > 0) & (np.abs(taken - delta) <= 1e-14 * delta)):
        used = counts[point] > 0
        typed = not any(isinstance(law, SampledLaw) and law.leak > 0 for law in np.array(laws, dtype=object)[used])
        within = typed and compounded_within(counts[point], np.array([law.leak for law in laws]), float(delta[point]))
        if within and np.isfinite(tops[used]).all():
            answer[point] = rounded_up(weighted_sums(counts[point : point + 1, used], tops[used])[0])
    return answer


def _log_remainder(laws: Sequence[Law], counts: np.ndarray, delta: np.ndarray, up: bool = False) -> np.ndarray:
    """Return ln of what the leaks leave of delta, rounded down, or `up`; -inf where they leave nothing."""
    outward, taken = raised if up else lowered, lowered if up else raised
    rest = outward(delta, 7) - taken(leaks(laws, counts), 9 * len(laws) + 2 * ELEMENTARY)
    rest = np.where(counts.any(axis=1), rest, 1.0)
    logs, left = np.full(len(counts), -np.inf), rest > 0
    known = np.log(rest[left])
    off = slack(ELEMENTARY) * (1 + np.abs(known))
    logs[left] = np.minimum(known + off if up else known - off, 0.0)
    return logs
