"""Exact decimals: the digits a person typed, summed without float error and rounded to the safe side."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,20}", re.ASCII)  # longer ones are beyond every limit, and slow to read
_LONGEST = 1 << 16  # bits of an exact product: a millisecond


def number(text: str) -> float | int | None:
    """Return the number that `text` spells, whole numbers exactly; None where there is none.

    "1e999" and "1e-999" are none: they would become infinity and zero, an ε far too large or too small. Infinity has
    the one word "inf".

    Examples
    --------
    >>> number("30"), number("1e-6"), number("1e-999"), number("nan"), number("inf")
    (30, 1e-06, None, None, inf)
    """
    if text == "inf":
        return math.inf
    if _WHOLE.fullmatch(text):
        return int(text)
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return None if vanishes(text) or math.isinf(value) else value


def vanishes(text: str) -> bool:
    """Return whether `text` spells a number that is so near to 0 that it would become 0.

    Examples
    --------
    >>> vanishes("1e-400"), vanishes("1e-6"), vanishes("0e-400"), vanishes("e")
    (True, False, False, False)
    """
    spelt = _NUMBER.fullmatch(text) and float(text) == 0
    return bool(spelt and re.search("[1-9]", re.split("[eE]", text)[0]))


def typed(value: float) -> Fraction:
    """Return the decimal that `value` stands for: its shortest representation, exactly.

    Examples
    --------
    >>> typed(0.1) + typed(0.2) == typed(0.3)
    True
    """
    return Fraction(Decimal(repr(float(value))))


def spelt(text: str, value: float) -> str:
    """Return the text of a number, with a decimal point, where it means exactly `value`; "" where it does not.

    Examples
    --------
    >>> spelt(" 2,50", 2.5), spelt("2.50", 2.4), spelt("1,000.5", 1000.5)
    ('2.50', '', '')
    """
    text = text.strip().replace(",", ".")
    found = number(text)
    return text if found == value and math.isfinite(value) and Fraction(text) == typed(value) else ""


def rounded_up(exact: Fraction) -> float:
    """Return the smallest float whose decimal is not below `exact`; inf where there is none.

    Examples
    --------
    >>> rounded_up(24 * typed(0.11))
    2.64
    """
    try:
        value = float(exact)
    except OverflowError:
        return math.inf
    while math.isfinite(value) and typed(value) < exact:
        value = math.nextafter(value, math.inf)
    return value


def rounded_down(exact: Fraction) -> float:
    """Return the largest float whose decimal is not above `exact` (at least 0 for `exact` >= 0).

    Examples
    --------
    >>> rounded_down(typed(0.3) - typed(0.1))
    0.2
    """
    try:
        value = float(exact)
    except OverflowError:
        return math.nextafter(math.inf, 0.0)
    while typed(value) > exact:
        value = math.nextafter(value, -math.inf)
    return value


def weighted_sums(counts: np.ndarray, values: np.ndarray) -> list[Fraction]:
    """Return the exact sums ``counts @ typed(values)``.

    Parameters
    ----------
    counts : ndarray of int, shape (points, values)
    values : ndarray of float, shape (values,)
        Finite.

    Returns
    -------
    list of Fraction, length points

    Examples
    --------
    >>> weighted_sums(np.array([[1, 1]]), np.array([0.1, 0.2])) == [typed(0.3)]
    True
    """
    used = np.flatnonzero(values)
    if not used.size:
        return [Fraction(0)] * len(counts)
    exact = [typed(values[column]) for column in used]
    denominator = math.lcm(*(value.denominator for value in exact))
    numerators = [value.numerator * (denominator // value.denominator) for value in exact]
    columns = np.asarray(counts)[:, used]
    largest = max(1, int(columns.max(initial=0))) * sum(numerators)  # without rows, the numerators must fit alone
    kind = np.int64 if largest < 2**62 else object
    totals = columns.astype(kind) @ np.array(numerators, dtype=kind)
    return [Fraction(int(total), denominator) for total in totals]


def compounded_within(counts: np.ndarray, values: np.ndarray, limit: float) -> bool:
    """Say whether 1 - Π (1 - value)^count of the decimals typed is at most `limit`; False where that takes too long.

    Parameters
    ----------
    counts : ndarray of int, shape (values,)
    values : ndarray of float, shape (values,)
        In [0, 1].
    limit : float

    Examples
    --------
    >>> compounded_within(np.array([2]), np.array([0.05]), 0.0975), 1 - (1 - 0.05) ** 2 <= 0.0975
    (True, False)
    """
    used = [(int(count), 1 - typed(value)) for count, value in zip(counts, values, strict=True) if count and value]
    if sum(count * kept.denominator.bit_length() for count, kept in used) > _LONGEST:
        return False
    return 1 - math.prod(kept**count for count, kept in used) <= typed(limit)
