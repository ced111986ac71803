"""Answers of the scenarios page that are kept, within bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.planning import deployments, scenario
from dpviz.planning.scenario import Totals
from dpviz.ui.shell.kept import kept

if TYPE_CHECKING:
    import pandas


@kept(64, 8)
def totals(plan: Plan) -> Totals:
    """Return what a plan costs and risks, kept."""
    return Totals.of(plan)


releases = kept(32, 32)(scenario.release_differences)


@kept(32, 8)
def published(unit: str, delta: float) -> pandas.DataFrame:
    """Return `dpviz.planning.deployments.published` for plans that protect this unit at this δ, kept."""
    return deployments.published(replace(Plan(()), unit=unit, budget=Guarantee(0.0, delta)))
