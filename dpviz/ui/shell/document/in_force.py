"""Where the saved plan that is worked on is in force, and what those ledgers have spent so far."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dpviz.ui.shell import page_state
from dpviz.ui.shell.document import saved, saving
from dpviz.ui.shell.kept import kept

if TYPE_CHECKING:
    from dpviz.store import InForce, Standing

MINUTE = 60_000_000  # microseconds
_TRIED = "in_force_tried"  # until when a database that could not be asked is left alone


def found() -> tuple[InForce, ...]:
    """Return which versions of the plan that is worked on are in force; none where no database can be asked."""
    base = saved.base()
    if base is None or saving.why_not() or time.monotonic() < page_state.held(_TRIED, 0.0):
        return ()
    try:
        return saving.plans().in_force(base.plan)
    except (ValueError, ImportError):  # which is said where something is saved
        page_state.put({_TRIED: time.monotonic() + saved.LATER})
        return ()


def exactly(each: InForce) -> bool:
    """Say whether the version in force is what is worked on, as it is now."""
    return saved.base().name == each.version and not saved.unsaved()


def standing(each: InForce) -> Standing | None:
    """Return where the budget stands that a version is in force by, of several the one that is used up most.

    It is kept until somebody writes to that ledger, and for a minute at most; None where it cannot be had.
    """
    from dpviz.store.database import microseconds

    try:
        ledger = saving.database().ledger(each.project, saving.person())
        stands = _standings(each.project, saving.person(), *ledger.head(), microseconds() // MINUTE)
    except (ValueError, ImportError):
        return None
    charged = (stand for stand in stands if stand.budget.number in each.budgets)
    return max(charged, key=lambda stand: stand.epsilon / stand.budget.epsilon, default=None)


@kept(8, 1, shared=True)
def _standings(project: str, person: str, number: int, hash: str, minute: int) -> tuple[Standing, ...]:
    """Each argument but the first two tells one state of a ledger from another."""
    return saving.database().ledger(project, person).standings()
