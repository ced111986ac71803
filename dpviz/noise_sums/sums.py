"""Sums of Gaussian noise: the harmonic rule for ε beside the exact value, and secure aggregation of noisy answers.

Sensitivity is 1 throughout: the same unit changes every summand's answer, or one of them, by at most 1 in L2. The
summands are independent and the adversary knows none of them but those of colluding clients.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import CALIBRATIONS
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma, gaussian_delta, gaussian_epsilon
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import EPSILON, Parameter, checked_items
from dpviz.records import record_named

if TYPE_CHECKING:
    import pandas

NOTE_PAIRS = ((0.5, 0.75), (1.0, 0.5), (2.0, 1.0), (2.0, 0.5))  # the table of the note "DP-ML Proofs"
CLIENTS = Parameter("clients", "n", "clients whose answers are summed", 1, 1_000_000_000, integer=True)
_MEETS = roundings(1e-12)  # rounding of the exact profile, where noise is compared with the δ it was made for
_TAIL_SLOPE = lowered(8 * (1 - math.sqrt(0.5)), 7)


def summed_epsilon(epsilons: Iterable[float]) -> float:
    """Return what the harmonic rule claims for the sum of Gaussian noises: 1/ε² = Σ 1/ε_i².

    Parameters
    ----------
    epsilons : iterable of float
        Each in [0, inf]; inf stands for no noise.

    Notes
    -----
    Exact for μ, the parameter of Gaussian differential privacy; for ε a rule whose standing depends on the calibration
    (`noise_sum_table`). Rounded up.

    References
    ----------
    Note "DP-ML Proofs" (2019), Thm 1.1.

    Examples
    --------
    >>> round(summed_epsilon([0.5, 0.75]), 3)
    0.416
    """
    array = EPSILON.check_array(checked_items(epsilons, "epsilons"), "epsilons")
    if array.ndim != 1 or not array.size:
        raise ValueError("epsilons must be a list of at least one number")
    return float(_harmonic(array)) if array.size > 1 else float(array[0])


def _harmonic(epsilons: np.ndarray) -> np.ndarray:
    """The rule along the first axis, scaled by the smallest ε so that nothing overflows."""
    least = epsilons.min(axis=0)
    unit = np.where((least > 0) & np.isfinite(least), least, 1.0)
    with np.errstate(under="ignore", divide="ignore"):
        operations = max(8, 4 + len(epsilons) // 2)  # the root halves what the squares and their sum are off
        value = np.minimum(least, raised(unit / np.sqrt(np.sum((unit / epsilons) ** 2, axis=0)), operations))
    return np.where((least > 0) & np.isfinite(least), value, least)


def _exact(sigma: np.ndarray, delta: float) -> np.ndarray:
    """The exact ε of noise with standard deviation `sigma`."""
    return gaussian_epsilon(delta, raised(1 / sigma, 8))


def _checked(epsilons: Iterable[float]) -> list[float]:
    values = [float(value) for value in EPSILON.check_array(checked_items(epsilons, "epsilons"), "epsilons").ravel()]
    if not values:
        raise ValueError("epsilons must be a list of at least one number")
    return values


def noise_sum(epsilons: Iterable[float], delta: float, calibration: str = "analytic") -> Guarantee:
    """Return the exact guarantee of a release that adds the sum of several Gaussian noises.

    Parameters
    ----------
    epsilons : iterable of float
        What each noise was made for, at the same δ and sensitivity; in (0, inf).
    delta : float
        In (0, 1), of every noise and of the answer.
    calibration : str
        A key of ``CALIBRATIONS``: how each σ was found.

    Returns
    -------
    Guarantee
        At `delta`; exact for the summed noise, rounded up.

    Raises
    ------
    ValueError
        When a value lies outside its interval: no Gaussian noise is pure.

    Notes
    -----
    Any neighbour relation, the one of the sensitivity.

    References
    ----------
    Balle & Wang (2018), Thm 8, of N(0, Σ σ_i²).

    Examples
    --------
    >>> round(noise_sum([0.5, 0.75], 1e-5).epsilon, 6)
    0.404443
    """
    values = _checked(epsilons)
    sigmas = [calibrated_sigma(calibration, epsilon, delta, 1.0) for epsilon in values]
    exact = float(_exact(np.array(math.hypot(*sigmas)), delta))
    return Guarantee(_at_most(exact, min(values), calibration), delta)


def _at_most(exact: float, least: float, calibration: str) -> float:
    """More noise never costs more than the least ε, where the calibration is known to meet it."""
    return min(exact, least) if calibration == "analytic" else exact


def standing(rule: np.ndarray, sigma: np.ndarray, delta: float, calibration: str) -> np.ndarray:
    """Say what is known of the claim that noise of standard deviation `sigma` is (`rule`, `delta`)-DP.

    Parameters
    ----------
    rule, sigma : ndarray of float, same shape
        What the harmonic rule gives for noises made by `calibration`, and their summed standard deviation.
    delta : float
        In (0, 1).
    calibration : str
        A key of ``CALIBRATIONS``.

    Returns
    -------
    ndarray of str
        ``proved``: by the theorem behind the calibration, as the summed σ is the one it gives for `rule`. ``true``: by
        the exact profile of these numbers only. ``false``: the noise is not (`rule`, `delta`)-DP.

    Notes
    -----
    The classical theorem reaches ε < 1. Lecture 11's σ is no smaller for δ <= 0.8, and the tail of the privacy loss
    proves it for ε <= 8 (1 - 1/√2) ln(1/δ). The analytic calibration is no multiple of 1/ε: nothing is proved of it.

    Examples
    --------
    >>> import numpy as np
    >>> standing(np.array([0.447, 9.0]), np.array([10.84, 0.5383]), 1e-5, "classical").tolist()
    ['proved', 'false']
    """
    rule, sigma = np.asarray(rule, float), np.asarray(sigma, float)
    holds = gaussian_delta(rule, 1 / sigma) <= raised(delta, _MEETS)
    record = record_named(CALIBRATIONS, calibration)
    proved = np.zeros(rule.shape, bool)
    if calibration == "classical":
        proved = rule < record.proved_below
    elif calibration == "lecture11":
        proved = ((rule < record.proved_below) & (delta <= 0.8)) | (rule <= _TAIL_SLOPE * -math.log(delta))
    return np.where(proved & holds, "proved", np.where(holds, "true", "false"))


def noise_sum_table(
    pairs: Iterable[Sequence[float]] = NOTE_PAIRS,
    delta: float = 1e-5,
    calibrations: Iterable[str] = tuple(record.key for record in CALIBRATIONS),
) -> pandas.DataFrame:
    """Return the rule beside the exact ε of two summed noises, for every pair and calibration.

    Parameters
    ----------
    pairs : iterable of (float, float)
        ε1 and ε2, each in (0, inf); the note's four rows by default.
    delta : float
        In (0, 1).
    calibrations : iterable of str
        Keys of ``CALIBRATIONS``.

    Returns
    -------
    pandas.DataFrame
        One row per pair and calibration: epsilon_1, epsilon_2, delta, calibration, sigma_1, sigma_2, sigma_sum (at
        sensitivity 1), exact_1, exact_2 (true ε of the single noises), rule, epsilon (exact for the sum, rounded up),
        difference (rule - epsilon), standing (of the rule's claim, see `standing`).

    Examples
    --------
    >>> noise_sum_table(calibrations=["classical"])[["rule", "epsilon", "standing"]].round(3).values.tolist()[0]
    [0.416, 0.289, 'proved']
    """
    import pandas

    pairs = [_checked(pair) for pair in checked_items(pairs, "pairs", "pairs of epsilons")]
    keys = checked_items(calibrations, "calibrations", "keys")
    rows = [_table_row(pair, delta, calibration) for pair in pairs for calibration in keys]
    return pandas.DataFrame(rows, columns=_TABLE)


_TABLE = [
    "epsilon_1", "epsilon_2", "delta", "calibration", "sigma_1", "sigma_2", "sigma_sum", "exact_1", "exact_2", "rule",
    "epsilon", "difference", "standing",
]  # fmt: skip


def _table_row(pair: list[float], delta: float, calibration: str) -> tuple:
    if len(pair) != 2:
        raise ValueError(f"a pair must be two epsilons; got {len(pair)}")
    sigmas = [calibrated_sigma(calibration, epsilon, delta, 1.0) for epsilon in pair]
    singles = [_at_most(float(_exact(np.array(sigmas[n]), delta)), pair[n], calibration) for n in (0, 1)]
    rule, total = summed_epsilon(pair), math.hypot(*sigmas)
    exact = noise_sum(pair, delta, calibration).epsilon
    known = str(standing(np.array(rule), np.array(total), delta, calibration))
    return (*pair, delta, calibration, *sigmas, total, *singles, rule, exact, rule - exact, known)


def noise_sum_grid(
    epsilons_1: Iterable[float], epsilons_2: Iterable[float], delta: float, calibration: str = "analytic"
) -> pandas.DataFrame:
    """Return the exact ε of two summed noises over a grid of (ε1, ε2), for a heat map.

    Returns
    -------
    pandas.DataFrame
        One row per point, ε1 changing slowest: epsilon_1, epsilon_2, rule, epsilon, standing.

    Examples
    --------
    >>> noise_sum_grid([0.5], [0.5, 0.75], 1e-5).epsilon.round(6).tolist()
    [0.342741, 0.404443]
    """
    import pandas

    first, second = (np.array(_checked(axis)) for axis in (epsilons_1, epsilons_2))
    known = {epsilon: calibrated_sigma(calibration, epsilon, delta, 1.0) for epsilon in {*first, *second}}
    along, across = (np.array([known[epsilon] for epsilon in axis]) for axis in (first, second))
    sigma = np.hypot(along[:, None], across).ravel()
    left, right = (side.ravel() for side in np.meshgrid(first, second, indexing="ij"))
    exact, rule = _exact(sigma, delta), _harmonic(np.array([left, right]))
    if calibration == "analytic":
        exact = np.minimum(exact, np.minimum(left, right))
    columns = {"epsilon_1": left, "epsilon_2": right, "rule": rule, "epsilon": exact}
    return pandas.DataFrame({**columns, "standing": standing(rule, sigma, delta, calibration)})


def honest_clients(clients: int, colluding: int = 0, dropped: int = 0) -> int:
    """Return how many clients add noise that the adversary does not know: n - dropped - colluding.

    Raises
    ------
    ValueError
        When fewer than one is left: nobody's noise would hide anything.

    Examples
    --------
    >>> honest_clients(100, colluding=10, dropped=5)
    85
    """
    clients = CLIENTS.check(clients)
    dropped = Parameter("dropped", "", "clients that drop out", 0, clients - 1, integer=True).check(dropped)
    most = Parameter("colluding", "t", "clients that collude", 0, clients - dropped - 1, integer=True)
    return clients - dropped - most.check(colluding)


def secure_aggregation(
    epsilon: float, delta: float, clients: int, colluding: int = 0, dropped: int = 0, calibration: str = "analytic"
) -> Guarantee:
    """Return what an honest client is promised when only the sum of all noisy answers is seen.

    Parameters
    ----------
    epsilon, delta : float
        What each client's own noise was made for: ε in (0, inf), δ in (0, 1).
    clients : int
        At least 1.
    colluding : int
        Clients that tell the server their noise; at most ``clients - dropped - 1``.
    dropped : int
        Clients whose answers never arrive.
    calibration : str
        A key of ``CALIBRATIONS``.

    Returns
    -------
    Guarantee
        At `delta`; exact for N(0, hσ²) with h = clients - dropped - colluding honest noises, rounded up.

    Notes
    -----
    Neighbour relation: one client's answer changes by at most 1 in L2. Ideal noise over the reals: real protocols add
    integers (the discrete Gaussian), whose sum is not exactly this law.

    References
    ----------
    Note "DP-ML Proofs" (2019), Thm 2.1, corrected; Balle & Wang (2018), Thm 8.

    Examples
    --------
    >>> round(secure_aggregation(1, 1e-5, 100).epsilon, 6)
    0.080903
    >>> secure_aggregation(1, 1e-5, 100, colluding=99).epsilon
    1.0
    """
    honest = honest_clients(clients, colluding, dropped)
    sigma = calibrated_sigma(calibration, epsilon, delta, 1.0) * math.sqrt(honest)
    return Guarantee(_at_most(float(_exact(np.array(sigma), delta)), float(epsilon), calibration), delta)


def fewest_clients(
    epsilon: float, delta: float, target: float, colluding: int = 0, dropped: int = 0, calibration: str = "analytic"
) -> int | None:
    """Return the fewest clients with which `secure_aggregation` promises each honest one at most ε = `target`.

    Parameters
    ----------
    epsilon, delta, colluding, dropped, calibration
        As for `secure_aggregation`.
    target : float
        In [0, inf).

    Returns
    -------
    int or None
        None where more than 10^9 clients would be needed.

    Examples
    --------
    >>> fewest_clients(1, 1e-5, 0.1, colluding=3)
    71
    """
    lost = colluding + dropped

    def within(honest: int) -> bool:
        return secure_aggregation(epsilon, delta, honest, calibration=calibration).epsilon <= target

    most = honest_clients(int(CLIENTS.high), colluding, dropped)
    return None if not within(most) else 1 + bisect_left(range(1, most), True, key=within) + lost


def vantage_points(
    epsilon: float, delta: float, clients: int, colluding: int = 0, dropped: int = 0, calibration: str = "analytic"
) -> pandas.DataFrame:
    """Return the guarantee towards everyone who may look, and what the note's printed scale would have given.

    Returns
    -------
    pandas.DataFrame
        One row per vantage: vantage (``server``, ``server_and_colluders``, ``local``, ``note_scale``), label, noises
        (independent noises that hide a client), sigma (of their sum, sensitivity 1), rule (ε over the square root of
        the noises; ε/n^(1/4) for the note's variance σ²√n), epsilon (exact, rounded up), delta.

    Examples
    --------
    >>> vantage_points(1, 1e-5, 100, colluding=50).epsilon.round(4).tolist()
    [0.0809, 0.1183, 1.0, 0.2845]
    """
    import pandas

    together = honest_clients(clients, colluding, dropped)
    alone = together + int(colluding)
    sigma = calibrated_sigma(calibration, epsilon, delta, 1.0)
    rows = []
    for vantage, label, noises in (
        ("server", "the server, which sees the sum", alone),
        ("server_and_colluders", "the server together with the colluding clients", together),
        ("local", "whoever sees one answer before aggregation", 1),
        ("note_scale", "the sum, were its variance σ²√n as the note prints", math.sqrt(alone)),
    ):
        total = sigma * math.sqrt(noises)
        exact = _at_most(float(_exact(np.array(total), delta)), float(epsilon), calibration)
        rows.append((vantage, label, noises, total, float(epsilon) / math.sqrt(noises), exact, delta))
    return pandas.DataFrame(rows, columns=["vantage", "label", "noises", "sigma", "rule", "epsilon", "delta"])


def client_curve(
    epsilon: float,
    delta: float,
    clients: Iterable[int],
    colluding: int = 0,
    dropped: int = 0,
    calibration: str = "analytic",
) -> pandas.DataFrame:
    """Return the guarantee of secure aggregation against the number of clients.

    Returns
    -------
    pandas.DataFrame
        One row per number of clients: clients, honest (0 where too few clients are left), rule (ε/√honest), epsilon
        (exact, rounded up; inf where nobody is honest), note_scale (exact ε if the variance were σ²√n), delta.

    Examples
    --------
    >>> client_curve(1, 1e-5, [2, 10], colluding=2).epsilon.round(4).tolist()
    [inf, 0.3213]
    """
    import pandas

    counts = np.array([CLIENTS.check(count) for count in checked_items(clients, "clients")], dtype=float)
    lost = sum(Parameter(name, "", "", 0, CLIENTS.high, integer=True).check(value)
               for name, value in (("colluding", colluding), ("dropped", dropped)))  # fmt: skip
    honest = np.maximum(counts - lost, 0)
    sigma = calibrated_sigma(calibration, epsilon, delta, 1.0)
    left = honest > 0
    columns = {"clients": counts.astype(int), "honest": honest.astype(int)}
    columns["rule"] = np.where(left, float(epsilon) / np.sqrt(np.where(left, honest, 1)), np.inf)
    for name, noises in (("epsilon", honest), ("note_scale", np.sqrt(honest))):
        exact = _exact(sigma * np.sqrt(np.where(left, noises, 1.0)), delta)
        exact = np.minimum(exact, float(epsilon)) if calibration == "analytic" else exact
        columns[name] = np.where(left, exact, np.inf)
    return pandas.DataFrame({**columns, "delta": delta})
