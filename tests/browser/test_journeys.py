"""Journeys from page to page in a real browser: whatever happens in between, the plan that was typed is there."""

import json
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from dpviz import Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.plan import Document, permalink
from dpviz.ui.shell import examples
from tests.browser.waiting import PATIENCE, rest

MINE = Plan(
    [Release("Trips", Laplace.from_epsilon(0.25), 3), Release("Size", Laplace.from_epsilon(0.5))],
    Guarantee(1.5, 1e-7),
    "household",
)
TABLE_KEY = "document.querySelector('[class*=st-key-table_]')?.className.match(/st-key-table_\\w+/)[0]"
PAGES = {
    "Cost of a plan": "Plan", "Split and accuracy": "Plan", "Time and levers": "Plan", "A against B": "Plan",
    "How ε grows": "Explain",
}  # fmt: skip
COUNT = {"x": 420, "y": 53}  # the column "Times" of the first row of the table on the home page


def settled(page: Page) -> Page:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    rest(page)
    return page


def go(page: Page, title: str) -> Page:
    """Switch the page by the navigation."""
    before = urlsplit(page.url).path
    page.get_by_test_id("stTopNavSection").filter(has_text=PAGES[title]).first.click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()
    page.wait_for_function("before => location.pathname !== before", arg=before)
    return settled(page)


def held(page: Page) -> Document | None:
    """The document that the address holds; None while it is being written."""
    asked = parse_qs(urlsplit(page.evaluate("location.href")).query)
    if "plan" in asked:
        return permalink.document(asked["plan"][0])
    return Document(examples.plan_of(asked["example"][0])) if "example" in asked else None


def in_address(page: Page, plan: Plan, baseline: Plan | None = None) -> None:
    """Wait until the address holds a plan, beside this plan A where one is given."""
    settled(page)
    end = time.monotonic() + PATIENCE
    while not _has(held(page), plan, baseline) and time.monotonic() < end:
        page.evaluate("new Promise(requestAnimationFrame)")
    assert _has(held(page), plan, baseline), held(page)


def _has(document: Document | None, plan: Plan, baseline: Plan | None) -> bool:
    return document is not None and document.plan == plan and baseline in (None, document.baseline)


def type_count(page: Page, text: str) -> None:
    """Type into the table: how often the first release is made."""
    table = page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    table.locator("canvas").first.click(position=COUNT, force=True)
    page.keyboard.type(text, delay=150)
    page.keyboard.press("Enter")


def upload(page: Page, plan: Plan, name: str = "mine.json") -> None:
    page.get_by_text("Open a file").click()
    files = page.locator("[data-testid=stFileUploader] input[type=file]")
    files.set_input_files({"name": name, "mimeType": "application/json", "buffer": plan.to_json().encode()})
    in_address(page, plan)


def press(page: Page, title: str) -> None:
    """Press something on a page that changes no plan."""
    page.get_by_text("words", exact=True).click()
    settled(page)
    assert title


def with_count(plan: Plan, count: int) -> Plan:
    from dataclasses import replace

    first, *others = plan.releases
    return replace(plan, releases=(replace(first, count=count), *others))


@pytest.mark.parametrize("title", [title for title in PAGES if title != "Cost of a plan"])
def test_a_link_survives_another_page_and_a_press(page, title: str):
    page.goto(f"/?plan={permalink.token(MINE)}")
    in_address(page, MINE)
    go(page, title)
    press(page, title)
    in_address(page, MINE)
    go(page, "Cost of a plan")
    in_address(page, MINE)
    expect(page.get_by_text("household").first).to_be_visible()


def test_a_typed_plan_survives_everything(fresh_server, open_page, restart):
    """Link, other page, press, reload, crash of the server, edit: the plan that was typed is still there."""
    page = open_page(1400, 900)
    page.goto(f"{fresh_server.url}/?plan={permalink.token(MINE)}")
    in_address(page, MINE)
    type_count(page, "5")
    typed = with_count(MINE, 5)
    in_address(page, typed)
    go(page, "Split and accuracy")
    press(page, "Split and accuracy")
    page.reload()
    in_address(page, typed)
    go(page, "Cost of a plan")
    table = page.evaluate(TABLE_KEY)
    restart(fresh_server)
    # The connection returns by itself, and the new session draws a table of its own.
    page.wait_for_function(f"{TABLE_KEY} && {TABLE_KEY} != '{table}'")
    in_address(page, typed)
    expect(page.get_by_text("Nothing is released")).to_have_count(0)
    type_count(page, "7")
    in_address(page, with_count(MINE, 7))
    expect(page.get_by_text("These 8 releases")).to_be_visible()


def test_an_upload_and_a_kept_a_survive_a_reload(page):
    page.goto("/scenarios")
    settled(page)
    upload(page, MINE)
    page.get_by_role("button", name="Everything twice as often").click()
    twice = MINE.repeated(2)
    in_address(page, twice)
    page.get_by_role("button", name="Keep the current plan as A").click()
    in_address(page, twice, twice)
    page.reload()
    in_address(page, twice, twice)


def test_the_link_to_a_comparison_holds_a(page, open_page):
    page.goto("/scenarios")
    settled(page)
    upload(page, MINE)
    page.get_by_role("button", name="Everything twice as often").click()
    in_address(page, MINE.repeated(2))
    page.get_by_role("button", name="Copy link, report, code").click()
    code = page.locator("[data-testid=stPopoverBody] code").first
    expect(code).to_contain_text("plan=2.")
    other = open_page(1400, 900)
    other.goto(code.inner_text().replace("\n", ""))
    in_address(other, MINE.repeated(2))
    assert held(other).a == MINE
    expect(other.get_by_text("nothing differs")).to_have_count(0)


def test_back_shows_what_the_address_says(page):
    page.goto("/")
    settled(page)
    page.get_by_role("combobox", name="Plan").click()
    page.get_by_role("option", name="lecture-11").click()
    in_address(page, examples.plan_of("lecture-11"))
    expect(page.get_by_text("These 500 releases")).to_be_visible()
    page.go_back()
    in_address(page, examples.plan_of("mobility"))
    expect(page.get_by_text("These 18 releases")).to_be_visible()
    page.go_forward()
    in_address(page, examples.plan_of("lecture-11"))
    expect(page.get_by_text("These 500 releases")).to_be_visible()


def test_back_across_pages_keeps_the_plan(page):
    page.goto(f"/?plan={permalink.token(MINE)}")
    in_address(page, MINE)
    go(page, "Time and levers")
    in_address(page, MINE)
    page.go_back()
    settled(page)
    in_address(page, MINE)
    expect(page.get_by_role("heading", level=1)).to_contain_text("What does my plan cost")


def test_undo_returns_every_kind_of_change(page):
    page.goto(f"/?plan={permalink.token(MINE)}")
    in_address(page, MINE)
    budget = page.get_by_role("spinbutton", name="Budget ε")
    budget.fill("2.5")
    budget.press("Enter")
    expect(page.get_by_text("the budget of ε = 2.5")).to_be_visible()
    unit = page.get_by_role("textbox", name="Unit of privacy")
    unit.fill("person")
    unit.press("Enter")
    expect(page.get_by_text("Only the word has changed").first).to_be_visible()
    undo = page.get_by_role("button", name="Undo", exact=True)
    undo.click()
    expect(unit).to_have_value("household")
    undo.click()
    expect(budget).to_have_value("1.5")
    in_address(page, MINE)


def test_delta_steps_by_tens(page):
    page.goto(f"/?plan={permalink.token(MINE)}")
    in_address(page, MINE)
    delta = page.get_by_role("spinbutton", name="Budget δ")
    expect(delta).to_have_value("1e-7")
    box = page.locator(".st-key-delta")
    box.get_by_test_id("stNumberInputStepUp").click()
    expect(delta).to_have_value("1e-6")
    box.get_by_test_id("stNumberInputStepDown").click()
    expect(delta).to_have_value("1e-7")
    delta.fill("0")
    delta.press("Enter")
    expect(delta).to_have_value("0")


def test_a_row_in_error_is_named_and_never_lost(page):
    """The headline names it, the rest counts, and solving noise leaves it in the table; so does a reload."""
    document = permalink.document(permalink.token(MINE))
    from dpviz.plan import Uncounted

    cells = (("name", "Survey"), ("mechanism", "Randomized response"), ("epsilon", "0,05"), ("count", "1"))
    token = permalink.token(Document(MINE, "Mine", uncounted=(Uncounted(1, cells),)))
    page.goto(f"/?plan={token}")
    expect(page.get_by_text("Not counted: row 2", exact=True)).to_be_visible()
    expect(page.get_by_text("These 4 releases")).to_be_visible()
    go(page, "Split and accuracy")
    before = page.evaluate("location.search")
    page.get_by_role("button", name="Use this noise in the plan").click()
    page.wait_for_function("before => location.search !== before", arg=before)
    page.reload()
    expect(page.get_by_text("Not counted: row 2", exact=True)).to_be_visible()
    assert held(page).uncounted[0].cells == cells and len(held(page).plan.releases) == 2
    assert document.uncounted == ()


def test_an_address_without_its_plan_shows_no_verdict(page):
    page.goto("/?plan=large")
    expect(page.get_by_text("This plan is not here any more: open its file or link.")).to_be_visible()
    expect(page.get_by_text("ε", exact=False)).to_have_count(0)
    expect(page.locator("[data-testid=stMetricValue]")).to_have_count(0)
    page.get_by_role("button", name="Start an empty plan").click()
    expect(page.get_by_text("Nothing is released yet").first).to_be_visible()


def test_a_plan_too_large_for_an_address_says_so(page):
    large = Plan([Release(f"Release {n} of {n * 7919 % 10007}", RandomizedResponse(1 / (n + 3))) for n in range(400)])
    page.goto("/")
    settled(page)
    page.get_by_text("Open a file").click()
    files = page.locator("[data-testid=stFileUploader] input[type=file]")
    files.set_input_files({"name": "large.json", "mimeType": "application/json", "buffer": large.to_json().encode()})
    expect(page.get_by_text("too large for a link")).to_be_visible()
    rest(page)
    with page.expect_download() as waiting:
        page.locator(".st-key-save_large").get_by_role("button").click()
    assert json.loads(waiting.value.path().read_text(encoding="utf-8"))["releases"]
    page.reload()
    expect(page.get_by_text("This plan is not here any more")).to_be_visible()
