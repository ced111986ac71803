"""The front of the store: one database, and what each person may do in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dpviz.store.connection import Connection, usual_location
from dpviz.store.ledger import Ledger
from dpviz.store.people import LOCAL, Projects, found
from dpviz.store.plans import Plans
from dpviz.store.rows import Rows
from dpviz.store.tables import projects


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
        self.connection = Connection(usual_location() if location is None else location)
        self._clock, self._last = clock, 0

    def now(self) -> int:
        """Return the time in microseconds, later at each call, so that what was saved later sorts later."""
        self._last = max(self._last + 1, self._clock())
        return self._last

    def plans(self, person: str = LOCAL) -> Plans:
        """Return the plans that this person may open."""
        return Plans(self, person)

    def projects(self, person: str = LOCAL) -> Projects:
        """Return the projects that this person is a member of."""
        return Projects(self, person)

    def ledger(self, project: str, person: str = LOCAL) -> Ledger:
        """Return the ledger of a project by its name.

        Raises
        ------
        NotKept
            When there is none that this person is a member of.
        """
        return Ledger(self, self.projects(person).open(project), person)

    @contextmanager
    def rows(self, project: str, person: str) -> Iterator[Rows]:
        """Yield the rows of a project's ledger, to be read by one of its members."""
        with self.connection.reading() as connection:
            found(connection, person, projects.c.id == project, project)
            yield Rows(connection, project)

    def close(self) -> None:
        """Give back all connections; what is asked later opens new ones."""
        self.connection.close()
