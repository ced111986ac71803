"""Numbers of a statement as they are shown: costs rounded up, what is surely lost rounded down."""

from __future__ import annotations

import math
from typing import Any

from dpviz.adversary.odds import guessed
from dpviz.adversary.risk import RARE, RARELY
from dpviz.plain import in_plain_words
from dpviz.plan import Plan, Release
from dpviz.plan.units import whose
from dpviz.planning.advice.finding import FAULT
from dpviz.report.said import its_time, over_its_time
from dpviz.report.words import day_in_words, typed_number
from dpviz.rounding import (
    probability_in_words,
    shown_budget,
    shown_count,
    shown_delta,
    shown_down,
    shown_error,
    shown_relative,
    shown_right,
    shown_sureness,
    shown_total,
    shown_up,
)

FAR = 0.99  # ends of a bracket that are further apart than that are not two sides of one number
APART = 0.05  # two suspicions that lie nearer to each other are taken for one number


def epsilon(total: dict[str, Any], limit: float | None = None) -> str:
    """Return a total as a bound.

    Examples
    --------
    >>> epsilon({"epsilon": 1.5}), epsilon({"epsilon": None})
    ('ε ≤ 1.5', 'no bound')
    """
    if total["epsilon"] is None:
        return "no bound"
    return f"ε ≤ {shown_total(total['epsilon'], math.inf if limit is None else limit)}"


def number(value: float | None) -> str:
    """Return a number rounded up, with separators between thousands; a dash where there is none.

    Examples
    --------
    >>> number(1234.5), number(None)
    ('1,235', '–')
    """
    if value is None:
        return "–"
    whole, point, rest = shown_up(value).partition(".")
    return f"{int(whole):,}{point}{rest}" if whole.isascii() and whole.isdigit() else shown_up(value)


def bracket_told(told: dict[str, Any]) -> str:
    """Return between which ends the smallest true ε lies.

    Examples
    --------
    >>> print(bracket_told({"bracket": {"lower": 0.5, "upper": 0.5000001, "reason": ""}, "budget": {"delta": 1e-6}}))
    at δ = 10⁻⁶ the smallest ε that is true lies between 0.5 and 0.500001
    """
    found = told["bracket"]
    if found["lower"] is None:
        return f"there is no lower end: {found['reason']}"
    delta = shown_delta(told["budget"]["delta"])
    lower, upper = shown_down(found["lower"], 6), shown_up(found["upper"], 6)
    if found["lower"] == found["upper"]:
        return f"at δ = {delta} the smallest ε that is true is {upper}"
    surely = " (surely lost)" if found["lower"] < FAR * found["upper"] else ""
    return f"at δ = {delta} the smallest ε that is true lies between {lower}{surely} and {upper}"


def renyi_told(found: dict[str, Any]) -> str:
    """Return ρ and the Rényi divergences.

    Examples
    --------
    >>> renyi_told({"rho": 0.5, "renyi": {"2": 1.0, "4": None}, "reason": ""})
    'ρ ≤ 0.5; Rényi divergence at order 2: 1'
    """
    if found["reason"]:
        return f"none: {found['reason']}"
    rho = "no finite ρ" if found["rho"] is None else f"ρ ≤ {shown_up(found['rho'])}"
    curve = [f"{order}: {shown_up(value)}" for order, value in (found["renyi"] or {}).items() if value is not None]
    return f"{rho}; Rényi divergence at order {', '.join(curve)}" if curve else f"{rho}, and no Rényi divergence"


def gaussian_told(found: dict[str, Any]) -> str:
    """Return μ and regret, with what they are.

    Examples
    --------
    >>> gaussian_told({"mu": 1.0, "regret": 0.0, "rarest": 0.0, "reason": ""})[:85]
    'μ ≤ 1, regret 0: no attack does better than the best one at telling N(0, 1) from N(1,'
    """
    if found["reason"]:
        return f"none: {found['reason']}"
    if found["mu"] is None:
        return "no finite μ: an attack may always succeed"
    mu, regret = shown_up(found["mu"]), shown_up(found["regret"], 2)
    rarest = f", at error rates of {shown_delta(found['rarest'])} and more" if found["rarest"] else ""
    fits = "a full description" if found["regret"] < 0.01 else "a rough description, on the safe side"
    return (
        f"μ ≤ {mu}, regret {regret}: no attack does better than the best one at telling N(0, 1) from N({mu}, 1)"
        f"{rarest}, and some attack comes within {regret} of both error rates of that one: {fits}"
    )


def shown_typical(release: Release) -> str:
    """Return the typical value of a release; a dash where none is stated.

    Examples
    --------
    >>> from dpviz import Laplace
    >>> shown_typical(Release("a", Laplace(1, 1), typical=1500))
    '1,500'
    """
    return "–" if release.typical is None else typed_number(release.typical)


def least_accurate(rows: list[dict[str, Any]], plan: Plan) -> str:
    """Return which number is least accurate beside its size, and how accurate it is.

    Examples
    --------
    >>> least_accurate([], Plan([]))
    'No typical value is stated, so no error can be held against the size of its number.'
    """
    noisy = [(row["half_width"], row, each) for row, each in zip(rows, plan.releases, strict=True) if row["half_width"]]
    sized = [(row["relative"], row, each) for row, each in zip(rows, plan.releases, strict=True) if row["relative"]]
    if not sized:
        said = "No typical value is stated, so no error can be held against the size of its number."
        if len({each.answer_unit for *_, each in noisy}) != 1:
            return said
        width, _, widest = max(noisy, key=lambda each: each[0])
        unit = f" {widest.answer_unit}" if widest.answer_unit else ""
        return f"{said} The noisiest is “{widest.name}”: 19 times of 20 within ±{shown_error(width)}{unit}."
    _, row, release = max(sized, key=lambda each: each[0])
    unit = f" {release.answer_unit}" if release.answer_unit else ""
    moved = f"{shown_error(row['half_width'])} of {shown_typical(release)}{unit}"
    share = shown_relative(row["half_width"], release.typical)
    of = ", of those whose size is stated," * (len(sized) < len(noisy))
    return f"Least accurate for its size{of} is “{release.name}”: off by at most {moved}, {share}, 19 times of 20."


def right_told(told: dict[str, Any], people: bool = False) -> str:
    """Return how many guesses of an attacker are right, at most, over all results, of 100.

    Examples
    --------
    >>> promise = {"unit_in_words": "user-day", "relation": "add_remove"}
    >>> right_told({"risk": {"advantage": 0.4621}, "promise": promise})[-70:]
    'is right in at most 73.2 of 100 guesses on average; a coin toss in 50.'
    """
    right = shown_right(right_of(told["risk"]["advantage"]))
    openly = bool(told["risk"].get("openly"))
    return guessed(right, _who(told, people), told["promise"]["relation"], answers=openly)


def _who(told: dict[str, Any], people: bool) -> str:
    """Whom the guesses are about: for people without the period, which the heading names."""
    unit = told["promise"]["unit_in_words"]
    return whose(unit) if people else unit


def records_told(told: dict[str, Any]) -> str:
    """Return how many guesses are right about the records of somebody known to be in the data; "" where that is open.

    Examples
    --------
    >>> print(records_told({"risk": {"of_records": 0.5}, "promise": {"unit_in_words": "user-day"}}).lstrip())
    Where it is known that one user is in the data, guesses which of two things their records say are right in at most
    75 of 100.
    """
    if told["risk"]["of_records"] is None:
        return ""
    one, right = whose(told["promise"]["unit_in_words"]), shown_right(right_of(told["risk"]["of_records"]))
    asked = f"Where it is known that one {one} is in the data, guesses which of two things their records say"
    return f" {asked} are right in at most {right} of 100."


def records_in_words(told: dict[str, Any]) -> str | None:
    """Return how many guesses at such records are right; "" where that is open, None where hardly more than others.

    Examples
    --------
    >>> records_in_words({"risk": {"of_records": 0.5, "advantage": 0.4}})
    'guesses at them are right in at most 75 of 100, and not 70'
    >>> records_in_words({"risk": {"of_records": 0.41, "advantage": 0.4}}) is None
    True
    """
    risk = told["risk"]
    if risk["of_records"] is None:
        return ""
    right, other = (right_of(risk[each]) for each in ("of_records", "advantage"))
    if right - other < 1:  # of 100: less is for who reads the statement with theorems, which has it
        return None
    return f"guesses at them are right in at most {shown_right(right)} of 100, and not {shown_right(other)}"


def right_of(advantage: float) -> float:
    """Return how many of 100 guesses are right, at most, at this advantage over a coin toss.

    Examples
    --------
    >>> right_of(0.5)
    75.0
    """
    return (1 + min(advantage, 1.0)) / 2 * 100


def suspected(told: dict[str, Any]) -> str:
    """Return what somebody suspects of one unit, over the time that the promise to it is about, as people read it.

    Examples
    --------
    >>> print(suspected({"risk": {}, "promise": {"unit_in_words": "user-day", "relation": "add_remove"}}))
    that one user is in the data of a day
    >>> print(suspected({"risk": {}, "promise": {"unit_in_words": "user-day", "relation": "replace_one"}}))
    that the records of one user over a day say one thing, and not another,
    """
    unit = told["promise"]["unit_in_words"]
    if told["promise"]["relation"] == "replace_one":
        return f"that the records of one {over_its_time(unit)} say one thing, and not another,"
    of = f" of {time}" if (time := its_time(unit)) else ""
    return f"that one {whose(unit)} is in the data{of}{_openly(told)}"


def _openly(told: dict[str, Any]) -> str:
    """What is suspected of who answers a survey."""
    return " (in a survey: of what was answered)" * bool(told["risk"].get("openly"))


def _of_whom(told: dict[str, Any]) -> str:
    """What somebody is sure of."""
    unit, replaced = _who(told, people=False), told["promise"]["relation"] == "replace_one"
    if replaced:
        return f"that the records of one {unit} say one thing, and not another,"
    return f"that one {unit} is in the data{_openly(told)}"


def sureness_told(told: dict[str, Any]) -> str:
    """Return how sure somebody can become who was so sure before, but for one result in a hundred, and but for rarer.

    Examples
    --------
    >>> risk = {"sureness": [{"before": 0.1, "after": 0.2}], "rarest": {"probability": 1e-6, "after": 0.4}}
    >>> promise = {"unit_in_words": "user-day", "relation": "add_remove"}
    >>> print(sureness_told({"risk": risk, "promise": promise}))
    In 99 of 100 cases, a suspicion of 10 % that one user-day is in the data grows to at most 20 %. In 999,999
    of 1,000,000 cases, a suspicion of 10 % grows to at most 40 %.
    """
    rises = [(shown_sureness(each["before"]), shown_sureness(each["after"])) for each in told["risk"]["sureness"]]
    (before, after), *others = rises
    if after == shown_sureness(1.0):  # as whoever was surer before
        return f"After some results, a suspicion of {before} {_of_whom(told)} may become all but certainty."
    more = "".join(f"; one of {low} to at most {high}" for low, high in others)
    last, rarest = told["risk"]["sureness"][-1], told["risk"]["rarest"]
    alike = last["after"] == rarest["after"] and rarest["probability"] < RARELY  # as where no result tells more
    often = cases_but(rarest["probability"] if alike else RARELY)
    grows = f"In {often}, a suspicion of {before} {_of_whom(told)} grows to at most {after}{more}."
    rarely = rarely_told(last["before"], last["after"], rarest["after"], rarest["probability"])
    return grows if alike else f"{grows} {rarely}"


def grown_told(told: dict[str, Any]) -> str:
    """Return how sure somebody can become who was undecided, in one sentence: in 99 of 100 cases, and in rarer ones.

    Examples
    --------
    >>> risk = {"sureness": [{"before": 0.5, "after": 0.6}], "rarest": {"probability": 1e-6, "after": 0.7}}
    >>> told = {"risk": risk, "promise": {"unit_in_words": "user-day", "relation": "add_remove"}}
    >>> print(grown_told(told))
    A suspicion of 50 % that one user is in the data of a day grows to at most 60 % in 99 of 100 cases and to at most
    70 % in 999,999 of 1,000,000 cases.
    """
    last, rarest = told["risk"]["sureness"][-1], told["risk"]["rarest"]
    before, after, most = (shown_sureness(each) for each in (last["before"], last["after"], rarest["after"]))
    of = f"a suspicion of {before} {suspected(told)}"
    if after == shown_sureness(1.0):
        return f"After some results, {of} may become all but certainty."
    rarer = rarest["probability"] < RARELY
    known = rarer and most != shown_sureness(1.0)  # how far it grows in rarer cases, too
    usual = [f"{after} in {cases_but(RARELY)}"] if not (known and rarest["after"] == last["after"]) else []
    grows = usual + [f"{most} in {cases_but(rarest['probability'])}"] * known
    said = " and ".join(f"to at most {each}" for each in grows)
    more = f" One case in a hundred may tell more{', up to all but certainty' * rarer}." * (not known)
    return f"{of[0].upper()}{of[1:]} grows {said}.{more}"


def allowed_grown(told: dict[str, Any]) -> str:
    """Return to how much a loss as large as is allowed lets a suspicion of 50 % grow, as it is shown.

    It is "" where these releases let it grow further, which they do rarely, since with a δ a loss may be larger than ε;
    and where they let it grow nearly as far, since two such numbers are taken for one.

    Examples
    --------
    >>> risk = {"sureness": [{"before": 0.5, "after": 0.6}], "rarest": {"probability": 1e-6, "after": 0.65}}
    >>> [allowed_grown({"risk": risk, "budget": {"epsilon": limit}}) for limit in (1.0, 0.5)]
    ['73.2 %', '']
    """
    limit, rarest = told["budget"]["epsilon"], told["risk"]["rarest"]
    after = rarest["after"] if rarest["probability"] < RARELY else 1.0
    most = grown_by(limit) if limit else 0.0
    if after > most - APART or shown_sureness(after) == shown_sureness(1.0):
        return ""
    return shown_sureness(most)


def grown_by(epsilon: float) -> float:
    """Return how sure somebody may become of what was a suspicion of 50 %, by a loss.

    Odds of 1 become at most e^ε (Dwork & Roth 2014, Definition 2.4), so 50 % at most e^ε / (1 + e^ε).

    Examples
    --------
    >>> grown_by(0.0), grown_by(math.inf)
    (0.5, 1.0)
    """
    return 1 / (1 + math.exp(-epsilon))


def cases_but(probability: float) -> str:
    """Return in how many cases something holds that fails with a probability.

    Examples
    --------
    >>> cases_but(1e-6), cases_but(0.01), cases_but(0.0), cases_but(1e-9)
    ('999,999 of 1,000,000 cases', '99 of 100 cases', 'all cases', 'all but 1 in 1,000,000,000 cases')
    """
    if probability in (RARELY, RARE):  # and as no chance of failure is told, which these are not
        return f"{shown_count(round(1 / probability) - 1)} of {shown_count(round(1 / probability))} cases"
    return f"all but {probability_in_words(probability)} cases" if probability else "all cases"


def rarely_told(before: float, mostly: float, after: float, probability: float) -> str:
    """Say how far a suspicion grows but for results so rare, beside how far it does in 99 of 100 cases.

    Examples
    --------
    >>> rarely_told(0.5, 0.85, 0.97, 1e-6), rarely_told(0.5, 0.73, 0.73, 0.0)
    ('In 999,999 of 1,000,000 cases, a suspicion of 50 % grows to at most 97 %.', 'That holds in all cases.')
    """
    most, rest = shown_sureness(mostly), shown_sureness(after)
    if probability >= RARELY or rest == shown_sureness(1.0):
        return f"One case in a hundred may tell more{', up to all but certainty' if probability < RARELY else ''}."
    cases = cases_but(probability)
    if rest == most:
        return f"That holds in {cases}."
    return f"In {cases}, a suspicion of {shown_sureness(before)} grows to at most {rest}."


def suspicion_told(limit: float | None) -> str:
    """Return how far a loss of all that is allowed lets a suspicion of 50 % grow; "" without a limit, or allowance.

    It is said of a loss, and not of what is allowed: with a δ a loss may, rarely, be larger than ε.

    Examples
    --------
    >>> suspicion_told(1.0), suspicion_told(0.0)
    ('A loss of 1, as large as is allowed, would let a suspicion of 50 % grow to at most 73.2 %', '')
    >>> print(suspicion_told(60.0))
    A loss of 60, as large as is allowed, would let a suspicion of 50 % grow to all but certainty
    """
    if not limit or math.isinf(limit):
        return ""
    grown = shown_sureness(grown_by(limit))
    most = "all but certainty" if grown == shown_sureness(1.0) else f"at most {grown}"
    lost = f"A loss of {shown_budget(limit)}, as large as is allowed,"
    return in_plain_words(f"{lost} would let a suspicion of 50 % grow to {most}")


def half_used(told: dict[str, Any]) -> tuple[str, ...]:
    """Return by which date half of the budget is used; () where it never is, where nobody knows, or without dates.

    Examples
    --------
    >>> spent = [{"date": "2027-01-01", "epsilon": 0.4}, {"date": "2027-02-01", "epsilon": 0.8}]
    >>> told = {"budget": {"epsilon": 1.0, "within": True}, "total": {"epsilon": 0.8}, "one_unit": None}
    >>> told["plan"] = {"releases": [{"count": 1, "start": "2027-01-01"}, {"count": 2}]}
    >>> half_used(told | {"exhausted": {"spent": spent}})
    ('Half of the budget is reached on 1 February 2027, releases without a date included.',)
    """
    limit, known = told["budget"]["epsilon"], None not in (told["budget"]["within"], told["total"]["epsilon"])
    if not limit or not known or told["one_unit"] or told["exhausted"] is None:
        return ()
    spent = told["exhausted"]["spent"]
    half = (row["date"] for row in spent if row["epsilon"] is None or row["epsilon"] >= limit / 2)
    if day := next(half, None):
        undated = ", releases without a date included" * _undated(told)
        return (f"Half of the budget is reached on {day_in_words(day)}{undated}.",)
    return ()


def _undated(told: dict[str, Any]) -> bool:
    """Whether some release of a plan with dates has none."""
    return any(each["count"] and not each.get("start") for each in told["plan"]["releases"])


def unanswered(told: dict[str, Any]) -> tuple[str, ...]:
    """Return what is asked where the plan is worked on: an answer may make the total another one.

    Examples
    --------
    >>> unanswered({"open_questions": [{"check": "document", "question": "Is it?"}, {"check": "unit", "question": ""}]})
    ('Is it?',)
    """
    return tuple(each["question"] for each in told["open_questions"] if each["check"] == "document")


def faulty(told: dict[str, Any]) -> bool:
    """Return whether what was answered makes the total another plan's.

    Examples
    --------
    >>> faulty({"checks": [{"severity": "fault"}]}), faulty({"checks": [{"severity": "note"}]})
    (True, False)
    """
    return any(each["severity"] == FAULT for each in told["checks"])
