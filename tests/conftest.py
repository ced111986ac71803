"""What all tests share: the hypothesis profiles and the root of the repository.

``ci`` is the default: the same examples at each run, without a time limit per example. ``slow`` (``make slow``) takes
three times as many, ``brief`` fewer, on Pythons beside the one of ``make test``. ``fuzz`` (``make fuzz``, or
``HYPOTHESIS_PROFILE=fuzz``) draws new ones each time and remembers what failed. A test that sets
``max_examples`` itself overrides them all, so leave it out.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parents[1]
