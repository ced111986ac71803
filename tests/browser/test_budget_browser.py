"""The budget page in a real browser: the story, downloads, addresses, small screens, no foreign request."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

METRICS = "[data-testid=stMetricValue]"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the charts are drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def metric(page: Page, number: int):
    return page.locator(METRICS).nth(number)


def test_the_story_from_a_plan_over_its_budget_to_its_noise(page, traffic):
    """The user-month exceeds its budget; the noise that fits is used, and undo takes it back."""
    opened(page, "/budget?example=mobility-30-days&eps=10")
    expect(page.get_by_text("must grow by")).to_be_visible()
    expect(metric(page, 1)).to_contain_text("ε ≤")
    expect(page.locator(METRICS)).to_have_count(4)
    before = settled(page) and metric(page, 2).inner_text()
    after = metric(page, 3).inner_text()
    page.get_by_role("button", name="Keep the present plan as A").click()
    expect(page.get_by_text("The present plan is A")).to_be_visible()
    page.get_by_role("button", name="Use this noise in the plan").click()
    expect(page.get_by_text("can stay as it is")).to_be_visible()
    expect(metric(page, 2)).to_have_text(after)
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(page.get_by_text("must grow by")).to_be_visible()
    expect(metric(page, 2)).to_have_text(before)
    assert not traffic.foreign and not traffic.errors


def test_addresses_restore_the_screen(fresh_server, open_page):
    """A deep link as the first request of a server shows what it names, and what is chosen stands in the address."""
    page = opened(open_page(1400, 900), f"{fresh_server.url}/budget?solve=how+many+more&like=3&sure=99")
    expect(page.get_by_text("of row 3, “Visits to public places, per county")).to_be_visible()
    expect(page.get_by_role("spinbutton", name="How often, in %")).to_have_value("99")
    page.get_by_test_id("stRadio").get_by_text("ε for an accuracy").click()
    page.get_by_role("spinbutton", name="Within ±").fill("7")
    page.keyboard.press("Enter")
    expect(page.get_by_text("within ±7 with probability 99")).to_be_visible()
    page.wait_for_function("location.search.includes('within=7')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.get_by_text("within ±7 with probability 99")).to_be_visible()


def test_the_plan_of_the_first_page_is_the_plan_here(page):
    """What was set on the page of the plan is what this page solves."""
    opened(page, "/")
    page.get_by_role("spinbutton", name="Budget ε").fill("3.5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("within the budget of ε = 3.5")).to_be_visible()
    page.get_by_test_id("stTopNavSection").get_by_text("Plan").click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text="Split and accuracy").click()
    expect(page.get_by_text("Within ε = 3.5")).to_be_visible()


def test_downloads_open(page, open_page, tmp_path: Path):
    """The data as CSV, the chart as a page that works without network."""
    opened(page, "/budget")
    rest(page)
    with page.expect_download() as download:
        page.locator(".st-key-budget-split_csv").get_by_role("button").click()  # the other chart may stand first
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    columns = "row,release,note,answer_unit,spend_before,spend_after,width_before,width_after"
    assert lines[0] == columns and len(lines) == 10
    rest(page)
    with page.expect_download() as download:
        page.locator(".st-key-budget-split_html").get_by_role("button").click()
    copy = tmp_path / "chart.html"
    copy.write_bytes(Path(download.value.path()).read_bytes())
    alone = open_page(1000, 700, offline=True)
    alone.goto(copy.as_uri())
    expect(alone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(alone.get_by_text("ε of each release alone").first).to_be_visible()


@pytest.mark.parametrize("colour_scheme", ["dark"])
def test_a_phone_shows_the_finding_first_and_never_scrolls_sideways(phone, traffic):
    """At 390 pixels: finding, figures and both panels of the chart, nothing wider than the screen."""
    opened(phone, "/budget?see=Error+against+budget")
    expect(phone.get_by_text("can shrink by")).to_be_visible()
    expect(phone.get_by_text("What a budget buys, and what it costs")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert not traffic.foreign and not traffic.errors
