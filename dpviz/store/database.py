"""The front of the store: one database, and what each person may do in it."""

from __future__ import annotations

import time
from collections.abc import Callable

from dpviz.store.connection import Connection, usual_location
from dpviz.store.ledger import Ledger
from dpviz.store.people import LOCAL, Projects
from dpviz.store.plans import Plans


def microseconds() -> int:
    """Return the time now, in whole microseconds since 1970."""
    return time.time_ns() // 1000


class Database:
    """A database of plans, projects and ledgers; nothing is written, not even a file, before the first save.

    Parameters
    ----------
    location : str, optional
        A file of SQLite, or the URL of a PostgreSQL database. None is what `DPVIZ_DATABASE` says, else one file in the
        user's data folder.
    clock : callable
        Microseconds since 1970.

    Examples
    --------
    >>> import tempfile
    >>> from dpviz.plan import Document, Plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/plans.db")
    ...     name = database.plans().save(Document(Plan([]), "Census"))
    ...     print(database.plans().open(name).name, name[-2:])
    ...     database.close()
    Census /1
    """

    def __init__(self, location: str | None = None, clock: Callable[[], int] = microseconds) -> None:
        self.connection = Connection(usual_location() if location is None else location, clock)

    def plans(self, person: str = LOCAL) -> Plans:
        """Return the plans that this person may open."""
        return Plans(self.connection, person)

    def projects(self, person: str = LOCAL) -> Projects:
        """Return the projects that this person is a member of."""
        return Projects(self.connection, person)

    def ledger(self, project: str, person: str = LOCAL) -> Ledger:
        """Return the ledger of a project by its name.

        Raises
        ------
        NotKept
            When there is none that this person is a member of.
        """
        return Ledger(self.connection, self.projects(person).open(project), person)

    def close(self) -> None:
        """Give back all connections; what is asked later opens new ones."""
        self.connection.close()
