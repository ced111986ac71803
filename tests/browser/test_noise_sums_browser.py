"""The page on sums of noise in a real browser: the editable table, addresses, downloads."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest, saved


def opened(page: Page, address: str = "") -> Page:
    """Open an address of the page and wait until its chart is drawn."""
    page.goto(f"/noise_sums{address}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    return page


def test_the_pairs_of_a_list_are_answered(page, traffic):
    """Typed noises change the finding and the map; the note's pairs are one press away."""
    opened(page, "?nsource=Typed+here")
    page.get_by_role("textbox", name="Any number of noises").fill("20, 20, 1")
    page.get_by_role("textbox", name="Any number of noises").press("Enter")
    expect(page.get_by_text("Noises made for ε = 20 and 20")).to_be_visible()
    rest(page)
    page.get_by_role("button", name="Pairs of a note").click()
    expect(page.get_by_text("The harmonic rule says 0.416")).to_be_visible()
    expect(page.locator("[aria-label*='0.5 and 0.75 give']")).to_have_count(1)
    assert not traffic.foreign and not traffic.errors


def test_an_address_shows_its_section(page, open_page):
    """Sections, sliders and inputs are in the address."""
    opened(page)
    page.get_by_role("tab", name="Secure aggregation").click()
    page.locator(".st-key-colluding").get_by_role("slider").press("ArrowRight")
    expect(page.get_by_text("99 honest noises protect each of them")).to_be_visible()
    page.wait_for_function("location.search.includes('colluding=1') && location.search.includes('section=')")
    other = opened(open_page(1400, 900), page.evaluate("location.search"))
    expect(other.get_by_text("99 honest noises protect each of them")).to_be_visible()


@pytest.mark.rest
def test_downloads(page):
    """The heat map's numbers."""
    opened(page)
    rest(page)
    data = saved(page.get_by_role("button", name="Data as CSV"))
    assert data.read_text(encoding="utf-8").startswith("epsilon_1,epsilon_2,rule")
