"""The plan page in a real browser: deep links, editing, downloads, small screens, and no request to other machines."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

FINISHED = "[data-testid=stMetricValue]"


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the whole page is drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(FINISHED).nth(3)).not_to_have_text("…")
    rest(page)
    return page


def pure_total(page: Page):
    return page.locator(FINISHED).nth(1)


@pytest.mark.parametrize("path", ["/", "/plan"])
def test_the_first_request_of_a_server_is_a_deep_link(fresh_server, open_page, traffic, path: str):
    """Whoever comes first, by whichever address, sees the shell, the sidebar and the values of the address."""
    page = opened(open_page(1400, 900), f"{fresh_server.url}{path}?example=lecture-11&eps=0.25")
    expect(pure_total(page)).to_have_text("ε ≤ 0.5")
    expect(page.locator(FINISHED).nth(2)).to_have_text("ε = 0.25")
    expect(page.get_by_role("spinbutton", name="Budget ε")).to_have_value("0.25")
    assert not traffic.foreign
    # Streamlit says so where an address is another name of the home page.
    assert not [error for error in traffic.errors if "requested does not seem to exist" not in error]


def test_nothing_leaves_the_machine(page, traffic):
    """Opening, switching and unfolding ask no other machine for anything."""
    opened(page, "/")
    page.get_by_text("Why: the theorems").click()
    expect(page.locator(".katex").first).to_be_visible()
    page.get_by_text("words", exact=True).click()
    expect(page.get_by_text("except with probability at most 1 in 1,000,000").first).to_be_visible()
    assert traffic.requests and not traffic.foreign
    assert not traffic.errors


def test_an_edited_cell_changes_the_total_and_undo_returns(page):
    """Typing into the table changes the answer at once."""
    opened(page, "/?example=lecture-11&eps=1")
    table = page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    # The column "Times" of the first row: behind the row's mark, the name and the mechanism.
    table.locator("canvas").first.click(position={"x": 420, "y": 53}, force=True)
    page.keyboard.type("600", delay=150)  # the first key opens the cell, which takes a moment
    page.keyboard.press("Enter")
    expect(pure_total(page)).to_have_text("ε ≤ 0.6")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(pure_total(page)).to_have_text("ε ≤ 0.5")


def test_addresses_restore_the_screen(page):
    """What is chosen stands in the address, and the address brings it back."""
    opened(page, "/")
    page.get_by_role("spinbutton", name="Budget ε").fill("3.5")
    page.keyboard.press("Enter")
    expect(page.locator(FINISHED).nth(2)).to_have_text("ε = 3.5")
    page.wait_for_function("location.search.includes('plan=')")
    opened(page, page.evaluate("location.href"))
    expect(page.locator(FINISHED).nth(2)).to_have_text("ε = 3.5")


def test_downloads_open(page, open_page, tmp_path: Path):
    """Plan, data and chart are files that others can use; the chart opens without network."""
    opened(page, "/")
    kept = {}
    for name in ("Save as CSV", "Save as JSON", "Data as CSV", "Chart as HTML"):
        rest(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name=name, exact=True).click()
        kept[name] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(kept[name])
    assert kept["Save as CSV"].read_text(encoding="utf-8").startswith("name,mechanism,epsilon")
    assert json.loads(kept["Save as JSON"].read_text(encoding="utf-8"))["unit"] == "user-day"
    assert "basic,Basic,2.64" in kept["Data as CSV"].read_text(encoding="utf-8")
    chart = open_page(900, 700, offline=True)
    chart.goto(kept["Chart as HTML"].as_uri())
    expect(chart.locator(".main-svg").first).to_be_visible()


def test_a_file_can_be_opened(page, root: Path):
    """An uploaded plan takes the place of the example; a bad one changes nothing."""
    opened(page, "/")
    page.get_by_text("Open a file").click()
    files = page.locator("[data-testid=stFileUploader] input[type=file]")
    files.set_input_files(
        {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"name,mechanism,epsilon\nx,laplace,-1"}
    )
    expect(page.get_by_text("The plan was not read")).to_be_visible()
    expect(pure_total(page)).to_have_text("ε ≤ 2.64")
    files.set_input_files(root / "examples" / "mobility-30-days.json")
    expect(pure_total(page)).to_have_text("ε ≤ 79.2")


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("example", ["mobility", "sherpa-notebook"])
def test_nothing_overflows_on_a_phone(phone, example: str):
    """At 390 pixels the finding comes first and nothing is wider than the screen."""
    opened(phone, f"/?example={example}")
    expect(phone.get_by_text(re.compile("fixed in advance")).first).to_be_in_viewport()
    phone.get_by_text("Why: the theorems").click()
    expect(phone.locator(".katex").first).to_be_visible()
    wide = "[...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer], html')]"
    assert phone.evaluate(f"{wide}.every(each => each.scrollWidth <= innerWidth)")


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_bars_are_seen_on_either_ground(page, colour_scheme: str):
    """The bar of basic composition is dark on a light page and light on a dark one."""
    opened(page, "/")
    fills = page.locator(".js-plotly-plot .point path").evaluate_all("bars => bars.map(bar => bar.style.fill)")
    assert ("rgb(26, 26, 26)" in fills) == (colour_scheme == "light")
    assert ("rgb(242, 242, 242)" in fills) == (colour_scheme == "dark")
