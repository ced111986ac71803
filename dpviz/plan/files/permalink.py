"""A plan in a link: the whole of it, compressed, checked and safe in a URL; no server keeps anything.

How a text becomes a token is in `dpviz.plan.files.packed`. In version 1 the text is the plan's own JSON
(`dpviz.plan.files.json_file`). In version 2 it is a whole document (`dpviz.plan.Document`): a JSON object of names,
rows that do not count, open questions and, where there is one, the author; then the JSON of the plan, of the plan as
it was opened and of plan A, where they differ, each after a record separator. Page and view are in the rest of the
URL, readable by people.
"""

from __future__ import annotations

import json

from dpviz.plan.document import LONGEST_NAME, QUESTIONS, Document, Uncounted
from dpviz.plan.files.packed import (
    DOCUMENT,
    MOST_RELEASES,
    PLAN,
    PermalinkError,
    no_plan,
    text_of,
    token_of,
)
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError

LONGEST_CELL = 200  # letters of a row that makes no release
_SEPARATOR = "\x1e"  # stands in no JSON text


def token(content: Plan | Document) -> str:
    """Return the text that holds a plan or a whole document in a URL; `opened` and `document` give back an equal one.

    Parameters
    ----------
    content : Plan or Document
        Plans of at most 500 releases. A document that is nothing but an unnamed plan has the token of that plan.

    Returns
    -------
    str
        Letters, digits, ``.``, ``-`` and ``_``; at most 7,500, and about 50 a release.

    Raises
    ------
    PermalinkError
        When it is too large for a link.

    Examples
    --------
    >>> opened(token(Plan([], unit="household"))).unit
    'household'
    """
    content = content if isinstance(content, Document) else Document(content)
    version = PLAN if content == Document(content.plan) else DOCUMENT
    plans = [each for each in (content.plan, content.opened, content.baseline) if each]
    text = content.plan.to_json() if version == PLAN else _document_text(content)
    return token_of(text, version, max(len(each.releases) for each in plans))


def _document_text(content: Document) -> str:
    head = {
        "name": content.name,
        "a_name": content.baseline_name,
        "uncounted": [[row.position, dict(row.cells)] for row in content.uncounted],
        "questions": content.questions,
        **({"author": content.author} if content.author else {}),
    }
    others = (content.opened if content.opened != content.plan else None, content.baseline)
    texts = (json.dumps(head, ensure_ascii=False), content.plan.to_json(), *(_json_or_nothing(each) for each in others))
    return _SEPARATOR.join(texts)


def _json_or_nothing(plan: Plan | None) -> str:
    return plan.to_json() if plan else ""


def opened(text: str) -> Plan:
    """Return the plan that a token holds.

    Parameters
    ----------
    text : str
        What `token` made. Anything else is refused within a second and in a few megabytes, whoever wrote it.

    Raises
    ------
    PermalinkError
        With one sentence that tells a damaged token from one of a newer dpviz, an oversized one, and one without a
        plan.

    Examples
    --------
    >>> opened("1.AAAA")
    Traceback (most recent call last):
        ...
    dpviz.plan.files.packed.PermalinkError: The link is damaged, cut or mistyped: copy it again, or open ...
    """
    return document(text).plan


def document(text: str) -> Document:
    """Return the document that a token holds; of a token that holds a plan only, that plan as it was opened.

    Raises
    ------
    PermalinkError
        As `opened`.

    Examples
    --------
    >>> document(token(Document(Plan([]), "Census"))).name
    'Census'
    """
    version, content = text_of(text)
    if version == PLAN:
        return Document(_plan(content))
    head, *plans = content.split(_SEPARATOR)
    if len(plans) != 3:
        raise no_plan("it is cut")
    try:
        parts = _head(json.loads(head))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise no_plan("its names and rows cannot be read") from None
    plan, as_opened, baseline = (_plan(each) if each else None for each in plans)
    if plan is None:
        raise no_plan("it is empty")
    return Document(plan, opened=as_opened, baseline=baseline, **parts)


def _head(head: dict[str, object]) -> dict[str, object]:
    """Names, rows and questions of a document, in the types and sizes that they must have."""
    rows = []
    for position, cells in head["uncounted"][:MOST_RELEASES]:
        pairs = tuple((column, _cell(cell)) for column, cell in cells.items() if isinstance(cell, str))
        rows.append(Uncounted(min(max(int(position), 0), MOST_RELEASES), pairs))
    return {
        "name": _cell(head["name"]),
        "baseline_name": _cell(head["a_name"])[:LONGEST_NAME],
        "uncounted": tuple(rows),
        "questions": tuple(each for each in QUESTIONS if each in head["questions"]),
        "author": _cell(head.get("author", "")),
    }


def _cell(text: str) -> str:
    """The first letters of a text; one with lone surrogates, which cannot be written anywhere, is refused."""
    return text.encode().decode()[:LONGEST_CELL]


def _plan(text: str) -> Plan:
    _check_size(text)
    try:
        return Plan.from_json(text)
    except PlanFileError as error:
        raise no_plan(str(error.problems[0]), error.problems[0]) from None


def _check_size(document: str) -> None:
    """Refuse too many releases before any is made: calibrating noise takes time."""
    try:
        parsed = json.loads(document)
    except (ValueError, RecursionError):
        raise no_plan("it is not JSON") from None
    releases = parsed.get("releases") if isinstance(parsed, dict) else None
    if isinstance(releases, list) and len(releases) > MOST_RELEASES:
        raise PermalinkError(
            f"The link holds {len(releases):,} releases, at most {MOST_RELEASES}: open the plan as a file."
        )
