"""What happens when two want the last unit, when a process is killed, and when the database cannot be had."""

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from dpviz import Guarantee, Plan
from dpviz.plan import Document
from dpviz.store import Database, Key, Refused, Unavailable
from dpviz.store import connection as connections
from dpviz.store.rows import Damaged
from tests.effort import share
from tests.store.conftest import unprivileged

ROOT = Path(__file__).resolve().parents[2]
KEY = Key("census", "person")
DOCUMENT = Document(Plan([]), "Census")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.rest)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database is that nobody has used yet."""
    return str(tmp_path / "plans.db") if request.param == "sqlite" else request.getfixturevalue("postgres")


@contextmanager
def worker(location: str, *before: str):
    """A process that does what its standard input says."""
    command = [*before, sys.executable, "-m", "tests.store.worker", location]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with closing(stream):
                pass


def opened(location: str, project: str, epsilon: float = 1.0) -> Database:
    database = Database(location)
    database.projects().create(project)
    database.ledger(project).open_budget(KEY, epsilon, reference="budget")
    return database


def race(location: str, times: int) -> None:
    """Two processes want the last unit of a budget at the same moment, so many times."""
    database = opened(location, "race", 1.0)
    with worker(location) as one, worker(location) as two:
        for number in range(times):
            project = f"race-{number}"
            database.projects().create(project)
            ledger = database.ledger(project)
            ledger.open_budget(KEY, 1.0, reference="budget")
            ledger.spend(asked=Guarantee(0.9), reference="before")
            for name, process in (("one", one), ("two", two)):
                process.stdin.write(f"spend {project} {name} 0.1\n")
            answers = sorted(process.stdout.readline().partition(" ")[0] for process in (one, two))
            assert answers == ["Refused:", "spent"]
            assert len(ledger.entries()) == 3 and ledger.standings()[0].total.epsilon == 1_000_000
        assert ledger.verify().holds
    database.close()


def test_exactly_one_gets_the_last_unit(location):
    race(location, share(6, 200))


@pytest.mark.slow
def test_exactly_one_gets_the_last_unit_two_hundred_times(location):
    race(location, 200)


def killed(location: str, times: int) -> None:
    """Processes are killed while they save and spend 500 times: what was confirmed is there, once."""
    database = opened(location, "kill", 1000.0)
    saved, spent = set(), set()
    for turn in range(times):
        with worker(location) as process:
            process.stdin.write(f"both kill 500 {turn}\n")
            for _ in range(31 + 40 * turn):
                kind, what = process.stdout.readline().split()
                (saved if kind == "saved" else spent).add(what)
            process.send_signal(signal.SIGKILL)
            process.wait()
            for line in process.stdout:  # confirmed, and not read before
                if len(words := line.split()) == 2 and line.endswith("\n"):
                    (saved if words[0] == "saved" else spent).add(words[1])
    listed = database.plans().list()
    assert saved <= set(listed) and len(saved) <= len(listed) <= len(saved) + times
    numbers = [str(each.number) for each in database.ledger("kill").entries()[1:]]
    assert spent <= set(numbers) and len(numbers) == len(set(numbers)) <= len(spent) + times
    assert all(database.plans().open(name).name.startswith("plan-") for name in sorted(saved)[:20])
    assert database.ledger("kill").verify().holds
    database.close()


def test_what_was_confirmed_survives_a_kill(location):
    killed(location, 1)


@pytest.mark.slow
def test_what_was_confirmed_survives_ten_kills(location):
    killed(location, 10)


@pytest.mark.rest
def test_what_was_saved_is_opened_elsewhere(postgres):
    """Two processes with one PostgreSQL, as two replicas have."""
    database = Database(postgres)
    assert database.plans().list() == ()
    with worker(postgres) as one, worker(postgres) as two:
        one.stdin.write("save census\n")
        name = one.stdout.readline().split()[1]
        two.stdin.write("list\n")
        assert two.stdout.readline() == "listed 1\n"
    assert database.plans().open(name).name == "census"
    database.close()


def test_nothing_is_made_before_the_first_save(tmp_path):
    database = Database(str(tmp_path / "folder" / "plans.db"))
    assert database.plans().list() == () and database.projects().list() == () and database.plans().drafts() == ()
    for ask in (lambda: database.plans().open("x"), lambda: database.ledger("x"), lambda: database.plans().draft("x")):
        with pytest.raises(ValueError, match="of yours"):
            ask()
    assert not list(tmp_path.iterdir())
    database.plans().save(DOCUMENT)
    with closing(sqlite3.connect(tmp_path / "folder" / "plans.db")) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_a_full_disk_loses_nothing(tmp_path):
    database = Database(str(tmp_path / "plans.db"))
    name = database.plans().save(DOCUMENT)

    def full(raw: object, _: object) -> None:
        raw.execute("PRAGMA max_page_count=1")  # no page more than there are

    database.close()
    sa.event.listen(sa.Engine, "connect", full)
    try:
        tight = Database(str(tmp_path / "plans.db"))
        with pytest.raises(Unavailable, match=r"^The disk .* is full: make room and try again; nothing was saved$"):
            for _ in range(99):
                tight.plans().save(Document(Plan([]), "Census", author="x" * 80))
        kept = tight.plans().list()
        assert kept[0] == name and all(tight.plans().open(each).name == "Census" for each in kept)
        tight.close()
    finally:
        sa.event.remove(sa.Engine, "connect", full)


def test_a_locked_file_is_said_to_be_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "SECONDS", 0.05)
    database = Database(str(tmp_path / "plans.db"))
    name = database.plans().save(DOCUMENT)
    with closing(sqlite3.connect(tmp_path / "plans.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="in use by another program"):
            database.plans().save(DOCUMENT)
        assert database.plans().list() == (name,)  # who reads does not wait
    database.plans().save(DOCUMENT)
    database.close()


@pytest.mark.skipif(not os.geteuid() and not shutil.which("setpriv"), reason="root may write everywhere")
def test_a_read_only_folder_or_file_is_said_to_be_one():
    folder = Path(tempfile.mkdtemp(prefix="dpviz-read-only-"))
    try:
        inside = folder / "inside"
        inside.mkdir()
        inside.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
        folder.chmod(0o755)
        database = Database(str(folder / "plans.db"))
        database.plans().save(DOCUMENT)
        database.close()
        (folder / "plans.db").chmod(0o444)
        with worker(str(inside / "new" / "plans.db"), *unprivileged()) as process:
            process.stdin.write(f"list\nsave census\nopen {folder}/plans.db\nsave census\n")
            assert process.stdout.readline() == "listed 0\n"
            answer = process.stdout.readline()
            assert answer.startswith("Unavailable: The database") and "may not be opened" in answer
            answer = process.stdout.readline()
        assert not list(inside.iterdir())
        assert answer.startswith("Unavailable: The database") and answer.endswith("nothing was saved\n")
        assert len(database.plans().list()) == 1
        database.close()
    finally:
        shutil.rmtree(folder)


def test_a_database_of_a_newer_version_is_left_alone(tmp_path):
    file = tmp_path / "plans.db"
    database = Database(str(file))
    database.plans().save(DOCUMENT)
    database.close()
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0099'")
        raw.commit()
    before = file.read_bytes()
    newer = Database(str(file))
    for ask in (lambda: newer.plans().list(), lambda: newer.plans().save(DOCUMENT)):
        with pytest.raises(Unavailable, match=r"newer dpviz \(schema 0099, this one knows up to 0002\)"):
            ask()
    newer.close()
    assert file.read_bytes() == before


def test_a_ledger_takes_no_changes(tmp_path):
    """Triggers refuse them; what was changed past these is found, and nothing more is written to that ledger."""
    file = tmp_path / "plans.db"
    database = opened(str(file), "census")
    ledger = database.ledger("census")
    ledger.spend(asked=Guarantee(0.4), reference="run")
    with closing(sqlite3.connect(file, isolation_level=None)) as raw:
        for table in ("entries", "charges", "budgets", "versions"):
            raw.execute(f"UPDATE {table} SET rowid = rowid + 1 WHERE 0")
            deeds = (f"UPDATE {table} SET rowid = rowid", f"DELETE FROM {table}")
            for deed in deeds if table != "versions" else ():
                with pytest.raises(sqlite3.IntegrityError, match="never changed"):
                    raw.execute(deed)
        raw.execute("DROP TRIGGER charges_UPDATE")
        raw.execute("UPDATE charges SET total_epsilon = 1")
    with pytest.raises(Damaged, match="entry 2 of the ledger was changed after it was written"):
        ledger.spend(asked=Guarantee(0.4), reference="more")
    assert "its hash is another" in ledger.verify().faults[0] and len(ledger.entries()) == 2
    database.plans().save(DOCUMENT)  # all else goes on
    database.close()


@pytest.mark.rest
def test_a_ledger_takes_no_changes_in_postgresql(postgres):
    """The role that writes it has no right to change it."""
    import psycopg

    database = opened(postgres, "census")
    database.ledger("census").spend(asked=Guarantee(0.4), reference="run")
    database.plans().save(DOCUMENT)
    for table in ("entries", "charges", "budgets", "versions"):
        for deed in (f"UPDATE {table} SET project = project", f"DELETE FROM {table}", f"TRUNCATE {table}"):
            deed = deed.replace("project = project", "plan = plan") if table == "versions" else deed
            with psycopg.connect(postgres) as raw, pytest.raises(psycopg.errors.InsufficientPrivilege):
                raw.execute(deed)
    with pytest.raises(Refused):
        database.ledger("census").spend(asked=Guarantee(0.7), reference="more")
    assert database.ledger("census").verify().holds
    database.close()


def test_a_damaged_file_is_said_to_be_damaged(tmp_path):
    file = tmp_path / "plans.db"
    file.write_bytes(b"this is no database, but some text that is long enough to be looked at" * 99)
    database = Database(str(file))
    for ask in (lambda: database.plans().list(), lambda: database.plans().save(DOCUMENT)):
        with pytest.raises(Unavailable, match="is not a database, or is damaged: restore a back-up"):
            ask()
    database.close()


@pytest.mark.parametrize("location", ["", "mysql://somewhere/x", 7])
def test_what_is_no_place_for_a_database_is_refused(location):
    with pytest.raises(ValueError, match="location must be"):
        Database(location)


def test_a_server_that_is_not_there_is_said_to_be_gone():
    """The sentence has no password."""
    database = Database("postgresql://somebody:secret@127.0.0.1:1/x")
    with pytest.raises(Unavailable, match="cannot be reached") as told:
        database.plans().list()
    assert "secret" not in str(told.value)
