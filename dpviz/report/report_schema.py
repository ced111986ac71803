"""The JSON Schemas of reports and certificates, with what they share with answers of the command line."""

from __future__ import annotations

from dpviz.plan.field_table import VERSION
from dpviz.plan.files.json_schema import disclosure_schema, plan_schema
from dpviz.plan.promise import RELATIONS
from dpviz.planning.advice.finding import SEVERITIES
from dpviz.report.measures import ORDERS
from dpviz.schemas import (
    COUNTED,
    DECIDED,
    MEASURED,
    NUMBER,
    SAID,
    TEXT,
    TRUTH,
    WHOLE,
    Answered,
    described,
    listed,
    nullable,
    published,
    record,
)

RELATION = described({"enum": list(RELATIONS)}, "what happens to the one unit in which neighbours differ")
EPSILON = described(MEASURED, "null where it is infinite")
THEOREM = record(
    {
        "theorem": described(TEXT, "its key"), "label": TEXT, "epsilon": EPSILON, "delta": NUMBER,
        "kind": described(TEXT, "what kind of number ε is, such as upper bound"), "applies": TRUTH,
        "reason": described(TEXT, "why it does not apply"), "source": TEXT,
    }
)  # fmt: skip
FILTER = record(
    {
        "rule": described(TEXT, "its key"), "label": TEXT, "kept": described(MEASURED, "δ that the rule keeps back"),
        "source": TEXT, "admitted": described(WHOLE, "uses that are admitted"),
        "whole": described(TRUTH, "whether all are"), "refused": described(TEXT, "the first release that is not"),
        "reason": TEXT,
    }
)  # fmt: skip
FINDING = record(
    {
        "check": described(TEXT, "its key"), "label": TEXT, "severity": {"enum": list(SEVERITIES)}, "sentence": TEXT,
        "releases": listed(TEXT), "link": TEXT,
    }
)  # fmt: skip
ASKED = record(
    {
        "check": described(TEXT, "its key; document: asked where the plan is worked on"), "question": TEXT,
        "sentence": described(TEXT, "why it is asked"),
        "releases": listed(TEXT), "settled_by": described(TEXT, "a change that settles it; empty: none is known"),
        "settled_epsilon": described(EPSILON, "what is lost after that change; null: no change, or no bound"),
    }
)  # fmt: skip
ONE_UNIT = described(
    nullable(record({"window": TEXT, "start": TEXT, "end": TEXT, "epsilon": EPSILON, "whose": TEXT})),
    "what one unit loses, where the schedule goes beyond the period that it names",
)
_CERTIFIED = {
    **dict.fromkeys(("lower", "upper"), described(SAID, "a decimal, or inf; the smallest ε lies between both")),
    "shown": described(SAID, "both as one text"), "digits": described(COUNTED, "how many are certain"), "method": SAID,
    "delta": NUMBER, "engine": described(MEASURED, "what tight accounting answers"),
    "reason": described(TEXT, "why there is no enclosure; then all but δ are null"),
}  # fmt: skip
CERTIFICATE = Answered("certificate", 1, "A tight total of dpviz, enclosed by ball arithmetic", _CERTIFIED)

_TOTAL = record(
    {"epsilon": EPSILON, "delta": MEASURED, "theorem": SAID, "reason": described(TEXT, "why there is none")},
    {"label": TEXT, "kind": TEXT, "assumes": TEXT, "source": TEXT},
)
_PROMISE = record(
    {
        "unit": SAID, "unit_in_words": TEXT, "order_in_words": TEXT, "relation": RELATION, "relation_in_words": TEXT,
        "relation_stated": TRUTH, "population": COUNTED, "adaptive": DECIDED, "uses": WHOLE,
    }
)  # fmt: skip
_ERROR = record(
    {
        "release": TEXT, "mechanism": TEXT, "uses": WHOLE, "typical": MEASURED,
        "expected_absolute": described(MEASURED, "mean distance of an answer from the truth"),
        "half_width": described(MEASURED, "95 % of uses lie within ± this"),
        "relative": described(MEASURED, "that over a typical value"),
        "noisy": described(DECIDED, "whether the answer is mostly noise"),
        "reason": described(TEXT, "why nothing can be said"),
    }
)  # fmt: skip
_SAVING = record(
    {
        "release": TEXT, "share": described(MEASURED, "percent, rounded down; null: it cannot be said"),
        "without": described(EPSILON, "what is lost without it; null: no bound, or it is not left out in turn"),
    }
)  # fmt: skip
_DEPLOYMENT = record(
    {
        "name": TEXT, "curator": TEXT, "published": SAID, "variant": SAID, "epsilon": MEASURED, "epsilon_basis": TEXT,
        "delta": MEASURED, "delta_basis": TEXT, "review_status": SAID, "source": SAID,
    }
)  # fmt: skip
_DIFFERENCE = {
    "quantity": TEXT, "label": TEXT, "a": MEASURED, "b": MEASURED, "difference": MEASURED, "unit": TEXT,
    "a_note": TEXT, "b_note": TEXT, "reason": TEXT,
}  # fmt: skip
_OF_RELEASE = record({"release": TEXT, "status": TEXT, "row_a": COUNTED, "row_b": COUNTED, **_DIFFERENCE})
_COMPARISON = record(
    {
        "total": listed(record(_DIFFERENCE)),
        "releases": listed(_OF_RELEASE),
        "less_often": described(TEXT, "which releases cover more time than in A, for no more entries of a unit"),
        "recounted": listed(TEXT),
    }
)
_SPENT = record({"date": TEXT, "epsilon": EPSILON})
_EXHAUSTED = record({"date": described(SAID, "the first beyond the budget"), "spent": listed(_SPENT)})
_BUDGET = record({"epsilon": EPSILON, "delta": NUMBER, "within": DECIDED})
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_BRACKET = record({"lower": EPSILON, "upper": EPSILON, "reason": described(TEXT, "why there is no lower end")})
_PARAMETERS = record(
    {
        "rho": described(MEASURED, "of zero-concentrated DP"),
        "renyi": nullable(record({str(order): EPSILON for order in ORDERS})),
        "mu": described(MEASURED, "of the one Gaussian that is nowhere below the plan's curve"),
        "regret": nullable(described(_PROBABILITY, "how far that Gaussian is from the curve")),
        "rarest": nullable(described(_PROBABILITY, "the rarest error that it is proved for; null: all")),
        "reason": described(TEXT, "why all are null"),
    }
)  # fmt: skip
_QUOTIENT = record(
    {"name": TEXT, "sum": TEXT, "count": TEXT, "values": COUNTED, "half_width": MEASURED, "sentence": TEXT}
)
_RISK = record(
    {
        "advantage": MEASURED, "basis": TEXT, "odds": TEXT,
        "openly": described({"type": "boolean"}, "whether some releases hide an answer, and not who gave it"),
        "sureness": listed(record({"before": _PROBABILITY, "after": _PROBABILITY})),
        "rarest": described(
            record({"probability": _PROBABILITY, "after": _PROBABILITY}),
            "how far the last of these priors grows, but for results that are no more probable than this",
        ),
        "without": described(
            listed(record({"release": TEXT, "advantage": _PROBABILITY})),
            "the advantage without each release that saves most when it is left out, the dearest first",
        ),
        "of_records": described(
            nullable(_PROBABILITY),
            "the advantage of who knows that a unit is in the data, at telling which of two things its records say; "
            "null where that is what is promised, or not known",
        ),
    }
)  # fmt: skip
_DISCLOSED = record({name: nullable(text) for name, text in disclosure_schema()["properties"].items()})
PLAN = {"$ref": str(published("plan", VERSION, "", {})["$id"])}

REPORT = Answered(
    "report", 1, "A statement of dpviz on a plan",
    {
        "plan": PLAN,
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of the plan's JSON file"},
        "promise": _PROMISE,
        "bracket": described(_BRACKET, "the proved ends of the smallest ε that is true at the δ of the budget"),
        "parameters": described(_PARAMETERS, "the whole in other measures, each rounded up"),
        "total": described(_TOTAL, "the smallest ε that is proved, at the δ of the budget"),
        "pure": described(_TOTAL, "likewise at δ = 0"),
        "budget": described(_BUDGET, "within is null without a budget, by a fault, where rows or answers lack"),
        "filters": listed(FILTER),
        "theorems": listed(THEOREM),
        "savings": described(listed(_SAVING), "what leaving each release out saves of what one unit loses"),
        "errors": listed(_ERROR),
        "quotients": described(listed(_QUOTIENT), "means that a sum and a count tell together"),
        "risk": _RISK,
        "checks": listed(FINDING),
        "open_questions": described(listed(ASKED), "what is asked before the total is relied on, in plain words"),
        "published": listed(_DEPLOYMENT),
        "comparison": nullable(_COMPARISON),
        "exhausted": nullable(_EXHAUSTED),
        "one_unit": ONE_UNIT,
        "over_time": described(listed(TEXT), "for how long the promise holds"),
        "disclosure": described(_DISCLOSED, "what is stated beside the numbers; null is not stated"),
        "not_covered": listed(TEXT),
        "left_out": listed(TEXT),
        "assumptions": listed(TEXT),
        "address": described(TEXT, "where the dashboard opens the plan"),
        "document": record({"name": TEXT, "author": TEXT, "date": SAID}),
    },
    {"certified": record(_CERTIFIED)},
    {"plan": plan_schema()},
)  # fmt: skip
