"""The table of releases as text, exactly as typed, and the releases that it means."""

from __future__ import annotations

from dpviz.mechanisms import BASE_MECHANISMS, CALIBRATIONS, Mechanism
from dpviz.mechanisms.forms import parameters_of
from dpviz.plan import Plan, Release
from dpviz.plan.fields import (
    DATE_ALLOWED,
    DATES,
    DONE_ALLOWED,
    NUMBER_ALLOWED,
    NUMBERS,
    PARAMETERS,
    day,
    done,
    number,
    release_fields,
    release_from,
    release_problems,
)

COLUMNS = (
    "name", "mechanism", "count", "epsilon", "delta", "scale", "sigma", "sensitivity", "calibration", "scheme", "rate",
    "part", "start", "cadence", "end", "weight", "typical", "answer_unit", "done",
)  # fmt: skip
LABELS = {mechanism.key: mechanism.label for mechanism in BASE_MECHANISMS}
KEYS = {label: key for key, label in LABELS.items()}
CALIBRATION_KEYS = tuple(calibration.key for calibration in CALIBRATIONS)
# The parameters of a new row of each mechanism, in each of the forms that it takes; the usual one first.
USUAL = {
    "laplace": ({"epsilon": "0.1", "sensitivity": "1"}, {"scale": "10", "sensitivity": "1"}),
    "gaussian": ({"sigma": "10", "sensitivity": "1"}, {"epsilon": "0.1", "delta": "1e-9", "sensitivity": "1"}),
    "randomized_response": ({"epsilon": "1"},),
    "approximate_dp": ({"epsilon": "0.1", "delta": "1e-9"},),
    "name_and_shame": ({"delta": "1e-9"},),
}
NEW_ROW = {"name": "New release", "mechanism": "Laplace", "epsilon": "0.1", "sensitivity": "1", "count": "1"}
Row = dict[str, str | None]
_READ = {
    **dict.fromkeys(NUMBERS, (number, NUMBER_ALLOWED)),
    **dict.fromkeys(DATES, (day, DATE_ALLOWED)),
    "done": (done, DONE_ALLOWED),
}


def rows_of(plan: Plan) -> list[Row]:
    """Return one row of text per release."""
    return [_row(release) for release in plan.releases]


def row_of(cells: dict[str, str]) -> Row:
    """Return a whole row with these cells; columns that a table does not have are left out."""
    return {column: cells.get(column) for column in COLUMNS}


def _row(release: Release) -> Row:
    fields = release_fields(release)
    fields["mechanism"] = LABELS[fields["mechanism"]]
    return row_of({column: _text(value) for column, value in fields.items()})


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else None
    if isinstance(value, float):
        return str(value).removesuffix(".0").replace("e-0", "e-")
    return None if value is None else str(value)


def changed(rows: list[Row], changes: dict[str, object]) -> list[Row] | None:
    """Return rows after the changes that a table reports; None where they are of rows that there are not.

    Parameters
    ----------
    rows : list of dict
        What the table started from.
    changes : dict
        "edited_rows" (cells by position), "deleted_rows" (positions) and "added_rows" (cells), as Streamlit has them.
    """
    edited = {int(place): cells for place, cells in changes["edited_rows"].items()}
    deleted = {int(place) for place in changes["deleted_rows"]}
    if not (edited.keys() | deleted) <= set(range(len(rows))):
        return None
    kept = [{**row, **edited.get(place, {})} for place, row in enumerate(rows) if place not in deleted]
    return [row_of(row) for row in (*kept, *changes["added_rows"])]


def prefilled(rows: list[Row], before: list[Row]) -> list[Row]:
    """Return rows in which a new row, or one whose mechanism was just changed, holds what its mechanism takes.

    Parameters
    ----------
    rows, before : list of dict
        The table now, and as it was before the last change. What was typed stays where the mechanism takes it.
    """
    if len(rows) < len(before):
        return rows
    former = [*before, *[NEW_ROW] * (len(rows) - len(before))]
    return [
        row if row.get("mechanism") == old.get("mechanism") and place < len(before) else _prefilled(row)
        for place, (row, old) in enumerate(zip(rows, former, strict=True))
    ]


def _prefilled(row: Row) -> Row:
    """The row with default parameters for what is missing, and without those that its mechanism does not take."""
    key = KEYS.get(row.get("mechanism"), "")
    if not key or releases_of([row])[0]:
        return row
    typed = {column: row[column] for column in parameters_of(key) if row.get(column) not in (None, NEW_ROW.get(column))}
    bare = {**row, **dict.fromkeys(set(PARAMETERS) - {"scheme", "rate"})}
    attempts = ({**bare, **usual, **typed} for usual in ({}, *USUAL[key]))
    return next((each for each in attempts if releases_of([each])[0]), row)


def releases_of(rows: list[Row]) -> tuple[dict[int, Release], dict[int, str]]:
    """Return the releases that a table means, and what is wrong with every row that means none; blank rows count not.

    Parameters
    ----------
    rows : list of dict
        Text by column, None where a cell is empty.

    Returns
    -------
    releases : dict of Release
        By the position of their row, from 0.
    faults : dict of str
        Likewise.
    """
    releases, faults, known = {}, {}, {}
    for position, row in enumerate(rows):
        fields = {column: text.strip() for column, text in row.items() if text and text.strip()}
        if not fields:
            continue
        outcome = _release(fields, known)
        (releases if isinstance(outcome, Release) else faults)[position] = outcome
    return releases, faults


def _release(texts: dict[str, str], known: dict[tuple, Mechanism]) -> Release | str:
    """The release of one row, or what is wrong with it first."""
    fields: dict[str, object] = dict(texts)
    for column, (read, allowed) in _READ.items():
        if column in fields:
            fields[column] = read(texts[column].lower())
            if fields[column] is None:
                return f"{column} '{texts[column]}': {allowed}"
    fields["mechanism"] = KEYS.get(texts.get("mechanism", ""), texts.get("mechanism", ""))
    try:
        return release_from(fields, known)
    except ValueError:
        column, value, allowed = release_problems(fields, known)[0]
        return f"{column} '{LABELS.get(value, value)}': {allowed}"
