"""Plans as JSON: everything a plan holds, without loss. Every dpviz reads the files of older ones.

Version 1 is an object of dpviz_plan (the version), budget (epsilon, null for no limit, and delta), unit, relation,
population, adaptive and releases; a release is an object of name, mechanism, its parameters, count and part. Version 2
adds to a release start, cadence, end, weight, typical and done, where they are given. Version 3 adds answer_unit, and
done may be a date. Version 4 adds kind (what is published: a key of ``dpviz.plan.kinds.KINDS``), lower and upper (what
each unit's value is clipped to), and curve (what a declared release declares: text as `Declared.from_text` reads it).
Version 5 leaves out a sensitivity that nobody typed: it follows from what the release says of itself, or is open.
Former versions always wrote one, and where there was none 1 was read; read now, it is open, too.
Version 6 adds disclosure, where something is stated: an object of texts by the names of `dpviz.plan.Disclosure`; of
counts by keys that are private, threshold and keys: what a noisy count must exceed; candidates of a pick; training: how
a model is trained, text as `TrainedModel.from_text` reads it; and answers, where its checks were answered: an object by
the names of `dpviz.plan.Answers`.
What is null or absent was not stated by anybody.
Up to version 2 a plan in which something is done is adaptive unless it says otherwise.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.plan.answers import ANSWERED, Answers
from dpviz.plan.disclosure import NAMES, Disclosure
from dpviz.plan.field_table import DATES, NUMBERS, VERSION, of_version
from dpviz.plan.fields import (
    DATE_ALLOWED,
    DEFAULTS,
    MAXIMUM_ROWS,
    NUMBER_ALLOWED,
    Unreadable,
    day,
    number,
    release_fields,
    release_from,
    release_problems,
)
from dpviz.plan.problems import PlanFileError, Problem, blamed, shown
from dpviz.plan.promise import FIELDS as PROMISE
from dpviz.plan.promise import NO_LIMIT
from dpviz.plan.release import Release

P = TypeVar("P")
OPTIONAL = tuple(name for name, value in DEFAULTS.items() if value is None)  # may be null
# Objects beside the releases: what makes each, and the names in it of what.
BESIDE: dict[str, tuple[Callable[..., Disclosure | Answers], tuple[str, ...], str]] = {
    "disclosure": (Disclosure, NAMES, "texts"),
    "answers": (Answers, ANSWERED, "answers"),
}
BESIDE_SINCE = 6
FIELDS = ("dpviz_plan", "budget", *PROMISE, *BESIDE, "releases")


class _Object(dict):
    """A JSON object that remembers the keys it was given twice."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.repeated: tuple[str, ...] = ()
        if len(self) < len(pairs):
            self.repeated = tuple(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)


def to_json(
    releases: Iterable[Release], budget: Guarantee, promise: dict[str, object],
    disclosure: Disclosure | None = None, answers: Answers | None = None,
) -> str:  # fmt: skip
    """Return a plan as JSON text, one line per release; `promise` holds its unit, relation, population and adaptive.

    Examples
    --------
    >>> '"dpviz_plan": 7' in to_json([], Guarantee(1.0), {"unit": "person"})
    True
    """
    limit = None if budget.epsilon == math.inf else budget.epsilon
    head = {
        "dpviz_plan": VERSION,
        "budget": {"epsilon": limit, "delta": budget.delta},
        **promise,
        **{name: each.stated for name, each in zip(BESIDE, (disclosure, answers), strict=True) if each},
    }
    lines = [f"  {_dumped(name)}: {_dumped(value)}" for name, value in head.items()]
    rows = ",\n".join("    " + _dumped(release_fields(release)) for release in releases)
    return "{\n" + ",\n".join(lines) + ',\n  "releases": [' + (f"\n{rows}\n  " if rows else "") + "]\n}\n"


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def from_json(text: str, plan: Callable[..., P]) -> P:
    """Read a plan from JSON text of this version or an older one.

    Parameters
    ----------
    text : str
        As `to_json` writes it. Only ``dpviz_plan`` and ``releases`` are required, and of a release its name, mechanism
        and parameters.
    plan : callable
        What makes the plan of its releases, budget and promise: ``dpviz.Plan``.

    Raises
    ------
    PlanFileError
        With the line of a JSON error, or all bad fields with the position of their release.

    Examples
    --------
    >>> from_json('{"dpviz_plan": 1, "releases": []}', lambda releases, budget, **promise: promise)
    {}
    """
    document = _parsed(text.removeprefix("\ufeff"))
    _check_version(document)
    budget, problems = _budget(document.get("budget", _Object([("epsilon", None), ("delta", NO_LIMIT.delta)])))
    problems = _plan_problems(document, plan) + problems
    releases = document.get("releases")
    if not isinstance(releases, list):
        raise PlanFileError([*problems, Problem(None, "releases", shown(releases), "must be a list of releases")])
    if len(releases) > MAXIMUM_ROWS:
        raise PlanFileError([Problem(None, "releases", str(len(releases)), f"must be at most {MAXIMUM_ROWS:,} rows")])
    made, release_faults = _releases(releases, of_version(document["dpviz_plan"]))
    if problems or release_faults:
        raise PlanFileError(problems + release_faults)
    rest = {name: document[name] for name in PROMISE if name in document}
    rest |= {name: made(**document[name]) for name, (made, *_) in BESIDE.items() if document.get(name)}
    if rest.get("adaptive") is None and document["dpviz_plan"] < 3 and any(each.done for each in made):
        rest["adaptive"] = True
    try:
        return plan(made, budget, **rest)
    except ValueError as error:
        raise PlanFileError([Problem(None, *blamed(error, document, None))]) from None


def _parsed(text: str) -> _Object:
    try:
        document = json.loads(
            text, object_pairs_hook=_Object, parse_float=_number, parse_int=_number, parse_constant=Unreadable
        )
    except json.JSONDecodeError as error:
        rest = text[error.pos : error.pos + 100].partition("\n")[0]
        allowed = f"must be valid JSON ({error.msg} at character {error.colno})"
        raise PlanFileError([Problem(error.lineno, "JSON", rest, allowed)]) from None
    except RecursionError:
        raise PlanFileError([Problem(None, "JSON", text[:100], "must not nest so deeply")]) from None
    if not isinstance(document, _Object):
        raise PlanFileError([Problem(None, "JSON", shown(document), 'must be an object {"dpviz_plan": 1, ...}')])
    return document


def _number(text: str) -> float | int | Unreadable:
    value = number(text)
    return Unreadable(text) if value is None else value


def _check_version(document: _Object) -> None:
    """Refuse a newer version first: its fields may mean anything."""
    version = document.get("dpviz_plan")
    if isinstance(version, int) and not isinstance(version, bool) and 1 <= version <= VERSION:
        return
    allowed = f"must be the version of the file format, a whole number up to {VERSION}"
    if isinstance(version, int) and version > VERSION:
        allowed = f"is a newer version of the file format: this dpviz reads versions up to {VERSION}"
    value = "" if "dpviz_plan" not in document else shown(version)
    raise PlanFileError([Problem(None, "dpviz_plan", value, allowed)])


def _shape(fields: _Object, allowed: tuple[str, ...], nested: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    """Faults of any object: unknown and repeated fields, lists and objects where a single value belongs."""
    faults = [("field", ", ".join(fields.repeated), "must not be given twice")] if fields.repeated else []
    if unknown := [name for name in fields if name not in allowed]:
        faults.append(("field", ", ".join(unknown), "must be one of the fields " + ", ".join(allowed)))
    for name in allowed:
        if isinstance(fields.get(name), list | dict) and name not in nested:
            faults.append((name, shown(fields[name]), "must be a single value"))
    return faults


def _plan_problems(document: _Object, plan: Callable) -> list[Problem]:
    """All that is wrong beside the releases, each field tried alone so that one error does not hide another."""
    beside = BESIDE if document["dpviz_plan"] >= BESIDE_SINCE else {}
    known = tuple(each for each in FIELDS if each in beside or each not in BESIDE)
    faults = _shape(document, known, ("budget", "releases", *beside))
    faults += [fault for name in beside for fault in _faults_beside(name, document.get(name))]
    for name in PROMISE:
        if name in document and not isinstance(document[name], list | dict):
            try:
                plan([], **{name: document[name]})
            except ValueError as error:
                faults.append(blamed(error, document, name))
    return [Problem(None, *fault) for fault in faults]


def _faults_beside(beside: str, given: object) -> list[tuple[str, str, str]]:
    """What is wrong with what is stated, or answered, beside the numbers, each field tried alone."""
    made, names, of = BESIDE[beside]
    if given is None:
        return []
    if not isinstance(given, _Object):
        return [(beside, shown(given), f"must be an object of {of} by their names")]
    faults = _shape(given, names)
    for name in given.keys() & set(names) - {fault[0] for fault in faults}:
        try:
            made(**{name: given[name]})
        except ValueError as error:
            faults.append(blamed(error, given, name))
    return [(f"{beside} {column}", value, allowed) for column, value, allowed in faults]


def _budget(budget: object) -> tuple[Guarantee | None, list[Problem]]:
    if not isinstance(budget, _Object):
        return None, [Problem(None, "budget", shown(budget), 'must be an object {"epsilon": ..., "delta": ...}')]
    faults = _shape(budget, ("epsilon", "delta"))
    for name in ("epsilon", "delta"):
        if name not in budget:
            faults.append((name, "", "must be given in the budget"))
    if not faults:
        values = {**budget, "epsilon": math.inf if budget["epsilon"] is None else budget["epsilon"]}
        try:
            return Guarantee(**values), []
        except ValueError as error:
            faults.append(blamed(error, budget, "budget"))
    return None, [Problem(None, *("budget " + column, value, allowed)) for column, value, allowed in faults]


def _releases(items: list[object], columns: tuple[str, ...]) -> tuple[list[Release], list[Problem]]:
    made, problems, known = [], [], {}
    for position, item in enumerate(items, start=1):
        outcome = _release(item, columns, known)
        if isinstance(outcome, Release):
            made.append(outcome)
        else:
            problems += [Problem(None, *fault, release=position) for fault in outcome]
    return made, problems


def _release(
    item: object, columns: tuple[str, ...], known: dict[tuple, Mechanism]
) -> Release | list[tuple[str, str, str]]:
    """The release of one object, or all that is wrong with it."""
    if not isinstance(item, _Object):
        return [("release", shown(item), "must be an object with name, mechanism and parameters")]
    given = {name: value for name, value in item.items() if value is not None or name not in OPTIONAL}
    fields = {name: math.inf if name in NUMBERS and value == "inf" else value for name, value in given.items()}
    faults = _shape(item, columns) or _types(fields)
    if not faults:
        try:
            return release_from(fields, known)
        except ValueError:
            pass  # the usual release is right: what is wrong is looked for only here
    return faults or release_problems(fields, known)


def _types(fields: dict[str, object]) -> list[tuple[str, str, str]]:
    faults = []
    for name, value in fields.items():
        if name in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
            faults.append((name, shown(value), NUMBER_ALLOWED))
        elif name == "done" and not isinstance(value, bool) and not (isinstance(value, str) and day(value)):
            faults.append((name, shown(value), "must be true, false or" + DATE_ALLOWED.removeprefix("must be")))
        elif name not in (*NUMBERS, "done") and not isinstance(value, str):
            faults.append((name, shown(value), "must be text"))
        elif name in DATES and day(value) is None:
            faults.append((name, shown(value), DATE_ALLOWED))
    return faults
