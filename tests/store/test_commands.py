"""``dpviz spend``, ``dpviz ledger`` and ``dpviz verify``, and the library where no database is installed."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.cli.command_line import main
from dpviz.cli.commands import SCHEMAS
from dpviz.plan import Document
from dpviz.store import Database, Key, Term

ROOT = Path(__file__).resolve().parents[2]
KEY = Key("census", "person")


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose database has a project with a budget of 1 and a plan in force that reserves 0.6 of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPVIZ_DATABASE", str(tmp_path / "office.db"))
    database = Database()
    database.projects().create("census")
    ledger = database.ledger("census")
    ledger.open_budget(KEY, 1.0, reference="budget")
    plan = Plan([Release("Mean age", Laplace.from_epsilon(0.3), 2)], Guarantee(1.0, 0.0), "person")
    ledger.take_into_force(database.plans().save(Document(plan)), reference="plan")
    database.close()
    return tmp_path


def said(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[int, str]:
    status = main(list(arguments))
    told = capsys.readouterr()
    return status, told.out + told.err


def test_a_pipeline_asks_before_it_releases(office, capsys):
    spend = "spend", "--project", "census", "--reference"
    line = said(capsys, *spend, "run 1", "--line", "Mean age")
    assert line == (0, "Entry 3: line “Mean age”, 1 use. It may run, and costs nothing new.\n")
    assert said(capsys, *spend, "run 1", "--line", "Mean age") == line
    asked = said(capsys, *spend, "ad hoc", "--epsilon", "0.4", "--data", "census", "--unit", "person", "--note", "why")
    assert asked == (0, "Entry 4: it may run, and is charged to 1 budget.\n")
    status, told = said(capsys, *spend, "more", "--epsilon", "0.1")
    assert status == 1 and told.startswith("Refused, and nothing was charged: the budget of census, person (lifetime)")
    for words in (
        ("--line", "Mean age", "--epsilon", "1"), (), ("--line", "Median"), ("--line", "Mean age", "--count", "2"),
        ("--line", "Mean age", "--delta", "0"), ("--epsilon", "nan"), ("--epsilon", "0.1", "--data", "x"),
    ):  # fmt: skip
        status, told = said(capsys, *spend, "other", *words)
        assert (status == 2 and told.count("\n") == 1) or "usage" in told, words
    assert said(capsys, "spend", "--project", "other", "--reference", "x", "--line", "x")[0] == 2


def test_where_a_window_renews_its_amount_the_lifetime_stands_beside(office, capsys):
    """Nothing is ever reset: the second day's ε adds to the first one's."""
    database = Database()
    ledger, key = database.ledger("census"), Key("survey", "person")
    ledger.open_budget(key, 0.5, term=Term.rolling(1), reference="any second", at=datetime(2100, 12, 1, tzinfo=UTC))
    ledger.spend(asked={key: Guarantee(0.5)}, reference="then", at=datetime(2100, 12, 1, tzinfo=UTC))
    ledger.spend(asked={key: Guarantee(0.5)}, reference="now", at=datetime(2100, 12, 2, tzinfo=UTC))
    database.close()
    spend = "spend", "--project", "census", "--data", "survey", "--unit", "person", "--reference"
    told = said(capsys, *spend, "now", "--epsilon", "0.5")
    beside = "Who is in the data in all windows (rolling 1 s) has lost at most ε = 1 at δ = 0."
    assert told == (0, f"Entry 5: it may run, and is charged to 1 budget.\n{beside}\n")


def test_a_ledger_is_written_out_and_verified(office, capsys):
    status, text = said(capsys, "ledger", "--project", "census")
    assert status == 0
    Path("LEDGER.json").write_text(text, encoding="utf-8")
    status, told = said(capsys, "verify", "LEDGER.json")
    head = json.loads(text)["entries"][-1]["hash"]
    holds = "2 entries of “census”: hashes, arithmetic and theorems hold."
    assert (status, told) == (0, f"{holds}\nThe last hash is {head}.\n")
    assert said(capsys, "verify", "LEDGER.json", "--head", head)[0] == 0
    status, told = said(capsys, "verify", "LEDGER.json", "--head", "0" * 64)
    assert status == 1 and "its end is missing, or it is another" in told
    Path("LEDGER.json").write_text(text.replace("600000", "500000"), encoding="utf-8")
    status, told = said(capsys, "verify", "LEDGER.json")
    assert status == 1 and "entry 2: it was changed after it was written" in told
    Path("LEDGER.json").write_bytes(b"\xff\x00")
    for path in ("LEDGER.json", "absent.json", "."):
        status, told = said(capsys, "verify", path)
        assert status == 2 and told.startswith("dpviz: ledger must be")


def told(capsys: pytest.CaptureFixture, *arguments: str) -> dict:
    """The JSON of a command that does what it is asked, which its schema describes."""
    status, text = said(capsys, *arguments, "--json")
    found = json.loads(text)
    key = next(iter(found)).removeprefix("dpviz_")
    [schema] = [json.loads(each.text) for each in SCHEMAS if each.key == key]
    jsonschema.Draft202012Validator(schema).validate(found)
    assert set(found) == set(schema["properties"]) and status in (0, 1)
    return found


def test_all_of_it_in_the_shell(tmp_path, monkeypatch, capsys):
    """From nothing to a plan in force, a line, a request that is refused, and another version."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPVIZ_DATABASE", str(tmp_path / "office.db"))
    assert said(capsys, "project") == (0, "No project yet.\n")
    assert told(capsys, "project", "census", "--make")["projects"][0]["members"] == {"local": "steward"}
    own = "--project", "census", "--data", "census", "--unit", "person"
    terms = "--term", "calendar year", "--rule", "zcdp", "--delta", "1e-6"
    opened = told(capsys, "budget", *own, "--epsilon", "1", *terms)
    assert (opened["budgets"][0]["free"] <= 1, opened["budgets"][0]["term"]) == (True, "calendar year")
    assert told(capsys, "budget", *own, "--epsilon", "0.7")["budgets"][1]["free"] == 0.7
    Plan([Release("Mean age", Laplace.from_epsilon(0.3), 2)], Guarantee(1.0, 0.0), "person").write("plan.json")
    version = told(capsys, "save", "plan.json", "--title", "Year")["version"]
    second = told(capsys, "save", "plan.json", "--over", version, "--title", "Year")["version"]
    assert second == f"{version[:-2]}/2"
    status, refused = said(capsys, "save", "plan.json", "--over", version)
    assert status == 2 and "saved version 2 meanwhile" in refused
    force = "force", "--project", "census", "--version", second, "--reference"
    answer = told(capsys, *force, "plan")
    assert (answer["allowed"], answer["entry"], answer["budgets"]) == (True, 3, [1, 2]) and "0.6" in answer["said"]
    assert "in all windows (calendar year) has lost at most" in answer["said"] and answer["said"].count("\n") == 1
    again = told(capsys, "force", "--project", "census", "--title", "Year", "--reference", "more")
    assert (again["allowed"], again["entry"]) == (False, None) and again["said"].startswith("Refused")
    standing = told(capsys, "budget", "--project", "census")["budgets"][1]
    assert (standing["charged"], standing["free"], standing["lifetime_epsilon"]) == (0.6, 0.1, 0.6)
    assert told(capsys, "spend", "--project", "census", "--line", "1", "--reference", "run")["allowed"]
    assert told(capsys, "project", "census", "--invite", "ada", "--role", "analyst")["projects"][0]["members"]["ada"]
    assert "ada" not in told(capsys, "project", "census", "--invite", "ada", "--role", "none")["projects"][0]["members"]
    for words in (
        ("project", "--make"), ("project", "other"), ("budget", "--project", "census", "--epsilon", "1"),
        ("budget", *own, "--epsilon", "2"), ("budget", *own, "--epsilon", "2", "--term", "calendar aeon"),
        ("force", "--project", "census", "--version", "x/1", "--reference", "x"),
        ("force", "--project", "census", "--title", "Yea", "--reference", "x"),
        ("project", "census", "--invite", "local", "--role", "viewer"),
    ):  # fmt: skip
        status, text = said(capsys, *words)
        assert status == 2 and (text.count("\n") == 1 or "usage" in text), (words, text)


def test_a_year_of_a_person_gets_the_calendar_year_and_is_shared_out(office, capsys):
    """Where no other period is asked for: 5 become 2 and 3."""
    year = "budget", "--project", "census", "--data", "wages", "--unit", "person-year"
    [shared] = told(capsys, *year, "--epsilon", "5")["budgets"]
    assert shared["term"] == "calendar year"
    for holder, epsilon in (("A", "2"), ("B", "3")):
        share = *year, "--holder", holder, "--epsilon", epsilon, "--parent", f"{shared['number']}"
        [held] = told(capsys, *share)["budgets"]
        assert (held["term"], held["free"]) == ("calendar year", float(epsilon))
    [shared] = told(capsys, *year)["budgets"]
    assert (shared["charged"], shared["free"]) == (5.0, 0.0)
    for parent, status, sentence in (("99", 2, "parent must be"), ("3", 1, "nothing was charged")):
        words = *year, "--holder", "C", "--epsilon", "1", "--parent", parent
        assert said(capsys, *words)[0] == status and sentence in said(capsys, *words)[1]


def test_without_the_packages_of_a_database_all_else_works():
    """The library imports, a ledger is verified, and whoever wants a database is told what to install."""
    program = """
import sys
from importlib.machinery import PathFinder
found = PathFinder.find_spec
absent = ("sqlalchemy", "alembic", "platformdirs", "psycopg")
PathFinder.find_spec = lambda name, *others: None if name.partition(".")[0] in absent else found(name, *others)
import dpviz
from dpviz.store import Key, verify
from dpviz.store.entries import exported
assert verify(exported("x", [])).holds
from dpviz.cli.command_line import main
from dpviz.cli.commands import SCHEMAS
sys.exit(main(["ledger", "--project", "census"]))
"""
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stderr == 'dpviz: a database needs its packages: pip install "dpviz[app]"\n'
