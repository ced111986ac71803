"""The demo of docs/demo.md, step by step: what it says to do can be done, and what it says to see is there."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.waiting import rest

ROOT = Path(__file__).resolve().parents[2]
DEMO = (ROOT / "docs" / "demo.md").read_text(encoding="utf-8")
HEADINGS = re.findall(r"^## \d+\. (.+) \(\d+ minutes?\)$", DEMO, re.MULTILINE)


def settled(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    rest(page)


def see(page: Page, text: str) -> None:
    spaced = text.replace(" ", r"\s")  # numbers may be held together by narrow or unbreakable spaces
    expect(page.get_by_text(re.compile(spaced)).filter(visible=True).first).to_be_visible()


def go(page: Page, group: str, title: str) -> None:
    """Follow the navigation as the demo says it."""
    assert f"**{group}, {title}**" in DEMO
    page.get_by_test_id("stTopNavSection").filter(has_text=group).first.click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()
    if title != "Time and levers":  # which draws nothing until something has a date
        settled(page)


def press(page: Page, name: str) -> None:
    """Press a button that the demo names."""
    assert f"**{name}**" in DEMO
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def one_day(page: Page) -> None:
    page.goto("/")
    settled(page)
    see(page, r"ε = 2\.488")
    see(page, r"ε ≤ 2\.64")


def in_words(page: Page) -> None:
    page.get_by_text("words", exact=True).click()
    see(page, "except with probability at most 1 in 1,000,000")
    page.get_by_text("symbols", exact=True).click()
    see(page, r"ε = 2\.488")


def a_month(page: Page) -> None:
    press(page, "Open mobility-30-days")
    see(page, r"ε ≤ 79\.2")
    see(page, r"ε = 21\.98")


def a_budget(page: Page) -> None:
    page.get_by_role("spinbutton", name="Budget ε").fill("10")
    page.keyboard.press("Enter")
    see(page, r"Over the budget by ε = 11\.98")


def the_noise(page: Page) -> None:
    go(page, "Plan", "Split and accuracy")
    see(page, r"±52\.2")
    press(page, "Keep the present plan as A")
    press(page, "Use this noise in the plan")
    see(page, r"19 of 20")


def a_and_b(page: Page) -> None:
    go(page, "Plan", "A against B")
    see(page, r"ε = 10$")
    see(page, r"21\.98")
    see(page, r"±52\.2")


def a_year(page: Page) -> None:
    go(page, "Plan", "Time and levers")
    press(page, "Repeat monthly")
    see(page, "who is in the data every month")
    see(page, "no budget is stated for a whole person")


def an_attacker(page: Page) -> None:
    go(page, "Explain", "What attackers see")
    see(page, "attacker")


def handing_over(page: Page) -> None:
    press(page, "Copy link, report, code")
    see(page, "plan=")
    for name in ("Report as HTML", "Python, dpviz", "Python, dp-accounting"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()


STEPS = {
    "What one day of reports costs": one_day,
    "The same in words": in_words,
    "Ask for a month": a_month,
    "Set a budget": a_budget,
    "Solve for the noise": the_noise,
    "Compare A with B": a_and_b,
    "See when a year of it is spent": a_year,
    "What an attacker sees": an_attacker,
    "Hand it over": handing_over,
}


def test_the_demo_can_be_performed(page, traffic):
    """Every step of the script works in order, in one sitting, and asks no other machine for anything."""
    assert list(STEPS) == HEADINGS
    for step in STEPS.values():
        step(page)
    assert not traffic.foreign
