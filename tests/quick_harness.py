"""Streamlit's test harness with what a server does once done once: it would do so at each opening and each run."""

import functools
from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

SCRIPTS = ScriptCache()  # of the pages, compiled
installed = functools.cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(scope="session", autouse=True)
def quick_harness() -> Iterator[None]:
    """Compile a page once, and look once for components among all packages that are installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: list(installed()))
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: SCRIPTS)
        yield
