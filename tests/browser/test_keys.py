"""What the demo by keys alone does not touch: doors and examples, inputs and links of every page; and where one is."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import Keys
from tests.browser.waiting import finished
from tests.browser.workbench import holds, settled

# Of whatever has the focus, or holds it, is there a line or a shadow around it that is not there without?
LOOKS = """() => {
    const looks = [];
    for (let each = document.activeElement; each && looks.length < 4; each = each.parentElement) {
        const look = getComputedStyle(each);
        looks.push([look.outline, look.boxShadow, look.borderColor, look.backgroundColor].join());
    }
    return looks.join("|");
}"""
BLURRED = LOOKS.replace("document.activeElement", "window.before")


def ring(page: Page) -> bool:
    """Whether what has the focus looks otherwise than without it."""
    page.evaluate("window.before = document.activeElement")
    with_focus = page.evaluate(LOOKS)
    page.evaluate("window.before.blur()")
    without = page.evaluate(BLURRED)
    page.evaluate("window.before.focus({focusVisible: true})")
    return with_focus != without


def test_an_example_is_opened_by_keys(page):
    """Through the door of the first visit, to a release of it, and handed over; Escape closes what was opened."""
    page.goto("/")
    hand = Keys(finished(page))
    hand.press("See an example")
    hand.press("The mobility reports, one day")
    holds(page, lambda document: len(document.plan.releases) == 9)
    hand.press("proofs")
    expect(page.get_by_role("radio", name="proofs")).to_be_checked()
    hand.press("Fit to budget")
    expect(page.get_by_text("Numbers within, %").first).to_be_visible()
    hand.press("When")
    expect(page.get_by_role("tab", name="When")).to_have_attribute("aria-selected", "true")
    hand.press("Share")
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    hand.key("Escape")
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)
    settled(page)


def test_a_question_is_reached_and_answered_by_keys(page):
    """From the bar to the library, from a card to its page, and there a slider and a box change the answer."""
    page.goto("/")
    hand = Keys(finished(page))
    hand.activate(page.locator(".st-key-place_learn").get_by_role("link"))
    expect(page.locator(".st-key-place_learn_here")).to_be_visible()
    finished(page)
    hand.activate(page.get_by_role("link", name=re.compile("What attackers see")))
    expect(page).to_have_url(re.compile("/adversary"))
    finished(page)
    expect(page.get_by_text("After 23 releases")).to_be_visible()
    hand.reach(page.locator("[data-testid=stSlider]").first.locator("input, [role=slider]").first)
    hand.key("ArrowRight")
    expect(page.get_by_text("After 23 releases")).to_have_count(0)
    hand.fill(page.get_by_role("textbox", name="Prior of world 1, %"), "30")
    expect(page.get_by_text(re.compile("prior 30")).first).to_be_visible()


WORKBENCH, QUESTION = "/?example=mobility", "/adversary"
OTHERWISE = [pytest.param(*each, marks=pytest.mark.rest) for each in ((WORKBENCH, "dark"), (QUESTION, "light"))]


@pytest.mark.parametrize(("address", "colour_scheme"), [(WORKBENCH, "light"), (QUESTION, "dark"), *OTHERWISE])
def test_one_sees_where_one_is(page, address: str, colour_scheme: str):
    """Whatever Tab reaches looks otherwise than without the focus."""
    page.goto(address)
    hand = Keys(finished(page))
    page.add_style_tag(content="* {transition: none !important}")
    reached, unseen = [], []
    for _ in range(30):
        hand.key("Tab")
        name = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        if name.startswith("<body"):
            break
        reached.append(name)
        if not name.startswith("<canvas") and not ring(page):  # a table draws the chosen cell itself
            unseen.append(name)
    assert len(set(reached)) > 15
    assert not unseen


def test_what_is_typed_into_a_list_is_taken_by_tab(page):
    """As by Enter; a list that is only passed stays as it is."""
    page.goto("/")
    Keys(finished(page)).press("Start my own")
    often, period = (page.locator(f".st-key-own_{name} input") for name in ("often", "period"))
    often.focus()
    page.keyboard.type("every week")
    page.keyboard.press("Tab")
    expect(often).to_have_value("every week")
    before = period.input_value()
    period.focus()
    page.keyboard.press("Tab")
    expect(period).to_have_value(before)


def test_a_list_that_was_chosen_from_leaves_the_order_of_tab(page):
    """In a panel, where the list that opens lies outside of it."""
    page.goto("/")
    Keys(finished(page)).press("Start my own")
    often, begins = (page.locator(f".st-key-own_{name} input") for name in ("often", "from"))
    often.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("option")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(begins).to_be_focused()
