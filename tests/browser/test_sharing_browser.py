"""Handing a plan over, in a real browser: links, reports, code, and names that try to be more than names."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from dpviz import Guarantee, Laplace, Plan, RandomizedResponse, Release, compose
from dpviz.plan import Disclosure, Document
from dpviz.plan.disclosure import DISCLOSED
from dpviz.plan.files import permalink
from dpviz.report import Subject, html
from dpviz.report.facts import digest
from dpviz.rounding import shown_up
from dpviz.ui.shell import examples
from dpviz.ui.shell.arrival import GONE
from dpviz.ui.shell.disclosing import ASKED, LABEL
from dpviz.ui.shell.sharing import PLAIN
from tests.browser.waiting import rest, saved
from tests.browser.workbench import in_address, opened

HOSTILE = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "[x](javascript:document.title='owned')",
    '"><svg onload="document.title=\'owned\'">',
    "$\\href{javascript:alert(1)}{x}$",
]
MINE = Plan(
    [Release("Trips & stays", Laplace.from_epsilon(0.25), 3), Release("Größe", Laplace.from_epsilon(0.5))],
    Guarantee(1.5, 1e-7),
    "household",
    "add_remove",
    5000,
)


FIELDS = [each.name for each in DISCLOSED]


def sheets(page: Page) -> int:
    """On how many sheets of paper it prints."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def shared(page: Page) -> str:
    """The link that the panel shows."""
    page.get_by_role("button", name="Share").click()
    field = page.get_by_role("textbox", name="Link to this screen")
    expect(field).to_have_value(re.compile("plan="))
    return field.input_value()


def test_a_link_restores_the_screen_in_a_fresh_browser(page, open_page, server):
    """Plan, budget and picture come back for somebody else."""
    opened(page, f"/?plan={permalink.token(MINE)}&tab=How+accurate")
    budget = page.get_by_role("textbox", name="Budget ε")
    budget.fill("2.25")
    budget.press("Enter")
    changed = replace(MINE, budget=Guarantee(2.25, 1e-7))
    in_address(page, changed)
    link = shared(page)
    assert link.startswith(server.url)
    other = opened(open_page(1400, 900), link)
    in_address(other, changed)
    expect(other.get_by_role("tab", name="How accurate")).to_have_attribute("aria-selected", "true")
    expect(other.get_by_role("textbox", name="Budget ε")).to_have_value("2.25")
    expect(other.get_by_role("textbox", name="Unit of privacy")).to_have_value("household")
    expect(other.locator("#glide-cell-0-0")).to_have_text("Trips & stays")


def test_an_edited_plan_stays_in_the_address_it_came_by(page):
    """Whoever reloads finds the last state, not the one of the mail."""
    opened(page, f"/?plan={permalink.token(MINE)}")
    page.get_by_role("textbox", name="Unit of privacy").fill("flat")
    page.keyboard.press("Enter")
    in_address(page, replace(MINE, unit="flat"))
    page.reload()
    in_address(page, replace(MINE, unit="flat"))


@pytest.mark.parametrize(
    ("token", "said"),
    [("1.AAAA", "damaged"), ("9.AAAA", "newer dpviz"), ("1." + "A" * 7600, "too long"), ("<script>", "damaged")],
)
def test_a_link_that_cannot_be_opened(page, token, said):
    """Why, and no number of another plan."""
    page.goto(f"/?plan={token}")
    expect(page.get_by_text(GONE)).to_be_visible()
    expect(page.get_by_text(said)).to_be_visible()
    rest(page)
    expect(page.locator(".st-key-head")).to_have_count(0)


def test_for_people_the_statement_prints_on_one_sheet(open_page):
    """Of a whole year, too, in letters that are read without glasses; smaller ones are for more that is said."""
    offline, year = open_page(900, 1200, offline=True), examples.plan_of("statistics-office")
    offline.emulate_media(media="print")
    dashboard = examples.plan_of("weekly-dashboard")
    fewer = {"baseline": replace(dashboard, releases=dashboard.releases[1:])}
    stated = replace(dashboard, disclosure=Disclosure.of(dict.fromkeys(FIELDS[:6], "The office for statistics.")))
    asked = (*dashboard.releases, Release("Is content with the costumes", RandomizedResponse(0.4), kind="survey"))
    by = {"name": "Year 2026", "author": "M. Muster", "address": "http://127.0.0.1:8501/?plan=" + 300 * "x"}
    for plan, said, size in [
        (dashboard, {}, 12), (dashboard, fewer, 11), (year, {}, 10), (year, by, 10),
        (replace(dashboard, releases=asked), {}, 12),
        (replace(year, releases=year.releases[:3] * 4), {}, 9),
        (stated, fewer | by, 9.5), (year, {"baseline": replace(year, releases=year.releases[1:])} | by, 9),
    ]:  # fmt: skip
        offline.set_content(html(Subject(plan, people=True, **said)))
        assert sheets(offline) == 1
        assert offline.evaluate("parseFloat(getComputedStyle(document.querySelector('p')).fontSize)") >= size


def test_report_and_code_open_elsewhere(page, open_page, root, server):
    """The report opens offline with the same numbers and prints on two sheets; the program computes them again."""
    opened(page, "/?example=weekly-dashboard")
    shared(page)
    report = saved(page.get_by_role("button", name="Statement with theorems", exact=True))
    facts = saved(page.get_by_role("button", name="Statement as JSON", exact=True))
    told = json.loads(facts.read_text(encoding="utf-8"))
    in_words = saved(page.get_by_role("button", name=PLAIN, exact=True)).read_text(encoding="utf-8")
    assert "Open this plan" not in in_words and "read=" not in told["address"]
    program = saved(page.get_by_role("button", name="Python, dpviz", exact=True))
    plan = examples.plan_of("weekly-dashboard")
    total = compose(plan, plan.budget.delta).epsilon
    assert told["total"]["epsilon"] == pytest.approx(total, rel=2e-6)
    named = Document(plan, "weekly-dashboard")
    assert told["address"] == f"{server.url}?plan={permalink.token(named)}"
    offline = open_page(900, 1200, offline=True)
    offline.goto(report.as_uri())
    expect(offline.get_by_text(shown_up(told["total"]["epsilon"])).first).to_be_visible()
    expect(offline.locator("svg[role=img]")).to_have_count(2)
    assert sheets(offline) <= 2
    command = [sys.executable, program]
    run = subprocess.run(command, cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout.split()[-3]) == pytest.approx(total, rel=2e-6)


def test_one_answer_after_the_other_is_kept(page):
    """Under the line that counts what is left: nobody who goes on typing loses a letter."""
    opened(page, f"/?plan={permalink.token(MINE)}")
    shared(page)
    page.get_by_text(ASKED.format("One page in plain words"), exact=True).click()
    rest(page)
    page.get_by_role("textbox", name="Are exact numbers published, too?").fill("No.")
    page.get_by_role("textbox", name="How are the random numbers of the noise kept secret?").click()
    for letter in "By the system.":
        page.keyboard.press(letter)
        page.wait_for_timeout(40)
    page.keyboard.press("Tab")
    in_address(page, replace(MINE, disclosure=Disclosure(unprotected="No.", side_channels="By the system.")))


@pytest.mark.rest
def test_undo_takes_back_what_was_stated_in_a_panel_that_is_closed(page):
    """One text after the other: boxes that are folded away do not say again what they held."""
    opened(page, f"/?plan={permalink.token(MINE)}")
    shared(page)
    page.get_by_text(LABEL, exact=True).click()
    rest(page)
    for name in ("Who answers for it", "What it is for", "Region"):
        page.get_by_role("textbox", name=name).fill(f"Text of {name}")
        page.get_by_role("textbox", name=name).press("Tab")
        rest(page)
    in_address(page, replace(MINE, disclosure=Disclosure(**{
        "owner": "Text of Who answers for it", "intended_use": "Text of What it is for", "region": "Text of Region"
    })))  # fmt: skip
    page.keyboard.press("Escape")
    for _ in range(3):
        page.get_by_role("button", name="Undo", exact=True).click()
        rest(page)
    in_address(page, MINE)


def test_a_statement_leads_to_its_plan_alone(page):
    """Its name does, neither plan A nor what its author looks at, on any page; the copied link holds A, and says so."""
    held = Document(MINE, "Mine", baseline=replace(MINE, unit="draft"), baseline_name="Draft")
    page.goto(f"/composition?plan={permalink.token(held)}&read=proofs")
    rest(page)
    link = shared(page)
    expect(page.get_by_text("Plan A is in this link, too")).to_be_visible()
    assert permalink.document(parse_qs(urlsplit(link).query)["plan"][0]).baseline.unit == "draft"
    facts = saved(page.get_by_role("button", name="Statement as JSON", exact=True))
    told = json.loads(facts.read_text(encoding="utf-8"))
    address = urlsplit(told["address"])
    asked = parse_qs(address.query)
    assert address.path == "/" and asked.keys() == {"plan"}
    found = permalink.document(asked["plan"][0])
    assert found == Document(MINE, "Mine") and digest(found.plan) == told["digest"]


@pytest.mark.parametrize(
    "route",
    [
        "?read=proofs",
        "?panel=Fit+to+budget&tab=How+accurate",
        "?panel=One+release%2C+every+field&tab=When&every=monthly",
        "?panel=A+against+B&tab=What+an+attacker+learns",
        "composition?",
        "adversary?",
    ],
)
def test_names_stay_names(page, traffic, route):
    """Markup in names, parts and units is shown letter by letter: nothing runs, nothing is fetched, no link appears."""
    rows = [Release(text, Laplace.from_epsilon(0.1, 1.0), part=HOSTILE[0]) for text in HOSTILE]
    plan = Plan(rows, Guarantee(1.0, 1e-6), HOSTILE[1])
    document = Document(plan, HOSTILE[0], baseline=plan.repeated(2), baseline_name=HOSTILE[1])
    page.goto(f"/{route}&plan={permalink.token(document)}")
    expect(page.locator(".js-plotly-plot .main-svg").filter(visible=True).first).to_be_visible()
    rest(page)
    assert "owned" not in page.title()
    assert page.locator("a[href^='javascript:']").count() == 0
    assert page.locator("[data-testid=stMain] img[src='x']").count() == 0
    # The page has scripts of its own; none is a name.
    assert not [text for text in page.locator("script").all_text_contents() if "owned" in text]
    assert not traffic.foreign
    assert not [url for url in traffic.requests if url.endswith("/x")]


def test_names_stay_names_in_the_report(page, open_page):
    """Neither does the report run them."""
    plan = Plan([Release(text, Laplace.from_epsilon(0.1)) for text in HOSTILE], Guarantee(1.0, 1e-6), HOSTILE[0])
    opened(page, f"/?plan={permalink.token(plan)}")
    shared(page)
    offline = open_page(900, 1200, offline=True)
    offline.goto(saved(page.get_by_role("button", name="Statement with theorems", exact=True)).as_uri())
    expect(offline.get_by_text(HOSTILE[1]).first).to_be_visible()
    assert "owned" not in offline.title().replace(HOSTILE[0], "")
    assert offline.locator("img, body script").count() == 0
