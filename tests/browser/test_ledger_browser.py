"""The story of a ledger in a real browser: a draft, in force, three spends, one request refused, the next period."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan.files import permalink
from dpviz.store import Database, verify
from tests.browser.conftest import Traffic, start, stop
from tests.browser.waiting import PATIENCE, WATCH, finished, rest, saved

AGE = Release("Mean age", Laplace.from_epsilon(0.3), 2, start="2026-01-31")
PLAN = Plan([AGE, Release("Visits", Laplace.from_epsilon(0.1))], Guarantee(1.0, 1e-6), "person")


@pytest.fixture
def desk(browser: Browser, traffic: Traffic, tmp_path: Path) -> Iterator[Page]:
    """A visitor of a server that keeps plans in a file of this test."""
    server = start(tmp_path / "log.txt", DPVIZ_DATABASE=str(tmp_path / "plans.db"))
    context = browser.new_context(base_url=server.url, locale="en-US", viewport={"width": 1400, "height": 900})
    context.add_init_script(WATCH)
    context.set_default_timeout(PATIENCE * 1000)
    expect.set_options(timeout=PATIENCE * 1000)
    traffic.watch(context)
    yield context.new_page()
    context.close()
    stop(server.process)


def chosen(page: Page, deed: str) -> None:
    """Choose what is to be done."""
    rest(page)
    page.get_by_role("radio", name=deed, exact=True).locator("xpath=(ancestor::label|.)[1]").click()
    rest(page)


def pressed(page: Page, button: str, said: str, **typed: str) -> None:
    """Fill boxes of the form, press its button, and read what came of it."""
    for name, text in typed.items():
        page.locator(f".st-key-ledger_{name} input").fill(text)
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_test_id("stAlert").get_by_text(said)).to_be_visible()
    rest(page)


def test_a_ledger_from_a_draft_to_the_next_period(desk: Page, traffic: Traffic, tmp_path: Path):
    """The example first; then a project of one's own, whose file is proved without this server."""
    desk.goto(f"/ledger?plan={permalink.token(PLAN)}")
    expect(finished(desk).get_by_text("An example").first).to_be_visible()
    pressed(desk, "Begin a ledger of my own", "Your ledger is begun", name="Census")
    pressed(desk, "Open the budget", "budget opened", data="census", epoch="2026", total="1")
    chosen(desk, "Take a plan into force")
    pressed(desk, "Take it into force", "taken into force", reference="plan 2026")
    expect(desk.get_by_text("What counts is the planned composition")).to_be_visible()
    chosen(desk, "Run a line")
    for number, line in enumerate(("Mean age", "Mean age", "Visits"), start=1):
        desk.locator(".st-key-ledger_line").get_by_role("combobox").click()
        desk.get_by_role("option", name=line).click()
        pressed(desk, "Note that it runs", f"“run {number}”", reference=f"run {number}")
    chosen(desk, "Ask for more")
    pressed(desk, "Ask", "Refused, and nothing was charged", epsilon="0.4", reference="council")
    expect(desk.get_by_test_id("stAlert")).to_contain_text("would exceed ε = 1")
    chosen(desk, "Next period")
    pressed(desk, "Begin it", "budget opened")
    expect(desk.get_by_text("Nothing is ever reset:")).to_be_visible()
    text = saved(desk.get_by_role("button", name="Ledger as JSON")).read_text(encoding="utf-8")
    kinds = [each["kind"] for each in json.loads(text)["entries"]]
    assert verify(text).holds and kinds == ["budget", "reserve", "line", "line", "line", "budget"]
    database = Database(str(tmp_path / "plans.db"))
    first, second = database.ledger("Census").standings()
    assert (first.budget.key.epoch, second.budget.key.epoch) == ("2026", "2027")
    assert 690_000 < first.total.epsilon <= 700_000  # composed at the plan's δ
    assert second.lifetime_epsilon == first.total.epsilon / 1e6 and second.epsilon == 0
    database.close()
    desk.reload()
    expect(finished(desk).get_by_text("is spent").first).to_be_visible()
    desk.get_by_role("link", name="Plan", exact=True).click()
    expect(finished(desk).get_by_text("Saved, version 1, in force in Census")).to_be_visible()
    expect(desk.get_by_text("Spent so far by its ledger")).to_be_visible()
    assert not traffic.foreign and not traffic.errors
