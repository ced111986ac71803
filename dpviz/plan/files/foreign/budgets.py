"""Lists of budgets as CSV, as users of Tumult Analytics and OpenDP keep them: what each query was allowed to cost."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Declared, Mechanism
from dpviz.parameters import COUNT, DELTA, EPSILON, RHO, shown
from dpviz.plan.fields import plain_number
from dpviz.plan.files.foreign.literals import Call, check_size, literal
from dpviz.plan.files.foreign.opened import MOST_RELEASES, Opened, refused
from dpviz.plan.plan import Plan
from dpviz.plan.release import LONGEST_TEXT, Release

FORM = "a list of budgets"
# What programs and people call the columns; every other one is not understood.
_COLUMNS = {
    "name": ("name", "query", "query_name", "query_id", "label", "release", "measurement"),
    "budget": ("budget", "privacy_budget", "d_out", "spent"),
    "measure": ("measure", "output_measure", "privacy_measure"),
    "epsilon": ("epsilon", "eps", "ε"),
    "delta": ("delta", "δ"),
    "rho": ("rho", "ρ"),
    "count": ("count", "times", "runs"),
}
_TOTALS = ("total", "sum", "session", "all")
_BUDGETS = {"PureDPBudget": ("epsilon",), "ApproxDPBudget": ("epsilon", "delta"), "RhoZCDPBudget": ("rho",)}
_MEASURES = {
    "maxdivergence": ("epsilon",),
    "puredp": ("epsilon",),
    "smoothedmaxdivergence": ("epsilon", "delta"),
    "fixedsmoothedmaxdivergence": ("epsilon", "delta"),
    "approximate(maxdivergence)": ("epsilon", "delta"),
    "approxdp": ("epsilon", "delta"),
    "zeroconcentrateddivergence": ("rho",),
    "rhozcdp": ("rho",),
}
_FIELDS = {"epsilon": EPSILON, "delta": DELTA, "rho": RHO}


def opened_budgets(text: str) -> Opened:
    r"""Return the plan of a list of budgets: each query by the bound that is stated of it; a row "total" is a claim.

    Parameters
    ----------
    text : str
        CSV with a header. Columns, by any of their usual names: name, epsilon, delta, rho, count; or a budget, such as
        ``PureDPBudget(epsilon=0.5)``, or as OpenDP's ``d_out`` with its measure.

    Raises
    ------
    PlanFileError
        With the first line that cannot be read.

    Examples
    --------
    >>> found = opened_budgets("query,budget\nVisits,PureDPBudget(0.5)\nAges,RhoZCDPBudget(rho=0.1)\n")
    >>> [str(release.mechanism) for release in found.plan.releases]
    ['Black box (ε, δ) (epsilon 0.5, delta 0)', 'Declared curve (curve rho 0.1)']
    """
    check_size(text)
    try:
        header, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    except (csv.Error, ValueError):
        raise refused("text", text, "must be a CSV with a header") from None
    columns = [_column(cell) for cell in header]
    if not set(columns) & {"budget", *_FIELDS}:
        raise refused("header", ",".join(header), "must name an epsilon, a rho or a budget")
    rows = [(number, row) for number, row in enumerate(rows, 2) if any(map(str.strip, row))]
    if len(rows) > MOST_RELEASES:
        raise refused("text", f"{len(rows):,} rows", f"must be at most {MOST_RELEASES:,} rows")
    releases, claim = [], None
    for number, row in rows:
        cells = {column: cell.strip() for column, cell in zip(columns, row, strict=False) if column and cell.strip()}
        try:
            bound, name = _bound(cells), cells.get("name", f"Row {number}")[:LONGEST_TEXT]
            if name.lower() in _TOTALS and "rho" not in bound:
                claim = Guarantee(bound["epsilon"], bound.get("delta", 0.0))
            elif name.lower() not in _TOTALS:
                count = COUNT.check(_number(cells.get("count", "1"), "count"))
                releases.append(Release(name, _mechanism(bound), count))
        except ValueError as error:
            said = error.problems[0].allowed if hasattr(error, "problems") else str(error)
            raise refused("row", ",".join(row), f"in line {number}, {said}") from None
    unknown = [cell.strip() for cell, column in zip(header, columns, strict=True) if not column and cell.strip()]
    return Opened(Plan(tuple(releases)), FORM, tuple(_not_understood(unknown)), False, claim)


def _not_understood(unknown: list[str]) -> list[str]:
    told = ["A list of budgets does not tell which noise was added: of each query only its bound is known."]
    return told + [f"The column “{name:.40}” is not taken over." for name in unknown]


def _column(cell: str) -> str:
    name = "_".join(cell.lower().split())
    return next((column for column, names in _COLUMNS.items() if name in names), "")


def _bound(cells: Mapping[str, str]) -> dict[str, float]:
    """ε and δ, or ρ, of one row."""
    found = {name: _number(cells[name], name) for name in _FIELDS if name in cells}
    if "budget" in cells:
        found |= _budget(cells["budget"], cells.get("measure", ""))
    if ("epsilon" in found) == ("rho" in found):
        raise ValueError("one of epsilon and rho must be given")
    return found


def _budget(text: str, measure: str) -> dict[str, float]:
    value = literal(text)
    if isinstance(value, Call):
        names = _BUDGETS.get(value.name)
        if names is None:
            raise ValueError(f"budget must be one of {', '.join(_BUDGETS)}; got {value.name:.40}")
        given = value.taken(*names)
    else:
        names = _MEASURES.get("".join(measure.lower().split()).removesuffix("()"))
        if names is None:
            raise ValueError(f"measure must say what the budget is, such as MaxDivergence; got {measure!r:.40}")
        given = value if isinstance(value, list) else [value]
        names = names[: len(given)]
    return {name: _FIELDS[name].check(each, name) for name, each in zip(names, given, strict=True)}


def _mechanism(bound: Mapping[str, float]) -> Mechanism:
    if "rho" in bound:
        return Declared.zcdp(RHO.check(bound["rho"]), DELTA.check(bound.get("delta", 0.0)))
    return ApproximateDP(EPSILON.check(bound["epsilon"]), DELTA.check(bound.get("delta", 0.0)))


def _number(text: str, name: str) -> float:
    number = plain_number(text.lower())
    if number is None:
        raise ValueError(f"{name} must be a number such as 0.5; got {shown(text)}")
    return number
