"""What a visitor does at the workbench: cells of its table clicked and typed, its address read, its panels opened."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Error, Page, TimeoutError, expect

from dpviz.plan import Document, Plan
from dpviz.plan.files import permalink
from dpviz.ui.plan.asked import SETS
from dpviz.ui.shell import examples
from tests.browser.waiting import MOST_TRIES, PATIENCE, SENT, SIGHT, drawn

ROW = 35  # pixels, of a row of the table and of its header
# The table of a session: a new session draws one with a name of its own.
TABLE_KEY = "document.querySelector('[class*=st-key-releases_]')?.className.match(/st-key-releases_\\w+/)[0]"
IN_TABLE = "document.activeElement?.closest('[data-testid=stDataFrame], #portal')"
IN_CELL = "document.activeElement?.closest('[data-testid=stDataFrame] td, #portal')"
EDITOR = "#portal textarea, #portal input"  # of the cell that is being typed into


def settled(page: Page) -> Page:
    """Wait until the workbench stands there and rests."""
    return drawn(page, ".st-key-head_verdict")


def opened(page: Page, address: str) -> Page:
    """Open an address of the workbench and wait until it rests."""
    page.goto(address)
    return settled(page)


def choose(page: Page, row: int, column: str, columns: Sequence[str] = SETS["promise"]) -> None:
    """Go to a cell by a click and arrows: row from 0, column by its name in the plan, among those that are shown."""
    table = page.locator("[data-testid=stDataFrame] canvas").first
    place = {"x": ROW, "y": ROW * (row + 1) + ROW / 2}
    for _ in range(MOST_TRIES):  # a table that is drawn anew meanwhile hears no click, or goes away, which is seen
        with contextlib.suppress(Error):
            table.scroll_into_view_if_needed()
            table.hover(position=place, force=True)  # nor is a click heard in the pointer's own millisecond
            table.click(position=place, force=True)
            page.wait_for_function(IN_CELL, timeout=SIGHT * 1000)
            break
    if page.locator(EDITOR).count():  # it was the chosen one already, which another click opens
        page.keyboard.press("Escape")
        expect(page.locator(EDITOR)).to_have_count(0)
    for _ in range(columns.index(column)):  # columns are as wide as the screen lets them be
        page.keyboard.press("ArrowRight")


def type_cell(page: Page, text: str, leave: str = "Enter") -> None:
    """Type into the chosen cell as fast as it takes letters, and leave it by a key."""
    page.keyboard.press(text[0])  # opens the cell
    expect(page.locator(EDITOR).first).to_be_visible(timeout=SIGHT * 1000)
    page.keyboard.type(text[1:])
    page.keyboard.press(leave)
    expect(page.locator(EDITOR)).to_have_count(0)


def edit(page: Page, row: int, column: str, text: str, columns: Sequence[str] = SETS["promise"]) -> None:
    """Type into a cell."""
    for last in range(1, MOST_TRIES + 1):
        choose(page, row, column, columns)
        try:
            return type_cell(page, text)
        except AssertionError:  # a table that is drawn anew meanwhile hears no key, which is seen
            if last == MOST_TRIES or page.locator(EDITOR).count():
                raise


def paste(page: Page, row: int, column: str, text: str) -> None:
    """Paste rows of a spreadsheet, tabs between cells; the visitor has allowed the clipboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    press(page, row, column, "ControlOrMeta+v")


def press(page: Page, row: int, column: str, key: str) -> None:
    """Press a key in a cell that the page hears of."""
    for _ in range(MOST_TRIES):
        choose(page, row, column)
        before = page.evaluate(SENT)
        page.keyboard.press(key)
        with contextlib.suppress(TimeoutError):  # a table that is drawn anew meanwhile hears no key, nor of a paste
            page.wait_for_function(f"before => {SENT} > before", arg=before, timeout=SIGHT * 1000)
            return
    raise AssertionError(f"nothing came of {key} in row {row}")


def held(page: Page) -> Document | None:
    """The document that the address holds; None where it holds none."""
    asked = parse_qs(urlsplit(page.evaluate("location.href")).query)
    if "plan" in asked:
        return permalink.document(asked["plan"][0])
    return Document(examples.plan_of(asked["example"][0])) if "example" in asked else None


def holds(page: Page, condition) -> Document:
    """Wait until the document in the address meets a condition, and return it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        document = held(page)
        if document is not None and condition(document):
            return document
        page.evaluate("new Promise(requestAnimationFrame)")
    raise AssertionError(held(page))


def in_address(page: Page, plan: Plan, baseline: Plan | None = None) -> None:
    """Wait until the address holds a plan, beside this plan A where one is given, and the page rests."""
    holds(page, lambda document: document.plan == plan and baseline in (None, document.baseline))
    settled(page)


def upload(page: Page, plan: Plan, name: str = "mine.json") -> None:
    """Hand a plan to the page as a file."""
    page.locator(".st-key-opening").get_by_role("button", name="Open").click()
    files = page.locator("[data-testid=stFileUploader] input[type=file]").first
    files.set_input_files({"name": name, "mimeType": "application/json", "buffer": plan.to_json().encode()})
