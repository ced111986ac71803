"""Firefox opens every page: its content and its charts are there, and nothing goes wrong that is ours."""

import re
import time
from collections.abc import Iterator

import pytest

from dpviz.ui.shell.shell import PAGES
from tests.browser.conftest import Server
from tests.browser.firefox import Firefox, firefox
from tests.browser.waiting import PAINTED, PATIENCE

pytestmark = pytest.mark.rest
PLAN = "?example=statistics-office"
SCREENS = {"": 0, PLAN: 1, f"{PLAN}&panel=Fit+to+budget&tab=What+an+attacker+learns": 3}
# With the charts that are there at least.
SCREENS |= {entry.name: int(entry.name not in ("my_plans", "learn")) for entry in PAGES[1:]}
REST = "document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]')"
CONTENT = "document.querySelector('[data-testid=stMain] :is(h1, h2, .st-key-head)')"
WAITING = "document.querySelector('[data-testid=stSkeleton]')"
CHARTS = "document.querySelectorAll('[data-testid=stPlotlyChart]').length"
BOXES = "[...document.querySelectorAll('[data-testid=stException]')].map(each => each.innerText).join()"
LOST = "document.querySelector('[data-testid=stMain]').innerText.includes('log of this server')"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """One window of Firefox."""
    with firefox(tmp_path_factory.mktemp("firefox")) as window:
        yield window


@pytest.fixture(scope="module")
def bare(window: Firefox, bare_server: Server) -> set[str]:
    """The errors of a bare page of Streamlit."""
    return errors(window, bare_server, "", 1)


def errors(window: Firefox, server: Server, address: str, charts: int) -> set[str]:
    """Open an address, wait until it rests with its charts, and return its errors, without what differs by address."""
    window.errors.clear()
    window.open(f"{server.url}/{address}")
    window.wait(f"{CONTENT} && {REST} && !{WAITING} && {CHARTS} >= {charts} && {PAINTED}")
    found = [each for each in window.errors if "_stcore/" not in each]  # Streamlit looks for its root, as in Chromium
    return {re.sub(r"https?://[\w:.]+(/[\w.-]*)*|\d+", "…", each) for each in found}


@pytest.mark.parametrize("address", SCREENS)
def test_firefox_shows(window, server, bare, address: str):
    found = errors(window, server, address, SCREENS[address])
    assert not found - bare
    assert not window.tell(BOXES) and not window.tell(LOST)
    assert window.tell("document.querySelector('[data-testid=stMain]').innerText.length") > 200


def test_firefox_is_heard(window, server):
    """What a page says as an error, or does not catch, is among its errors."""
    window.errors.clear()
    window.open(f"{server.url}/learn")
    window.tell("console.error('first'); setTimeout(() => { throw new Error('second'); }); true")
    end = time.monotonic() + PATIENCE
    while not all(any(word in each for each in window.errors) for word in ("first", "second")):
        assert time.monotonic() < end, window.errors
        window.tell("new Promise(requestAnimationFrame).then(() => true)")
