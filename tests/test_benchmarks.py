"""The benchmarks stay alive: each runs with tiny sizes. Timings are for people, and are not asserted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rest
ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted((ROOT / "benchmarks").glob("[a-z]*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_runs_quickly(script):
    result = subprocess.run(
        [sys.executable, str(script), "--quick"],
        capture_output=True,
        text=True,
        timeout=1800,  # a hang, not a busy machine
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_there_are_some():
    assert SCRIPTS
