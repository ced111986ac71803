"""What all tests share: the hypothesis profiles, the seconds that folders take, and the root of the repository.

``ci`` is the default: the same examples at each run, without a time limit per example. ``slow`` (``make slow``) takes
three times as many, ``brief`` fewer, on Pythons beside the one of ``make test``. ``fuzz`` (``make fuzz``, or
``HYPOTHESIS_PROFILE=fuzz``) draws new ones each time and remembers what failed. A test that sets
``max_examples`` itself overrides them all, so leave it out.

``DPVIZ_FOLDERS=1`` prints what each folder took beside its budget (``seconds.toml``). With ``DPVIZ_SECONDS=50`` no test
is begun once so many seconds are over; how many those are is said.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser

from tests.chromium import chromium
from tests.seconds import Seconds

LATE = "the time of this run is over"
BEGUN = time.monotonic()
TOOK = Seconds()

settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=20,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("slow", settings.get_profile("ci"), max_examples=60)
settings.register_profile("brief", settings.get_profile("ci"), max_examples=6)
settings.register_profile(
    "fuzz", deadline=None, max_examples=2000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# What somebody has saved on this machine is no part of a test, and no test adds to it: nothing is below a file.
os.environ["DPVIZ_DATABASE"] = str(Path(__file__) / "plans.db")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no test when the time of the run is over."""
    limit = os.environ.get("DPVIZ_SECONDS")
    if limit and time.monotonic() - BEGUN > float(limit):
        pytest.skip(LATE)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what tests take, where they are reported."""
    TOOK.add(report.nodeid, report.when, report.duration)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what each folder took, and what was not tried."""
    late = [each for each in terminalreporter.stats.get("skipped", ()) if LATE in str(each.longrepr)]
    if late:
        terminalreporter.write_line(f"not tried, since the time was over: the {len(late)} tests furthest from it")
    if os.environ.get("DPVIZ_FOLDERS"):
        terminalreporter.section("seconds")
        for line in TOOK.lines():
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium; each page gets its own profile in it."""
    with chromium() as running:
        yield running
