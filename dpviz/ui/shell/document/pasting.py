"""Rows of a spreadsheet that are pasted into the table of releases: which cells of theirs are which of its own."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date

from dpviz.mechanisms.trained_model import FIELDS as OF_RUNS
from dpviz.plan.units import is_unit
from dpviz.ui.shell.document import filled_in
from dpviz.ui.shell.plan_rows import (
    CELLS,
    CHOICES,
    COLUMNS,
    LABELS,
    SIGNS,
    TYPED,
    Row,
    blank,
    meant,
    noise_of,
    norm_of,
    plain,
    row_of,
)
from dpviz.ui.shell.typed import ends_of

ALL = "in all"  # a number of releases on all days together
UNTOLD = "?"  # noise that nobody has told yet, so that its row does not count
BOTH_ENDS = "clipped to"  # in one cell
IN_L2 = "l2 sensitivity"  # which is no sensitivity of noise that counts in L1
NOISE = "noise: "  # stands before a part of what the cell of the noise holds
LISTED = 12  # titles that are told of those that are not taken
WIDER = "Of {:,} pasted rows, what lay to the right of the table's last column is not taken."
UNTITLED = "Not taken: the {} “{}”{}, which the table does not have. Columns of the table for which nothing came: {}."
FREE = 5  # of those that are named
NO_CELL = "no cell of the table is chosen: click once on the cell where the first of it belongs, and paste again"
SORTED = "the table is sorted by a column, so that rows would come apart; press the column's title until it is not"
UNSPLIT = "it cannot be told where its cells end; one is very long, or a line break is of another kind"
ENDS = ("\t", "\n", "\r")  # of cells
OF_RUN = "noise multiplier"  # how the noise of a trained model begins
_BY_TITLE = {column.label: name for name, column in CELLS.items()}
_NAMED = {plain(title): name for name, column in CELLS.items() for title in (name, column.label)}
# What columns are called elsewhere, too; what a number of releases in all is, the rhythm of its row says.
_CALLED = {
    "query": "name", "statistic": "name", "metric": "name", "measure": "name", "description": "name",
    "type": "kind", **dict.fromkeys(("type of query", "output", "type of output", "output type"), "kind"),
    **dict.fromkeys(("sampled", "share sampled", "sampled share", "sampling", "sample rate", "sampling share"), "rate"),
    "noise type": "mechanism", "noise added": "mechanism",
    "distribution": "mechanism", "algorithm": "mechanism", "method": "mechanism", "noise level": "noise",
    "parameters": "noise", "parameter": "noise",
    "frequency": "cadence", "rhythm": "cadence", "start date": "start", "first day": "start", "end date": "end",
    # A range, or what is least and most, may be that of the data, which clips nothing.
    "lower": "lower", "upper": "upper", **dict.fromkeys((BOTH_ENDS, "clipping", "clip", "clipping bounds"), BOTH_ENDS),
    "last day": "end", "until": "end", "uses": "count", "l1 sensitivity": "sensitivity",  # in L2 it is no larger
    # Others may mean so many each day: they are multiplied, which is told, with a press for those that are all.
    **dict.fromkeys(("number of releases", "releases in all", "total releases", ALL), ALL),
    **dict.fromkeys(("releases", "repeats", "repetitions", "runs", "per-release count", "count per release"), "count"),
    **dict.fromkeys(("approx. value", "approx value", "approximate value", "usual value", "expected value"), "typical"),
    IN_L2: IN_L2,
}  # fmt: skip
_FILLS = {BOTH_ENDS: ("lower", "upper"), ALL: ("count",), IN_L2: ("sensitivity",)}  # columns that these are for
_OF_RUNS = {plain(name) for name in OF_RUNS}
OF_TRAININGS = "records"  # which are no part of other noise
_RECORDS = (OF_TRAININGS, "number of records", "training records")
_PEOPLE = ("users", "people")  # which are a training's records where no other column is
_NONE = re.compile(r"[-\u2010-\u2015\u2212]+|n\.?/?a\.?", re.I)  # what stands in a cell of what has no such part
UNTAKEN = "Not taken: the number of records of “{}”, which only a trained model states."
# Of what a cell of noise says, each with a column of its own.
_PARTS = {**{name: TYPED.get(name, name) for name in SIGNS}, **{sign.lower(): sign for sign in SIGNS.values()},
          **{name: name for name in _OF_RUNS},
          **dict.fromkeys((*_RECORDS, *_PEOPLE), OF_TRAININGS)}  # fmt: skip


# As in "max contributions per user", or "rows per person".
_OF_ROWS = re.compile(
    r"(max(?:imum|\.)? )?(?:number of )?(contributions?|rows|records)(?: (?:per|of one|of each) (.+))?"
)

# As in “most one patient can change”.
_OF_CHANGE = re.compile(
    r"(?:the )?(?:most|max(?:imum)?|how much|how far) (?:one|a|each) (.+?) (?:can |may )?changes?"
    r"|(?:max(?:imum|\.)?|largest|most) change (?:per|of one|by one|of each) (.+)"
)


def pasted(
    rows: list[Row], place: int, column: int, titles: Sequence[str], text: str, begin: date | None = None
) -> tuple[list[Row], str]:
    r"""Return rows after cells of a spreadsheet were pasted into them, and a sentence on what was not taken, or "".

    Parameters
    ----------
    rows : list of dict
        More come at their end where as many are pasted.
    place : int
        Of the first row that is pasted into, from 0; below 0 where none is in sight.
    column : int
        Likewise.
    titles : sequence of str
        Of the columns that the table shows; what is meant for those that are computed is left aside.
    text : str
        Cells with tabs between them, in quotes where they hold one.
    begin : date, optional
        First day of what is released again and again so often in all, where its row has none.

    Raises
    ------
    ValueError
        When it cannot be told which cells are meant.

    Examples
    --------
    >>> rows, left = pasted([row_of({})], 0, 0, ["Release", "Noise", "Share"], "Visits\tε 0.1\t5\nAges 🏥\tε 0.2")
    >>> [(row["name"], row["noise"]) for row in rows], left
    ([('Visits', 'ε 0.1'), ('Ages 🏥', 'ε 0.2')], '')
    >>> rows, left = pasted([row_of({})], 0, 0, ["Release"], "epsilon\tTimes\tremark\tname\n0.1\t3\tnew\tVisits")
    >>> rows[0]["name"], rows[0]["noise"], rows[0]["count"]
    ('Visits', 'eps 0.1', '3')
    >>> print(left[:62])
    Not taken: the column “remark”, which the table does not have.
    """
    if place < 0:
        raise ValueError(NO_CELL)
    if any(title[:1] in "↑↓" for title in titles):
        raise ValueError(SORTED)
    cells = _cells(text)
    columns, left = [_BY_TITLE.get(title) for title in titles[column:]], ""
    if len(cells) > 1 and (headed := _headed(cells[0], cells[1:])):
        columns, left = headed
        cells = cells[1:]
    after = [*rows, *(row_of({}) for _ in range(place + len(cells) - len(rows)))]
    untold = bool(left) and not any(name == "noise" or (name or "").startswith(NOISE) for name in columns)
    named: list[str] = []
    for row, line in enumerate(cells, start=place):
        after[row], of_none = _with_cells(rows, after[row], columns, line, begin)
        named += [after[row]["name"] or "?"] if of_none else []
        if untold and any(map(str.strip, line)):  # it may stand in what is not taken: none is filled in for it
            after[row]["noise"] = after[row]["noise"] or UNTOLD
    left += f"{' ' * bool(left)}{UNTAKEN.format('”, “'.join(named[:LISTED]))}" if named else ""
    beyond = sum(1 for line in cells if any(map(str.strip, line[len(columns) :])))
    return after, left or (WIDER.format(beyond) if beyond else "")


def _with_cells(
    rows: list[Row], row: Row, columns: list[str | None], line: list[str], begin: date | None
) -> tuple[Row, bool]:
    """The row with the cells of a line, which are of these columns, and whether records were told of no training."""
    told = [(name, cell.strip() or None) for name, cell in zip(columns, line, strict=False) if name]
    new = {name: meant(rows, name, text) for name, text in told if name in COLUMNS}
    if clipped := dict(told).get(BOTH_ENDS):
        new["lower"], new["upper"] = ends_of(clipped) or (clipped, None)  # what is no range is told
    mechanism = CHOICES["mechanism"].get(plain(new.get("mechanism", row["mechanism"]) or ""))
    if in_l2 := dict(told).get(IN_L2):
        norm = norm_of({**row, "mechanism": mechanism})
        # One whole number that changes by 1 does so in L1, too; what cannot be read is told.
        same = norm == "L2" or (in_l2 == "1" and plain(mechanism or "").startswith("discrete"))
        if same or not new.get("sensitivity"):
            new["sensitivity"] = in_l2 if same else None if mechanism and norm is None else f"{in_l2} in L2"
    apart = dict(_parts(told))
    run = OF_RUN in apart or (new.get("noise") or "").startswith(OF_RUN)
    if run and not mechanism and not new.get("mechanism"):
        mechanism = new["mechanism"] = LABELS["trained_model"]
    trained = run or mechanism == LABELS["trained_model"]
    of_none = None if trained else apart.pop(OF_TRAININGS, None)
    if apart:
        new["noise"] = ", ".join(filter(None, [new.get("noise"), *map(" ".join, apart.items())]))
    cadence = CHOICES["cadence"].get(plain(new.get("cadence") or ""))
    if in_all := dict(told).get(ALL):
        new = {**row, **new, "count": in_all, "cadence": cadence or new.get("cadence")}
        new = new if new["end"] and not filled_in.falls_so_often(new) else filled_in.in_all(new, begin)
    return {**row, **new}, of_none is not None


def _parts(told: list[tuple[str, str | None]]) -> list[tuple[str, str]]:
    """What the noise of a row has in columns of their own."""
    parts = [(name.removeprefix(NOISE), text) for name, text in told if name.startswith(NOISE) and text]
    return [(name, text) for name, text in parts if not _NONE.fullmatch(text)]


def _headed(line: list[str], beneath: list[list[str]]) -> tuple[list[str | None], str] | None:
    """The columns that a first line of titles names, and which of its titles are none; None where it is no such line.

    A release may be called “Noise” and be a “count”: a line of titles names three columns or more, the release and its
    noise or its mechanism among them, each once, holds no digit, and nothing that a mechanism is called. Where none of
    its titles is that of the release, but three are others, it is the first that the table does not have. What
    `_sorts` finds is such a line, too.
    """
    found = _as_mechanisms(_known(line), line, beneath)
    titles = [name for name in found if name]
    if "name" not in titles and len(titles) > 2 and (own := _first_unknown(line, found)) is not None:
        found[own] = "name"
        titles = [*titles, "name"]
    told = "name" in titles and any(name in ("noise", "mechanism") or name.startswith(NOISE) for name in titles)
    others = [cell for cell in line if plain(cell) not in _CALLED]
    data = any(map(_figure, others)) or any(plain(cell) in CHOICES["mechanism"] for cell in others)
    if data or not told or len(titles) < 3 or len({*titles}) < len(titles):
        found = _sorts(line, beneath)
    for place, name in enumerate(found or ()):
        if name == f"{NOISE}{OF_TRAININGS}" and not _tells_trainings(found, beneath):
            found[place] = None
        elif name is None and (sort := _sort(place, beneath)) not in found:
            found[place] = sort
    unknown = [cell.strip() for cell, name in zip(line, found or line, strict=True) if name is None and cell.strip()]
    return found and (found, _untitled(unknown, found) if unknown else "")


def _as_mechanisms(found: list[str | None], line: list[str], beneath: list[list[str]]) -> list[str | None]:
    """The columns of titles where that of the noise, or of its distribution, holds mechanisms: then it is theirs."""
    if "noise" not in found or "mechanism" in found or _sort(found.index("noise"), beneath) != "mechanism":
        return found
    place = found.index("noise")
    rest = [title if at != place else "" for at, title in enumerate(line)]
    return [each if at != place else "mechanism" for at, each in enumerate(_known(rest))]


def _tells_trainings(found: list[str | None], lines: list[list[str]]) -> bool:
    """Whether a line beneath such titles is a trained model, which has records."""
    cells = [(name, cell) for line in lines for name, cell in zip(found, line, strict=False) if cell.strip()]
    if any(name == f"{NOISE}{OF_RUN}" and not _NONE.fullmatch(cell.strip()) for name, cell in cells):
        return True
    told = {plain(cell) for _, cell in cells}
    models = {each for each, label in CHOICES["mechanism"].items() if label == LABELS["trained_model"]}
    return bool(told & models) or any(each.startswith(OF_RUN) for each in told)


def _figure(cell: str) -> bool:
    """Whether a cell holds a number, and not a title with a digit in it, as that of an L2 sensitivity."""
    return bool(re.search(r"(?<![A-Za-z])\d", cell) or (cell.strip() and isinstance(noise_of(cell, "laplace"), dict)))


def _sorts(line: list[str], beneath: list[list[str]]) -> list[str | None] | None:
    """The columns of a line of titles of which most are unknown, by what stands beneath them; None where it is none.

    It has three different titles or more, no digit and nothing that a list of the table offers, and beneath it stand
    digits, and mechanisms, kinds, rhythms or noise in columns of their own.
    """
    titles = [plain(cell) for cell in line if cell.strip()]
    offered = {option for choices in CHOICES.values() for option in choices} - {*_NAMED, *_CALLED}
    figures = any(re.search(r"\d", cell) for each in beneath for cell in each)
    if len({*titles}) < max(3, len(titles)) or any(map(_figure, titles)) or offered & {*titles} or not figures:
        return None
    found = [_sort(place, beneath) for place in range(len(line))]
    own = any(sort and plain(cell) in CHOICES.get(sort, ()) for cell, sort in zip(line, found, strict=True))
    if not any(found) or own:  # the line is such a row itself
        return None
    known = [name if name not in found else None for name in _known(line)]
    found = [sort if sort and sort not in found[:place] else name
             for place, (sort, name) in enumerate(zip(found, known, strict=True))]  # fmt: skip
    if "name" not in found and (first := _first_unknown(line, found)) is not None:
        found[first] = "name"
    return found if "name" in found else None


def _sort(place: int, lines: list[list[str]]) -> str | None:
    """The column of the table whose list holds all that stands in one column of these lines, or noise with its sign."""
    told = {plain(line[place]) for line in lines if len(line) > place and line[place].strip()}
    if told and all(isinstance(noise_of(text, "laplace"), dict) or text.startswith(OF_RUN) for text in told):
        return "noise"
    return next((name for name in ("mechanism", "kind", "cadence") if told and told <= CHOICES[name].keys()), None)


def _known(line: list[str]) -> list[str | None]:
    """The columns that titles name, in the table's own words or in those of other tables."""
    found, counted = [_NAMED.get(plain(cell)) for cell in line], any(plain(cell) in _RECORDS for cell in line)
    for place, title in enumerate(map(plain, line)):
        called = _CALLED.get(title) or (f"{NOISE}{_PARTS[title]}" if title in _PARTS else None)
        called = None if counted and title in _PEOPLE else called or _in_a_sentence(title)
        if found[place] is None and called not in found:
            found[place] = called
    return found


def _in_a_sentence(title: str) -> str | None:
    """The column that a title asks for in words of its own, as “most one patient can change” does."""
    if _tells_rows(title):
        return "rows"
    changes = _OF_CHANGE.fullmatch(title)
    return "sensitivity" if changes and is_unit(changes[1] or changes[2]) else None


def _tells_rows(title: str) -> bool:
    """Whether a title asks how many rows of one unit there are at most, as “rows per person” does, not “rows”."""
    told = _OF_ROWS.fullmatch(title)
    if not told:
        return False
    most, what, whom = told.groups()
    return is_unit(whom) if whom else bool(most) or what.startswith("contribution")


def _first_unknown(line: list[str], found: list[str | None]) -> int | None:
    """The place of the first title that names no column; None where each does."""
    unknown = (place for place, (cell, name) in enumerate(zip(line, found, strict=True)) if cell.strip() and not name)
    return next(unknown, None)


def _untitled(names: list[str], found: list[str | None]) -> str:
    """What is said of columns that the table does not have, and which of its own nothing was found for."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    had = {name for each in found if each for name in _FILLS.get(each, ("noise" if each.startswith(NOISE) else each,))}
    left = [title for title, name in _BY_TITLE.items() if name not in had]
    listed, own = ("”, “".join(each) for each in (names[:LISTED], left[:FREE]))
    own = f"“{own}”" + f" and {len(left) - FREE} more" * (len(left) > FREE)
    return UNTITLED.format("column" if len(names) == 1 else "columns", listed, more, own)


def _cells(text: str) -> list[list[str]]:
    """The cells of pasted lines; a quotation mark that opens none, such as one that is a name, stands for itself.

    As two do that repeat what stands above: between them a cell would begin and end where cells end.
    """
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        with suppress(csv.Error):
            lines = [*csv.reader(io.StringIO(text, newline=""), dialect="excel-tab", quoting=quoting, strict=True)]
            if not any(cell[:1] in ENDS and cell[-1:] in ENDS for line in lines for cell in line if cell):
                return lines
    raise ValueError(UNSPLIT)


def astray(rows: list[Row], before: list[Row]) -> str:
    r"""Return why a change cannot be what was meant, as where a browser pastes by itself; "" where it can.

    Its own paste ends at the last row of the table, and takes a letter too many after each sign of two units.

    Examples
    --------
    >>> blank = row_of({})
    >>> astray([row_of({"name": "A"})], [blank]), astray([row_of({"name": "A", "noise": "e\tε 0"})], [blank])
    ('', 'a tab or line break stands within a cell; paste it again')
    """
    new = [row for row, old in zip(rows, before, strict=True) if row != old]
    if any(sign in (text or "") for row in new for text in row.values() for sign in "\t\n\r"):
        return "a tab or line break stands within a cell; paste it again"
    if len(new) > 1 and blank(before[-1]) and not blank(rows[-1]):
        return "it filled the table to its last row, so that more may be missing; paste it again"
    return ""
