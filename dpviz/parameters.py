"""Every quantity once: its name, symbol, words, unit and allowed interval, with the check that enforces it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TypeVar

import numpy as np

Kind = TypeVar("Kind")
Amount = TypeVar("Amount", float, np.ndarray)  # a number in gives a number, an array one of its shape
_LARGEST = 10**300  # whole numbers beyond are no floats
_NEAR = 0.85  # share of letters in common from which one word may be another one misspelt


@dataclass(frozen=True, slots=True)
class Parameter:
    """A quantity of the domain and the interval it must lie in.

    Parameters
    ----------
    name : str
        The field's term, as used for arguments and columns.
    symbol : str
        The letter for labels.
    words : str
        What it means, for people who do not read symbols.
    low, high : float
        Ends of the allowed interval.
    open_low, open_high : bool
        Whether an end is excluded.
    integer : bool
        Whether only whole numbers are allowed.

    Examples
    --------
    >>> EPSILON.check(0.5)
    0.5
    >>> EPSILON.check(-0.2)
    Traceback (most recent call last):
        ...
    ValueError: epsilon must be in [0, inf]; got -0.2
    """

    name: str
    symbol: str
    words: str
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    integer: bool = False

    @property
    def interval(self) -> str:
        """The allowed interval as text, such as ``(0, inf)``.

        Examples
        --------
        >>> SIGMA.interval
        '(0, inf)'
        """
        ends = f"{'(' if self.open_low else '['}{_text(self.low)}, {_text(self.high)}{')' if self.open_high else ']'}"
        return f"{ends}, a whole number" if self.integer else ends

    def admits(self, value: object) -> bool:
        """Say whether `value` is a number of the allowed interval; NaN and booleans never are.

        Examples
        --------
        >>> DELTA.admits(1e-6), DELTA.admits(float("nan")), DELTA.admits("0.1")
        (True, False, False)
        """
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
            return False
        if isinstance(value, Integral) and abs(value) > _LARGEST:
            return False
        if self.integer and not (isinstance(value, Integral) or float(value).is_integer()):
            return False
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return bool(above and below)

    def check(self, value: object, name: str | None = None) -> float | int:
        """Return `value` as a plain number, or refuse it.

        Parameters
        ----------
        value : float or int
            The value got.
        name : str, optional
            The argument's name where it differs from the quantity's, such as ``release_delta``.

        Raises
        ------
        ValueError
            With the name, the allowed interval and the value got.

        Examples
        --------
        >>> COUNT.check(3.0)
        3
        """
        if not self.admits(value):
            raise ValueError(f"{name or self.name} must be in {self.interval}; got {shown(value)}")
        return int(value) if self.integer else float(value)

    def check_array(self, values: object, name: str | None = None) -> np.ndarray:
        """Return `values` as an array of floats, or refuse the first value outside the interval.

        Raises
        ------
        ValueError
            With the name, the allowed interval and the first bad value.

        Examples
        --------
        >>> DELTA.check_array([0.0, 2.0])
        Traceback (most recent call last):
            ...
        ValueError: delta must be in [0, 1]; got 2.0
        """
        try:
            array = np.asarray(values, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{name or self.name} must be in {self.interval}; got {shown(values)}") from None
        above = array > self.low if self.open_low else array >= self.low
        below = array < self.high if self.open_high else array <= self.high
        good = above & below
        if self.integer:
            good &= np.isfinite(array) & (np.floor(array) == array)
        if not good.all():
            raise ValueError(f"{name or self.name} must be in {self.interval}; got {shown(array[~good].flat[0])}")
        return array


def _text(end: float) -> str:
    return "inf" if math.isinf(end) and end > 0 else "-inf" if math.isinf(end) else f"{end:.12g}"


def shown(value: object) -> str:
    """Return the value as typed, cut where it is long: a message stays one sentence.

    Examples
    --------
    >>> shown(0.5), len(shown("a" * 100))
    ('0.5', 60)
    """
    text = repr(value.item() if isinstance(value, np.generic) else value)
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= 60 else f"{text[:57]}..."


def checked(value: object, kind: type[Kind], name: str, words: str = "") -> Kind:
    """Return `value` if it is of this kind, or refuse it.

    Parameters
    ----------
    value : object
        The value got.
    kind : type
        What it must be.
    name : str
        The argument's name.
    words : str
        What it must be, in words; "" for the name of the kind.

    Raises
    ------
    ValueError
        With the argument's name, what it must be and the value got.

    Examples
    --------
    >>> checked("pld", Parameter, "delta")
    Traceback (most recent call last):
        ...
    ValueError: delta must be a Parameter; got 'pld'
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be {words or f'a {kind.__name__}'}; got {shown(value)}")
    return value


def checked_items(
    values: object, name: str, words: str = "numbers", kind: type[Kind] | tuple[type[Kind], ...] | None = None
) -> list[Kind]:
    """Return what is in a sequence as a list, or refuse what is none; text is none.

    Parameters
    ----------
    values : iterable
    name : str
        The argument's name.
    words : str
        What it is a sequence of.
    kind : type, optional
        What each must be; None where something else checks it.

    Raises
    ------
    ValueError
        With the argument's name and the value got, or the first one that is of another kind.

    Examples
    --------
    >>> checked_items(5, "counts")
    Traceback (most recent call last):
        ...
    ValueError: counts must be a sequence of numbers; got 5
    """
    if not isinstance(values, Iterable) or isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0:
        raise ValueError(f"{name} must be a sequence of {words}; got {shown(values)}")
    items = list(values)
    for each in items:
        if kind is not None and not isinstance(each, kind):
            raise ValueError(f"{name} must be a sequence of {words}; got {shown(each)} in it")
    return items


def checked_choice(value: object, allowed: Iterable[str | None], name: str) -> str:
    """Return `value` if it is one of the allowed words, or refuse it.

    Raises
    ------
    ValueError
        With the argument's name, the allowed words and the value got.

    Examples
    --------
    >>> checked_choice("median", ("mean", "sum"), "statistic")
    Traceback (most recent call last):
        ...
    ValueError: statistic must be one of mean, sum; got 'median'
    """
    words = tuple(allowed)
    if not (isinstance(value, str) or value is None) or value not in words:
        meant = did_you_mean(value, {str(word): "" for word in words})
        raise ValueError(f"{name} must be one of {', '.join(map(str, words))}; got {shown(value)}{meant}")
    return value


def did_you_mean(value: object, labels: Mapping[str, str]) -> str:
    """Return the question after what is none of some keys, by their spelling or labels; "" where none is near.

    Examples
    --------
    >>> did_you_mean("poison", {"poisson": "", "without_replacement": ""}), did_you_mean("renyi", {"rdp": "Rényi DP"})
    (": did you mean 'poisson'?", ": did you mean 'rdp'?")
    >>> did_you_mean("median", {"mean": "", "sum": ""})
    ''
    """
    if not isinstance(value, str) or not value:
        return ""
    told = _unaccented(value)
    near = get_close_matches(told, labels, 1, _NEAR) or [
        key for key, label in labels.items() if len(told) > 2 and told in _unaccented(label)
    ]
    return f": did you mean {near[0]!r}?" if near else ""


def _unaccented(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "_".join(re.sub("[^a-z0-9]+", " ", plain.encode("ascii", "ignore").decode()).split())


EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf)
DELTA = Parameter("delta", "δ", "probability with which the bound on the privacy loss may fail", 0, 1)
REAL_EPSILON = Parameter("epsilon", "ε", "privacy loss", -math.inf, math.inf)
SCALE = Parameter("scale", "b", "scale of Laplace noise", 0, math.inf, open_low=True, open_high=True)
SIGMA = Parameter("sigma", "σ", "standard deviation of Gaussian noise", 0, math.inf, open_low=True, open_high=True)
SENSITIVITY = Parameter(
    "sensitivity", "Δ", "most that one unit changes the answer", 0, math.inf, open_low=True, open_high=True
)
RHO = Parameter("rho", "ρ", "zero-concentrated privacy loss", 0, math.inf)
MU = Parameter("mu", "μ", "Gaussian privacy loss, sensitivity over sigma", 0, math.inf)
ALPHA = Parameter("alpha", "α", "Rényi order", 1, math.inf, open_low=True, open_high=True)
ROWS = Parameter("rows", "m", "rows of one unit that one answer reads, at most", 1, 1_000_000_000, integer=True)
AVERAGED = Parameter(
    "averaged", "n", "values that a mean divides by, at least, or answers of a survey", 1, 10**13, integer=True
)
CANDIDATES = Parameter("candidates", "m", "candidates to pick from", 1, math.inf, open_high=True, integer=True)
KEYS = Parameter("keys", "m", "most keys that one unit touches", 1, 1_000_000, integer=True)
THRESHOLD = Parameter("threshold", "T", "what a noisy count must exceed", 0, math.inf, open_low=True, open_high=True)
RATE = Parameter("rate", "q", "sampling rate", 0, 1)
COPIES = Parameter("copies", "m", "records of one unit that change together", 1, 1_000_000, integer=True)
COUNT = Parameter("count", "k", "number of releases", 0, 1_000_000_000, integer=True)
POPULATION = Parameter("population", "n", "people in the data", 1, 10_000_000_000_000, integer=True)
WEIGHT = Parameter("weight", "w", "importance of a release's error", 0, math.inf, open_low=True, open_high=True)
TYPICAL = Parameter("typical", "v", "size of a typical true value", 0, math.inf, open_low=True, open_high=True)
FALSE_POSITIVE_RATE = Parameter(
    "false_positive_rate", "α", "how often an attacker accuses wrongly", 0, 1
)

PARAMETERS = (
    EPSILON, DELTA, SCALE, SIGMA, SENSITIVITY, RHO, MU, ALPHA, RATE, COPIES, COUNT, POPULATION, WEIGHT, TYPICAL,
    FALSE_POSITIVE_RATE,
)  # fmt: skip
