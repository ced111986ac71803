"""A fresh Streamlit server and a real Chromium.

A browser test asks for ``page`` (1400x900) or ``phone`` (390x844), opens ``page.goto("/composition")``, and asserts on
``traffic`` that nothing left the machine and nothing went wrong. ``colour_scheme`` can be parametrised::

    @pytest.mark.parametrize("colour_scheme", ["light", "dark"])
    def test_home(page, traffic):
        page.goto("/")
        ...
        assert not traffic.foreign
        assert not traffic.errors
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    WebError,
    WebSocket,
    expect,
)

from tests.browser.waiting import PATIENCE, SIGHT, WATCH

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
APP, BARE = ROOT / "app.py", HERE / "bare.py"
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


def pytest_collection_modifyitems(items):
    """Mark everything in this folder as a browser test."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the servers of a failed test said last."""
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    for each in getattr(item, "funcargs", {}).values() if report.failed else ():
        if isinstance(each, Server):
            report.sections.append((f"{each.url} said", each.log.read_text(errors="replace")[-5000:]))
    return report


@dataclass(frozen=True)
class Server:
    """A running dashboard: its address, its process and the file that it logs to."""

    url: str
    process: subprocess.Popen
    log: Path


@dataclass
class Traffic:
    """What the pages of one test asked for, and what went wrong in them."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def foreign(self) -> list[str]:
        """The requests that would have left the machine."""
        return [url for url in self.requests if not is_local(url)]

    def watch(self, context: BrowserContext) -> None:
        """Record the requests, websockets and errors of all pages of a browser context."""
        for name, heard in self._ears().items():
            context.on(name, heard)
        for page in context.pages:
            page.on("websocket", self._joined)

    def leave(self, context: BrowserContext) -> None:
        """Record nothing of it any more."""
        for name, heard in self._ears().items():
            context.remove_listener(name, heard)
        for page in context.pages:
            page.remove_listener("websocket", self._joined)

    def _ears(self) -> dict[str, Callable]:
        return {"request": self._asked, "page": self._opened, "weberror": self._missed, "console": self._hear}

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)

    def _opened(self, page: Page) -> None:
        page.on("websocket", self._joined)

    def _joined(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)

    def _missed(self, error: WebError) -> None:
        self.errors.append(str(error.error))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not is_probe(message.location.get("url", "")):
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")


class Tabs:
    """The tabs of one browser, which the next test takes over: where Streamlit was read once, it loads in a third.

    Each page that a test opens is loaded anew, by a visitor whom neither browser nor server knows: a tab comes back
    without cookies, storage, permissions, history and other tabs, or is closed.

    Parameters
    ----------
    browser : Browser
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.free: dict[str, list[Page]] = {}

    def take(self, permissions: Sequence[str] = (), **options) -> tuple[Page, str]:
        """Return an empty tab whose context has these options, and the key by which it is given back."""
        key = repr(sorted(options.items()))
        page = self.free[key].pop() if self.free.get(key) else self._new(options)
        page.context.grant_permissions(list(permissions))
        return page, key

    def give_back(self, page: Page, key: str, whole: bool) -> None:
        """Keep a tab for the next test, or close it where it may not be as it was."""
        with contextlib.suppress(Error):
            if whole and "'offline'" not in key and page.context.pages == [page]:
                self._empty(page)
                self.free.setdefault(key, []).append(page)
                return
        page.context.close()

    def _new(self, options: dict[str, object]) -> Page:
        context = self.browser.new_context(**({"locale": "en-US"} | options))
        context.add_init_script(WATCH)
        context.set_default_timeout(PATIENCE * 1000)
        expect.set_options(timeout=PATIENCE * 1000)
        return context.new_page()

    def _empty(self, page: Page) -> None:
        """Leave the app for a line of text of the same process, as whoever has never been there."""
        page.evaluate(FORGET)
        page.goto("/_stcore/health", timeout=SIGHT * 1000)
        page.evaluate(FORGET)
        page.mouse.move(0, 0)
        page.context.clear_cookies()
        page.context.clear_permissions()
        tab = page.context.new_cdp_session(page)
        tab.send("Page.resetNavigationHistory")
        tab.detach()


def is_local(url: str) -> bool:
    """Whether a request stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about", "file") or parts.hostname in ("localhost", "127.0.0.1", "::1")


def is_probe(url: str) -> bool:
    """Whether a failed request is Streamlit looking for its own root from a deep link, which is harmless."""
    path = urlsplit(url).path
    return "/_stcore/" in path and not path.startswith("/_stcore/")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that the browser tests share."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@pytest.fixture(scope="session")
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of `bare.py`, without our settings and our theme: what is wrong there is not ours."""
    with serving(tmp_path_factory.mktemp("bare") / "log.txt", BARE) as running:
        yield running


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has visited yet."""
    with serving(tmp_path / "server-log.txt") as running:
        yield running


@pytest.fixture
def restart(tmp_path: Path) -> Iterator[Callable[[Server], Server]]:
    """Kill a server at once, as a crash would, and start another at the same address."""
    started = []

    def again(server: Server) -> Server:
        server.process.kill()
        server.process.wait()
        started.append(start(tmp_path / f"restarted-{len(started)}.txt", port=urlsplit(server.url).port))
        return started[-1]

    yield again
    for server in started:
        stop(server.process)


@pytest.fixture
def colour_scheme() -> str:
    """What the visitor's system asks for, "light" or "dark"; to be parametrised."""
    return "light"


@pytest.fixture
def traffic() -> Traffic:
    """What the pages of this test requested, and their errors."""
    return Traffic()


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Tabs:
    """The tabs that the browser tests share."""
    return Tabs(browser)


@pytest.fixture
def open_page(
    tabs: Tabs, server: Server, traffic: Traffic, colour_scheme: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Open pages, each of a new visitor: ``open_page(width, height, **options of the browser context)``."""
    opened = []

    def new(width: int, height: int, *, reduced_motion: str = "reduce", **options) -> Page:
        page, key = tabs.take(base_url=server.url, **options)
        opened.append((page, key))
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=colour_scheme, reduced_motion=reduced_motion)
        traffic.watch(page.context)
        return page

    yield new
    for page, key in opened:
        traffic.leave(page.context)
        tabs.give_back(page, key, whole=not getattr(request.node, "failed", False))


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A desktop window of 1400x900."""
    return open_page(1400, 900)


@pytest.fixture
def phone(open_page: Callable[..., Page]) -> Page:
    """A phone, 390x844, with touch."""
    return open_page(390, 844, is_mobile=True, has_touch=True, device_scale_factor=2)


@contextlib.contextmanager
def serving(log: Path, app: Path = APP) -> Iterator[Server]:
    """Run ``streamlit run app.py``, or another app, on a free local port until the block ends."""
    running = start(log, app=app)
    try:
        yield running
    finally:
        stop(running.process)


def start(log: Path, attempts: int = 3, port: int | None = None, app: Path = APP, **settings: str) -> Server:
    """Start a server and wait for its health; once more if another process took the port in between.

    Another app than ours runs beside its log, where no settings are.
    """
    port = port or free_port()
    url = f"http://localhost:{port}"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless", "true"]
    command += ["--server.address", "localhost", "--server.port", str(port), "--server.fileWatcherType", "none"]
    # Settings of the developer's own shell must not change what is tested; those of the test do.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")} | settings
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT if app == APP else log.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    if is_up(process, url):
        return Server(url, process, log)
    stop(process)
    text = log.read_text(errors="replace")
    if attempts > 1 and "in use" in text:
        return start(log, attempts - 1, app=app, **settings)
    pytest.fail(f"the server did not start; its log:\n{text[-3000:]}", pytrace=False)


def is_up(process: subprocess.Popen, url: str) -> bool:
    """Wait until the server says that it is healthy; false if it ends or takes too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=PATIENCE) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


def stop(process: subprocess.Popen) -> None:
    """End the process, politely first."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port of this machine that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]
