"""The privacy-loss page in a real browser: deep links, examples, downloads, small screens, both colour schemes."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

METRIC = "[data-testid=stMetricValue]"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the whole page is drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(METRIC)).to_have_count(4)
    expect(page.locator("[data-testid=stExpander]")).to_be_visible()
    rest(page)
    return page


def test_the_first_request_of_a_server_is_a_deep_link(fresh_server, open_page, traffic):
    """Whoever comes first by a link sees what the link says, and asks no other machine."""
    page = opened(open_page(1400, 900), f"{fresh_server.url}/privacy_loss?eps1=0.5&times=20&deltak=0")
    expect(page.locator(METRIC).nth(1)).to_have_text("10")
    assert traffic.requests and not traffic.foreign
    assert not traffic.errors


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


def test_downloads_open(page):
    """The data and the chart can be taken away."""
    opened(page, "/privacy_loss?times=20")
    rest(page)
    with page.expect_download() as csv:
        page.locator(".st-key-privacy-loss_csv button").click()
    rows = Path(csv.value.path()).read_text().splitlines()
    assert rows[0] == "kind,loss,mass,density,paid,merged"
    assert len(rows) > 500
    rest(page)
    with page.expect_download() as html:
        page.get_by_role("button", name="Chart as HTML").first.click()
    text = Path(html.value.path()).read_text()
    assert "<html>" in text and "magnified" in text


def test_the_chart_is_on_the_first_screen(page):
    """The distribution, and what lies beyond ε, are seen without scrolling."""
    opened(page, "/privacy_loss?lossof=One+mechanism")
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box["y"] + box["height"] <= 900


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["Simulation lemma", "Rare losses"])
def test_a_phone_shows_everything_without_scrolling_sideways(phone, tab: str):
    opened(phone, f"/privacy_loss?more={tab.replace(' ', '+')}&times=20")
    expect(phone.locator(".js-plotly-plot")).to_have_count(3)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    main = phone.locator("[data-testid=stMain]")
    assert main.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
