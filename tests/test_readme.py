"""What the README says is true: its examples run, its commands exist, its links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""
BLOCK = re.compile(r"^```python[^\n]*\n(?P<code>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
BLOCKS = [(TEXT.count("\n", 0, match.start()) + 2, match["code"]) for match in BLOCK.finditer(TEXT)]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize(("line", "code"), BLOCKS, ids=[f"line{line}" for line, _ in BLOCKS])
def test_example_runs(line: int, code: str, monkeypatch: pytest.MonkeyPatch):
    """Each Python block runs alone, from the root of the repository, and prints what it shows."""
    monkeypatch.chdir(ROOT)
    if ">>>" not in code:
        exec(compile("\n" * (line - 1) + code, str(README), "exec"), {"__name__": "readme"})
        return
    example = doctest.DocTestParser().get_doctest(code, {}, f"README.md, line {line}", str(README), line - 1)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append)
    assert not report, "".join(report)


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
