"""Firefox, spoken to in WebDriver BiDi: pages opened, scripts asked, errors heard."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

from tests.browser.conftest import free_port, stop
from tests.browser.waiting import PATIENCE
from tests.chromium import lacking

NAMES = ("firefox-esr", "firefox")
NO_FIREFOX = "no Firefox found: install one (Debian: apt-get install firefox-esr)"
# Like the Chromium of the other tests, it reaches this machine alone, and starts without questions.
PREFERENCES = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "intl.accept_languages": "en-US",
    "ui.prefersReducedMotion": 1,
}


class Firefox:
    """A window of Firefox.

    Parameters
    ----------
    connection : ClientConnection
        To its BiDi session.

    Attributes
    ----------
    errors : list of str
        What pages said on the console as errors, or did not catch, since it was emptied.
    """

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._asked, self.errors = connection, 0, []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self._window = self.ask("browsingContext.create", type="tab")["context"]
        self.ask("browsingContext.setViewport", context=self._window, viewport={"width": 1400, "height": 900})

    def ask(self, method: str, **parameters: object) -> dict:
        """Send a command, and return its result; errors of pages that are told in between are kept."""
        self._asked += 1
        self._connection.send(json.dumps({"id": self._asked, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._connection.recv(PATIENCE))
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                frames = (told["params"].get("stackTrace") or {}).get("callFrames") or [{"url": ""}]
                self.errors.append(f"{told['params']['text']} ({frames[0]['url']})")
            elif told.get("id") == self._asked:
                assert told["type"] == "success", told
                return told["result"]

    def open(self, address: str) -> None:
        """Open an address, and wait until it is loaded; what Streamlit draws comes after that."""
        self.ask("browsingContext.navigate", context=self._window, url=address, wait="complete")

    def tell(self, script: str) -> object:
        """Return the value of an expression in the page: a number, a text or a truth value."""
        target = {"context": self._window}
        told = self.ask("script.evaluate", expression=script, target=target, awaitPromise=True)
        assert told["type"] == "success", told
        return told["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until an expression in the page is true."""
        end = time.monotonic() + PATIENCE
        while not self.tell(f"!!({script})"):
            assert time.monotonic() < end, f"never: {script}; shown: {self.tell('document.body.innerText')}"
            self.tell("new Promise(requestAnimationFrame).then(() => true)")


@contextlib.contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Run Firefox with a profile of its own in an empty folder until the block ends; skip, or fail, without one."""
    program = next(filter(None, map(shutil.which, NAMES)), None) or lacking(NO_FIREFOX)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
    log = folder / "log.txt"
    command = [program, "--headless", "--no-remote", "--profile", str(folder)]
    with log.open("wb") as output:
        process = subprocess.Popen([*command, f"--remote-debugging-port={free_port()}"], stdout=output, stderr=output)
    try:
        with connect(f"{_address(log, process)}/session", max_size=None, open_timeout=PATIENCE) as connection:
            yield Firefox(connection)
    finally:
        stop(process)


def _address(log: Path, process: subprocess.Popen) -> str:
    """Where Firefox says that it listens."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"listening on (ws://\S+)", log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"Firefox does not listen: {log.read_text(errors='replace')[-1000:]}")
