"""What the core refuses, in the words of the place: labels of columns and inputs, intervals in words, what is typed.

The core says "name must be allowed; got value"; see `dpviz.parameters` and `dpviz.plan.problems`. No page shows that
sentence itself: every exception that reaches one goes through this module.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from dpviz.filters.query_text import QueryTextError
from dpviz.mechanisms import MECHANISMS
from dpviz.plan import PlanFileError, Problem
from dpviz.plan.field_table import WRITTEN
from dpviz.plan.problems import LISTED_PROBLEMS
from dpviz.plan.promise import RELATIONS
from dpviz.plan.sensitivity import NO_DIVISOR
from dpviz.ui.shell import reading
from dpviz.ui.shell.plan_rows import CELLS, KIND_LABELS, LABELS, SIGNS, WANTED
from dpviz.ui.shell.words import escaped

LOGGER = logging.getLogger("dpviz.ui")
BROKEN = "The database of this server cannot be used just now, so nothing was saved: its log has the reason."
SYMBOLS = {**SIGNS, "alpha": "α", "eps": "ε"}
# What the arguments of the core are called where they are typed.
NAMES: dict[str, str] = {
    **{column: f"“{field.label}”" for column, field in CELLS.items()},
    **SYMBOLS,
    **dict.fromkeys(WRITTEN, "“Noise”"),
    WANTED: "the wanted error",
    "lower": "the lower end of “Clipped to”",
    "upper": "the upper end of “Clipped to”",
    "bounds": "“Clipped to”",
    "lower and upper": "“Sensitivity”, as the range of a value, such as 0 to 100, or how far one unit moves it,",
    "people": "how many are in the data, in the line above the table,",
    "population": "how many are in the data, in the line above the table,",
    "relation": "the promise",
    "unit": "“Unit of privacy”",
    "budget_epsilon": "“Budget ε”",
    "budget_delta": "“Budget δ”",
    "copies": "“Times as many records, or people together”",
    "days": "“Days”",
    "count on every day of the cadence": "“Times” on all days together",
    "sensitivity / sigma": "the sensitivity, divided by σ,",
    "epsilons": "each ε",
    "deltas": "each δ",
    "orders": "each order",
    "frontier": "the file of a sweep",
    "left_open": "“Not disclosed”",
    "score": "each score",
    "member": "each member",
    "scores": "the scores",
    "guesses": "“Guesses, fixed beforehand”",
    "reference": "“Reference”",
    "note": "“Note”",
    "data": "“Data set”",
    "epoch": "“Epoch”",
    "key": "the key of the budget",
    "version": "the version",
    "of": "what is meant",
    "project": "“Project”",
    "person": "“Person”",
    "role": "“Role”",
}
_QUERY = {"epsilon": "ε", "delta": "δ", "count": "times"}  # a line of queries, as its box calls them
_KEYS = {key: f"“{words}”" for key, words in RELATIONS.items()} | LABELS
_CLASSES = {kind.__name__: kind.label for kind in MECHANISMS}
_ABSENT = ("None", "none", "nothing", "it alone", "neither", "")
_WORDS = {"None": "nothing", "True": "yes", "False": "no", "inf": "infinite", "nan": "no number"}
_NO_NAMES = ("row", "header", "text", "file", "field", "column", "JSON", "release")  # of a problem: not of a column
_SENTENCE = re.compile(
    r"(?P<place>[^;]{1,120}?: )?(?P<name>[^:;]{1,80}?) (?P<allowed>(?:must|cannot) .*?)(?:; got (?P<got>.*))?",
    re.DOTALL,
)
_INTERVAL = re.compile(
    r"\b(?P<be>be |is )?(?:a (?P<whole>whole )?number )?in (?P<left>[\[(])(?P<low>-?[\d.e+-]+|-inf), "
    r"(?P<high>-?[\d.e+-]+|inf)(?P<right>[\])])(?P<also>, a whole number)?"
)
_QUOTED = re.compile(r"(“[^”]*”|(?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|(?<!\w)\"(?:[^\"\\]|\\.)*\"(?!\w))")
_PAIR = re.compile(r"Guarantee\(epsilon=([^,]+), delta=([^)]+)\)")
_MADE = re.compile(r"\b(?:([A-Z]\w*)(?:\.\w+)?\((?:[^()]|\([^()]*\))*\)|([A-Z][a-z]+(?:[A-Z][a-zA-Z]+)+)\b)")
# What another library said of a file stands in brackets: only the place is kept. Nobody types None.
_SHORTER = (
    (re.compile(r", or None\b|\bNone, (?=“?'?\w)"), ""),
    (re.compile(r"(valid JSON) \(.* at character (\d+)\)", re.DOTALL), r"\1, which it is not from character \2 on"),
    (re.compile(r"(as a sweep writes it|text around them|UTF-8 text) \(.*\)", re.DOTALL), r"\1"),
)
# What the core asks for by an argument can be typed in two places.
_AVERAGED = (
    "how many are averaged is to be said: under “Values or answers”, or behind the range under "
    "“Sensitivity”, as in “1 to 10 / 2000”; or, if it is everybody in the data, in the line above the table"
)
_SNAKE = re.compile(r"\b[a-zA-Z]+(?:_[a-z0-9]+)+\b")


def sentence(refusal: ValueError | str, names: Mapping[str, str] = NAMES) -> str:
    """Return a refusal of the core as one sentence of the page.

    Parameters
    ----------
    refusal : ValueError or str
    names : mapping
        What the arguments of the core are called on the page.

    Examples
    --------
    >>> sentence("count must be in [0, 1000000000], a whole number; got -1")
    '“Times” must be a whole number from 0 to 1,000,000,000, not -1.'
    >>> sentence("population must be given for this; got None")
    'How many are in the data, in the line above the table, must be given for this.'
    >>> sentence("unit must be text; got ''")
    '“Unit of privacy” must be text, and is empty.'
    """
    return _whole(clause(refusal, names))


def demanded(refusal: ValueError) -> str:
    """Return `sentence` without what was given, where the page shows that already.

    Examples
    --------
    >>> demanded(ValueError("count must be in [0, 9], a whole number; got -1"))
    '“Times” must be a whole number from 0 to 9.'
    """
    return sentence(str(refusal).partition("; got ")[0])


def _whole(text: str) -> str:
    text = text[:1].upper() + text[1:] if text[:1].isascii() else text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def clause(refusal: ValueError | str, names: Mapping[str, str] = NAMES) -> str:
    """Return `sentence` as part of a longer one: without a capital and a full stop.

    Examples
    --------
    >>> clause("sensitivity must be in (0, inf); got inf")
    '“Sensitivity” must be a number above 0, not infinite'
    """
    return _clause(str(refusal).strip(), names, _worded)


def _clause(text: str, names: Mapping[str, str], worded: Callable[[str], str]) -> str:
    if text.startswith(NO_DIVISOR):
        return _AVERAGED
    found = _SENTENCE.fullmatch(text)
    if not found:
        return worded(text).removesuffix(".")
    name = names.get(found["name"]) or worded(found["name"])
    return worded(found["place"] or "") + _joined(name, found["allowed"], _got(found["got"] or "", worded), worded)


def row(problems: Iterable[Problem]) -> str:
    """Return all that is wrong with a row of the table, a sentence for each.

    Examples
    --------
    >>> row([Problem(None, "count", "once", "must be in [0, 9], a whole number"),
    ...      Problem(None, "epsilon", "ε -1", "must be in (0, inf)")])
    '“Times” must be a whole number from 0 to 9, not “once”. “Noise” holds “ε -1”, but ε must be a number above 0.'
    """
    return " ".join(dict.fromkeys(map(_of_cell, problems)))


def _of_cell(problem: Problem) -> str:
    column, typed = problem.column, problem.value
    if column is None or not problem.allowed.startswith("must "):
        return sentence(problem.allowed)
    if column in SIGNS or column == WANTED:
        return f"“Noise” holds “{typed}”, but {NAMES[column]} {_worded(problem.allowed)}."
    return sentence(_joined(NAMES[column], problem.allowed, f"“{typed}”" if typed else "“”", _worded))


def lines(refusal: ValueError) -> tuple[str, ...]:
    """Return what is wrong: one sentence; of a file its first line, then one for every problem, with its place.

    Examples
    --------
    >>> lines(PlanFileError([Problem(3, "count", "once", "must be in [0, 9], a whole number")]))[1]
    'Line 3: “count” must be a whole number from 0 to 9, not “once”.'
    """
    if problem := getattr(refusal, "problem", None):  # of the plan that a link holds
        return (f"The link holds no plan that can be opened. {_of_file(problem)}",)
    if not isinstance(refusal, PlanFileError):
        return (sentence(refusal),)
    problems, names = refusal.problems, _QUERY if isinstance(refusal, QueryTextError) else {}
    more = len(problems) - LISTED_PROBLEMS
    listed = [_of_file(each, names) for each in problems[:LISTED_PROBLEMS]]
    return (str(refusal).splitlines()[0], *listed, *([f"and {more} more"] if more > 0 else []))


def _of_file(problem: Problem, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """What is wrong in a file, whose own words are quoted: there the columns are called so."""
    place = f"Line {problem.line}" if problem.line else f"Release {problem.release}" if problem.release else "The plan"
    column = problem.column or ""
    what = names.get(column) or (f"the {column}" if column in _NO_NAMES else f"“{column}”")
    if not problem.allowed.startswith("must "):
        value = f", {what} “{problem.value}”" if column and not problem.allowed.startswith(problem.value) else ""
        return f"{place}{value}: {_whole(_clause(problem.allowed, {}, _as_written))}"
    typed = f"“{problem.value}”" if problem.value else "missing"
    return f"{place}: {_joined(what, problem.allowed, typed, _as_written)}."


def of_database(refusal: Exception, here: bool) -> str:
    """Return in one sentence what a database, or a right in it, refused.

    Parameters
    ----------
    refusal : Exception
    here : bool
        Whether who reads it may know of the server's own places; otherwise they are for its log alone.

    Examples
    --------
    >>> of_database(ValueError("project must be one of yours; got 'census'"), True)
    '“Project” must be one of yours, not “census”.'
    """
    if isinstance(refusal, ImportError):
        return f"Nothing can be saved here: {refusal}."
    from dpviz.store import Unavailable  # which whoever refused has imported

    if not isinstance(refusal, Unavailable):
        return sentence(refusal)
    if here:
        return f"{refusal}."
    LOGGER.error("the database: %s", refusal)
    return BROKEN


def drawn(refusal: ValueError | str, more: str = "") -> str:
    """Return what is wrong as Markdown, as the visitor reads it: without symbols at the level of people.

    Parameters
    ----------
    refusal : ValueError or str
        Of the core; or `lines` that were kept, with a line break between them.
    more : str
        What is said after it.
    """
    told = refusal.splitlines() if isinstance(refusal, str) else list(lines(refusal))
    first, *rest = (escaped(reading.told(each)) for each in told)
    return "\n".join([f"{first} {escaped(reading.told(more))}".rstrip(), *(f"- {each}" for each in rest)])


def _joined(name: str, allowed: str, got: str, worded: Callable[[str], str]) -> str:
    """Name, what is allowed, and what is there instead, in quotes where it was typed."""
    said = worded(allowed)
    if re.match(r"must (be given (?!by)|have the column)", allowed):  # what is there is not what is wrong
        return f"{name} {said}"
    if got in ("missing", "“”"):
        return f"{name} {said}, and is {'missing' if got == 'missing' else 'empty'}"
    reasoned = re.search(r", since |, which |: ", said)
    return f"{name} {said}{f'; here it is {got}' if reasoned else f', not {got}'}" if got else f"{name} {said}"


def _got(text: str, worded: Callable[[str], str]) -> str:
    """What the core got, in words; "" where it got nothing."""
    if text in _ABSENT:
        return ""
    if re.match(r"[A-Z]\w*\(|[{<]|[\[(](?![-\d.])", text):  # no page sends one, and nobody has typed it
        return "a value of another kind"
    if worded is _worded and text[1:-1] in (_KEYS | KIND_LABELS) and text[:1] == text[-1:] == "'":
        return f"“{(_KEYS | KIND_LABELS)[text[1:-1]].strip('“”')}”"
    return f"{int(text):,}" if re.fullmatch(r"-?\d{5,15}", text) else worded(text)


def _worded(text: str) -> str:
    """A text of the core with labels, intervals in words and symbols; what is in quotes there was typed, and stays."""
    return _apart(text, _labelled)


def _as_written(text: str) -> str:
    """A text of the core about a file: what is written there stays, in quotes where it is no word of ours."""
    return _apart(_INTERVAL.sub(_interval, text), lambda part: _SNAKE.sub(r"“\g<0>”", part))


def _apart(text: str, worded: Callable[[str], str]) -> str:
    """A text in other words, but for what is in quotes."""
    for pattern, kept in _SHORTER:
        text = pattern.sub(kept, text)
    parts = _QUOTED.split(text)
    parts[1::2] = [f"“{part[1:-1]}”" for part in parts[1::2]]
    parts[::2] = map(worded, parts[::2])
    return "".join(parts)


def _labelled(text: str) -> str:
    text = _PAIR.sub(r"ε = \1 at δ = \2", text)
    text = _MADE.sub(lambda found: _CLASSES.get(found[1] or found[2], "a value of another kind"), text)
    text = re.sub(r"(?<=given together with )\w+", lambda found: NAMES.get(found[0], found[0]), text)
    text = _INTERVAL.sub(_interval, text)
    text = _SNAKE.sub(lambda found: _KEYS.get(found[0]) or NAMES.get(found[0]) or found[0].replace("_", " "), text)
    text = re.sub(r"\b[a-z]+\b", lambda found: SYMBOLS.get(found[0], found[0]), text)
    return re.sub(r"\b[A-Za-z]+\b", lambda found: _WORDS.get(found[0], found[0]), text)


def _interval(found: re.Match[str]) -> str:
    """An interval in words, such as "from 0 to 1"."""
    low, high = (None if "inf" in found[end] else _shown(found[end]) for end in ("low", "high"))
    above, below = found["left"] == "(", found["right"] == ")"
    start = None if low is None else f"above {low}" if above else f"from {low}" if high else f"of at least {low}"
    end = None if high is None else f"below {high}" if below else f"up to {high}" if above or not low else f"to {high}"
    joint = " and " if above or below else " "
    kind = "whole number" if found["whole"] or found["also"] else "number"
    number = f"{found['be']}a {kind}" if found["be"] else "a whole number" if found["also"] else ""
    return " ".join(filter(None, [number, joint.join(filter(None, [start, end]))]))


def _shown(end: str) -> str:
    """An end of an interval, as people write it."""
    value = float(end)
    if value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return re.sub(r"e([+-])0*", lambda sign: "e" + sign[1].replace("+", ""), f"{value:.12g}")
