"""Journeys from page to page in a real browser: whatever happens in between, the plan that was typed is there."""

import json
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from dpviz import Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.plan import Document, Uncounted
from dpviz.plan.files import permalink
from dpviz.ui.shell import examples, shell
from dpviz.ui.shell.document.rows import rows_of
from tests.browser.waiting import click, rest, saved
from tests.browser.workbench import (
    TABLE_KEY,
    choose,
    edit,
    held,
    holds,
    in_address,
    opened,
    settled,
    type_cell,
    upload,
)

MINE = Plan(
    [Release("Trips", Laplace.from_epsilon(0.25), 3), Release("Size", Laplace.from_epsilon(0.5))],
    Guarantee(1.5, 1e-7),
    "household",
)
FIRST = {place: next(each.name for each in shell.PAGES if each.place == place) for place in shell.PLACES}
FORMER = {"budget": "How accurate", "forecast": "When", "scenarios": "What costs what"}


def go(page: Page, place: str) -> Page:
    """Follow a link of the top bar."""
    page.locator(f"[class*=st-key-place_{place.lower()}]").get_by_role("link").click()
    expect(page.locator(f".st-key-place_{place.lower()}_here")).to_be_visible()
    rest(page)
    return page


def back(page: Page, path: str, place: str) -> None:
    """Press Back once: another page is there, and rests."""
    page.go_back()
    page.wait_for_function("path => location.pathname === path", arg=path)
    expect(page.locator(f".st-key-place_{place.lower()}_here")).to_be_visible()
    rest(page)


def with_count(plan: Plan, count: int) -> Plan:
    first, *others = plan.releases
    return replace(plan, releases=(replace(first, count=count), *others))


def test_no_cell_is_lost_when_many_are_typed_at_once(page):
    """From cell to cell by Tab, without a rest in between: every cell of every new row is in the document.

    A row of which name and noise come at once, as where the server is busy, waits for its mechanism to be chosen: it
    may have been pasted beside one that is not known.
    """
    opened(page, f"/?plan={permalink.token(MINE)}")
    choose(page, 2, "name")
    for row in range(2, 5):
        type_cell(page, f"Row {row}", "Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        type_cell(page, f"0.{row}5", "Tab")
        type_cell(page, "12", "Tab")
        type_cell(page, f"{row}0", "Enter")
        for _ in range(5):
            page.keyboard.press("ArrowLeft")
    typed = [(f"Row {row}", f"0.{row}5", "12", f"{row}0") for row in range(2, 5)]
    holds(page, lambda document: cells(document)[2:] == typed)


def cells(document: Document) -> list[tuple[str | None, ...]]:
    """What the table holds of each row, counted or not: name, noise as a bare number, sensitivity, times."""
    rows = rows_of(document)
    return [(row["name"], str(row["noise"]).removeprefix("ε "), row["sensitivity"], row["count"]) for row in rows]


def test_the_boxes_of_a_release_keep_what_they_show_over_another_place(page):
    """Also a box that the release before it has none of."""
    opened(page, "/?example=statistics-office&panel=Add%2C+edit+or+remove&read=people")
    bounds = page.locator(".st-key-cell_bounds").get_by_role("textbox")
    page.locator(".st-key-row").get_by_role("combobox").click()
    page.get_by_role("option").nth(2).click()
    expect(bounds).to_have_value("0 to 100")
    rest(page)
    go(page, "Learn")
    go(page, "Plan")
    expect(bounds).to_have_value("0 to 100")


@pytest.mark.parametrize("place", ["Learn", "Check"])
def test_a_link_survives_another_place_and_a_press(page, place: str):
    """A link is one step of Back, whatever is pressed on its page."""
    opened(page, f"/?plan={permalink.token(MINE)}")
    go(page, place)
    page.get_by_text("people", exact=True).click()
    rest(page)
    in_address_of_library(page)
    go(page, "Plan")
    in_address(page, MINE)
    back(page, f"/{FIRST[place]}", place)
    back(page, "/", "Plan")
    in_address(page, MINE)


def test_each_place_is_one_step_of_back_and_keeps_its_inputs(page):
    """An edit, a panel and an input are none, nor is what a page fills in from the plan."""
    opened(page, "/?example=statistics-office")
    steps = page.evaluate("history.length")
    edit(page, 0, "count", "5")
    changed = holds(page, lambda document: document.plan.releases[0].count == 5)
    settled(page)
    click(page.get_by_role("radio", name="A against B"))
    expect(page.get_by_role("button", name="Keep as A").last).to_be_visible()
    go(page, "Learn")
    page.get_by_role("link", name="How ε grows").click()
    goal = page.locator(".st-key-goal").get_by_role("textbox")
    expect(goal).to_have_value("4")
    rest(page)
    goal.fill("7")
    goal.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('goal') === '7'")
    rest(page)
    go(page, "Plan")
    back(page, "/composition", "Learn")
    expect(goal).to_have_value("7")
    page.go_forward()
    rest(page)
    back(page, "/composition", "Learn")
    go(page, "Check")
    go(page, "Plan")
    assert holds(page, lambda document: True) == changed
    assert page.evaluate("history.length") == steps + 4  # Learn, its page, Check, Plan
    back(page, f"/{FIRST['Check']}", "Check")
    back(page, "/composition", "Learn")
    expect(goal).to_have_value("7")
    back(page, "/learn", "Learn")
    back(page, "/", "Plan")
    assert "panel=A+against+B" in page.evaluate("location.search") and held(page) == changed


def test_one_press_of_back_leads_to_the_picture_that_was_left(page):
    """Also from the example that is there before anything is named in the address."""
    opened(page, "/?read=people")
    steps = page.evaluate("history.length")
    click(page.get_by_role("tab", name="What an attacker learns"))
    page.wait_for_function("location.search.includes('tab=')")
    rest(page)
    go(page, "Learn")
    back(page, "/", "Plan")
    expect(page.get_by_role("tab", name="What an attacker learns")).to_have_attribute("aria-selected", "true")
    assert page.evaluate("history.length") == steps + 1


def in_address_of_library(page: Page) -> None:
    """A page of the library carries the plan along."""
    assert holds(page, lambda document: document.plan == MINE)


def test_a_typed_plan_survives_everything(fresh_server, open_page, restart, traffic):
    """Link, other page, reload, crash of the server, edit: the plan that was typed, and plan A, are still there.

    The link is the first request of its server, and shows the frame, the promise and the values of the address.
    """
    page = open_page(1400, 900)
    opened(page, f"{fresh_server.url}/?plan={permalink.token(MINE)}&read=proofs")
    expect(page.locator(".st-key-head")).to_contain_text("of 1.5 per household")
    expect(page.get_by_role("textbox", name="Budget ε")).to_have_value("1.5")
    expect(page.get_by_role("radio", name="proofs")).to_be_checked()
    expect(page.locator(".st-key-place_plan_here")).to_be_visible()
    page.get_by_role("button", name="Keep as A").click()
    in_address(page, MINE, MINE)
    edit(page, 0, "count", "5")
    typed = with_count(MINE, 5)
    in_address(page, typed, MINE)
    go(page, "Learn")
    page.reload()
    rest(page)
    go(page, "Plan")
    in_address(page, typed, MINE)
    table = page.evaluate(TABLE_KEY)
    restart(fresh_server)
    # The connection returns by itself, and the new session draws a table of its own.
    page.wait_for_function(f"{TABLE_KEY} && {TABLE_KEY} != '{table}'")
    in_address(page, typed, MINE)
    edit(page, 0, "count", "7")
    in_address(page, with_count(MINE, 7), MINE)
    assert not traffic.foreign


def test_an_upload_and_a_kept_a_survive_a_reload(page):
    page.goto("/")
    expect(page.get_by_text("Open a file").first).to_be_visible()
    rest(page)
    upload(page, MINE)
    in_address(page, MINE)
    page.get_by_role("button", name="Keep as A").click()
    in_address(page, MINE, MINE)
    edit(page, 0, "count", "6")
    in_address(page, with_count(MINE, 6), MINE)
    click(page.get_by_role("radio", name="A against B"))
    expect(page.get_by_text("What it costs: ε")).to_be_visible()
    page.reload()
    in_address(page, with_count(MINE, 6), MINE)
    expect(page.get_by_text("What it costs: ε")).to_be_visible()


@pytest.mark.parametrize(("path", "tab"), FORMER.items())
def test_addresses_of_former_pages_lead_to_their_part(page, path: str, tab: str):
    """Whoever has an old link sees the same plan, and what the old page was about."""
    opened(page, f"/{path}?example=mobility-30-days&eps=10")
    held_plan = examples.plan_of("mobility-30-days")
    in_address(page, replace(held_plan, budget=Guarantee(10.0, held_plan.budget.delta)))
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    page.wait_for_function("location.pathname === '/'")


def test_back_shows_what_the_address_says(page):
    opened(page, "/?example=mobility")
    page.locator(".st-key-opening").get_by_role("button", name="Open").click()
    page.get_by_role("button", name="The lecture").click()
    in_address(page, examples.plan_of("lecture-11"))
    page.go_back()
    in_address(page, examples.plan_of("mobility"))
    expect(page.get_by_role("textbox", name="Name of the plan")).to_have_value(examples.title("mobility"))
    page.go_forward()
    in_address(page, examples.plan_of("lecture-11"))
    expect(page.get_by_role("textbox", name="Name of the plan")).to_have_value(examples.title("lecture-11"))


def test_back_from_the_first_plan_leads_to_the_first_screen(page):
    """One press, one place; Forward leads on again."""
    page.goto("/")
    settled(page)
    page.locator(".st-key-door_examples").get_by_role("button").first.click()
    page.get_by_role("button", name="The lecture").click()
    in_address(page, examples.plan_of("lecture-11"))
    page.go_back()
    expect(page.get_by_role("button", name="Start my own")).to_be_visible()
    expect(page.get_by_role("textbox", name="Name of the plan")).to_have_value(
        examples.title(examples.OPENED_FIRST)
    )
    rest(page)
    assert held(page) is None
    page.go_forward()
    in_address(page, examples.plan_of("lecture-11"))
    expect(page.get_by_role("button", name="Start my own")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("button", name="Start my own")).to_be_visible()
    rest(page)
    page.get_by_role("button", name="Undo").click()
    in_address(page, examples.plan_of("lecture-11"))


def test_undo_returns_every_kind_of_change(page):
    """Redo goes on again; the address follows both, and neither is a step of Back."""
    opened(page, f"/?plan={permalink.token(MINE)}")
    steps = page.evaluate("history.length")
    budget = page.get_by_role("textbox", name="Budget ε")
    budget.fill("2.5")
    budget.press("Enter")
    expect(page.locator(".st-key-head")).to_contain_text("of 2.5 per")
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
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(budget).to_have_value("2.5")
    in_address(page, replace(MINE, budget=Guarantee(2.5, 1e-7)))
    assert page.evaluate("history.length") == steps


def test_undo_of_an_edit_leads_back_to_the_example_without_a_step(page):
    opened(page, "/?example=mobility")
    steps = page.evaluate("history.length")
    edit(page, 0, "count", "5")
    holds(page, lambda document: document.plan.releases[0].count == 5)
    page.get_by_role("button", name="Undo", exact=True).click()
    in_address(page, examples.plan_of("mobility"))
    assert page.evaluate("history.length") == steps


def test_a_row_in_error_is_named_and_never_lost(page):
    """The head names it, the rest counts, and fitted noise leaves it in the table; so does a reload."""
    cells = (("name", "Survey"), ("mechanism", "Randomized response"), ("noise", "0,05"), ("count", "1"))
    token = permalink.token(Document(MINE, "Mine", uncounted=(Uncounted(1, cells),)))
    opened(page, f"/?plan={token}&panel=Fit+to+budget")
    expect(page.get_by_text("does not count yet").first).to_be_visible()
    page.get_by_role("button", name="Apply", exact=True).click()
    holds(page, lambda document: document.plan != MINE)
    page.reload()
    settled(page)
    expect(page.get_by_text("does not count yet").first).to_be_visible()
    assert held(page).uncounted[0].cells == cells and len(held(page).plan.releases) == 2
    edit(page, 1, "noise", "0.05")  # of randomized response it can be nothing but ε
    holds(page, lambda document: len(document.plan.releases) == 3 and not document.uncounted)


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
    expect(page.get_by_text("Open a file").first).to_be_visible()
    rest(page)
    upload(page, large, "large.json")
    expect(page.get_by_text("too large for a link")).to_be_visible()
    file = saved(page.locator(".st-key-save_large").get_by_role("button"))
    assert json.loads(file.read_text(encoding="utf-8"))["releases"]
    page.reload()
    expect(page.get_by_text("This plan is not here any more")).to_be_visible()


def test_undo_survives_a_reload_and_a_new_server(fresh_server, open_page, restart, traffic):
    """The browser keeps what undo and redo lead to, and what was worked on last, for itself.

    Before, whoever is the first of all visitors to this server, by the page's other name, sees the frame, the promise
    and the values of the address.
    """
    page = opened(open_page(1400, 900), f"{fresh_server.url}/plan?example=lecture-11&eps=0.25&read=proofs")
    expect(page.locator(".st-key-head")).to_contain_text("of 0.25 per person")
    expect(page.get_by_role("textbox", name="Budget ε")).to_have_value("0.25")
    expect(page.get_by_role("radio", name="proofs")).to_be_checked()
    expect(page.locator(".st-key-place_plan_here")).to_be_visible()
    assert not traffic.foreign
    # Streamlit says so where an address is another name of the home page.
    assert not [error for error in traffic.errors if "requested does not seem to exist" not in error]
    opened(page, f"{fresh_server.url}/?plan={permalink.token(MINE)}")
    budget = page.get_by_role("textbox", name="Budget ε")
    undo, redo = (page.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))

    def step(button, value: str) -> None:
        button.click()
        expect(budget).to_have_value(value)
        settled(page)

    for value in ("2", "3", "4"):
        budget.fill(value)
        budget.press("Enter")
        expect(page.locator(".st-key-head")).to_contain_text(f"of {value} per")
        settled(page)
    step(undo, "3")
    page.reload()
    expect(undo).to_be_enabled()
    expect(redo).to_be_enabled()
    step(undo, "2")
    restart(fresh_server)
    settled(page)
    page.reload()
    expect(undo).to_be_enabled()
    step(undo, "1.5")
    for value in ("2", "3", "4"):
        step(redo, value)
    page.goto(fresh_server.url)
    page.get_by_role("link", name="Go on with").click()
    expect(budget).to_have_value("4")
    expect(undo).to_be_enabled()  # what was done in this tab can still be taken back
    page.locator(".st-key-read").get_by_role("radio", name="people").click()
    settled(page)
    page.goto(fresh_server.url)
    page.get_by_role("link", name="Go on with").click()
    expect(page.locator(".st-key-read").get_by_role("radio", name="people")).to_be_checked()  # read as it was left


def test_what_is_no_history_harms_nothing(page):
    """Whatever stands where the browser keeps what undo leads to, the plan is there, and undo begins anew."""
    opened(page, f"/?plan={permalink.token(MINE)}")
    steps = {"marks": ["a", "b"], "at": 1, "tokens": {"a": "2.x", "b": permalink.token(MINE)}}
    for kept in ("[]", "nonsense", "{}", json.dumps(steps)):
        page.evaluate("kept => sessionStorage.setItem('dpviz.steps', kept)", kept)
        page.reload()
        settled(page)
        expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
        in_address(page, MINE)
