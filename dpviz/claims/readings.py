"""What a publication may leave open, and what the same releases are under each reading of it.

A reading makes another plan out of one, or says why no total is proved for it. Where a reading only bounds what the
mechanism loses, it says so: no claim is called too small by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from dpviz.claims.stated import printed_ends
from dpviz.decimals import typed
from dpviz.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    Mechanism,
    RandomizedResponse,
    Subsampled,
    TrainedModel,
)
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma
from dpviz.mechanisms.left_open import STATED, in_units, states_epsilon
from dpviz.mechanisms.thresholding import Thresholding
from dpviz.parameters import COUNT
from dpviz.plan import Plan, Release
from dpviz.plan.derived import Known
from dpviz.planning.attained import attained
from dpviz.records import record_named

ASPECTS = {
    "relation": "neighbour relation",
    "sampling": "how samples are drawn",
    "noise": "real or whole noise",
    "calibration": "calibration of noise",
    "rounding": "rounding",
}


# Schemes of a trained model in which batches are drawn, and the noise is each batch's own; and what samples are there.
_OF_BATCHES = ("poisson", "truncated_poisson", "fixed_size", "allocation", "shuffled", "fixed_order")
_BATCHES_LIKE = {"without_replacement": "fixed_size"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of what was not disclosed.

    Parameters
    ----------
    key, label : str
        Its name in code and for people.
    aspect : str
        A key of `ASPECTS`: what is left open.
    means : str
        What it takes for true, in one sentence.
    plan : callable
        ``plan(plan)``: the releases under this reading; None where it says nothing else of them. A ValueError tells in
        one sentence why no total is proved under it.
    source : str
        Where it stands.
    attained : bool
        Whether what the plan certainly loses is lost under this reading, too; else its total is an upper bound only.
    least : callable, optional
        ``least(plan)``: the releases that are certainly lost under it, where `plan` counts more to be safe.
    sure : callable, optional
        ``sure(plan)``: likewise, of releases that still say what they are; in place of what `least` makes of those that
        are certainly lost as entered.
    """

    key: str
    label: str
    aspect: str
    means: str
    plan: Callable[[Plan], Plan | None]
    source: str = ""
    attained: bool = True
    least: Callable[[Plan], Plan | None] | None = None
    sure: Callable[[Plan], Plan | None] | None = None


def reading_named(key: str) -> Reading:
    """Return the reading with this key."""
    return record_named(READINGS, key)


def readings_of(aspect: str) -> tuple[Reading, ...]:
    """Return the readings of one aspect, in their order.

    Examples
    --------
    >>> [reading.key for reading in readings_of("noise")]
    ['whole_numbers', 'real_numbers']
    """
    return tuple(reading for reading in READINGS if reading.aspect == aspect)


def _with_mechanisms(plan: Plan, other: Callable[[Mechanism], Mechanism | None], **fields: object) -> Plan | None:
    """The plan with other mechanisms where `other` gives one; None where it gives none at all."""
    found = [other(release.mechanism) for release in plan.releases]
    if not any(found):
        return None
    releases = (_bare(release, mechanism) for release, mechanism in zip(plan.releases, found, strict=True))
    return replace(plan, releases=tuple(releases), **fields)


def _bare(release: Release, mechanism: Mechanism | None = None) -> Release:
    """The release with its sensitivity as it is: a kind of answer would ask for that of the relation in force."""
    return release.bare(in_units(mechanism or release.mechanism))


def _sampled(plan: Plan) -> list[Mechanism]:
    """The mechanisms in use that read samples, or batches."""
    return [each.mechanism for each in plan.releases if each.uses and _way_drawn(each.mechanism)]


def _way_drawn(mechanism: Mechanism) -> str | None:
    """How samples or batches are drawn; None of what reads none, and of noise that depends on earlier batches."""
    if isinstance(mechanism, TrainedModel):
        return mechanism.scheme if mechanism.scheme in _OF_BATCHES else None
    return mechanism.scheme if mechanism.sampled else None


def _redrawn(mechanism: Mechanism, scheme: str, farther: Fraction = Fraction(1)) -> Mechanism | None:
    """The same with samples, or batches, drawn in another way, where answers move so many times as far.

    None of what reads no samples. A trained model knows itself how far a record that is replaced moves it.
    """
    if _way_drawn(mechanism) is None:
        return mechanism.scaled(1 / farther) if farther != 1 and mechanism.scaled else None
    if isinstance(mechanism, TrainedModel):
        return replace(mechanism, scheme=_BATCHES_LIKE.get(scheme, scheme), largest_batch=None)
    base = mechanism.base
    return Subsampled(base if farther == 1 else base.scaled(1 / farther), mechanism.rate, scheme)


def _kept(release: Release, mechanism: Mechanism) -> Release:
    """The release with another mechanism, as what it is: what is certainly lost goes by its kind, rows and bars."""
    return replace(release, mechanism=mechanism)


def _surely(read: Callable[..., Plan | None]) -> Callable[[Plan], Plan | None]:
    """What is certainly lost under a reading of the relation: of the releases as they are there; else of none."""

    def sure(plan: Plan) -> Plan | None:
        found = read(plan, _kept)
        return found and (replace(found, releases=()) if found.faults else attained(found))

    return sure


def _other_relation(plan: Plan, form: Callable[[Release, Mechanism], Release] = _bare) -> Plan | None:
    # a way of sampling, or of training, fixes the relation
    if not plan.releases or any(each.uses and each.mechanism.relation for each in plan.releases):
        return None
    return _related(plan, [each.mechanism for each in plan.releases], form)


def _replaced_twice(plan: Plan, form: Callable[[Release, Mechanism], Release] = _bare) -> Plan | None:
    if plan.neighbours != "add_remove" or not plan.releases:
        return None
    if _sampled(plan):
        raise ValueError("no total is proved for Poisson samples when one record is replaced by another")
    twice = _related(plan, [each.mechanism for each in plan.of_units(2).releases], form)
    return None if twice == _other_relation(plan, form) else twice


def _half(plan: Plan, form: Callable[[Release, Mechanism], Release] = _bare) -> Plan | None:
    """Each answer moves half as far: twice the noise over its sensitivity."""
    if plan.neighbours != "replace_one" or _sampled(plan) or not plan.releases:
        return None
    doubled = [each.mechanism.scaled and each.mechanism.scaled(Fraction(2)) for each in plan.releases]
    ones = [each or release.mechanism for each, release in zip(doubled, plan.releases, strict=True)]
    half = _related(plan, ones, form)
    return half if any(doubled) and half != _other_relation(plan, form) else None


def _related(plan: Plan, typed_ones: list[Mechanism], form: Callable[[Release, Mechanism], Release]) -> Plan:
    """The releases under the other relation: these where a sensitivity was typed, and what follows where one follows.

    No typed one becomes less than what follows from what is released.
    """
    other = "replace_one" if plan.neighbours == "add_remove" else "add_remove"
    there = replace(plan, relation=other)
    rows = zip(plan.releases, plan.sensitivities, there.releases, there.sensitivities, typed_ones, strict=True)
    moved = (form(release, _moved(release, known, *rest)) for release, known, *rest in rows)
    return replace(plan, releases=tuple(moved), relation=other)


def _moved(
    release: Release, known: Known | None, then: Release, followed: Known | None, typed_one: Mechanism
) -> Mechanism:
    """The noise of a release where one unit moves its answers as in `then`, under the other relation."""
    mechanism = release.mechanism
    if release.kind == "survey" and isinstance(mechanism, RandomizedResponse | KaryRandomizedResponse):
        return mechanism  # of answers that chance changes one by one, one is another
    if known is None or followed is None or known.value is None or followed.least is None:
        return typed_one
    if known.origin != STATED and not states_epsilon(mechanism):
        return then.mechanism
    exact = typed(known.value) / typed(followed.least)
    if known.origin != STATED:
        return mechanism.scaled(exact)
    least = mechanism.scaled(exact)
    return typed_one if _as_far(typed_one) >= _as_far(least) else least


def _as_far(mechanism: Mechanism) -> float:
    """How far answers move over their noise."""
    base = mechanism.base
    return base.sensitivity / base.noise.scale


def _scheme(scheme: str, farther: Fraction = Fraction(1)) -> Callable[[Plan], Plan | None]:
    """Samples drawn in another way, under the relation that fits; where that is another one, answers move farther."""
    relation = "add_remove" if scheme == "poisson" else "replace_one"

    def read(plan: Plan) -> Plan | None:
        if not any(_way_drawn(each) not in (scheme, _BATCHES_LIKE.get(scheme)) for each in _sampled(plan)):
            return None
        times = farther if plan.neighbours != relation else Fraction(1)
        return _with_mechanisms(plan, lambda each: _redrawn(each, scheme, times), relation=relation)

    return read


def _once_an_epoch(batches: str, whole: Callable[[Fraction], int]) -> Callable[[Plan], Plan | None]:
    """Every record is read once in an epoch, by one batch: the base itself, once in 1 / rate uses, that made whole.

    Where a record is removed from shuffled data, another moves up: its batch reads two others, and the last one less.
    """

    def read(plan: Plan) -> Plan | None:
        if not any(_way_drawn(each) != batches for each in _sampled(plan)):
            return None
        relation = "add_remove" if any(isinstance(each, TrainedModel) for each in _sampled(plan)) else plan.relation
        moves_up = batches == "shuffled" and (relation or plan.neighbours) == "add_remove"
        releases = chain.from_iterable(_unsampled(each, batches, whole, moves_up) for each in plan.releases)
        return replace(plan, releases=tuple(releases), relation=relation)

    return read


def _unsampled(
    release: Release, batches: str, whole: Callable[[Fraction], int], moves_up: bool
) -> tuple[Release, ...]:
    mechanism = release.mechanism
    if _way_drawn(mechanism) is None:
        return (_bare(release),)
    if isinstance(mechanism, TrainedModel):
        return (_bare(release, _redrawn(mechanism, batches)),)
    if release.start is not None:
        raise ValueError("no total is proved for epochs of a release with dates: how many fall into them is not known")
    # A last, smaller batch may be left out, or be one more; some record is read in what is left of an epoch, too.
    read = COUNT.check(math.ceil(Fraction(release.uses, whole(1 / Fraction(repr(mechanism.rate))))))
    last = Release(release.name, in_units(mechanism.base), read, release.part)
    return (replace(last, mechanism=last.mechanism.grouped(2)), last) if moves_up else (last,)


def _on_whole_numbers(plan: Plan) -> Plan | None:
    for each in plan.releases:
        base = each.mechanism.base
        if each.kind == "histogram" and isinstance(base, Gaussian) and base.sensitivity != 1:
            raise ValueError(
                "noise on whole numbers cannot be read into a histogram of which the L2 sensitivity alone is known, "
                f"{base.sensitivity:.6g}: it needs the L1 one"
            )
    return _with_mechanisms(plan, _whole)


def _whole(mechanism: Mechanism) -> Mechanism | None:
    base, kinds = mechanism.base, {Laplace: DiscreteLaplace, Gaussian: DiscreteGaussian}
    if type(base) not in kinds:
        return None
    if not float(base.sensitivity).is_integer():
        raise ValueError(f"noise on whole numbers needs a whole sensitivity; one release has {base.sensitivity:.6g}")
    scale = base.scale if isinstance(base, Laplace) else base.sigma
    return _drawn(mechanism, kinds[type(base)](scale, int(base.sensitivity)))


def _real(mechanism: Mechanism) -> Mechanism | None:
    base, kinds = mechanism.base, {DiscreteLaplace: Laplace, DiscreteGaussian: Gaussian}
    if type(base) not in kinds:
        return None
    scale = base.scale if isinstance(base, DiscreteLaplace) else base.sigma
    return _drawn(mechanism, kinds[type(base)](scale, float(base.sensitivity)))


def _calibrated(way: str) -> Callable[[Mechanism], Mechanism | None]:
    def read(mechanism: Mechanism) -> Mechanism | None:
        base = mechanism.base
        if not isinstance(base, Gaussian) or base.stated is None or base.calibration == way:
            return None
        sigma = calibrated_sigma(way, base.stated.epsilon, base.stated.delta, base.sensitivity)
        return _drawn(mechanism, Gaussian(sigma, base.sensitivity))

    return read


def _printed(end: int) -> Callable[[Mechanism], Mechanism | None]:
    """The noise at one end of what rounds to the number that was printed: the least (0), or the most (1)."""

    def read(mechanism: Mechanism) -> Mechanism | None:
        base, given = mechanism.base, mechanism.parameters
        by_noise = next((given[name] for name in ("sigma", "scale") if name in given), None)
        if isinstance(mechanism, TrainedModel):
            by_noise = mechanism.noise_multiplier
        factor = None
        if by_noise is not None:
            factor = printed_ends(by_noise)[end]
        elif "epsilon" in given and base.scaled:
            factor = 1 / printed_ends(given["epsilon"])[1 - end]
        return None if factor is None or not base.scaled else _scaled(mechanism, factor)

    return read


def _scaled(mechanism: Mechanism, factor: Fraction) -> Mechanism | None:
    base = mechanism.base
    if isinstance(base, Gaussian) and base.stated is not None:  # noise itself, whatever pair is stated of it
        return _drawn(mechanism, Gaussian(float(Fraction(base.sigma) * factor), base.sensitivity))
    other = base.scaled(factor)
    return other and _drawn(mechanism, other)


def _drawn(mechanism: Mechanism, base: Mechanism) -> Mechanism:
    """The other noise where this one stands: in its sample, or beneath its threshold, whatever that leaks then."""
    if isinstance(mechanism, Thresholding):
        return replace(mechanism, base=base)
    return Subsampled(base, mechanism.rate, mechanism.scheme) if mechanism.sampled else base


def _mechanism_wise(other: Callable[[Mechanism], Mechanism | None]) -> Callable[[Plan], Plan | None]:
    return lambda plan: _with_mechanisms(plan, other)


_BATCHES = "Chua et al. (2024), How Private are DP-SGD Implementations?, arXiv 2403.17673"
READINGS = (
    Reading(
        "other_relation",
        "the other relation",
        "relation",
        "One unit is replaced by another where the promise says added or removed, or the reverse. The sensitivity is "
        "worked out again where it follows from the release, and else is as stated.",
        _other_relation,
        sure=_surely(_other_relation),
    ),
    Reading(
        "replaced_twice",
        "replaced, and answers move twice as far",
        "relation",
        "One unit is replaced by another: what it added is taken away, and as much is added somewhere else.",
        _replaced_twice,
        sure=_surely(_replaced_twice),
        source="Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2",
    ),
    Reading(
        "added_half",
        "added or removed, and answers move half as far",
        "relation",
        "The sensitivity was stated for one unit replaced by another, and adding one moves answers half as far.",
        _half,
        sure=_surely(_half),
    ),
    Reading(
        "poisson",
        "every record enters on its own (Poisson)",
        "sampling",
        "Each record is in a sample with the same probability, on its own, and samples differ in size.",
        _scheme("poisson"),
        "Balle, Barthe & Gaboardi (2018), Thm 8",
        least=_scheme("poisson", Fraction(1, 2)),  # adding a record may move answers half as far as replacing it
    ),
    Reading(
        "without_replacement",
        "samples of a fixed size",
        "sampling",
        "Each sample is drawn afresh, without replacement, and has a fixed size; one record is replaced by another, "
        "which moves answers up to twice as far as adding it.",
        _scheme("without_replacement", Fraction(2)),
        least=_scheme("without_replacement"),
        source="Balle, Barthe & Gaboardi (2018), Thm 9",
    ),
    Reading(
        "fixed_batches",
        "fixed batches, each record once an epoch",
        "sampling",
        "Batches never change, and each is read once an epoch; a record that is missing leaves its place empty.",
        _once_an_epoch("fixed_order", math.floor),
        _BATCHES,
        least=_once_an_epoch("fixed_order", math.ceil),
    ),
    Reading(
        "shuffled_batches",
        "shuffled batches, each record once an epoch",
        "sampling",
        "The data are shuffled and cut into batches; where a record is removed, another moves up. At most what that "
        "costs when all know the order; how much less is not known.",
        _once_an_epoch("shuffled", math.floor),
        _BATCHES,
        attained=False,
    ),
    Reading(
        "whole_numbers",
        "noise on whole numbers",
        "noise",
        "Laplace and Gaussian noise is drawn from whole numbers, with the same scale.",
        _on_whole_numbers,
        "Canonne, Kamath & Steinke (2020)",
    ),
    Reading(
        "real_numbers",
        "real-valued noise",
        "noise",
        "Discrete Laplace and discrete Gaussian noise is real-valued in truth, with the same scale.",
        _mechanism_wise(_real),
    ),
    Reading(
        "classical",
        "σ by the classical calibration",
        "calibration",
        "σ is Δ √(2 ln(1.25/δ)) / ε, also outside of the range that it is proved for.",
        _mechanism_wise(_calibrated("classical")),
        "Dwork & Roth (2014), Thm A.1",
    ),
    Reading(
        "analytic",
        "σ by the analytic calibration",
        "calibration",
        "σ is the least that gives the stated pair.",
        _mechanism_wise(_calibrated("analytic")),
        "Balle & Wang (2018), Thm 8",
    ),
    Reading(
        "less_noise",
        "a little less noise than printed",
        "rounding",
        "Noise was rounded up: half a unit of its last digit less, of two digits at least (0.9 counts as 0.90).",
        _mechanism_wise(_printed(0)),
    ),
    Reading(
        "more_noise",
        "a little more noise than printed",
        "rounding",
        "Noise was rounded down: half a unit of its last digit more, of two digits at least (0.9 counts as 0.90).",
        _mechanism_wise(_printed(1)),
    ),
)
