"""Answers of the panel “A against B” that are kept, within bounds."""

from __future__ import annotations

from dpviz.plan import Plan
from dpviz.planning import scenario
from dpviz.planning.scenario import Totals
from dpviz.ui.shell.kept import kept


@kept(64, 2)
def totals(plan: Plan) -> Totals:
    """Return what a plan costs and risks, kept."""
    return Totals.of(plan)


releases = kept(32, 4)(scenario.release_differences)
