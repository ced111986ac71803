"""The page on sampling in a real browser: figures of the notebook, addresses, downloads."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest, saved


def opened(page: Page, address: str = "") -> Page:
    """Open an address and wait until the chart is drawn."""
    page.goto(f"/subsampling{address}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def finding(page: Page):
    return page.get_by_text(re.compile("^With a secret random sample")).first


@pytest.mark.rest
def test_a_figure_of_the_notebook_is_an_address(page, open_page, traffic):
    """A preset fills the sidebar, a tab opens, and their address shows the same screen to somebody else."""
    opened(page)
    page.get_by_role("button", name="Gaussian noise", exact=True).click()
    expect(finding(page)).to_contain_text("123,719")
    page.get_by_role("tab", name="Tight, over k runs").click()
    expect(page.get_by_text("Poisson, tight")).to_be_visible()
    page.wait_for_function("location.search.includes('noise=Gaussian') && location.search.includes('samplemore=')")
    other = opened(open_page(1400, 900), page.evaluate("location.search"))
    expect(finding(other)).to_contain_text("1,507")
    expect(other.get_by_text("Poisson, tight")).to_be_visible()
    assert not traffic.foreign and not traffic.errors


@pytest.mark.rest
def test_downloads_open(page):
    """The data of the chart as CSV, with both counts."""
    opened(page, "?erun=0.001")
    rest(page)
    lines = saved(page.get_by_role("button", name="Data as CSV").first).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "size,population,rate,base_epsilon,epsilon,delta,runs,runs_in_floats"
    assert "100,100,1.0,0.001,0.001,0.0,200,199" in lines
