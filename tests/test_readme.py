"""What the README says is true: its examples run, its commands exist, its links lead somewhere."""

import re
from pathlib import Path

import pandas
import pytest

from tests.docs.blocks import Block, Session, blocks, run_python

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""
BLOCKS = [block for block in blocks(README) if block.language == "python"]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_example_runs(block: Block, monkeypatch: pytest.MonkeyPatch):
    """Each Python block runs alone, from the root of the repository, and prints what it shows."""
    monkeypatch.chdir(ROOT)
    told = run_python(block, Session(ROOT))
    assert not told, told


def test_what_the_table_asks_has_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Every call in the table of questions runs as it stands after the first example."""
    import dpviz

    monkeypatch.chdir(tmp_path)
    names = {name: getattr(dpviz, name) for name in dpviz.__all__} | {"dpviz": dpviz}
    for line in BLOCKS[0].text.splitlines():
        if line.startswith(">>> ") and " import " not in line and " = " in line:
            exec(line.removeprefix(">>> "), names)
    row = {"name": "Visits", "mechanism": "laplace", "epsilon": 0.1, "kind": "count"}
    names["frame"] = pandas.DataFrame([row])
    rows = re.findall(r"^\| (?!to know).* \| (`.*) \|$", TEXT, re.MULTILINE)
    calls = [span for row in rows for span in re.findall("`([^`]+)`", row) if "(" in span]
    assert len(calls) > 15
    for call in calls:
        exec(call, names)


def test_there_is_an_example():
    """The README shows the core at work."""
    assert BLOCKS


@pytest.mark.parametrize("command", ["make run", "make test"])
def test_names_the_two_commands(command: str):
    """A newcomer finds how to start and how to test."""
    assert command in TEXT


def test_named_commands_exist():
    """Every ``make`` command in the README is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"^\s*make ([a-z]+)|`make ([a-z]+)", TEXT, re.MULTILINE))
    assert {name for pair in named for name in pair if name} <= targets


def test_links_lead_somewhere():
    """Every file that the README links to, or shows, is in the repository."""
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", TEXT) if "://" not in target]
    assert not [target for target in targets if target and not (ROOT / target).exists()]
