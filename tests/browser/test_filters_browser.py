"""The filter page in a real browser: a session to its refusal, presets, downloads, addresses."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest, saved

METRIC = "[data-testid=stMetricValue]"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the chart is drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def metric(page: Page, place: int):
    return page.locator(METRIC).nth(place)


def test_a_session_is_played_to_its_refusal(page, open_page, traffic):
    """Ask until it is refused, take it back, ask the largest that fits; the address and the file hold the session."""
    opened(page, "/filters?fview=Play+a+session&geps=0.2&gdelta=0&nexteps=0.08")
    page.get_by_role("button", name="Start empty").click()
    expect(page.get_by_text("Nothing is asked yet")).to_be_visible()
    for asked, admitted in enumerate((1, 2, 2), start=1):
        page.get_by_role("button", name="Ask next", exact=True).click()
        expect(metric(page, 0)).to_have_text(f"{admitted} of {asked}")
    expect(page.get_by_text("refuse, at query 3").first).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(metric(page, 0)).to_have_text("2 of 2")
    page.get_by_role("button", name="Ask the largest, ε = 0.04").click()
    expect(metric(page, 0)).to_have_text("3 of 3")
    text = saved(page.get_by_role("button", name="Data as CSV")).read_text(encoding="utf-8").splitlines()
    assert (
        text[0] == "rule,label,step,epsilon,delta,admitted,bound,reason" and "basic,Basic,3,0.04,0.0,True,0.2," in text
    )
    page.wait_for_function("location.search.includes('seq=')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(metric(other, 0)).to_have_text("3 of 3")
    assert not traffic.foreign and not traffic.errors


@pytest.mark.rest
def test_the_notebooks_figure_is_an_address(page, open_page):
    """The preset fills the sidebar; its address shows the same, on a server's page opened by somebody else."""
    opened(page, "/filters")
    page.get_by_role("button", name="A teaching notebook").click()
    expect(page.get_by_role("link", name="What the source says")).to_be_visible()
    page.wait_for_function("location.search.includes('gdelta=2e-30')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.get_by_role("link", name="What the source says")).to_be_visible()
    copy = saved(page.get_by_role("button", name="Chart as HTML")).read_text(encoding="utf-8")
    assert "Fully adaptive or basic" in copy and "<script src=" not in copy


def test_queries_go_from_here_into_the_plan(page, traffic):
    """A fresh visit asks for the plan's own release; what fits goes there by one press, and the way leads to it."""
    opened(page, "/filters?example=mobility")
    expect(page.get_by_text("18 more fit")).to_be_visible()
    page.get_by_role("button", name="Use this in my plan").click()
    expect(page.get_by_role("button", name="Use this in my plan")).to_be_disabled()
    rest(page)
    page.get_by_role("link", name="See it in the plan").click()
    page.wait_for_function("location.pathname === '/' && location.search.includes('plan=')")
    assert not traffic.foreign and not traffic.errors
