"""Plans as CSV: one row per release, for spreadsheets; what is said of the whole plan stands in every row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat

from dpviz.mechanisms import Mechanism
from dpviz.plan.field_table import COLUMNS, DATES, FIRST_COLUMNS, LATER_COLUMNS, NUMBERS, TEXTS
from dpviz.plan.fields import (
    DATE_ALLOWED,
    DONE_ALLOWED,
    MAXIMUM_ROWS,
    NUMBER_ALLOWED,
    UNGROUPED_ALLOWED,
    YES_ALLOWED,
    day,
    done,
    grouped,
    release_fields,
    release_from,
    release_problems,
    yes,
)
from dpviz.plan.files.table import BEYOND, Reader, header_of, names_of, number_reader, separator_of, split_rows, unsplit
from dpviz.plan.problems import PlanFileError, Problem, blamed, shown
from dpviz.plan.promise import COLUMNS as PROMISE
from dpviz.plan.promise import NUMBERS as PROMISE_NUMBERS
from dpviz.plan.promise import checked_value
from dpviz.plan.release import Release

# A spreadsheet executes a cell that starts with one of these; the last four are the wide =, +, - and @.
_EXECUTED = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_QUOTED = frozenset(',;\t"\r\n')  # every separator some spreadsheet splits at, whichever one the file uses
_ALLOWED = {**dict.fromkeys(DATES, DATE_ALLOWED), "done": DONE_ALLOWED, "adaptive": YES_ALLOWED}
_HEADS, _ALL_NUMBERS, _TEXTS = (*COLUMNS, *PROMISE), (*NUMBERS, *PROMISE_NUMBERS), (*TEXTS, "unit")
_Stated = dict[str, tuple[int, str, object]]  # by column: the first line that says it, its cell, and what it means
_REPEATED = 10_000  # rows of a file that says in each what it says of the plan; larger ones would outgrow what is read


def to_csv(releases: Iterable[Release], stated: Mapping[str, object] | None = None) -> str:
    """Return one line per release under a header; numbers with the digits typed, planning columns where one is used.

    What the plan states as a whole (`dpviz.Plan.stated`) is repeated in every line, so that none can be deleted
    with it, of up to 10,000 lines, and stands in the first of more; without releases it has a line of its own. Text
    that a spreadsheet would execute gets a leading apostrophe, which `from_csv` takes off again.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> print(to_csv([Release("=1+1", Laplace.from_epsilon(0.11), 4)]).splitlines()[1])
    '=1+1,laplace,0.11,,,,,,,,4,
    """
    stated = stated or {}
    rows = [release_fields(release) for release in releases] or [{}] * bool(stated)
    said = len(rows) if len(rows) <= _REPEATED else 1
    rows = [*(row | stated for row in rows[:said]), *rows[said:]]
    later = (*LATER_COLUMNS, *PROMISE)
    columns = (*FIRST_COLUMNS, *(column for column in later if any(column in row for row in rows)))
    lines = [",".join(columns), *(",".join(_cell(column, row.get(column)) for column in columns) for row in rows)]
    return "\n".join(lines) + "\n"


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    text = ("no", "yes")[value] if isinstance(value, bool) else value if isinstance(value, str) else repr(value)
    if column in _TEXTS and text.startswith((*_EXECUTED, "'")):
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if _QUOTED.intersection(text) else text


def from_csv(text: str) -> tuple[list[Release], dict[str, object]]:
    r"""Read releases, and what is stated of the whole plan, from CSV text; separator comma, semicolon or tab.

    Parameters
    ----------
    text : str
        A header with at least ``name`` and ``mechanism`` (the other columns of `COLUMNS` where they are used), then one
        row per release. Blank rows are skipped. A header alone is an empty list. Between semicolons a number may have
        a decimal comma; what may be a mark between thousands is refused then. Columns of the whole plan
        (`dpviz.plan.promise.COLUMNS`) may be filled in any row, or in all; those that are must agree.

    Returns
    -------
    releases : list of Release
    stated : dict
        By column; what no row says is absent.

    Raises
    ------
    PlanFileError
        With every bad line; nothing is half-read.

    Examples
    --------
    >>> (visits,), stated = from_csv("Name; Mechanism; Epsilon; Count; Unit\nVisits; laplace; 0,05; 4; user-day")
    >>> visits.mechanism.stated.epsilon, visits.count, stated
    (0.05, 4, {'unit': 'user-day'})
    """
    text = text.removeprefix("\ufeff")
    separator = separator_of(text)
    found = split_rows(text, separator)
    columns = _columns(*header_of(found))
    read = number_reader(separator, _numbers(columns, split_rows(text, separator)))
    releases, problems, known, stated = [], [], {}, {}
    of_plan = [(place, column) for place, column in enumerate(columns) if column in PROMISE]
    for row, (line, cells) in enumerate(found, start=1):
        if row > MAXIMUM_ROWS:
            raise PlanFileError([Problem(line, "row", str(row), f"must be at most {MAXIMUM_ROWS:,} rows")])
        problems += _taken_out(line, of_plan, cells, read, stated)
        if not isinstance(cells, csv.Error) and not any(map(str.strip, cells)):
            continue
        outcome = _release(columns, cells, read, known)
        if isinstance(outcome, Release):
            releases.append(outcome)
        else:
            problems += [Problem(line, *_told(problem, separator)) for problem in outcome]
    if problems:
        raise PlanFileError(problems)
    return releases, {column: value for column, (_, _, value) in stated.items()}


def _taken_out(
    line: int, of_plan: list[tuple[int, str]], cells: list[str] | csv.Error, read: Reader, stated: _Stated
) -> list[Problem]:
    """Take out of a row what it says of the whole plan, into `stated`; return what is wrong there, or at odds."""
    problems = []
    for place, column in () if isinstance(cells, csv.Error) else of_plan:
        if place >= len(cells) or not (cell := cells[place].strip()):
            continue
        cells[place] = ""
        if column in stated and cell == stated[column][1]:
            continue
        try:
            value = _of_plan(column, cell, read)
        except ValueError as error:
            problems.append(Problem(line, *blamed(error, {column: cell}, column)))
            continue
        first, _, same = stated.setdefault(column, (line, cell, value))
        if value != same:
            allowed = f"must be the same in every row, since all make one plan; line {first} has {shown(same)!r}"
            problems.append(Problem(line, column, cell, allowed))
    return problems


def _of_plan(column: str, cell: str, read: Reader) -> object:
    """What a cell says of the whole plan; a sentence where it cannot be read, or is not allowed."""
    value = _value(column, cell, read)
    if grouped(cell) and (value is None or column == "population"):  # 500.000 people are no 500
        raise ValueError(f"{column} {UNGROUPED_ALLOWED}; got {cell}")
    if value is None:
        raise ValueError(f"{column} {_ALLOWED.get(column, NUMBER_ALLOWED)}; got {cell}")
    return checked_value(column, value)


def _numbers(columns: list[str], found: Iterable[tuple[int, list[str] | csv.Error]]) -> Iterator[str]:
    """Every cell of a column of numbers."""
    places = [place for place, column in enumerate(columns) if column in _ALL_NUMBERS]
    for _, cells in found:
        if not isinstance(cells, csv.Error):
            yield from (cells[place].strip() for place in places if place < len(cells))


def _told(problem: tuple[str, str, str], separator: str) -> tuple[str, str, str]:
    """The problem, with a better sentence where a number between semicolons may hold a mark between thousands."""
    column, cell, allowed = problem
    marked = grouped(cell) or (separator == ";" and "," in cell and "." in cell)
    unclear = allowed == NUMBER_ALLOWED and marked
    return column, cell, UNGROUPED_ALLOWED if unclear else allowed


def _columns(line: int, header: list[str]) -> list[str]:
    """The columns that the header names, in its order; "" where it names none."""
    names = names_of(header)
    if sum(map(bool, names)) > 10 * len(_HEADS):
        raise PlanFileError([Problem(line, "header", ",".join(header), "must name at most the columns of a plan")])
    problems = [
        Problem(line, "header", cell, "must be one of the columns " + ", ".join(_HEADS))
        for name, cell in zip(names, header, strict=True)
        if name and name not in _HEADS
    ]
    twice = [name for name in _HEADS if names.count(name) > 1]
    problems += [Problem(line, "header", name, "must name each column once") for name in twice]
    missing = [name for name in ("name", "mechanism") if name not in names]
    problems += [Problem(line, "header", "", f"must have the column {name}") for name in missing]
    if problems:
        raise PlanFileError(problems)
    return names


def _release(
    columns: list[str], cells: list[str] | csv.Error, read: Reader, known: dict[tuple, Mechanism]
) -> Release | list[tuple[str, str, str]]:
    """The release of one row, or all that is wrong with it."""
    if isinstance(cells, csv.Error):
        return [("row", "", unsplit(cells))]
    fields, problems = {}, []
    for column, cell in zip(chain(columns, repeat("")), cells, strict=False):
        if cell := cell.strip():
            fields[column] = _value(column, cell, read)
            if fields[column] is None:
                problems.append((column, cell, _ALLOWED.get(column, NUMBER_ALLOWED)))
            if not column:
                problems.append(("column", cell, BEYOND))
                break
    if not problems:
        try:
            return release_from(fields, known)
        except ValueError:
            pass  # the usual row is right: what is wrong is looked for only here
    return problems or release_problems(fields, known)


def _value(column: str, cell: str, read: Reader) -> object:
    if column in _ALL_NUMBERS:
        return read(cell.lower())
    if column in DATES:
        return day(cell)
    if column == "done":
        return done(cell)
    if column == "adaptive":
        return yes(cell)
    if column in _TEXTS:
        return cell[1:] if cell[:1] == "'" and cell[1:].startswith((*_EXECUTED, "'")) else cell
    return "_".join(cell.lower().replace("-", " ").split())
