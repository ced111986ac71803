"""The demo of docs/demo.md, step by step: what it says to do can be done, and what it says to see is there."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.waiting import rest
from tests.browser.workbench import edit, held, holds, paste, settled

ROOT = Path(__file__).resolve().parents[2]
DEMO = (ROOT / "docs" / "demo.md").read_text(encoding="utf-8")
FLAT = " ".join(DEMO.split())
STEP = re.compile(r"^## \d+\. (.+) \((\d+) minutes?\)$", re.MULTILINE)
ROWS = re.search(r"```\n(.*?)\n```", DEMO, re.DOTALL)[1]


def see(place, *texts: str) -> None:
    """Wait until a place shows what the demo says."""
    for text in texts:
        assert text in FLAT, text
        expect(place.get_by_text(re.compile(re.escape(text).replace(r"\ ", r"\s"))).first).to_be_visible()


def head(page: Page, text: str) -> None:
    """Wait until the head says what the demo says."""
    assert text in FLAT, text
    expect(page.locator(".st-key-head")).to_contain_text(text)
    settled(page)


def press(page: Page, name: str) -> None:
    """Press a button, pill or tab that the demo names."""
    assert f"**{name}**" in DEMO
    named = re.compile(rf"^(\w+ )?{re.escape(name)}( \w+)?$")
    page.get_by_role("button", name=named).or_(page.get_by_role("radio", name=named)).or_(
        page.get_by_role("tab", name=named)
    ).filter(visible=True).first.click(force=True)
    settled(page)


def own(page: Page) -> None:
    page.goto("/")
    see(page, "Start my own")
    rest(page)
    page.get_by_role("spinbutton", name="Budget, ε").fill("4")
    page.get_by_role("textbox", name="What is released first?").fill("Registered unemployed")
    page.keyboard.press("Tab")
    press(page, "Start")
    head(page, "ε at most 1.196 of 4")
    assert held(page).plan.unit == "person-year" and held(page).plan.releases[0].uses == 12


def second(page: Page) -> None:
    edit(page, 1, "name", "Without a home")
    holds(page, lambda document: len(document.plan.releases) == 2)
    edit(page, 1, "noise", "0.5")
    head(page, "1.692 of 4")


def pasted(page: Page) -> None:
    paste(page, 2, "name", ROWS)
    head(page, "over budget by 2.672")
    expect(page.locator(".st-key-head").get_by_role("img", name="error icon")).to_be_visible()
    see(page, "“Unpaid bills, share” takes 60 % of the spend")


def fit(page: Page) -> None:
    press(page, "Fit to budget")
    see(page, "must grow by 59 %")
    # The table is a canvas; what stands in its cells is there for screen readers too.
    assert "±30 → ±47.5" in FLAT
    expect(page.locator("#glide-cell-8-0")).to_have_text("±30 → ±47.5")


def kept(page: Page) -> None:
    press(page, "Keep as A")
    holds(page, lambda document: document.baseline is not None)
    press(page, "Apply")
    head(page, "ε at most 4 of 4")


def compared(page: Page) -> None:
    press(page, "A against B")
    see(page, "ε changes by")
    see(page, "−2.672")


def attacked(page: Page) -> None:
    press(page, "What an attacker learns")
    press(page, "people")
    head(page, "70 of 100")
    expect(page.locator(".st-key-head")).to_contain_text("plan A: 79")
    press(page, "numbers")


def shared(page: Page, other: Page) -> None:
    press(page, "Share")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "plan=" in link
    for name in ("Report as HTML", "Python, dpviz", "Python, dp-accounting"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    other.goto(link)
    head(settled(other), "ε at most 4 of 4")
    assert held(other) == held(page)
    expect(other.get_by_role("tab", name="What an attacker learns")).to_have_attribute("aria-selected", "true")


STEPS = (own, second, pasted, fit, kept, compared, attacked, shared)


def test_the_demo_can_be_performed(open_page, traffic):
    """Every step of the script works in order, in one sitting, and asks no other machine for anything."""
    found = STEP.findall(DEMO)
    assert len(found) == len(STEPS) == DEMO.count("\n## ")
    assert sum(int(minutes) for _, minutes in found) <= 10
    page = open_page(1400, 1000, permissions=["clipboard-read", "clipboard-write"])
    for step in STEPS[:-1]:
        step(page)
    shared(page, open_page(1400, 900))
    assert not traffic.foreign and not traffic.errors
