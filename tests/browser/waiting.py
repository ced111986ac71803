"""What browser tests wait for: conditions of the page, never seconds."""

from playwright.sync_api import Page, expect

PATIENCE = 180  # seconds until a wait is a hang: a busy machine takes its time, and what is ready is not waited for
# Every chart is painted, and every text has its letters.
PAINTED = "[...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(each => each.querySelector('.main-svg'))"
# Nothing is wider than the screen.
NARROW = (
    "[...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer], html')]"
    ".every(each => each.scrollWidth <= innerWidth)"
)


def rest(page: Page) -> None:
    """Wait until no script of the page runs; Streamlit's own sign of it shows itself only after half a second."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()


def finished(page: Page) -> Page:
    """Wait until a page rests with all that it draws, and return it."""
    opened = page.get_by_test_id("stMain").get_by_role("heading").or_(page.locator(".st-key-head"))
    expect(opened.first).to_be_visible()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    rest(page)
    page.wait_for_function(f"{PAINTED} && document.fonts.status === 'loaded'")
    return page
