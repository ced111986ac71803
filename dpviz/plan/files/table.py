"""Tables as people and spreadsheets keep them: a header and rows, between commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat

from dpviz.plan.fields import grouped, number_after_comma, plain_number
from dpviz.plan.problems import PlanFileError, Problem

BEYOND = "must be empty, since the header names no column here"
Reader = Callable[[str], float | int | None]


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose columns are known by what they mean.

    Parameters
    ----------
    separator : str
        "," or ";" or a tab.
    line : int
        Where the header stands, from 1.
    header : list of str
        As it is written.
    columns : list of str
        What each column means; "" for one that is not understood.
    rows : list of (int, dict)
        Line, and what the cells say that are neither empty nor of a column that is not understood, by column.
    """

    separator: str
    line: int
    header: list[str]
    columns: list[str]
    rows: list[tuple[int, dict[str, str]]]


def read_table(text: str, meaning: Callable[[str], str]) -> Table:
    r"""Read a table in which no cell may be taken for another one's.

    Parameters
    ----------
    text : str
        A header, then rows; blank ones are skipped. The first column may be without a name, as that of row numbers is.
    meaning : callable
        What a column means, by its name in the header (in lower case, with one underscore for blanks); "" for nothing.

    Raises
    ------
    PlanFileError
        With the first thing that is wrong: no header, two columns that mean the same, a row that cannot be split, or
        one with a cell that the header names no column for, as a decimal comma makes it.

    Examples
    --------
    >>> read_table("query;epsilon\nVisits;0,5", str).rows
    [(2, {'query': 'Visits', 'epsilon': '0,5'})]
    >>> read_table("query,epsilon\nVisits,0,5", str)
    Traceback (most recent call last):
        ...
    dpviz.plan.problems.PlanFileError: The plan was not read, because of 1 problem:
    line 2, column '5': must be empty, since the header names no column here
    """
    text = text.removeprefix("\ufeff")
    separator = separator_of(text)
    found = split_rows(text, separator)
    line, header = header_of(found)
    columns = [meaning(name) for name in names_of(header)]
    known = set()
    for column, cell in zip(columns, header, strict=True):
        if column in known:
            allowed = "must name each column once, and no other one that means the same"
            raise PlanFileError([Problem(line, "header", cell.strip(), allowed)])
        known |= {column} - {""}
    named = [bool(cell.strip()) or not place for place, cell in enumerate(header)]
    rows = [(line, _cells(line, cells, columns, named)) for line, cells in found]
    return Table(separator, line, header, columns, rows)


def header_of(found: Iterator[tuple[int, list[str] | csv.Error]]) -> tuple[int, list[str]]:
    r"""Take the header off what `split_rows` returns: its line, and its cells.

    Raises
    ------
    PlanFileError
        When there is none, or it cannot be split into cells.

    Examples
    --------
    >>> header_of(split_rows("\nquery;epsilon", ";"))
    (2, ['query', 'epsilon'])
    """
    line, header = next(found, (1, []))
    if isinstance(header, csv.Error):
        raise PlanFileError([Problem(line, "header", "", unsplit(header))])
    if not header:
        raise PlanFileError([Problem(1, "header", "", "must name the columns; the file is empty")])
    return line, header


def _cells(line: int, cells: list[str] | csv.Error, columns: list[str], named: list[bool]) -> dict[str, str]:
    if isinstance(cells, csv.Error):
        raise PlanFileError([Problem(line, "row", "", unsplit(cells))])
    cells = [*map(str.strip, cells)]
    if len(cells) > len(named) or not all(named):
        for cell, has_name in zip(cells, chain(named, repeat(False)), strict=False):
            if cell and not has_name:
                raise PlanFileError([Problem(line, "column", cell, BEYOND)])
    return {column: cell for column, cell in zip(columns, cells, strict=False) if column and cell}


def names_of(header: Iterable[str]) -> list[str]:
    """Return what a header names, in lower case and with one underscore for blanks.

    Examples
    --------
    >>> names_of(["Name", " Query  id"])
    ['name', 'query_id']
    """
    return ["_".join(cell.lower().split()) for cell in header]


def separator_of(text: str) -> str:
    r"""Return the separator that the first line has most of.

    Examples
    --------
    >>> separator_of("a;b,c;d"), separator_of("alone")
    (';', ',')
    """
    first = next((line for line in io.StringIO(text, newline="") if line.strip()), "")
    return max(",;\t", key=first.count)


def split_rows(text: str, separator: str) -> Iterator[tuple[int, list[str] | csv.Error]]:
    r"""Return line number and cells of every row that is not blank; the error where one cannot be split into cells.

    Examples
    --------
    >>> list(split_rows("a,b\n\n1,2,3\n", ","))
    [(1, ['a', 'b']), (3, ['1', '2', '3'])]
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, error
            continue
        if any(map(str.strip, cells)):
            yield line, cells


def number_reader(separator: str, cells: Iterable[str]) -> Reader:
    """Return what reads the numbers of a table: with a decimal comma once one has it, and then nothing that is unclear.

    Parameters
    ----------
    separator : str
        Of the table: only between semicolons a comma is a decimal one.
    cells : iterable of str
        All of its numbers; left alone between other separators.

    Examples
    --------
    >>> number_reader(";", ["0,5"])("1,25"), number_reader(";", ["0,5"])("1,000"), number_reader(",", [])("0,5")
    (1.25, None, None)
    """
    if separator == ";" and any("," in cell and number_after_comma(cell.lower()) is not None for cell in cells):
        return lambda cell: None if grouped(cell) else number_after_comma(cell)
    return plain_number


def unsplit(error: csv.Error) -> str:
    """Return what is said of a row that cannot be split into cells."""
    return f"must be cells with closed quotes and without text around them ({error})"
