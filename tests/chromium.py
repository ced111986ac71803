"""The Chromium of this machine, which browser tests and the test of the built documentation share."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, sync_playwright

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
NO_BROWSER = (
    "no Chromium found: install one (Debian: apt-get install chromium), or name it with CHROMIUM=/path/to/chromium"
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # What a tab has read of Streamlit stays read for its next load.
    "--js-flags=--no-flush-bytecode",
    # What is not on this machine cannot be reached, so that a test never depends on the network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Run one Chromium until the block ends; without one, tests skip, but fail where CI=true."""
    named = filter(None, (os.environ.get("CHROMIUM"), *BROWSERS, MAC))
    path = next(filter(None, map(shutil.which, named)), None) or lacking(NO_BROWSER)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()


def lacking(reason: str) -> NoReturn:
    """Skip a test for what is not on this machine; fail where CI=true."""
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
