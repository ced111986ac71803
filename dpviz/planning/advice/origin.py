"""Findings about where data come from: rows of one unit, bounds that were read off the data, samples that are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from dpviz.decimals import typed
from dpviz.mechanisms import Mechanism, TrainedModel
from dpviz.mechanisms.forms import mechanism_from
from dpviz.mechanisms.left_open import follows, states_epsilon
from dpviz.plan import Answers, Plan, Release
from dpviz.plan.derived import OF_ROWS
from dpviz.plan.periods import lasting
from dpviz.plan.sensitivity import sensitivity
from dpviz.plan.units import kinds, singular
from dpviz.planning.advice.data import trained_afresh, unsampled
from dpviz.planning.advice.finding import FAULT, GUIDELINES, QUESTION, Finding, named, used
from dpviz.planning.advice.mend import Cost, Mend, changed, costs
from dpviz.rounding import next_above, next_below, shown_count

ROUGH = " (a training by group privacy, which is not tight)"
EXAMPLE_ROWS = 2  # of one unit, where nobody said how many
# What one person has several of.
_EVENT = (
    "visit|trip|journey|ride|flight|purchase|order|payment|transaction|sale|booking|reservation|donation|withdrawal|"
    "click|view|impression|session|login|log-in|check-in|message|email|call|text|post|comment|like|rating|review|edit|"
    "upload|download|stream|play|search|event|record|row|entry|observation|measurement|reading|"
    "admission|prescription|diagnosis|treatment|appointment|consultation|claim|stay|delivery|shipment|loan|"
    "interaction|activity|incident|offence|crime|arrest|ticket|fare|fee|rental|course|lesson"
)
# Of these a unit is none, as one of a lunch club or a repair shop is not.
_NO_UNIT = "|meal|lunch|dinner|breakfast|serving|repair|complaint|request"
_PLURALS = {"entry": "entries", "diagnosis": "diagnoses", "search": "searches", "delivery": "deliveries",
            "activity": "activities", "lunch": "lunches"}  # fmt: skip
_SEVERAL = (_PLURALS.get(each, f"{each}s") for each in (_EVENT + _NO_UNIT).split("|"))
_EVENTS = re.compile(rf"\b({'|'.join(_SEVERAL)})\b", re.IGNORECASE)
_OF_AN_EVENT = re.compile(rf"\b({_EVENT})s?\b", re.IGNORECASE)
# “Length of stay” and “minutes per call” are of as many events as there are.
_OF_EACH = re.compile(
    rf"\b(?:(?:length|duration|cost|price|value|amount|size|distance) of|per|each|every) (?:an? )?({_EVENT})\b",
    re.IGNORECASE,
)
# Whose units are people, and what may be one or something else, by its plural.
_PEOPLE = re.compile(r"\b(households|customers|clients|men|women|visitors|unique)\b", re.IGNORECASE)
_APART = re.compile(
    r"\b(by|with|without|who|that|whose|per|in|at|on|of|from|after|before|for|having)\b", re.IGNORECASE
)
_WORD = re.compile(r"\b[a-z]+\b", re.IGNORECASE)
_SURVEY = re.compile(r"\b(surveys?|polls?|panels?|samples?|respondents?|questionnaires?|interviews?)\b", re.IGNORECASE)
SMALL_SAMPLE = 100  # people, who know of each other
TRAINING = 50  # uses: beyond, a machine draws
_ROUND, _LONG, _LONG_FRACTION = 2, 5, 4  # significant digits of a round number, and of one that looks observed


def counted_rows(plan: Plan) -> tuple[int, ...]:
    """Return the rows that count what one unit has several of, with the sensitivity of one of them, or train on them.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> names = ("Purchases", "People with purchases", "Purchases, 3 of each", "Length of stay")
    >>> mechanisms = (Laplace(10), Laplace(10), Laplace(30, 3), Laplace(10))
    >>> counted_rows(Plan([Release(name, each) for name, each in zip(names, mechanisms, strict=True)]))
    (0, 3)
    """
    # A unit that is an event itself has one of them; one of a day may well have one event, though many records.
    if _OF_AN_EVENT.search(plan.unit_in_words):
        return ()
    of_one = {*_of_one_row(plan)} if (lasting(plan.unit_in_words) or 2) > 1 else set()
    return tuple(
        row for row in used(plan)
        if plan.releases[row].rows is None  # else its sensitivity is that of so many
        and (isinstance(plan.releases[row].mechanism, TrainedModel)
             or (row in of_one and _counts_events(plan.releases[row])))
    )  # fmt: skip


def counts_units(release: Release, unit: str) -> bool:
    """Say whether a count is one of units of privacy, by its name: of each of them it holds one.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> names = ("Households with waste", "Patients with a grant", "Visits of patients")
    >>> releases = [Release(name, Laplace(10), kind="count") for name in names]
    >>> [[counts_units(each, unit) for each in releases] for unit in ("household-year", "patient")]
    [[True, False, False], [False, True, False]]
    """
    found = _people(release.name)
    if release.kind != "count" or found is None or _counts_events(release):
        return False
    return kinds(unit) == (("group",) if found[0].casefold() == "households" else ("person",))


def _counts_events(release: Release) -> bool:
    text = release.answer_unit if release.answer_unit and release.kind in ("count", "histogram") else release.name
    events, people = _EVENTS.search(text) or _OF_EACH.search(text), _people(text)
    # “Members with loans” are members; “members' loans” are loans.
    return bool(events) and not (people and _APART.search(text, people.end(), events.end()))


def _people(text: str) -> re.Match[str] | None:
    """The first word for several people, such as members."""
    return next((each for each in _WORD.finditer(text) if _PEOPLE.fullmatch(each[0]) or _of_people(each[0])), None)


def _of_people(word: str) -> bool:
    return kinds(word) == ("person",) and singular(word) != word.casefold()


def _of_one_row(plan: Plan) -> list[int]:
    """The rows whose sensitivity is at most what one row of the data changes."""
    found, neighbours = [], plan.neighbours
    for row in used(plan):
        release = plan.releases[row]
        own, one = getattr(release.mechanism.base, "sensitivity", None), _proved(release, neighbours, plan.population)
        if own is not None and one is not None and own <= one:
            found.append(row)
    return found


def _proved(release: Release, relation: str, people: int | None) -> float | None:
    """How far one row of the data changes an answer; None where nothing is known."""
    if release.kind not in (None, "count", "sum", "mean", "histogram"):
        return None
    known = {"lower": release.lower, "upper": release.upper, "people": people}
    try:
        most = sensitivity(release.kind or "count", relation, **known)
    except ValueError:
        return None
    return most.l2 if release.mechanism.base.norm == "L2" else most.l1


def unbounded_contributions(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find counts and sums of what one unit has several of, with the sensitivity of one."""
    answered = answers.rows_per_unit
    if more := _more_than_stated(plan, answered):
        yield _more_records_than_people(plan, answers, more)
        return
    if answered == 1:
        return
    rows = counted_rows(plan)
    if answered and not rows:
        stated = [row for row, each in enumerate(plan.releases) if each.rows]
        rows = tuple(row for row in _of_one_row(plan) if plan.releases[row].kind != "mean" and row not in stated)
    if not rows:
        return
    copies = answered or EXAMPLE_ROWS
    grouped, mend = _counting(plan, answers, rows, copies)
    reads = "With" if answered else f"If {'it' if len(rows) == 1 else 'each'} reads"
    rough = any(isinstance(plan.releases[row].mechanism, TrainedModel) for row in rows)
    asked = f" Say how many rows of one {plan.unit_in_words} an answer may read; all others must be left out of it."
    yield Finding(
        "contributions",
        (
            f"{named(plan, rows)}: the sensitivity is that of one row, while one {plan.unit_in_words} "
            f"{'has' if answered else 'may have'} several. {reads} {shown_count(copies)} of them, ",
            Cost(grouped, costs) if grouped else "no total is proved",
            f"{ROUGH * bool(rough and grouped)}.{'' if answered else asked}",
        ),
        rows,
        GUIDELINES,
        FAULT if answered else QUESTION,
        mend,
    )


def _counting(plan: Plan, answers: Answers, rows: Iterable[int], copies: int) -> tuple[Plan | None, Mend | None]:
    """The plan with so many rows of one unit, None where nothing is proved of it, and the press for it."""
    settled = plan.answers and replace(plan.answers, rows_per_unit=None)  # it was about these rows
    grouped = _of_several(replace(plan, answers=settled), rows, copies)
    if grouped is None or _asked_first(plan, answers, rows):
        return grouped, None
    return grouped, Mend(f"Count {shown_count(copies)} rows of one {plan.unit_in_words}", grouped)


def _asked_first(plan: Plan, answers: Answers, rows: Iterable[int]) -> bool:
    """Whether something else is open of these rows that could not be asked of what several of their uses become."""
    drawn = trained_afresh(plan) if answers.batches is None else ()
    known = known_samples(plan) if answers.sample_secret is None else ()
    return bool({*rows} & {*drawn, *known})


def _more_than_stated(plan: Plan, answered: int | None) -> dict[int, int]:
    """How many records of one unit trainings read, at least, of which fewer are stated, with them or of the plan."""
    least = _least_records(plan)
    fewer = [row for row, each in least.items() if (told := plan.releases[row].rows or answered) and told < each]
    return {row: each for row, each in least.items() if row in fewer or (fewer and answered)}


def _least_records(plan: Plan) -> dict[int, int]:
    """How many records of one unit a training surely reads, of trainings on more records than there are people."""
    if plan.population is None or kinds(plan.unit or "") != ("person",) or lasting(plan.unit):
        return {}
    models = {row: plan.releases[row].mechanism for row in used(plan)}
    models = {row: each.records for row, each in models.items() if isinstance(each, TrainedModel)}
    return {row: -(-records // plan.population) for row, records in models.items() if records > plan.population}


def _more_records_than_people(plan: Plan, answers: Answers, least: dict[int, int]) -> Finding:
    """That one unit has several of the records of a training, of which fewer are stated."""
    rows, copies = tuple(least), max(least.values())
    grouped, mend = _counting(plan, answers, rows, copies)
    people = f"{shown_count(plan.population)} in the data"
    said = (
        f"{named(plan, rows)}: trained on more records than there are people, {people}, so that one "
        f"{plan.unit_in_words} has {shown_count(copies)} of them or more. With {shown_count(copies)} of them, ",
        Cost(grouped, costs) if grouped else "no total is proved",
        ".",
    )
    return Finding("contributions", said, rows, GUIDELINES, FAULT, mend)


def _of_several(plan: Plan, rows: Iterable[int], copies: int) -> Plan | None:
    """The plan with so many rows of one unit, with the noise that it has, and stated where they are asked for.

    None where nothing is bounded for several. What states an ε keeps its noise, not its ε.
    """
    following = [row for row in rows if states_rows(plan.releases[row]) and _follows(plan.releases[row].mechanism)]
    others = [row for row in rows if row not in following]
    found = changed(plan, others, lambda mechanism: mechanism.grouped(copies))
    if found is None:
        return None
    stated = [row for row in rows if states_rows(plan.releases[row])]
    told = {row: copies if row in stated else None for row in rows}  # of what is grouped nothing else is stated
    releases = [replace(each, rows=told[row]) if row in told else each for row, each in enumerate(found.releases)]
    found = replace(found, releases=releases)
    return None if found.faults.keys() - plan.faults.keys() else found


def states_rows(release: Release) -> bool:
    """Whether a release is asked how many rows of one unit it reads: without samples, and keys that are held back."""
    mechanism = release.mechanism
    return release.kind in OF_ROWS["rows"] and mechanism.base is mechanism and mechanism.norm is not None


def _follows(mechanism: Mechanism) -> bool:
    """Whether its sensitivity follows, and its noise stays as it is then."""
    return follows(mechanism) and not states_epsilon(mechanism)


def observed_bounds(plan: Plan) -> tuple[int, ...]:
    """Return the rows with a clipping bound that looks like a smallest or largest value of the data.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> bounds = [(0, 99873.41), (0, 99999.99), (-180, 65535), (1900, 2026), (0.25, 87.6)]
    >>> observed_bounds(Plan([Release("a", Laplace(1, 1), lower=low, upper=high) for low, high in bounds]))
    (0,)
    """
    releases = plan.releases
    rows = [row for row in used(plan) if releases[row].upper is not None]
    return tuple(row for row in rows if any(map(_observed, (releases[row].lower, releases[row].upper))))


def _observed(value: float) -> bool:
    """Whether a number has too many digits for a bound that somebody chose."""
    exact = Decimal(repr(abs(value)))
    digits = _digits(exact)
    if digits < (_LONG if value.is_integer() else _LONG_FRACTION):
        return False
    last = Decimal(1).scaleb(exact.normalize().as_tuple().exponent)
    near_round = any(_digits(each) <= _ROUND for each in (exact - last, exact + last))  # 999.99, 100001
    whole = int(value) if value.is_integer() else None
    binary = whole is not None and any((abs(whole) + more).bit_count() == 1 for more in (0, 1))  # 65535
    return not near_round and not binary


def _digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)


def clipping_from_data(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find clipping bounds that were read off the data, or look so."""
    if answers.bounds_fixed:
        return
    read = answers.bounds_fixed is False
    rows = tuple(row for row in used(plan) if plan.releases[row].upper is not None) if read else observed_bounds(plan)
    if not rows:
        return
    said = "were read off the data" if read else "look like a smallest or largest value of the data"
    effect, mend = ((), None) if read else _round_instead(plan, rows)
    yield Finding(
        "bounds",
        (
            f"{named(plan, rows)}: the clipping bounds {said}. Bounds that were read off the data tell the value of "
            f"one {plan.unit_in_words}, which no ε covers. Take them from what is known without the data.",
            *effect,
        ),
        rows,
        GUIDELINES,
        FAULT if read else QUESTION,
        mend,
    )


def _round_instead(plan: Plan, rows: tuple[int, ...]) -> tuple[tuple[str | Cost, ...], Mend | None]:
    """What round bounds make of the total, in words, and the press for them."""
    rounded = _rounded(plan, rows)
    if rounded is None:
        return (), None
    first = rounded.releases[rows[0]]
    bounds = f"{_plain(first.lower)} to {_plain(first.upper)}"
    words = f" With round ones, such as {bounds} for “{first.name}”, ", Cost(rounded, costs), "."
    return words, Mend("Take round bounds", rounded)


def _plain(value: float) -> str:
    return f"{value:,.15g}"


def _rounded(plan: Plan, rows: tuple[int, ...]) -> Plan | None:
    """The plan with round bounds that hold the former ones, and a sensitivity that holds for them; None without one."""
    releases, known = list(plan.releases), (plan.neighbours, plan.population)
    try:
        for row in rows:
            release = releases[row]
            wider = replace(release, lower=next_below(release.lower, _ROUND), upper=next_above(release.upper, _ROUND))
            mechanism = _for_bounds(release.mechanism, _proved(release, *known), _proved(wider, *known))
            releases[row] = replace(wider, mechanism=mechanism)
        return replace(plan, releases=tuple(releases))
    except ValueError:
        return None


def _for_bounds(mechanism: Mechanism, before: float | None, after: float | None) -> Mechanism:
    """The mechanism in the same form, with a sensitivity that grows as the proved one does."""
    own = getattr(mechanism.base, "sensitivity", None)
    if own is None or before is None or after is None or own >= after:
        return mechanism
    parameters = {**mechanism.parameters, "sensitivity": after if own >= before else after * (own / before)}
    return mechanism_from(mechanism.base.key, {name: value for name, value in parameters.items() if value is not None})


def known_samples(plan: Plan) -> tuple[int, ...]:
    """Return the rows that read a sample of which somebody may know who is in it.

    Batches that a machine draws anew many times are not among them: nobody is told.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian, Subsampled
    >>> sampled = Subsampled(Gaussian(1.0), 0.01, "poisson")
    >>> known_samples(Plan([Release("Training", sampled, 1000), Release("Household survey", sampled, 4)]))
    (1,)
    """
    return tuple(row for row in used(plan) if _may_be_known(plan, plan.releases[row]))


def _may_be_known(plan: Plan, release: Release) -> bool:
    mechanism = release.mechanism
    if not mechanism.sampled or not 0 < mechanism.rate < 1:
        return False
    small = plan.population is not None and typed(mechanism.rate) * plan.population < SMALL_SAMPLE
    once = release.uses == 1 or (small and release.uses <= TRAINING)
    return once or release.kind == "survey" or bool(_SURVEY.search(release.name))


def public_sample(plan: Plan, answers: Answers) -> Iterator[Finding]:
    """Find samples that help only as long as nobody knows who is in them."""
    if answers.sample_secret:
        return
    known = answers.sample_secret is False
    sampled = [row for row in used(plan) if 0 < plan.releases[row].mechanism.rate < 1]
    rows = tuple(row for row in sampled if plan.releases[row].mechanism.sampled) if known else known_samples(plan)
    if not rows:
        return
    without, mend = unsampled(plan, rows)
    asked = "Does anybody learn who is in it: who was asked, who sees the sample, or knows that somebody took part?"
    yield Finding(
        "public_sample",
        (
            f"{named(plan, rows)}: the total counts on a sample of which nobody knows who is in it"
            f"{', but it is known' if known else ''}. {'' if known else f'{asked} '}",
            without,
        ),
        rows,
        "amplification",
        FAULT if known else QUESTION,
        mend,
    )
