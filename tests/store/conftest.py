"""Databases to ask: a file of SQLite, and a PostgreSQL server in a temporary folder where its programs are there."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from dpviz.store import Database

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))
NUMBERS = count(1)  # of databases on one server
USER = "postgres"  # the server refuses to run as root


class Clock:
    """A clock that stands still until it is told."""

    def __init__(self) -> None:
        self.at = 1_767_225_600_000_000  # the first of January 2026

    def __call__(self) -> int:
        return self.at

    def later(self, seconds: float) -> None:
        self.at += round(seconds * 1_000_000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> Iterator[Database]:
    """A database in a file that is not there yet."""
    made = Database(str(tmp_path / "folder" / "plans.db"), clock)
    yield made
    made.close()


def unprivileged(*command: str) -> list[str]:
    """A command as somebody who is not root."""
    if os.geteuid():
        return list(command)
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of an ordinary role's database on a server of our own, which is ended by its number."""
    if not BINARIES:
        pytest.skip("there is no PostgreSQL (Debian: apt-get install postgresql)")
    nobody = subprocess.run(["id", USER], capture_output=True, check=False).returncode
    if not os.geteuid() and (nobody or not shutil.which("setpriv")):
        pytest.skip(f"PostgreSQL does not run as root, and there is no user {USER} or no setpriv")
    folder, port = Path(tempfile.mkdtemp(prefix="dpviz-pg-")), free_port()
    if not os.geteuid():
        shutil.chown(folder, USER, USER)
    data = folder / "data"

    def run(program: str, *arguments: str) -> None:
        command = unprivileged(str(BINARIES[-1] / program), *arguments)
        subprocess.run(command, check=True, capture_output=True, cwd=folder)

    run("initdb", "-D", str(data), "-U", "owner", "-A", "trust", "--no-sync")
    settings = "-c", "listen_addresses=127.0.0.1", "-p", f"{port}", "-k", str(folder), "-c", "max_connections=120"
    command = unprivileged(str(BINARIES[-1] / "postgres"), "-D", str(data), *settings)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        reach = "-h", "127.0.0.1", "-p", f"{port}", "-U", "owner"
        ready = unprivileged(str(BINARIES[-1] / "pg_isready"), *reach)
        for _ in range(300):
            if subprocess.run(ready, capture_output=True, cwd=folder).returncode == 0:
                break
            time.sleep(0.1)
        run("createuser", *reach, "--createdb", "dpviz")
        yield f"postgresql://dpviz@127.0.0.1:{port}/postgres"
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: its data goes with the folder
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server: str) -> str:
    """The URL of a database on that server that nobody has used."""
    import psycopg

    name = f"test_{next(NUMBERS)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres_server.rpartition("/")[0] + f"/{name}"
