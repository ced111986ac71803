"""What was typed or pasted arrives as it was meant, in a real browser of either country, or a sentence says why not."""

import pytest
from playwright.sync_api import Page, expect

from dpviz.ui.shell.typed import shown
from tests.browser.waiting import rest
from tests.browser.workbench import EDITOR, choose, held, holds, opened, paste, settled

# What is typed into the budget, then what counts; a refused one leaves the last that was taken.
TYPED = [("0,5", 0.5), ("1,000", None), ("1/20", None), ("1.25", 1.25), ("20 %", None), ("2,5e1", 25.0), ("7", 7.0)]
PEOPLE = [("5e5", 500_000), ("500.000", None), ("1e30", None), ("250 000", 250_000)]
ROW = "Row {} 🏥\tcount\tLaplace\tε 0.001\t1\t1\tonce"


def type_in(page: Page, label: str, text: str) -> None:
    box = page.get_by_role("textbox", name=label)
    box.fill("")
    box.press_sequentially(text)
    box.press("Enter")
    rest(page)


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_numbers_are_taken_as_meant_or_refused(open_page, locale: str):
    """In both countries alike: nothing is dropped in silence, and Escape takes no limit away."""
    page = opened(open_page(1400, 900, locale=locale), "/?example=mobility")
    sentences = page.locator("[data-testid=stSidebar] [data-testid=stAlert]")
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
            expect(page.get_by_role("textbox", name=label)).to_have_value(text if meant is None else shown(meant))
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


def test_pasted_rows_arrive_whole(open_page):
    """More than the table has blank rows, with signs of two units; and more than it holds at all, which is said."""
    page = open_page(1400, 900, permissions=["clipboard-read", "clipboard-write"])
    page.goto("/")
    page.locator(".st-key-door_empty").get_by_role("button").click()
    settled(page)
    names = [f"Row {number} 🏥" for number in range(200)]
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(200)))
    document = holds(page, lambda document: document.plan.releases)
    assert [release.name for release in document.plan.releases] == names and not document.uncounted
    settled(page)
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(5001)))
    expect(page.get_by_text("Nothing of what was pasted is taken")).to_be_visible()
    paste(page, 0, "name", "\n".join(ROW.format(number) for number in range(5000)))
    expect(page.get_by_text("5,000 releases").first).to_be_visible()
    expect(page.get_by_text("Nothing of what was pasted is taken")).to_have_count(0)


def test_fast_keys_and_an_open_cell_are_kept(page):
    """A row typed without a pause, in its order; and a cell that is still open when another page is gone to."""
    opened(page, "/?example=statistics-office")
    choose(page, 6, "name")
    for keys in ("Fast", "Tab", "Tab", "Tab", "eps 0.05", "Tab", "2", "Tab", "3", "Enter"):
        if keys in ("Tab", "Enter"):
            page.keyboard.press(keys)
        else:
            page.keyboard.type(keys)
    row = holds(page, lambda document: len(document.plan.releases) == 7 and document.plan.releases[6].count == 3)
    release = row.plan.releases[6]
    assert (release.name, release.mechanism.epsilon(0), release.mechanism.sensitivity) == ("Fast", 0.05, 2)
    settled(page)
    choose(page, 0, "count")
    page.keyboard.press("4")
    expect(page.locator(EDITOR).first).to_be_visible()
    page.locator(".st-key-place_learn").get_by_role("link").click()
    expect(page.locator(".st-key-place_learn_here")).to_be_visible()
    holds(page, lambda document: document.plan.releases[0].count == 4)
