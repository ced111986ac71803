"""What is generated in the documentation is not stale: ``python -m docs.generated`` would change nothing."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from docs import api_pages, generated
from tests.docs.blocks import ROOT
from tests.ui.test_links import PRESENT

# How a link is packed may differ between machines: tests/sources/test_theorem_cards.py opens those of the examples.
WANTED = generated.whole_files()
PACKED = "examples"


@pytest.mark.parametrize("path", WANTED)
def test_a_generated_file_is_not_stale(path: str):
    assert (ROOT / path).read_text(encoding="utf-8") == WANTED[path], generated.COMMAND


@pytest.mark.parametrize("path", generated.PARTS)
def test_a_generated_part_is_not_stale(path: str):
    text = (ROOT / path).read_text(encoding="utf-8")
    parts = {name: make() for name, make in generated.PARTS[path].items() if name != PACKED}
    assert generated.rewritten(text, parts) == text, generated.COMMAND


def test_no_generated_file_is_left_over():
    """A room that is gone leaves no page."""
    folder = ROOT / api_pages.FOLDER
    assert {str(path.relative_to(ROOT)) for path in folder.glob("*.md")} <= set(WANTED)


def test_the_reference_has_every_public_name():
    """Of `dpviz` and of each room that exports names: one directive each, on one page."""
    text = "\n".join(WANTED.values())
    for package in (import_module("dpviz"), *(api_pages.package(room) for room in api_pages.ROOMS)):
        for each in package.__all__:
            assert re.search(rf":: dpviz(_certified|\.\w+)?\.{each}$", text, re.MULTILINE), f"{package.__name__}.{each}"
    directives = re.findall(r"^\.\. .*:: (\S+)$", text, re.MULTILINE)
    assert len(directives) == len(set(directives)) > 100


def test_every_room_with_exports_has_a_page():
    """A room of the core whose door exports something is in the reference; those of the dashboard are not for users."""
    doors = [path for path in (ROOT / "dpviz").glob("*/__init__.py") if "__all__" in path.read_text(encoding="utf-8")]
    assert {path.parent.name for path in doors} - {"ui", "figures"} == set(api_pages.ROOMS) - {"certified"}


def test_every_key_of_an_address_is_listed():
    """With all its choices, where they are few; keys of former versions that are gone are not."""
    page = (ROOT / "docs/reference/addresses.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[1].strip("`"): row for row in page.splitlines() if row.startswith("| ") and "`" in row}
    keys = {key for key, _ in PRESENT}
    assert keys <= rows.keys() and {"delta1", "find", "clients"} <= rows.keys()
    for key, shown in PRESENT:
        assert "…" in rows[key] or f"`{shown}`".replace("|", "\\|") in page, (key, shown)


def test_a_name_without_docstring_is_told_by_what_it_holds():
    assert api_pages.first_line((1, 2)) == "A tuple of 2: ``1``, ``2``"
    assert api_pages.first_line(0.5) == "``0.5``"


def test_the_command_writes_what_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """And nothing else; a second call finds nothing to do."""
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    start, end = generated.between("theorems")
    page.write_text(f"before\n{start}\nold\n{end}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr(generated, "PARTS", {"docs/page.md": {"theorems": lambda: "new"}})
    monkeypatch.setattr(generated, "whole_files", lambda: {"docs/new/file.md": "text\n"})
    assert set(generated.stale()) == {"docs/page.md", "docs/new/file.md"}
    generated.write()
    assert page.read_text(encoding="utf-8") == f"before\n{start}\nnew\n{end}\nafter\n"
    assert (tmp_path / "docs/new/file.md").read_text(encoding="utf-8") == "text\n" and not generated.stale()


def test_the_command_starts():
    run = subprocess.run(
        [sys.executable, "-c", "from docs import generated; print(generated.COMMAND)"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout.strip() == "python -m docs.generated"
