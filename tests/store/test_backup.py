"""Back-up and restore, as docs/hosting.md tells: the same plans, the same last hash, a ledger without changes."""

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


def used(location: str) -> tuple[Database, str, str]:
    """A database in use, with a plan's name and the last hash of its ledger."""
    database = Database(location)
    name = database.plans().save(Document(Plan([]), "Census"))
    database.projects().create("census")
    ledger = database.ledger("census")
    ledger.open_budget(KEY, 1.0, reference="budget")
    ledger.spend(asked=Guarantee(0.5), reference="run")
    return database, name, ledger.verify().head


def same(location: str, name: str, head: str) -> None:
    database = Database(location)
    found = database.ledger("census").verify()
    assert database.plans().open(name).name == "Census" and (found.holds, found.head) == (True, head)
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
