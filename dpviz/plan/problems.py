"""What is wrong in a plan file: every problem with its place, its value and what is allowed instead."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

LISTED_PROBLEMS = 20
LONGEST_VALUE = 40
_SENTENCE = re.compile(r"(\w+) (must .*); got (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a plan file.

    Parameters
    ----------
    line : int or None
        Line of the file, from 1; None where there is none.
    column : str or None
        Column, or field, at fault; None where several releases are at odds.
    value : str
        What stands there, at most 40 characters of it.
    allowed : str
        What is allowed there.
    release : int or None
        Position of the release in a JSON file, from 1.

    Examples
    --------
    >>> print(Problem(3, "epsilon", "-0.2", "must be in [0, inf]"))
    line 3, epsilon '-0.2': must be in [0, inf]
    """

    line: int | None
    column: str | None
    value: str
    allowed: str
    release: int | None = None

    def __post_init__(self) -> None:
        if len(self.value) > LONGEST_VALUE:
            object.__setattr__(self, "value", self.value[: LONGEST_VALUE - 1] + "…")

    def __str__(self) -> str:
        place = f"line {self.line}" if self.line else f"release {self.release}" if self.release else "plan"
        what = f", {self.column} {self.value!r}" if self.column else ""
        return f"{place}{what}: {self.allowed}"


class PlanFileError(ValueError):
    """A plan file cannot be read; nothing of it was used.

    Parameters
    ----------
    problems : iterable of Problem
        All of them; the message lists the first 20.

    Examples
    --------
    >>> print(PlanFileError([Problem(3, "epsilon", "-0.2", "must be in [0, inf]")]))
    The plan was not read, because of 1 problem:
    line 3, epsilon '-0.2': must be in [0, inf]
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        total = len(self.problems)
        lines = [f"The plan was not read, because of {total} problem{'s' * (total != 1)}:"]
        lines += map(str, self.problems[:LISTED_PROBLEMS])
        return "\n".join(lines + [f"and {total - LISTED_PROBLEMS} more"] * (total > LISTED_PROBLEMS))


def shown(value: object) -> str:
    """Return `value` as a reader of the file knows it; text as it is, and never a long nest.

    Examples
    --------
    >>> shown("a"), shown(None), shown(0.5)
    ('a', 'null', '0.5')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return reprlib.repr(value)


def blamed(error: ValueError, fields: dict[str, object], otherwise: str | None) -> tuple[str | None, str, str]:
    """Return column, value and what is allowed, taken from the one sentence of `error`.

    Parameters
    ----------
    error : ValueError
        Raised by the core: "epsilon must be in [0, inf]; got -0.2", or another sentence.
    fields : dict
        The values read, by column.
    otherwise : str or None
        The column to blame when the sentence names none of `fields`.

    Examples
    --------
    >>> blamed(ValueError("epsilon must be in [0, inf]; got -0.2"), {"epsilon": -0.2}, "mechanism")
    ('epsilon', '-0.2', 'must be in [0, inf]')
    >>> blamed(ValueError("training must name records; got 'turns 9'"), {"training": "epochs 3, turns 9"}, None)[1]
    'turns 9'
    """
    sentence = _SENTENCE.fullmatch(str(error))
    if sentence and sentence[1] in fields:
        whole, part = fields[sentence[1]], sentence[3].strip("'\"")
        blame = part if isinstance(whole, str) and part and part in whole else whole  # of a text with many parts
        return sentence[1], shown(blame), sentence[2]
    return otherwise, shown(fields.get(otherwise, "")), str(error)
