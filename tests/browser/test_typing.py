"""What was typed or pasted arrives as it was meant, in a real browser of either country, or a sentence says why not."""

import contextlib
import random
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from dpviz.plan import Document
from dpviz.ui.plan.asked import FIRST_READ, SETS
from dpviz.ui.shell.document.rows import rows_of
from dpviz.ui.shell.typed import shown
from tests.browser.waiting import SIGHT, rest
from tests.browser.workbench import EDITOR, IN_TABLE, choose, edit, held, holds, opened, paste, press, settled
from tests.browser.workbench import ROW as HEIGHT

# What is typed into the budget, then what counts; a refused one leaves the last that was taken.
TYPED = [("0,5", 0.5), ("1,000", None), ("1/20", None), ("1.25", 1.25), ("20 %", None), ("2,5e1", 25.0), ("7", 7.0)]
PEOPLE = [("5e5", 500_000), ("500.000", None), ("40,000", 40_000), ("1e30", None), ("250 000", 250_000)]
# Rows are typed with one seed after the other: a few of them always, 80 in `make rest`, and 130 more in `make slow`.
PACES = [
    *((seed, 2) for seed in (0, 2)),  # in a browser that is six times slower, and in one as fast as this machine
    *(pytest.param(seed, 10, marks=pytest.mark.rest) for seed in (1, *range(3, 10))),
    *(pytest.param(seed, 10, marks=pytest.mark.slow) for seed in range(10, 23)),
]
SLOWER = (1, 2, 4, 6)  # times, than this machine's processor
TYPED_COLUMNS = ("name", "noise", "sensitivity", "count")
CHOSEN = """() => {
    const cell = document.activeElement?.closest("canvas")?.querySelector("td[aria-selected=true]");
    return cell && [cell.parentElement.ariaRowIndex, cell.ariaColIndex].map(Number);
}"""
ROW = "Row {} 🏥\tcount\tLaplace\tε 0.001\t1\t1\tonce"


def type_in(page: Page, label: str, text: str) -> None:
    box = page.get_by_role("textbox", name=label)
    box.fill("")
    box.press_sequentially(text)
    box.press("Enter")
    rest(page)


@pytest.mark.parametrize("locale", [pytest.param("en-US", marks=pytest.mark.rest), "de-DE"])
def test_numbers_are_taken_as_meant_or_refused(open_page, locale: str):
    """In both countries alike: nothing is dropped in silence, and Escape takes no limit away."""
    page = opened(open_page(1400, 900, locale=locale), "/?example=mobility")
    sentences = page.locator(".st-key-head [data-testid=stAlert]")
    for label, spellings, of in (
        ("Budget ε", TYPED, lambda plan: plan.budget.epsilon),
        ("People in the data", PEOPLE, lambda plan: plan.population),
    ):
        counts = of(held(page).plan)
        for text, meant in spellings:
            type_in(page, label, text)
            expect(sentences).to_have_count(int(meant is None))
            counts = counts if meant is None else meant
            holds(page, lambda document, of=of, counts=counts: of(document.plan) == counts)
            # Only then is it typed over: the answer shows in the box what was taken, in the place of what is there.
            taken = text if meant is None else shown(meant) if label == "Budget ε" else f"{meant:,}"
            expect(page.get_by_role("textbox", name=label)).to_have_value(taken)
            if meant is None:
                expect(sentences).to_contain_text(text)
                expect(sentences).to_contain_text("Until then")
            elif label == "Budget ε":
                expect(page.locator(".st-key-head")).to_contain_text(f"of {shown(meant)} per")
            rest(page)
    budget = page.get_by_role("textbox", name="Budget ε")
    budget.press("Escape")
    budget.blur()
    rest(page)
    expect(budget).to_have_value("7")
    assert held(page).plan.budget.epsilon == 7
    budget.click()
    page.get_by_role("button", name="Keep as A").click()
    rest(page)
    budget.click()  # all of it is chosen again, as it was when it was left
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    holds(page, lambda document: document.plan.budget.epsilon == 2)


def emptied(open_page: Callable[..., Page]) -> Page:
    """An empty table, into which may be pasted."""
    page = open_page(1400, 900, permissions=["clipboard-read", "clipboard-write"])
    page.goto("/")
    door = page.locator(".st-key-door_own").get_by_role("button", name="Start my own")
    box = door.bounding_box()
    door.click(position={"x": box["width"] - 20, "y": box["height"] / 2})  # on its arrow
    page.locator(".st-key-door_empty").get_by_role("button").click()
    return settled(page)


def test_pasted_rows_arrive_whole(open_page):
    """More than the table has blank rows, with signs of two units; and more than it holds at all, which is said."""
    page = emptied(open_page)
    names = [f"Row {number} 🏥" for number in range(200)]
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(200)))
    document = holds(page, lambda document: document.plan.releases)
    assert [release.name for release in document.plan.releases] == names and not document.uncounted
    settled(page)
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(5001)))
    expect(page.get_by_text("Nothing of what was pasted is taken")).to_be_visible()
    assert len(held(page).plan.releases) == 200


# Whoever heard of a paste before, as a table that is drawn before what reads pastes, hears of it first.
HEARS_FIRST = """
const [add, first] = [window.addEventListener.bind(window), []];
add("paste", event => first.forEach(hear => hear(event)), true);
window.addEventListener = (kind, hear, how) => kind === "paste" && !String(hear).includes("dpvizTell")
  ? first.push(hear) : add(kind, hear, how);
"""


def test_a_paste_is_whole_where_the_table_was_drawn_first(open_page):
    """Rows with signs of two units, more than there are blank ones, and one cell; keys go on in the table."""
    page = open_page(1400, 900, permissions=["clipboard-read", "clipboard-write"])
    page.add_init_script(HEARS_FIRST)
    opened(page, "/?example=mobility")
    paste(page, 9, "name", "\n".join(ROW.format(number) for number in range(60)))
    document = holds(page, lambda document: len(document.plan.releases) == 69)
    assert [each.name for each in document.plan.releases[9:]] == [f"Row {number} 🏥" for number in range(60)]
    settled(page)
    paste(page, 0, "count", "7")
    holds(page, lambda document: document.plan.releases[0].count == 7)
    page.wait_for_function(IN_TABLE)


@pytest.mark.parametrize("read", ["numbers", "people"])
def test_what_was_typed_stays_where_its_column_is_shown_no_more(page, read: str):
    """A browser tells of the cells in sight alone: those of other columns are known already, and stay."""
    opened(page, "/?example=mobility")
    edit(page, 0, "kind", "count")
    edit(page, 1, "noise", "0.2")
    typed = holds(page, lambda document: "0.2," in str(document.plan.releases[1].mechanism)).plan
    page.locator(".st-key-columns").get_by_role("radio", name="dates").click()
    rest(page)
    columns = list(SETS["dates"])
    if read == "people":
        page.locator(".st-key-read").get_by_role("radio", name="people").click()
        rest(page)
        columns = sorted(columns, key=lambda each: [*FIRST_READ, each].index(each))
    edit(page, 2, "count", "3", columns)
    after = holds(page, lambda document: document.plan.releases[2].count == 3).plan
    assert after.releases[:2] == typed.releases[:2] and typed.releases[0].kind == "count"


def left_of(page: Page, column: str) -> int:
    """Where a column of the table is, in pixels from its left end."""
    canvas = page.locator("[data-testid=stDataFrame] canvas").first
    choose(page, 8, "name")
    wanted = 1 + list(SETS["promise"]).index(column)
    for left in range(10 * HEIGHT, round(canvas.bounding_box()["width"]), HEIGHT):
        canvas.click(position={"x": left, "y": 9.5 * HEIGHT}, force=True)
        page.wait_for_timeout(300)  # a click is told a moment later
        if (page.evaluate(CHOSEN) or (0, 0))[1] == wanted:
            break
    choose(page, 8, "name")
    return left


def type_at(page: Page, click: Callable[..., None], left: int, row: int, text: str) -> None:
    """Click a cell, as often as `click` does, and type into it as a person."""
    clicked_at(page, click, left, row)
    page.wait_for_timeout(150)  # no hand is at the keys sooner
    page.keyboard.type(text, delay=75)
    page.keyboard.press("Enter")


def clicked_at(page: Page, click: Callable[..., None], left: int, row: int) -> None:
    top = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    click(top["x"] + left, top["y"] + HEIGHT * (row + 1.5))


def test_cells_that_are_clicked_one_after_the_other_take_what_is_typed(page):
    """Enter chooses the cell beneath, which the next click opens: what is typed then is for it, at whatever pace."""
    opened(page, "/?example=mobility")
    left = left_of(page, "noise")
    for pace in (0, 600):  # milliseconds from Enter to the next click
        wished = [f"0.{digits}" for digits in range(11 + pace // 10, 15 + pace // 10)]
        for row, text in enumerate(wished):
            type_at(page, page.mouse.click, left, row, text)
            page.wait_for_timeout(pace)
        known = [float(text) for text in wished]
        holds(page, lambda document, known=known: [
            each.mechanism.parameters["epsilon"] for each in document.plan.releases[:4]] == known)  # fmt: skip
        settled(page)


def test_two_clicks_at_once_open_what_takes_keys(page):
    """As a busy browser hears those of a double click: the table takes the focus from the editor then."""
    opened(page, "/?example=mobility")
    left = left_of(page, "sensitivity")
    for row, text in ((2, "2"), (2, "3"), (1, "4")):
        type_at(page, page.mouse.dblclick, left, row, text)
        wished = float(text)
        holds(page, lambda document, row=row, wished=wished: document.plan.sensitivities[row].value == wished)
        settled(page)


def test_a_list_stays_open_under_a_double_click(page):
    """Whether its cell was chosen before or not: the second press had closed it, or taken the focus from the cell."""
    opened(page, "/?example=mobility")
    left, name = left_of(page, "kind"), left_of(page, "name")
    for row, before, kind in ((1, "name", "histogram"), (1, "kind", "count")):
        clicked_at(page, page.mouse.click, name if before == "name" else left, row)
        page.wait_for_timeout(1000)  # until a click there is no part of a double one
        page.keyboard.press("Escape")
        clicked_at(page, page.mouse.dblclick, left, row)
        expect(page.locator("#portal input")).to_have_attribute("aria-expanded", "true")
        page.locator("#portal").get_by_role("option", name=kind, exact=True).click()
        holds(page, lambda document, row=row, kind=kind: document.plan.releases[row].kind == kind)
        settled(page)
    left = left_of(page, "noise")
    for row in (2, 3):  # and what is opened for a text takes what comes without keys, as from a dictation
        clicked_at(page, page.mouse.dblclick, left, row)
        expect(page.locator(EDITOR)).to_be_focused()
        page.keyboard.press("Escape")


def test_a_choice_that_is_typed_in_full_is_meant(page):
    """Left by Enter, though the list's highlight lies on the present one, whose name holds it; or left by a click."""
    opened(page, "/?example=statistics-office")
    for text, leave in (("Discrete Gaussian", "Enter"), ("Gaussian", "Enter"), ("Discrete Laplace", "")):
        choose(page, 0, "mechanism")
        page.keyboard.type(text, delay=60)
        if leave:
            page.keyboard.press(leave)
        else:
            canvas = page.locator("[data-testid=stDataFrame] canvas").first
            canvas.click(position={"x": HEIGHT, "y": 2.5 * HEIGHT}, force=True)
        holds(page, lambda document, text=text: document.plan.releases[0].mechanism.label == text)
        settled(page)


def test_escape_leaves_what_is_chosen_in_a_list(page):
    """Whether it is open or not: else the choice is forgotten."""
    opened(page, "/?example=mobility&panel=Add,+edit+or+remove")
    box = page.get_by_role("combobox", name="Mechanism")
    for letters in ("", "Gau"):
        box.focus()
        page.keyboard.type(letters, delay=60)
        page.keyboard.press("Escape")
        expect(box).to_have_attribute("aria-expanded", "false")
        page.wait_for_timeout(1000)  # until it would have been told
        settled(page)
        expect(box).to_have_value("Laplace")


@pytest.mark.rest
def test_as_many_rows_as_there_can_be_are_pasted_at_once(open_page):
    """After one too many, of which nothing is taken."""
    page = emptied(open_page)
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(5001)))
    expect(page.get_by_text("Nothing of what was pasted is taken")).to_be_visible()
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(5000)))
    expect(page.get_by_text("5,000 releases").first).to_be_visible()
    expect(page.get_by_text("Nothing of what was pasted is taken")).to_have_count(0)


def test_fast_keys_and_an_open_cell_are_kept(page):
    """A row typed without a pause, in its order; and a cell that is still open when another page is gone to.

    Where the server is busy, name and noise come at once: such a row waits for its mechanism, with all of its cells.
    """
    opened(page, "/?example=statistics-office")
    choose(page, 6, "name")
    for keys in ("Fast", "Tab", "Tab", "Tab", "eps 0.05", "Tab", "2", "Tab", "3", "Enter"):
        if keys in ("Tab", "Enter"):
            page.keyboard.press(keys)
        else:
            page.keyboard.type(keys)
    document = holds(page, lambda document: len(rows_of(document)) == 7 and rows_of(document)[6]["count"] == "3")
    row, counts = rows_of(document)[6], not document.uncounted
    assert (row["name"], row["sensitivity"]) == ("Fast", "2")
    assert (row["noise"], row["mechanism"]) == (("ε 0.05", "Laplace") if counts else ("eps 0.05", None))
    settled(page)
    choose(page, 0, "count")
    page.keyboard.press("4")
    expect(page.locator(EDITOR).first).to_be_visible()
    page.locator(".st-key-place_learn").get_by_role("link").click()
    expect(page.locator(".st-key-place_learn_here")).to_be_visible()
    holds(page, lambda document: document.plan.releases[0].count == 4)


def test_a_bare_number_shows_its_sign_and_no_key_after_it_is_lost(page):
    """An ε stays an ε; the cell beside it, typed without a pause, is taken; and Undo brings the former noise back."""
    opened(page, "/?example=statistics-office")
    choose(page, 0, "noise")
    page.keyboard.type("0.02")
    page.keyboard.press("Tab")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    first = holds(page, lambda document: document.plan.releases[0].mechanism.sensitivity == 7).plan.releases[0]
    assert first.mechanism.parameters["epsilon"] == 0.02
    expect(page.locator("[id^=glide-cell-][id$='-0']").filter(has_text="ε 0.02")).to_have_count(1)
    settled(page)
    for _ in range(2):  # both cells may have been heard of at once
        with contextlib.suppress(TimeoutError):
            page.get_by_role("button", name="Undo").click(timeout=SIGHT * 1000)
        settled(page)
    holds(page, lambda document: document.plan.releases[0].mechanism.parameters["epsilon"] == 0.05)


def typed_row(page: Page, chance: random.Random, number: int) -> dict[str, str]:
    """Type a row from its first cell on, each key after a random moment, return to the first cell of the next."""
    noise, times = f"eps 0.0{chance.randint(1, 9)}", str(chance.randint(10, 999))
    cells = (f"Row {number} at home", noise, chance.choice("23456"), times)
    at, keys = 0, []
    for column, text in zip(TYPED_COLUMNS, cells, strict=True):
        to = SETS["promise"].index(column)
        keys += ["Tab"] * (to - at) + [*text]
        at = to
    for key in [*keys, "Enter", *["ArrowLeft"] * at]:
        time.sleep(chance.uniform(0.001, 0.06))
        page.keyboard.press(key)
    return dict(zip(TYPED_COLUMNS, cells, strict=True))


def typed_cells(document: Document) -> list[dict[str, str | None]]:
    """What the cells that are typed here hold, of every row, counted or not."""
    rows = [{column: row[column] for column in TYPED_COLUMNS} for row in rows_of(document)]
    return [{**row, "noise": str(row["noise"]).replace("ε", "eps")} for row in rows]


@pytest.mark.parametrize(("seed", "rows"), PACES)
def test_no_key_is_lost_at_any_pace(page, seed: int, rows: int):
    """Rows typed at a random pace into a browser that is slowed down: every cell of each holds what was typed.

    Of which name and noise come at once, since the server is busy, may lack a mechanism: it is never guessed then.
    """
    opened(page, "/?example=lecture-11")
    before = typed_cells(held(page))
    chance = random.Random(seed)
    choose(page, len(before), "name")
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": chance.choice(SLOWER)})
    typed = [typed_row(page, chance, number) for number in range(rows)]
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    holds(page, lambda document: typed_cells(document) == [*before, *typed])


def names(page: Page) -> list[str]:
    return [release.name for release in held(page).plan.releases]


def steps(page: Page, *expected: list[str]) -> None:
    """Undo leads from the last of these lists of names to the first, step by step, and redo back again."""
    for key, order in (("undo", expected[-2::-1]), ("redo", expected[1:])):
        for wanted in order:
            settled(page)
            page.locator(f".st-key-{key}").get_by_role("button").click()
            holds(page, lambda document, wanted=wanted: [each.name for each in document.plan.releases] == wanted)
    settled(page)


def test_rows_are_moved_and_removed_by_keys(page):
    """The chosen cell goes with its row; what is typed at once goes into it; each is a step of undo and redo."""
    opened(page, "/?example=statistics-office")
    start = names(page)
    choose(page, 0, "count")
    for key in ("Alt+ArrowDown", "7", "Enter"):
        page.keyboard.press(key)
    holds(page, lambda document: document.plan.releases[1].count == 7)
    down = [start[1], start[0], *start[2:]]
    assert names(page) == down
    settled(page)
    choose(page, 2, "noise")
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowUp")
    holds(page, lambda document: document.plan.releases[0].name == down[2])
    up = [down[2], *down[:2], *down[3:]]
    settled(page)
    page.wait_for_function(f"({CHOSEN})()?.join() === '2,4'")
    page.keyboard.press("Control+-")
    holds(page, lambda document: len(document.plan.releases) == 5)
    settled(page)
    page.wait_for_function(f"({CHOSEN})()?.join() === '2,4'")
    page.keyboard.press("Control+Delete")
    holds(page, lambda document: [each.name for each in document.plan.releases] == up[2:])
    for _ in range(2):
        page.locator(".st-key-undo").get_by_role("button").click()
        settled(page)
    holds(page, lambda document: [each.name for each in document.plan.releases] == up)
    page.locator(".st-key-redo").get_by_role("button").click()
    holds(page, lambda document: [each.name for each in document.plan.releases] == up[1:])
    settled(page)
    choose(page, 0, "count")
    page.keyboard.press("Control+z")
    holds(page, lambda document: [each.name for each in document.plan.releases] == up)
    settled(page)
    page.keyboard.press("Control+y")  # the same cell is chosen, or none: either way the keys are the plan's
    holds(page, lambda document: [each.name for each in document.plan.releases] == up[1:])


def test_rows_are_cleared_moved_and_pasted_and_all_of_it_is_undone(open_page):
    """Also where dates that are not in sight would stay behind; each is one step of undo and of redo."""
    page = open_page(1400, 900, permissions=["clipboard-read", "clipboard-write"])
    opened(page, "/?example=statistics-office")
    start = names(page)
    choose(page, 1, "name")
    for _ in range(len(SETS["promise"]) - 1):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Delete")
    holds(page, lambda document: len(document.plan.releases) == 4 and not document.uncounted)
    fewer = [start[0], *start[3:]]
    assert names(page) == fewer
    settled(page)
    paste(page, 4, "name", "\n".join(ROW.format(number) for number in range(2)))
    more = [*fewer, "Row 0 🏥", "Row 1 🏥"]
    holds(page, lambda document: [each.name for each in document.plan.releases] == more)
    settled(page)
    press(page, 0, "name", "Alt+ArrowDown")
    moved = [more[1], more[0], *more[2:]]
    holds(page, lambda document: [each.name for each in document.plan.releases] == moved)
    steps(page, start, fewer, more, moved)


def test_a_paste_without_a_chosen_cell_changes_nothing(open_page):
    """It says what to do, in place of going over the first rows."""
    page = open_page(1400, 900, permissions=["clipboard-read", "clipboard-write"])
    opened(page, "/?example=statistics-office")
    start = names(page)
    page.evaluate("text => navigator.clipboard.writeText(text)", "Other\tcount\nMore\tcount")
    choose(page, 2, "name")
    page.keyboard.press("Escape")
    page.wait_for_function(f"({CHOSEN})() === null")
    page.keyboard.press("ControlOrMeta+v")
    expect(page.get_by_text("no cell of the table is chosen")).to_be_visible()
    page.wait_for_function("document.activeElement === document.body")  # where the next paste has no place, either
    assert names(settled(page)) == start


def test_all_columns_are_in_sight_beside_plan_a(open_page):
    """The noise and share of plan A among them, in the room that is there at 1,400 pixels without a sidebar."""
    page = opened(open_page(1660, 900), "/?example=statistics-office")
    page.locator(".st-key-keep_a").get_by_role("button").click()
    table = page.locator("[data-testid=stDataFrame]").first
    expect(table.locator("th").last).to_have_text("Saves in A")
    inner = page.locator(".dvn-scroll-inner").first
    assert inner.evaluate("each => each.scrollWidth <= each.parentElement.clientWidth")
