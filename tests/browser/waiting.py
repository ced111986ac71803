"""What browser tests wait for: conditions of the page, never seconds."""

from playwright.sync_api import Page, expect

PATIENCE = 180  # seconds until a wait is a hang: a busy machine takes its time, and what is ready is not waited for


def rest(page: Page) -> None:
    """Wait until no script of the page runs; Streamlit's own sign of it shows itself only after half a second."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
