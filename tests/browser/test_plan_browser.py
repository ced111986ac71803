"""The workbench in a real browser: deep links, editing, fitting, files, no request to other machines."""

import json
import re
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from dpviz import Guarantee
from dpviz.ui.plan.asked import SETS
from dpviz.ui.shell import examples
from tests.browser.waiting import click, rest, saved
from tests.browser.workbench import EDITOR, ROW, choose, edit, held, holds, in_address, opened, settled

OFFICE = examples.plan_of("statistics-office")
MONTH = examples.plan_of("mobility-30-days")
PROGRAMS = ("Python, dpviz", "Python, dp-accounting")


def head(page: Page) -> Locator:
    return page.locator(".st-key-head")


def sign(page: Page, name: str) -> Locator:
    """The sign before the verdict."""
    return head(page).get_by_role("img", name=f"{name} icon")


def painted(page: Page) -> Locator:
    """The charts in sight, at least one."""
    charts = page.locator(".js-plotly-plot .main-svg").filter(visible=True)
    expect(charts.first).to_be_visible()
    return charts


def press(page: Page, role: str, name: str) -> None:
    click(page.get_by_role(role, name=name, exact=True).filter(visible=True).first)
    settled(page)


def test_nothing_leaves_the_machine(page, traffic):
    """Opening, every picture, every panel and every fold ask no other machine for anything."""
    opened(page, "/?example=statistics-office")
    for name in ("How accurate", "When", "What an attacker learns"):
        press(page, "tab", name)
        painted(page)
    for name in ("Add, edit or remove", "Fit to budget", "A against B"):
        press(page, "radio", name)
    page.get_by_text("Proved by").click()
    expect(page.locator(".katex").first).to_be_attached()
    page.get_by_text("What others promise").click()
    expect(page.get_by_text("each in the row of the unit that it protects")).to_be_visible()
    press(page, "radio", "people")
    expect(head(page)).to_contain_text("Within budget")
    assert traffic.requests and not traffic.foreign
    assert not traffic.errors


def test_an_edited_cell_changes_the_verdict_and_undo_returns(page):
    """Typing into the table changes the answer at once; over budget is said by word and sign, not by colour alone."""
    opened(page, "/?example=statistics-office")
    expect(head(page)).to_contain_text("within budget")
    expect(sign(page, "check_circle")).to_be_visible()
    edit(page, 1, "count", "20")
    expect(head(page)).to_contain_text("over budget by")
    expect(head(page).get_by_role("img", name=re.compile("Budget: .*over by"))).to_be_visible()
    expect(sign(page, "error")).to_be_visible()
    expect(sign(page, "check_circle")).to_have_count(0)
    press(page, "button", "Undo")
    expect(head(page)).to_contain_text("within budget")
    expect(sign(page, "check_circle")).to_be_visible()
    in_address(page, OFFICE)


def test_addresses_restore_the_screen(page, open_page):
    """Budget, columns, panel, picture and level stand in the address, and the address brings them back."""
    opened(page, "/?example=mobility")
    budget = page.get_by_role("textbox", name="Budget ε")
    budget.fill("3.5")
    budget.press("Enter")
    expect(head(page)).to_contain_text("of 3.5 per")
    chosen = {"radio": ("accuracy", "proofs"), "tab": ("How accurate",)}
    for role, names in chosen.items():
        for name in names:
            press(page, role, name)
    press(page, "radio", "Fit to budget")
    for part in ("plan=", "columns=accuracy", "read=proofs", "tab=", "panel="):
        page.wait_for_function("part => location.search.includes(part)", arg=part)
    other = opened(open_page(1400, 900), page.evaluate("location.href"))
    expect(head(other)).to_contain_text("of 3.5 per")
    for name in (*chosen["radio"], "Fit to budget"):
        expect(other.get_by_role("radio", name=name, exact=True)).to_be_checked()
    expect(other.get_by_role("tab", name="How accurate")).to_have_attribute("aria-selected", "true")
    assert held(other) == held(page)


def test_downloads_open(page, open_page):
    """Plan, report, programs, data and chart are files that others can use; the chart opens without network."""
    opened(page, "/?example=mobility")
    painted(page)
    data = saved(page.locator(".st-key-release-costs_csv").get_by_role("button"))
    lines = data.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("row,release,share") and len(lines) == 10
    chart = saved(page.locator(".st-key-release-costs_html").get_by_role("button"))
    alone = open_page(900, 700, offline=True)
    alone.goto(chart.as_uri())
    expect(alone.locator(".main-svg").first).to_be_visible()
    page.get_by_role("button", name="Share").click()
    kept = {}
    for name in ("Save as CSV", "Save as JSON", "Statement with theorems", "Statement as JSON", *PROGRAMS):
        file = saved(page.get_by_role("button", name=name, exact=True))
        kept[name] = file.read_text(encoding="utf-8")
    assert kept["Save as CSV"].startswith("name,mechanism,epsilon")
    assert json.loads(kept["Save as JSON"])["unit"] == "user-day"
    assert "user-day" in kept["Statement with theorems"]
    assert json.loads(kept["Statement as JSON"])["total"]["epsilon"] <= 2.64
    assert "import dpviz" in kept["Python, dpviz"] or "from dpviz" in kept["Python, dpviz"]
    assert "dp_accounting" in kept["Python, dp-accounting"]


def test_a_file_is_opened_by_the_door_and_by_the_head(page, root: Path):
    """An uploaded plan takes the place of what was there; a bad one says why, and changes nothing."""
    bad = {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"name,mechanism,epsilon\nx,laplace,-1"}
    page.goto("/")
    page.locator(".st-key-door_open").get_by_role("button", name="Open a file").click()
    box = page.locator("[data-testid=stFileUploader] input[type=file]")  # another one after each change: its key is new
    box.set_input_files(bad)
    expect(page.get_by_text("The plan was not read")).to_be_visible()
    box.set_input_files(root / "examples" / "mobility-30-days.json")
    in_address(page, MONTH)
    expect(head(page)).to_contain_text("of 40 per user-month")
    expect(page.locator(".st-key-doors")).to_have_count(0)
    rest(page)
    page.locator(".st-key-opening").get_by_role("button", name="Open").click()
    box.set_input_files(bad)
    expect(page.get_by_text("The plan was not read")).to_be_visible()
    in_address(page, MONTH)
    box.set_input_files(root / "examples" / "statistics-office.json")
    in_address(page, OFFICE)
    expect(head(page)).to_contain_text("per person-year")


def test_the_head_stays_in_view(page):
    """Places, verdict and Undo are in sight however far the page is scrolled, and are pressed there."""
    opened(page, "/?example=statistics-office&tab=What+an+attacker+learns")
    painted(page)
    main = page.locator("[data-testid=stMain]")
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 400")
    expect(page.locator(".st-key-top_bar")).to_be_in_viewport(ratio=1)
    page.get_by_role("radio", name="numbers").hover(trial=True)
    expect(head(page).get_by_text("within budget")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_in_viewport(ratio=1)
    # Nothing is painted over it.
    at = head(page).bounding_box()
    inside = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.st-key-head'))"
    assert page.evaluate(inside, [at["x"] + 20, at["y"] + at["height"] - 8])


def test_the_buttons_of_the_head_stand_in_two_lines(phone):
    """A phone has room for three beside the name, and for three beneath it."""
    opened(phone, "?example=statistics-office")
    for names in (("Save", "Undo", "Redo"), ("Keep as A", "Open", "Share")):
        found = [head(phone).get_by_role("button", name=each).filter(visible=True).first for each in names]
        assert len({round(each.bounding_box()["y"]) for each in found}) == 1


def test_copy_link_copies(open_page):
    """What is pasted after the press opens the same plan, with the same picture, elsewhere."""
    page = open_page(1400, 900, permissions=["clipboard-read", "clipboard-write"])
    opened(page, "/?example=mobility-30-days&tab=When")
    page.get_by_role("button", name="Share").click()
    field = page.get_by_role("textbox", name="Link to this screen")
    expect(field).to_have_value(re.compile("plan="))
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == field.input_value()
    other = opened(open_page(1400, 900), link)
    in_address(other, MONTH)
    expect(other.get_by_role("tab", name="When")).to_have_attribute("aria-selected", "true")


def test_fitting_shows_what_would_change_and_changes_it_when_applied(open_page, traffic):
    """A month over its budget: old → new in the cells, nothing changed before Apply, and Undo takes it back."""
    page = open_page(1400, 900)  # a cell that is not in sight is not there
    opened(page, "/?example=mobility-30-days&eps=10&panel=Fit+to+budget")
    over = replace(MONTH, budget=Guarantee(10.0, MONTH.budget.delta))
    expect(page.get_by_text("must grow by").first).to_be_visible()
    noise, error = (page.locator(f"#glide-cell-{SETS['promise'].index(name)}-0") for name in ("noise", "error"))
    expect(noise).to_have_text(re.compile(r"^ε 0\.11 → ε 0\.0"))
    expect(error).to_have_text(re.compile(r"^±\S+ → ±\S+"))
    expect(head(page)).to_contain_text("over budget by")
    in_address(page, over)
    press(page, "button", "Keep as A")
    in_address(page, over, over)
    press(page, "button", "Apply")
    holds(page, lambda document: document.plan.releases != MONTH.releases and document.baseline == over)
    expect(head(page)).to_contain_text("within budget")
    expect(noise).to_have_text(re.compile(r"^ε 0\.0\d+$"))
    expect(page.locator(f"#glide-cell-{len(SETS['promise'])}-0")).to_have_text("ε 0.11")  # the noise in A
    expect(page.get_by_role("button", name="Apply", exact=True)).to_have_count(0)
    press(page, "button", "Undo")
    in_address(page, over, over)
    # What fits is offered beside the verdict, and applied there; Undo closes what proposes something else.
    press(page, "button", "Make it fit")
    expect(page.get_by_text("must grow by").first).to_be_visible()
    press(page, "button", "Undo")
    expect(page.get_by_text("must grow by")).to_have_count(0)
    press(page, "button", "Redo")
    press(page, "button", "Make it fit")
    press(page, "button", "Apply what fits")
    expect(head(page)).to_contain_text("within budget")
    assert not traffic.foreign and not traffic.errors


def test_more_of_one_release_and_the_price_of_an_accuracy(page):
    """The panel's other two questions, by an address and by its inputs."""
    opened(page, "/?example=mobility&panel=Fit+to+budget&solve=how+many+more&like=3&sure=99")
    expect(page.get_by_text("like row 3, “Visits to public places, per county").first).to_be_visible()
    expect(page.get_by_role("textbox", name="Numbers within, %")).to_have_value("99")
    press(page, "radio", "budget for an accuracy")
    within = page.get_by_role("textbox", name="Off by at most")
    within.fill("7")
    within.press("Enter")
    expect(page.get_by_text("within ±7 with probability 99").first).to_be_visible()
    page.wait_for_function("location.search.includes('within=7')")


def test_the_drawer_edits_a_cell(page):
    """One release with all its fields in ordinary inputs, and the table follows."""
    opened(page, "/?example=statistics-office&panel=Add%2C+edit+or+remove&row=2")
    times = page.get_by_role("textbox", name="Times")
    expect(times).to_have_value("1")
    times.fill("3")
    times.press("Enter")
    first, second, *others = OFFICE.releases
    in_address(page, replace(OFFICE, releases=(first, replace(second, count=3), *others)))
    expect(page.locator(f"#glide-cell-{SETS['promise'].index('count')}-1")).to_have_text("3")
    page.get_by_role("combobox", name=re.compile("Release")).click()
    page.get_by_role("option", name=re.compile("Population by age group")).click()
    expect(page.get_by_role("textbox", name="Release", exact=True)).to_have_value(OFFICE.releases[3].name)
    press(page, "button", "Remove it")
    holds(page, lambda document: len(document.plan.releases) == len(OFFICE.releases) - 1)


def test_a_panel_opens_in_sight_on_the_chosen_row(page):
    """The table stays above it, and its box names the release of the cell that was chosen last."""
    opened(page, "/?example=statistics-office")
    choose(page, 2, "name")
    press(page, "radio", "Add, edit or remove")
    expect(page.get_by_role("textbox", name="Release", exact=True)).to_have_value(OFFICE.releases[2].name)
    expect(page.get_by_role("textbox", name="Release", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("button", name="Remove it")).to_be_in_viewport()
    place = {"x": ROW, "y": ROW * 1.5}
    table = page.locator("[data-testid=stDataFrame] canvas").first
    table.hover(position=place, force=True)
    table.dblclick(position=place, force=True)
    expect(page.locator(EDITOR).first).to_be_focused()  # at once, and the box goes with the hand all the same
    page.wait_for_timeout(600)
    page.keyboard.press("Control+a")
    page.keyboard.type("Inhabitants")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Release", exact=True)).to_have_value("Inhabitants")


def test_a_picture_that_is_opened_leaves_the_page_where_it_is(page):
    """The tabs stay under the hand, also while there is nothing beneath them yet."""
    opened(page, "/?example=statistics-office")
    main = page.locator("[data-testid=stMain]")
    main.evaluate("each => each.scrollTo(0, 300)")
    settled(page)
    before = main.evaluate("each => each.scrollTop")
    assert before > 100
    page.get_by_role("tab", name="How accurate").click()
    settled(page)
    assert main.evaluate("each => each.scrollTop") == before


def test_a_against_b(page):
    """A is kept, B edited: the difference is stated, swapped and taken back; others' promises can be taken away."""
    opened(page, "/?example=mobility-30-days&panel=A+against+B")
    expect(page.get_by_text("Nothing is kept as A")).to_be_visible()
    press(page, "button", "Keep as A")
    in_address(page, MONTH, MONTH)
    edit(page, 0, "count", "240")
    expect(page.get_by_text("What it costs: ε")).to_be_visible()
    expect(head(page)).to_contain_text("than plan A")
    more = holds(page, lambda document: document.baseline is not None and document.plan != MONTH).plan
    press(page, "button", "Swap A and B")
    in_address(page, MONTH, more)
    expect(page.get_by_text("What it costs: ε falls by")).to_be_visible()
    press(page, "button", "Undo")
    in_address(page, more, MONTH)
    press(page, "tab", "Release by release")
    page.wait_for_function("location.search.includes('abview=')")
    settled(page)
    page.get_by_text("What others promise").click()
    settled(page)
    published = page.locator(".st-key-published-deployments_csv").get_by_role("button")
    assert "Community Mobility Place Visits" in saved(published).read_text(encoding="utf-8")


def test_nothing_is_repeated_until_asked(page, traffic):
    """A plan without dates costs what one unit costs; one press repeats it, and is kept; its data can be taken away."""
    opened(page, "/?example=mobility&tab=When")
    expect(page.get_by_text("No release has a date")).to_be_visible()
    expect(page.locator(".js-plotly-plot").filter(visible=True)).to_have_count(0)
    press(page, "button", "Repeat daily")
    painted(page)
    page.wait_for_function("location.search.includes('every=daily')")
    data = saved(page.locator(".st-key-forecast_csv").get_by_role("button"))
    assert data.read_text(encoding="utf-8").startswith("date,until,uses,epsilon")
    for name, told in (("Levers", "Of these changes"), ("Checks", "checks found nothing")):
        press(page, "tab", name)
        expect(page.get_by_text(told)).to_be_visible()
    assert not traffic.foreign and not traffic.errors


def test_dates_typed_into_the_table_move_the_picture(page):
    """A start date replaces the schedule that was assumed; undo brings that back."""
    opened(page, "/?example=lecture-11&every=monthly&tab=When&columns=dates")
    picture = painted(page).first
    expect(page.get_by_text("2026").first).to_be_visible()
    edit(page, 0, "start", "2026-05-09", SETS["dates"])
    expect(page.get_by_text("9 May 2026").first).to_be_visible()
    expect(picture).to_be_visible()
    press(page, "button", "Undo")
    expect(page.get_by_text("9 May 2026")).to_have_count(0)


def test_bars_are_seen_on_either_ground(page):
    """The bar of basic composition is dark on a light page and light on a dark one."""
    inks = {"light": "rgb(26, 26, 26)", "dark": "rgb(242, 242, 242)"}
    seen = "([...document.querySelectorAll('.js-plotly-plot .point path')].map(bar => bar.style.fill))"
    for scheme, ink in inks.items():
        page.emulate_media(color_scheme=scheme)
        opened(page, "/?example=mobility&read=proofs")
        expect(page.locator(".st-key-plan-totals_csv")).to_be_attached()
        painted(page)
        page.wait_for_function(f"ink => {seen}.includes(ink)", arg=ink)
        assert not {*inks.values()} - {ink} & {*page.evaluate(seen)}


def test_a_hand_types_both_sentences_after_each_other(page):
    """The first change of one draws the page anew, and nothing of the other may be lost by it."""
    opened(page, "/?example=statistics-office&tab=What+an+attacker+learns")
    click(page.get_by_text("What does it hide?"))
    settled(page)
    one, other = (page.get_by_label(f"World {number}", exact=True) for number in (1, 2))
    one.fill("Mia told.")
    other.click()
    page.wait_for_timeout(200)  # a hand
    page.keyboard.press("Control+a")
    page.keyboard.type("Mia did not.", delay=40)
    page.keyboard.press("Tab")
    settled(page)
    expect(one).to_have_value("Mia told.")
    expect(other).to_have_value("Mia did not.")
