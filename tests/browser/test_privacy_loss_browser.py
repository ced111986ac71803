"""The privacy-loss page in a real browser: examples, downloads."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest, saved

METRIC = "[data-testid=stMetricValue]"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the whole page is drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(METRIC)).to_have_count(4)
    expect(page.locator("[data-testid=stExpander]").first).to_be_visible()
    rest(page)
    return page


def test_an_example_is_in_the_url_and_comes_back(page):
    """A preset changes the finding and the address; the address restores it."""
    opened(page, "/privacy_loss?lossof=One+mechanism")
    expect(page.locator(METRIC).nth(1)).to_have_text("4.693")
    page.get_by_role("button", name="Name and shame").click()
    expect(page.locator(METRIC).nth(1)).to_have_text("∞")
    expect(page.get_by_text("no bound holds")).to_be_visible()
    page.wait_for_function("location.href.includes('times=1') && location.href.includes('delta1=')")
    address = page.evaluate("location.href")
    opened(page, address)
    expect(page.locator(METRIC).nth(1)).to_have_text("∞")


def test_the_slider_changes_the_sum(page):
    """One step of the slider is one release more or less."""
    opened(page, "/privacy_loss?times=50")
    page.locator(".st-key-times [role=slider], .st-key-times input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile("^51 releases by Laplace noise"))).to_be_visible()


@pytest.mark.rest
def test_downloads_open(page):
    """The data and the chart can be taken away."""
    opened(page, "/privacy_loss?times=20")
    rows = saved(page.locator(".st-key-privacy-loss_csv button")).read_text().splitlines()
    assert rows[0] == "kind,loss,mass,density,paid,merged"
    assert len(rows) > 500
    text = saved(page.get_by_role("button", name="Chart as HTML").first).read_text()
    assert "<html>" in text and "magnified" in text
