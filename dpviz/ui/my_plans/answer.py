"""What is saved: the plans that whoever asks may open, with what each costs; never more of others' than nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from dpviz.composition.compose import Total
from dpviz.plan import Document, Plan
from dpviz.store.connection import Unavailable
from dpviz.store.in_force import InForce
from dpviz.store.people import STEWARD, Project
from dpviz.store.plans import Saved, Version
from dpviz.ui.my_plans.asked import Asked
from dpviz.ui.shell import refusals
from dpviz.ui.shell.document import saving
from dpviz.ui.shell.document.rows import settled
from dpviz.ui.shell.kept import of_one_unit, proved


@dataclass(frozen=True, slots=True)
class Listed:
    """A saved plan with where its newest version stands.

    Parameters
    ----------
    saved : Saved
    document : Document, optional
        Its newest version; None where that cannot be read.
    plan : Plan, optional
        What one unit of privacy meets of it.
    total : Total, optional
        The smallest proved total of that.
    trouble : str
        Why there is none; "" where there is one.
    draft : bool
        Whether whoever asks has typed something over it that is not saved.
    forces : tuple of InForce
        Its versions that are in force, and where.
    """

    saved: Saved
    document: Document | None = None
    plan: Plan | None = None
    total: Total | None = None
    trouble: str = ""
    draft: bool = False
    forces: tuple[InForce, ...] = ()

    @property
    def over(self) -> bool:
        """Whether its budget does not hold it."""
        return self.total is not None and self.total.epsilon > self.plan.budget.epsilon

    @property
    def used(self) -> float | None:
        """Which part of the budget it costs, at most 1; None where there is no budget."""
        if self.total is None or math.isinf(self.plan.budget.epsilon):
            return None
        limit = self.plan.budget.epsilon
        return min(self.total.epsilon / limit, 1.0) if limit else float(self.total.epsilon > 0)


def found(asked: Asked) -> tuple[Saved, ...]:
    """Return the plans that are looked for, the one that was saved last first."""
    return saving.plans().search(asked.words, asked.archived)[::-1]


def anything() -> bool:
    """Say whether whoever asks may open any plan, if only an archived one."""
    return any(saving.plans().search("", archived) for archived in (False, True))


def listed(plans: tuple[Saved, ...]) -> tuple[Listed, ...]:
    """Return where plans stand."""
    drafts = {each.partition("/")[0] for each in saving.plans().drafts()}
    forces = saving.plans().in_force(*(each.plan for each in plans))
    return tuple(
        replace(_listed(each), draft=each.plan in drafts, forces=tuple(one for one in forces if one.plan == each.plan))
        for each in plans
    )


def _listed(each: Saved) -> Listed:
    try:
        document = settled(saving.plans().open(each.name))
    except Unavailable:
        raise
    except ValueError as error:
        return Listed(each, trouble=refusals.sentence(error))
    plan = of_one_unit(document.plan)
    return Listed(each, document, plan, proved(plan))


def versions(plan: str) -> tuple[Version, ...]:
    """Return the versions of a plan, the newest first."""
    return saving.plans().versions(plan)[::-1]


def projects() -> tuple[Project, ...]:
    """Return the projects of whoever asks."""
    return saving.database().projects(saving.person()).list()


def members(project: Project) -> dict[str, str]:
    """Return the roles in a project, by person."""
    return saving.database().projects(saving.person()).members(project.name)


def leads(project: Project) -> bool:
    """Say whether whoever asks may invite into a project."""
    return project.role == STEWARD
