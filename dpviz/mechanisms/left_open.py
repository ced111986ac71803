"""A sensitivity that nobody typed: the noise is in units of it, until a plan derives it from what is released."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from dpviz.parameters import Parameter

if TYPE_CHECKING:
    from dpviz.mechanisms.mechanism import Mechanism

M = TypeVar("M", bound="Mechanism")
STATED, DERIVED, OPEN = "stated", "derived", "open"
UNKNOWN_NOISE = "its sensitivity is open, and with it the size of its noise: say what is released, or its sensitivity"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the sensitivity of a mechanism comes from.

    Parameters
    ----------
    kind : {"stated", "derived", "open"}
    followed : float or None
        What followed, or stands for an open one: another number in its place counts as typed.
    bars : int
        Of a histogram whose bars have noise of their own: how many of them change by 1 each, which is what follows. 1
        where that is not so: then one number is taken to change by all of it.
    """

    kind: str
    followed: float | None = field(default=None, compare=False)
    bars: int = 1


TYPED = Origin(STATED)


class _LeftOpen(float):
    """The default of a sensitivity, told from the same number when it is typed."""


LEFT_OPEN: float = _LeftOpen(1.0)
LEFT_OPEN_WHOLE: int = LEFT_OPEN  # type: ignore[assignment]  # of noise on whole numbers, which takes it as 1


def take_sensitivity(mechanism: Mechanism, allowed: Parameter) -> None:
    """Put the checked sensitivity into a mechanism that is being made; one left open is 1."""
    origin = Origin(OPEN, 1.0) if isinstance(mechanism.sensitivity, _LeftOpen) else mechanism.sensitivity_from
    sensitivity = allowed.check(mechanism.sensitivity)
    object.__setattr__(mechanism, "sensitivity", sensitivity)
    object.__setattr__(mechanism, "sensitivity_from", origin if origin.followed == sensitivity else TYPED)


def origin_of(mechanism: Mechanism) -> str:
    """Return where its sensitivity comes from; what has none states all that it has.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse
    >>> origin_of(Laplace(10)), origin_of(Laplace(10, 1.0)), origin_of(RandomizedResponse(1.0))
    ('open', 'stated', 'stated')
    """
    return getattr(mechanism.base, "sensitivity_from", TYPED).kind


def given_sensitivity(mechanism: Mechanism) -> dict[str, float]:
    """Return the sensitivity as an input by its name; nothing where nobody typed it."""
    return {"sensitivity": mechanism.sensitivity} if mechanism.sensitivity_from == TYPED else {}


def as_open(made: M, before: Mechanism) -> M:
    """Return `made` with its sensitivity from where it was `before`."""
    same = made.sensitivity_from == before.sensitivity_from
    return made if same else replace(made, sensitivity_from=before.sensitivity_from)


def in_units(mechanism: M) -> M:
    """Return a mechanism whose sensitivity was left open as one that states 1: its noise is in units of it.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> Laplace(10).parameters, in_units(Laplace(10)).parameters
    ({'scale': 10.0}, {'scale': 10.0, 'sensitivity': 1.0})
    """
    if not follows(mechanism):
        return mechanism
    if mechanism.base is not mechanism:
        return replace(mechanism, base=in_units(mechanism.base))
    return replace(mechanism, sensitivity_from=TYPED)


def follows(mechanism: Mechanism) -> bool:
    """Say whether it has a sensitivity that was left open: one that follows from what is released, or is not known.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse
    >>> follows(Laplace(10)), follows(Laplace(10, 1.0)), follows(RandomizedResponse(1.0))
    (True, False, False)
    """
    return origin_of(mechanism) != STATED


def states_epsilon(mechanism: Mechanism) -> bool:
    """Say whether it was given by an ε, so that its noise follows from its sensitivity, not its ε.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> states_epsilon(Laplace.from_epsilon(0.1)), states_epsilon(Laplace(10))
    (True, False)
    """
    return "epsilon" in mechanism.base.parameters


def why_no_error(mechanism: Mechanism) -> str:
    """Return why nothing can be said of its error, as half a sentence; "" where it can.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, RandomizedResponse
    >>> why_no_error(RandomizedResponse(1.0))
    'each answer is randomized by itself: the error of a share depends on how many answer'
    >>> why_no_error(Laplace(10)), why_no_error(Laplace.from_epsilon(0.1, 1.0))
    ('', '')
    """
    unknown = origin_of(mechanism) == OPEN and states_epsilon(mechanism)
    return UNKNOWN_NOISE if unknown else mechanism.why_no_noise
