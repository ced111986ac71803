"""The demo of docs/demo.md, step by step: what it says to do can be done, and what it says to see is there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Traffic
from tests.browser.hands import Hand, Keys, Mouse, Touch
from tests.browser.waiting import rest, saved
from tests.browser.workbench import held, holds, settled

ROOT = Path(__file__).resolve().parents[2]
DEMO = (ROOT / "docs" / "demo.md").read_text(encoding="utf-8")
FLAT = " ".join(DEMO.split())
STEP = re.compile(r"^## \d+\. (.+) \((\d+) minutes?\)$", re.MULTILINE)
ROWS = re.search(r"```text\n(.*?)\n```", DEMO, re.DOTALL)[1]

CLIPBOARD = ("clipboard-read", "clipboard-write")
ACTIONS = re.search(r"(\d+) actions by mouse", FLAT)
PRESSES = re.search(r"fewer than ([\d,]+) presses", FLAT)
TOTAL = re.compile(r"ε at most (\S+) of 4")


def see(place, *texts: str) -> None:
    """Wait until a place shows what the demo says."""
    for text in texts:
        assert text in FLAT, text
        pattern = re.compile(re.escape(text).replace(r"\ ", r"\s"))
        expect(place.get_by_text(pattern).filter(visible=True).first).to_be_visible()


def head(page: Page, text: str) -> None:
    """Wait until the head says what the demo says."""
    assert text in FLAT, text
    expect(page.locator(".st-key-head")).to_contain_text(text)
    settled(page)


def press(hand: Hand, name: str) -> None:
    """Press a button, pill or tab that the demo names."""
    assert f"**{name}**" in DEMO
    hand.press(name)


def own(hand: Hand) -> None:
    page = hand.page
    page.goto("/")
    see(page, "Start my own")
    rest(page)
    press(hand, "Start my own")
    hand.fill(page.get_by_role("textbox", name="Budget, ε"), "4")
    hand.fill(page.get_by_role("textbox", name="What is released first?"), "Registered unemployed")
    press(hand, "Start")
    head(page, "ε at most 1.196 of 4")
    assert held(page).plan.unit == "person-year" and held(page).plan.releases[0].uses == 12


def second(hand: Hand) -> None:
    hand.release(Release="Without a home", Noise="eps 0.5")
    head(hand.page, "1.692 of 4")


def rest_of_them(hand: Hand) -> None:
    hand.releases(ROWS)
    head(hand.page, "over budget by 2.672")
    expect(hand.page.locator(".st-key-head").get_by_role("img", name="error icon")).to_be_visible()
    see(hand.page, "Leaving out “Unpaid bills” frees the most budget: ε falls by 53.3 %")


def fit(hand: Hand) -> None:
    press(hand, "Fit to budget")
    see(hand.page, "must grow by 58.4 %")
    assert "±30 → ±47.5" in FLAT
    if not isinstance(hand, Touch):  # a narrow screen holds the first columns only
        # The table is a canvas; what stands in its cells is there for screen readers too.
        expect(hand.page.locator("#glide-cell-8-0")).to_have_text("±30 → ±47.5")


def kept(hand: Hand) -> None:
    press(hand, "Keep as A")
    holds(hand.page, lambda document: document.baseline is not None)
    press(hand, "Apply")
    head(hand.page, "ε at most 3.999 of 4")


def compared(hand: Hand) -> None:
    press(hand, "A against B")
    see(hand.page, "ε falls by")
    see(hand.page, "2.673")


def attacked(hand: Hand) -> None:
    press(hand, "What an attacker learns")
    press(hand, "people")
    head(hand.page, "69.2 of 100")
    expect(hand.page.locator(".st-key-head")).to_contain_text("plan A: 78.4")
    press(hand, "numbers")
    expect(hand.page.locator(".st-key-head")).to_contain_text("δ")


def shared(hand: Hand, other: Page, paper: Page) -> None:
    page = hand.page
    press(hand, "Share")
    hand.activate(page.get_by_role("button", name="Copy link"))
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    for name in ("Python, dpviz", "Python, dp-accounting"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    assert "**Statement with theorems**" in DEMO
    paper.goto(saved(page.get_by_role("button", name="Statement with theorems", exact=True), hand.activate).as_uri())
    name = page.get_by_role("textbox", name="Name of the plan").input_value()
    total = TOTAL.search(page.locator(".st-key-head").inner_text())[1]
    expect(paper.get_by_text(name).first).to_be_visible()
    expect(paper.locator(".finding").first).to_contain_text(f"ε ≤ {total} ")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "plan=" in link
    other.goto(link)
    head(settled(other), "ε at most 3.999 of 4")
    assert held(other) == held(page) and held(other).baseline
    verdict = page.locator(".st-key-head [data-testid=stMarkdown]").all_inner_texts()
    assert other.locator(".st-key-head [data-testid=stMarkdown]").all_inner_texts() == verdict
    expect(other.get_by_role("tab", name="What an attacker learns")).to_have_attribute("aria-selected", "true")


STEPS = (own, second, rest_of_them, fit, kept, compared, attacked, shared)


def perform(hand: Hand, open_page: Callable[..., Page], traffic: Traffic) -> None:
    """Perform every step in order, in one sitting; no other machine is asked for anything."""
    for step in STEPS[:-1]:
        step(hand)
    shared(hand, open_page(1400, 900), open_page(900, 900, offline=True))
    assert not traffic.foreign and not traffic.errors


def test_the_demo_is_ten_minutes():
    """Its steps are those that are performed here, and their minutes are ten at most."""
    found = STEP.findall(DEMO)
    assert len(found) == len(STEPS) == DEMO.count("\n## ")
    assert sum(int(minutes) for _, minutes in found) <= 10
    checked = Path(__file__).read_text(encoding="utf-8")
    for bold in re.findall(r"\*\*(.+?)\*\*", FLAT):
        assert not re.search(r"\d", bold) or bold in checked, bold


def test_the_demo_by_mouse(open_page, traffic):
    """In as many actions as the demo says: presses, boxes and cells filled, rows pasted in one go."""
    hand = Mouse(open_page(1400, 1000, permissions=CLIPBOARD))
    perform(hand, open_page, traffic)
    assert hand.actions == int(ACTIONS[1]), hand.actions


@pytest.mark.rest
def test_the_demo_by_keys_alone(open_page, traffic):
    """Releases are typed in the panel with all their fields, and no key but those of the demo's count is pressed."""
    hand = Keys(open_page(1400, 1000, permissions=CLIPBOARD))
    perform(hand, open_page, traffic)
    assert hand.presses < int(PRESSES[1].replace(",", "")), hand.presses


@pytest.mark.rest
def test_the_demo_on_a_phone(phone, open_page, traffic):
    """With a thumb at 390 pixels, and releases in the panel with all their fields."""
    phone.context.grant_permissions(list(CLIPBOARD))
    perform(Touch(phone), open_page, traffic)
