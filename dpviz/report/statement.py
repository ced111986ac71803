"""What a statement says, as sections: words that a legal team reads, and numbers that a researcher checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpviz.plain import in_plain_words
from dpviz.plan import Plan, Release
from dpviz.plan.disclosure import DISCLOSED, NOT_STATED
from dpviz.plan.units import counted as counted_of
from dpviz.planning.advice.finding import FAULT, SEVERITIES, quoted_names
from dpviz.planning.advice.origin import EXAMPLE_ROWS
from dpviz.planning.scenario import hindering, learns_least
from dpviz.report.certificate import certificate_sentence
from dpviz.report.charts import bars, steps
from dpviz.report.figures import (
    allowed_grown,
    bracket_told,
    epsilon,
    faulty,
    gaussian_told,
    grown_told,
    half_used,
    least_accurate,
    number,
    records_in_words,
    records_told,
    renyi_told,
    right_of,
    right_told,
    shown_typical,
    sureness_told,
    suspected,
)
from dpviz.report.said import (
    UNCOVERED,
    changed_answers,
    conditions,
    contributed,
    cut_first,
    not_answered,
    not_covered,
    over_its_time,
    stated_rows,
)
from dpviz.report.sections import Block, Drawing, Link, Section, Strong, Table, Words, listed, table
from dpviz.report.subject import Subject, opens_here_only
from dpviz.report.words import (
    asked_for_people,
    asked_in_words,
    day_in_words,
    given_in_words,
    noise_in_words,
    when_in_words,
)
from dpviz.rounding import (
    delta_in_words,
    probability_in_words,
    shown_between,
    shown_budget,
    shown_count,
    shown_delta,
    shown_down,
    shown_error,
    shown_near,
    shown_quantity,
    shown_relative,
    shown_right,
    shown_share,
    shown_total,
    shown_up,
    shown_used,
)

MOST_ROWS = 20  # releases printed; all of them are in the JSON
MOST_CHECKS = 8
OPEN = "Open questions before this is relied on:"
# What is stated of these stands in the promise, or under what is not covered.
ABOVE = ("trust", "contributions", "size_public", "side_channels", "unprotected", "other_releases", "security")
BESIDE_A = "A was kept to be compared with; B is this plan"
UNCOUNTED = "An answer about this plan is not counted yet, so that nothing can be said of what an attacker learns."
WORDS_OF = "In the words of who publishes"


def heading(told: dict[str, Any], people: bool = False) -> str:
    """Return what the statement is about, for its first line.

    Examples
    --------
    >>> heading({"promise": {"unit_in_words": "person-year"}})
    'What these releases cost one person-year'
    >>> heading({"promise": {"unit_in_words": "person-year"}}, people=True)
    'What these releases reveal about one person over a year'
    """
    unit = told["promise"]["unit_in_words"]
    return f"What these releases {'reveal about' if people else 'cost'} one {over_its_time(unit) if people else unit}"


def sections(told: dict[str, Any], subject: Subject) -> list[Section]:
    """Return the sections of a statement: of one page in words for people, else of two sheets.

    Parameters
    ----------
    told : dict
        As `dpviz.report.facts.facts` returns it.
    subject : Subject
    """
    plan = subject.plan
    parts = _in_words(told, plan) if subject.people else [
        _finding(told), _promise(told), _theorems(told), _spending(told), _errors(told, plan), _risk(told),
        _not_covered(plan, None if records_told(told) else ""), _stated(told), _checks(told), _published(told),
        _comparison(told), _assumptions(told), _releases(told, plan), _foot(told),
    ]  # fmt: skip
    return [Section("", _by(told)), *(part for part in parts if part.blocks)]


def _by(told: dict[str, Any]) -> tuple[Block, ...]:
    document = told["document"]
    by = [document["name"]]
    by += [f"by {document['author']}"] if document["author"] else []
    by += [day_in_words(document["date"])] if document["date"] else []
    return (Words(" · ".join(filter(None, by)), kind="by"),) if any(by) else ()


def _in_words(told: dict[str, Any], plan: Plan) -> list[Section]:
    """One page for who reads neither symbols nor theorems: what is used of the budget, how sure, how accurate."""
    faults = tuple(Words(*(in_plain_words(run) if type(run) is str else run for run in each.runs), kind=each.kind)
                   for each in _faults(told))  # fmt: skip
    learned = (right_told(told, people=True), grown_told(told))
    stated = [(each.label, text) for each in DISCLOSED if (text := told["disclosure"][each.name])
              and each.name not in UNCOVERED]  # fmt: skip
    over = () if faulty(told) else told["over_time"]
    return [
        Section("", (*_used(told), *faults, *_left_out(told, in_plain_words), *_asked(told))),
        Section("What an attacker could learn", tuple(map(Words, (UNCOUNTED,) if faulty(told) else learned))),
        _ranges(told, plan),
        _beside(told),
        Section("When this holds", (*_held(told, plan), *map(Words, (*stated_rows(plan), *over)))),
        _not_covered(plan, records_in_words(told), apart=True),
        Section("Not answered yet", (listed(asked),) if (asked := not_answered(plan)) else ()),
        Section("What else is stated", (table(WORDS_OF, ("What", "Text"), stated),) if stated else ()),
        _foot(told, people=True),
    ]


def _used(told: dict[str, Any]) -> tuple[Block, ...]:
    """How much of what is allowed these releases use, and in numbers what is lost of what, and among how many."""
    people = told["promise"]["population"]
    counted = NOT_STATED if people is None else shown_count(people)
    whom = counted_of(told["promise"]["unit"]).capitalize()
    made = f"{whom} in the data: {counted}. Releases in all: {shown_count(told['promise']['uses'])}."
    if faulty(told):  # nothing is promised of another plan
        return Words(*_verdict(told), kind="finding"), Words(f"{_lost(told)} {made}")
    lost = Words(f"{_lost(told)}{_rarely(told)} {made}")
    return Words(*_verdict(told), kind="finding"), lost, *_dearest(told)


def _dearest(told: dict[str, Any]) -> tuple[Block, ...]:
    """Which release saves most of the budget, left out; () where that cannot be said, or there is one alone."""
    found = [each for each in told["savings"] if each["share"] is not None]
    if len(found) < 2 or (most := max(found, key=lambda each: each["share"]))["share"] < 1:
        return ()
    limit, rest = told["budget"]["epsilon"], most["without"]
    saved = f"{shown_share(most['share'])} of what these releases cost"
    if limit:
        saved = f"then at most {shown_used(rest, limit)} of what is allowed is used"
    frees = "free the most budget" if limit is not None else "take the most off what is lost"
    return (Words(f"Leaving out “{most['release']}” would {frees}: {saved}."),)


def _rarely(told: dict[str, Any]) -> str:
    """How often the promise may fail; "" where nothing is promised."""
    delta = told["budget"]["delta"]
    if told["total"]["epsilon"] is None:
        return ""
    chance = in_plain_words(probability_in_words(delta)) if delta else "none"
    return f" Chance that the promise fails (delta): {chance}."


def _verdict(told: dict[str, Any]) -> tuple[str, ...]:
    budget, spent = told["budget"], (told["one_unit"] or told["total"])["epsilon"]
    unit = over_its_time(_unit(told))
    if spent is None and _admitting(told):
        kept = f" what is allowed for one {unit}, where a filter, fixed before the first, counts what is used."
        return "These releases stay ", Strong("within"), kept
    if spent is None:
        return Strong("Nothing bounds"), f" what these releases reveal about one {unit}."
    if budget["epsilon"] is None:
        return (f"No limit is set for what these releases may reveal about one {unit}.",)
    if budget["within"] is None and told["left_out"] and not faulty(told):
        used = f"at most {shown_used(spent, budget['epsilon'])}" if budget["epsilon"] else "nothing"
        return Strong("The plan is not complete:"), f" what is counted of it uses {used} of what is allowed."
    if budget["within"] is None:
        return ("Whether that is within what is allowed cannot be said.",)
    verdict = Strong("Within the privacy budget:" if budget["within"] else "More than the privacy budget:")
    if not budget["epsilon"]:
        return verdict, f" nothing is allowed for one {unit}."
    percent = Strong(shown_used(spent, budget["epsilon"]))
    used = "at most " if budget["within"] else ""
    hangs = " An open question below may change that." if budget["within"] and _may_exceed(told) else ""
    return verdict, f" these releases use {used}", percent, f" of what is allowed for one {unit}.{hangs}"


def _may_exceed(told: dict[str, Any]) -> bool:
    """Whether an open question is settled by what exceeds the budget."""
    settled = [each["settled_epsilon"] for each in told["open_questions"] if each["settled_by"]]
    return any(epsilon is None or epsilon > told["budget"]["epsilon"] for epsilon in settled)


def _unit(told: dict[str, Any]) -> str:
    return told["promise"]["unit_in_words"]


def _lost(told: dict[str, Any]) -> str:
    """The budget, of which is said what is used, and else the total; that of all dates where it is another."""
    limit, whole, one = told["budget"]["epsilon"], told["total"]["epsilon"], told["one_unit"]
    spent = whole if one is None else one["epsilon"]
    most = math.inf if limit is None else limit
    loss = "no bound" if spent is None else f"at most {in_plain_words(shown_total(spent, most))}"
    budget = in_plain_words(shown_budget(most, math.inf if spent is None else spent))
    allowed = f"; allowed: {budget}" if limit is not None else "; no budget is set"
    entered = " as entered" if faulty(told) else ""
    whom = over_its_time(_unit(told))
    said = f"Privacy loss (epsilon) of one {whom}{entered}: {loss}{allowed}."
    if limit and spent is not None and not faulty(told):  # a second rounded number would differ from that
        promised, most = ", and promised," * bool(told["budget"]["within"]), allowed_grown(told)
        grown = f", which lets a suspicion of 50 % {suspected(told)} grow to at most {most}" * bool(most)
        said = f"What is allowed{promised} is a privacy loss (epsilon) of at most {budget}{grown}."
    if one is None:
        return said
    total = "no bound" if whole is None else f"at most {in_plain_words(shown_total(whole))}"
    return f"{said} All dates together: {total} for one {one['whose']}."


def _asked(told: dict[str, Any]) -> tuple[Block, ...]:
    """What is to be answered before anybody relies on the numbers, in plain words."""
    found = told["open_questions"]
    if not found:
        return ()
    items = [Words(Strong(_about(each)), f" {each['sentence']}{_settled(each, told)}") for each in found]
    return Words(Strong(OPEN)), listed(items)


def _about(question: dict[str, Any]) -> str:
    """What is asked, and of which releases."""
    names = quoted_names(question["releases"])
    return f"{in_plain_words(question['question'])}{f' ({names})' if names else ''}"


def _settled(question: dict[str, Any], told: dict[str, Any]) -> str:
    """What settles it, and what that makes of the budget; "" where no change is known."""
    if not question["settled_by"] or faulty(told):  # what follows from another plan says nothing
        return ""
    epsilon, limit = question["settled_epsilon"], told["budget"]["epsilon"]
    if epsilon is None:
        after = "then nothing bounds what is lost"
    elif limit is None:
        after = f"then at most {shown_up(epsilon)} is lost"
    elif not limit:
        after = f"then at most {shown_up(epsilon)} is lost, where nothing is allowed"
    else:
        too_much = ", which is too much" * (epsilon > limit)
        after = f"then at most {shown_used(epsilon, limit)} of what is allowed is used{too_much}"
    if question["check"] == "contributions":  # one answer of many
        return f" If {shown_count(EXAMPLE_ROWS)} times, {after}."
    return f" What would settle it: {in_plain_words(question['settled_by'])}; {after}."


def _held(told: dict[str, Any], plan: Plan) -> tuple[Block, ...]:
    """What must be so, that the numbers hold."""
    order = told["promise"]["order_in_words"].removesuffix(" (not stated)")
    return Words("These numbers hold if"), listed(conditions(plan, order))


def _ranges(told: dict[str, Any], plan: Plan) -> Section:
    """How far each number lies from the exact one."""
    pairs = list(zip(told["errors"], plan.releases, strict=False))[:MOST_ROWS]
    rows = [
        (row["release"], asked_for_people(release, _unit(told)), when_in_words(release), shown_count(row["uses"]),
         row["reason"] if row["half_width"] is None
         else _off_by(row["half_width"], release))
        for row, release in pairs
    ]  # fmt: skip
    heads = ("Release", "What it is", "When", "Times in all", "Off by at most, 19 times of 20")
    caption = "One number of each release, and how far chance may move it" + _left(told["errors"])
    worst = (Words(least_accurate(told["errors"], plan)),) if any(row["relative"] for row in told["errors"]) else ()
    beside = map(Words, (*changed_answers(plan), *cut_first(plan)))
    shown = (*worst, table(caption, heads, rows, (3,)), *beside, *_means(told))
    return Section("How accurate each number is", shown if rows else ())


def _means(told: dict[str, Any]) -> tuple[Words, ...]:
    """How far a mean lies off that a sum and a count tell together."""
    return tuple(Words(each["sentence"]) for each in told["quotients"][:MOST_ROWS])


def _off_by(width: float, release: Release) -> str:
    """How far a number may lie off, and of about how much, where that is stated."""
    each = " each" if release.kind == "histogram" else ""
    usual = "" if release.typical is None else f" of about {shown_typical(release)}"
    return f"{shown_error(width)}{usual}{each} {release.answer_unit or ''}".strip()


def _finding(told: dict[str, Any]) -> Section:
    total, budget, promise = told["total"], told["budget"], told["promise"]
    uses = f"{shown_count(promise['uses'])} use{'s' * (promise['uses'] != 1)} of mechanisms"
    by = f" by {total['label']} ({total['kind']})" if total["theorem"] else f": {total['reason']}"
    said = Words(
        f"{uses}, {promise['order_in_words']}: ", Strong(epsilon(total, budget["epsilon"])), " at ",
        Strong(f"δ = {shown_delta(budget['delta'])}"), by, *_one_unit(told), ". ", *_within(told), kind="finding",
    )  # fmt: skip
    return Section("", (said, *_faults(told), *_left_out(told), *_open(told)))


def _faults(told: dict[str, Any]) -> tuple[Words, ...]:
    """What makes the total another one than the plan costs, before anybody reads on."""
    found = [each["sentence"] for each in told["checks"] if each["severity"] == FAULT]
    return tuple(Words(Strong("Not what this plan costs:"), f" {each}", kind="finding") for each in found[:MOST_CHECKS])


def _left_out(told: dict[str, Any], worded: Callable[[str], str] = str) -> tuple[Words, ...]:
    """What stood in the table and is not counted."""
    named = worded("; ".join(told["left_out"]))
    return (Words(Strong("Not counted:"), f" {named}.", kind="finding"),) if named else ()


def _open(told: dict[str, Any]) -> tuple[Words, ...]:
    """Which checks ask something; what they ask stands under them."""
    asked = " ".join(each["question"] for each in told["open_questions"])
    return (Words(Strong(OPEN), f" {asked} More stands under “Checks”."),) if asked else ()


def _one_unit(told: dict[str, Any]) -> tuple[str, ...]:
    """What one unit loses, where the total is that of somebody in the data beyond the period that it names."""
    one = told["one_unit"]
    if one is None:
        return ()
    unit = told["promise"]["unit_in_words"]
    touched = f"one {unit}, by the releases of one {one['window']} and what comes less often: "
    return f", for all dates together; {touched}", Strong(epsilon(one))


def _within(told: dict[str, Any]) -> tuple[str, ...]:
    budget = told["budget"]
    if budget["epsilon"] is None:
        return ("No limit is set.",)
    limit = f"the budget of ε = {shown_down(budget['epsilon'])}"
    if budget["within"] is None:
        missing = "The plan is not complete. " * bool(told["left_out"])
        return (f"{missing}Whether that is within {limit} cannot be said.",)
    verdict = "Within" if budget["within"] else Strong("More than")
    if one := told["one_unit"]:
        unit = told["promise"]["unit_in_words"]
        return verdict, f" {limit} per {unit}; no budget is stated for one {one['whose']} over all dates."
    filters = _admitting(told)
    if filters and told["total"]["epsilon"] is None:
        kept = f" {limit}, where a filter with it, fixed before the first release, keeps count: {filters} admits all."
        return Strong("Within"), kept
    more = ""
    if filters and not budget["within"]:
        more = f" A filter with this budget, fixed before the first release, admits all: {filters}."
    return verdict, f" {limit}.{more}"


def _admitting(told: dict[str, Any]) -> str:
    """The filters that admit all releases; "" where none does."""
    return " or ".join(row["label"] for row in told["filters"] if row["whole"])


def _promise(told: dict[str, Any]) -> Section:
    promise, said = told["promise"], told["disclosure"]
    stated = "stated" if promise["relation_stated"] else "not stated: the one in force"
    people = NOT_STATED if promise["population"] is None else shown_count(promise["population"])
    whole = ", all dates together" if told["one_unit"] else ""
    whom = counted_of(promise["unit"]).capitalize()
    rows = [
        ("Unit of privacy", promise["unit"] or NOT_STATED),
        ("Neighbouring data", f"{promise['relation_in_words']} ({stated})"),
        ("For how long", " ".join(told["over_time"])),
        ("Who sees the data without noise", said["trust"] or NOT_STATED),
        ("Contribution of one unit, and who bounds it", said["contributions"] or contributed(told)),
        (f"{whom} in the data", f"{people}; whether their number is public: {said['size_public'] or NOT_STATED}"),
        ("Releases", promise["order_in_words"]),
        (f"Proved from both sides{whole}", bracket_told(told)),
        ("Pure total, δ = 0", "no finite ε without δ" if told["pure"]["epsilon"] is None else epsilon(told["pure"])),
        (f"Zero-concentrated DP, Rényi divergences{whole}", renyi_told(told["parameters"])),
        (f"One Gaussian number for the whole curve{whole}", gaussian_told(told["parameters"])),
    ]
    return Section("The promise", (table("Whom it is about, and what is meant", ("What", "Value"), rows),))


def _theorems(told: dict[str, Any]) -> Section:
    applying = sorted((row for row in told["theorems"] if row["applies"]), key=lambda row: row["epsilon"])
    refused = [f"{row['label']}: {row['reason']}" for row in told["theorems"] if not row["applies"]]
    limit = _held_against_all(told)
    most = told["budget"]["epsilon"] or math.inf
    rows = [(row["label"], row["epsilon"], shown_total(row["epsilon"], most)) for row in applying]
    alt = "Total ε by theorem: " + ", ".join(f"{label} {shown}" for label, _, shown in rows)
    sources = table(
        "The totals, the smallest first",
        ("Theorem", "ε", "δ spent", "What it is", "Source"),
        ((row["label"], shown, shown_delta(row["delta"]), row["kind"], row["source"])
         for row, (_, _, shown) in zip(applying, rows, strict=True)),
        (1, 2),
    )  # fmt: skip
    drawn = Drawing(bars(rows, limit, alt, "budget" if limit is not None else ""))
    certified = (Words(certificate_sentence(told["certified"])),) if "certified" in told else ()
    refusals = (Words("Does not apply:"), listed(refused)) if refused else ()
    return Section("Under each theorem", (drawn, sources, *certified, *refusals))


def _held_against_all(told: dict[str, Any]) -> float | None:
    """The limit that all dates together are held against: none where it is promised per unit of a shorter period."""
    return None if told["one_unit"] else told["budget"]["epsilon"]


def _spending(told: dict[str, Any]) -> Section:
    if told["exhausted"] is None:
        return Section("", ())
    rows, limit = told["exhausted"]["spent"], _held_against_all(told)
    last, day = rows[-1], told["exhausted"]["date"]
    end = "no bound" if last["epsilon"] is None else f"ε = {shown_up(last['epsilon'])}"
    alt = f"Spent from {_day(rows[0]['date'])} to {_day(last['date'])}: {end} at the end"
    drawn = steps([(row["date"], row["epsilon"]) for row in rows], limit, alt)
    when = _exceeded(rows, day) if day else "The budget is not exceeded on any date of the plan."
    said = (Words(when if limit is not None else alt), *map(Words, half_used(told))) if not faulty(told) else ()
    shown = (Drawing(drawn, f"{alt}." if limit is not None else ""),) if drawn else ()
    return Section("When it is spent", (*shown, *said))


def _exceeded(rows: list[dict[str, Any]], day: str) -> str:
    """On which day the budget is exceeded, or from which on nothing is proved."""
    epsilon = [row["epsilon"] for row in rows if row["date"] <= day][-1]
    return f"From {_day(day)} on no total is proved." if epsilon is None else f"The budget is exceeded on {_day(day)}."


def _day(day: str | None) -> str:
    return day_in_words(day) if day else ""


def _errors(told: dict[str, Any], plan: Plan) -> Section:
    rows = told["errors"]
    if not rows:
        return Section("", ())
    shown = [_error_cells(row, release) for row, release in zip(rows[:MOST_ROWS], plan.releases, strict=False)]
    heads = ("Release", "Noise", "Uses", "Expected error", "95 % within", "Typical", "of typical", "Note")
    caption = "Error of one use, by its noise alone" + _left(rows)
    worst = Words(least_accurate(rows, plan))
    numbers = table(caption, heads, shown, (2, 3, 4, 5, 6))
    return Section("How accurate each number is", (worst, numbers, *_means(told)))


def _error_cells(row: dict[str, Any], release: Release) -> tuple[str, ...]:
    unit = f"in {release.answer_unit}" if release.answer_unit and not row["reason"] else ""
    noisy = "noise exceeds the typical value" if row["noisy"] else ""
    return (
        row["release"],
        noise_in_words(release),
        shown_count(row["uses"]),
        number(row["expected_absolute"]),
        "–" if row["half_width"] is None else f"±{shown_error(row['half_width'])}",
        shown_typical(release),
        "–" if row["relative"] is None else shown_relative(row["half_width"], release.typical),
        row["reason"] or "; ".join(filter(None, (unit, noisy))),
    )


def _left(rows: list[Any]) -> str:
    return f"; {len(rows) - MOST_ROWS} more releases are in the JSON" if len(rows) > MOST_ROWS else ""


def _change(a: str, b: str, difference: float | None) -> str:
    """What B has more, or less, than A."""
    change = "–" if difference is None else shown_between(a, b, difference)
    return "no change" if change == "0" else change


def _risk(told: dict[str, Any]) -> Section:
    risk = told["risk"]
    if faulty(told):
        return Section("What an attacker could learn", (Words(UNCOUNTED),))
    advantage = shown_up(risk["advantage"], 3)
    greatest = f"Greatest advantage (true minus false accusations, as rates): {advantage}, {risk['basis']}."
    return Section(
        "What an attacker could learn",
        (Words(f"{right_told(told)}{records_told(told)}"), *_learns_most(told), Words(sureness_told(told)),
         Words(greatest)),
    )


def _learns_most(told: dict[str, Any]) -> tuple[Words, ...]:
    """Which release helps most against an attacker if it is left out, and how much; () where none stands out."""
    risk = told["risk"]
    without, now = [right_of(each["advantage"]) for each in risk["without"]], right_of(risk["advantage"])
    found = hindering(now, dict(enumerate(without)))
    if found is None:
        return ()
    named = [f"“{each['release']}”" for each in risk["without"]]
    right, then = (shown_right(without[each]) for each in (found, 0))
    return (Words(learns_least(named[found], right, shown_right(now), named[0] if found else "", then)),)


def _not_covered(plan: Plan, guesses: str | None, *, apart: bool = False) -> Section:
    return Section("What is not covered", (listed(not_covered(plan, guesses, apart=apart)),))


def _stated(told: dict[str, Any]) -> Section:
    """What is stated in their own words, but for what stands above; what is not, is named."""
    stated = [(each.label, text) for each in DISCLOSED if (text := told["disclosure"][each.name])
              and each.name not in ABOVE]  # fmt: skip
    open_ones = [each.label for each in DISCLOSED if told["disclosure"][each.name] is None]
    texts: tuple[Table, ...] = (table(WORDS_OF, ("What", "Text"), stated),) if stated else ()
    rest = (Words("Not stated: ", "; ".join(open_ones), "."),) if open_ones else ()
    return Section("What is stated beside the numbers", (*texts, *rest))


def _checks(told: dict[str, Any]) -> Section:
    found = sorted(told["checks"], key=lambda each: SEVERITIES.index(each["severity"]))  # the gravest are printed
    if not found:
        return Section("Checks", (Words("The checks for known mistakes found nothing."),))
    shown = [
        Words(Strong(each["label"]), f" ({each['severity']}): {each['sentence']}") for each in found[:MOST_CHECKS]
    ]
    more = [Words(f"and {len(found) - MOST_CHECKS} more in the JSON")] if len(found) > MOST_CHECKS else []
    return Section("Checks", (listed([*shown, *more]),))


def _published(told: dict[str, Any]) -> Section:
    rows = [
        (row["name"], row["curator"], row["published"], row["variant"],
         "–" if row["epsilon"] is None else shown_up(row["epsilon"]), row["epsilon_basis"],
         "–" if row["delta"] is None else shown_delta(row["delta"]), row["review_status"])
        for row in told["published"][:MOST_ROWS]
    ]  # fmt: skip
    heads = ("Deployment", "Curator", "Since", "Variant", "ε", "How", "δ", "Review")
    caption = "As reported to the OpenDP deployments registry; to be compared at equal δ and for equal units only"
    shown = (table(caption, heads, rows, (4, 6)),) if rows else ()
    return Section("Published for the same unit of privacy", shown)


def _comparison(told: dict[str, Any]) -> Section:
    if told["comparison"] is None or faulty(told):  # of which B is not what it costs
        return Section("", ())
    found = told["comparison"]["total"]
    [limits] = [row for row in found if row["quantity"] == "budget"]
    sides = [[_compared(row, name, limits[name]) for name in ("a", "b")] for row in found]
    rows = [
        (row["label"], *both, _change(*both, row["difference"]), row["reason"] or row["b_note"])
        for row, both in zip(found, sides, strict=True)
    ]
    shown = table(BESIDE_A, ("What", "A", "B", "B − A", "Note"), rows, (1, 2, 3))
    return Section("Compared with plan A", (shown, *_less_often(told["comparison"])))


def _less_often(compared: dict[str, Any]) -> tuple[Words, ...]:
    """What a longer time between two releases asks; () where nothing."""
    counted = (Words(" ".join(compared["recounted"][:MOST_CHECKS])),) if compared["recounted"] else ()
    return (*counted, Words(compared["less_often"])) if compared["less_often"] else counted


# What differs of each release, how it is called, and how it is shown; of uses, where they differ.
_BESIDE: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("half_width", "off by at most", shown_error),
    ("true_answers", "answers that stay as given, of 100", lambda answers: shown_near(answers, 3)),
    ("points_off", "share of its answers, off by about so many points", lambda points: shown_up(points, 3)),
    ("noise_multiplier", "noise of its training", shown_up),
    ("uses", "how many times", lambda uses: shown_count(int(uses))),
)


def _beside(told: dict[str, Any]) -> Section:
    """What differs from plan A for who reads no theorems: the loss, right guesses, and how far each number lies off."""
    if told["comparison"] is None or faulty(told):
        return Section("", ())
    of_plan = {row["quantity"]: row for row in told["comparison"]["total"]}
    loss, limits, guesses = of_plan["epsilon"], of_plan["budget"], of_plan["advantage"]
    dates = "" if told["one_unit"] is None else " of all dates together"
    held = [of_plan["delta"][name] for name in ("a", "b")]
    rows = [
        (f"Privacy loss (epsilon){dates}, at most",
         *("no bound" if loss[name] is None else _compared(loss, name, limits[name]) for name in ("a", "b"))),
        ("Allowed", *(_allowed(loss, limits, name) for name in ("a", "b"))),
        *([("It holds", *map(delta_in_words, held))] if len(set(held)) > 1 else []),
        (f"Right guesses of an attacker{dates}, of 100 at most",
         *(shown_right(right_of(guesses[name])) for name in ("a", "b"))),
    ]  # fmt: skip
    releases = told["comparison"]["releases"]
    shares = {_pair(row): row for row in releases if row["quantity"] == "relative"}
    for quantity, label, shown in _BESIDE:
        rows += [
            (f"{row['release']}: {label}", *(_one_side(row, name, shown, shares) for name in ("a", "b")))
            for row in releases
            if row["quantity"] == quantity and (quantity != "uses" or row["a"] != row["b"])
        ][:MOST_ROWS]
    apart = (Words(f"{loss['reason']}: not to be subtracted."),) if loss["reason"] else ()
    shown = table(BESIDE_A, ("What", "A", "B"), rows, (1, 2))
    return Section("Compared with plan A", (shown, *apart, *_less_often(told["comparison"])))


def _pair(row: dict[str, Any]) -> tuple[object, object]:
    return row["row_a"], row["row_b"]


def _one_side(row: dict[str, Any], name: str, shown: Callable[[float], str], shares: dict[object, Any]) -> str:
    """What differs, in one of two plans; of an error also how large a part of the typical value it is, where known."""
    if row[name] is None:
        return "–"
    share = shares.get(_pair(row), {}).get(name) if row["quantity"] == "half_width" else None
    return f"{shown(row[name])} ({shown_relative(row[name], row[name] / share)})" if share else shown(row[name])


def _allowed(loss: dict[str, Any], limits: dict[str, Any], name: str) -> str:
    """The budget of one of two plans, and whether it is exceeded."""
    if limits[name] is None:
        return "no limit"
    over = loss[name] is None or loss[name] > limits[name]
    return f"{_compared(limits, name, None)}{', which is exceeded' * over}"


def _compared(row: dict[str, Any], name: str, limit: float | None) -> str:
    value = row[name]
    return "–" if value is None else shown_quantity(row["quantity"], value, math.inf if limit is None else limit)


def _assumptions(told: dict[str, Any]) -> Section:
    return Section("What this rests on", (listed(told["assumptions"]),))


def _releases(told: dict[str, Any], plan: Plan) -> Section:
    heads = ("Release", "What it is", "Noise", "Times in all", "When", "Given")
    shown = [
        (each.name, asked_in_words(each), noise_in_words(each), shown_count(each.uses), when_in_words(each),
         given_in_words(each))
        for each in plan.releases[:MOST_ROWS]
    ]  # fmt: skip
    if not any(row[1] for row in shown):  # what nobody has told takes no column
        heads, shown = (heads[0], *heads[2:]), [(row[0], *row[2:]) for row in shown]
    caption = "As entered" + _left(told["plan"]["releases"])
    return Section("The plan", (table(caption, heads, shown, (heads.index("Times in all"),)),))


def _foot(told: dict[str, Any], *, people: bool = False) -> Section:
    address = told["address"]
    link = Link(address) if address.startswith(("http://", "https://")) else address
    near = ", on the machine that made this report only: no other can reach it" if opens_here_only(address) else ""
    told_to = address and not (people and near)  # who reads no theorems sits at another machine
    where = ("Open this plan: ", link, f"{near}. ") if told_to else ()
    file = f"SHA-256 of the plan as a JSON file: {told['digest']}. " if not people else ""
    made = f"Made with dpviz {told['dpviz']}. Costs and errors are rounded up."
    return Section("", (Words(*where, file, made, kind="foot"),))
