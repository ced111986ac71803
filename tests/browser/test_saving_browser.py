"""A plan saved in one browser is opened in another after a crash; then the first one saves over what is there."""

import contextlib
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.plan.files import permalink
from dpviz.store import Database
from tests.browser.conftest import Server, Traffic, start, stop
from tests.browser.test_replicas import balance, haproxy_path
from tests.browser.waiting import PATIENCE, WATCH, rest
from tests.browser.workbench import holds, opened, settled
from tests.store.conftest import postgres, postgres_server

__all__ = ["haproxy_path", "postgres", "postgres_server"]
TITLE = "Visits <img src=x onerror=\"document.title='owned'\">"
MINE = Document(Plan([Release("Trips", Laplace.from_epsilon(0.25), 3)], Guarantee(2.0, 1e-7), "household"), TITLE)


@pytest.fixture
def visit(browser: Browser, traffic: Traffic) -> Iterator[Callable[[str], Page]]:
    """Open an empty page of a new visitor at a server."""
    contexts = []

    def new(url: str) -> Page:
        context = browser.new_context(base_url=url, locale="en-US", viewport={"width": 1400, "height": 900})
        context.add_init_script(WATCH)
        context.set_default_timeout(PATIENCE * 1000)
        expect.set_options(timeout=PATIENCE * 1000)
        traffic.watch(context)
        contexts.append(context)
        return context.new_page()

    yield new
    for context in contexts:
        context.close()


def save(page: Page) -> None:
    settled(page).get_by_role("button", name="Save", exact=True).click()


def standing(page: Page, words: str) -> None:
    """Wait until these words stand beside the plan's name."""
    expect(page.locator(".st-key-head_row").get_by_text(words, exact=True)).to_be_visible()
    rest(page)


def limit(page: Page, epsilon: str) -> None:
    """Type ε of the budget, and wait until the address has it."""
    box = settled(page).get_by_role("textbox", name="Budget ε")
    box.fill(epsilon)
    box.press("Enter")
    holds(page, lambda document: document.plan.budget.epsilon == float(epsilon))


def perform(visit: Callable[[str], Page], url: str, crash: Callable[[Page], None], database: Database) -> None:
    """Save, crash, open elsewhere, type and save there, and save over it in the first browser."""
    first = opened(visit(url), f"/?plan={permalink.token(MINE)}")
    standing(first, "Not saved")
    save(first)
    standing(first, "Saved, version 1")
    crash(first)
    second = visit(url)
    second.goto("/my_plans")
    rest(second)  # a link that is drawn anew hears no click
    second.get_by_role("link", name=TITLE).click()
    standing(settled(second), "Saved, version 1")
    limit(second, "3")
    standing(second, "Version 1, changed since")
    [draft] = database.plans().drafts()
    assert database.plans().draft(draft).plan.budget.epsilon == 3
    save(second)
    standing(second, "Saved, version 2")
    limit(first, "5")
    save(first)
    expect(first.get_by_text(re.compile("Not saved: you saved version 2 meanwhile"))).to_be_visible()
    expect(first.get_by_role("radio", name="A against B", exact=True)).to_be_checked()
    both = holds(first, lambda document: document.baseline is not None)
    assert (both.plan.budget.epsilon, both.baseline.budget.epsilon, both.name) == (5, 3, TITLE)
    assert [each.number for each in database.plans().versions(draft)] == [1, 2]
    settled(first).get_by_role("button", name="Save mine as version 3").click()
    standing(first, "Saved, version 3")
    kept = [database.plans().open(each.name) for each in database.plans().versions(draft)]
    assert [each.plan.budget.epsilon for each in kept] == [2, 3, 5] and {each.name for each in kept} == {TITLE}
    assert kept[0] == replace(MINE, opened=MINE.plan) and "owned" not in (first.title(), second.title())


def test_saved_in_one_browser_opened_in_another(visit, tmp_path: Path, traffic: Traffic):
    """In a file: kill -9 of the one server between saving and opening."""
    location, servers = str(tmp_path / "plans.db"), []

    def run(port: int | None = None) -> Server:
        servers.append(start(tmp_path / f"log-{len(servers)}.txt", port=port, DPVIZ_DATABASE=location))
        return servers[-1]

    def crash(page: Page) -> None:
        servers[-1].process.kill()
        servers[-1].process.wait()
        run(urlsplit(servers[-1].url).port)

    try:
        with closing(Database(location)) as database:
            perform(visit, run().url, crash, database)
    finally:
        for each in servers:
            stop(each.process)
    assert not traffic.foreign


@pytest.mark.rest
def test_behind_two_replicas(visit, haproxy_path: str, postgres: str, tmp_path: Path, traffic: Traffic):
    """In PostgreSQL: the process that the plan was saved at is killed, and the other one goes on alone."""
    settings = {"DPVIZ_DATABASE": postgres, "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex()}
    with contextlib.ExitStack() as ends:
        processes = {}
        for name in ("first", "second"):
            processes[name] = start(tmp_path / f"{name}.txt", DPVIZ_STORE="on", **settings)
            ends.callback(stop, processes[name].process)
        running = balance(haproxy_path, processes, tmp_path / "haproxy.txt")
        ends.callback(stop, running.process)

        def crash(page: Page) -> None:
            lost = running.processes[running.of(page)].process
            lost.kill()
            lost.wait()

        perform(visit, running.url, crash, ends.enter_context(closing(Database(postgres))))
        assert "saved=" not in running.log.read_text()
    assert not traffic.foreign


@pytest.mark.rest
def test_whoever_comes_through_a_proxy_is_offered_no_saving(visit, haproxy_path: str, tmp_path: Path):
    """Unless whoever runs it says so: without a login, nobody could tell whose plan is whose."""
    with contextlib.ExitStack() as ends:
        location = tmp_path / "plans.db"
        process = start(tmp_path / "log.txt", DPVIZ_DATABASE=str(location))
        ends.callback(stop, process.process)
        running = balance(haproxy_path, {"first": process, "second": process}, tmp_path / "haproxy.txt")
        ends.callback(stop, running.process)
        page = opened(visit(running.url), f"/?plan={permalink.token(MINE)}")
        standing(page, "Not saved")
        expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)
        page.goto("/my_plans")
        expect(page.get_by_text("others reach this server, and it has no login")).to_be_visible()
        straight = opened(visit(process.url), f"/?plan={permalink.token(MINE)}")
        expect(straight.get_by_role("button", name="Save", exact=True)).to_be_enabled()
        assert not location.exists()
