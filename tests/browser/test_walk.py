"""Every page walked by day and by night: what its first screen holds, what axe-core finds, and how it fits a phone.

One walk opens a page once and asks it everything; it fails with all that it found, each with its address.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from dpviz.ui.shell.shell import PAGES
from tests.browser import axe
from tests.browser.conftest import Server, Traffic
from tests.browser.waiting import NARROW, SIGHT, WATCH, finished

SCREEN, HIGH = (1400, 900), (1400, 4000)  # axe-core does not look at what is scrolled out of sight
PLAN = "/?example=statistics-office"
PAGES_OF = {"first visit": "/", "plan": PLAN, **{entry.name: f"/{entry.name}" for entry in PAGES[1:]}}
PANELS = ("Add, edit or remove", "Fit to budget", "A against B")
TABS = ("How accurate", "When", "What an attacker learns")
REFUSED = ".katex-error, .katex [style*='rgb(204, 0, 0)']"  # a formula, or a command in one, that cannot be read
LEVELS = {"light": "people", "dark": "proofs"}  # proofs show what numbers do, and unfold what they fold
CHART = ".js-plotly-plot"
WIDE = "document.documentElement.scrollWidth"
APP = "document.querySelector('[data-testid=stApp]')"
GROUND = f"getComputedStyle({APP}).backgroundColor.match(/\\d+/g).map(Number)"
# No colour is on its way to another one.
MOVING = "document.getAnimations().filter(each => each.transitionProperty)"
STILL = f"Promise.allSettled({MOVING}.map(each => each.finished)).then(() => true)"


@dataclass(frozen=True)
class Sight:
    """What a window without scrolling shows of an address.

    Parameters
    ----------
    page : str
    more : str
        What follows the address of the page.
    charts : int
        On a desktop how many of the first charts it holds whole; on a phone how many stand on the page at least.
    finding : str
        A pattern of the text that a phone shows first, or nothing.
    scheme : {"light", "dark"}
        In which it is opened. How wide and how high a page is has nothing to do with its colours.
    """

    page: str
    more: str = ""
    charts: int = 1
    finding: str = ""
    scheme: str = "light"


LIGHT, DARK = LEVELS
# A page is opened in one scheme. The address itself, without more, comes last of it: axe-core looks at that.
DESKTOP = (
    Sight("my_plans", charts=0),
    Sight("ledger", scheme=DARK),
    Sight("composition", "?eps1=0.5&kmax=300&deltak=0.1&goal=50"),
    Sight("composition", "?axes=log&kmax=100000"),
    Sight("composition"),
    Sight("adversary", "?seen=3", charts=2, scheme=DARK),
    Sight("filters", "?fview=Play+a+session", scheme=DARK),
    Sight("filters", "?fview=K+and+advanced+composition", scheme=DARK),
    Sight("filters", scheme=DARK),
    Sight("noise_sums", scheme=DARK),
    Sight("privacy_loss", "?lossof=One+mechanism"),
    Sight("subsampling", "?noise=Gaussian&dbud=2e-10", scheme=DARK),
    Sight("subsampling", scheme=DARK),
    Sight("training", scheme=DARK),
    Sight("claims", "?claimof=Recurve", scheme=DARK),
    Sight("claims", scheme=DARK),
    Sight("audit"),
    Sight("theorems", "?check=Noise+per+query"),
    Sight("theorems"),
)
OVER, SPENT = "&eps=2&read=", "[Oo]ver budget"
PHONE = (
    Sight("first visit", charts=0, finding="^What may be published"),
    Sight("plan", f"{OVER}people&tab=What+an+attacker+learns&panel=A+against+B", finding=SPENT),
    Sight("plan", f"{OVER}numbers&tab=How+accurate&panel=Fit+to+budget", finding=SPENT, scheme=DARK),
    Sight("plan", f"{OVER}proofs&tab=When&panel=Add%2C+edit+or+remove", finding=SPENT),
    Sight("my_plans", "?example=mobility", charts=0, finding="^Nothing is saved here yet", scheme=DARK),
    Sight("ledger", finding="is spent"),
    Sight("composition", "?goal=5", finding="^Repeated"),
    Sight("adversary", "?seen=3", finding="^After"),
    Sight("filters", "?fview=Play+a+session", finding="chosen along the way"),
    Sight("noise_sums", finding="^(Noises made for|Sent alone)"),
    Sight("noise_sums", "?section=Alone+or+aggregated", finding="^(Noises made for|Sent alone)"),
    Sight("privacy_loss", "?more=Simulation+lemma&times=20", charts=3),
    Sight("privacy_loss", "?more=Rare+losses&times=20", charts=3, scheme=DARK),
    Sight("subsampling", "?m=60,70,80", finding="^With a secret random sample"),
    Sight("training", finding="^Poisson batches", scheme=DARK),
    Sight("claims", "?claimof=Iconic+scenes", finding="^Nobody can tell"),
    Sight("claims", finding="^The (claim is too small|promise does not hold)", scheme=DARK),
    Sight("audit", finding="^Suppose ", scheme=DARK),
    Sight("theorems", finding=r"^Of \d+ claims"),
)


def seen(sights: tuple[Sight, ...], page: str) -> list[Sight]:
    return [sight for sight in sights if sight.page == page]


class Walk:
    """A walk through the screens of a page.

    Parameters
    ----------
    page : Page
    scheme : str

    Attributes
    ----------
    faults : list of str
        What was found wrong so far.
    """

    def __init__(self, page: Page, scheme: str) -> None:
        self.page, self.scheme = page, scheme
        self.faults: list[str] = []

    def ask(self, kept: bool, fault: str) -> None:
        """Note a fault where something is not kept."""
        if not kept:
            self.faults.append(f"{self.page.url}, {self.scheme}: {fault}")

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Note what is waited for in vain, and go on."""
        try:
            yield
        except AssertionError as fault:
            self.ask(False, str(fault))

    def open(self, sight: Sight) -> None:
        """Open a sight, and wait until it rests with its charts."""
        self.page.goto(f"{PAGES_OF[sight.page]}{sight.more}")
        with self.waiting():
            if sight.charts:
                expect(self.page.locator(f"{CHART} .main-svg").filter(visible=True).first).to_be_visible()
            finished(self.page)

    def read(self, level: str) -> None:
        """Read at a level; the one that is read at already is not pressed, which would take it away."""
        choice = self.page.get_by_role("radio", name=level)
        if not choice.is_checked():
            choice.evaluate("each => each.click()")  # a mouse would stay over it, and what is under a mouse is paler
            with self.waiting():
                expect(choice).to_be_checked()

    def first_screen(self, sight: Sight) -> None:
        """The finding and its charts are seen without scrolling, and nothing spills sideways."""
        width, height = SCREEN
        self.ask(self.page.evaluate(WIDE) <= width, "spills sideways")
        for number in range(sight.charts):
            box = self.page.locator(CHART).nth(number).bounding_box()
            self.ask(box["y"] + box["height"] <= height, f"chart {number + 1} is not on the first screen: {box}")

    def phone(self, sight: Sight) -> None:
        """Nothing is cut off at the side, and the finding comes first."""
        self.ask(self.page.evaluate(WIDE) <= 390 and self.page.evaluate(NARROW), "wider than a phone")
        charts = self.page.locator(CHART).count()
        self.ask(charts >= sight.charts, f"{charts} of {sight.charts} charts")
        if sight.finding:
            with self.waiting():
                expect(finding(self.page, sight)).to_be_in_viewport()

    def turn(self, scheme: str) -> None:
        """Have the visitor's system change its colours, and the page follow."""
        self.scheme = scheme
        self.page.emulate_media(color_scheme=scheme)
        shown = f"{GROUND}[0] {'>' if scheme == LIGHT else '<'} 128"
        with contextlib.suppress(TimeoutError):
            self.page.wait_for_function(
                f"!document.querySelector('[data-testid=stApp]') || {shown}", timeout=SIGHT * 1000
            )

    def ground(self) -> None:
        """The page is light where the visitor's system is light, and dark where it is dark."""
        colours = self.page.evaluate(GROUND)[:3]
        self.ask((sum(colours) / 3 > 128) == (self.scheme == LIGHT), f"the ground is {colours}")

    def axe(self, script: Path, bare: axe.Findings) -> None:
        """Ask axe-core about a finished page: it looks at the page, and finds nothing beyond the bare one."""
        finished(self.page).evaluate(STILL)
        found = axe.findings(self.page, script)
        missed = {"color-contrast", "button-name", "document-title", "region"} - set(found.passed)
        self.ask(not missed and found.seen > 100, f"axe-core saw {found.seen} elements, and nothing kept {missed}")
        for fault in found.beyond(bare):
            self.ask(False, fault)
        pale = [fault for fault in found.faults if fault[0] == "color-contrast"]  # the theme is ours
        self.ask(not pale, f"too little contrast: {pale}")
        refused = self.page.locator(REFUSED).all_inner_texts()
        self.ask(not refused, f"formulas that cannot be read: {refused}")

    def end(self, traffic: Traffic) -> None:
        """Fail with all faults; no other machine was asked for anything."""
        self.ask(not traffic.foreign, f"asked for {traffic.foreign}")
        self.ask(not traffic.errors, f"said {traffic.errors}")
        assert not self.faults, "\n".join(self.faults)


def finding(page: Page, sight: Sight) -> Locator:
    """Find the text that comes first."""
    place = page.locator(".st-key-head") if sight.page == "plan" else page
    return place.get_by_text(re.compile(sight.finding)).filter(visible=True).first


@pytest.fixture(scope="session")
def script() -> Path:
    """axe-core, fetched once."""
    return axe.script()


@pytest.fixture(scope="session")
def bare(browser: Browser, bare_server: Server, script: Path) -> Iterator[Callable[[str], axe.Findings]]:
    """What is wrong with a bare page of Streamlit, in a colour scheme."""
    found = {}
    page = browser.new_page(viewport=size(HIGH), base_url=bare_server.url)
    page.add_init_script(WATCH)

    def of(scheme: str) -> axe.Findings:
        if scheme not in found:
            page.emulate_media(color_scheme=scheme)
            page.goto("/")
            expect(page.get_by_role("tab", name="Second")).to_be_visible()
            found[scheme] = axe.findings(finished(page), script)
        return found[scheme]

    yield of
    page.close()


def size(window: tuple[int, int]) -> dict[str, int]:
    return dict(zip(("width", "height"), window, strict=True))


# Walked with the rest.
SELDOM_CHANGED = (
    "filters", "noise_sums", "subsampling", "audit", "theorems", "privacy_loss", "composition", "adversary",
)  # fmt: skip


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.rest) if name in SELDOM_CHANGED else name for name in PAGES_OF
])  # fmt: skip
def test_a_page_is_in_order(open_page, traffic, script, bare, name: str):
    """Its first screens hold their charts; by day and by night, for people and with proofs axe-core finds nothing."""
    sights = seen(DESKTOP, name) or [Sight(name, charts=0)]
    walk = Walk(open_page(*SCREEN), sights[0].scheme)
    walk.turn(sights[0].scheme)
    for sight in sights:
        walk.open(sight)
        walk.first_screen(sight)
    walk.page.set_viewport_size(size(HIGH))
    for scheme in sorted(LEVELS, key=walk.scheme.__ne__):
        walk.turn(scheme)
        walk.read(LEVELS[scheme])
        walk.ground()
        walk.axe(script, bare(scheme))
    walk.end(traffic)


FIRST_ON_PHONES = ("plan", "claims", "training")  # which change most; the others are looked at with the rest


@pytest.mark.rest
@pytest.mark.parametrize("name", PAGES_OF)
def test_a_page_is_in_order_in_numbers(open_page, traffic, script, bare, name: str):
    """The level between the two at which axe-core looks at every change."""
    walk = Walk(open_page(*HIGH), "light")
    walk.open(Sight(name, charts=0))
    walk.read("numbers")
    walk.axe(script, bare(LIGHT))
    walk.end(traffic)


@pytest.mark.parametrize("name", [
    name if name in FIRST_ON_PHONES else pytest.param(name, marks=pytest.mark.rest)
    for name in dict.fromkeys(sight.page for sight in PHONE)
])  # fmt: skip
def test_a_page_fits_a_phone(phone, traffic, name: str):
    """At 390 pixels, whatever is open."""
    walk = Walk(phone, LIGHT)
    for sight in seen(PHONE, name):
        walk.turn(sight.scheme)
        walk.open(sight)
        walk.phone(sight)
    walk.end(traffic)


def test_the_workbench_is_in_order_whatever_is_opened(open_page, traffic, script, bare):
    """Every panel, every picture, over budget, and what hands the plan over, by day and by night."""
    walk = Walk(open_page(*HIGH), LIGHT)
    page = walk.page

    def by_day_and_by_night() -> None:
        for scheme in sorted(LEVELS, key=walk.scheme.__ne__):
            walk.turn(scheme)
            walk.axe(script, bare(scheme))

    for panel, tab in zip(PANELS, TABS, strict=True):
        page.goto(f"{PLAN}&eps=2&panel={quote(panel)}&tab={quote(tab)}")
        expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("radio", name=panel, exact=True)).to_be_checked()
        by_day_and_by_night()
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    by_day_and_by_night()
    walk.end(traffic)


def test_axe_finds_what_is_wrong(page, script, bare):
    """A button without a name and a grey text on grey are told, with their kinds, and not taken for Streamlit's own."""
    page.goto("about:blank")
    page.set_content(
        "<html lang=en><title>Page</title><main><h1>Title</h1><button data-testid=stButton></button>"
        "<p style='color:#aaa;background:#bbb'>text</p></main>"
    )
    found = axe.findings(page, script)
    assert found.kinds == {("button-name", "stButton"), ("color-contrast", "p")}
    assert len(found.beyond(bare(LIGHT))) == 2
    assert bare(LIGHT).seen > 100 and "button-name" in bare(LIGHT).passed


def test_a_walk_tells_every_fault(page, traffic):
    """A page that is wider and longer than the screen, and dark by day: each is told, with where."""
    page.goto("about:blank")
    page.set_content(
        "<div data-testid=stApp style='background: rgb(9, 9, 9)'><div style='width: 1500px'>wide</div>"
        "<div class=js-plotly-plot style='height: 1000px'></div></div>"
    )
    walk = Walk(page, LIGHT)
    walk.first_screen(Sight("plan"))
    walk.phone(Sight("plan", charts=2))
    walk.ground()
    told = ("spills sideways", "chart 1 is not", "wider than a phone", "1 of 2 charts", "the ground is [9, 9, 9]")
    with pytest.raises(AssertionError) as failed:
        walk.end(traffic)
    assert all(f"about:blank, light: {each}" in str(failed.value) for each in told)
