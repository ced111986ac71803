"""The table of releases as text, exactly as typed, and the releases that it means."""

from __future__ import annotations

from dpviz.gaussian import CALIBRATIONS
from dpviz.mechanism_forms import BASE_MECHANISMS
from dpviz.mechanisms import Mechanism
from dpviz.plan import Plan, Release
from dpviz.plan_fields import (
    DATE_ALLOWED,
    DATES,
    DONE_ALLOWED,
    NUMBER_ALLOWED,
    NUMBERS,
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


def _row(release: Release) -> Row:
    fields = release_fields(release)
    fields["mechanism"] = LABELS[fields["mechanism"]]
    return {column: _text(fields.get(column)) for column in COLUMNS}


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else None
    return None if value is None else str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def releases_of(rows: list[Row]) -> tuple[list[Release], list[str]]:
    """Return the releases that a table means, and one sentence for every row that means none; blank rows count not.

    Parameters
    ----------
    rows : list of dict
        Text by column, None where a cell is empty.
    """
    releases, problems, known = [], [], {}
    for position, row in enumerate(rows, start=1):
        fields = {column: text.strip() for column, text in row.items() if text and text.strip()}
        if not fields:
            continue
        outcome = _release(fields, known)
        if isinstance(outcome, Release):
            releases.append(outcome)
        else:
            problems.append(f"Row {position}, {outcome}")
    return releases, problems


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
