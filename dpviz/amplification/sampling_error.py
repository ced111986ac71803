"""The other side of subsampling: how far off a mean over a random sample is, at the same total budget."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dpviz.amplification.subsampling import base_epsilon, sampling_rate
from dpviz.decimals import rounded_down, typed
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import POSITIVE_EPSILON
from dpviz.mechanisms.laws.gaussian_profile import analytic_sigma
from dpviz.parameters import COUNT, POPULATION, SENSITIVITY, Parameter

if TYPE_CHECKING:
    import pandas

LAPLACE, GAUSSIAN = NOISES = ("laplace", "gaussian")
QUERIES = Parameter("queries", "k", "means that are released", 1, COUNT.high, integer=True)
_COLUMNS = ["sample_size", "rate", "noise", "epsilon", "delta", "sampling_error", "noise_error", "error"]


def sampling_error(spread: float, draws: int, population: int) -> float:
    """Return the standard error of the mean of a sample without replacement.

    Parameters
    ----------
    spread : float
        Standard deviation of the records over the whole population (dividing by n), in units of the answer.
    draws : int
        m in [1, population].
    population : int
        n of at least 1.

    References
    ----------
    Cochran (1977), Sampling Techniques, Thm 2.2.

    Examples
    --------
    >>> sampling_error(0.3, 100, 100)
    0.0
    >>> round(sampling_error(0.3, 50, 100), 6)
    0.030151
    """
    if draws == population:
        return 0.0
    return spread * math.sqrt((population - draws) / ((population - 1) * draws))


def mean_error(
    records: int,
    spread: float,
    queries: int,
    budget: Guarantee,
    draws: int,
    width: float = 1.0,
    noise: str = "laplace",
) -> tuple[float, float, Guarantee]:
    """Return the sampling error and the noise of each of `queries` means over samples of `draws` records.

    Parameters
    ----------
    records : int
        n of at least 1, public.
    spread : float
        Standard deviation of the records, in [0, width / 2].
    queries : int
        k of at least 1; each draws its own sample and costs budget / k by basic composition.
    budget : Guarantee
        Of all queries together, ε in (0, inf); its δ is for Gaussian noise alone.
    draws : int
        m in [1, records], without replacement.
    width : float
        Length of the interval that the records are clipped to; the mean of m moves by at most width / m.
    noise : str
        ``laplace`` or ``gaussian``.

    Returns
    -------
    tuple of float, float and Guarantee
        Standard deviations of the sampling and of the noise, in units of the answer, and the guarantee that each query
        has on its sample.

    Notes
    -----
    Neighbour relation: one record is replaced. With Laplace noise a sample never helps: the amplified ε' is at least
    qε, so the noise width / (m ε) is at least width / (n ε').

    References
    ----------
    Balle, Barthe & Gaboardi (2018), Thm 9; Balle & Wang (2018), Thm 8.

    Examples
    --------
    >>> sampled, noisy, _ = mean_error(10_000, 0.25, 10, Guarantee(1.0), 1_000)
    >>> round(sampled, 6), round(noisy, 6)
    (0.0075, 0.001968)
    """
    rate, each, share = _per_query(records, spread, queries, budget, draws, width, noise)
    base = Guarantee(base_epsilon(each, rate), share)
    if noise == "laplace":
        deviation = math.sqrt(2) * width / (draws * base.epsilon)
    else:
        deviation = analytic_sigma(base.epsilon, base.delta) * width / draws if base.delta < 1 else 0.0
    return sampling_error(spread, draws, records), deviation, base


def _per_query(
    records: int, spread: float, queries: int, budget: Guarantee, draws: int, width: float, noise: str
) -> tuple[float, float, float]:
    """The rate, and what each query may cost: ε after sampling and δ before it, rounded down; or a refusal."""
    POPULATION.check(records, "records")
    SENSITIVITY.check(width, "width")
    Parameter("spread", "s", "standard deviation of the records", 0, width / 2).check(spread)
    Parameter("draws", "m", "records drawn", 1, records, integer=True).check(draws)
    POSITIVE_EPSILON.check(budget.epsilon, "epsilon of the budget")
    queries = QUERIES.check(queries)
    if noise not in NOISES:
        raise ValueError(f"noise must be one of {', '.join(NOISES)}; got {noise!r}")
    rate, each = sampling_rate(draws, records), rounded_down(typed(budget.epsilon) / queries)
    if noise == "laplace":
        return rate, each, 0.0
    if not 0 < budget.delta < 1:
        raise ValueError(f"delta of a budget for Gaussian noise must be in (0, 1); got {budget.delta!r}")
    return rate, each, min(1.0, rounded_down(typed(budget.delta) / queries / typed(rate)))


def error_against_rate(
    records: int,
    spread: float,
    queries: int,
    budget: Guarantee,
    draws: Iterable[int],
    width: float = 1.0,
    noises: Iterable[str] = (LAPLACE,),
) -> pandas.DataFrame:
    """Return the error of each mean against the sampling rate, at the same total budget.

    Parameters
    ----------
    records, spread, queries, budget, width
        As in `mean_error`.
    draws : iterable of int
        Sample sizes, each in [1, records].
    noises : iterable of str
        ``laplace``, ``gaussian`` or both.

    Returns
    -------
    pandas.DataFrame
        One row per noise and sample size: sample_size, rate, noise, epsilon and delta (of one query on its sample),
        sampling_error, noise_error and error (standard deviations and their root of squares, units of the answer).

    Examples
    --------
    >>> error_against_rate(10_000, 0.25, 10, Guarantee(1.0), [1_000, 10_000]).error.round(5).tolist()
    [0.00775, 0.00141]
    """
    import pandas

    rows = []
    for noise in noises:
        for size in draws:
            sampled, noisy, each = mean_error(records, spread, queries, budget, size, width, noise)
            rate, total = sampling_rate(size, records), math.hypot(sampled, noisy)
            rows.append((size, rate, noise, each.epsilon, each.delta, sampled, noisy, total))
    return pandas.DataFrame(rows, columns=_COLUMNS)
