"""Links of the README and the documentation lead somewhere: to a file, to a section of it, or to a known address."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.docs.blocks import PAGES, ROOT

EXTERNAL = Path(__file__).with_name("external_links.txt").read_text(encoding="utf-8").splitlines()
ADDRESS = re.compile(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[^\s<>\"]*)?")
HERE = ("localhost:8501",)  # where `make run` serves: its links are opened by tests/sources/test_theorem_cards.py
MARKS = re.compile(r"[^\w\- ]")


def tokens(text: str) -> Iterator[Token]:
    """All tokens of a page, those inside paragraphs, too."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        yield token
        yield from token.children or ()


def targets(page: Path) -> list[str]:
    """What a page links to, or shows."""
    found = [token.attrGet("href") or token.attrGet("src") for token in tokens(page.read_text(encoding="utf-8"))]
    return [str(target) for target in found if target]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The names of a page's sections, as code hosts make them of the headings; one used twice gets a number."""
    every = list(tokens(page.read_text(encoding="utf-8")))
    found: list[str] = []
    for heading, content in pairwise(every):
        if heading.type == "heading_open":
            parts = (child.content for child in content.children or () if child.type in ("text", "code_inline"))
            slug = MARKS.sub("", "".join(parts).strip().lower()).replace(" ", "-")
            found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return frozenset(found)


def broken(page: Path, target: str) -> str:
    """Why a link within the repository leads nowhere; "" where it leads somewhere."""
    place, _, anchor = unquote(target).partition("#")
    file = (page.parent / place).resolve() if place else page
    if not file.exists() or ROOT not in (file, *file.parents):
        return f"{target}: there is no such file"
    if anchor and (file.suffix != ".md" or anchor not in anchors(file)):
        return f"{target}: there is no such section"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    """Every relative link is a file of the repository, and its anchor a heading there."""
    inner = [target for target in targets(page) if not urlsplit(target).scheme]
    assert not [told for target in inner if (told := broken(page, target))]


def test_links_to_elsewhere_are_known():
    """Each is https, well formed, and stands in external_links.txt; none there is left over."""
    outer = {target for page in PAGES for target in targets(page) if urlsplit(target).scheme}
    outer = {target for target in outer if urlsplit(target).netloc not in HERE}
    assert not [target for target in outer if not ADDRESS.fullmatch(target)]
    assert sorted(outer) == EXTERNAL


def test_links_are_seen():
    assert sum(len(targets(page)) for page in PAGES) > 40


@pytest.mark.parametrize(
    "target", ["nowhere.md", "#nowhere", "docs/demo.md#nowhere", "../elsewhere", "docs/pictures/plan.png#x"]
)
def test_a_broken_link_is_noticed(target: str):
    assert broken(ROOT / "README.md", target)


def test_sections_are_called_as_code_hosts_call_them(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("# What `x` is: ε, δ\n\n## Twice\n\n## Twice\n", encoding="utf-8")
    assert anchors(page) == {"what-x-is-ε-δ", "twice", "twice-1"}
