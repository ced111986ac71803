"""The screenshot of the README, made from the real app; ``make screenshot`` keeps it."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import rest
from tests.browser.workbench import opened


def test_the_workbench_has_a_picture(page, root: Path, tmp_path: Path):
    """A statistics office's year with its chart; where DPVIZ_SCREENSHOT names a file, its picture is kept there."""
    opened(page, "/?example=statistics-office")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator("[data-testid=stDataFrame] canvas").first).to_be_visible()
    expect(page.locator("#glide-cell-0-0")).to_have_text("Registered unemployed")
    rest(page)
    page.evaluate("document.fonts.ready")
    picture = tmp_path / "screen.png"
    page.screenshot(path=picture, animations="disabled", caret="hide")
    assert picture.stat().st_size > 10_000, "the picture is almost empty"
    if target := os.environ.get("DPVIZ_SCREENSHOT"):
        shutil.copyfile(picture, root / target)


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_colour_scheme_follows_the_system(page, colour_scheme: str):
    """The page is light where the visitor's system is light, and dark where it is dark."""
    page.goto("/")
    expect(page.locator("[data-testid=stApp]")).to_be_visible()
    colour = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    brightness = sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / 3
    assert (brightness > 128) == (colour_scheme == "light")
