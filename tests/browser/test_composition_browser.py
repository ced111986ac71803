"""The composition page in a real browser: presets, downloads, addresses, no foreign request."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest, saved


def opened(page: Page, address: str) -> Page:
    """Open an address and wait until the chart is drawn."""
    page.goto(address)
    return settled(page)


def settled(page: Page) -> Page:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


def value(page: Page, label: str):
    return page.get_by_role("textbox", name=label)


@pytest.mark.rest
def test_the_first_request_of_a_server_is_a_deep_link(fresh_server, open_page, traffic):
    """Whoever comes first by the page's own address sees the shell and the values of the address."""
    page = opened(open_page(1400, 900), f"{fresh_server.url}/composition?eps1=0.5&kmax=300&deltak=0.1")
    expect(value(page, "Repetitions, up to")).to_have_value("300")
    expect(page.get_by_text("Advanced beats Basic from 38 repetitions on", exact=True)).to_be_visible()
    assert not traffic.foreign and not traffic.errors


def test_axes_theorems_and_reading_are_in_the_address(page, open_page):
    """The state of scale and selection comes back with the address."""
    opened(page, "/composition?repeat=Laplace")
    page.get_by_role("radio", name="log").click()
    expect(page.locator(".js-plotly-plot").get_by_text("total ε (log)")).to_be_visible()
    page.locator(".st-key-theorems").get_by_role("button", name="Rényi DP").click()
    page.get_by_role("radio", name="proofs").click()
    expect(page.get_by_text("Dwork & Roth (2014), Thm 3.16").first).to_be_visible()
    page.wait_for_function("location.search.includes('axes=log') && location.search.includes('theorems=')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.locator(".js-plotly-plot").get_by_text("total ε (log)")).to_be_visible()
    expect(other.locator(".js-plotly-plot").get_by_text("Rényi DP")).to_have_count(0)
    expect(other.locator(".js-plotly-plot").get_by_text("Zero-concentrated DP")).to_be_visible()


@pytest.mark.rest
def test_downloads_open(page, open_page, tmp_path, traffic):
    """The data as CSV, the chart as a page that works without network, and by its camera as a drawing."""
    opened(page, "/composition?eps1=0.5&kmax=300&deltak=0.1")
    expect(value(page, "Repetitions, up to")).to_have_value("300")
    page.locator(".js-plotly-plot").hover()
    drawing = saved(page.locator(".modebar-btn").first)
    text = drawing.read_text(encoding="utf-8")
    assert drawing.name.endswith("-composition.svg") and text.startswith("<svg")
    assert "Kairouz-Oh-Viswanath" in text
    lines = saved(page.get_by_role("button", name="Data as CSV")).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "theorem,label,count,epsilon,delta"
    assert "basic,Basic,300,150.0,0.1" in lines
    copy = tmp_path / "chart.html"
    copy.write_bytes(saved(page.get_by_role("button", name="Chart as HTML")).read_bytes())
    alone = open_page(1000, 700, offline=True)
    alone.goto(copy.as_uri())
    expect(alone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(alone.get_by_text("from 38 on:")).to_be_visible()
    assert not traffic.foreign and not traffic.errors


def test_plan_and_reading_are_carried_over(page, open_page):
    """Whoever comes from the plan, by Learn, meets it here at the level read before; the address brings it back."""
    page.goto("/?example=lecture-11&read=people")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_role("link", name="Learn", exact=True).click()
    page.get_by_role("link", name="How the loss grows").click()
    expect(page.get_by_text("How much more is learned with every release?").first).to_be_visible()
    expect(page.get_by_text("the current plan of 500 releases")).to_be_visible()
    rest(page)
    page.get_by_role("radio", name="numbers").click()
    expect(value(page, "Target ε")).to_have_value("0.1")
    page.wait_for_function("location.search.includes('goal=0.1') && location.search.includes('repeat=')")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(value(other, "Repetitions, up to")).to_have_value("30")
    expect(other.get_by_text("the current plan of 500 releases")).to_be_visible()


def test_a_preset_is_named_whole_in_the_address(page, open_page):
    """From the plan to a figure of a source: what was not drawn before stands in the link, which shows it elsewhere."""
    opened(page, "/composition?example=mobility")
    page.get_by_role("button", name="Example: Lecture 11").click()
    page.wait_for_function("location.search.includes('eps1=0.001') && location.search.includes('kmax=500')")
    expect(page.get_by_role("link", name="What the source says")).to_be_visible()
    expect(value(page, "Repetitions, up to")).to_have_value("500")
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(other.get_by_role("link", name="What the source says")).to_be_visible()
    expect(value(other, "Target ε")).to_have_value("0.1")


def test_what_was_tried_is_in_the_plan(page):
    """One press adds it, a link leads there, and undo takes it out."""
    opened(page, "/composition?example=lecture-11&repeat=Gaussian&kmax=7")
    page.get_by_role("button", name="Use this in my plan").click()
    expect(page.get_by_text("It is in the plan now")).to_be_visible()
    page.get_by_role("link", name="See it in the plan").click()
    expect(page.get_by_text("507 releases").first).to_be_visible()
    rest(page)
    page.get_by_role("button", name=re.compile("Undo")).first.click()
    expect(page.get_by_text("500 releases").first).to_be_visible()
