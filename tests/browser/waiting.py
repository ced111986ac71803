"""What browser tests wait for: conditions of the page, never seconds."""

from playwright.sync_api import Page

PATIENCE = 180  # seconds until a wait is a hang: a busy machine takes its time, and what is ready is not waited for
OFTEN = 40  # milliseconds between two looks, within the page; Playwright's expect looks up to a second later
CHART = ".js-plotly-plot .main-svg"
SEEN = """what => {
    const first = document.querySelector(what);
    if (!first || !first.checkVisibility({visibilityProperty: true})) return false;
    const box = first.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
}"""


RESTING = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


def rest(page: Page) -> None:
    """Wait until no script of the page runs; Streamlit's own sign of it shows itself only after half a second."""
    page.wait_for_function(RESTING, polling=OFTEN)


def rest_whole(page: Page) -> None:
    """Wait until no script runs and, at the same time, nothing that it drew is still being loaded."""
    page.wait_for_function(f"{RESTING} && !document.querySelector('[data-testid=stSkeleton]')", polling=OFTEN)


def seen(page: Page, what: str = CHART) -> None:
    """Wait until the first of what a CSS selector finds is visible."""
    page.wait_for_function(SEEN, arg=what, polling=OFTEN)
