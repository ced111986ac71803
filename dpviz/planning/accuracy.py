"""How far a published number lies from the exact answer: by its noise alone, in closed form, rounded up."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import ROUND_FLOOR
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from dpviz.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PermuteAndFlip,
    RandomizedResponse,
    largest_shortfall,
    shortfall_within,
)
from dpviz.mechanisms.left_open import given_sensitivity, why_no_error
from dpviz.mechanisms.mechanism import adds_noise, in_digits
from dpviz.mechanisms.noise import Noise, rounded_outwards
from dpviz.outward import lowered, raised, roundings
from dpviz.parameters import COUNT, POPULATION, Parameter
from dpviz.rounding import shown_count, shown_near, shown_up
from dpviz.search import farthest

if TYPE_CHECKING:
    import pandas

    from dpviz.plan import Plan, Release

CONFIDENCE = Parameter("confidence", "c", "how often a number lies within ±w", 0, 1, open_low=True)
HALF_WIDTH = Parameter(
    "half_width", "w", "distance within which a number lies", 0, math.inf, open_low=True, open_high=True
)
DOTS = Parameter("dots", "", "dots that stand for all releases", 1, 1000, integer=True)
LEFT_OUT = (
    "These are the errors of the noise alone. Clipping (which shifts answers) and sampling (a sample differs from the "
    "whole) add their own errors, which depend on the data and are left out."
)
ANSWERS = 1000  # of which the share is told
_MOST_TILT = 600.0
_SUBNORMAL = 1e-307  # its inverse is a double


def _demanded(mechanism: Mechanism) -> Noise:
    noise = mechanism.base.noise
    if noise is None:
        raise ValueError(f"mechanism must add Laplace or Gaussian noise; got {mechanism!r}")
    return noise


def half_width(mechanism: Mechanism, confidence: float = 0.95) -> float:
    """Return the w such that one use lies within ±w of the exact answer with this probability, rounded up.

    Parameters
    ----------
    mechanism : Laplace, Gaussian, or Subsampled over one of them
        A subsampled one counts with the noise of its base: what the sample leaves out is not in here.
    confidence : float
        In (0, 1]; at 1, which no unbounded noise meets, w is inf.

    Returns
    -------
    float
        In units of the answer: b ln(1/(1-c)) for Laplace(b), σ Φ⁻¹((1+c)/2) for Gaussian(σ).

    Raises
    ------
    ValueError
        When the mechanism adds no noise, or `confidence` lies outside its interval.

    Notes
    -----
    Neighbour relation: none; accuracy does not depend on one.

    References
    ----------
    Dwork & Roth (2014), Fact 3.7 (tail of the Laplace distribution).

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Laplace
    >>> round(half_width(Laplace(10)), 4), round(half_width(Gaussian(10)), 4)
    (29.9573, 19.5996)
    """
    noise, confidence = _demanded(mechanism), CONFIDENCE.check(confidence)
    return noise.half_width(confidence)


def scale_within(kind: type, half_width: float, confidence: float = 0.95) -> float:
    """Return the largest noise scale with which one use lies within ±`half_width` this often, rounded down.

    Parameters
    ----------
    kind : {Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian}
        The class of a mechanism with noise.
    half_width : float
        In units of the answer, in (0, inf).
    confidence : float
        In (0, 1]; for several uses at once see `joint_confidence`.

    Returns
    -------
    float
        b of Laplace noise or σ of Gaussian noise; 0 where no noise is that sure, as at confidence 1.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> round(scale_within(Laplace, 30, 0.95), 4)
    10.0142
    """
    if not adds_noise(kind):
        raise ValueError(f"kind must be Laplace or Gaussian; got {kind!r}")
    width, confidence = HALF_WIDTH.check(half_width), CONFIDENCE.check(confidence)
    noise = kind(1.0).noise

    def reached(scale: float) -> float:
        return replace(noise, scale=scale).half_width(confidence)

    scale = min(lowered(width / (noise.half_width(confidence) or width), 34), np.finfo(float).max)
    if scale < _SUBNORMAL or reached(scale) <= raised(width, roundings(1e-12)) < reached(scale * (1 + 1e-6)):
        return scale
    inside, outside = scale, 2 * scale  # not in proportion to its scale: on integers, say
    while reached(inside) > width:
        inside, outside = inside / 2, inside
    while reached(outside) <= width:
        inside, outside = outside, 2 * outside
    return farthest(lambda scale: reached(scale) <= width, inside, outside)


def joint_confidence(confidence: float, uses: int) -> float:
    """Return how sure each of `uses` numbers must be so that all of them lie within their ±w with `confidence`.

    Parameters
    ----------
    confidence : float
        For all at once, in (0, 1].
    uses : int
        Numbers published with noise of their own, in [0, 1000000000].

    Returns
    -------
    float
        confidence^(1/uses), rounded up: never less sure than asked. 1 where no number below 1 is close enough.

    Notes
    -----
    Exact, not a bound: the noise of one use is independent of that of any other.

    Examples
    --------
    >>> round(joint_confidence(0.95, 10), 6)
    0.994884
    """
    confidence, uses = CONFIDENCE.check(confidence), COUNT.check(uses, "uses")
    if uses <= 1 or confidence == 1:
        return confidence
    missed = lowered(-math.expm1(math.log(confidence) / uses), 34)
    return min(1.0, math.nextafter(1 - missed, 2.0))


def quantile_dots(mechanism: Mechanism, dots: int = 20) -> np.ndarray:
    """Return errors that stand for all: each dot for an equally likely band of distances from the exact answer.

    Parameters
    ----------
    mechanism : Laplace, Gaussian, or Subsampled over one of them
        As for `half_width`.
    dots : int
        In [1, 1000].

    Returns
    -------
    ndarray of float, shape (dots,)
        In ascending order, in units of the answer. Dot i has the distance that (i - 1/2)/dots of all uses stay within,
        on alternating sides, since the noise is symmetric. So exactly 19 of 20 lie within the half width at 95 %;
        quantiles of the signed error would put two dots on its ends.

    References
    ----------
    Kay, Kola, Hullman & Munson (2016), When (ish) is my bus? (quantile dotplots).

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> int((abs(quantile_dots(Laplace(10))) <= half_width(Laplace(10), 0.95)).sum())
    19
    """
    noise, dots = _demanded(mechanism), DOTS.check(dots)
    shares = (np.arange(dots) + 0.5) / dots
    distances = np.array([noise.half_width(float(share)) for share in shares])
    return np.sort(distances * np.where(np.arange(dots) % 2, 1.0, -1.0))


def errors(plan: Plan, confidence: float = 0.95) -> pandas.DataFrame:
    """Return the error of one use of every release of a plan, by the noise alone; see `LEFT_OUT`.

    Parameters
    ----------
    plan : Plan
    confidence : float
        For each number on its own, in (0, 1]; for all at once see `joint_confidence`.

    Returns
    -------
    pandas.DataFrame
        One row per release: row (from 0), release, mechanism (its label), unit ("answer"), uses, typical,
        expected_absolute, half_width, relative (half_width / typical, rounded up), noisy (whether the noise exceeds
        the signal: half_width > typical), reason ("" or why there is no noise), and of a pick among a stated number of
        candidates shortfall and shortfall_within: by how much its score falls short of the best, at most on average and
        with that confidence, in units of the score's sensitivity. What is not known is None.

    Raises
    ------
    ValueError
        When `confidence` lies outside its interval.

    Examples
    --------
    >>> from dpviz import Laplace, Plan, Release
    >>> plan = Plan([Release("Visitors", Laplace(10, 1), typical=20.0)])
    >>> bool(errors(plan).noisy.iloc[0])
    True
    """
    import pandas as pd

    confidence = CONFIDENCE.check(confidence)
    rows = [_error_row(row, release, confidence, plan.population) for row, release in enumerate(plan.releases)]
    columns = (
        "row", "release", "mechanism", "unit", "uses", "typical", "expected_absolute", "half_width", "relative",
        "noisy", "reason", "shortfall", "shortfall_within",
    )  # fmt: skip
    # Objects, since a column of floats would turn None into NaN.
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    frame.attrs.update(unit=plan.unit_in_words, relation=plan.neighbours, confidence=confidence)
    return frame.astype({"row": int, "uses": int, "noisy": bool})


def _error_row(row: int, release: Release, confidence: float, people: int | None) -> dict[str, object]:
    mechanism, typical = release.mechanism, release.typical
    reason = why_no_error(mechanism)
    width = None if reason else half_width(mechanism, confidence)
    return {
        "row": row,
        "release": release.name,
        "mechanism": mechanism.label,
        "unit": "answer",
        "uses": release.uses,
        "typical": typical,
        "expected_absolute": None if reason else mechanism.base.noise.mean_distance,
        "half_width": width,
        "relative": None if width is None or typical is None else rounded_outwards(width / typical),
        "noisy": width is not None and typical is not None and width > typical,
        "reason": why_no_width(release, people),
        **_shortfalls(release, confidence),
    }


def true_answers(response: RandomizedResponse) -> float:
    """Return how many of 100 randomized answers stay as they are, e^ε/(1 + e^ε).

    References
    ----------
    Dwork & Roth (2014), Sect. 3.2; Warner (1965).

    Examples
    --------
    >>> round(true_answers(RandomizedResponse(1.0)), 4)
    73.1059
    """
    return 100 / (1 + math.exp(-response.stated.epsilon))


def epsilon_of_true(share: float) -> float:
    """Return the ε with which so many of 100 randomized answers stay as they are: the inverse of `true_answers`.

    Parameters
    ----------
    share : float
        In (50, 100).

    Examples
    --------
    >>> round(epsilon_of_true(80), 5)
    1.38629
    """
    return math.log(share / (100 - share))


def share_half_width(response: RandomizedResponse, answers: int, confidence: float = 0.95) -> float:
    """Return about how far a share that randomized answers tell lies off, by their randomness alone.

    Parameters
    ----------
    response : RandomizedResponse
        Of the answers yes and no; the share of yes is told by (y - (1 - p))/(2p - 1), with y of the given answers and
        p = e^ε/(1 + e^ε) of all answers true.
    answers : int
        How many people answer.
    confidence : float
        In (0, 1).

    Returns
    -------
    float
        Φ⁻¹((1 + c)/2)/(2 √n sinh(ε/2)), as a part of 1; inf at ε = 0. An approximation by the normal distribution,
        good where ``answers`` is large.

    Notes
    -----
    Neighbour relation: none. Each of the n answers has the variance p(1 - p), whatever the truth is.

    References
    ----------
    Warner (1965), Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias, eq. 5, of which the
    part for the sampling of people is left out.

    Examples
    --------
    >>> round(share_half_width(RandomizedResponse(1.0), 1000), 4)
    0.0595
    """
    tilt = math.sinh(min(response.stated.epsilon / 2, _MOST_TILT))  # beyond, no double: told larger
    spread = 2 * math.sqrt(POPULATION.check(answers)) * tilt
    return NormalDist().inv_cdf((1 + CONFIDENCE.check(confidence)) / 2) / spread if spread else math.inf


def points_off(release: Release, people: int | None = None) -> float | None:
    """Return how far the share that a survey tells lies off, in points, 19 times of 20.

    Parameters
    ----------
    release : Release
    people : int, optional
        How many answer where the release does not say.

    Returns
    -------
    float or None
        As `share_half_width`, at most 100; None of what is no randomized response, or if nobody says how many answer.

    Examples
    --------
    >>> from dpviz import Release
    >>> round(points_off(Release("Undeclared work", RandomizedResponse(1.0), averaged=1000)), 3)
    5.947
    """
    answers = release.averaged or people
    if not answers or not isinstance(release.mechanism, RandomizedResponse):
        return None
    return min(100 * share_half_width(release.mechanism, answers), 100.0)


def with_gaussian(plan: Plan, kept: Collection[int] = ()) -> Plan:
    """Return the plan with Gaussian noise in the place of Laplace noise, with which no error is larger 19 times of 20.

    Parameters
    ----------
    plan : Plan
    kept : collection of int
        Rows (from 0) that stay; what is done stays, too, and what reads samples.

    Notes
    -----
    A sensitivity that was typed is that in L1, and stays: that in L2 is never larger. One that follows is that in L2.

    Examples
    --------
    >>> from dpviz import Laplace, Plan, Release
    >>> found = with_gaussian(Plan([Release("Visits", Laplace(10.0, 1.0), 52)])).releases[0].mechanism
    >>> found, half_width(found) <= half_width(Laplace(10.0))
    (Gaussian(sigma=15.2846, sensitivity=1.0), True)
    """
    releases = [
        each if row in kept or each.done or not each.uses else _gaussian(each) for row, each in enumerate(plan.releases)
    ]
    return replace(plan, releases=tuple(releases))


def _gaussian(release: Release) -> Release:
    """The release with Gaussian noise of six digits; as it is where it has no Laplace noise of its own."""
    mechanism = release.mechanism
    other = {Laplace: Gaussian, DiscreteLaplace: DiscreteGaussian}.get(type(mechanism))
    if other is None or why_no_error(mechanism):
        return release
    width = half_width(mechanism)
    sigma = scale_within(other, width) if 0 < width < math.inf else 0.0
    try:
        made = other(in_digits(sigma, ROUND_FLOOR), **given_sensitivity(mechanism))
    except ValueError:  # no noise that it may have
        return release
    return release if half_width(made) > width else replace(release, mechanism=made)


def _of_share(states: Sequence[tuple[RandomizedResponse, int | None]]) -> str:
    """What stands in the place of the error of randomized answers, of so many if that is known, in each state."""
    points = [100 * share_half_width(each, answers or ANSWERS) for each, answers in states]
    off = " → ".join(f"{shown_up(each, 3)}" if each < 100 else "100" for each in points)
    said = f"off by up to about {off} points" if min(points) < 100 else "no news"
    true = " → ".join(dict.fromkeys(shown_near(true_answers(each), 3) for each, _ in states))
    many = " → ".join(dict.fromkeys(shown_count(answers or ANSWERS) for _, answers in states))
    return f"a share is {said} if {many} answer; {true} of 100 answers stay as given"


def why_no_width(
    release: Release, people: int | None = None, before: Release | None = None, people_before: int | None = None
) -> str:
    """Return what stands in the place of an error where there is none to state; "" where there is.

    Of randomized answers how far a share lies off, of as many as answer, else of all people, else of 1,000; of a pick
    how far it may fall short; else why. Of answers that were randomized otherwise, or others, before, both are told.

    Examples
    --------
    >>> from dpviz import Release
    >>> why_no_width(Release("Undeclared work", RandomizedResponse(1.0)))
    'a share is off by up to about 5.95 points if 1,000 answer; 73.1 of 100 answers stay as given'
    >>> from dpviz import Exponential, Release
    >>> why_no_width(Release("Best site", Exponential(1.0), candidates=100)).partition("; of ")[2]
    '100 candidates it falls short of the best by at most 9.211 times what one unit changes a score, on average'
    """
    if isinstance(release.mechanism, RandomizedResponse):
        both = ((before or release, people_before or people), (release, people))
        known = ((each.mechanism, each.averaged or many) for each, many in both)
        return _of_share(tuple(dict.fromkeys(each for each in known if isinstance(each[0], RandomizedResponse))))
    reason, average = why_no_error(release.mechanism), _shortfalls(release, 0.0)["shortfall"]
    if average is None:
        return reason
    short = f"it falls short of the best by at most {shown_up(average)} times what one unit changes a score, on average"
    return f"{reason}; of {shown_count(release.candidates)} candidates {short}"


def _shortfalls(release: Release, confidence: float) -> dict[str, float | None]:
    """What the pick may fall short of the best; None where it is no such pick, or among an unknown number."""
    mechanism, many = release.mechanism, release.candidates
    if many is None or not isinstance(mechanism, Exponential | PermuteAndFlip) or not mechanism.stated.epsilon:
        return {"shortfall": None, "shortfall_within": None}
    within = shortfall_within(mechanism, many, confidence)
    return {"shortfall": largest_shortfall(mechanism, many), "shortfall_within": within}
