"""No page of ours has a fault that axe-core finds, beyond those of a bare page of Streamlit."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from dpviz.ui.shell.shell import PAGES
from tests.browser import axe
from tests.browser.conftest import Server
from tests.browser.waiting import finished

HIGH = {"width": 1400, "height": 4000}  # what is scrolled out of sight is not looked at
PLAN = "/?example=statistics-office"
SCREENS = {"first visit": "/", "plan": PLAN, **{entry.name: f"/{entry.name}" for entry in PAGES[1:]}}
PANELS = ("One release, every field", "Fit to budget", "A against B")
TABS = ("How accurate", "When", "What an attacker learns")
REFUSED = ".katex-error, .katex [style*='rgb(204, 0, 0)']"  # a formula, or a command in one, that cannot be read
LEVELS = {"light": ("numbers", "people"), "dark": ("proofs",)}  # proofs unfold what numbers fold


@pytest.fixture(scope="session")
def script() -> Path:
    """axe-core, fetched once."""
    return axe.script()


@pytest.fixture(scope="session")
def bare(browser: Browser, bare_server: Server, script: Path) -> Iterator[Callable[[str], axe.Findings]]:
    """What is wrong with a bare page of Streamlit, in a colour scheme."""
    found = {}

    def of(scheme: str) -> axe.Findings:
        if scheme not in found:
            page = browser.new_page(color_scheme=scheme, viewport=HIGH, base_url=bare_server.url)
            page.goto("/")
            expect(page.get_by_role("tab", name="Second")).to_be_visible()
            found[scheme] = axe.findings(finished(page), script)
            page.close()
        return found[scheme]

    return of


def look(page: Page, script: Path, bare: axe.Findings) -> None:
    """Ask axe-core about a finished page: it looks at the page, and finds nothing beyond the bare one."""
    found = axe.findings(finished(page), script)
    assert {"color-contrast", "button-name", "document-title", "region"} <= set(found.passed)
    assert found.seen > 100
    assert not found.beyond(bare), "\n".join(found.beyond(bare))
    assert not [fault for fault in found.faults if fault[0] == "color-contrast"]  # the theme is ours
    assert not page.locator(REFUSED).all_inner_texts()


@pytest.mark.parametrize("colour_scheme", LEVELS)
@pytest.mark.parametrize("screen", SCREENS)
def test_a_page_has_no_fault_of_its_own(open_page, script, bare, screen: str, colour_scheme: str):
    """By day and by night, at every level of reading."""
    page, address = open_page(**HIGH), SCREENS[screen]
    first, *others = LEVELS[colour_scheme]
    page.goto(f"{address}{'&' if '?' in address else '?'}read={first}")
    look(page, script, bare(colour_scheme))
    for level in others:
        page.get_by_role("radio", name=level).click(force=True)
        expect(page.get_by_role("radio", name=level)).to_be_checked()
        look(page, script, bare(colour_scheme))


@pytest.mark.parametrize("colour_scheme", LEVELS)
def test_the_workbench_has_none_whatever_is_opened(open_page, script, bare, colour_scheme: str):
    """Every panel, every picture, over budget, and what hands the plan over."""
    page = open_page(**HIGH)
    for panel, tab in zip(PANELS, TABS, strict=True):
        page.goto(f"{PLAN}&eps=2&panel={quote(panel)}&tab={quote(tab)}")
        expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("radio", name=panel, exact=True)).to_be_checked()
        look(page, script, bare(colour_scheme))
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    look(page, script, bare(colour_scheme))


def test_axe_finds_what_is_wrong(page, script, bare):
    """A button without a name and a grey text on grey are told, with their kinds, and not taken for Streamlit's own."""
    page.set_content(
        "<html lang=en><title>Page</title><main><h1>Title</h1><button data-testid=stButton></button>"
        "<p style='color:#aaa;background:#bbb'>text</p></main>"
    )
    found = axe.findings(page, script)
    assert found.kinds == {("button-name", "stButton"), ("color-contrast", "p")}
    assert len(found.beyond(bare("light"))) == 2
    assert bare("light").seen > 100 and "button-name" in bare("light").passed
