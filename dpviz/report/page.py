"""The statement of a plan: an HTML page that opens offline and prints on two sheets, Markdown, and JSON."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING

from dpviz.parameters import checked
from dpviz.plan import Plan
from dpviz.report.facts import facts
from dpviz.report.sections import Bullets, Drawing, Link, Section, Strong, Words, length
from dpviz.report.statement import heading, sections
from dpviz.report.subject import Subject

if TYPE_CHECKING:
    from jinja2 import Environment

_MARKS = re.compile(r"([\\`*_\[\]<>|~&$@#^])|(?<=:)(?=//)|(?<=www)(?=\.)")  # what begins an element or a link
# Of one sheet for people: how large its letters are, in pixels, and how many of one pixel it would surely hold. Of 25
# plans in the widest usual letters (DejaVu Sans) all had room for a twenty-fifth more.
SMALLEST, LARGEST, ROOM = 9.0, 14.0, 515_000
_STARTS = re.compile(r"^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))")  # what begins a list at the start of a line


def as_json(subject: Subject | Plan) -> str:
    """Return the statement as JSON text; `dpviz schema report` says what its fields are.

    Parameters
    ----------
    subject : Subject or Plan
        A plan alone has no name, author or date.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> '"dpviz":' in as_json(Subject(Plan([])))
    True
    """
    return json.dumps(facts(_subject(subject)), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _subject(given: Subject | Plan) -> Subject:
    return Subject(given) if isinstance(given, Plan) else checked(given, Subject, "subject", "a Plan or a Subject")


def html(subject: Subject | Plan) -> str:
    """Return the statement as one self-contained HTML page.

    Parameters
    ----------
    subject : Subject or Plan
        The plan, and what else is said of it.

    Returns
    -------
    str
        No script, no request; every text that comes from the plan is escaped.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> "<script" in html(Subject(Plan([], unit="<script>")))
    False
    """
    return _rendered("statement.html", _subject(subject)).replace(" %", "\u00a0%")  # which begins no line


def markdown(subject: Subject | Plan) -> str:
    r"""Return the statement as Markdown, with tables as GitHub reads them.

    Parameters
    ----------
    subject : Subject or Plan
        The plan, and what else is said of it.

    Returns
    -------
    str
        Every text that comes from the plan is escaped: it makes no element and no link.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> markdown(Subject(Plan([], unit="*user*"))).splitlines()[0]
    '# What these releases cost one \\*user\\*'
    """
    return _rendered("statement.md", _subject(subject))


def _rendered(template: str, subject: Subject) -> str:
    told: dict = facts(subject)
    parts: list[Section] = sections(told, subject)
    titled = f"{told['document']['name']}: privacy budget" if told["document"]["name"] else "Privacy budget"
    title = f"{titled} per {told['promise']['unit_in_words']}"
    first = heading(told, subject.people)
    size = min(max(math.sqrt(ROOM / length(parts)), SMALLEST), LARGEST)
    size = f"{size:.2f}" if subject.people else ""
    return _templates().get_template(template).render(heading=first, sections=parts, title=title, size=size)


@cache
def _templates() -> Environment:
    """Templates by name; those of HTML escape whatever they are given."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    found = Environment(
        loader=PackageLoader("dpviz.report"), autoescape=select_autoescape(["html"]), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    for kind in (Words, Bullets, Drawing, Strong, Link):
        found.tests[kind.__name__.lower()] = lambda value, kind=kind: isinstance(value, kind)
    found.filters |= {"text": marked, "address": _address}
    return found


def marked(text: str) -> str:
    r"""Return a text as Markdown that shows it letter by letter; its lines stay in one paragraph or cell.

    Examples
    --------
    >>> marked("a|b\n# c"), marked("- https://x.org")
    ('a\\|b<br>\\# c', '\\- https:\\//x.org')
    """
    lines = (_STARTS.sub(r"\1\2\\" if _is_number(line) else r"\1\\\2", _escaped(line)) for line in text.split("\n"))
    return "<br>".join(lines)


def _escaped(line: str) -> str:
    return _MARKS.sub(lambda found: "\\" + (found[1] or ""), line)


def _is_number(line: str) -> bool:
    return line.lstrip()[:1].isdigit()


def _address(link: str) -> str:
    """An address between angle brackets, which it must not end."""
    return re.sub(r"[<>\s\\]", lambda found: f"%{ord(found[0]):02X}", link)
