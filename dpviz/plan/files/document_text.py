"""A whole document as text: names, rows that do not count, open questions, and up to three plans, without loss.

A JSON object of names, rows that do not count, open questions and, where there are such, the author, the file's origin,
what was typed for another relation or a shorter time, and a first day; then the JSON of the plan, of the plan as it was
opened and of plan A, where they differ, each after a record separator.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

from dpviz.guarantee import Guarantee
from dpviz.plan.cadence import cadence_named, day
from dpviz.plan.document import LONGEST_NAME, QUESTIONS, Document, Origin, Uncounted
from dpviz.plan.plan import Plan

_SEPARATOR = "\x1e"  # stands in no JSON text


def written(content: Document) -> str:
    """Return a document as text; `read` gives back an equal one.

    Examples
    --------
    >>> read(written(Document(Plan([]), "Census"))).name
    'Census'
    """
    head = {
        "name": content.name,
        "a_name": content.baseline_name,
        "uncounted": [[row.position, dict(row.cells)] for row in content.uncounted],
        "questions": content.questions,
        **({"author": content.author} if content.author else {}),
        **({"origin": _written_origin(content.origin)} if content.origin else {}),
        **({"typed_otherwise": content.typed_otherwise} if content.typed_otherwise else {}),
        **({"typed_shorter": content.typed_shorter} if content.typed_shorter else {}),
        **({"typical_before": content.typical_before} if content.typical_before else {}),
        **({"begin": content.begin.isoformat()} if content.begin else {}),
    }
    others = (content.opened if content.opened != content.plan else None, content.baseline)
    texts = (each.to_json() if each else "" for each in others)
    return _SEPARATOR.join((json.dumps(head, ensure_ascii=False), content.plan.to_json(), *texts))


def read(
    text: str,
    plan_of: Callable[[str], Plan] = Plan.from_json,
    most_rows: int | None = None,
    longest_cell: int | None = None,
) -> Document:
    """Read a document.

    Parameters
    ----------
    text : str
    plan_of : callable
        What reads a plan of its JSON.
    most_rows, longest_cell : int, optional
        How many rows that make no release are kept, and how many letters of each cell; None for all.

    Raises
    ------
    ValueError
        With a few words on what is wrong: "it is cut".
    """
    head, *plans = text.split(_SEPARATOR)
    if len(plans) != 3:
        raise ValueError("it is cut")
    try:
        parts = _head(json.loads(head), most_rows, longest_cell)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("its names and rows cannot be read") from None
    plan, as_opened, baseline = (plan_of(each) if each else None for each in plans)
    if plan is None:
        raise ValueError("it is empty")
    return Document(plan, opened=as_opened, baseline=baseline, **parts)


def _head(head: dict[str, object], most_rows: int | None, longest_cell: int | None) -> dict[str, object]:
    """Names, rows and questions of a document, in the types and sizes that they must have."""
    rows = []
    for position, cells in head["uncounted"][:most_rows]:
        pairs = tuple((column, _cell(cell, longest_cell)) for column, cell in cells.items() if isinstance(cell, str))
        last = int(position) if most_rows is None else min(int(position), most_rows)
        rows.append(Uncounted(max(last, 0), pairs))
    return {
        "name": _cell(head["name"], longest_cell),
        "baseline_name": _cell(head["a_name"], longest_cell)[:LONGEST_NAME],
        "uncounted": tuple(rows),
        "questions": tuple(each for each in QUESTIONS if each in head["questions"]),
        "author": _cell(head.get("author", ""), longest_cell),
        "origin": _origin(head["origin"]) if head.get("origin") else None,
        "typed_otherwise": tuple(
            (float(value), _cell(name, longest_cell)) for value, name in head.get("typed_otherwise", ())[:most_rows]
        ),
        **{about: tuple((_cell(name, longest_cell), cadence_named(key).key)
                        for name, key in head.get(about, ())[:most_rows])
           for about in ("typed_shorter", "typical_before")},
        "begin": day(head.get("begin", "")),
    }


def _written_origin(origin: Origin) -> dict[str, object]:
    claim = origin.claim
    return asdict(origin) | {"claim": claim and [claim.epsilon, claim.delta]}


def _origin(told: dict[str, object]) -> Origin:
    """What is to be known of the file that the plan was opened from, in the types and sizes that it must have."""
    claim = None
    if told["claim"] is not None:
        epsilon, delta = told["claim"]
        claim = Guarantee(epsilon, delta)
    texts, left_open = (tuple(_cell(each, None) for each in told[name]) for name in ("not_understood", "left_open"))
    form, printed = _cell(told["form"], LONGEST_NAME), _cell(told["printed"], LONGEST_NAME)
    return Origin(form, texts, told["incomplete"] is True, claim, printed, left_open).shortened


def _cell(text: str, longest: int | None) -> str:
    """The first letters of a text; one with lone surrogates, which cannot be written anywhere, is refused."""
    return text.encode().decode()[:longest]
