"""The built documentation: all pages are there, and a browser that reads it asks no other host for anything."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

import dpviz
from tests.docs.conftest import BUILD, ROOT

pytestmark = pytest.mark.rest

# What a browser fetches by itself: every address of these, but of links and forms, which wait for a person.
CLICKED = {("a", "href"), ("area", "href"), ("form", "action"), ("blockquote", "cite"), ("q", "cite")}
ADDRESSES = ("src", "href", "srcset", "data", "poster", "action", "cite", "background", "manifest", "xlink:href")
NOT_FETCHED = ("canonical", "license", "author", "alternate", "index", "search", "next", "prev", "top")
IN_STYLES = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
# Beside comments: names of formats, which are no addresses to fetch, and where a person may report a fault.
NAMES = ("http://www.w3.org/", "https://www.w3.org/")
IN_SCRIPTS = re.compile(
    r"""(?:(?:fetch|import|importScripts|open|Worker|sendBeacon)\s*\(|\.(?:src|href)\s*=)\s*["'`]((?:https?:)?//[^"'`]*)"""
)


class Fetched(HTMLParser):
    """Collects what a page has a browser fetch."""

    def __init__(self):
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.inside = tag
        waits = tag == "link" and set((given.get("rel") or "").split()) & set(NOT_FETCHED)
        for name, value in attrs:
            if name in ADDRESSES and value and (tag, name) not in CLICKED and not waits:
                self.found += [part.split()[0] for part in (value.split(",") if name == "srcset" else [value])]
            if name == "style" and value:
                self.found += in_style(value)
        if tag == "meta" and (given.get("http-equiv") or "").lower() == "refresh":
            self.found.append(given.get("content", "").partition("=")[2])

    def handle_data(self, data):
        if self.inside == "style":
            self.found += in_style(data)
        if self.inside == "script":
            self.found += IN_SCRIPTS.findall(data)

    def handle_endtag(self, tag):
        self.inside = ""


def in_style(text: str) -> list[str]:
    return [first or second for first, second in IN_STYLES.findall(text)]


def fetched(path: Path) -> list[str]:
    """What a file of the site has a browser fetch."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        return in_style(text)
    if path.suffix == ".js":
        return IN_SCRIPTS.findall(text)
    parser = Fetched()
    parser.feed(text)
    return parser.found


def foreign(address: str) -> bool:
    """Whether an address names a host: that of the page itself is never written out."""
    return bool(urlsplit(address).netloc) and not address.startswith(NAMES)


def test_nothing_is_fetched_from_another_host(site: Path):
    """Pages, their styles, scripts and pictures hold no address elsewhere that a browser goes to by itself."""
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg")]
    assert len([path for path in files if path.suffix == ".html"]) > 10
    assert len([address for path in files for address in fetched(path)]) > 100, "the test sees what is fetched"
    assert not [f"{path.name}: {address}" for path in files for address in fetched(path) if foreign(address)]


def test_scripts_and_styles_name_no_host(site: Path):
    """Beside names of formats, and the pages that comments point to; what pages say, for the search, is no script."""
    files = [path for path in site.rglob("*") if path.suffix in (".css", ".js", ".svg") and path.name != "texts.js"]
    hosts = re.compile(r"""(?:https?:|["'`])//([\w.-]+\.\w+)""")
    named = {host for path in files for host in hosts.findall(path.read_text(encoding="utf-8"))}
    assert named <= {"www.w3.org", "clipboardjs.com", "codepen.io", "snowballstem.org", "developer.mozilla.org"}


def test_names_of_the_reference_are_linked(site: Path):
    """The front page of the reference leads to every public name."""
    page = (site / "reference" / "api" / "index.html").read_text(encoding="utf-8")
    assert not [name for name in dpviz.__all__ if not re.search(rf'href="[^"]*#dpviz\.(\w+\.)?{name}"', page)]


def test_the_search_shows_excerpts_without_a_server(site: Path, browser: Browser):
    """From files, where a page may fetch no other; every page names the version, and none an empty copyright."""
    with browser.new_page() as reader:
        reader.goto(f"{(site / 'search.html').as_uri()}?q=threshold")
        excerpt = reader.locator("#search-results li p.context").first
        excerpt.wait_for()
        assert "threshold" in excerpt.inner_text().lower() and dpviz.__version__ in reader.title()
        assert "Copyright" not in reader.locator("footer").inner_text()


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example.org/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.org/a.css">',
        '<img srcset="a.png 1x, https://example.org/b.png 2x">',
        '<p style="background: url(https://example.org/a.png)">',
        "<style>@import 'https://example.org/a.css'</style>",
        "<script>fetch('https://example.org/a')</script>",
        '<meta http-equiv="refresh" content="0; url=https://example.org">',
    ],
)
def test_what_is_fetched_is_seen(tmp_path: Path, text: str):
    page = tmp_path / "page.html"
    page.write_text(text, encoding="utf-8")
    assert any(foreign(address) for address in fetched(page))


def test_a_link_to_click_is_let_pass(tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text('<a href="https://example.org">x</a><img src="a.png">', encoding="utf-8")
    assert fetched(page) == ["a.png"]


def test_formulas_are_drawn_without_a_script(site: Path):
    """The engine's page has MathML."""
    page = (site / "engine.html").read_text(encoding="utf-8")
    assert page.count("<math") > 20 and "MathJax" not in page and "\\varepsilon" not in page


def test_every_page_is_in_the_site(site: Path):
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert len(pages) > 8 and not [page for page in pages if not (site / page.with_suffix(".html")).exists()]


def test_make_builds_the_same():
    """``make docs`` calls Sphinx as these tests do."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"-m sphinx {' '.join(BUILD)} docs $(SITE)" in makefile and "SITE := build/docs" in makefile
