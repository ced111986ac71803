"""The JSON Schema of grid files, made from what a grid may vary; the documentation shows it.

That the names are those of releases, and that a release has what is varied, only `dpviz.jobs.Grid` knows.
"""

from __future__ import annotations

from dpviz.jobs.grid import DRAWN, FACTOR, MOST_VALUES, QUANTITIES, USED
from dpviz.plan.cadence import CADENCES
from dpviz.plan.files.json_schema import number
from dpviz.schemas import published

VALUES: dict[str, dict[str, object]] = {
    "noise": number(FACTOR, FACTOR.words),
    "rate": number(DRAWN, DRAWN.words),
    "count": number(USED, USED.words),
    "cadence": {"enum": [cadence.key for cadence in CADENCES]},
}


def grid_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of grid files.

    Examples
    --------
    >>> list(grid_schema()["additionalProperties"]["properties"])
    ['noise', 'rate', 'count', 'cadence']
    """
    lists = {
        quantity.key: {
            "type": "array", "minItems": 1, "maxItems": MOST_VALUES, "uniqueItems": True, "items": VALUES[quantity.key],
        }
        for quantity in QUANTITIES
    }  # fmt: skip
    release = {"type": "object", "minProperties": 1, "properties": lists, "additionalProperties": False}
    title = "A grid of dpviz: names of releases, or * for all others, with what may vary"
    return published("grid", 1, title, {"type": "object", "minProperties": 1, "additionalProperties": release})
