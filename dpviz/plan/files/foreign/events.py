"""Events of Google's dp_accounting, by their repr or as JSON: what was released, as a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from dpviz.decimals import rounded_down, rounded_up, typed
from dpviz.mechanisms import Declared, DiscreteLaplace, Gaussian, KaryRandomizedResponse, Laplace, Mechanism, Subsampled
from dpviz.outward import lowered, raised
from dpviz.parameters import COUNT, RATE, SIGMA, shown
from dpviz.plan.files.foreign.literals import Call
from dpviz.plan.files.foreign.opened import MOST_RELEASES, Opened, refused
from dpviz.plan.plan import Plan
from dpviz.plan.release import Release

FORM = "events of dp_accounting"
_KIND = ("event_type", "class", "type", "name")  # of a JSON object, what says which event it is
_CLASSES = {"PoissonSampledDpEvent": "poisson", "SampledWithoutReplacementDpEvent": "without_replacement"}


def is_event(value: object) -> bool:
    """Say whether a value is an event, by name.

    Examples
    --------
    >>> is_event(Call("NoOpDpEvent", (), {})), is_event([1.5, 0.04, 2250])
    (True, False)
    """
    return (isinstance(value, Call) and value.name.endswith("DpEvent")) or value_of(value) is not None


def value_of(value: object) -> Call | None:
    """Return the event that a JSON object is: ``{"type": "GaussianDpEvent", ...}``; None for another value."""
    if not isinstance(value, dict):
        return None
    for key in _KIND:
        name = value.get(key)
        if isinstance(name, str) and name.endswith("DpEvent"):
            return Call(name, (), {other: each for other, each in value.items() if other != key})
    return None


def opened_events(value: object) -> Opened:
    """Return the plan of an event.

    Parameters
    ----------
    value : Call or dict
        As `dpviz.plan.files.foreign.literals.literal` reads it.

    Raises
    ------
    PlanFileError
        When a parameter is missing or not allowed.

    Notes
    -----
    Poisson samples state the relation add_remove, samples without replacement replace_one, as there.

    Examples
    --------
    >>> from dpviz.plan.files.foreign.literals import literal
    >>> found = opened_events(literal("SelfComposedDpEvent(PoissonSampledDpEvent(0.04, GaussianDpEvent(1.5)), 2250)"))
    >>> found.plan.releases[0].mechanism.rate, found.plan.releases[0].uses, found.not_understood
    (0.04, 2250, ())
    """
    reading = _Reading()
    try:
        releases = [_release(number, *used) for number, used in enumerate(reading.uses(value, 1), 1)]
        plan = Plan(tuple(releases))
    except ValueError as error:
        if hasattr(error, "problems"):
            raise
        raise refused("event", shown(value), str(error)) from None
    return Opened(FORM, tuple(reading.left_out), bool(reading.left_out), plan=plan)


def _release(number: int, mechanism: Mechanism, count: int) -> Release:
    return Release(f"{mechanism.base.label} {number}", mechanism, count)


@dataclass
class _Reading:
    """One pass over an event, and what was not understood of it."""

    left_out: list[str] = field(default_factory=list)
    seen: int = 0

    def uses(self, value: object, count: int) -> Iterator[tuple[Mechanism, int]]:
        """The mechanisms of an event, and how often each is used."""
        event = value if isinstance(value, Call) else value_of(value)
        self.seen += 1
        if event is None or self.seen > MOST_RELEASES:
            allowed = f"must be one of dp_accounting, at most {MOST_RELEASES:,} of them"
            raise ValueError(f"event {allowed}; got {shown(value)}")
        if event.name == "NoOpDpEvent":
            event.taken()
            return
        if not count:
            return
        if event.name == "ComposedDpEvent":
            for each in _listed(event):
                yield from self.uses(each, count)
        elif event.name == "SelfComposedDpEvent":
            inner, times = event.taken("event", "count")
            yield from self.uses(inner, COUNT.check(COUNT.check(times) * count))
        elif (mechanism := self.mechanism(event)) is not None:
            yield mechanism, count

    def mechanism(self, event: Call) -> Mechanism | None:
        """The mechanism of one event; None, with a sentence, for one that is none here."""
        if event.name in _CLASSES:
            return self.sampled(event)
        make = _MAKERS.get(event.name)
        if make is None:
            self.left_out.append(f"{event.name:.60} has no counterpart here: it is not in the plan.")
            return None
        return make(event)

    def sampled(self, event: Call) -> Mechanism | None:
        """A sample; of what is composed within one sample, Gaussian noise alone is one mechanism."""
        if event.name == "PoissonSampledDpEvent":
            rate, inner = event.taken("sampling_probability", "event")
        else:
            source, size, inner = event.taken("source_dataset_size", "sample_size", "event")
            whole = max(COUNT.check(source, "source_dataset_size"), 1)
            rate = rounded_up(Fraction(COUNT.check(size, "sample_size"), whole))
        found = list(self.uses(inner, 1))
        if not found:  # what is not understood of it is told already
            return None
        base = found[0][0] if len(found) == 1 and found[0][1] == 1 else _gaussian(found)
        if base is None or base.sampled:
            self.left_out.append(f"{event.name} of several mechanisms has no counterpart here: it is not in the plan.")
            return None
        return Subsampled(base, RATE.check(rate), _CLASSES[event.name])


def _listed(event: Call) -> list[object]:
    (inner,) = event.taken("events")
    if not isinstance(inner, list):
        raise ValueError(f"events must be a list; got {shown(inner)}")
    return inner


def _gaussian(found: list[tuple[Mechanism, int]]) -> Gaussian | None:
    """The one Gaussian noise that several are together; None for others (Dong, Roth & Su 2022, Cor. 3.3)."""
    if not found or not all(isinstance(mechanism, Gaussian) for mechanism, _ in found):
        return None
    square = sum(count * (mechanism.sensitivity / mechanism.sigma) ** 2 for mechanism, count in found)
    return Gaussian(lowered(1 / math.sqrt(square), 8 * (len(found) + 2)), 1.0)


def _noise(make: Callable[[float, float], Mechanism]) -> Callable[[Call], Mechanism]:
    def read(event: Call) -> Mechanism:
        (multiplier,) = event.taken("noise_multiplier")
        return make(SIGMA.check(multiplier, "noise_multiplier"), 1.0)

    return read


def _discrete_laplace(event: Call) -> Mechanism:
    decay, sensitivity = event.taken("noise_parameter", "sensitivity")
    scale = 1 / typed(SIGMA.check(decay, "noise_parameter"))  # rounded down: less noise loses more
    return DiscreteLaplace(rounded_down(scale), sensitivity)


def _response(event: Call) -> Mechanism:
    """With probability p a value at random of k, so that ε = ln(1 + k (1 - p) / p), rounded up."""
    share, values = event.taken("noise_parameter", "num_buckets")
    share, values = RATE.check(share, "noise_parameter"), COUNT.check(values, "num_buckets")
    if not share:
        raise ValueError("noise_parameter of randomized response must be in (0, 1]; got 0")
    return KaryRandomizedResponse(raised(math.log1p(values * (1 - share) / share), 24), values)


def _concentrated(event: Call) -> Mechanism:
    rho, xi = event.taken("rho", "xi")
    if xi is not None and (isinstance(xi, bool) or xi != 0):
        raise ValueError(f"xi must be 0; got {shown(xi)}")
    return Declared.zcdp(rho)


_MAKERS: dict[str, Callable[[Call], Mechanism]] = {
    "GaussianDpEvent": _noise(Gaussian),
    "LaplaceDpEvent": _noise(Laplace),
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _response,
    "ZCDpEvent": _concentrated,
}
