"""Two processes of the dashboard behind HAProxy, configured by ``deploy/``: nobody notices, not even of a crash."""

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from dpviz import Guarantee, Laplace, Plan, Release, compose
from dpviz.ui.shell.shell import PAGES
from tests.browser.conftest import Server, free_port, is_up, start, stop
from tests.browser.waiting import PATIENCE, rest, saved
from tests.browser.workbench import TABLE_KEY, edit, in_address, settled, upload
from tests.chromium import lacking

pytestmark = pytest.mark.rest

CONFIGURATION = Path(__file__).resolve().parents[2] / "deploy" / "haproxy.cfg"
NO_HAPROXY = "no HAProxy found: install it (Debian: apt-get install haproxy)"
DOWNLOADS = ("Statement as JSON", "Statement with theorems", "Python, dpviz")
VISITORS = 4


@dataclass(frozen=True)
class Replicas(Server):
    """Processes behind HAProxy, by the names that it has for them; address, process and log are HAProxy's own."""

    processes: dict[str, Server]

    def of(self, page: Page) -> str:
        """Which process a visitor is at, as HAProxy's log tells of a request with the visitor's cookies."""
        mark = f"/{secrets.token_hex(8)}"
        page.request.get(f"{self.url}{mark}")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := re.search(rf" (\w+) GET {mark} ", self.log.read_text()):
                return found[1]
            time.sleep(0.05)
        raise AssertionError(f"HAProxy's log has no {mark}:\n{self.log.read_text()[-3000:]}")


@pytest.fixture(scope="module")
def haproxy_path() -> str:
    """HAProxy of this machine; without one, these tests skip, but fail where CI=true."""
    if path := shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"):
        return path
    lacking(NO_HAPROXY)


@pytest.fixture(scope="module")
def server(haproxy_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    """Two processes with one cookie secret, and HAProxy in front of them: all pages of these tests go through it.

    The last test kills one of them.
    """
    folder = tmp_path_factory.mktemp("replicas")
    with contextlib.ExitStack() as ends:
        processes, secret = {}, secrets.token_hex()
        for name in ("first", "second"):
            processes[name] = start(folder / f"{name}.txt", STREAMLIT_SERVER_COOKIE_SECRET=secret)
            ends.callback(stop, processes[name].process)
        running = balance(haproxy_path, processes, folder / "haproxy.txt")
        ends.callback(stop, running.process)
        yield running


def balance(haproxy: str, processes: dict[str, Server], log: Path) -> Replicas:
    """Start HAProxy and wait until it finds a process in good health."""
    listen = f"localhost:{free_port()}"
    environment = {f"DPVIZ_{name.upper()}": urlsplit(each.url).netloc for name, each in processes.items()}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [haproxy, "-db", "-f", CONFIGURATION],
            env={"DPVIZ_LISTEN": listen, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    if not is_up(process, f"http://{listen}"):
        stop(process)
        pytest.fail(f"HAProxy did not start; its log:\n{log.read_text()[-3000:]}", pytrace=False)
    return Replicas(f"http://{listen}", process, log, processes)


def own(number: int) -> Plan:
    """A plan that tells one visitor from all others."""
    releases = [Release(f"Trips {number}", Laplace.from_epsilon(0.25), number + 1)]
    return Plan(releases, Guarantee(10.0, 1e-7), f"household {number}")


def arrived(server: Replicas, open_page: Callable[..., Page]) -> list[Page]:
    """Open a page for each visitor, at both processes, each with a plan of their own, which they have uploaded."""
    pages = [open_page(1400, 900) for _ in range(VISITORS)]
    for number, page in enumerate(pages):
        page.goto("/")
        expect(page.get_by_text("Open a file").first).to_be_visible()
        rest(page)
        upload(page, own(number))
        in_address(page, own(number))
    assert {server.of(page) for page in pages} == set(server.processes)
    return pages


def downloaded(page: Page, names: Sequence[str]) -> list[bytes]:
    """The files that the panel "Share" hands out."""
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("textbox", name="Link to this screen")).to_have_value(re.compile("plan="))
    files = [saved(page.get_by_role("button", name=name, exact=True)).read_bytes() for name in names]
    # From within: a panel that stays open takes the next click for itself.
    page.get_by_role("textbox", name="Link to this screen").press("Escape")
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)
    return files


def test_every_page_comes_through(server, page, traffic):
    """All pages by their addresses, from one process; what it tells its host of sessions, visitors do not get.

    Every page has the plan at hand to be handed over. The first request of the process is a deep link.
    """
    page.goto("/privacy_loss?eps1=0.5&times=20&deltak=0")
    expect(page.locator("[data-testid=stMetricValue]").nth(1)).to_have_text("10")
    for entry in PAGES:
        page.goto(f"/{'' if entry is PAGES[0] else entry.name}?example=mobility")
        expect(page.locator("[class*=st-key-place_][class*=_here]")).to_be_visible()
        expect(page.get_by_role("button", name="Share")).to_be_visible()
        rest(page)
        expect(page.get_by_text("knows it as")).to_have_count(0)
    assert len({cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "dpviz_process"}) == 1
    assert not traffic.foreign and not traffic.errors
    assert page.request.get(f"{server.url}/_stcore/metrics").status == 403


def handed(number: int, page: Page) -> None:
    """What a visitor takes away is made of the visitor's own plan."""
    report, html, program = downloaded(page, DOWNLOADS)
    total = compose(own(number), own(number).budget.delta).epsilon
    assert json.loads(report)["total"]["epsilon"] == pytest.approx(total, rel=2e-6)
    assert f"household {number}".encode() in html and f"Trips {number}".encode() in program


def test_nobody_notices_not_even_a_crash(server, open_page, traffic):
    """Every visitor's file arrives, every download is made, no log keeps a plan; a killed process costs nobody one.

    Every open session goes on with its own plan on the other process: the address carries it.
    """
    visitors = arrived(server, open_page)
    for number, page in enumerate(visitors):
        handed(number, page)
    assert not traffic.foreign and not traffic.errors
    log = server.log.read_text()
    assert "/_stcore/upload_file/" in log and "plan=" not in log and "=" not in log
    for number, page in enumerate(visitors):  # the table is typed into in a page where no panel was opened before
        page.reload()
        in_address(page, own(number))
    at = [server.of(page) for page in visitors]
    lost = at[0]
    tables = [page.evaluate(TABLE_KEY) for page in visitors]
    server.processes[lost].process.kill()
    server.processes[lost].process.wait()
    for number, (page, process, table) in enumerate(zip(visitors, at, tables, strict=True)):
        if process == lost:  # the connection returns by itself, and the new session draws a table of its own
            page.wait_for_function(f"{TABLE_KEY} && {TABLE_KEY} != '{table}'")
        in_address(settled(page), own(number))
        [release] = own(number).releases
        edit(page, 0, "count", "9")
        in_address(page, replace(own(number), releases=(replace(release, count=9),)))
        assert server.of(page) != lost
    [report] = downloaded(visitors[0], DOWNLOADS[:1])
    assert json.loads(report)["plan"]["releases"][0]["count"] == 9
