"""Filters as JSON, with all that is spent, so that the next process goes on where the last one was."""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any

from dpviz.filters.tally import Tally
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.plan.fields import release_fields, release_from
from dpviz.plan.release import Release

VERSION = 1
_FIELDS = ("dpviz_filter", "budget", "rule", "or_basic", "release_delta", "asks", "spent")
_SPENT = ("requests", "epsilon", "delta", "sums", "relation")


def to_json(filter: Any) -> str:
    """Return a `Filter`, which stands after this file, as JSON text; sums are decimals, which no double holds."""
    if filter.arithmetic != "decimal":
        raise ValueError(f"arithmetic must be decimal for a filter that is kept; got {filter.arithmetic!r}")
    tally = filter.tally
    spent = {"requests": tally.count, "epsilon": str(tally.epsilon), "delta": str(tally.delta)}
    spent |= {"sums": [str(each) for each in tally.sums], "relation": tally.relation}
    values = (VERSION, _pair(filter.budget), filter.rule, filter.or_basic, filter.release_delta)
    held = (*values, request_fields(filter.mechanism), spent)
    return json.dumps(dict(zip(_FIELDS, held, strict=True)), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _pair(pair: Guarantee) -> dict[str, float | None]:
    return {"epsilon": None if math.isinf(pair.epsilon) else pair.epsilon, "delta": pair.delta}


def request_fields(request: Guarantee | Mechanism | None) -> dict[str, object] | None:
    """Return how files hold what is asked, a pair or a mechanism by its fields; None stays None.

    Examples
    --------
    >>> request_fields(Guarantee(0.5)), request_of(request_fields(Guarantee(0.5)))
    ({'epsilon': 0.5, 'delta': 0.0}, Guarantee(epsilon=0.5, delta=0.0))
    """
    if request is None:
        return None
    if isinstance(request, Guarantee):
        return _pair(request)
    return {name: value for name, value in release_fields(Release("asked", request)).items() if name != "name"}


def from_json(text: str, kind: Any) -> Any:
    """Read a filter of this class from JSON text."""
    found = _object(_parsed(text), _FIELDS, "filter")
    if found["dpviz_filter"] != VERSION:
        raise ValueError(f"dpviz_filter must be {VERSION}; got {found['dpviz_filter']!r:.60}")
    made = kind(_guarantee(found["budget"]), *(found[name] for name in _FIELDS[2:5]), request_of(found["asks"]))
    spent = _object(found["spent"], _SPENT, "spent")
    if not isinstance(spent["sums"], list) or len(spent["sums"]) != len(made.tally.sums):
        raise ValueError(f"sums must be {len(made.tally.sums)} numbers under this rule; got {spent['sums']!r:.60}")
    count, relation = spent["requests"], spent["relation"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ValueError(f"requests must be a whole number, at least 0; got {count!r:.60}")
    if relation not in (None, "add_remove", "replace_one"):
        raise ValueError(f"relation must be null, add_remove or replace_one; got {relation!r:.60}")
    epsilon, delta, *sums = (_amount(each) for each in (spent["epsilon"], spent["delta"], *spent["sums"]))
    if made.rule == "basic" and sums != [epsilon]:
        raise ValueError(f"sums must be epsilon under the rule basic; got {spent['sums']!r:.60}")
    tally = Tally(made.tally.terms, count, epsilon, delta, tuple(sums), relation)
    if not count and tally != made.tally:
        raise ValueError(f"spent must be nothing where no request was admitted; got {spent!r:.60}")
    if reason := made.exceeded_by(tally):
        raise ValueError(f"spent must be within the budget, as a filter leaves it; got what it refuses: {reason}")
    return kind(made.budget, made.rule, made.or_basic, made.release_delta, made.mechanism, tally=tally)


def _parsed(text: object) -> object:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"text must be a filter as to_json writes it; got {text!r:.60}") from None


def _object(value: object, names: tuple[str, ...], what: str) -> dict[str, object]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise ValueError(f"{what} must be an object of {', '.join(names)}; got {value!r:.60}")
    return value


def _guarantee(value: object) -> Guarantee:
    pair = _object(value, ("epsilon", "delta"), "budget")
    return Guarantee(math.inf if pair["epsilon"] is None else pair["epsilon"], pair["delta"])


def request_of(value: object) -> Guarantee | Mechanism | None:
    """Read what `request_fields` gives; ValueError where it is none."""
    if value is None:
        return None
    if isinstance(value, dict) and "mechanism" in value:
        return release_from({"name": "asked", **value}, {}).mechanism
    return _guarantee(value)


def _amount(text: object) -> Decimal:
    """A sum: at least 0; infinite where a request had no pure ε."""
    try:
        value = Decimal(text) if isinstance(text, str) else None
    except InvalidOperation:
        value = None
    if value is None or value.is_nan() or value < 0:
        raise ValueError(f"sums must be decimals in quotation marks, at least 0; got {text!r:.60}")
    return value
