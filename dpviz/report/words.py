"""How a report names what a plan holds: for readers who never saw its file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial

from dpviz.mechanisms import RandomizedResponse, Thresholding, TrainedModel
from dpviz.mechanisms.left_open import DERIVED, origin_of
from dpviz.plan import CADENCES, Release
from dpviz.plan.cadence import dates, recurs
from dpviz.plan.disclosure import NOT_STATED
from dpviz.plan.field_table import FIELDS
from dpviz.plan.fields import DEFAULTS
from dpviz.plan.kinds import kind_named
from dpviz.records import record_named
from dpviz.rounding import shown_count, shown_down, shown_near, shown_up

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_PARAMETERS = {
    "epsilon": "ε = {}", "delta": "δ = {}", "sigma": "σ = {}", "calibration": "{} calibration",
    "derived": "sensitivity {}, as it follows", "training": "{}",
}  # fmt: skip
# Noise is never told larger than it is; what costs, such as a sensitivity, never smaller.
_UP, _DOWN = partial(shown_up, digits=6), partial(shown_down, digits=6)
_SAFE = {"sigma": _DOWN, "scale": _DOWN, "threshold": _DOWN}
_SAMPLES = {
    "poisson": "each record is read with probability {}",
    "without_replacement": "a sample of {} of all records is read",
}
MOST_TYPED = 9  # digits that somebody types
_PLAIN = range(-4, 15)  # exponents written out


def day_in_words(day: date | str) -> str:
    """Return a day as people write it, the same in every country's settings.

    Examples
    --------
    >>> day_in_words("2026-08-31")
    '31 August 2026'
    """
    day = date.fromisoformat(day) if isinstance(day, str) else day
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def typed_number(value: float, rounded: Callable[[float], str] = shown_near) -> str:
    """Return a number with the digits it was typed with, and separators between thousands.

    A fraction of more digits than anybody types was computed: it is `rounded`, and the JSON has all of them.

    Examples
    --------
    >>> typed_number(1500.0), typed_number(-0.05), typed_number(1e-06)
    ('1,500', '−0.05', '10⁻⁶')
    >>> typed_number(2**0.5), typed_number(0.123456789)
    ('1.41421', '0.123456789')
    """
    exact = Decimal(repr(float(value))).normalize()
    if exact.is_finite() and len(exact.as_tuple().digits) > MOST_TYPED and exact != exact.to_integral_value():
        return rounded(value)
    if not exact.is_finite() or (exact and exact.adjusted() not in _PLAIN):
        return shown_near(value, 17)
    return f"{exact:,f}".replace("-", "−") if exact else "0"


def noise_in_words(release: Release) -> str:
    """Return what is added to the answer, or done with it instead.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse
    >>> noise_in_words(Release("a", Laplace(10, 1))), noise_in_words(Release("a", RandomizedResponse(1)))
    ('Laplace noise', 'Randomized response')
    """
    base = release.mechanism.base
    if isinstance(base, TrainedModel):
        return "Gaussian noise on the gradients of a model's training"
    named = base.label if base.noise is None else f"{base.label} noise"
    if isinstance(release.mechanism, Thresholding):
        return f"{named} on every key, and a threshold"
    return f"{named} on a random sample" if release.mechanism.sampled else named


def asked_in_words(release: Release) -> str:
    """Return what a release publishes, and what the values are clipped to; "" where neither is told.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> asked_in_words(Release("Pay", Laplace(10), kind="sum", lower=0, upper=6000, answer_unit="euros"))
    'sum, values clipped to 0 to 6,000 euros'
    >>> asked_in_words(Release("Pay", Laplace(10), kind="mean"))
    'mean, values clipped to: not stated'
    """
    told = [kind_named(release.kind).label] if release.kind else []
    if release.lower is not None:
        ends = f"{typed_number(release.lower)} to {typed_number(release.upper)}"
        told.append(f"values clipped to {ends} {release.answer_unit or ''}".rstrip())
    elif release.kind in ("sum", "mean"):
        told.append(f"values clipped to: {NOT_STATED}")
    return ", ".join(told)


def asked_for_people(release: Release, unit: str = "unit") -> str:
    """Return what a release publishes, without the words of the field; of how many rows of one unit, if of several.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> asked_for_people(Release("Pay", Laplace(10), kind="sum", lower=0, upper=6000, answer_unit="euros"))
    'sum of values held between 0 and 6,000 euros'
    >>> asked_for_people(Release("Pay", Laplace(10), kind="mean"))
    'mean of values whose limits are not stated'
    >>> asked_for_people(Release("Loans", Laplace(10), kind="histogram", rows=10), "reader")
    'counts of several groups, each time with at most 10 rows of one reader'
    """
    rows = f"each time with at most {shown_count(release.rows)} rows of one {unit}" if (release.rows or 1) > 1 else ""
    return ", ".join(filter(None, (_asked_for(release) or ("answer" if rows else ""), rows)))


def _asked_for(release: Release) -> str:
    if release.kind == "histogram":
        return "counts of several groups"
    survey = "survey answer" if isinstance(release.mechanism.base, RandomizedResponse) else ""
    kind = kind_named(release.kind).label if release.kind else survey
    if release.lower is not None:
        ends = f"between {typed_number(release.lower)} and {typed_number(release.upper)} {release.answer_unit or ''}"
        return f"{kind or 'answer'} of values held {ends}".rstrip()
    return f"{kind} of values whose limits are {NOT_STATED}" if release.kind in ("sum", "mean") else kind


def when_in_words(release: Release) -> str:
    """Return on which days it falls, from the first to the last of them, and what of them is published already.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> when_in_words(Release("a", Laplace(10, 1), start="2026-01-31", cadence="monthly", end="2026-12-31"))
    'every month from 31 January 2026 to 31 December 2026'
    >>> when_in_words(Release("a", Laplace(10, 1), cadence="once", done=True))
    'once; published'
    """
    days = dates(release.start, release.cadence, release.end) if recurs(release.cadence) else ()
    if len(days) > 1:
        often = record_named(CADENCES, release.cadence).label
        when = f"{often} from {day_in_words(release.start)} to {day_in_words(days[-1].item())}"
    else:
        when = f"on {day_in_words(release.start)}" if release.start else "once" if release.cadence else "no date"
    if release.done is False:
        return when
    until = "" if release.done is True else f" until {day_in_words(release.done)}"
    return f"{when}; published{until}"


def given_in_words(release: Release) -> str:
    """Return what else is known: parameters, a sensitivity that follows, its part, its weight and its typical value.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> given_in_words(Release("a", Laplace.from_epsilon(0.1, 1), typical=1500, answer_unit="persons"))
    'ε = 0.1, sensitivity 1, typically 1,500 persons'
    """
    parameters = dict(release.mechanism.parameters)
    base = release.mechanism.base
    if origin_of(base) == DERIVED:
        parameters["derived"] = base.sensitivity
    sample = _SAMPLES.get(parameters.pop("scheme", None), "sampling rate {}")
    rate = parameters.pop("rate", None)
    texts = {name: _text(value, _SAFE.get(name, _UP)) for name, value in parameters.items()}
    told = [_PARAMETERS.get(name, name + " {}").format(text) for name, text in texts.items()]
    told += [] if rate is None else [sample.format(_text(rate))]
    for field in FIELDS:
        if field.reported and (value := getattr(release, field.name)) != DEFAULTS[field.name]:
            told.append(field.reported.format(_text(value)))
    unit = f" {release.answer_unit}" if release.answer_unit else ""
    if release.typical is not None:
        told.append(f"typically {typed_number(release.typical)}{unit}")
    elif unit:
        told.append(f"counted in{unit}")
    return ", ".join(told)


def _text(value: object, rounded: Callable[[float], str] = shown_near) -> str:
    return typed_number(value, rounded) if isinstance(value, int | float) else str(value)
