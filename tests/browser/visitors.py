"""Visitors: profiles of the browser, emptied when a test ends and taken again, because a new one is dear.

A new profile has a process of its own, which compiles every script of the dashboard anew: more than half of what
opening a page costs. Whoever comes next to a profile finds no cookie, storage or permission, but compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Page

MOST_PAGES = 12  # of one profile, whose process grows with each, to about 1 GB then
MOST_IDLE = 3  # profiles that wait for another visitor
OF_PAGE = ("viewport", "color_scheme", "reduced_motion", "permissions")  # what each visitor chooses anew


@dataclass(eq=False)
class Visitor:
    """A profile of the browser while somebody has it.

    Parameters
    ----------
    context : BrowserContext
    kind : frozenset of (str, object)
        The options that it was made with.
    resting : Page
        An empty page of the server, which keeps the profile's process between two visitors.
    pages : int
        How many it has opened.
    """

    context: BrowserContext
    kind: frozenset[tuple[str, object]]
    resting: Page
    pages: int = 0

    def open(self, **options) -> Page:
        """Open an empty page, with the options of a browser context that a page can have."""
        self.pages += 1
        self.context.grant_permissions(list(options.get("permissions", ())))
        page = self.context.new_page()
        page.set_viewport_size(options["viewport"])
        page.emulate_media(color_scheme=options["color_scheme"], reduced_motion=options["reduced_motion"])
        return page

    def leave(self) -> None:
        """Close what was opened, and forget all that pages have stored."""
        for page in self.context.pages:
            if page is not self.resting:
                page.close()
        self.context.clear_cookies()
        self.context.clear_permissions()
        session = self.context.new_cdp_session(self.resting)
        origin = self.resting.evaluate("origin")
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()


class Visitors:
    """All profiles of one browser.

    Parameters
    ----------
    browser : Browser
        With ``--process-per-site``, so that the pages of a profile share their process.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: list[Visitor] = []

    def come(self, **options) -> Visitor:
        """Return an empty profile of these options of a browser context: one that was left, or a new one."""
        own = "permissions" in options  # Chromium pastes nothing in a profile whose permissions were taken back once
        kind = frozenset((name, value) for name, value in options.items() if name not in OF_PAGE)
        for visitor in () if own else self._idle:
            if visitor.kind == kind:
                self._idle.remove(visitor)
                return visitor
        context = self._browser.new_context(**dict(kind))
        resting = context.new_page()
        if not options.get("offline"):
            resting.goto("/_stcore/health")
        return Visitor(context, kind, resting, MOST_PAGES if own else 0)

    def go(self, visitor: Visitor) -> None:
        """Take a profile back, unless it has opened enough pages, or the browser has ended."""
        if not self._browser.is_connected():
            return
        if visitor.pages >= MOST_PAGES or visitor.resting.url == "about:blank":
            visitor.context.close()
            return
        visitor.leave()
        self._idle.append(visitor)
        if len(self._idle) > MOST_IDLE:
            self._idle.pop(0).context.close()
