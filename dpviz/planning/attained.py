"""The releases of a plan as two data sets surely make them differ: what a lower end of its loss may be computed of."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dpviz.mechanisms import ApproximateDP, Declared, Gaussian, Mechanism, TrainedModel, mechanism_from
from dpviz.mechanisms.mechanism import adds_noise
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.plan.kinds import ANY
from dpviz.training import TrainingRun, scheme_named, training_cost

KIND = "histogram"


def attained(plan: Plan) -> Plan:
    """Return the plan with every histogram as the changes of its bars that surely occur, one by one.

    A sensitivity of noise in L1 is a sum over bars: where one unit is replaced by another, two bars change by 1 each,
    and together they tell less than one bar that changes by 2. So the loss of one change by the whole sensitivity is
    an upper end only. With several rows of a unit each may lie in another bar. Gaussian noise is alike in all
    directions, so that its histograms stay as they are, but for such rows: m of them in m bars are √m away, not m.
    Where it is said that all m may lie in one bar, that bar changes by m.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    Plan
        Without histograms of which that cannot be said: of samples, with thresholds, with sensitivities that are no
        whole number of bars.

    Raises
    ------
    ValueError
        When a sensitivity lets no total be quoted.

    Notes
    -----
    Noise of bars is independent, so that what they tell composes: that many uses at sensitivity 1.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> plan = Plan([Release("Ages", Laplace(40.0), 100, kind="histogram")], relation="replace_one")
    >>> attained(plan).releases[0].mechanism, attained(plan).releases[0].count
    (Laplace(scale=40.0, sensitivity=1.0), 200)
    """
    plan.check_sensitivities()
    found = [_attained(plan, row) if each.kind == KIND else each for row, each in enumerate(plan.releases)]
    releases = tuple(each for each in found if each is not None)
    return plan if releases == plan.releases else replace(plan, releases=releases, relation=plan.neighbours)


def certain(plan: Plan) -> Plan:
    """Return the releases of `attained` of which it is known what they lose, and not only a bound on it.

    Of what states a pair or a curve only that is known, and of samples of a fixed size a pair that no data attain.

    Examples
    --------
    >>> from dpviz import ApproximateDP, Laplace
    >>> plan = Plan([Release("Ages", Laplace(10, 1)), Release("Box", ApproximateDP(1.0, 1e-6))])
    >>> [each.name for each in certain(plan).releases]
    ['Ages']
    """
    plan = attained(plan)
    return replace(plan, releases=tuple(each for each in plan.releases if not _bounded(each.mechanism)))


def _bounded(mechanism: Mechanism) -> bool:
    if isinstance(mechanism.base, ApproximateDP | Declared):
        return True
    return mechanism.sampled and mechanism.scheme == "without_replacement" and 0 < mechanism.rate < 1


def lost_by_models(plan: Plan, delta: float) -> float:
    """Return what one trained model alone certainly loses at δ, where its scheme has a lower end of its own.

    Examples
    --------
    >>> from dpviz.mechanisms import TrainedModel
    >>> plan = Plan([Release("Model", TrainedModel(60_000, 256, 1.1, epochs=3, scheme="shuffled"))])
    >>> lost_by_models(plan, 1e-5) > 0, lost_by_models(plan, 0.0)
    (True, 0.0)
    """
    models = {each.mechanism for each in plan.releases if each.uses and isinstance(each.mechanism, TrainedModel)}
    found = [0.0]
    for model in models:
        if delta > 0 and scheme_named(model.scheme).own_bound:
            fields = {name: getattr(model, name) for name in ("records", "batch_size", "noise_multiplier", "scheme")}
            run = TrainingRun(**fields, delta=delta, epochs=model.epochs, steps=model.steps)
            found.append(training_cost(run).lower or 0.0)
    return max(found)


def _attained(plan: Plan, row: int) -> Release | None:
    """A histogram as the changes of its bars; None where it is not known what they are."""
    release, known = plan.releases[row], plan.sensitivities[row]
    base = release.mechanism.base
    if isinstance(base, Gaussian):
        return _in_other_bars(release)
    if not adds_noise(type(base)):
        return release
    if base is not release.mechanism or known is None or known.value is None:
        return None
    moved, bars = 1, int(known.value)  # as many of a sensitivity in L2, too: no fewer change, as their root is no more
    if in_one_bar(release):
        moved, bars = release.rows, 1 + (plan.neighbours == "replace_one")
    elif bars != known.value:
        return release if not release.count else None
    if not 1 <= bars * release.count <= COUNT.high:
        return release if not release.count else None
    scale = {type(base).forms[-1].needed[0]: base.noise.scale, "sensitivity": float(moved)}
    return replace(release.bare(mechanism_from(base.key, scale)), count=bars * release.count)


def in_one_bar(release: Release) -> bool:
    """Return whether it is said that all of several rows of a unit may lie in one bar, so that this bar changes by all.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> in_one_bar(Release("Rides", Laplace(40.0), kind="histogram", rows=8, bars="any"))
    True
    """
    return release.kind == KIND and release.bars == ANY and (release.rows or 1) > 1


def _in_other_bars(release: Release) -> Release:
    """A histogram of Gaussian noise with each of several rows of a unit in a bar of its own, rounded down."""
    mechanism, rows = release.mechanism, release.rows or 1
    if rows == 1 or release.bars is not None or not isinstance(mechanism, Gaussian):
        return release
    apart = float(np.nextafter(mechanism.sensitivity / math.sqrt(rows), 0.0))
    return release.bare(Gaussian(mechanism.sigma, apart))
