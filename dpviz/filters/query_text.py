"""Sequences of queries as text: typed line by line, or a CSV file; never half-read."""

from __future__ import annotations

import re

import numpy as np

from dpviz.filters.queries import MAXIMUM_QUERIES, QUERY_DELTA, QUERY_EPSILON, Queries
from dpviz.parameters import Parameter
from dpviz.plan import Plan, PlanFileError, Problem
from dpviz.plan.fields import MAXIMUM_ROWS, NUMBER_ALLOWED, number
from dpviz.plan.files.file import decoded
from dpviz.plan.problems import shown

_REPETITIONS = Parameter("count", "k", "how often in a row", 0, MAXIMUM_QUERIES, integer=True)
_COLUMNS = {"epsilon": QUERY_EPSILON, "delta": QUERY_DELTA, "count": _REPETITIONS}
_SPLIT = re.compile(r"[,;\t]")
_LETTERS = re.compile(r"(?!(nan|[+-]?inf(inity)?)\b)[^\W\d]", re.IGNORECASE)


class QueryTextError(PlanFileError):
    """A sequence cannot be read; nothing of it was used.

    Examples
    --------
    >>> print(QueryTextError([Problem(3, "epsilon", "-0.2", "must be in [0, inf)")]))
    The sequence was not read, because of 1 problem:
    line 3, epsilon '-0.2': must be in [0, inf)
    """

    def __str__(self) -> str:
        return super().__str__().replace("The plan", "The sequence", 1)


def queries_from_text(content: str | bytes) -> Queries:
    r"""Read one query per line.

    Parameters
    ----------
    content : str or bytes
        ``epsilon``, or ``epsilon, delta``, or ``epsilon, delta, count`` in each line, separated by comma, semicolon or
        tab; or a first line that names these columns. With a column ``mechanism`` it is read as a plan's CSV. At most
        100,000 lines, in UTF-8; blank ones and those that start with # are skipped.

    Raises
    ------
    QueryTextError
        With every bad line and its value.

    Examples
    --------
    >>> queries_from_text("epsilon; count\n0.1; 2\n0.25; 1").epsilon.tolist()
    [0.1, 0.1, 0.25]
    """
    try:
        text = decoded(content).removeprefix("\ufeff")
    except PlanFileError as error:
        raise QueryTextError(error.problems) from None
    lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), start=1)]
    lines = [(at, line) for at, line in lines if line and not line.startswith("#")]
    header = _SPLIT.split(lines[0][1].lower()) if lines and _LETTERS.match(lines[0][1].strip("\"' ")) else []
    names = [name.strip("\"' ") for name in header]
    if "mechanism" in names:
        return _from_plan(text)
    if names:
        _check_header(lines[0][0], names)
    rows = lines[1:] if names else lines
    if len(rows) > MAXIMUM_ROWS:
        raise QueryTextError([_problem(rows[MAXIMUM_ROWS], "row", f"must be at most {MAXIMUM_ROWS:,} lines")])
    return _from_rows(rows, names or list(_COLUMNS))


def _problem(row: tuple[int, str], column: str, allowed: str) -> Problem:
    return Problem(row[0], column, row[1], allowed)


def _check_header(line: int, names: list[str]) -> None:
    allowed = f"must be one of the columns {', '.join(_COLUMNS)}"
    problems = [Problem(line, "header", name, allowed) for name in names if name not in _COLUMNS]
    if len(set(names)) < len(names):
        problems.append(Problem(line, "header", ",".join(names), "must name each column once"))
    if "epsilon" not in names and not problems:
        problems.append(Problem(line, "header", ",".join(names), "must have the column epsilon"))
    if problems:
        raise QueryTextError(problems)


def _from_rows(rows: list[tuple[int, str]], names: list[str]) -> Queries:
    problems: list[Problem] = []
    read: dict[str, tuple[float, float, int]] = {}
    for row in rows:
        if row[1] not in read:
            values = _values(row, names, problems)
            read[row[1]] = values.get("epsilon", 0.0), values.get("delta", 0.0), values.get("count", 1)
    if problems:
        raise QueryTextError(problems)
    total = 0
    for row in rows:
        total += read[row[1]][2]
        if total > MAXIMUM_QUERIES:
            raise QueryTextError([_problem(row, "row", f"must be at most {MAXIMUM_QUERIES:,} queries in all")])
    table = np.array([read[row[1]] for row in rows], dtype=float).reshape(len(rows), 3)
    repeated = np.repeat(table[:, :2], table[:, 2].astype(int), axis=0)
    return Queries.of_pairs(repeated[:, 0], repeated[:, 1])


def _values(row: tuple[int, str], names: list[str], problems: list[Problem]) -> dict[str, float]:
    """The numbers of a line by column; what is wrong with it is added to `problems`."""
    cells = [cell.strip("\"' ") for cell in _SPLIT.split(row[1])]
    if len(cells) > len(names):
        problems.append(_problem(row, "row", f"must be at most {len(names)} numbers: {', '.join(names)}"))
        return {}
    values: dict[str, float] = {}
    for name, cell in zip(names, cells, strict=False):
        if not cell and name != "epsilon":
            continue
        value = number(cell.lower())
        if value is None:
            problems.append(Problem(row[0], name, cell, NUMBER_ALLOWED))
        elif not _COLUMNS[name].admits(value):
            problems.append(Problem(row[0], name, shown(cell), f"must be in {_COLUMNS[name].interval}"))
        else:
            values[name] = value
    return values


def _from_plan(text: str) -> Queries:
    try:
        plan = Plan.from_csv(text)
    except PlanFileError as error:
        raise QueryTextError(error.problems) from None
    total = sum(release.uses for release in plan.releases)
    if total > MAXIMUM_QUERIES:
        raise QueryTextError([Problem(1, "count", str(total), f"must be at most {MAXIMUM_QUERIES:,} queries in all")])
    try:
        return Queries.of([release.mechanism for release in plan.releases for _ in range(release.uses)])
    except ValueError as error:
        raise QueryTextError([Problem(1, None, "", str(error))]) from None
