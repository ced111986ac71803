"""The adversary page in a real browser: play, stop, the stale mark, addresses, no foreign request."""

import re
from itertools import combinations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

PLAY, STOP = ".updatemenu-button:has-text('Play')", ".updatemenu-button:has-text('Stop')"
PATH = ".js-plotly-plot .scatterlayer .trace:nth-child(3) path.js-line"
READ = f"document.querySelector('{PATH}').getAttribute('d')"
# Twenty pictures of the screen in which the path is the same: asked for once per picture.
HELD = f"""() => {{
    window.same = window.seen === {READ} ? window.same + 1 : 0;
    window.seen = {READ};
    return window.same >= 20;
}}"""


def opened(page: Page, address: str = "?seen=3") -> Page:
    """Open an address and wait until the chart is drawn."""
    page.goto(f"/adversary{address}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)
    return page


@pytest.mark.rest
def test_playing_starts_over_stops_and_ends_complete(open_page, traffic):
    """Play draws the paths from the start; Stop holds them; playing again to the end gives the still picture."""
    page = opened(open_page(1400, 900, reduced_motion="no-preference"), "?seen=3000")
    still = page.locator(PATH).first.get_attribute("d")
    page.locator(PLAY).first.click()
    page.wait_for_function(f"still => {READ} !== still", arg=still)
    page.locator(STOP).first.click()
    page.wait_for_function(HELD)
    assert page.locator(PATH).first.get_attribute("d") != still  # an animation that went on ends there
    page.locator(PLAY).first.click()
    page.wait_for_function(f"still => {READ} === still", arg=still)
    assert not traffic.foreign
    assert set(traffic.errors) <= {"undefined"}  # with which Plotly ends an interrupted animation


@pytest.mark.parametrize("width", [390, 1400])
def test_buttons_legend_and_camera_stand_apart(open_page, width: int):
    """Nothing around the picture of the paths lies upon anything else, on a phone as on a wide screen.

    Whoever asks for less motion sees the still picture without buttons.
    """
    page = opened(open_page(width, 900, reduced_motion="no-preference"))
    chart = page.locator(".st-key-attack_motion .js-plotly-plot").first
    around = (PLAY, STOP, ".legend .bg", ".modebar", ".nsewdrag[data-subplot=xy]", ".nsewdrag[data-subplot=x2y]")
    boxes = {name: chart.locator(name).first.bounding_box() for name in around}
    assert not [pair for pair in combinations(boxes, 2) if meet(*map(boxes.get, pair))]
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(PLAY).first).to_be_hidden()
    expect(page.locator(PATH).first).to_be_attached()


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes share more than an edge."""
    sides = (("x", "width"), ("y", "height"))
    return all(one[at] + one[size] > other[at] + 1 and other[at] + other[size] > one[at] + 1 for at, size in sides)


def test_a_long_run_stops_and_goes_stale(page):
    """Run, Stop, the partial result, and the mark once a setting changes."""
    opened(page, "?seen=3000&games=100000")
    page.get_by_role("button", name=re.compile("^Run all")).click()
    expect(page.get_by_text(re.compile("games played in each world"))).to_be_visible()
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_text(re.compile("Stopped after"))).to_be_visible()
    page.get_by_role("textbox", name="Prior of world 1, %").fill("10")
    page.get_by_role("textbox", name="Prior of world 1, %").press("Enter")
    expect(page.get_by_text("From 10 % sure to")).to_be_visible()
    expect(page.get_by_text(re.compile("Stale"))).to_have_count(0)
    page.goto(page.url)  # a new session has no result
    expect(page.get_by_text(re.compile("as a preview"))).to_be_visible()


def test_changing_the_seed_marks_the_draws_stale(page):
    """Draws of another seed stay on the screen, marked."""
    opened(page, "?seen=400&games=10000")
    page.get_by_role("button", name=re.compile("^Run all")).click()
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    page.get_by_text("Simulation, δ and databases").click()
    page.get_by_role("textbox", name="Seed").fill("7")
    page.get_by_role("textbox", name="Seed").press("Enter")
    expect(page.get_by_text(re.compile("these draws are of other settings"))).to_be_visible()
    page.wait_for_function("location.search.includes('seed=7') && location.search.includes('seen=400')")
