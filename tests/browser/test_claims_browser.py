"""The page on claims in a real browser: a finished answer, its address, Back and reload, a file of another program."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest, saved, unfolded


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the page is drawn."""
    page.goto(address)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def test_a_journey_keeps_the_claim(page, open_page, traffic):
    """What is typed stands in the address, and survives another page, Back, a reload and a link."""
    opened(page, "/claims")
    expect(page.get_by_text("The claim is too small:")).to_be_visible()
    box = page.get_by_role("textbox", name="Claimed ε")
    box.fill("80")
    box.press("Enter")
    expect(page.get_by_text("The claim holds:")).to_be_visible()
    page.wait_for_function("location.search.includes('claimeps=80')")
    page.get_by_role("link", name="Learn").first.click()
    expect(page.get_by_role("heading", name="Which question do you have?")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("The claim holds:")).to_be_visible()
    page.reload()
    expect(page.get_by_text("The claim holds:")).to_be_visible()
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.get_by_text("The claim holds:")).to_be_visible()
    assert not traffic.foreign and not traffic.errors


@pytest.mark.rest
def test_a_file_is_checked_where_it_is_dropped(page):
    """An event of another program becomes the plan; the picture's table can be saved."""
    opened(page, "/claims")
    page.get_by_text("Check a file", exact=True).click()
    event = b"SelfComposedDpEvent(GaussianDpEvent(noise_multiplier=10.0), 4)"
    file = {"name": "event.txt", "mimeType": "text/plain", "buffer": event}
    page.locator("input[type=file]").first.set_input_files(files=[file])
    claimed = page.get_by_role("textbox", name="Claimed ε")
    expect(claimed).to_have_value("")  # nobody claims anything of it yet
    rest(page)
    page.get_by_role("heading", name="Does it cost").click()  # closes what holds the file
    rest(page)
    claimed.fill("3")
    claimed.press("Enter")
    rest(page)
    unfolded(page.locator("[data-testid=stExpander]", has_text="Its rows (1)"))
    expect(page.get_by_text("Gaussian 1: Gaussian")).to_be_visible()
    lines = saved(page.get_by_role("button", name="Data as CSV")).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "kind,key,label,lower,upper,verdict" and lines[1].startswith("claim,")


@pytest.mark.rest
def test_what_was_not_understood_survives_a_reload(page):
    """It stands in the link of the plan, until it is dismissed; the plan of the file has no limit."""
    page.goto("/claims?claimof=Current+plan")
    expect(page.get_by_text("Nothing is released, so there is nothing to check.")).to_be_visible()
    rest(page)
    page.get_by_text("Check a file", exact=True).click()
    text = b"query,epsilon,noise\nVisits,0.5,laplace\nTotal,0.50,\n"
    page.locator("input[type=file]").first.set_input_files(
        files=[{"name": "spent.csv", "mimeType": "text/csv", "buffer": text}]
    )
    told = page.get_by_text("Not understood:")
    expect(told).to_be_visible()
    rest(page)
    page.reload()
    expect(told).to_be_visible()
    expect(page.get_by_role("textbox", name="Claimed ε")).to_have_value("0.5")
    page.get_by_role("button", name="Dismiss").click()
    expect(told).to_have_count(0)
