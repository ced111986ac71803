"""The database itself: where it is, how it is reached, made and brought up to date, and what is said when it cannot be.

SQLite is one file, written ahead (WAL) and synced at each commit; one writer at a time, which waits for its turn at the
start of its transaction. It is created by the first save. PostgreSQL is reached by its URL.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from platformdirs import user_data_path
from sqlalchemy import exc

VARIABLE = "DPVIZ_DATABASE"  # a file, or the URL of a database
MIGRATIONS = Path(__file__).parent / "migrations"
SECONDS = 20  # that a writer waits for the others
_ADVISORY = 0x6470_76697A  # "dpviz": one process at a time brings a PostgreSQL database up to date


class Unavailable(ValueError):
    """The database cannot be read or written just now; nothing of what was asked for was done."""


def usual_location() -> str:
    """Return where the database is: what `DPVIZ_DATABASE` says, else one file in the user's data folder.

    Examples
    --------
    >>> from unittest import mock
    >>> with mock.patch.dict(os.environ, {VARIABLE: "plans.db"}):
    ...     usual_location()
    'plans.db'
    """
    return os.environ.get(VARIABLE) or str(user_data_path("dpviz", appauthor=False) / "dpviz.db")


class Connection:
    """A database that may not be there yet; every failure of it is one sentence.

    Parameters
    ----------
    location : str
        A file of SQLite, or a URL as ``postgresql://user@host/name``.
    clock : callable
        Microseconds since 1970.
    """

    def __init__(self, location: str, clock: Callable[[], int]) -> None:
        self.file, self.url = _read(location)
        self._clock, self._last = clock, 0
        self._engine: sa.Engine | None = None
        self._ready = False
        self._turn = threading.Lock()

    def now(self) -> int:
        """Return the time in microseconds, later at each call, so that what was saved later sorts later."""
        self._last = max(self._last + 1, self._clock())
        return self._last

    @property
    def there(self) -> bool:
        """Whether there is something to read: a file of SQLite is made by the first save."""
        return self.file is None or self.file.exists()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection | None]:
        """Yield a connection that sees one state of the database; None where nothing was ever saved."""
        if not self.there:
            yield None
            return
        with self._told():
            if not self._ready and not self._has_tables():
                yield None
                return
            with self._opened().connect() as connection:
                if self.file is None:
                    connection = connection.execution_options(isolation_level="REPEATABLE READ")
                with connection.begin():
                    yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Yield a connection whose transaction is kept whole or not at all; others that write wait."""
        with self._turn, self._told():
            if self.file is not None:
                self.file.parent.mkdir(parents=True, exist_ok=True)
            if not self._ready:
                self._bring_up_to_date()
            with self._begun() as connection:
                yield connection

    def close(self) -> None:
        """Give back what is open."""
        if self._engine is not None:
            self._engine.dispose()

    @contextmanager
    def _begun(self) -> Iterator[sa.Connection]:
        with self._opened().connect().execution_options(dpviz_writes=True) as connection, connection.begin():
            yield connection

    def _opened(self) -> sa.Engine:
        if self._engine is None:
            self._engine = _engine(self.url)
        return self._engine

    def _has_tables(self) -> bool:
        """Whether anything was saved here; what an older dpviz has saved is brought up to date."""
        with self._opened().connect() as connection:
            current = MigrationContext.configure(connection).get_current_revision()
        if current is not None and current != _script().get_current_head():
            with self._turn:
                self._bring_up_to_date()
        self._ready = current is not None
        return self._ready

    def _bring_up_to_date(self) -> None:
        if self.file is not None:
            with closing(self._opened().raw_connection()) as raw:
                raw.cursor().execute("PRAGMA journal_mode=WAL")
        with self._begun() as connection:
            if self.file is None:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY)))
            upgrade(connection)
        self._ready = True

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (exc.SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise Unavailable(f"{sentence(error, self._place)}; nothing was saved") from None

    @property
    def _place(self) -> str:
        return str(self.file) if self.file is not None else self.url.render_as_string(hide_password=True)


def upgrade(connection: sa.Connection) -> None:
    """Bring the tables to the newest schema, forward only, in the transaction that the connection is in.

    Raises
    ------
    Unavailable
        When they are of a newer dpviz.
    """
    script = _script()
    context = MigrationContext.configure(connection)
    current, known = context.get_current_revision(), {each.revision for each in script.walk_revisions()}
    if current is not None and current not in known:
        raise Unavailable(
            f"The database was written by a newer dpviz (schema {current}, this one knows up to "
            f"{script.get_current_head()}): update dpviz; nothing was changed"
        )
    steps = list(script.iterate_revisions("head", current or "base"))
    for step in reversed(steps):
        with Operations.context(context):
            step.module.upgrade()
        context.stamp(script, step.revision)


def _script() -> ScriptDirectory:
    return ScriptDirectory(str(MIGRATIONS), version_locations=[str(MIGRATIONS)])


def sentence(error: Exception, place: str) -> str:
    """Return what is said of a failure of the database, without what was in the statement."""
    told = str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error)
    for sign, said in (
        ("locked", f"The database {place} is in use by another program for more than {SECONDS} seconds: try again"),
        ("disk is full", f"The disk of the database {place} is full: make room and try again"),
        ("No space left", f"The disk of the database {place} is full: make room and try again"),
        ("readonly", f"The database {place} may be read but not written"),
        ("Read-only", f"The database {place} may be read but not written"),
        ("Permission denied", f"The database {place} may not be opened by this user"),
        ("permission denied", f"The database {place} does not let this user do that: its ledger takes no changes"),
        ("unable to open", f"The database {place} cannot be opened: its folder is missing or may not be written"),
        ("not a database", f"The file {place} is not a database, or is damaged: restore a back-up"),
        ("malformed", f"The database {place} is damaged: restore a back-up"),
        ("never changed", "What a ledger holds is never changed"),
    ):
        if sign in told:
            return said
    return f"The database {place} cannot be reached ({told.splitlines()[0] if told else type(error).__name__})"


def _read(location: str) -> tuple[Path | None, sa.URL]:
    if not isinstance(location, str) or not location:
        raise ValueError(f"location must be a file or the URL of a database; got {location!r:.60}")
    if "://" not in location:
        file = Path(location).expanduser().absolute()
        return file, sa.URL.create("sqlite", database=str(file))
    try:
        url = sa.make_url(location)
    except exc.ArgumentError:
        raise ValueError("location must be a file or the URL of a database; got one that cannot be read") from None
    if url.get_backend_name() == "sqlite" and url.database:
        return Path(url.database).absolute(), url
    if url.get_backend_name() != "postgresql":
        raise ValueError(f"location must be a file or a postgresql:// URL; got {url.drivername!r:.60}://")
    return None, url.set(drivername="postgresql+psycopg")


def _engine(url: sa.URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return sa.create_engine(url, pool_pre_ping=True)
        except ImportError:
            raise Unavailable('PostgreSQL needs its driver: pip install "dpviz[postgres]"') from None
    engine = sa.create_engine(url, connect_args={"timeout": SECONDS, "check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def connected(raw: object, _: object) -> None:
        raw.isolation_level = None  # transactions begin where they are told to
        raw.execute("PRAGMA synchronous=FULL")
        raw.execute("PRAGMA foreign_keys=ON")

    @sa.event.listens_for(engine, "begin")
    def begun(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("dpviz_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
