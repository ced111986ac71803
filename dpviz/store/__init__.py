"""Saved plans, and ledgers of what was promised, reserved and spent: in one file, or in a database of PostgreSQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpviz.store.amounts import Amount
from dpviz.store.budgets import Budget, Key
from dpviz.store.course import course
from dpviz.store.entries import Charge, Entry
from dpviz.store.terms import Term
from dpviz.store.verify import Verification, verify

if TYPE_CHECKING:
    from dpviz.store.connection import Unavailable as Unavailable
    from dpviz.store.database import Database as Database
    from dpviz.store.in_force import InForce as InForce
    from dpviz.store.ledger import Ledger as Ledger
    from dpviz.store.people import Project as Project
    from dpviz.store.people import Projects as Projects
    from dpviz.store.plans import Plans as Plans
    from dpviz.store.plans import SavedMeanwhile as SavedMeanwhile
    from dpviz.store.plans import Version as Version
    from dpviz.store.rows import Refused as Refused
    from dpviz.store.standing import Standing as Standing

__all__ = [
    "Amount",
    "Budget",
    "Charge",
    "Database",
    "Entry",
    "InForce",
    "Key",
    "Ledger",
    "Plans",
    "Project",
    "Projects",
    "Refused",
    "SavedMeanwhile",
    "Standing",
    "Term",
    "Unavailable",
    "Verification",
    "Version",
    "course",
    "verify",
]

# What needs SQLAlchemy, which the library does without until a database is wanted.
_PLACES = {
    "Database": "database",
    "InForce": "in_force",
    "Ledger": "ledger",
    "Plans": "plans",
    "Project": "people",
    "Projects": "people",
    "Refused": "rows",
    "SavedMeanwhile": "plans",
    "Standing": "standing",
    "Unavailable": "connection",
    "Version": "plans",
}


def __getattr__(name: str) -> Any:
    """Return what needs a database, when it is first wanted."""
    if name not in _PLACES:
        raise AttributeError(f"module 'dpviz.store' has no attribute {name!r}; it has {', '.join(__all__)}")
    try:
        return getattr(import_module(f"dpviz.store.{_PLACES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("sqlalchemy", "alembic", "platformdirs"):
            raise ImportError('a database needs its packages: pip install "dpviz[app]"') from None
        raise


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
