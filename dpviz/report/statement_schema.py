"""The JSON Schema of a statement, so that machines may rely on its fields; the documentation shows it.

Numbers that are infinite are null, with a reason beside them. A later version adds fields and never changes one.
"""

from __future__ import annotations

from dpviz.plan.files.json_schema import DIALECT, disclosure_schema, plan_schema
from dpviz.report.facts import ERROR_FIELDS, PUBLISHED_FIELDS, THEOREM_FIELDS, VERSION
from dpviz.report.measures import ORDERS

_TEXT, _NUMBER, _WHOLE, _YES = ({"type": kind} for kind in ("string", "number", "integer", "boolean"))
_DAY = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_LOSS = {"type": "number", "minimum": 0}
_TYPES = {"epsilon": _LOSS, "delta": _PROBABILITY, "applies": _YES, "uses": _WHOLE, "noisy": _YES} | dict.fromkeys(
    ("typical", "expected_absolute", "half_width", "relative"), _NUMBER
)


def statement_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of what `dpviz.report.as_json` writes.

    Examples
    --------
    >>> statement_schema()["properties"]["digest"]["pattern"]
    '^[0-9a-f]{64}$'
    """
    plan = plan_schema()
    fields = _fields() | {"plan": {name: plan[name] for name in ("type", "required", "properties")}}
    return {
        "$schema": DIALECT,
        "title": "A statement of dpviz",
        "type": "object",
        "required": list(fields),
        "properties": fields | {"certified": _certified()},
        "additionalProperties": False,
        "$defs": plan["$defs"],
    }


def _fields() -> dict[str, object]:
    found = {
        "dpviz_statement": {"const": VERSION, "description": "version of these fields"},
        "dpviz": _TEXT | {"description": "version of the program"},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of the plan's JSON file"},
        "promise": _promise(),
        "bracket": _object(lower=_or_null(_LOSS), upper=_or_null(_LOSS), reason=_TEXT),
        "parameters": _parameters(),
        "budget": _object(epsilon=_or_null(_LOSS), delta=_PROBABILITY, within=_or_null(_YES)),
        "filters": _list({"type": "object"}),
        "theorems": _list(_row(THEOREM_FIELDS)),
        "errors": _list(_row(ERROR_FIELDS)),
        "risk": _risk(),
        "checks": _list(_object(check=_TEXT, label=_TEXT, severity=_TEXT, sentence=_TEXT, releases=_list(_TEXT),
            link=_TEXT)),
        "published": _list(_row(PUBLISHED_FIELDS)),
        "comparison": _or_null(_object(total=_list({"type": "object"}), releases=_list({"type": "object"}))),
        "exhausted": _or_null(_object(date=_or_null(_DAY), spent=_list(_object(date=_DAY, epsilon=_or_null(_LOSS))))),
        "one_unit": _or_null(_object(window=_TEXT, start=_DAY, end=_DAY, epsilon=_or_null(_LOSS), whose=_TEXT)),
        "over_time": _list(_TEXT) | {"description": "for how long the promise holds"},
        "disclosure": _stated(),
        "not_covered": _list(_TEXT),
        "left_out": _list(_TEXT) | {"description": "what stood in the table and is no release"},
        "assumptions": _list(_TEXT),
        "address": _TEXT | {"description": "where the plan opens; empty if it is not known"},
        "document": _object(name=_TEXT, author=_TEXT, date=_or_null(_DAY)),
    }  # fmt: skip
    return found | {name: _total() for name in ("total", "pure")}


def _promise() -> dict[str, object]:
    texts = dict.fromkeys(("unit_in_words", "order_in_words", "relation", "relation_in_words"), _TEXT)
    return _object(
        **texts, unit=_or_null(_TEXT), relation_stated=_YES, population=_or_null(_WHOLE), adaptive=_or_null(_YES),
        uses=_WHOLE,
    )  # fmt: skip


def _total() -> dict[str, object]:
    told = {"epsilon": _or_null(_LOSS), "delta": _or_null(_PROBABILITY), "theorem": _or_null(_TEXT), "reason": _TEXT}
    by = dict.fromkeys(("label", "kind", "assumes", "source"), _TEXT)
    return {"type": "object", "required": list(told), "properties": told | by, "additionalProperties": False}


def _parameters() -> dict[str, object]:
    renyi = _object(**{str(order): _or_null(_LOSS) for order in ORDERS})
    return _object(
        rho=_or_null(_LOSS), renyi=_or_null(renyi), mu=_or_null(_LOSS), regret=_or_null(_PROBABILITY),
        rarest=_or_null(_PROBABILITY), reason=_TEXT,
    )  # fmt: skip


def _risk() -> dict[str, object]:
    rises = _list(_object(before=_PROBABILITY, after=_PROBABILITY))
    return _object(advantage=_PROBABILITY, basis=_TEXT, odds=_TEXT, sureness=rises)


def _stated() -> dict[str, object]:
    texts = disclosure_schema()["properties"]
    return _object(**{name: _or_null(text) for name, text in texts.items()})


def _certified() -> dict[str, object]:
    texts = {name: _or_null(_TEXT) for name in ("lower", "upper", "shown", "method")}
    return _object(
        **texts, digits=_or_null(_WHOLE), delta=_PROBABILITY, engine=_or_null(_NUMBER), reason=_TEXT
    )


def _object(**fields: object) -> dict[str, object]:
    return {"type": "object", "required": list(fields), "properties": fields, "additionalProperties": False}


def _row(names: tuple[str, ...]) -> dict[str, object]:
    """A row of a table, in which what is not known is null; what is not in `_TYPES` is text."""
    return _object(**{name: _or_null(_TYPES.get(name, _TEXT)) for name in names})


def _list(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


def _or_null(schema: object) -> dict[str, object]:
    return {"anyOf": [schema, {"type": "null"}]}
