"""The theorems page in a real browser: LaTeX, links, addresses, no foreign request."""

from playwright.sync_api import Page, expect

from dpviz.sources.cards import cards
from tests.browser.waiting import rest, saved


def opened(page: Page, address: str, chart: bool = True) -> Page:
    """Open an address and wait until the page is drawn."""
    page.goto(address)
    what = ".js-plotly-plot .main-svg" if chart else ".katex"
    expect(page.locator(what).first).to_be_visible()
    rest(page)
    return page


def test_every_cards_latex_renders(page, traffic):
    """One formula per card, none of them an error, none cut off without a way to scroll."""
    opened(page, "/theorems?check=Theorems", chart=False)
    expect(page.locator(".katex-display")).to_have_count(len(cards()))
    assert page.locator(".katex-error").count() == 0
    assert page.locator("[data-testid=stException]").count() == 0
    assert not traffic.foreign and not traffic.errors


def test_a_claims_link_opens_its_page(page):
    """The link beneath a claim leads to the page concerned with its parameters, in the same session with its plan."""
    opened(page, "/theorems?find=sherpa_crossing&example=lecture-11")
    page.get_by_role("link", name="Open the page concerned").click()
    expect(page.get_by_role("textbox", name="Repetitions, up to")).to_have_value("300")
    expect(page.get_by_text("Advanced beats Basic from 38 repetitions on", exact=True)).to_be_visible()
    page.wait_for_function("location.search.includes('example=lecture-11')")


def test_search_is_an_address(page, open_page):
    """What is found here is found there."""
    opened(page, "/theorems")
    page.get_by_role("textbox", name="Find").fill("harmonic")
    page.get_by_role("textbox", name="Find").press("Enter")
    expect(page.get_by_role("link", name="Open the page concerned")).to_have_count(1)
    page.wait_for_function("location.search.includes('find=harmonic')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.get_by_role("link", name="Open the page concerned")).to_have_count(1)


def test_the_data_can_be_saved(page):
    opened(page, "/theorems?doc=Lecture+11")
    rest(page)
    lines = saved(page.get_by_role("button", name="Data as CSV")).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("claim,document") and any(line.startswith("lecture_tenth") for line in lines)
