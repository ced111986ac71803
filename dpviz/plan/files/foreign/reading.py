"""Which form a file has, and the plan of it, whatever the form."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import IO

from dpviz.plan.files.file import contents
from dpviz.plan.files.foreign.budgets import opened_budgets
from dpviz.plan.files.foreign.events import is_event, opened_events
from dpviz.plan.files.foreign.history import is_history, opened_history
from dpviz.plan.files.foreign.literals import literal
from dpviz.plan.files.foreign.opened import Opened, refused
from dpviz.plan.files.foreign.registry import opened_entry
from dpviz.plan.files.table import header_of, names_of, separator_of, split_rows
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError

ENDINGS = ("csv", "json", "yaml", "yml", "txt")
_EXPECTED = "must be a plan, an event of dp_accounting, a history of Opacus, a registry entry or a list of budgets"


def opened(path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> Opened:
    """Open a file as a plan: one of dpviz (CSV, JSON), or of another program.

    Parameters
    ----------
    path_or_file : path, text file or binary file
        An event of dp_accounting (its repr, or JSON), a history of Opacus (a list of (σ, q, steps)), an entry of the
        deployments registry (YAML), a list of budgets (CSV); at most 200,000 characters of another program's file.

    Raises
    ------
    PlanFileError
        With what is wrong in the file.

    Examples
    --------
    >>> import io
    >>> opened(io.StringIO("[(1.5, 0.04, 2250)]")).form
    'a history of Opacus'
    """
    text, is_json = contents(path_or_file)
    if (other := opened_foreign(text, ending_of(path_or_file), is_json)) is not None:
        return other
    plan = Plan.from_json(text) if is_json else Plan.from_csv(text)
    return Opened(plan=plan, claim=plan.budget if math.isfinite(plan.budget.epsilon) else None)


def ending_of(path_or_file: object) -> str:
    """Return the ending of a path or of an open file's name, in lower case; "" where there is none.

    Examples
    --------
    >>> import io
    >>> ending_of("Entry.YAML"), ending_of(io.StringIO())
    ('.yaml', '')
    """
    name = path_or_file if isinstance(path_or_file, str | os.PathLike) else getattr(path_or_file, "name", "")
    return Path(name).suffix.lower() if isinstance(name, str | os.PathLike) else ""


def opened_foreign(text: str, ending: str, is_json: bool) -> Opened | None:
    """Return the plan of another program's text; None where it is one of dpviz.

    Raises
    ------
    PlanFileError
        When it cannot be understood.
    """
    return _foreign(text, ending) if foreign(text, ending, is_json) else None


def foreign(text: str, ending: str, is_json: bool) -> bool:
    """Say whether a text is another program's, by the ending of its file and by how it begins.

    Examples
    --------
    >>> foreign("name,mechanism", ".csv", False), foreign("query,epsilon", ".csv", False)
    (False, True)
    >>> foreign('{"dpviz_plan": 5, "releases": []}', ".json", True), foreign("GaussianDpEvent(1.0)", ".txt", False)
    (False, True)
    """
    if ending in (".yaml", ".yml", ".txt"):
        return True
    if is_json or _expression(text):
        return not text.lstrip().startswith("{") or '"dpviz_plan"' not in text
    return bool(text.strip()) and not {"name", "mechanism"} <= _header(text) and bool(_header(text) & _BUDGET_COLUMNS)


_BUDGET_COLUMNS = {"epsilon", "eps", "rho", "budget", "privacy_budget", "d_out", "ε", "ρ"}


def _header(text: str) -> set[str]:
    """The columns that a table names; none where it has no header."""
    text = text.removeprefix("\ufeff")
    try:
        return {*names_of(header_of(split_rows(text, separator_of(text)))[1])}
    except PlanFileError:
        return set()


def _expression(text: str) -> bool:
    """Whether a text begins as an event or a list."""
    start = text.lstrip()[:200]
    return start[:1] in ("[", "(", "{") or "DpEvent(" in start.partition(",")[0]


def _foreign(text: str, ending: str) -> Opened:
    if ending in (".yaml", ".yml") or (ending != ".csv" and "privacy_parameters" in text):
        return opened_entry(text)
    if ending == ".csv" or (not _expression(text) and _header(text) & _BUDGET_COLUMNS):
        return opened_budgets(text)
    value = literal(text)
    if is_event(value):
        return opened_events(value)
    if is_history(value):
        return opened_history(value)
    raise refused("text", text.strip(), _EXPECTED)
