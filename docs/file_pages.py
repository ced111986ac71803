"""The parts of the page on file formats that the registries tell: columns, and mechanisms with their parameters."""

from dpviz.mechanisms import BASE_MECHANISMS, CALIBRATIONS
from dpviz.mechanisms.mechanism import Form
from dpviz.mechanisms.subsampled import RELATIONS as SCHEMES
from dpviz.parameters import COUNT, DELTA, EPSILON, POPULATION, RATE, TYPICAL, WEIGHT
from dpviz.plan import NO_LIMIT, RELATIONS
from dpviz.plan.cadence import CADENCES
from dpviz.plan.fields import COLUMNS, PARAMETERS
from dpviz.plan.json_file import COLUMNS_OF
from dpviz.plan.json_schema import INTERVALS, interval
from dpviz.plan.kinds import KINDS
from dpviz.plan.promise import COLUMNS as PROMISE

_KINDS = ", ".join(f"`{kind.key}`" for kind in KINDS)
_CADENCES = ", ".join(f"`{cadence.key}`" for cadence in CADENCES)
_TOLD = {
    "name": "what the release is called: 1 to 80 characters",
    "mechanism": "its key, see below",
    "count": f"uses on every day on which it falls, in {COUNT.interval}; 1 where it is empty",
    "part": "the disjoint part of the data that it reads; empty where it reads all data",
    "start": "its first day, such as 2026-04-01",
    "cadence": f"how often it recurs: {_CADENCES}",
    "end": "the last day on which it may fall; needed where it recurs",
    "weight": f"{WEIGHT.words}, in {WEIGHT.interval}; 1 where it is empty",
    "typical": f"{TYPICAL.words}, in {TYPICAL.interval}",
    "answer_unit": "what the answer is counted in, such as persons or euros",
    "done": "whether it is published already: yes, no, or the last day that is (in JSON `true`, `false` or the day)",
    "kind": f"what is published: {_KINDS}",
    "lower": "the least value to which each unit's value is clipped",
    "upper": "the largest such value; both ends or neither",
    "calibration": f"of Gaussian noise given by a pair: {', '.join(f'`{each.key}`' for each in CALIBRATIONS)}",
    "scheme": f"of a random sample: {', '.join(f'`{each}`' for each in SCHEMES)}",
    "curve": "what a declared release declares, as text that `dpviz.Declared.from_text` reads",
    "rate": f"{RATE.words}, in {RATE.interval}",
}
_OF_PLAN = {
    "unit": "whom, or what, the promise protects, such as person-month: 1 to 80 characters",
    "relation": f"what neighbours differ in: {', '.join(f'`{each}`' for each in RELATIONS)}",
    "population": f"{POPULATION.words}, in {POPULATION.interval}",
    "budget_epsilon": f"ε that the plan may cost, in {EPSILON.interval}; no limit where it is empty",
    "budget_delta": f"its δ, in {DELTA.interval}; {NO_LIMIT.delta!r} where it is empty",
    "adaptive": "whether later releases are chosen after seeing earlier results: yes or no",
}


def columns() -> str:
    """Return the table of the columns of a release in a CSV file, which are the fields of a release in JSON."""
    rows = ["| column | since version | what it holds |", "|---|---|---|"]
    for name in COLUMNS:
        since = min(version for version, names in COLUMNS_OF.items() if name in names)
        rows.append(f"| `{name}` | {since} | {_TOLD.get(name) or INTERVALS[name].words} |")
    return "\n".join(rows)


def promise() -> str:
    """Return the table of the columns of a CSV file that are about the whole plan."""
    rows = (f"| `{name}` | {_OF_PLAN[name]} |" for name in PROMISE)
    return "\n".join(["| column | what it holds |", "|---|---|", *rows])


def mechanisms() -> str:
    """Return the table of mechanisms with the sets of parameters that describe each."""
    rows = ["| mechanism | key | given by |", "|---|---|---|"]
    for each in BASE_MECHANISMS:
        forms = "; or ".join(_form(each.key, form) for form in each.forms)
        rows.append(f"| {each.label} | `{each.key}` | {forms} |")
    return "\n".join(rows)


def _form(key: str, form: Form) -> str:
    needed = " and ".join(_parameter(key, name) for name in form.needed)
    optional = ", ".join(_parameter(key, name) for name in form.optional if name in PARAMETERS)
    return needed + (f" (and, where wanted, {optional})" if optional else "")


def _parameter(key: str, name: str) -> str:
    found = interval(key, name)
    return f"`{name}` in {found.interval}" if found else f"`{name}`"
