"""What the table of releases fills in: noise that goes with a mechanism, days of a rhythm; and how that is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from dpviz.mechanisms.forms import parameters_of
from dpviz.mechanisms.left_open import why_no_error
from dpviz.plan import Plan
from dpviz.plan.cadence import recurs
from dpviz.plan.document import fitting
from dpviz.plan.fields import day
from dpviz.plan.release import LONGEST_TEXT
from dpviz.planning.accuracy import half_width
from dpviz.rounding import shown_near
from dpviz.ui.shell.plan_rows import (
    CELLS,
    CLIPPED,
    CONFIDENCE,
    KEYS,
    KIND_KEYS,
    KIND_LABELS,
    LABELS,
    NEW_ROW,
    USUAL,
    Row,
    blank,
    noise_of,
    releases_of,
    row_of,
)

IN_SENSITIVITIES = {"gaussian": "ρ 0.005"}  # ten of them, as of a count; of a sum or a mean they may be of any size
# What a kind of release is protected by, where nothing else than the proposal above was typed.
_USUAL_OF_KIND = {"survey": "randomized_response", "selection": "exponential_mechanism"}


def prefilled(rows: list[Row], before: list[Row], begin: date, plan: Plan | None = None) -> list[Row]:
    """Return rows in which a new row, or one whose mechanism or rhythm was just chosen, holds what that takes.

    Parameters
    ----------
    rows, before : list of dict
        The table now, and as it was before the last change, of one length. What was typed stays where it may.
    begin : date
        First day of what is released again and again, where no other row has dates.
    plan : Plan, optional
        Whose promise says which sensitivities follow.
    """
    dates = next(((row["start"], row["end"]) for row in before if row["start"] and row["end"]), None)
    return [
        row if row == old or blank(row) else _prefilled(row, old, dates or _year(row, begin), plan)
        for row, old in zip(rows, before, strict=True)
    ]  # fmt: skip


def _year(row: Row, begin: date) -> tuple[str, str]:
    """The first and the last day of a year of a row's rhythm, from the day that is typed there."""
    start = day(row["start"] or "") or begin
    return start.isoformat(), last_day(start, row["cadence"] or "once").isoformat()


def coming_year() -> date:
    """Return the day on which the coming year begins: plans are made for it."""
    return date(date.today().year + 1, 1, 1)


def last_day(start: date, cadence: str) -> date:
    """Return the last day of a year that begins with `start`; of 52 weeks, where it is released every week.

    Examples
    --------
    >>> last_day(date(2027, 1, 1), "daily").isoformat(), last_day(date(2027, 1, 1), "weekly").isoformat()
    ('2027-12-31', '2027-12-30')
    """
    if cadence == "weekly":  # the 365th day would begin a 53rd
        return start + timedelta(days=7 * 52 - 1)
    leap = start.month == 2 and start.day == 29
    return date(start.year + 1, start.month, 28 if leap else start.day) - timedelta(days=not leap)


def _prefilled(row: Row, old: Row, dates: tuple[str, str], plan: Plan | None) -> Row:
    """The row with what is missing, and without what its mechanism does not take."""
    typed = row["noise"] if row["noise"] != old["noise"] else None
    if blank(old):
        # Noise without a mechanism was pasted beside one that is not known: that is said, and no other one taken.
        usual = {column: text for column, text in NEW_ROW.items() if column != "mechanism" or not row["noise"]}
        row = {**row, **{column: row[column] or text for column, text in usual.items()}}
    untouched = (row["mechanism"], row["noise"]) == (NEW_ROW["mechanism"], NEW_ROW["noise"]) and not typed
    if row["kind"] != old["kind"] and untouched:
        usual_key = _USUAL_OF_KIND.get(KIND_KEYS.get(row["kind"] or ""), "laplace")
        row = {**row, "mechanism": LABELS[usual_key], "noise": USUAL[usual_key]}
    if row["cadence"] in CELLS["cadence"].options and row["cadence"] not in ("once", old["cadence"]):
        row = {**row, "start": row["start"] or dates[0], "end": _last_again(row, old) or row["end"] or dates[1]}
    key = KEYS.get(row["mechanism"], "")
    told = noise_of(typed or "", key) if row["calibration"] and row["calibration"] == old["calibration"] else ""
    if isinstance(told, dict) and told and "epsilon" not in told:
        row = {**row, "calibration": None}  # it says how σ follows from a pair (ε, δ)
    if not key or _makes_sense(row, key) or (row["mechanism"] == old["mechanism"] and not blank(old)):
        return row
    noise = IN_SENSITIVITIES.get(key, USUAL[key]) if row["kind"] in CLIPPED else USUAL[key]
    kept = {"sensitivity": row["sensitivity"] if "sensitivity" in parameters_of(key) else None, "calibration": None}
    attempts = [{**row, **kept}]
    if not typed:  # what was typed just now stays, even if it is wrong
        attempts += [{**row, **kept, "noise": f"±{error}"} for error in _error_of(old, plan)]
        attempts.append({**row, **kept, "noise": noise})
    return next((each for each in attempts if _makes_sense(each, key)), row)


def _last_again(row: Row, old: Row) -> str:
    """The last day of a year of another rhythm, where that of the former one was the last of its year; "" else."""
    start = day(row["start"] or "")
    if not start or (row["start"], row["end"]) != (old["start"], old["end"]) or not recurs(old["cadence"]):
        return ""
    year = last_day(start, old["cadence"]).isoformat()
    return last_day(start, row["cadence"]).isoformat() if row["end"] == year else ""


def _error_of(row: Row, plan: Plan | None) -> list[str]:
    """The error of a release, 19 times of 20, which other noise has, too; [] where it has none."""
    alone = replace(plan or Plan(()), releases=())
    found, _ = fitting(alone, releases_of([row], alone)[0].values())
    noisy = [each.mechanism for each in found.releases if not why_no_error(each.mechanism)]
    return [shown_near(half_width(each, CONFIDENCE), 3) for each in noisy]


def sum_and_count(row: Row) -> tuple[Row, Row]:
    """Return the rows of a sum and of a count that tell together what a mean tells, at the same times.

    Examples
    --------
    >>> mean = row_of({"name": "Pay", "kind": "mean", "noise": "b 3", "lower": "0", "upper": "9"})
    >>> [(each["name"], each["kind"], each["noise"], each["upper"]) for each in sum_and_count(mean)]
    [('Pay, sum', 'sum', 'ε 0.1', '9'), ('Pay, count', 'count', 'ε 0.1', None)]
    """
    times = {column: row[column] for column in ("count", "cadence", "start", "end", "done", "part", "scheme", "rate")}
    proposal = {column: NEW_ROW[column] for column in ("mechanism", "noise")}
    kept = {} if (row["noise"] or "").startswith("ε") else proposal
    name = (row["name"] or "")[: LONGEST_TEXT - len(", count")]
    changed = {"sensitivity": None, "calibration": None, "typical": None}
    summed = {**row, **kept, **changed, "name": f"{name}, sum", "kind": KIND_LABELS["sum"]}
    counted = {**row_of({}), **times, **proposal, "name": f"{name}, count", "kind": KIND_LABELS["count"]}
    return summed, counted


def proposed(filled: list[Row], typed: list[Row]) -> str:
    """Return what is said of noise that `prefilled` has set; "" where it has set none, or that of more than one row.

    Examples
    --------
    >>> [row] = prefilled([row_of({"name": "Visits"})], [row_of({})], date(2027, 1, 1))
    >>> proposed([row], [row_of({"name": "Visits"})]), proposed([row], [row])
    ('“Visits” begins with Laplace, ε 0.1, until you type another.', '')
    """
    new = [(row, old) for row, old in zip(filled, typed, strict=True) if row["noise"] != old["noise"]]
    if len(new) != 1 or not all(new[0][0][column] for column in ("name", "mechanism", "noise")):
        return ""
    [(row, old)] = new
    if old["noise"] and old["noise"] != NEW_ROW["noise"]:
        return f"The noise of “{row['name']}” is {row['noise']} now: {row['mechanism']} has no “{old['noise']}”."
    return f"“{row['name']}” begins with {row['mechanism']}, {row['noise']}, until you type another."


def scheduled(filled: list[Row], typed: list[Row]) -> str:
    """Return what is said of dates that `prefilled` has set; "" where it has set none, or those of more than one row.

    Examples
    --------
    >>> new = row_of({"name": "Visits", "cadence": "monthly"})
    >>> [row] = prefilled([new], [row_of({})], date(2027, 1, 1))
    >>> print(scheduled([row], [new]))
    “Visits” is released monthly from 2027-01-01 to 2027-12-31, until you type other days (columns “dates”).
    """
    ends = ("start", "end")
    new = [row for row, old in zip(filled, typed, strict=True) if any(row[end] != old[end] for end in ends)]
    if len(new) > 1 and all(row[end] for row in new for end in ends):
        days = f"from {min(row['start'] for row in new)} to {max(row['end'] for row in new)}"
        return f"{len(new)} releases are counted {days}, until you type other days (columns “dates”)."
    if len(new) != 1 or not all(new[0][column] for column in ("name", "cadence", *ends)):
        return ""
    [row] = new
    days = f"{row['cadence']} from {row['start']} to {row['end']}"
    return f"“{row['name']}” is released {days}, until you type other days (columns “dates”)."


def _makes_sense(row: Row, key: str) -> bool:
    """Whether a row of this mechanism is a release, once its sensitivity is known."""
    open_sensitivity = "sensitivity" in parameters_of(key) and not row["sensitivity"]
    known = {"sensitivity": "1", "kind": None, "lower": None, "upper": None}
    return bool(releases_of([{**row, **known} if open_sensitivity else row])[0])
