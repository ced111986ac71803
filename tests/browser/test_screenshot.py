"""The pictures of the README, made from the real app; ``make screenshot`` keeps them."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import finished

pytestmark = pytest.mark.rest
OFFICE = "/?example=statistics-office"
HEAD, TABS = ".st-key-head", "[data-testid=stTabs] [role=tablist]"
SENTENCES = "text=/cases, a suspicion of/"
WIDTH = 1400  # pixels, in which the table shows its errors
# Of each picture its address, the height of the window, what stands under the head, and what ends it.
PICTURES = {
    "plan": (OFFICE, 1600, "", ".st-key-release-costs_chart"),
    "fit": (f"{OFFICE}&eps=2&panel=Fit+to+budget", 1600, "", "[data-testid=stBaseButton-primary]"),
    "attacker": (f"{OFFICE}&read=people&tab=What+an+attacker+learns", 880, TABS, SENTENCES),
}
MARGIN = 16  # pixels


def clip(page: Page, below: str, last: str) -> dict[str, float]:
    """Return the part of the window from the head to what ends the picture, after scrolling so that it fits."""
    head = page.locator(HEAD).first
    if below:  # what is between slides under the head
        places = [page.locator(below).first.bounding_box()["y"], head.bounding_box()["height"]]
        page.get_by_test_id("stMain").evaluate("(each, [y, height]) => each.scrollBy(0, y - height - 76)", places)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    box, ends = head.bounding_box(), [each.bounding_box() for each in page.locator(last).filter(visible=True).all()]
    bottom = max(end["y"] + end["height"] for end in ends) + MARGIN
    assert bottom <= page.viewport_size["height"], "the window is too low"
    x, y = box["x"] - MARGIN, box["y"] - MARGIN
    return {"x": x, "y": y, "width": box["width"] + 2 * MARGIN, "height": bottom - y}


@pytest.mark.parametrize("name", PICTURES)
def test_the_story_has_pictures(open_page, root: Path, tmp_path: Path, name: str):
    """A statistics office's plan in three steps; where DPVIZ_SCREENSHOT names a folder, each is kept there."""
    address, height, below, last = PICTURES[name]
    page = open_page(WIDTH, height)
    page.goto(address)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator("[data-testid=stDataFrame] canvas").first).to_be_visible()
    expect(page.locator("#glide-cell-0-0")).to_have_text("Registered unemployed")
    place = clip(finished(page), below, last)
    picture = tmp_path / f"{name}.png"
    page.screenshot(path=picture, clip=place, animations="disabled", caret="hide")
    assert 10_000 < picture.stat().st_size < 400_000, "the picture is almost empty, or too large for a page"
    if target := os.environ.get("DPVIZ_SCREENSHOT"):
        shutil.copyfile(picture, root / target / picture.name)
