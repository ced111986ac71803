"""A plan in a link: the whole of it, compressed, checked and safe in a URL; no server keeps anything.

How a text becomes a token is in `dpviz.plan.files.packed`. In version 1 the text is the plan's own JSON
(`dpviz.plan.files.json_file`). In version 2 it is a whole document (`dpviz.plan.files.document_text`). Page and
view are in the rest of the URL, readable by people.
"""

from __future__ import annotations

import json

from dpviz.plan.document import Document
from dpviz.plan.files import document_text
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
    text = content.plan.to_json() if version == PLAN else document_text.written(content)
    return token_of(text, version, max(len(each.releases) for each in plans))


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
    try:
        return document_text.read(content, _plan, MOST_RELEASES, LONGEST_CELL)
    except PermalinkError:
        raise
    except ValueError as error:
        raise no_plan(str(error)) from None


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
