"""What a report of a plan says: plain values under stable names, the same for people and for machines."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dpviz.adversary.risk import RARELY
from dpviz.composition import compare, theorem_named, tightest
from dpviz.composition.compose import NO_DELTA
from dpviz.composition.spend import savings
from dpviz.filters import plan_verdicts
from dpviz.mechanisms import REAL_VALUED
from dpviz.plan import RELATIONS, Plan
from dpviz.plan.cadence import checked_day
from dpviz.plan.document import OWN
from dpviz.plan.units import whose
from dpviz.planning.accuracy import LEFT_OUT, errors
from dpviz.planning.advice import Finding, check_named, checks, open_questions
from dpviz.planning.advice.finding import FAULT
from dpviz.planning.advice.mend import composed
from dpviz.planning.advice.promise import answered_openly
from dpviz.planning.deployments import published
from dpviz.planning.quotients import Quotient, quotients
from dpviz.planning.scenario import (
    differences,
    less_often,
    looked_at,
    recounted,
    release_differences,
    risk,
    risk_and_sureness,
)
from dpviz.planning.schedule import UnitCost, forecast, of_one_unit, own_period, shared_weeks, unit_cost
from dpviz.planning.separation import Difference, covered
from dpviz.report.certificate import certificate
from dpviz.report.measures import bracket, parameters
from dpviz.report.report_schema import REPORT
from dpviz.report.said import disclosed, drawn, not_covered, over_time, stated_rows
from dpviz.report.subject import Subject

if TYPE_CHECKING:
    import pandas

SPENDING_POINTS = 100
PRIORS = (0.01, 0.1, 0.5)  # how sure an attacker was
IDEAL_NOISE = (
    "The noise is ideal: attacks on floating-point noise generators and on timing are not modelled.",
    REAL_VALUED,
    "Sensitivities are per unit of privacy and for the stated neighbour relation, in L1 for Laplace and in L2 for "
    "Gaussian noise.",
    "The plan lists every release that reads these data.",
)
THEOREM_FIELDS = ("theorem", "label", "epsilon", "delta", "kind", "applies", "reason", "source")
ERROR_FIELDS = (
    "release", "mechanism", "uses", "typical", "expected_absolute", "half_width", "relative", "noisy", "reason"
)  # fmt: skip
PUBLISHED_FIELDS = (
    "name", "curator", "published", "variant", "epsilon", "epsilon_basis", "delta", "delta_basis", "review_status",
    "source",
)  # fmt: skip


UNANSWERED = "Until that is said, the total may be too small."


def facts(subject: Subject) -> dict[str, object]:
    """Return everything a report says about a plan.

    Parameters
    ----------
    subject : Subject
        The plan, and what else is said of it.

    Returns
    -------
    dict
        Text, numbers, booleans, None, and lists and dicts of them, ready for JSON; an ε that is infinite is None, with
        the reason beside it. Keys: dpviz_report (version of the format), dpviz (version), plan, digest (SHA-256 of the
        plan's JSON file), promise, total, bracket, pure, parameters (ρ, Rényi divergences, μ and regret:
        `dpviz.report.measures`), budget, filters, theorems, savings (what leaving each release out saves, in percent of
        what one unit loses), errors, risk, checks, open_questions (the questions among them, in plain words),
        published, comparison, exhausted, one_unit, over_time, disclosure (by field; None is not stated), not_covered,
        left_out, assumptions, address,
        document (name, author and date). Where the unit names a period and the schedule goes beyond it, `one_unit` is
        what one unit loses, and the budget is held against that; whether that is within it is None where a check found
        a fault, and where it would be, but for what is left out or open. With `certify` one more, certified: see
        `dpviz.report.certificate.certificate`. `dpviz schema report` prints the JSON Schema.

    Notes
    -----
    Neighbour relation: the plan's. Every ε is exact or a proven upper bound, as `kind` says. At δ = 1 there is no
    bound, with the reason.

    Examples
    --------
    >>> from dpviz import Laplace, Release
    >>> facts(Subject(Plan([Release("Mean age", Laplace.from_epsilon(0.5), 3)])))["pure"]["epsilon"]
    1.5
    """
    plan = subject.plan
    frame, found, cost = _compared(plan, plan.budget.delta), checks(plan), unit_cost(plan)
    saved = _savings(plan, cost, (total := _total(frame))["epsilon"])
    told = {
        "plan": json.loads(plan.to_json()),
        "digest": digest(plan),
        "promise": _promise(plan),
        "total": total,
        "bracket": bracket(plan, total["epsilon"]),
        "pure": _total(_compared(plan, 0.0)),
        "parameters": parameters(plan),
        "budget": _budget(subject, total["epsilon"] if cost is None else _value(cost.epsilon), found),
        "filters": _filters(plan),
        "theorems": _rows(frame[list(THEOREM_FIELDS)]),
        "savings": saved,
        **_accuracy(plan),
        "risk": _risk(of_one_unit(plan), [each["share"] for each in saved]),
        **_found(plan, found, subject.unanswered),
        "published": _published(plan),
        "comparison": _comparison(subject.baseline, plan),
        **_over_time(plan, cost, total["epsilon"]),
        "disclosure": disclosed(plan),
        "not_covered": not_covered(plan),
        "left_out": [str(each) for each in subject.left_out],
        "assumptions": _assumptions(plan, total, cost),
        "address": subject.address,
        "document": _document(subject),
        **({"certified": certificate(plan)} if subject.certify else {}),
    }
    return REPORT.document(told)


def _over_time(plan: Plan, cost: UnitCost | None, total: float | None) -> dict[str, object]:
    """What is spent by which date, what one unit of a shorter period loses, and both in words."""
    exhausted, one_unit = _exhausted(plan, cost, total), one_unit_told(plan, cost)
    return {"exhausted": exhausted, "one_unit": one_unit, "over_time": over_time(plan, exhausted, one_unit)}


def _savings(plan: Plan, cost: UnitCost | None, total: float | None) -> list[dict[str, object]]:
    """What leaving each release out saves of what one unit loses."""
    met, epsilon = (cost.plan, _value(cost.epsilon)) if cost is not None and cost.dominant else (plan, total)
    found = savings(met, plan.budget.delta, math.inf if epsilon is None else epsilon)
    return [
        {
            "release": release.name,
            "share": None if saving is None else _value(saving.share),
            "without": None if saving is None else _value(saving.without),
        }
        for release, saving in zip(plan.releases, found, strict=True)
    ]


def digest(plan: Plan) -> str:
    """Return the SHA-256 of a plan, in 64 hexadecimal digits: that of the JSON file which `Plan.write` makes of it.

    Examples
    --------
    >>> digest(Plan([]))[:8] == digest(Plan.from_json(Plan([]).to_json()))[:8]
    True
    """
    return hashlib.sha256(plan.to_json().encode()).hexdigest()


def _document(subject: Subject) -> dict[str, str | None]:
    return {
        "name": "" if subject.name == OWN else subject.name,  # a plan that nobody has named
        "author": subject.author,
        "date": None if subject.on is None else checked_day(subject.on, "on").isoformat(),
    }


def _compared(plan: Plan, delta: float) -> pandas.DataFrame:
    """The plan under every theorem; at δ = 1, where there is none, with the reason."""
    if delta < 1:
        return compare(plan, delta, excess=False)
    none = {"epsilon": math.inf, "delta": delta, "kind": "", "applies": False, "reason": NO_DELTA}
    return compare(plan, 0.0, excess=False).assign(**none)


def _value(value: object) -> object:
    """A value that JSON knows; None for what has no finite number."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _rows(frame: pandas.DataFrame) -> list[dict[str, object]]:
    return [{str(name): _value(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _promise(plan: Plan) -> dict[str, object]:
    return {
        "unit": plan.unit,
        "unit_in_words": plan.unit_in_words,
        "order_in_words": plan.in_words["order"],
        "relation": plan.neighbours,
        "relation_in_words": f"one {plan.unit_in_words} is {RELATIONS[plan.neighbours]}",
        "relation_stated": plan.relation is not None,
        "population": plan.population,
        "adaptive": plan.adaptive,
        "uses": sum(release.uses for release in plan.releases),
    }


def _total(frame: pandas.DataFrame) -> dict[str, object]:
    """The smallest proved total of a comparison, with its theorem; the reason where there is none."""
    best = tightest(frame)
    if best is None:
        return {"epsilon": None, "delta": None, "theorem": None, "reason": str(frame.reason.iloc[0])}
    record = theorem_named(best.theorem)
    return {
        "epsilon": float(best.epsilon),
        "delta": float(best.delta),
        "theorem": best.theorem,
        "label": best.label,
        "kind": best.kind,
        "assumes": record.assumes,
        "source": best.source,
        "reason": "",
    }


def _budget(subject: Subject, epsilon: float | None, found: Iterable[Finding]) -> dict[str, object]:
    """Whether ε is within the budget; None where there is none, a fault makes it another plan's ε, or rows are missing.

    And where an answer is missing that may make it another one. What exceeds it without them exceeds it.
    """
    plan = subject.plan
    limited = math.isfinite(plan.budget.epsilon) and not any(each.severity == FAULT for each in found)
    within = epsilon is not None and epsilon <= plan.budget.epsilon
    return {
        "epsilon": _value(plan.budget.epsilon),
        "delta": plan.budget.delta,
        "within": within if limited and not (within and (subject.left_out or subject.unanswered)) else None,
    }


def _filters(plan: Plan) -> list[dict[str, object]]:
    """What filters with the plan's budget admit, where releases are chosen along the way."""
    if not (plan.adaptive and math.isfinite(plan.budget.epsilon) and plan.releases):
        return []
    verdicts = plan_verdicts(plan)
    if plan.budget.delta >= 1:
        first = next((release.name for release in plan.releases if release.uses), "")
        verdicts = verdicts.assign(admitted=0, whole=False, refused=first, reason=NO_DELTA)
    return _rows(verdicts)


def _of_records(plan: Plan) -> float | None:
    """The greatest advantage at telling what the records of a unit say that is known to be there; None if open."""
    if plan.neighbours == "replace_one" or plan.adaptive or not plan.releases:
        return None
    try:
        found = covered(plan, Difference("unit", "value", days=None))
    except ValueError:  # no total may be quoted
        return None
    return None if found.meant is None or math.isinf(found.guarantee.epsilon) else risk(found.meant)[0].number


def _risk(plan: Plan, shares: Sequence[float | None]) -> dict[str, object]:
    """What an attacker learns, and how much less without each release that saves most when it is left out."""
    advantage, odds, sureness = risk_and_sureness(plan, PRIORS)
    rises = [{"before": before, "after": after} for often, before, after in sureness if often == RARELY]
    without = [
        {"release": plan.releases[row].name, "advantage": min(risk(plan.without(row))[0].number, advantage.number)}
        for row in looked_at(plan, shares)
    ]
    return {
        "advantage": advantage.number,
        "basis": advantage.note,
        "odds": odds.note,
        "openly": bool(answered_openly(plan)),
        "sureness": rises,
        "rarest": {"probability": sureness[-1][0], "after": sureness[-1][2]},
        "without": without,
        "of_records": _of_records(plan),
    }


def _found(plan: Plan, found: tuple[Finding, ...], unanswered: tuple[str, ...]) -> dict[str, object]:
    """What the checks found, and what is asked of that; before it what is asked where the plan is worked on."""
    bare = {"releases": [], "settled_by": "", "settled_epsilon": None}
    asked = [{"check": "document", "question": each, "sentence": UNANSWERED, **bare} for each in unanswered]
    return {
        "checks": [check_told(finding, plan) for finding in found],
        "open_questions": [*asked, *(_question_told(each, plan) for each in open_questions(plan, found))],
    }


def check_told(finding: Finding, plan: Plan) -> dict[str, object]:
    """Return a finding as reports and the command line tell it."""
    return {
        "check": finding.check,
        "label": check_named(finding.check).label,
        "severity": finding.severity,
        "sentence": finding.sentence,
        "releases": [plan.releases[row].name for row in finding.rows],
        "link": finding.see if "://" in finding.see else "",
    }


def _question_told(asked: Finding, plan: Plan) -> dict[str, object]:
    """Return what is asked of a plan: the question, why, of which releases, and what the change costs that settles it.

    The cost is that of one unit of privacy where the schedule goes beyond it, as what a budget is held against.
    """
    mend = asked.mend
    cost = unit_cost(mend.plan) if mend else None
    return {
        "check": asked.check,
        "question": check_named(asked.check).asked(plan.unit_in_words),
        "sentence": asked.sentence,
        "releases": [plan.releases[row].name for row in asked.rows],
        "settled_by": mend.label if mend else "",
        "settled_epsilon": _value(composed(mend.plan) if cost is None else cost.epsilon) if mend else None,
    }


def _accuracy(plan: Plan) -> dict[str, object]:
    """How far each number lies off, and each mean that a sum and a count tell together."""
    means = [_quotient(plan, each) for each in quotients(plan)]
    return {"errors": _rows(errors(plan)[list(ERROR_FIELDS)]), "quotients": means}


def _quotient(plan: Plan, found: Quotient) -> dict[str, object]:
    of_sum, of_count = (plan.releases[row].name for row in found.rows)
    return {"name": found.name, "sum": of_sum, "count": of_count, "values": found.values,
            "half_width": found.half_width, "sentence": str(found)}  # fmt: skip


def _published(plan: Plan) -> list[dict[str, object]]:
    frame = published(plan)
    return _rows(frame[frame.matches][list(PUBLISHED_FIELDS)])


def _comparison(baseline: Plan | None, plan: Plan) -> dict[str, object] | None:
    if baseline is None:
        return None
    return {
        "total": _rows(differences(baseline, plan)),
        "releases": _rows(release_differences(baseline, plan)),
        "less_often": less_often(baseline, plan),
        "recounted": recounted(baseline, plan),
    }


def one_unit_told(plan: Plan, cost: UnitCost | None) -> dict[str, object] | None:
    """Return what one unit loses where the schedule goes beyond it, and whom it is a period of; None elsewhere."""
    if cost is None:
        return None
    return {
        "window": cost.window,
        "start": cost.start.isoformat(),
        "end": cost.end.isoformat(),
        "epsilon": _value(cost.epsilon),
        "whose": whose(plan.unit_in_words),
    }


def _exhausted(plan: Plan, cost: UnitCost | None, total: float | None) -> dict[str, object] | None:
    """When the budget is spent, for plans with dates: the first date beyond it, and what is spent by each."""
    limit = math.inf if cost else plan.budget.epsilon
    if not any(release.start and release.uses for release in plan.releases):
        return None
    frame = forecast(plan, SPENDING_POINTS, math.inf if total is None else total)
    if any(row["whole"] for row in _filters(plan)):
        limit = math.inf  # a filter keeps all of them within the budget
    beyond = frame.date[frame.epsilon > limit]  # the date of exhaustion begins a row
    spent = [{"date": str(row.date)[:10], "epsilon": _value(float(row.epsilon))} for row in frame.itertuples()]
    return {"date": None if beyond.empty else str(beyond.iloc[0])[:10], "spent": spent}


def _assumptions(plan: Plan, total: dict[str, object], cost: UnitCost | None) -> list[str]:
    chosen = (
        "Releases, or the end, may depend on earlier results."
        if plan.adaptive
        else "Every release, its noise and their number are fixed before the first"
        + (", though nobody stated that." if plan.adaptive is None else ".")
    )
    parts = ("Releases of different parts read the data of different people.",) if _parted(plan) else ()
    own = () if cost is None else (own_period(cost.window, shared_weeks(plan)),)
    theorem = () if total["theorem"] is None else (f"{total['label']}: {total['assumes']}.",)
    return [chosen, *own, *theorem, *drawn(plan), *stated_rows(plan), *parts, *IDEAL_NOISE, LEFT_OUT]


def _parted(plan: Plan) -> bool:
    return any(release.part is not None for release in plan.releases)
