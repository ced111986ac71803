"""What browser tests wait for: conditions of the page, never seconds."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, expect

PATIENCE = 180  # seconds until a wait is a hang: a busy machine takes its time, and what is ready is not waited for
MOST_TRIES, SIGHT = 9, 10  # of what a redraw may undo, and the seconds in which a person sees whether it did
OFTEN = 50  # milliseconds between two looks: at each frame, they would take the processor from what is waited for
# Every chart is painted, and every text has its letters.
PAINTED = "[...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(each => each.querySelector('.main-svg'))"
# Nothing is wider than the screen.
NARROW = (
    "[...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer], html')]"
    ".every(each => each.scrollWidth <= innerWidth)"
)
# Run in every page before anything else. What is pressed is sent at once, but Streamlit says that its script runs only
# when the server's answer says so: until then a page looks at rest. Not everything that is sent makes a script run.
WATCH = """(() => {
  const now = () => performance.now(), send = WebSocket.prototype.send, name = "data-test-script-state";
  let sent = -1, heard = -1, turned = 0;
  WebSocket.prototype.send = function (...data) {
    if (!this.watched) this.addEventListener("message", () => { heard = now(); });
    this.watched = true;
    sent = now();
    return send.apply(this, data);
  };
  const turn = each => { if (each.attributeName === name) turned = now(); };
  const observer = new MutationObserver(changes => changes.forEach(turn));
  observer.observe(document, {subtree: true, attributes: true, attributeFilter: [name]});
  window.sent = () => sent;
  window.rests = () => Boolean(document.querySelector(`[data-testid=stApp][${name}=notRunning]`))
    && (turned > sent || (heard > sent && now() - heard > 300) || now() - sent > 3000);
})();"""
RESTS = "window.rests()"
SENT = "window.sent()"  # when something was last sent to the server
DRAWN = "!document.querySelector('[data-testid=stSkeleton]')"
SEEN = "[...document.querySelectorAll({!r})].some(each => each.checkVisibility())"


def rest(page: Page) -> None:
    """Wait until no script of the page runs, nor is about to."""
    page.wait_for_function(RESTS, polling=OFTEN)


def drawn(page: Page, place: str) -> Page:
    """Wait until a page rests with this place on it, and return it."""
    page.wait_for_function(f"{RESTS} && {DRAWN} && {SEEN.format(place)}", polling=OFTEN)
    return page


def finished(page: Page) -> Page:
    """Wait until a page rests with all that it draws, and return it."""
    drawn(page, ", ".join([*(f"[data-testid=stMain] {name}" for name in ("h1", "h2", "h3")), ".st-key-head_verdict"]))
    page.wait_for_function(f"{PAINTED} && document.fonts.status === 'loaded'", polling=OFTEN)
    return page


def saved(button: Locator, press: Callable[[Locator], None] = Locator.click) -> Path:
    """Press a button that saves a file, and return the file, whose name ends as the button says."""
    page = button.page
    rest(page)
    expect(button).to_be_visible()  # else each try would wait for it
    for _ in range(MOST_TRIES):  # a button that is drawn anew meanwhile hears no click, which is seen
        with contextlib.suppress(TimeoutError):
            with page.expect_download(timeout=SIGHT * 1000) as waiting:
                press(button)
            file = waiting.value.path()
            return file.rename(file.with_name(f"{file.name}-{waiting.value.suggested_filename}"))
    raise AssertionError(f"nothing was saved by {button}")


def unfolded(place: Locator) -> Locator:
    """Open what unfolds at a place, and return it; one that is drawn anew meanwhile hears no press."""
    whole = place.locator("details")
    for _ in range(MOST_TRIES):
        rest(place.page)
        if whole.get_attribute("open") is None:
            whole.locator("summary").click()
        with contextlib.suppress(AssertionError):
            expect(whole).to_have_attribute("open", "", timeout=SIGHT * 1000)
            return place
    raise AssertionError(f"it does not unfold: {place}")


def click(place: Locator) -> None:
    """Click what stands at a place, once it stands still; a pill is hidden, and what is clicked is its label."""
    place.locator("xpath=(ancestor::label|.)[1]").click()
