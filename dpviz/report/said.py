"""What a statement says in sentences beside its numbers: for how long it holds, and what is not covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpviz.mechanisms import KaryRandomizedResponse, Mechanism, RandomizedResponse, Thresholding, TrainedModel
from dpviz.mechanisms.left_open import DERIVED
from dpviz.plan import Plan
from dpviz.plan.derived import ASSUMED
from dpviz.plan.disclosure import NAMES, NOT_STATED, Disclosure
from dpviz.plan.periods import lasting, period, periods
from dpviz.plan.units import kinds, whose
from dpviz.planning.advice.finding import named
from dpviz.planning.advice.origin import counts_units
from dpviz.planning.advice.promise import answered_openly
from dpviz.planning.advice.sensitivities import rows_held
from dpviz.report.words import day_in_words
from dpviz.rounding import shown_count
from dpviz.training.schemes import scheme_named

POPULATION = "Not hidden: what others know of a person anyway, and what is true of many people."
UNCOVERED = {  # of a disclosure: what it is about, and what is asked where nobody has stated it
    "unprotected": ("Numbers published without noise", "Are exact numbers published, too?"),
    "other_releases": ("Other releases of the same data", ""),  # that there are none stands among the conditions
    "side_channels": ("Attacks on how the noise is made", "How are the random numbers of the noise kept secret?"),
    "security": ("Theft of the exact data", "How are the exact data kept secret?"),
}  # fmt: skip
QUESTIONS = {name: asked for name, (_, asked) in UNCOVERED.items() if asked}
NO_OTHERS = "no other release reads these data"
UNDATED = ", with what has no date counted from the start"
SAMPLES = {  # how they are drawn, and the source of what that saves
    "poisson": "every record is in each of them with the same probability, on its own; nobody learns who is in. "
    "Balle, Barthe & Gaboardi (2018), Thm 8",
    "without_replacement": "each has a fixed size and is drawn afresh, without replacement; nobody learns who is in. "
    "Balle, Barthe & Gaboardi (2018), Thm 9",
}
ONE_ROW = "one row"
SEVERAL_ENTRIES = ("count", "sum", "histogram")  # kinds of numbers that may hold several of one unit


def disclosed(plan: Plan) -> dict[str, str | None]:
    """Return what is stated of a plan, by field; None is not stated.

    Examples
    --------
    >>> disclosed(Plan([]))["owner"] is None
    True
    """
    stated = plan.disclosure.stated if plan.disclosure else {}
    return {name: stated.get(name) for name in NAMES}


def over_time(plan: Plan, exhausted: Mapping[str, Any] | None, one_unit: Mapping[str, Any] | None) -> list[str]:
    """Say over which time the releases of a plan add up, and for how long the promise holds; without symbols.

    Parameters
    ----------
    plan : Plan
    exhausted, one_unit : dict or None
        As `dpviz.report.facts.facts` has them.

    Examples
    --------
    >>> over_time(Plan([], unit="person"), None, None)[1]
    'After the last release, too, any other that reads data of the same person adds to what is lost.'
    """
    whom, found = whose(plan.unit_in_words), period(plan.unit_in_words)
    endless = f"After the last release, too, any other that reads data of the same {whom} adds to what is lost."
    if exhausted is None:
        counted = "No release has a date: the total counts all of them together, however long they take."
        taken = f"All of them are taken to read data of the same {plan.unit_in_words}; any other adds to it."
        return [counted, taken if found else endless]
    first, last = (day_in_words(exhausted["spent"][place]["date"]) for place in (0, -1))
    when = f"on {first}" if first == last else f"from {first} to {last}"
    undated = any(not each.start for each in plan.releases)
    within = f", within {_time(found)}" if found and not one_unit else ""
    others = "; those without a date are counted, too" * undated
    told = [f"The releases{' with a date' * undated} fall {when}{within}{others}."]
    if exhausted["date"]:
        told.append(f"From {day_in_words(exhausted['date'])} on they use more than is allowed{UNDATED * undated}.")
    if one_unit:
        window = one_unit["window"]
        told.append(f"The promise is for one {window} at a time: over several, what one {whom} loses adds up.")
    elif found:
        another = _time(found).removeprefix("a ").removeprefix("an ")
        told.append(f"Releases of another {another} would add to what one {whom} loses.")
    else:
        told.append(endless)
    return told


def stated_rows(plan: Plan) -> list[str]:
    """Say how many rows of one unit are in a number, at most, where that is stated.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> stated_rows(Plan([Release("Visits", Laplace(9.0), kind="count", rows=1)], unit="person"))
    ['Each release counts one person at most once, as is stated.']
    """
    stated: dict[str, list[int]] = {}
    for row, each in enumerate(plan.releases):
        if each.kind in SEVERAL_ENTRIES and each.uses and (most := _most_rows(plan, row)):
            stated.setdefault(most, []).append(row)
    one = whose(plan.unit_in_words)
    return [
        f"{_each_of(plan, rows, 'Each')} counts one {one} at most once, as is stated." if most == ONE_ROW
        else f"At most {most} of one {one} are counted at a time in {named(plan, rows)}, as is stated."
        for most, rows in stated.items()
    ]  # fmt: skip


def _each_of(plan: Plan, rows: Sequence[int], each: str = "each") -> str:
    """Return these releases as the subject of a sentence: by name where the plan has others.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("Visits", Laplace(9.0), 12, kind="count"), Release("Rides", Laplace(9.0), kind="count")])
    >>> _each_of(plan, [0]), _each_of(plan, [1]), _each_of(plan, [0, 1], "Each")
    ('each release of “Visits”', '“Rides”', 'Each release')
    """
    names = _told_apart(plan, rows)
    once = sum(plan.releases[row].uses for row in rows) == 1
    return names if names and once else f"{each} release{f' of {names}' if names else ''}"


def _told_apart(plan: Plan, rows: Sequence[int]) -> str:
    """The names of these releases; "" where the plan has no others."""
    others = {row for row, each in enumerate(plan.releases) if each.uses} - set(rows)
    return named(plan, rows) if others else ""


def in_brackets(plan: Plan, rows: Sequence[int]) -> str:
    """Return of which releases something is said, in brackets; "" where that is each of the plan.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> plan = Plan([Release("Visits", Laplace(9.0), 12, kind="count"), Release("Rides", Laplace(9.0), kind="count")])
    >>> in_brackets(plan, [0]), in_brackets(plan, [0, 1])
    (' (“Visits”)', '')
    """
    names = _told_apart(plan, rows)
    return f" ({names})" if names else ""


def _most_rows(plan: Plan, row: int) -> str:
    """How many rows of one unit a release holds for: as it states, by a typed sensitivity, or as was answered."""
    release, known = plan.releases[row], plan.sensitivities[row]
    more = known and known.more
    if not release.rows and more and not isinstance(release.mechanism, Thresholding):  # whose sensitivity is of a key
        return rows_held(plan, row)
    most = release.rows or (plan.answers and plan.answers.rows_per_unit)
    return "" if not most else ONE_ROW if most == 1 else f"{shown_count(most)} rows"


def rows_taken_once(plan: Plan) -> list[int]:
    """Return the releases (from 0) that take one unit to have one row, where nobody has stated how many it has.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> rows_taken_once(Plan([Release("A", Laplace(9.0, 1)), Release("Visits", Laplace(9.0), kind="count")]))
    [1]
    """
    if plan.answers and plan.answers.rows_per_unit:
        return []
    once = {row: ASSUMED if each.kind == "count" else DERIVED for row, each in enumerate(plan.releases)
            if each.kind in SEVERAL_ENTRIES and each.rows is None and each.uses}  # fmt: skip
    once = {row: each for row, each in once.items() if not counts_units(plan.releases[row], plan.unit or "")}
    found = [row for row, origin in once.items() if (known := plan.sensitivities[row]) and known.origin == origin]
    return sorted({*found, *(row for row in _models(plan) if plan.releases[row].rows is None)})


def _models(plan: Plan) -> list[int]:
    return [row for row, each in enumerate(plan.releases) if isinstance(each.mechanism, TrainedModel) and each.uses]


def over_its_time(unit: str) -> str:
    """Return a unit of privacy with the time that it is over, for who has not met such a word.

    Examples
    --------
    >>> over_its_time("person-year"), over_its_time("user and 2 weeks"), over_its_time("household")
    ('person over a year', 'user over 2 weeks', 'household')
    """
    return f"{whose(unit)} over {time}" if (time := its_time(unit)) else unit


def _time(found: tuple[int, str]) -> str:
    many, kind = found
    return f"{many} {kind}s" if many > 1 else f"an {kind}" if kind == "hour" else f"a {kind}"


def its_time(unit: str) -> str:
    """Return which time a promise to one unit is about, "" of one that is about all of it.

    Examples
    --------
    >>> its_time("person-year"), its_time("user and 2 weeks"), its_time("household")
    ('a year', '2 weeks', '')
    """
    found = periods(unit)
    return _time(found[0]) if len(found) == 1 else ""


def cut_first(plan: Plan) -> tuple[str, ...]:
    """Return, of the first release whose values are held within limits, what errors do not tell; () where none is.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> cut_first(Plan([Release("Fees", Laplace(10.0), kind="sum", lower=0, upper=60)]))
    ('Values of “Fees” below 0 or above 60 count as 0 or 60, which adds an error to that of the noise.',)
    """
    held = [row for row, each in enumerate(plan.releases) if each.lower is not None and each.uses]
    if not held:
        return ()
    first = plan.releases[held[0]]
    low, high = (f"{each:,.12g}" for each in (first.lower, first.upper))
    counted = f"below {low} or above {high} count as {low} or {high}"
    return (f"Values of “{first.name}” {counted}, which adds an error to that of the noise.",)


def changed_answers(plan: Plan) -> tuple[str, ...]:
    """Return what noise is where answers are changed one by one; () where none are.

    Examples
    --------
    >>> from dpviz import RandomizedResponse, Release
    >>> changed_answers(Plan([Release("Content", RandomizedResponse(1.0))]))
    ('Of the answers to “Content” chance changes some, on purpose.',)
    """
    asked = [row for row, each in enumerate(plan.releases)
             if each.uses and isinstance(each.mechanism, RandomizedResponse | KaryRandomizedResponse)]  # fmt: skip
    if not asked:
        return ()
    return (f"Of the answers to {named(plan, asked)} chance changes some, on purpose.",)


def taken_once(plan: Plan) -> list[str]:
    """Say of which releases it is assumed that they take one unit to have one row; where that is not stated of all.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> counted = Release("With a loan", Laplace(9.0), kind="count")
    >>> taken_once(Plan([counted], unit="household"))
    ['each release counts one household at most once']
    >>> taken_once(Plan([counted, Release("Model", TrainedModel(1000, 10, 1.0, epochs=3))], unit="household"))
    ['“With a loan” counts one household at most once', '“Model” is trained on one record of one household']
    """
    trained = [row for row in rows_taken_once(plan) if row in _models(plan)]
    rows, one = [row for row in rows_taken_once(plan) if row not in trained], whose(plan.unit_in_words)
    said = [f"{_each_of(plan, rows)} counts one {one} at most once"] if rows else []
    are = "are" if len(trained) > 1 else "is"
    return [*said, *([f"{named(plan, trained)} {are} trained on one record of one {one}"] if trained else [])]


def not_covered(plan: Plan, guesses: str | None = "", *, apart: bool = False) -> list[str]:
    """Say what the promise does not cover, with what is stated of it; without symbols.

    Parameters
    ----------
    plan : Plan
    guesses : str, optional
        How often guesses at the records of a unit known to be in the data are right; None, where that is told
        elsewhere, or is hardly more often than of guesses whether it is there.
    apart : bool, optional
        Whether `taken_once` and `not_answered` stand elsewhere.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> print(not_covered(Plan([Release("With a loan", Laplace(9.0), kind="count")], unit="household"))[1])
    These are hidden less well than told above: all records, taken together, of one household known to be in the data;
    more than one household together; one household with more than one record in one release, if that happens.
    >>> print(not_covered(Plan([]))[-1])
    Not answered yet: Are exact numbers published, too? How are the random numbers of the noise kept secret? How are the
    exact data kept secret?
    """
    said = plan.disclosure or Disclosure()
    one, rows = whose(plan.unit_in_words), answered_openly(plan)
    openly = f"Who answers {named(plan, rows)}: chance hides what one {one} answers, and not that they answer."
    there = f"Not hidden: whether one {one} is in the data at all."
    unseen = [POPULATION, *[there] * (plan.neighbours == "replace_one"), *[openly][: len(rows)]]
    asked = [] if apart else not_answered(plan)
    open_ones = [f"Not answered yet: {' '.join(asked)}"] if asked else []
    return [*unseen, _less_hidden(plan, guesses, apart), *_others(said), *open_ones]


def _less_hidden(plan: Plan, guesses: str | None, apart: bool) -> str:
    """What is hidden less well than that one unit is there: its records, if it is known to be, several units, rows."""
    one = whose(plan.unit_in_words)
    records = f"all records, taken together, of one {one} known to be in the data{f' ({guesses})' if guesses else ''}"
    found = [] if guesses is None or plan.neighbours == "replace_one" else [records]
    found.append(f"more than one {one} together{' (such as a family)' * (kinds(plan.unit_in_words) == ('person',))}")
    found += [] if lasting(plan.unit_in_words) is None else [f"one {one} over a longer time"]
    rows = rows_taken_once(plan)
    more = f"one {one} with more than one record in one release, if that happens{in_brackets(plan, rows)}"
    found += [more] if rows and not apart else []
    return f"These are hidden less well than told above: {'; '.join(found)}."


def _others(said: Disclosure) -> list[str]:
    """What somebody has stated of what no promise covers, in quotes, since it is nobody else's word."""
    stated = {about: getattr(said, name) for name, (about, _) in UNCOVERED.items()}
    return [f"{about}: stated is “{text}”{'' if text[-1] in '.!?' else '.'}" for about, text in stated.items() if text]


def conditions(plan: Plan, order: str) -> list[str]:
    """Return under which conditions the numbers hold, in clauses of one sentence, and which of them are assumed.

    Parameters
    ----------
    plan : Plan
    order : str
        How releases follow each other, such as "fixed in advance".

    Examples
    --------
    >>> print(*conditions(Plan([], disclosure=Disclosure(other_releases="A register.")), "fixed in advance"))
    no other release reads these data but what is stated, all releases are fixed in advance (assumed), and each number
    has the random noise that is planned here.
    """
    stated = plan.disclosure and plan.disclosure.other_releases
    held = [NO_OTHERS + (" but what is stated" if stated else " (assumed)")]
    held.append(f"all releases are {order}{' (assumed)' * (plan.adaptive is None)}")
    held += [f"{each} (assumed)" for each in taken_once(plan)]
    return [*(f"{each}," for each in held), "and each number has the random noise that is planned here."]


def not_answered(plan: Plan) -> list[str]:
    """Return what nobody has stated of what no promise covers, as questions to whoever publishes.

    Examples
    --------
    >>> not_answered(Plan([], disclosure=Disclosure(unprotected="None.", security="In a safe.")))
    ['How are the random numbers of the noise kept secret?']
    """
    said = plan.disclosure or Disclosure()
    return [asked for name, asked in QUESTIONS.items() if not getattr(said, name)]


def contributed(told: Mapping[str, Any]) -> str:
    """Return what stands for the contribution of one unit of which the disclosure says nothing.

    Examples
    --------
    >>> contributed({"plan": {"releases": [{"name": "Visits", "rows": 4}, {"name": "Mean", "rows": None}]}})
    'as stated with some releases; who bounds it: not stated'
    """
    stated = [bool(release.get("rows")) for release in told["plan"]["releases"]]
    if not any(stated):
        return NOT_STATED
    return f"as stated with {'the' if all(stated) else 'some'} releases; who bounds it: {NOT_STATED}"


def drawn(plan: Plan) -> list[str]:
    """Say how samples, and the batches of trainings, are taken to be drawn, with the source of what that costs.

    Examples
    --------
    >>> from dpviz import Gaussian, Release, Subsampled
    >>> print(drawn(Plan([Release("Mean", Subsampled(Gaussian(2.0), 0.01, "poisson"))]))[0])
    Samples of “Mean”: every record is in each of them with the same probability, on its own; nobody learns who is in.
    Balle, Barthe & Gaboardi (2018), Thm 8.
    """
    rows: dict[str, list[int]] = {}
    for row, each in enumerate(plan.releases):
        if each.uses and (said := _drawn(each.mechanism)):
            rows.setdefault(said, []).append(row)
    found = [said.format(named(plan, each)) for said, each in rows.items()]
    if models := _models(plan):
        once = plan.answers and plan.answers.rows_per_unit == 1
        once = once or all(plan.releases[row].rows == 1 for row in models)
        stated = "as is stated" if once else "of which nobody has said that it has no more"
        found.append(f"A model counts one record of each {plan.unit_in_words}, {stated}.")
    return found


def _drawn(mechanism: Mechanism) -> str:
    if isinstance(mechanism, TrainedModel):
        scheme = scheme_named(mechanism.scheme)
        return f"Batches of {{}}: {scheme.assumes}. {scheme.source}."
    return f"Samples of {{}}: {SAMPLES[mechanism.scheme]}." if mechanism.sampled else ""
