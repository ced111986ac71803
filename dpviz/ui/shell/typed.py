"""Numbers as people type them: what they mean, or one sentence on why that is not known; and how a box shows them."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from dpviz.decimals import typed as exact
from dpviz.decimals import vanishes
from dpviz.parameters import Parameter
from dpviz.plan.cadence import day
from dpviz.plan.fields import grouped, number, number_after_comma, plain_number
from dpviz.ui.shell.words import shortened

Ends = tuple[float, float] | Parameter  # the least and the largest number, or a quantity, which knows its interval
UNGROUPED = 1000.0  # up to which the point of 1.234 is a decimal one for sure
LONGEST = 60  # characters of a number
NEAREST = 1e-307  # to 0: what is nearer is held with fewer digits, or as 0
MOST_ODDS = 1e11  # beyond, the zeros of odds are not told apart
# With marks that stand between thousands and nowhere else.
_APART = re.compile(r"[+-]?[1-9]\d{0,2}([ '_])\d{3}(?:\1\d{3})*(?:\.\d+)?", re.ASCII)
_ODDS = re.compile(
    r"(?:1|one) in (?:an? )?([1-9]\d*|[1-9]\d{0,2}(?:[, ]\d{3})+)?( ?thousand| ?million| ?billion)?", re.ASCII
)
_WAYS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_WRITTEN = re.compile(rf"(.+?) ?({'|'.join(_WAYS)})")
_END = r"([-+]?[\d.]+(?:e[-+]?\d+)?)"
# The ends of a range: "0,5" is none, since it may be half of one; 1e-6 is a number.
_RANGE = re.compile(rf"\[?{_END}\s*(?:to|–|—|\.\.\.?|…|;)\s*{_END}\]?|\[{_END}\s*,\s*{_END}\]|(\d+)\s*-\s*(\d+)")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_MARKED = re.compile(r"([-+]?[\d.,' ]*\d)\s*(?:to|–|—|…)\s*([-+]?[\d.,' ]*\d)")  # with marks between thousands
_PARTED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})*", re.ASCII)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DATED = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.? (?P<month>[a-z]{3,9})\.?,? (?P<year>\d{4})"
    r"|(?P<month_first>[a-z]{3,9})\.? (?P<its_day>\d{1,2})(?:st|nd|rd|th)?,? (?P<its_year>\d{4})", re.ASCII
)  # fmt: skip
_MARKS = re.compile("[., ']")
_PLAIN = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'", "\u2212": "-"})


def within(text: str, name: str, ends: Ends, whole: bool = False) -> float:
    """Return the number that a text means, with a decimal point or comma; a ValueError says why it is none, or unclear.

    A point or comma may also stand between thousands: it is taken for that where nothing else is allowed, and a comma
    also where the number must be whole. A program may have written 500.000 for 500, so that such a point is unclear.

    Parameters
    ----------
    text : str
    name : str
        Of the quantity, for the sentence.
    ends : tuple of float, or Parameter
        The least and the largest value that are allowed, or the quantity.
    whole : bool
        Whether it must be whole; a quantity knows.

    Examples
    --------
    >>> within("0,5", "ε", (0, 50)), within("5e5", "people", (1, 1e13), whole=True), within("1.234", "ε", (0, 50))
    (0.5, 500000, 1.234)
    >>> within("2", "δ", (0, 0.5))
    Traceback (most recent call last):
    ...
    ValueError: δ must be a number in [0, 0.5]; got '2'
    >>> within("25,000", "people", (1, 1e13), whole=True), within("1.2 million", "people", (1, 1e13), whole=True)
    (25000, 1200000)
    >>> within("25.000", "σ", (0, 1e5))
    Traceback (most recent call last):
    ...
    ValueError: σ must be 25 or 25000, written like that; got '25.000', which may be either
    """
    whole = ends.integer if isinstance(ends, Parameter) else whole
    found = list(dict.fromkeys(value for value in _meanings(text, whole) if admits(value, ends, whole)))
    if len(found) == 1:
        return int(found[0]) if whole else float(found[0])
    said = repr(shortened(text, 20))
    if found:
        spelt = " or ".join(shown(int(value) if whole else float(value)) for value in found)
        raise ValueError(f"{name} must be {spelt}, written like that; got {said}, which may be either")
    if vanishes(text.strip()):
        raise ValueError(f"{name} must be 0 or no nearer to it than {NEAREST:g}, so that it can be counted; got {said}")
    if isinstance(ends, Parameter):
        raise ValueError(f"{name} must be in {ends.interval}; got {said}")
    kind, limits = ("a whole number", "[{}, {}]") if whole else ("a number", "[{:g}, {:g}]")
    raise ValueError(f"{name} must be {kind} in {limits.format(*ends)}; got {said}")


def admits(value: float, ends: Ends, whole: bool = False) -> bool:
    """Say whether a number is within ends, and whole where it must be.

    Examples
    --------
    >>> admits(0, (0, 1)), admits(0.5, (0, 1), whole=True)
    (True, False)
    """
    if isinstance(ends, Parameter):
        return ends.admits(value)
    return ends[0] <= value <= ends[1] and not (whole and value != int(value))


def pointed(quantity: Parameter) -> Parameter:
    """Return a quantity up to where no point can be meant to stand between thousands.

    Examples
    --------
    >>> from dpviz.parameters import SIGMA
    >>> pointed(SIGMA).interval, within("1.234", "σ", pointed(SIGMA))
    ('(0, 1000]', 1.234)
    """
    return replace(quantity, high=min(quantity.high, UNGROUPED), open_high=False)


def shown(value: float | None) -> str:
    """Return how a box shows a number: as `within` reads it again, whatever is allowed; "" for none.

    Examples
    --------
    >>> shown(0.5), shown(1e-06), shown(500000), shown(2.0), shown(1.234), shown(None)
    ('0.5', '1e-6', '500000', '2', '1.2340', '')
    """
    if value is None:
        return ""
    text = re.sub(r"e([+-])0*", lambda found: "e" + found[1].replace("+", ""), repr(value).removesuffix(".0"))
    return f"{text}0" if grouped(text) else text


def decimal(text: str, name: str, ends: Ends) -> float:
    """Return the number that a text means where a point is a decimal one, as of a loss; a comma may still be unclear.

    Examples
    --------
    >>> decimal("4.692", "ε", (0, 1e6)), decimal("4,7", "ε", (0, 1e6))
    (4.692, 4.7)
    """
    plain = text.strip()
    return within(f"{plain}0" if grouped(plain) and "," not in plain and plain.count(".") == 1 else text, name, ends)


def probability(text: str, name: str, ends: tuple[float, float]) -> float:
    """Return the probability that a text means, a number or odds such as "1 in 1,000,000" or "1 in 10 million".

    See `within` for what else is read, and refused.

    Parameters
    ----------
    text, name : str
    ends : tuple of float

    Examples
    --------
    >>> probability("1 in 1,000,000", "δ", (0, 0.5)), probability("1e-6", "δ", (0, 0.5))
    (1e-06, 1e-06)
    >>> probability("1 in 10 million", "δ", (0, 0.5)), probability("one in a thousand", "δ", (0, 0.5))
    (1e-07, 0.001)
    """
    found = _ODDS.fullmatch(text.strip().lower().translate(_PLAIN))
    if not found or not any(found.groups()):
        return within(text, name, ends)
    ways = int(re.sub("[, ]", "", found[1] or "1")) * _WAYS.get((found[2] or "").strip(), 1)
    return within(shown(1 / ways), name, ends)


def odds(value: float) -> str:
    """Return how a box shows a probability: as odds where they are round, as `probability` reads them again.

    Examples
    --------
    >>> odds(1e-06), odds(2.5e-05), odds(3e-07), odds(1e-12), odds(0)
    ('1 in 1,000,000', '1 in 40,000', '3e-7', '1e-12', '0')
    """
    ways = round(1 / value) if MOST_ODDS * value >= 1 else 0
    return f"1 in {ways:,}" if ways > 1 and 1 / ways == value and ways % 10 == 0 else shown(value)


def until(value: float | None, text: str = "") -> str:
    """Return the sentence on what counts while a box holds no number that can be taken; `text` is how it is shown.

    Examples
    --------
    >>> until(0.5), until(None), until(1e-6, "1 in 1,000,000")
    ('Until then 0.5 counts.', 'Until then none is set.', 'Until then 1 in 1,000,000 counts.')
    """
    return "Until then none is set." if value is None else f"Until then {text or shown(value)} counts."


def counted_number(text: str) -> float | int | None:
    """Return the number of a cell in which a comma can only stand between thousands; None where there is none.

    Examples
    --------
    >>> counted_number("21,000"), counted_number("1.5"), counted_number("2,5"), counted_number("1.000")
    (21000, 1.5, None, None)
    """
    return plain_number(text.replace(",", "") if _THOUSANDS.fullmatch(text.strip()) else text)


def ends_of(text: str, parted: re.Pattern[str] = _RANGE) -> tuple[str, str] | None:
    """Return the two ends of a range, as typed; None of what is none, as a number is.

    Examples
    --------
    >>> ends_of("0 to 6000"), ends_of("[0, 6000]"), ends_of("0-6000"), ends_of("1e-6"), ends_of("0,5")
    (('0', '6000'), ('0', '6000'), ('0', '6000'), None, None)
    >>> ends_of("0 to 6,000"), ends_of("-1,000 to 1,000"), ends_of("1000 to 6,000"), ends_of("0 to 6.000")
    (('0', '6000'), ('-1000', '1000'), None, None)
    """
    found = parted.fullmatch(_without_commas(text.strip()))
    ends = [end for end in found.groups() if end is not None] if found else []
    return (ends[0], ends[1]) if len(ends) == 2 and None not in map(plain_number, ends) else None


def _without_commas(text: str) -> str:
    """A range of whole numbers that all have a comma between thousands, without them.

    If one were a decimal comma, the range would be a smaller one, which costs less.
    """
    found = _MARKED.fullmatch(text.strip("[]"))
    marked = found and "," in text and all(_PARTED.fullmatch(end) for end in found.groups())
    return text.replace(",", "") if marked else text


def unmarked(text: str) -> str:
    """Return a range without marks that may part thousands; "" of what is none, or has no such mark.

    Examples
    --------
    >>> unmarked("0 to 2,000"), unmarked("0 to 2000")
    ('0 to 2000', '')
    """
    found = _MARKED.fullmatch(text.strip(" []"))
    if not found or not any(map(grouped, found.groups())):
        return ""
    ends = [_MARKS.sub("", end) if grouped(end) else end for end in found.groups()]
    return "" if None in map(plain_number, ends) else " to ".join(ends)


def _meanings(text: str, whole: bool) -> list[float | int]:
    """All numbers that a text may mean; of a whole one, none with zeros after a comma."""
    plain = text.strip().lower().translate(_PLAIN)
    if in_words := _WRITTEN.fullmatch(plain):
        times = [exact(value) * _WAYS[in_words[2]] for value in _meanings(in_words[1], False) if math.isfinite(value)]
        return [int(value) if value.denominator == 1 else float(value) for value in times]
    if _APART.fullmatch(plain):
        plain = re.sub("[ '_]", "", plain)
    if not grouped(plain):
        found = [number_after_comma(plain)]
    else:
        after_comma = None if whole and "." not in plain else number(plain.replace(",", "."))
        found = [after_comma, number(re.sub("[.,]", "", plain))]
    return [value for value in found if value is not None]


def dated(text: str) -> str:
    """Return a day that is written with the name of its month as year-month-day; what is none, as it is.

    Numbers alone say no day for sure: 1/9/2027 is in January or in September.

    Examples
    --------
    >>> dated("1 September 2027"), dated("Sep 1, 2027"), dated("31st dec 2027"), dated("1/9/2027"), dated("30 Feb 2027")
    ('2027-09-01', '2027-09-01', '2027-12-31', '1/9/2027', '30 Feb 2027')
    """
    if not (found := _DATED.fullmatch(" ".join(text.lower().split()))):
        return text
    number, month, year = (found[one] or found[other] for one, other in
                           (("day", "its_day"), ("month", "month_first"), ("year", "its_year")))  # fmt: skip
    places = [place for place, name in enumerate(_MONTHS, 1) if name.startswith(month)]
    spelt = f"{year}-{places[0]:02}-{int(number):02}" if len(places) == 1 else ""
    return spelt if day(spelt) else text
