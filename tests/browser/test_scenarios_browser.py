"""The scenarios page in a real browser: the story, what is kept across pages, downloads, addresses, small screens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

BARS = "What it costs"
PUBLISHED = "Published ε, each in the row of the unit that it protects"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the whole page is drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.get_by_text(PUBLISHED)).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").last).to_be_attached()
    expect(page.locator(".js-plotly-plot .main-svg:visible").first).to_be_visible()
    expect(page.get_by_text("Why: what is compared")).to_be_visible()
    rest(page)
    return page


def finding(page: Page):
    return page.locator("[data-testid=stMain] [data-testid=stMarkdown] p").first


def go(page: Page, name: str) -> None:
    """Choose a page of the first group in the navigation."""
    page.get_by_test_id("stTopNavSection").get_by_text("Plan").click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=name).click()


def test_the_story(page, traffic, tmp_path):
    """The month over a budget of 10, its noise solved, A kept while pages change; nothing leaves the machine."""
    opened(page, "/scenarios?example=mobility-30-days&eps=10")
    expect(finding(page)).to_contain_text("The budget goes from 40 to 10")
    page.get_by_role("button", name="Noise that just uses ε = 10").click()
    expect(page.get_by_text(re.compile(r"B costs one user-month .* instead of 21\.98"))).to_be_visible()
    expect(page.get_by_text(f"{BARS}: ε changes by −")).to_be_in_viewport()
    page.get_by_role("button", name="Swap A and B").click()
    expect(finding(page)).to_contain_text("21.98 instead of 10")
    go(page, "Cost of a plan")
    expect(page.get_by_role("heading", name="What does my plan cost")).to_be_visible()
    go(page, "A against B")
    expect(finding(page)).to_contain_text("21.98 instead of 10")
    settled(page).get_by_role("button", name="Undo", exact=True).click()
    expect(finding(page)).to_contain_text("instead of 21.98")
    rest(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Data as CSV").last.click()
    waiting.value.save_as(tmp_path / "published.csv")
    assert "Community Mobility Place Visits" in (tmp_path / "published.csv").read_text(encoding="utf-8")
    assert traffic.requests and not traffic.foreign
    assert not traffic.errors


def test_bars_without_a_difference_wait_in_a_fold(page):
    """Where only the budget changes, what others publish comes first; opened, the bars fill their place."""
    opened(page, "/scenarios?eps=7")
    bars = page.locator(".js-plotly-plot").first
    expect(bars).not_to_be_visible()
    page.get_by_text("No total and no error differs").click()
    expect(bars).to_be_visible()
    page.wait_for_function("document.querySelector('.js-plotly-plot .main-svg').getBoundingClientRect().width > 350")


def test_addresses_restore_the_table(page):
    """The chosen table stands in the address, and its links lead to the sources."""
    opened(page, "/scenarios")
    page.get_by_role("tab", name="Published deployments").click()
    page.wait_for_function("location.search.includes('abview=')")
    opened(page, page.evaluate("location.href"))
    expect(page.get_by_role("tab", name="Published deployments")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_nothing_overflows_on_a_phone(phone):
    """At 390 pixels the finding comes first and nothing is wider than the screen, with one plan and with two."""
    opened(phone, "/scenarios")
    expect(finding(phone)).to_be_in_viewport()
    wide = "[...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer], html')]"
    assert phone.evaluate(f"{wide}.every(each => each.scrollWidth <= innerWidth)")
    phone.get_by_role("button", name="Everything twice as often").click()
    expect(phone.get_by_text(BARS).filter(visible=True).first).to_be_visible()
    assert phone.evaluate(f"{wide}.every(each => each.scrollWidth <= innerWidth)")
