"""The JSON Schema of plan files, made from the registries that read them; the documentation shows it.

It says what a file looks like: fields, types, intervals, which parameters belong to which mechanism. What only the
reader knows stays with `dpviz.Plan.from_json`: that dates exist and are in order, that a schedule has at most so many
uses, that the mechanisms of a plan share a neighbour relation, that a field is not given twice, and what a curve says.
"""

from __future__ import annotations

import math

from dpviz.mechanisms import BASE_MECHANISMS, FINITE_EPSILON
from dpviz.mechanisms.forms import SAMPLING, THRESHOLD
from dpviz.mechanisms.laws.integer_laws import WHOLE_SCALE, WHOLE_SENSITIVITY, WHOLE_SIGMA
from dpviz.mechanisms.mechanism import Form, adds_noise
from dpviz.parameters import COPIES, DELTA, EPSILON, POPULATION, Parameter
from dpviz.plan.answers import BATCHES, YES_OR_NO
from dpviz.plan.cadence import CADENCES, recurs
from dpviz.plan.disclosure import DISCLOSED, LONGEST_STATED
from dpviz.plan.field_table import DATE, FIELDS, NUMBER, PARAMETERS, TEXT, UNTIL, VERSION, Field, of_version
from dpviz.plan.fields import MAXIMUM_ROWS
from dpviz.plan.files.json_file import BESIDE, BESIDE_SINCE, OPTIONAL
from dpviz.plan.promise import RELATIONS
from dpviz.plan.release import LONGEST_TEXT
from dpviz.schemas import nullable, published

OPEN_DELTA = Parameter("delta", DELTA.symbol, DELTA.words, 0, 1, open_low=True, open_high=True)
# What a parameter of a mechanism may be, and where a mechanism takes something else.
INTERVALS = {field.name: field.interval for field in FIELDS if field.of_mechanism and field.interval}
_ANY = (*SAMPLING, *THRESHOLD)  # parameters beside those of the mechanisms
_WHOLE = {"scale": WHOLE_SCALE, "sigma": WHOLE_SIGMA, "sensitivity": WHOLE_SENSITIVITY}
_FINITE = {"epsilon": FINITE_EPSILON}
INTERVALS_OF = {
    "gaussian": {"epsilon": FINITE_EPSILON, "delta": OPEN_DELTA},
    "randomized_response": _FINITE,
    "permute_and_flip": _FINITE,
    "report_noisy_max": _FINITE,
    "kary_randomized_response": _FINITE,
    "approximate_dp": _FINITE,
    "discrete_laplace": _WHOLE,
    "discrete_gaussian": _WHOLE,
}
_CONTROL = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029"
_CONTROL_BUT_LINES = "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2028\\u2029"
_TEXT = {
    "type": "string",
    "pattern": f"^\\s*\\S(?:.{{0,{LONGEST_TEXT - 2}}}\\S)?\\s*$",
    "not": {"pattern": f"[{_CONTROL}]"},
}
_DATE = {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$", "maxLength": 10}


def number(parameter: Parameter, about: str = "") -> dict[str, object]:
    """Return the schema of a number within the interval of a parameter.

    Examples
    --------
    >>> from dpviz.parameters import RATE
    >>> number(RATE, "share of the records")
    {'type': 'number', 'minimum': 0, 'maximum': 1, 'description': 'share of the records'}
    """
    found: dict[str, object] = {"type": "integer" if parameter.integer else "number"}
    if math.isfinite(parameter.low):
        found["exclusiveMinimum" if parameter.open_low else "minimum"] = parameter.low
    if math.isfinite(parameter.high):
        found["exclusiveMaximum" if parameter.open_high else "maximum"] = parameter.high
    return found | ({"description": about} if about else {})


def interval(key: str, name: str) -> Parameter | None:
    """Return what a parameter of a mechanism may be, by their names in files; None where it is no number.

    Examples
    --------
    >>> interval("discrete_gaussian", "sensitivity").interval
    '[1, 1000000000], a whole number'
    """
    return INTERVALS_OF.get(key, {}).get(name, INTERVALS.get(name))


def plan_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of plan files of all versions.

    Examples
    --------
    >>> schema = plan_schema()
    >>> schema["required"], schema["properties"]["population"]["anyOf"][0]["minimum"]
    (['dpviz_plan', 'releases'], 1)
    """
    schema = {
        "type": "object",
        "required": ["dpviz_plan", "releases"],
        "properties": _of_a_plan(),
        "additionalProperties": False,
        "allOf": [_of_version(version, of_version(version)) for version in range(1, VERSION)],
        "$defs": {"release": release_schema()},
    }
    return published("plan", VERSION, "A plan of dpviz", schema)


def _of_a_plan() -> dict[str, object]:
    relation = {"enum": [None, *RELATIONS], "description": "what happens to the one unit in which neighbours differ"}
    budget = {"epsilon": nullable(number(EPSILON, "null sets no limit")), "delta": number(DELTA)}
    return {
        "dpviz_plan": {"type": "integer", "minimum": 1, "maximum": VERSION, "description": "version of the format"},
        "budget": {
            "type": "object", "required": list(budget), "properties": budget, "additionalProperties": False,
            "description": "what the plan may cost",
        },
        "unit": {"anyOf": [_TEXT, {"enum": [None, ""]}], "description": "whom, or what, the promise protects"},
        "relation": relation,
        "population": nullable(number(POPULATION, POPULATION.words)),
        "adaptive": {"type": ["boolean", "null"], "description": "whether releases are chosen along the way"},
        "disclosure": nullable(disclosure_schema()),
        "answers": nullable(_answers_schema()),
        "releases": {"type": "array", "maxItems": MAXIMUM_ROWS, "items": {"$ref": "#/$defs/release"}},
    }  # fmt: skip


def _of_version(version: int, columns: tuple[str, ...]) -> dict[str, object]:
    """A file of an older version has the fields of that version."""
    row = {"type": "object", "propertyNames": {"enum": list(columns)}}
    fields = {"releases": {"type": "array", "items": row}} | (
        dict.fromkeys(BESIDE, False) if version < BESIDE_SINCE else {}
    )
    return {"if": {"properties": {"dpviz_plan": {"const": version}}}, "then": {"properties": fields}}


def disclosure_schema() -> dict[str, object]:
    """Return the schema of what is stated beside the numbers.

    Examples
    --------
    >>> disclosure_schema()["properties"]["owner"]["maxLength"]
    2000
    """
    lines = {"type": "string", "maxLength": LONGEST_STATED, "not": {"pattern": f"[{_CONTROL_BUT_LINES}]"}}
    texts = {each.name: lines | {"description": each.label} for each in DISCLOSED}
    return {
        "type": "object", "properties": texts, "additionalProperties": False,
        "description": "what is stated in public beside the numbers",
    }  # fmt: skip


def _answers_schema() -> dict[str, object]:
    answers = {
        "batches": {"enum": [None, *BATCHES]},
        "rows_per_unit": nullable(number(COPIES, COPIES.words)),
        **{name: {"type": ["boolean", "null"]} for name in YES_OR_NO},
    }
    return {
        "type": "object", "properties": answers, "additionalProperties": False,
        "description": "what the author answered to what the checks ask",
    }  # fmt: skip


def release_schema() -> dict[str, object]:
    """Return the schema of one release.

    Examples
    --------
    >>> release_schema()["properties"]["count"]["maximum"]
    1000000000
    """
    return {
        "type": "object",
        "required": ["name", "mechanism"],
        "properties": {each.name: _of_field(each) for each in FIELDS},
        "additionalProperties": False,
        "dependentRequired": {"scheme": ["rate"], "rate": ["scheme"], "keys": ["threshold"]},
        "not": {"required": ["scheme", "threshold"]},
        "allOf": [*map(_of_mechanism, BASE_MECHANISMS), _schedule(), _bounds()],
    }


def _of_field(field: Field) -> dict[str, object]:
    """What a field may be in any release; null is what nobody stated."""
    by_mechanism = field.of_mechanism and field.name not in _ANY  # its interval stands with the mechanism
    about = {"description": field.about} if field.about else {}
    if field.type == NUMBER:
        found = {"type": "number"} if by_mechanism else number(field.interval, field.described)
    elif field.type == DATE:
        found = _DATE | about
    elif field.type == UNTIL:
        found = {"anyOf": [{"type": "boolean"}, _DATE], **about}
    elif field.type == TEXT:
        found = ({"type": "string"} if by_mechanism else _TEXT) | about
    else:
        found = {"enum": list(field.choices), **about}
    return nullable(found) if field.name in OPTIONAL else found


def _of_mechanism(mechanism: type) -> dict[str, object]:
    """The parameters that a mechanism takes: those of one of its forms, of a sample, and of a threshold."""
    named = {"properties": {"mechanism": {"const": mechanism.key}}, "required": ["mechanism"]}
    beside = _ANY if adds_noise(mechanism) else SAMPLING
    return {"if": named, "then": {"anyOf": [_of_form(mechanism.key, form, beside) for form in mechanism.forms]}}


def _of_form(key: str, form: Form, beside: tuple[str, ...]) -> dict[str, object]:
    taken = (*form.needed, *form.optional)
    allowed = {name: number(found) for name in taken if (found := interval(key, name))}
    refused = dict.fromkeys((each for each in PARAMETERS if each not in (*taken, *beside)), False)
    return {"required": list(form.needed), "properties": allowed | refused}


def _schedule() -> dict[str, object]:
    """What recurs needs its first and its last day; what does not has no last one."""
    recurring = {"properties": {"cadence": {"enum": [each.key for each in CADENCES if recurs(each.key)]}}}
    days = {name: {"type": "string"} for name in ("start", "end")}
    return {
        "if": recurring | {"required": ["cadence"]},
        "then": {"required": list(days), "properties": days},
        "else": {"properties": {"end": {"type": "null"}}},
    }


def _bounds() -> dict[str, object]:
    """Both ends to which values are clipped, or neither."""
    ends = ("lower", "upper")
    both = {"required": list(ends), "properties": {end: {"type": "number"} for end in ends}}
    return {"anyOf": [both, {"properties": {end: {"type": "null"} for end in ends}}]}
