"""A total that somebody states of releases, as it was printed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from dpviz.parameters import EPSILON, Parameter

STATED_EPSILON = Parameter("epsilon", "ε", "privacy loss", EPSILON.low, EPSILON.high, open_high=True)
STATED_DELTA = Parameter("delta", "δ", "probability with which the bound may fail", 0, 1, open_high=True)


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """What somebody says that releases cost together: at most this ε at this δ.

    Parameters
    ----------
    epsilon : float
        In [0, inf).
    delta : float
        In [0, 1).
    printed : str
        ε as it was printed, where its last digits count, such as "3.0"; "" for the shortest decimal of `epsilon`.

    Raises
    ------
    ValueError
        When a value lies outside its interval, or what was printed is another number.

    Notes
    -----
    A statement is a promise: 2.49 means 2.49, not what may have been rounded to it. `rounded_from` says how large that
    may have been.

    Examples
    --------
    >>> StatedTotal(2.49, 1e-6).rounded_from, StatedTotal(3.0, 1e-6, "3.0").rounded_from
    (2.495, 3.05)
    """

    epsilon: float
    delta: float = 0.0
    printed: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", STATED_EPSILON.check(self.epsilon))
        object.__setattr__(self, "delta", STATED_DELTA.check(self.delta))
        if self.printed and _decimal(self.printed) != Decimal(repr(self.epsilon)):
            raise ValueError(f"printed must be the text of epsilon, {self.epsilon!r}; got {self.printed!r:.60}")

    @property
    def rounded_from(self) -> float:
        """The largest ε that rounds to the one that was printed: it and half a unit of its last digit."""
        decimal = _decimal(self.printed) if self.printed else Decimal(repr(self.epsilon)).normalize()
        return float(decimal + half_of_last_digit(decimal))


def half_of_last_digit(decimal: Decimal) -> Decimal:
    """Return half a unit of the last digit of a printed number; one after the point is taken as printed at least.

    Examples
    --------
    >>> half_of_last_digit(Decimal("0.843")), half_of_last_digit(Decimal("10"))
    (Decimal('0.0005'), Decimal('0.05'))
    """
    return Decimal("0.5").scaleb(min(int(decimal.as_tuple().exponent), -1))


def printed_ends(value: float) -> tuple[Fraction, Fraction]:
    """Return the factors by which the number behind a printed one may be smaller, and larger.

    Two digits are taken as printed at least, since whoever writes 4 for a noise seldom means 3.6.

    Examples
    --------
    >>> [float(each) for each in printed_ends(1.5)]
    [0.9666666666666667, 1.0333333333333334]
    """
    decimal = Decimal(repr(float(value))).normalize()
    last = min(int(decimal.as_tuple().exponent), decimal.adjusted() - 1)
    half = Fraction(Decimal("0.5").scaleb(last))
    return (Fraction(decimal) - half) / Fraction(decimal), (Fraction(decimal) + half) / Fraction(decimal)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"printed must be a number; got {text!r:.60}") from None
