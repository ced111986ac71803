"""Numbers as people read them: costs rounded up, what remains rounded down; shares of a whole to the nearest tenth."""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_DIGITS = 12
_DECIMAL = re.compile(r"\d+(\.\d+)?")
LAST_DIGITS = 1e-12  # of a double, relatively: what an error seems to be more by them it is not
MUCH = 10**6  # percent: beyond, no decimal matters
_PLAIN = range(-4, 7)  # exponents written out; others as a power of ten


def shown_up(value: float, digits: int = 4) -> str:
    """Return `value` with at most `digits` significant digits, never less than it is.

    Parameters
    ----------
    value : float
        At least 0, as for every cost; inf is allowed.
    digits : int
        Significant digits, at least 1.

    Examples
    --------
    >>> shown_up(2.64), shown_up(25.516485), shown_up(0.100325875624), shown_up(1.25e-7)
    ('2.64', '25.52', '0.1004', '1.25 × 10⁻⁷')
    """
    return _shown(value, digits, ROUND_CEILING)


def shown_down(value: float, digits: int = 4) -> str:
    """Return `value` with at most `digits` significant digits, never more than it is.

    Examples
    --------
    >>> shown_down(4.25522), shown_down(0.0), shown_down(float("inf"))
    ('4.255', '0', '∞')
    """
    return _shown(value, digits, ROUND_FLOOR)


def shown_beyond(value: float, limit: float, digits: int = 4) -> str:
    """Return `value` rounded down, with as many digits as show that it lies beyond a limit; 12 of them at most.

    Examples
    --------
    >>> shown_beyond(6.76878, 6.59), shown_beyond(10.12541, 10.12), shown_beyond(1.0, 1.0)
    ('6.768', '10.125', '1')
    """
    while digits < _MOST_DIGITS and math.isfinite(value) and value > limit >= next_below(value, digits):
        digits += 1
    return shown_down(value, digits)


def shown_near(value: float, digits: int = 6) -> str:
    """Return the nearest number of `digits` significant digits: for what is no cost, such as noise or a place.

    Examples
    --------
    >>> shown_near(3.9476127054206676), shown_near(-0.25), shown_near(1e-08)
    ('3.94761', '−0.25', '10⁻⁸')
    """
    return _shown(value, digits, ROUND_HALF_EVEN)


def _shown(value: float | Decimal, digits: int, rounding: str) -> str:
    if not isinstance(value, Decimal) and not math.isfinite(value):
        if math.isnan(value):
            raise ValueError("value must be a number; got nan")
        return "∞" if value > 0 else "−∞"
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    number = Context(prec=digits, rounding=rounding).create_decimal(exact)
    if not number:
        return "0"
    if number < 0:
        return "−" + _shown(-number, digits, ROUND_HALF_EVEN)
    if number.adjusted() in _PLAIN:
        text = f"{number:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = f"{number.scaleb(-number.adjusted()).normalize():f}"
    power = shown_power(number.adjusted())
    return power if mantissa == "1" else f"{mantissa} × {power}"


def shown_power(exponent: int) -> str:
    """Return a power of ten as it is written.

    Examples
    --------
    >>> shown_power(-6), shown_power(12)
    ('10⁻⁶', '10¹²')
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def shown_total(epsilon: float, limit: float = math.inf) -> str:
    """Return a proved total as every text and table quotes it: rounded up, but never beyond a limit that it keeps.

    Examples
    --------
    >>> shown_total(3.766739, 4.0), shown_total(3.99999662, 4.0), shown_total(1250.5), shown_total(21.1423, 21.143)
    ('3.767', '4', '1,251', '21.143')
    >>> shown_total(4.00000001, 4.0)
    '4.001'
    """
    digits = 4
    while epsilon <= limit < next_above(epsilon, digits) and digits < _MOST_DIGITS:
        digits += 1
    text = shown_up(epsilon, digits)
    return shown_count(int(text)) if text.isdecimal() else text


def shown_budget(limit: float, total: float = math.inf) -> str:
    """Return a budget as every text and picture quotes it: rounded down, but never below a total that it holds.

    Examples
    --------
    >>> shown_budget(21.143), shown_budget(21.143, 21.1423), shown_budget(1500.0), shown_budget(math.inf)
    ('21.14', '21.143', '1500', '∞')
    """
    digits = 4
    while total <= limit and next_below(limit, digits) < total and digits < _MOST_DIGITS:
        digits += 1
    return shown_down(limit, digits)


def shown_rest(total: float, limit: float) -> str:
    """Return what is left of a limit: the difference of what is shown of both, rounded down.

    Examples
    --------
    >>> shown_rest(1.19963, 2.0), shown_rest(3.99999662, 4.0), shown_rest(3.7, 1000.0), shown_rest(1e-9, 1.0)
    ('0.8', '0', '996.3', '0.9999')
    """
    both = [text.replace(",", "") for text in (shown_total(total, limit), shown_budget(limit, total))]
    if not all(map(_DECIMAL.fullmatch, both)):
        return shown_down(limit - total)
    return _shown(max(Decimal(both[1]) - Decimal(both[0]), Decimal(0)), 4, ROUND_FLOOR)


def shown_right(right: float) -> str:
    """Return how many of 100 guesses an attacker gets right, at most.

    Examples
    --------
    >>> shown_right(73.7286), shown_right(99.971)
    ('73.8', '99.98')
    """
    few = (shown_up(right, digits) for digits in (3, 4, 5, 6))
    return next((text for text in few if text != "100"), "100")


def shown_error(width: float) -> str:
    """Return how far an answer may lie off, with separators between thousands.

    Examples
    --------
    >>> shown_error(27.2331), shown_error(38310.2)
    ('27.3', '38,400')
    """
    text = shown_up(width, 3)
    return shown_count(int(text)) if text.isdecimal() else text


def shown_relative(width: float, typical: float) -> str:
    """Return how far an answer may lie off beside its size, in percent: of the error as `shown_error` tells it.

    Rounded up, but for a double's last digits.

    Examples
    --------
    >>> shown_relative(75.0, 2500), shown_relative(171.4, 3100), shown_relative(15.3, 1.0)
    ('3 %', '5.55 %', '1,530 %')
    """
    text = shown_up(100 * next_above(width, 3) / abs(typical) * (1 - LAST_DIGITS), 3)
    return f"{shown_count(int(text)) if text.isdecimal() else text} %"


def shown_sureness(share: float) -> str:
    """Return how sure somebody can be, in percent, rounded up; near certainty with a digit more.

    Examples
    --------
    >>> shown_sureness(0.5), shown_sureness(0.94073), shown_sureness(0.99991)
    ('50 %', '94.1 %', '100 %')
    """
    return f"{shown_up(100 * share, 3 if share < 0.99 else 4)} %"


def shown_prior(share: float) -> str:
    """Return how sure somebody was beforehand, in percent, rounded down: what follows from it holds of what is shown.

    Examples
    --------
    >>> shown_prior(0.5), shown_prior(0.001), shown_prior(1 / 3)
    ('50 %', '0.1 %', '33.3333 %')
    """
    return f"{shown_down(float(f'{100 * share:.12g}'), 6)} %"


def shown_quantity(quantity: str, value: float, limit: float = math.inf) -> str:
    """Return a quantity of a comparison of two plans as all pages and reports write it.

    Parameters
    ----------
    quantity : str
        A key of `dpviz.planning.scenario`: counts are whole, a budget is rounded down, all else up.
    value, limit : float
        The second is the ε of the plan's budget.

    Examples
    --------
    >>> shown_quantity("epsilon", 3.766739, 4.0), shown_quantity("odds", 73.7286), shown_quantity("uses", 1080.0)
    ('3.767', '73.8', '1,080')
    """
    if quantity in ("uses", "releases"):
        return shown_count(int(value))
    if quantity == "budget":
        return shown_down(value)
    if quantity == "odds":
        return shown_right(value)
    if quantity == "half_width":
        return shown_error(value)
    if quantity == "delta":
        return shown_delta(value)
    return shown_total(value, limit if quantity == "epsilon" else math.inf)


def shown_change(difference: float, digits: int = 4) -> str:
    """Return a difference with its sign, never less than it is: costs grow by no more, and fall by no less, than told.

    Examples
    --------
    >>> shown_change(-1.60472), shown_change(0.25), shown_change(0.0), shown_change(-540.0), shown_change(12345.6)
    ('−1.604', '+0.25', '0', '−540', '+12,350')
    """
    if difference == 0:
        return "0"
    text = shown_up(difference, digits) if difference > 0 else shown_down(-difference, digits)
    text = shown_count(int(text)) if text.isdecimal() else text
    return f"{'+' if difference > 0 else '−'}{text}"


def shown_between(a: str, b: str, difference: float) -> str:
    """Return the change from A to B as the difference of what is shown of both, so that a reader who subtracts agrees.

    No digit of it is beyond those of the larger one, which is rounded.

    Parameters
    ----------
    a, b : str
        As they are shown.
    difference : float
        Of the exact numbers: what is told where they are shown otherwise than as decimals.

    Examples
    --------
    >>> shown_between("5.026", "4", -1.02503), shown_between("2", "2", -3e-7), shown_between("10⁻⁶", "0.02", 0.019999)
    ('−1.026', '0', '+0.02')
    >>> shown_between("1.231", "0.9847", -0.24546), shown_between("10", "9.996", -0.004)
    ('−0.246', '−0.004')
    """
    plain = [text.replace(",", "").removesuffix(" %") for text in (a, b)]
    if a == b and math.isfinite(difference):  # what is left of a rounding is no news
        return "0"
    if not math.isfinite(difference) or not all(map(_DECIMAL.fullmatch, plain)):
        return shown_change(difference)
    of_a, of_b = map(Decimal, plain)
    told = (of_b - of_a).quantize(max(_last_digit(of_a), _last_digit(of_b)), ROUND_CEILING)
    return shown_change(float(told or of_b - of_a))  # what is shown otherwise has a difference


def _last_digit(shown: Decimal, digits: int = 4) -> Decimal:
    """The place of the last digit of a number that is shown with so many; of one that is whole, at most 1."""
    return Decimal(1).scaleb(min(shown.adjusted() - digits + 1, 0)) if shown else Decimal(1).scaleb(-9)


def next_above(value: float, digits: int = 4) -> float:
    """Return the number that `shown_up` shows.

    Examples
    --------
    >>> next_above(0.0872557)
    0.08726
    """
    if math.isinf(value):
        return value
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(repr(float(value))))


def next_below(value: float, digits: int = 4) -> float:
    """Return the number that `shown_down` shows.

    Examples
    --------
    >>> next_below(0.0872557)
    0.08725
    """
    if math.isinf(value):
        return value
    return float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(float(value))))


def shown_share(percent: float) -> str:
    """Return a part of a whole in percent, to the nearest tenth, as who divides the two beside it finds it.

    What is less than one percent is said to be, and only the whole is 100 percent.

    Examples
    --------
    >>> shown_share(39.96), shown_share(99.99), shown_share(0.4), shown_share(0.0)
    ('40.0 %', '99.9 %', 'under 1 %', 'under 1 %')
    """
    if percent < 1:
        return "under 1 %"
    nearest = Decimal(repr(float(percent))).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
    return f"{nearest if percent >= 100 else min(nearest, Decimal('99.9'))} %"


def shown_used(total: float, limit: float) -> str:
    """Return which part of a limit is used, in percent with one decimal, rounded up; in four digits where it is much.

    Examples
    --------
    >>> shown_used(0.5610, 1.0), shown_used(2.28476, 4.0), shown_used(1e30, 1e-6), shown_used(math.inf, 1.0)
    ('56.1 %', '57.2 %', '10³⁸ %', '∞ %')
    """
    context = Context(prec=28, rounding=ROUND_CEILING)
    percent = context.divide(100 * Decimal(repr(float(total))), Decimal(repr(float(limit))))
    if not percent < MUCH:
        return f"{_shown(percent if percent.is_finite() else math.inf, 4, ROUND_CEILING)} %"
    return f"{str(percent.quantize(Decimal('0.1'), ROUND_CEILING)).removesuffix('.0')} %"


def shown_excess(total: float, limit: float, digits: int = 4) -> str:
    """Return by how much `total` exceeds `limit`, rounded up; the difference of the decimals, not of the doubles.

    Examples
    --------
    >>> shown_excess(4.2, 4.0), 4.2 - 4.0
    ('0.2', 0.20000000000000018)
    """
    difference = Decimal(repr(float(total))) - Decimal(repr(float(limit)))
    return _shown(difference, digits, ROUND_CEILING)


def shown_delta(delta: float, digits: int = 4) -> str:
    """Return δ rounded up: as a power of ten where it is small, as a decimal otherwise.

    Examples
    --------
    >>> shown_delta(1e-6), shown_delta(2.5e-7), shown_delta(0.02), shown_delta(0.001), shown_delta(0)
    ('10⁻⁶', '2.5 × 10⁻⁷', '0.02', '0.001', '0')
    """
    return _shown(delta, digits, ROUND_CEILING)


def probability_in_words(probability: float) -> str:
    """Return a probability as odds, rounded up.

    Examples
    --------
    >>> probability_in_words(1e-6), probability_in_words(3e-6), probability_in_words(0.7)
    ('1 in 1,000,000', '1 in 333,333', '0.7')
    """
    if probability > 0.5 or probability <= 0:
        return shown_up(probability)
    ways = math.floor(1 / Fraction(repr(float(probability))))
    return f"1 in {ways:,}" if ways < 10**12 else f"1 in {_shown(Decimal(ways), 3, ROUND_FLOOR)}"


def delta_in_words(delta: float) -> str:
    """Return how often the bound may fail, as part of a sentence; the chance is rounded up.

    Examples
    --------
    >>> delta_in_words(1e-6), delta_in_words(0)
    ('except with a chance of at most 1 in 1,000,000', 'without exception')
    """
    return "without exception" if delta <= 0 else f"except with a chance of at most {probability_in_words(delta)}"


def shown_count(count: int) -> str:
    """Return a whole number with separators between thousands.

    Examples
    --------
    >>> shown_count(1086)
    '1,086'
    """
    return f"{count:,}"
