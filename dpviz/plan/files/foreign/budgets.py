"""Lists of budgets as CSV, as users of Tumult Analytics and OpenDP keep them: what each query was allowed to cost."""

from __future__ import annotations

from collections.abc import Mapping

from dpviz.decimals import spelt
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Declared, Mechanism
from dpviz.parameters import COUNT, DELTA, EPSILON, RHO, shown
from dpviz.plan.files.foreign.literals import Call, check_size, literal
from dpviz.plan.files.foreign.opened import MOST_RELEASES, Opened, refused
from dpviz.plan.files.table import Reader, Table, number_reader, read_table
from dpviz.plan.plan import Plan
from dpviz.plan.problems import PlanFileError, Problem
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
TOTAL = "total"  # the name of the last row, where that is what all others cost together
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
_NUMBERS = (*_FIELDS, "count")


def opened_budgets(text: str) -> Opened:
    r"""Return the plan of a list of budgets: each query by the bound stated of it; a last row "total" is a claim.

    Parameters
    ----------
    text : str
        CSV with a header, between commas, semicolons or tabs; between semicolons numbers may have a decimal
        comma. Columns, by any of their usual names: name, epsilon, delta, rho, count; or a budget, such as
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
    table = read_table(text, _column)
    if not set(table.columns) & {"budget", *_FIELDS}:
        raise refused("header", ",".join(table.header), "must name an epsilon, a rho or a budget")
    if len(table.rows) > MOST_RELEASES:
        raise refused("text", f"{len(table.rows):,} rows", f"must be at most {MOST_RELEASES:,} rows")
    read = number_reader(table.separator, (row[name] for _, row in table.rows for name in _NUMBERS if name in row))
    releases, bounds = [], []
    for line, cells in table.rows:
        try:
            bound = _bound(cells, read)
            count = COUNT.check(_number(cells.get("count", "1"), "count", read))
            releases.append(Release(cells.get("name", f"Row {line}")[:LONGEST_TEXT], _mechanism(bound), count))
            bounds.append(bound)
        except ValueError as error:
            said = error.problems[0].allowed if hasattr(error, "problems") else str(error)
            raise PlanFileError([Problem(line, "row", table.separator.join(cells.values()), said)]) from None
    releases, claim, told = _claim(releases, bounds)
    printed = spelt(table.rows[-1][1].get("epsilon", ""), claim.epsilon) if claim else ""
    return Opened(FORM, (*_not_understood(table), *told), False, claim, printed, plan=Plan(tuple(releases)))


def _claim(
    releases: list[Release], bounds: list[Mapping[str, float]]
) -> tuple[list[Release], Guarantee | None, list[str]]:
    """The releases without the row that is a claim of what they cost together, the claim, and what is to be known."""
    if len(releases) < 2 or releases[-1].name.lower() != TOTAL:
        return releases, None, []
    *others, total = releases
    if not _may_be_total(bounds[-1], bounds[:-1], sum(each.count for each in others) > 1):
        told = f"The last row, “{total.name}”, states no more than another one: it is no total, and counts as one more."
        return releases, None, [told]
    if not isinstance(total.mechanism, ApproximateDP):
        told = f"The last row, “{total.name}”, states a ρ: it is no release, and a claim in ε and δ has to be typed."
        return others, None, [told]
    if total.count != 1:
        raise PlanFileError([Problem(None, "count", str(total.count), "must be 1 in the last row, which is a total")])
    told = (
        f"The last row, “{total.name}”, is taken for what all others cost together, and not for a release: one of its "
        "own needs another name."
    )
    return others, Guarantee(total.mechanism.stated.epsilon, total.mechanism.stated.delta), [told]


def _may_be_total(bound: Mapping[str, float], others: list[Mapping[str, float]], several: bool) -> bool:
    """Whether a bound may be what others cost together: no less than each of them, and more where they are several."""
    kind = "rho" if "rho" in bound else "epsilon"
    alike = [each for each in others if kind in each]
    if kind == "rho" and len(alike) < len(others):
        return False
    largest = max((each[kind] for each in alike), default=0.0)
    failing = max((each.get("delta", 0.0) for each in alike), default=0.0)
    return bound.get("delta", 0.0) >= failing and (bound[kind] > largest or (bound[kind] == largest and not several))


def _not_understood(table: Table) -> list[str]:
    told = ["A list of budgets does not tell which noise was added: of each query only its bound is known."]
    if "delta" in table.columns and any("epsilon" in row and "delta" not in row for _, row in table.rows):
        told.append("Where a row leaves its δ empty, 0 is taken.")
    if "count" in table.columns:
        name = table.header[table.columns.index("count")].strip()
        told.append(f"The column “{name:.40}” is taken for how often each was asked.")
    unknown = [cell.strip() for cell, column in zip(table.header, table.columns, strict=True) if not column]
    return told + [f"The column “{name:.40}” is not taken over." for name in unknown if name]


def _column(name: str) -> str:
    return next((column for column, names in _COLUMNS.items() if name in names), "")


def _bound(cells: Mapping[str, str], read: Reader) -> dict[str, float]:
    """ε and δ, or ρ, of one row."""
    found = {name: _number(cells[name], name, read) for name in _FIELDS if name in cells}
    if "budget" in cells:
        if found:
            raise ValueError(f"a budget must stand alone in its row; got {' and '.join(found)} beside it")
        return _budget(cells["budget"], cells.get("measure", ""))
    if ("epsilon" in found) == ("rho" in found):
        raise ValueError("one of epsilon and rho must be given")
    given = {name for name, value in found.items() if value or name != "delta"}
    if "measure" in cells and {*_measured(cells["measure"])} not in (given, {*found}):
        told = " and ".join(_measured(cells["measure"]))
        raise ValueError(f"of the measure {shown(cells['measure'])}, {told} must be given; got {' and '.join(found)}")
    return found


def _budget(text: str, measure: str) -> dict[str, float]:
    value = literal(text)
    if isinstance(value, Call):
        names = _BUDGETS.get(value.name)
        if names is None:
            raise ValueError(f"budget must be one of {', '.join(_BUDGETS)}; got {value.name:.40}")
        if measure and names != _measured(measure):
            raise ValueError(f"measure must be that of the budget, {value.name}; got {shown(measure)}")
        given = value.taken(*names)
    else:
        names = _measured(measure)
        given = value if isinstance(value, list) else [value]
        if len(given) != len(names):
            allowed = f"must be {len(names)} number{'s' * (len(names) > 1)} under {measure}, {' and '.join(names)}"
            raise ValueError(f"budget {allowed}; got {shown(text)}")
    return {name: _FIELDS[name].check(each, name) for name, each in zip(names, given, strict=True)}


def _measured(measure: str) -> tuple[str, ...]:
    """What the numbers of a measure are."""
    names = _MEASURES.get("".join(measure.lower().split()).removesuffix("()"))
    if names is None:
        raise ValueError(f"measure must say what the budget is, such as MaxDivergence; got {measure!r:.40}")
    return names


def _mechanism(bound: Mapping[str, float]) -> Mechanism:
    if "rho" in bound:
        return Declared.zcdp(RHO.check(bound["rho"]), DELTA.check(bound.get("delta", 0.0)))
    return ApproximateDP(EPSILON.check(bound["epsilon"]), DELTA.check(bound.get("delta", 0.0)))


def _number(text: str, name: str, read: Reader) -> float:
    number = read(text.lower())
    if number is None:
        raise ValueError(f"{name} must be a number such as 0.5; got {shown(text)}")
    return number
