"""What the cells of files mean, and the release that the fields of one make."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from dpviz.decimals import number
from dpviz.mechanisms import Mechanism, RandomizedResponse, mechanism_from
from dpviz.plan.cadence import DATE_ALLOWED, day
from dpviz.plan.field_table import PARAMETERS, PLANNING
from dpviz.plan.problems import blamed
from dpviz.plan.release import Release

MAXIMUM_ROWS = 100_000
YES_ALLOWED = "must be yes or no"
DONE_ALLOWED = "must be yes, no or" + DATE_ALLOWED.removeprefix("must be")
NUMBER_ALLOWED = "must be a number such as 0.5 or 1e-6, with a decimal point and within double precision"
UNGROUPED_ALLOWED = (
    "must be a number without a mark between thousands, since 1.000 and 1,000 may be one or a thousand"
)
_COMMA = re.compile(r"([+-]?\d*),(\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# 1,000 and 1.000 are one, or a thousand; spaces and apostrophes part thousands, too.
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}([., '\u2019\u00a0\u202f][0-9]{3})+")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3}){2,}")
# Values of parameters that every mechanism with them allows, beside each other.
_ALLOWED = {
    "epsilon": 0.5, "delta": 1e-6, "scale": 2.0, "sigma": 4.0, "sensitivity": 1, "rate": 0.5, "k": 2, "threshold": 9.0,
    "keys": 1,
}  # fmt: skip
_ANY_RELEASE = Release("any", RandomizedResponse(1.0))
DEFAULTS = {name: getattr(_ANY_RELEASE, name) for name in ("count", "part", *PLANNING)}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A number of a file that no float can hold; it is no number, so every check refuses it."""

    text: str

    def __repr__(self) -> str:
        return self.text


def number_after_comma(text: str) -> float | int | None:
    """Return the number that `text` spells with a decimal comma, in a file in which a comma can be nothing else.

    None where there is none, and where the comma may as well stand between thousands: reading 1,000 uses as one would
    count far too little.

    Examples
    --------
    >>> number_after_comma("0,05"), number_after_comma("2,5e-3"), number_after_comma("0.05")
    (0.05, 0.0025, 0.05)
    >>> number_after_comma("1,000"), number_after_comma("1.000,5")
    (None, None)
    """
    if "," not in text:
        return number(text)
    return number(text.replace(",", ".")) if _COMMA.fullmatch(text) and not grouped(text) else None


def grouped(text: str) -> bool:
    """Say whether a point, comma or space may stand between thousands, so that the number is not known.

    Examples
    --------
    >>> grouped("1.000"), grouped("12,345"), grouped("1 000"), grouped("0,050"), grouped("1,5")
    (True, True, True, False, False)
    """
    return bool(_GROUPED.fullmatch(text))


def plain_number(text: str) -> float | int | None:
    """Return the number that a cell spells with a decimal point; None where its point may be a mark between thousands.

    Programs write no zero after the last digit of a fraction, people write 120.000 for a hundred and twenty thousand.

    Examples
    --------
    >>> plain_number("1.5"), plain_number("1.234"), plain_number("120.000"), plain_number("0.500")
    (1.5, 1.234, None, 0.5)
    >>> plain_number("2,400,000"), plain_number("2,400")
    (2400000, None)
    """
    if _THOUSANDS.fullmatch(text):  # two commas are no decimal ones
        return number(text.replace(",", ""))
    return None if grouped(text) and text.endswith("0") else number(text)


def yes(text: str) -> bool | None:
    """Return what a cell says to a question; None where it says neither.

    Examples
    --------
    >>> yes("yes"), yes("FALSE"), yes("maybe")
    (True, False, None)
    """
    return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}.get(text.lower())


def done(text: str) -> bool | date | None:
    """Return what a cell says about being done: yes, no, or until when; None where it says nothing.

    Examples
    --------
    >>> done("yes"), done("2026-04-01"), done("soon")
    (True, datetime.date(2026, 4, 1), None)
    """
    answer = yes(text)
    return day(text) if answer is None else answer


def number_text(value: object) -> object:
    """Return a parameter as files hold it: infinity as the word "inf", the rest unchanged.

    Examples
    --------
    >>> number_text(math.inf), number_text(0.11)
    ('inf', 0.11)
    """
    return "inf" if value == math.inf else value


def release_fields(release: Release) -> dict[str, object]:
    """Return the fields of a release under their names in files, parameters as typed; of `PLANNING`, what was given.

    Examples
    --------
    >>> release_fields(Release("Flag", RandomizedResponse(0.5)))
    {'name': 'Flag', 'mechanism': 'randomized_response', 'epsilon': 0.5, 'count': 1, 'part': None}
    """
    parameters = {name: number_text(value) for name, value in release.mechanism.parameters.items()}
    head = {"name": release.name, "mechanism": release.mechanism.key}
    planning = {name: getattr(release, name) for name in PLANNING if getattr(release, name) != DEFAULTS[name]}
    planning = {name: value.isoformat() if isinstance(value, date) else value for name, value in planning.items()}
    return {**head, **parameters, "count": release.count, "part": release.part, **planning}


def release_from(fields: dict[str, object], known: dict[tuple[object, ...], Mechanism]) -> Release:
    """Make a release of well-typed fields.

    Parameters
    ----------
    fields : dict
        Values by column, absent where the file says nothing.
    known : dict
        Mechanisms made before, by their fields; filled here, since calibrating noise is slow.

    Raises
    ------
    ValueError
        With one sentence about the first bad value.

    Examples
    --------
    >>> release_from({"name": "Flag", "mechanism": "randomized_response", "epsilon": 0.5}, {}).mechanism.stated.epsilon
    0.5
    """
    planning = {name: fields[name] for name in PLANNING if name in fields}
    mechanism = _mechanism(fields, known)
    return Release(fields.get("name", ""), mechanism, fields.get("count", 1), fields.get("part"), **planning)


def _mechanism(fields: dict[str, object], known: dict[tuple[object, ...], Mechanism]) -> Mechanism:
    parameters = {name: fields[name] for name in PARAMETERS if name in fields}
    key = (fields.get("mechanism", ""), *parameters.items())
    if key not in known:
        known[key] = mechanism_from(key[0], parameters)
    return known[key]


def release_problems(
    fields: dict[str, object], known: dict[tuple[object, ...], Mechanism]
) -> list[tuple[str, str, str]]:
    """Return column, value and what is allowed for every bad field: at least one where `release_from` fails.

    Examples
    --------
    >>> release_problems({"name": "Flag", "mechanism": "randomized_response", "epsilon": 0.5, "count": -1}, {})
    [('count', '-1', 'must be in [0, 1000000000], a whole number')]
    >>> row = {"name": "Rounds", "mechanism": "gaussian", "sigma": -1, "scheme": "poisson", "rate": 7}
    >>> [column for column, *_ in release_problems(row, {})]
    ['sigma', 'rate']
    """
    fields = {"name": "", "mechanism": "", **fields}

    def alone(*names: str) -> Release:
        return replace(_ANY_RELEASE, **{name: fields[name] for name in names if name in fields})

    joint = ("start", "cadence", "end", "lower", "upper")
    single = ("name", "count", "part", *(name for name in PLANNING if name not in joint))
    attempts = (
        *((name, partial(alone, name)) for name in single),
        ("cadence", lambda: alone("start", "cadence", "end")),
        ("lower", lambda: alone("lower", "upper")),
    )
    found = [*_mechanism_problems(fields, known), *_blamed(attempts, fields)]
    return found or _blamed([("count", lambda: alone("count", "start", "cadence", "end"))], fields)


def _mechanism_problems(
    fields: dict[str, object], known: dict[tuple[object, ...], Mechanism]
) -> list[tuple[str, str, str]]:
    """What is wrong with each parameter: the next is found after an allowed value has taken the place of the last."""
    tried, problems = dict(fields), []
    while found := _blamed([("mechanism", lambda: _mechanism(tried, known))], fields):
        [(column, *_)] = found
        if any(column == before for before, *_ in problems):
            break  # it is not its value alone that is wrong
        problems += found
        tried[column] = _ALLOWED.get(column, fields[column])
    return problems


def _blamed(attempts: Iterable[tuple[str, Callable]], fields: dict[str, object]) -> list[tuple[str, str, str]]:
    problems = []
    for column, attempt in attempts:
        try:
            attempt()
        except ValueError as error:
            problems.append(blamed(error, fields, column))
    return problems
