"""The forecast page in a real browser: dates typed into the table, addresses, downloads, small screens."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

METRIC = "[data-testid=stMetricValue]"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the chart is drawn."""
    page.goto(address)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def started(page: Page, text: str) -> None:
    """Type the start date of the first release into the table."""
    table = page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    table.locator("canvas").first.click(position={"x": 470, "y": 53}, force=True)
    page.keyboard.type(text, delay=150)  # the first key opens the cell, which takes a moment
    page.keyboard.press("Enter")


def test_dates_typed_into_the_table_move_the_forecast(page, open_page, traffic):
    """A start date replaces the sidebar's schedule; undo brings it back; the address holds the rest of the screen."""
    opened(page, "/forecast?example=lecture-11&every=monthly&tview=Releases&window=quarter")
    expect(page.get_by_text("31 December 2026").first).to_be_visible()
    started(page, "2026-05-09")
    expect(page.get_by_text("9 May 2026").first).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("31 December 2026").first).to_be_visible()
    page.wait_for_function("location.search.includes('window=quarter')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.get_by_text("One quarter's releases alone")).to_be_visible()
    assert not traffic.foreign and not traffic.errors


def test_the_story_and_its_downloads(page, traffic):
    """A month of reports exceeds 10, whichever month; its data and its chart can be taken away."""
    opened(page, "/forecast?example=mobility-30-days&eps=10&every=monthly")
    expect(page.locator(METRIC).nth(0)).to_have_text("ε ≤ 21.98")
    expect(page.locator(METRIC).nth(3)).to_have_text("nothing")
    rest(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Data as CSV").first.click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "date,until,uses,epsilon" and len(lines) == 13 and lines[1].startswith("2026-01-01,")
    rest(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Chart as HTML").first.click()
    copy = Path(download.value.path()).read_text(encoding="utf-8")
    assert "one month alone" in copy and "<script src=" not in copy
    page.get_by_role("tab", name="Levers").click()
    expect(page.get_by_text("Most is bought by")).to_be_visible()
    page.get_by_role("tab", name="Checks").click()
    expect(page.get_by_text("checks found nothing")).to_be_visible()
    assert not traffic.foreign and not traffic.errors


def test_nothing_is_repeated_until_asked(page, traffic):
    """A plan without dates costs what one unit costs, also at an old address; one press repeats it, and is kept."""
    page.goto("/forecast?every=by+unit")
    expect(page.get_by_text("No release has a date")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    page.get_by_role("button", name="Repeat daily", exact=True).click()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_text("no budget is stated for a whole person")).to_be_visible()
    page.wait_for_function("location.search.includes('every=daily')")
    assert not traffic.foreign and not traffic.errors


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_the_first_screen_holds_the_chart(page, colour_scheme: str):
    """Question, finding and chart are seen without scrolling, and nothing spills sideways."""
    opened(page, "/forecast?every=daily")
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box["y"] + box["height"] <= 900
    assert page.evaluate("document.documentElement.scrollWidth") <= 1400


def test_a_phone_shows_the_finding_first(phone, traffic):
    """At 390 pixels nothing is cut off at the side."""
    opened(phone, "/forecast?every=daily&tview=Levers")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    expect(phone.get_by_text("loses at most").first).to_be_in_viewport()
    # Two large figures per line: all places at one moment, once the page has come to rest.
    tops = "[...document.querySelectorAll('[data-testid=stMetric]')].map(each => each.getBoundingClientRect().y)"
    phone.wait_for_function(f"new Set({tops}.map(Math.round)).size === 2")
    chosen = phone.locator("[data-testid=stSelectbox]").last.bounding_box()
    assert chosen["x"] + chosen["width"] <= 390
    assert not traffic.foreign and not traffic.errors
