"""The ledger of errors: a line of code that bounds one names its place in docs/engine.md; both have the same constants.

Here, as nowhere else outside the engine, tests import what its modules keep for themselves.
"""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from dpviz.privacy_loss import binomial

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
FOLDERS = ("dpviz/privacy_loss", "dpviz/mechanisms/laws")
NUMERAL = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
TABLES = ("1", "2", "5", "12")  # sections whose bounds stand in tables
PROSE = {"losses", "e", "dropped", "low losses", "what x lacks", "series cut", "μ < 1e-150", "a < 0", "μ > 2^42"}


def numerals(text: str) -> set[float]:
    """The numbers in a text but 0 and 1, which structure rather than bound."""
    return {float(each) for each in NUMERAL.findall(text)} - {0.0, 1.0}


def section(number: str) -> str:
    """The text of a section of the page."""
    return re.search(rf"^## {number} .*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL).group()


@cache
def entries(number: str) -> dict[str, list[str]]:
    """The cells of each row of a section's tables by the first one, and the text of each item by what is bold in it."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section(number).splitlines() if line.startswith("| ")]
    items = re.findall(r"^\d+\. \*\*(.+?)\*\*(.*?)(?=^\d+\. \*\*|^\*\*|\Z)", section(number), re.MULTILINE | re.DOTALL)
    return {cells[0].strip(): cells[1:] for cells in rows} | {name.rstrip("."): [text] for name, text in items}


def entry(number: str, name: str) -> list[str]:
    """What the page says under a name, which may go on there after a colon, a comma or a word."""
    found = [[key, *cells] for key, cells in entries(number).items() if re.match(rf"{re.escape(name)}(?![\w-])", key)]
    assert len(found) == 1, f"docs/engine.md, section {number}, has {len(found)} lines named {name}"
    return found[0]


@cache
def marked() -> list[tuple[str, tuple[tuple[str, str], ...], set[float]]]:
    """Where code names the page: file and line, the places named, and the numerals of that line or of the next one."""
    found = []
    for path in sorted(each for folder in FOLDERS for each in (ROOT / folder).glob("*.py")):
        source = path.read_text(encoding="utf-8")
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        numbers = [(each.start[0], abs(complex(each.string))) for each in tokens if each.type == tokenize.NUMBER]
        for token in tokens:
            if token.type != tokenize.COMMENT or not (told := re.match(r"# engine\.md (\d+), (.*)", token.string)):
                continue
            line = token.start[0] + (not token.line[: token.start[1]].strip())
            places = tuple((told[1], name) for name in re.findall(r'"([^"]+)"', told[2]))
            found.append((f"{path.name}:{line}", places, {value for row, value in numbers if row == line} - {0.0, 1.0}))
    return found


def test_the_page_has_the_constants_of_the_code():
    """No line of the ledger has a number that its place on the page has not; every place that is named is there."""
    assert len(marked()) > 30
    for where, places, constants in marked():
        told = set().union(*(numerals(" ".join(entry(*place))) for place in places))
        assert constants <= told, f"{where} has {constants - told}, which {places} of docs/engine.md has not"


@pytest.mark.parametrize("number", TABLES)
def test_the_code_has_the_constants_of_the_page(number):
    """Each bound of a table stands in the lines of code that name it, with all its coefficients."""
    coded: dict[str, set[float]] = {}
    for _, places, constants in marked():
        for place, name in places:
            if place == number:
                coded[name] = coded.get(name, set()) | constants
    for key, cells in entries(number).items():
        if len(cells) == 1 or key in ("error", "name", "Name", "---") or any(key.startswith(each) for each in PROSE):
            continue
        name = next((each for each in coded if re.match(rf"{re.escape(each)}(?![\w-])", key)), None)
        assert name, f"no line of code names {key} of section {number}"
        assert coefficients(cells[0]) <= coded[name], (key, coded[name])


def coefficients(bound: str) -> set[float]:
    """The numbers of a bound: in front of u, in the parenthesis that it opens, and tiny ones by themselves.

    What follows a colon is the reason.
    """
    sought = r"\d+(?=u)|(?<=u\()\d+|(?<=\+ )\d+(?=[)μ])|\d+(?=ε\)|\\\|y)|\de-\d+"
    return {float(each) for each in re.findall(sought, bound.partition(":")[0])} - {0.0, 1.0}


def test_the_page_names_what_is_there():
    """Every module, function and constant that the page sets as code is a word of the code."""
    folders = [*FOLDERS, "dpviz/privacy_loss/estimates", "dpviz/mechanisms", "dpviz/composition", "benchmarks"]
    files = [path for folder in folders for path in (ROOT / folder).glob("*.py")]
    words = {word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    words |= {path.stem for path in (*files, *(ROOT / "tests").rglob("*.py"))} | {"dpviz_certified", "tests"}
    told = {word for code in re.findall(r"`(?!python )([^`\n]+)`", PAGE) for word in re.findall(r"[A-Za-z_]\w*", code)}
    assert len(told) > 100
    assert not sorted(told - words)


def test_what_stirlings_series_leaves_is_said_alike():
    assert numerals(binomial._stirling.__doc__.partition("Examples")[0]) == {12.0, 2.3e-16}
    assert {12.0, 2.3e-16} <= numerals(entry("11", "Stirling's remainder")[1])


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("u(4 + laws) Σk + 4u(x) + 24u", {4.0, 24.0}),
        ("10u(2 + x): 8u of itself", {10.0, 2.0}),
        ("4u(x + 2) + 1e-300 each", {4.0, 2.0, 1e-300}),
    ],
)
def test_coefficients_are_seen(bound, expected):
    assert coefficients(bound) == expected
