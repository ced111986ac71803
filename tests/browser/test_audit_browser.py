"""The page on audits in a real browser: its link, another page and Back, a reload, scores that are pasted."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

SCORES = "score,member\n" + "".join(f"{place / 10},{int(place % 40 > 8) ^ (place < 500)}\n" for place in range(1000))


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the page is drawn."""
    page.goto(address)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def test_a_link_other_pages_back_and_a_reload(page, traffic):
    """What is claimed stands in the address, and is there again each time."""
    opened(page, "/audit?auditeps=2&auditclaim=0.5")
    claimed = page.get_by_role("textbox", name="Claimed ε")
    expect(claimed).to_have_value("0.5")
    claimed.fill("0.7")
    claimed.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('auditclaim') === '0.7'")
    rest(page)
    expect(page.get_by_text("is claimed").first).to_contain_text("ε = 0.7")
    page.locator("[class*=st-key-place_learn]").get_by_role("link").click()
    expect(page.locator(".st-key-place_learn_here")).to_be_visible()
    rest(page)
    page.go_back()
    page.wait_for_function("location.pathname.endsWith('/audit')")
    expect(claimed).to_have_value("0.7")
    page.reload()
    expect(claimed).to_have_value("0.7")
    expect(page.get_by_text("is claimed").first).to_contain_text("ε = 0.7")
    assert not traffic.foreign and not traffic.errors


@pytest.mark.rest
def test_pasted_scores_stay_over_another_page(page):
    """They are in no address, but in the session."""
    opened(page, "/audit")
    box = page.get_by_role("textbox", name="Scores, pasted as CSV")
    box.fill(SCORES)
    box.press("Control+Enter")
    expect(page.get_by_text("These 1,000 scores")).to_be_visible()
    rest(page)
    page.locator("[class*=st-key-place_learn]").get_by_role("link").click()
    expect(page.locator(".st-key-place_learn_here")).to_be_visible()
    rest(page)
    page.go_back()
    expect(page.get_by_text("These 1,000 scores")).to_be_visible()
