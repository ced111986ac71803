"""Back-up and restore, as docs/hosting.md tells: the same plans, the same last hash, a ledger without changes."""

import contextlib
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from dpviz import Guarantee, Plan
from dpviz.plan import Document
from dpviz.store import Database, Key
from tests.store.conftest import BINARIES

KEY = Key("census", "person")
ROOT = Path(__file__).resolve().parents[2]


def used(location: str) -> tuple[Database, str, str]:
    """A database in use, with a plan's name and the last hash of its ledger."""
    database = Database(location)
    name = database.plans().save(Document(Plan([]), "Census"))
    database.projects().create("census")
    ledger = database.ledger("census")
    ledger.open_budget(KEY, 1.0, reference="budget")
    ledger.spend(asked=Guarantee(0.5), reference="run")
    return database, name, ledger.verify().head


def same(location: str, name: str, head: str, again: bool = False) -> None:
    """Check that all is there and goes on; again, with what the first check added."""
    database = Database(location)
    found = database.ledger("census").verify()
    assert database.plans().open(name).name == "Census" and (found.holds, found.head == head) == (True, not again)
    assert database.ledger("census").spend(asked=Guarantee(0.5), reference="run").number == 2
    assert database.ledger("census").spend(asked=Guarantee(0.5), reference="the rest").number == 3
    database.close()


@pytest.mark.parametrize("way", ["backup", "VACUUM INTO"])
def test_a_file_is_backed_up_while_it_is_in_use(tmp_path: Path, way: str):
    file, copy = tmp_path / "office.db", tmp_path / "copy.db"
    database, name, head = used(str(file))
    with closing(sqlite3.connect(file)) as raw:
        if way == "backup":
            with closing(sqlite3.connect(copy)) as target:
                raw.backup(target)
        else:
            raw.execute("VACUUM INTO ?", (str(copy),))
    database.ledger("census").spend(asked=Guarantee(0.1), reference="after the back-up")
    database.close()
    shutil.copy(copy, file)
    for rest in ("-wal", "-shm"):
        file.with_name(file.name + rest).unlink(missing_ok=True)
    same(str(file), name, head)
    with closing(sqlite3.connect(file)) as raw, pytest.raises(sqlite3.IntegrityError, match="never changed"):
        raw.execute("DELETE FROM charges")


@pytest.mark.rest
def test_a_role_that_only_adds_to_a_ledger(postgres: str):
    """With the very grants that docs/hosting.md gives: it saves and spends, and changes nothing of what is written."""
    psycopg = pytest.importorskip("psycopg")
    database, name, head = used(postgres)
    database.close()
    grants = re.search(r"```sql\n(.*?)```", (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    with psycopg.connect(postgres.replace("dpviz@", "owner@"), autocommit=True) as owner:
        owner.execute(grants)
    pages = postgres.replace("dpviz@", "dpviz_pages@")
    same(pages, name, head)
    for statement in ("UPDATE entries SET note = ''", "DELETE FROM charges", "GRANT UPDATE ON entries TO dpviz_pages"):
        with psycopg.connect(pages, autocommit=True) as raw, contextlib.suppress(psycopg.errors.InsufficientPrivilege):
            raw.execute(statement)
    same(pages, name, head, again=True)


@pytest.mark.rest
def test_the_script_of_the_image_makes_a_role_that_is_no_superuser(postgres: str):
    """deploy/database.sh, as the image of PostgreSQL runs it; what that role makes takes no changes."""
    psycopg = pytest.importorskip("psycopg")
    url = postgres.replace("dpviz@", "owner@")
    with psycopg.connect(url, autocommit=True) as owner:  # the server of the tests has these names already
        owner.execute("ALTER ROLE dpviz RENAME TO other")
    port = re.search(r":(\d+)/", url)[1]
    environment = {"PGHOST": "127.0.0.1", "PGPORT": port, "PGDATABASE": "postgres", "POSTGRES_USER": "owner"}
    path = f"{BINARIES[-1]}:/usr/bin:/bin"
    try:
        command = ["sh", str(ROOT / "deploy" / "database.sh")]
        subprocess.run(command, env=environment | {"POSTGRES_PASSWORD": "pass", "PATH": path}, check=True)
        own = f"postgresql://dpviz:pass@127.0.0.1:{port}/dpviz"
        used(own)[0].close()
        with psycopg.connect(own) as raw, pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("DELETE FROM charges")
    finally:
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("DROP DATABASE IF EXISTS dpviz")
            owner.execute("DROP ROLE IF EXISTS dpviz")
            owner.execute("ALTER ROLE other RENAME TO dpviz")


@pytest.mark.rest
def test_postgresql_is_dumped_and_restored(postgres: str, tmp_path: Path):
    """The rights that are withdrawn come back withdrawn."""
    import psycopg

    database, name, head = used(postgres)
    dump, restored = tmp_path / "office.dump", f"{postgres}_restored"
    subprocess.run([BINARIES[-1] / "pg_dump", "-Fc", "-f", dump, postgres], check=True)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {restored.rpartition('/')[2]}")
    subprocess.run([BINARIES[-1] / "pg_restore", "-d", restored, dump], check=True)
    database.close()
    same(restored, name, head)
    with psycopg.connect(restored) as raw, pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute("DELETE FROM charges")
