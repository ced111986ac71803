"""What the README and the documentation show can be done, and gives what they show."""

from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT, Block, Session, blocks, folder_with_examples, perform

# The one starts Python for each of its two dozen commands, the other measures.
MANY = ("docs/how-to/keep-a-ledger.md", "docs/performance.md")


def name_of(page: Path):
    """A page as a parameter, by its name; those that take long are left to `make rest`."""
    name = str(page.relative_to(ROOT))
    return pytest.param(page, id=name, marks=[pytest.mark.rest] * (name in MANY))


def block(language: str, text: str) -> Block:
    return Block(ROOT / "README.md", 1, language, "", text)


@pytest.mark.parametrize("page", [name_of(page) for page in PAGES])
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From top to bottom, in a folder with the examples: Python runs, commands run, files are read."""
    monkeypatch.chdir(folder_with_examples(tmp_path))
    session = Session(tmp_path)
    failed = {str(each): told for each in blocks(page) if (told := perform(each, session))}
    assert not failed, "\n".join(f"{where}:\n{told}" for where, told in failed.items())


def test_the_pages_show_something():
    """The blocks are seen: Python, terminals, and files."""
    languages = [each.language for page in PAGES for each in blocks(page)]
    assert {"python", "console", "json", "csv", "indented"} <= set(languages) and len(languages) > 30


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("", "make test"),
        ("cobol", "DISPLAY 'x'."),
        ("python", ">>> 1 + 1\n3\n"),
        ("console", "$ dpviz check examples/mobility.json\nwithin budget\n"),
        ("console", "dpviz check nowhere.json\n"),
        ("indented", "rm -r examples\n"),
        ("indented", "dpvis check examples/mobility.json\n"),
    ],
)
def test_a_wrong_block_is_noticed(language: str, text: str, tmp_path: Path):
    assert perform(block(language, text), Session(folder_with_examples(tmp_path)))


@pytest.mark.parametrize(("language", "text"), [("json", "{"), ("csv", "name\nVisits\n"), ("python", "1 / 0\n")])
def test_a_file_that_cannot_be_read_is_noticed(language: str, text: str, tmp_path: Path):
    with pytest.raises((ValueError, ZeroDivisionError)):
        perform(block(language, text), Session(tmp_path))


def test_the_status_of_a_command_can_be_shown(tmp_path: Path):
    session = Session(folder_with_examples(tmp_path))
    told = "$ dpviz check examples/mobility.json --budget 1 > out.txt\n$ echo $?\n1\n"
    assert not perform(block("console", told), session)
    assert perform(block("console", told.replace("\n1\n", "\n0\n")), session)


def test_names_go_from_block_to_block(tmp_path: Path):
    session = Session(tmp_path)
    assert not perform(block("python", "x = 2\n"), session)
    assert not perform(block("python", ">>> x + 1\n3\n"), session)
    assert perform(block("python", ">>> x + 1\n3\n"), Session(tmp_path))
