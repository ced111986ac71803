"""The parts of the page on file formats that the registries tell: columns, and mechanisms with their parameters."""

from dpviz.mechanisms import BASE_MECHANISMS
from dpviz.mechanisms.mechanism import Form
from dpviz.parameters import DELTA, EPSILON, POPULATION
from dpviz.plan import NO_LIMIT, RELATIONS
from dpviz.plan.disclosure import DISCLOSED
from dpviz.plan.field_table import FIELDS, PARAMETERS
from dpviz.plan.files.json_schema import interval
from dpviz.plan.promise import COLUMNS as PROMISE

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
    for field in FIELDS:
        keys = "" if field.name == "mechanism" else ", ".join(f"`{key}`" for key in field.choices)
        told = f"{field.described}{field.further}" + (f": {keys}" if keys else "")
        rows.append(f"| `{field.name}` | {field.since} | {told} |")
    return "\n".join(rows)


def promise() -> str:
    """Return the table of the columns of a CSV file that are about the whole plan."""
    rows = (f"| `{name}` | {_OF_PLAN[name]} |" for name in PROMISE)
    return "\n".join(["| column | what it holds |", "|---|---|", *rows])


def disclosure() -> str:
    """Return the table of what may be stated beside the numbers of a plan."""
    rows = (f"| `{each.name}` | {each.label}. {each.help} | {', '.join(each.asked)} |" for each in DISCLOSED)
    return "\n".join(["| field | what belongs there | asked for by |", "|---|---|---|", *rows])


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
