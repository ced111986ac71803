"""A plan in a link: the whole of it, compressed, checked and safe in a URL; no server keeps anything.

A token is the version of its format, a dot, and in URL-safe base64 without padding: a checksum, then the deflated text.
In version 1 the text is the plan's own JSON (`dpviz.plan.files.json_file`). In version 2 it is a whole document
(`dpviz.plan.Document`): a JSON object of names, rows that do not count, open questions and, where there is one, the
author; then the JSON of the plan, of the plan as it was opened and of plan A, where they differ, each after a record
separator. Page and view are in the rest of the URL, readable by people.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import reprlib
import zlib

from dpviz.plan.document import LONGEST_NAME, QUESTIONS, Document, Uncounted
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError, Problem

PLAN, DOCUMENT = 1, 2  # the versions of the format
LONGEST_TOKEN = 7_500  # common servers and proxies refuse a request line beyond 8 kB
LONGEST_TEXT = 500_000  # bytes a token may unfold to: 500 releases with the longest names take 400,000
LONGEST_CELL = 200  # letters of a row that makes no release
MOST_RELEASES = 500  # noise for 500 different (ε, δ) is calibrated in a fraction of a second
_SEPARATOR = "\x1e"  # stands in no JSON text
_TOKEN = re.compile(r"(\d{1,9})\.([A-Za-z0-9_-]*)", re.ASCII)
# What plans have in common; the commonest last, where a reference to it is shortest. Part of the format: see PLAN.
_WORDS = (
    '": "'.join(
        ["without_replacement", "poisson", "replace_one", "name_and_shame", "approximate_dp", "lecture11", "monthly"]
    )
    + "household user-month user-day device patient North South East West number of visitors per day and region Total "
    "Average Mean Median Count of Sum Histogram distribution by age group survey Daily Weekly Monthly report "
    + ', "scheme": "poisson", "rate": 0.01, "calibration": "classical", "mechanism": "randomized_response", "epsilon": '
    '{\n  "dpviz_plan": 2,\n  "budget": {"epsilon": null, "delta": 1e-06},\n  "budget": {"epsilon": 1.0, '
    '"delta": 1e-06},\n  "unit": "person",\n  "relation": "add_remove",\n  "relation": null,\n  "population": null,\n'
    '  "adaptive": true,\n  "adaptive": false,\n  "releases": [\n    {"name": "'
    '", "mechanism": "approximate_dp", "epsilon": ", "mechanism": "gaussian", "sigma": '
    '", "mechanism": "gaussian", "epsilon": 0.5, "delta": 1e-09, "sensitivity": 1.0, "calibration": "analytic", '
    '"count": 1, "part": "'
    '", "done": true, "typical": 1000.0, "weight": 2.0, "start": "2025-", "start": "2026-01-01", "cadence": "once", '
    '"cadence": "weekly", "cadence": "monthly", "cadence": "daily", "end": "2026-12-31", "weight": 1.5, "typical": 100'
    '.0, "done": true},\n    {"name": "'
    '", "mechanism": "laplace", "scale": 10.0, "sensitivity": 1.0, "count": 1, "part": null, "start": "2026-0'
    '"},\n    {"name": "'
    '", "mechanism": "laplace", "epsilon": 0.1, "sensitivity": 1.0, "count": 1, "part": null}\n  ]\n}\n'
    '", "mechanism": "laplace", "epsilon": 0.1, "sensitivity": 1.0, "count": 1, "part": null},\n    {"name": "'
).encode()


class PermalinkError(ValueError):
    """A link cannot be made or opened; its message is one sentence for the reader.

    Parameters
    ----------
    message : str
    problem : Problem, optional
        What is wrong with the plan that it holds, first of all; it stands in brackets in the message.
    """

    def __init__(self, message: str, problem: Problem | None = None) -> None:
        super().__init__(message)
        self.problem = problem


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
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=_WORDS)
    packed = deflater.compress(text.encode()) + deflater.flush()
    coded = base64.urlsafe_b64encode(_checksum(packed, version) + packed).rstrip(b"=").decode("ascii")
    result = f"{version}.{coded}"
    most = max(len(each.releases) for each in plans)
    if most > MOST_RELEASES:
        fault = f"{most:,} releases, at most {MOST_RELEASES}"
    elif max(len(result) - LONGEST_TOKEN, len(text.encode()) - LONGEST_TEXT) > 0:
        fault = f"{len(result):,} characters, at most {LONGEST_TOKEN:,}"
    else:
        return result
    raise PermalinkError(f"The plan is too large for a link ({fault}): save it as a file.")


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
    dpviz.plan.files.permalink.PermalinkError: The link is damaged, cut or mistyped: copy it again, or open ...
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
    version, packed = _packed(text)
    content = _unfolded(packed)
    if version == PLAN:
        return Document(_plan(content))
    head, *plans = content.split(_SEPARATOR)
    if len(plans) != 3:
        raise _no_plan("it is cut")
    try:
        parts = _head(json.loads(head))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _no_plan("its names and rows cannot be read") from None
    plan, as_opened, baseline = (_plan(each) if each else None for each in plans)
    if plan is None:
        raise _no_plan("it is empty")
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
        raise _no_plan(str(error.problems[0]), error.problems[0]) from None


def _no_plan(why: str, problem: Problem | None = None) -> PermalinkError:
    return PermalinkError(f"The link holds no plan that can be opened ({why}).", problem)


def _checksum(packed: bytes, version: int) -> bytes:
    return zlib.crc32(packed, version).to_bytes(4, "big")


def _packed(text: object) -> tuple[int, bytes]:
    """The version and the deflated bytes of a token whose form, version, length and checksum are right."""
    damaged = PermalinkError("The link is damaged, cut or mistyped: copy it again, or open the plan as a file.")
    if not isinstance(text, str):
        raise PermalinkError(f"The link must be text; got {reprlib.repr(text)}.")
    if len(text) > LONGEST_TOKEN:
        raise PermalinkError(
            f"The link is too long ({len(text):,} characters, at most {LONGEST_TOKEN:,}): open the plan as a file."
        )
    parts = _TOKEN.fullmatch(text.strip())
    if not parts:
        raise damaged
    version = int(parts[1])
    if version > DOCUMENT:
        raise PermalinkError(f"The link was made by a newer dpviz (version {version}; this one opens {DOCUMENT}).")
    try:
        content = base64.b64decode(parts[2] + "=" * (-len(parts[2]) % 4), b"-_", validate=True)
    except binascii.Error:
        raise damaged from None
    if version < PLAN or content[:4] != _checksum(content[4:], version):
        raise damaged
    return version, content[4:]


def _unfolded(packed: bytes) -> str:
    inflater = zlib.decompressobj(-15, zdict=_WORDS)
    try:
        content = inflater.decompress(packed, LONGEST_TEXT + 1)
    except zlib.error:
        raise _no_plan("it does not unfold") from None
    if len(content) > LONGEST_TEXT:
        raise PermalinkError(f"The link unfolds to more than {LONGEST_TEXT:,} bytes: open the plan as a file.")
    if not inflater.eof:
        raise _no_plan("it ends too early")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise _no_plan("it is not UTF-8 text") from None


def _check_size(document: str) -> None:
    """Refuse too many releases before any is made: calibrating noise takes time."""
    try:
        parsed = json.loads(document)
    except (ValueError, RecursionError):
        raise _no_plan("it is not JSON") from None
    releases = parsed.get("releases") if isinstance(parsed, dict) else None
    if isinstance(releases, list) and len(releases) > MOST_RELEASES:
        raise PermalinkError(
            f"The link holds {len(releases):,} releases, at most {MOST_RELEASES}: open the plan as a file."
        )
