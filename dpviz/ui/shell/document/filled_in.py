"""What the table of releases fills in: noise that goes with a mechanism, days of a rhythm; and how that is told."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta

from dpviz.mechanisms.forms import parameters_of
from dpviz.mechanisms.left_open import why_no_error
from dpviz.mechanisms.subsampled import RELATIONS as SCHEMES
from dpviz.plan import Plan
from dpviz.plan.cadence import cadence_named, nth_day, occurrences, recurs
from dpviz.plan.derived import OF_ROWS, settled
from dpviz.plan.document import fitting
from dpviz.plan.fields import day, plain_number
from dpviz.plan.kinds import COUNT_OF_MEAN, SUM_OF_MEAN
from dpviz.plan.release import LONGEST_TEXT
from dpviz.planning.accuracy import half_width
from dpviz.rounding import next_below, shown_count, shown_error, shown_near
from dpviz.ui.shell.plan_rows import (
    CELLS,
    CLIPPED,
    CONFIDENCE,
    KEYS,
    KIND_KEYS,
    KIND_LABELS,
    LABELS,
    NEW_ROW,
    SIGNS,
    USUAL,
    Row,
    averaged,
    blank,
    noise_of,
    norm_of,
    releases_of,
    row_of,
    written_out,
)

IN_SENSITIVITIES = {"gaussian": "ρ 0.005"}  # ten of them, as of a count; of a sum or a mean they may be of any size
NAMED = 3  # rows in one sentence
NEARLY = 1.001  # times a sensitivity, as that is typed with four digits
LONGEST_SERIES = 100_000  # days that a row's times may become
# What a sum and a count have of the mean that they tell together, besides its noise.
_OF_TIMES = ("count", "cadence", "start", "end", "done", "part", "scheme", "rate", "rows")
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
        row if row == old or blank(row) else _prefilled(_of_rows(row, old, plan), old, dates or _year(row, begin), plan)
        for row, old in zip(rows, before, strict=True)
    ]  # fmt: skip


def _of_rows(row: Row, old: Row, plan: Plan | None) -> Row:
    """The row without a sensitivity that is too small for rows of one unit, or values averaged, typed after it.

    Or that was what followed from those that stood there before, and is no more than what follows now: no number that
    was typed is lowered.
    """
    same = all(row[column] == old[column] for column in OF_ROWS)
    if same or not row["sensitivity"] or row["sensitivity"] != old["sensitivity"]:
        return row
    promise = plan or Plan(())
    context = (promise.neighbours, promise.population, promise.unit_in_words)
    made = [releases_of([each], plan)[0].get(0) for each in (row, old)]
    known, before = (settled(each, *context)[1] if each else None for each in made)
    small = known and known.fault and known.least
    followed = before and before.least and before.value and before.least <= before.value <= before.least * NEARLY
    no_less = followed and known and known.least and before.value <= known.least * NEARLY
    return {**row, "sensitivity": None} if small or no_less else row


def _year(row: Row, begin: date) -> tuple[str, str]:
    """The first and the last day of a year, from the day that is typed in a row."""
    start = day(row["start"] or "") or begin
    return start.isoformat(), last_day(start).isoformat()


def coming_year() -> date:
    """Return the day on which the coming year begins: plans are made for it."""
    return date(date.today().year + 1, 1, 1)


def last_day(start: date) -> date:
    """Return the last day of a year that begins with `start`, on which a 53rd week begins.

    Examples
    --------
    >>> last_day(date(2027, 1, 1)).isoformat(), last_day(date(2028, 2, 29)).isoformat()
    ('2027-12-31', '2029-02-28')
    """
    leap = start.month == 2 and start.day == 29
    return date(start.year + 1, start.month, 28 if leap else start.day) - timedelta(days=not leap)


def _prefilled(row: Row, old: Row, dates: tuple[str, str], plan: Plan | None) -> Row:
    """The row with what is missing, and without what its mechanism does not take."""
    typed = row["noise"] if row["noise"] != old["noise"] else None
    if blank(old):
        # Noise without a mechanism was pasted beside one that is not known: that is said, and no other one taken.
        known = not row["mechanism"] or row["mechanism"] in KEYS  # nor noise beside what is none
        usual = {column: text for column, text in NEW_ROW.items()
                 if {"mechanism": not row["noise"], "noise": known}.get(column, True)}  # fmt: skip
        row = {**row, **{column: row[column] or text for column, text in usual.items()}}
    untouched = (row["mechanism"], row["noise"]) == (NEW_ROW["mechanism"], NEW_ROW["noise"]) and not typed
    if row["kind"] != old["kind"] and untouched:
        usual_key = _USUAL_OF_KIND.get(KIND_KEYS.get(row["kind"] or ""), "laplace")
        row = {**row, "mechanism": LABELS[usual_key], "noise": USUAL[usual_key]}
    if row["cadence"] in CELLS["cadence"].options and row["cadence"] not in ("once", old["cadence"]):
        row = {**row, "start": _at_the_end(row, old) or row["start"] or dates[0], "end": row["end"] or dates[1]}
    elif row["cadence"] in (None, "once") and _ended_by_rhythm(row, old):
        row = {**row, **_without_days(row)}  # what does not recur has no last day, and no day that came by itself
    if row["rate"] and not old["rate"] and not row["scheme"]:  # the kind of sample that the promise allows
        relation = (plan or Plan(())).neighbours
        row = {**row, "scheme": next(name for name, demanded in SCHEMES.items() if demanded == relation)}
    key = KEYS.get(row["mechanism"], "")
    told = noise_of(typed or "", key) if row["calibration"] and row["calibration"] == old["calibration"] else ""
    if isinstance(told, dict) and told and "epsilon" not in told:
        row = {**row, "calibration": None}  # it says how σ follows from a pair (ε, δ)
    if not key or _makes_sense(row, key) or (row["mechanism"] == old["mechanism"] and not blank(old)):
        return row
    kept = {"sensitivity": row["sensitivity"] if "sensitivity" in parameters_of(key) else None, "calibration": None}
    attempts = [{**row, **kept}]
    if not typed and not _unread(old, key):  # what was typed just now stays, even if it is wrong
        noise = IN_SENSITIVITIES.get(key, USUAL[key]) if row["kind"] in CLIPPED else USUAL[key]
        attempts += [{**row, **kept, "noise": each} for each in (*_error_of(old, plan), noise)]
    return next((each for each in attempts if _makes_sense(each, key)), row)


def _at_the_end(row: Row, old: Row) -> str:
    """The end of the first quarter, half year or year where the first month's end stood, and back; "" elsewhere.

    What comes out at the end of a month tells of that month, and of a quarter at the end of the quarter.
    """
    months = [cadence_named(each["cadence"]).months if recurs_in(each) else 0 for each in (row, old)]
    start, end = (day(row[name] or "") for name in ("start", "end"))
    if not all(months) or not start or row["start"] != old["start"] or (start + timedelta(1)).day != 1 or row["done"]:
        return ""
    place = 12 * start.year + start.month + months[0] - months[1]  # of the month after it
    first = date(place // 12, place % 12 + 1, 1) - timedelta(1)
    if end and (first > end or occurrences(first, row["cadence"], end) < occurrences(start, row["cadence"], end)):
        return ""  # nothing comes out less often by it
    return first.isoformat()


def _unread(row: Row, key: str) -> bool:
    """Whether noise stands in a row that cannot be read, so that nobody knows what it is to become."""
    if not row["noise"] or written_out(row):
        return False
    return isinstance(noise_of(row["noise"], KEYS.get(row["mechanism"] or "", key)), str)


def recurs_in(row: Row) -> bool:
    """Say whether a row recurs, by a rhythm that there is.

    Examples
    --------
    >>> recurs_in(row_of({"cadence": "daily"})), recurs_in(row_of({"cadence": "once"})), recurs_in(row_of({}))
    (True, False, False)
    """
    return row["cadence"] in CELLS["cadence"].options and recurs(row["cadence"])


def _ended_by_rhythm(row: Row, old: Row) -> bool:
    """Whether the last day of what does not recur is its only day, or is left of a rhythm that it had."""
    return bool(row["end"]) and (row["end"] == row["start"] or (recurs_in(old) and row["end"] == old["end"]))


def _without_days(row: Row) -> Row:
    """No last day; no first one either, where both are those of a year, as the former rhythm brought it."""
    start = day(row["start"] or "")
    year = start and last_day(start).isoformat()
    return {"end": None} | ({"start": None} if row["end"] == year else {})


def in_all(row: Row, begin: date | None = None) -> Row:
    """Return a row that recurs, whose times are those of all its days, with one at a time and the last day of them.

    Parameters
    ----------
    row : dict
        One that does not recur, or whose times are no whole number from 1, stays as it is.
    begin : date, optional
        First day of what has none; that of the coming year where nothing else is given.

    Examples
    --------
    >>> row = in_all(row_of({"count": "90", "cadence": "daily", "start": "2026-01-01"}))
    >>> row["count"], row["end"]
    ('1', '2026-03-31')
    """
    times = plain_number(row["count"] or "")
    if _trainings(row):
        return {**row, "count": "1"}
    start = day(row["start"] or "") or (begin or coming_year() if not row["start"] else None)
    if not recurs_in(row) or not start or not isinstance(times, int) or not 1 <= times <= LONGEST_SERIES:
        return row
    try:
        last = nth_day(start, row["cadence"], times)
    except ValueError:  # beyond what a date holds
        return row
    return {**row, "count": "1", "start": start.isoformat(), "end": last.isoformat()}


def _error_of(row: Row, plan: Plan | None) -> list[str]:
    """The error of a release, 19 times of 20, which other noise has, too; [] where it has none."""
    alone = replace(plan or Plan(()), releases=())
    found, _ = fitting(alone, releases_of([row], alone)[0].values())
    noisy = [each.mechanism for each in found.releases if not why_no_error(each.mechanism)]
    return [f"±{shown_near(half_width(each, CONFIDENCE), 3)}" for each in noisy]


def sum_and_count(row: Row, people: int | None = None) -> tuple[Row, Row]:
    """Return the rows of a sum and of a count that tell together what a mean tells, at the same times.

    Each has half of the mean's ε, so that they cost what it would. An error that was wanted of the mean, of so many
    values as its sensitivity tells, or of all people, becomes two from which it follows; else their noise is proposed.

    Examples
    --------
    >>> mean = row_of({"name": "Pay", "kind": "mean", "mechanism": "Laplace", "lower": "0", "upper": "9"})
    >>> [(each["name"], each["kind"], each["noise"], each["upper"]) for each in sum_and_count(mean | {"noise": "ε 1"})]
    [('Pay, sum', 'sum', 'ε 0.5', '9'), ('Pay, count', 'count', 'ε 0.5', None)]
    >>> [each["noise"] for each in sum_and_count(mean | {"noise": "±0.2"}, 2000)]
    ['±160', '±17.8']
    >>> [each["typical"] for each in sum_and_count(mean | {"noise": "±0.2", "averaged": "1500"}, 2000)]
    [None, '1500']
    """
    times = {column: row[column] for column in _OF_TIMES}
    (of_sum, of_count), _ = _noise_of_parts(row, people)
    name = (row["name"] or "")[: LONGEST_TEXT - len(COUNT_OF_MEAN)]
    changed = dict.fromkeys(("sensitivity", "calibration", "typical", "averaged"))
    summed = {**row, **of_sum, **changed, "name": f"{name}{SUM_OF_MEAN}", "kind": KIND_LABELS["sum"]}
    counted = {**row_of({}), **times, **of_count, "name": f"{name}{COUNT_OF_MEAN}", "kind": KIND_LABELS["count"]}
    if stated := averaged((row["lower"], row["upper"]), row):  # so many values the quotient is told for
        counted["typical"] = str(stated)
    return summed, counted


def told_parts(row: Row, people: int | None = None) -> str:
    """Return what is said of the noise of `sum_and_count`.

    Examples
    --------
    >>> mean = row_of({"name": "Pay", "kind": "mean", "mechanism": "Laplace", "lower": "0", "upper": "9"})
    >>> print(told_parts(mean | {"noise": "±0.2"}, 2000))
    For “Pay”: sum ±160, count ±17.8, of Laplace noise, so that their quotient keeps ±0.2.
    >>> told_parts(mean | {"noise": "ε 1"})
    'For “Pay”: sum and count with half of its ε each.'
    """
    (of_sum, of_count), why = _noise_of_parts(row, people)
    return f"For “{row['name'] or 'it'}”: {why.format(of_sum['noise'], of_count['noise'])}."


def _noise_of_parts(row: Row, people: int | None) -> tuple[tuple[Row, Row], str]:
    """The cells of the noise of the sum and of the count that a mean is told by, and how that is said."""
    key = KEYS.get(row["mechanism"] or "", "")
    found = noise_of(row["noise"] or "", key)
    if isinstance(found, dict) and 0 < found.get("epsilon", 0) < math.inf:
        half = ", ".join(f"{SIGNS[name]} {_digits(value / 2)}" for name, value in found.items())
        cells = {"mechanism": row["mechanism"], "noise": half}
        return (cells, cells), "sum and count with half of its ε each"
    wanted = _wanted(row, found)
    errors = _errors_of_parts(row, wanted, people) if wanted else None
    if errors is None:
        begun = {column: NEW_ROW[column] for column in ("mechanism", "noise")}
        typed = f" in place of {row['noise']}" if row["noise"] else ""
        return (begun, begun), f"sum {{}} and count {{}} to begin with{typed.replace('{', '').replace('}', '')}"
    why = f"so that their quotient keeps ±{shown_error(wanted)}"
    of_sum, of_count = ({"mechanism": LABELS["laplace"], "noise": f"±{_digits(error)}"} for error in errors)
    return (of_sum, of_count), f"sum {{}}, count {{}}, of Laplace noise, {why}"


def _wanted(row: Row, found: dict[str, float] | str) -> float:
    """The error of the mean that its noise asks for, or has by its scale, 19 times of 20; 0 where it tells none."""
    if isinstance(found, dict) and found.keys() == {"within"}:
        return found["within"]
    if not isinstance(found, dict) or found.keys() not in ({"scale"}, {"sigma"}):
        return 0.0
    noise = row_of({"name": "mean", "mechanism": row["mechanism"], "noise": row["noise"]})
    of_mean = releases_of([noise])[0].get(0)
    return half_width(of_mean.mechanism, CONFIDENCE) if of_mean and not why_no_error(of_mean.mechanism) else 0.0


def _digits(value: float) -> str:
    """All digits of a number, as a cell reads them."""
    return repr(float(value)).removesuffix(".0")


def _errors_of_parts(row: Row, wanted: float, people: int | None) -> tuple[float, float] | None:
    """The errors of a sum and a count, 19 times of 20, with which their quotient is a mean within the wanted one.

    With sum S, count n and mean M = S / n, noise e and f moves the quotient by (e - M f) / (n + f). Where |e| <= a and
    |f| <= c < n, that is at most (a + m c) / (n - c), for m the size of the farther end of the values. With a = m c it
    is the wanted w for c = w n / (2 m + w). Both hold at once 19 times of 20 where each does 39 times of 40: of Laplace
    noise, ln 40 of its scale, and ln 20 of it 19 times of 20. None where values, or their number, are open, as that of
    a sample is.
    """
    ends = [plain_number(row[end] or "") for end in ("lower", "upper")]
    values = averaged((row["lower"], row["upper"]), row) or people
    if None in ends or not values or row["rate"] or not (size := max(map(abs, ends))):
        return None
    count = wanted * values / (2 * size + wanted) * math.log(20) / math.log(40)
    found = tuple(next_below(error, 3) for error in (size * count, count))
    return found if all(0 < error < math.inf for error in found) else None


def proposed(filled: list[Row], typed: list[Row]) -> str:
    """Return what is said of noise that `prefilled` has set; "" where it has set none.

    Examples
    --------
    >>> [row] = prefilled([row_of({"name": "Visits"})], [row_of({})], date(2027, 1, 1))
    >>> proposed([row], [row_of({"name": "Visits"})]), proposed([row], [row])
    ('“Visits” begins with Laplace, ε 0.1, until you type another.', '')
    """
    new = [(row, old) for row, old in zip(filled, typed, strict=True) if row["noise"] != old["noise"]]
    if len(new) > 1:
        named = "”, “".join(row["name"] or "" for row, _ in new[:NAMED])
        more = f" and {len(new) - NAMED} more" if len(new) > NAMED else ""
        return f"“{named}”{more} begin with noise that nobody has typed, until you type another."
    if len(new) != 1 or not all(new[0][0][column] for column in ("name", "mechanism", "noise")):
        return ""
    [(row, old)] = new
    if row["noise"].startswith("±") and old["noise"]:
        error = f"{row['noise']} 19 times of 20"
        return f"“{row['name']}” has {row['mechanism']} noise now, {error}, as with “{old['noise']}”."
    if old["noise"] and old["noise"] != NEW_ROW["noise"]:
        return f"The noise of “{row['name']}” is {row['noise']} now: {row['mechanism']} has no “{old['noise']}”."
    return f"“{row['name']}” begins with {row['mechanism']}, {row['noise']}, until you type another."


def scheduled(filled: list[Row], typed: list[Row], before: list[Row] | None = None) -> str:
    """Return what is said of dates that `prefilled` has set, or on which a new rhythm falls; "" where there is nothing.

    Parameters
    ----------
    filled, typed : list of dict
        The table with what was filled in, and as it was typed.
    before : list of dict, optional
        As it was before; None where nothing is said of another rhythm.

    Examples
    --------
    >>> new = row_of({"name": "Visits", "cadence": "monthly"})
    >>> [row] = prefilled([new], [row_of({})], date(2027, 1, 1))
    >>> print(scheduled([row], [new]))
    “Visits” is released monthly, first on 2027-01-01 and last on 2027-12-01, 12 times, until you type other days
    (columns “dates”).
    """
    ends = ("start", "end")
    new = [(row, old) for row, old in zip(filled, typed, strict=True) if any(row[end] != old[end] for end in ends)]
    if len(new) > 1 and all(row[end] for row, _ in new for end in ends):
        days = f"from {min(row['start'] for row, _ in new)} to {max(row['end'] for row, _ in new)}"
        return f"{len(new)} releases have the days {days}, until you type others (columns “dates”)."
    if not new and before:
        return _another_rhythm(filled, before)
    if len(new) != 1 or not new[0][0]["name"]:
        return ""
    [(row, old)] = new
    if not row["end"] and old["end"]:
        return f"“{row['name']}” does not recur now, and has no last day."
    days = _all_days(row)
    return f"{_on_days(row)}, {days} times, until you type other days (columns “dates”)." if days else ""


def _another_rhythm(rows: list[Row], before: list[Row]) -> str:
    """What is said of the one row whose rhythm was changed."""
    changed = [(row, old) for row, old in zip(rows, before, strict=True) if row["cadence"] != old["cadence"]]
    if len(changed) != 1 or not changed[0][0]["name"] or not (days := _all_days(changed[0][0])):
        return ""
    [(row, _)] = changed
    return f"{_on_days(row)}, {days} times."


def unused(rows: list[Row], before: list[Row]) -> str:
    """Return what is said of a typical value that a survey was just given: its answers have none.

    Examples
    --------
    >>> poll = row_of({"name": "Poll", "kind": "survey answer", "typical": "12000"})
    >>> print(unused([poll], [row_of({})]))
    The typical value of “Poll” says nothing: how many answer is typed under “Values or answers”.
    >>> unused([poll], [poll])
    ''
    """
    new = [row for row, old in zip(rows, before, strict=True) if row["typical"] and row != old]
    polls = [row["name"] for row in new if KIND_KEYS.get(row["kind"] or "") == "survey" and not row["averaged"]]
    if not polls or not polls[0]:
        return ""
    label = CELLS["averaged"].label
    return f"The typical value of “{polls[0]}” says nothing: how many answer is typed under “{label}”."


def press_repeated(rows: list[Row]) -> str:
    """Return what the press says that takes the times of such rows for all of them.

    Examples
    --------
    >>> daily = row_of({"count": "90", "cadence": "daily"})
    >>> press_repeated([daily]), press_repeated([daily, daily])
    ('They are 90 in all', '“Times” says how many there are in all')
    """
    if len(rows) > 1:
        return "“Times” says how many there are in all"
    return "It is one training" if _trainings(rows[0]) else f"They are {rows[0]['count']} in all"


def in_groups(row: Row, replaced: bool = False) -> Row | None:
    """Return several counts each time as one histogram of so many bars; None of what cannot be told so.

    That is no count, has one each time, or a loss or a sensitivity that was typed for a count alone: where a unit is
    replaced by another, two bars change.

    Examples
    --------
    >>> counts = row_of({"count": "40", "kind": "count", "mechanism": "Laplace", "cadence": "monthly"})
    >>> row = in_groups(counts)
    >>> row["kind"], row["count"], row["cadence"], in_groups({**counts, "kind": "sum"})
    ('histogram', '1', 'monthly', None)
    """
    times = plain_number(row["count"] or "")
    if KIND_KEYS.get(row["kind"] or "") != "count" or not isinstance(times, int) or times < 2:
        return None
    if norm_of(row) is None or (replaced and row["sensitivity"]):
        return None
    return {**row, "count": "1", "kind": KIND_LABELS["histogram"]}


def press_groups(rows: list[Row], replaced: bool = False) -> str:
    """Return what the press says that makes histograms of such rows; "" where one of them has none.

    Examples
    --------
    >>> counts = row_of({"count": "40", "kind": "count", "mechanism": "Laplace"})
    >>> press_groups([counts]), press_groups([counts, row_of({"count": "2"})])
    ('They are one histogram of 40 groups', '')
    """
    if any(in_groups(row, replaced) is None for row in rows):
        return ""
    if len(rows) > 1:
        return "They are histograms of so many groups each"
    return f"They are one histogram of {rows[0]['count']} groups"


def _on_days(row: Row) -> str:
    days = _all_days(row)
    last = nth_day(row["start"], row["cadence"], days) if days else row["end"]  # which may lie before the end
    return f"“{row['name']}” is released {row['cadence']}, first on {row['start']} and last on {last}"


def _all_days(row: Row) -> int:
    """On how many days a row that recurs falls; 0 of one that does not, or whose days are open."""
    start, end = (day(row[name] or "") for name in ("start", "end"))
    return occurrences(start, row["cadence"], end) if recurs_in(row) and start and end and start <= end else 0


def falls_so_often(row: Row) -> bool:
    """Say whether a row falls on as many days as it has times, which are all of them then."""
    return _all_days(row) == (plain_number(row["count"] or "") or 0)


def repeated(filled: list[Row], before: list[Row]) -> list[int]:
    """Return the places (from 0) of rows that were just given several times and a rhythm, which are multiplied.

    Examples
    --------
    >>> row = row_of({"count": "90", "cadence": "daily", "start": "2026-01-01", "end": "2026-12-31"})
    >>> repeated([row], [row_of({})]), repeated([row], [row])
    ([0], [])
    """
    pairs = [(row, old) for row, old in zip(filled, before, strict=True) if not blank(row)]
    return [place for place, (row, old) in enumerate(pairs) if _multiplied(row, old)]


def _multiplied(row: Row, old: Row) -> bool:
    """Whether a row that comes several times on each of its days has these times, or its rhythm, since just now."""
    if _trainings(row):
        return (row["count"], row["mechanism"], row["noise"]) != (old["count"], old["mechanism"], old["noise"])
    if (row["count"], row["cadence"]) == (old["count"], old["cadence"]) or not _all_days(row):
        return False
    return (plain_number(row["count"] or "") or 0) > 1 and in_all(row) != row


def _trainings(row: Row) -> bool:
    """Whether a row that does not recur counts several trainings, of which each has its steps in its noise."""
    times = plain_number(row["count"] or "")
    return row["mechanism"] == LABELS["trained_model"] and "steps" in (row["noise"] or "") and not recurs_in(row) and (
        isinstance(times, int) and times > 1
    )  # fmt: skip


def told_repeated(row: Row) -> str:
    """Return how often a row is counted that recurs, and comes several times on each of its days.

    Examples
    --------
    >>> told_repeated(row_of({"name": "Visits", "count": "90", "cadence": "daily", "start": "2026-01-01",
    ...     "end": "2026-12-31"}))
    '“Visits” counts 90 times on each of 365 days: 32,850 in all.'
    """
    if _trainings(row):
        return f"“{row['name'] or 'It'}” counts {row['count']} trainings, each with all its steps."
    times, days = plain_number(row["count"] or "") or 0, _all_days(row)
    named, in_total = row["name"] or "It", shown_count(times * days)
    return f"“{named}” counts {row['count']} times on each of {days} days: {in_total} in all."


def _makes_sense(row: Row, key: str) -> bool:
    """Whether a row of this mechanism is a release, once its sensitivity is known."""
    open_sensitivity = "sensitivity" in parameters_of(key) and not row["sensitivity"]
    known = {"sensitivity": "1", "kind": None, "lower": None, "upper": None}
    return bool(releases_of([{**row, **known} if open_sensitivity else row])[0])
