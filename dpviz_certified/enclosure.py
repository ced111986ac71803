"""The answer of an evaluation in balls: two decimals between which the truth lies, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction
    from types import ModuleType

    from flint import arb

PLACES = 60  # significant digits of an end
INSTALL = 'python-flint is needed for that and is not installed: in a checkout, pip install ./dpviz_certified'
_SMALLEST = -4000  # powers of two: below them an end is 0, or 1e-1200
_CONTEXTS = tuple(
    Context(prec=PLACES, rounding=way, Emin=-(10**6), Emax=10**6) for way in (ROUND_FLOOR, ROUND_CEILING)
)


class NotCertified(ValueError):
    """Why no enclosure can be given, in words that finish "cannot be certified: ..."."""


@dataclass(frozen=True)
class Enclosure:
    """Two ends between which a number is proved to lie.

    Parameters
    ----------
    lower, upper : Decimal
        In [0, inf].
    method : str
        How it was found, as half a sentence.

    Examples
    --------
    >>> from decimal import Decimal
    >>> Enclosure(Decimal("0.998978"), Decimal("0.998979"), "by hand").digits
    5
    """

    lower: Decimal
    upper: Decimal
    method: str

    @property
    def digits(self) -> int:
        """How many significant digits are certain: the ends differ by at most one of the last of them."""
        if self.lower == self.upper:
            return PLACES
        if not self.upper.is_finite():
            return 0
        return max(0, (self.upper / (self.upper - self.lower)).adjusted())

    def __str__(self) -> str:
        if self.lower == self.upper:
            return f"{_trimmed(self.lower)}"
        places = min(PLACES, self.digits + 3)
        down, up = (Context(prec=places, rounding=way) for way in (ROUND_FLOOR, ROUND_CEILING))
        return f"[{_trimmed(down.plus(self.lower))}, {_trimmed(up.plus(self.upper))}]"


def _trimmed(value: Decimal) -> str:
    """A decimal as people write it, with an exponent only where it is far from 1."""
    if not value.is_finite():
        return "inf"
    value = value.normalize(Context(prec=PLACES, Emin=-(10**6), Emax=10**6))
    return f"{value:f}" if -6 < value.adjusted() < 15 else f"{value}"


def flint() -> ModuleType:
    """Return the library of balls, imported when it is first wanted.

    Raises
    ------
    NotCertified
        When it is not installed, with the command that installs it.
    """
    try:
        import flint as library
    except ImportError:
        raise NotCertified(INSTALL) from None
    return library


def enclosed(low: arb, high: arb, method: str) -> Enclosure:
    """Return the outward decimals of the lower end of one ball and the upper end of another, clipped at 0.

    Examples
    --------
    >>> from flint import arb
    >>> enclosed(arb(1) / 4, arb(1) / 4, "").upper
    Decimal('0.25')
    """
    return Enclosure(decimal(low.lower(), 0), decimal(high.upper(), 1), method)


def between(value: Fraction, method: str) -> Enclosure:
    """Return an exact fraction of at least 0, with all of its digits where it has no more than an end holds.

    Examples
    --------
    >>> from fractions import Fraction
    >>> print(between(Fraction(3, 10), ""))
    0.3
    """
    low, high = (each.divide(Decimal(value.numerator), Decimal(value.denominator)) for each in _CONTEXTS)
    return Enclosure(low, high, method)


def decimal(exact: arb, side: int) -> Decimal:
    """Return an exact ball of at least 0 as a decimal, rounded down (`side` 0) or up (1)."""
    if not exact.is_finite():
        return Decimal("Infinity") if exact > 0 else Decimal(0)
    if exact <= 0:
        return Decimal(0)
    mantissa, power = (int(each) for each in exact.man_exp())
    if power + mantissa.bit_length() < _SMALLEST:
        return Decimal("1e-1200") if side else Decimal(0)
    top, bottom = (mantissa << power, 1) if power >= 0 else (mantissa, 1 << -power)
    return _CONTEXTS[side].divide(Decimal(top), Decimal(bottom))
