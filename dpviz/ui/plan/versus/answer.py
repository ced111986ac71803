"""Answers of the panel “A against B” that are kept, within bounds."""

from __future__ import annotations

from dpviz.plan import Plan
from dpviz.planning import scenario
from dpviz.planning.scenario import Totals
from dpviz.ui.shell.kept import kept, of_one_unit


@kept(64, 2)
def totals(plan: Plan) -> Totals:
    """Return what one unit loses by a plan, and risks, kept; as the head of the page tells it."""
    return Totals.of(of_one_unit(plan))


releases = kept(32, 4)(scenario.release_differences)
