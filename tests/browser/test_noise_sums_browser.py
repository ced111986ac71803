"""The page on sums of noise in a real browser: the editable table, addresses, downloads, small screens."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest


def opened(page: Page, address: str = "") -> Page:
    """Open an address of the page and wait until its chart is drawn."""
    page.goto(f"/noise_sums{address}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    return page


def typed(page: Page, column: int, row: int, text: str) -> None:
    """Type into a cell of the table of pairs; columns and rows count from 0."""
    pressed(page, column, row)
    page.keyboard.type(text, delay=150)  # the first key opens the cell, which takes a moment
    page.keyboard.press("Enter")


def pressed(page: Page, column: int, row: int) -> None:
    """Press a cell of the table of pairs, or the empty row beneath, which adds one."""
    rest(page)  # a table that is drawn anew loses what is being typed
    position = {"x": 70 + 77 * column, "y": 53 + 35 * row}
    page.locator("[data-testid=stDataFrame] canvas").first.click(position=position, force=True)


def test_the_table_answers_what_is_typed(page, traffic):
    """A typed ε changes the finding and the row beside it; nonsense is one sentence; the note's pairs come back."""
    opened(page)
    expect(page.get_by_text("The rule says 0.416025")).to_be_visible()
    typed(page, 0, 0, "20")
    expect(page.get_by_text("Noises made for ε = 20 and 0.75")).to_be_visible()
    typed(page, 1, 0, "20")
    expect(page.get_by_text("Noises made for ε = 20 and 20")).to_be_visible()
    expect(page.get_by_text("the noise leaks more than that")).to_be_visible()
    typed(page, 0, 1, "zero")
    expect(page.get_by_text("Row 2, ε₁ must be a number in [1e-06, 50]; got 'zero'")).to_be_visible()
    typed(page, 0, 1, "1")
    expect(page.get_by_text("Row 2, ε₁ must be")).to_have_count(0)
    pressed(page, 0, 4)
    expect(page.locator("[aria-label*='1 and 1 give']")).to_have_count(1)
    page.get_by_role("button", name="Show the note's pairs").click()
    expect(page.get_by_text("The rule says 0.416025")).to_be_visible()
    expect(page.get_by_text("Row 2, ε₁ must be")).to_have_count(0)
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


def test_downloads(page):
    """The heat map's numbers, and the table's."""
    opened(page)
    for button, head in (("Data as CSV", "epsilon_1,epsilon_2,rule"), ("Table as CSV", "epsilon_1,epsilon_2,delta")):
        rest(page)
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        assert Path(download.value.path()).read_text(encoding="utf-8").startswith(head)


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_the_first_screen_holds_the_chart(page, colour_scheme: str):
    """Finding, table and heat map are seen without scrolling."""
    opened(page)
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box["y"] + box["height"] <= 900
    assert page.evaluate("document.documentElement.scrollWidth") <= 1400


@pytest.mark.parametrize("section", ["", "?section=Alone+or+aggregated"])
def test_a_phone(phone, traffic, section: str):
    """At 390 pixels nothing is cut off at the side, and the finding comes first."""
    opened(phone, section)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    expect(phone.get_by_text(re.compile("^(Noises made for|Sent alone)")).first).to_be_in_viewport()
    assert not traffic.foreign and not traffic.errors
