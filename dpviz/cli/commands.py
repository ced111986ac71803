"""The commands that answer, and the schemas of all JSON that dpviz reads and writes: two lists, in the order shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from dpviz.cli import check, claims, examples, jobs, ledger, projects, reports
from dpviz.jobs.grid_schema import grid_schema
from dpviz.plan.files.json_schema import plan_schema

ANSWERING = (
    *check.COMMANDS, *claims.COMMANDS, *reports.COMMANDS, *jobs.COMMANDS, *projects.COMMANDS, *ledger.COMMANDS,
    *examples.COMMANDS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PublishedSchema:
    """A JSON Schema that `dpviz schema` prints and the documentation shows.

    Parameters
    ----------
    key : str
        What it is asked for by.
    made : callable
        Makes it, from the registries that read and write what it describes.
    """

    key: str
    made: Callable[[], dict[str, object]]

    @property
    def text(self) -> str:
        """The schema as JSON text."""
        return json.dumps(self.made(), indent=2, ensure_ascii=False)


SCHEMAS = (
    PublishedSchema("plan", plan_schema),
    PublishedSchema("grid", grid_schema),
    *(PublishedSchema(each.answered.key, each.answered.schema) for each in ANSWERING if each.answered),
)
