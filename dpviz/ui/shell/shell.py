"""The frame around all pages: navigation, start-up, and what happens when something goes wrong."""

from __future__ import annotations

import ctypes
import gc
import logging
import math
import secrets
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import streamlit as st
from streamlit import runtime
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.figures.base.scale import APART, ASIDE, CLOSE, INK
from dpviz.places import ROOT  # absolute: works from app.py, from a page alone and under test
from dpviz.records import record_named
from dpviz.ui.shell import page_state, reading

LOGGER = logging.getLogger("dpviz.ui")
ENTERED = "_shell"
WRITTEN = "written"  # what the address says of the document, its name there and its text: see `document.address`
SAVED = "written_saved"  # the saved version that the address says its plan is a state of
# A rerun is a thread, for each of which glibc may open a heap: what is given back lies scattered over them.
M_ARENA_MAX, HEAPS = -8, 2
FETCHED = 30.0  # seconds in which a browser has fetched the file that was made for it
# The ground of a page, light or dark, and how high the bar is that stays in sight above it.
GROUND = "light-dark({}, {})".format(*(st.get_option(f"theme.{each}.backgroundColor") for each in ("light", "dark")))
BAR = "3.75rem"
WIDE = 800  # pixels of a page on which the bar stays in sight
# Of a page that has none: the sidebar of the page that one comes from stays, empty, until the next run.
NO_SIDEBAR = "<style>[data-testid=stSidebar], [data-testid=stExpandSidebarButton] {display: none}</style>"
# The current place is underlined: it may hold several pages, of which Streamlit would mark the first alone.
BAR_STYLE = (
    # A bubble of help lies over neighbours, and takes no click that is meant for them.
    "<style>[data-testid=stTooltipContent] {pointer-events: none} "
    "[class*='st-key-place_'][class*='_here'] {border-bottom: 3px solid currentColor} "
    ".st-key-top_bar {row-gap: 0} :has(> .st-key-back) {display: none} "
    # The bar stands in the band that Streamlit leaves for its menu and, where there is room, stays there.
    ":is([data-testid=stHeader], [data-testid=stHeader] *) {background: transparent; pointer-events: none} "
    "[data-testid=stHeader] :is(button, a), [data-testid=stHeader] :is(button, a) * {pointer-events: auto} "
    f"[data-testid=stApp]:has([data-testid=stExpandSidebarButton]) .st-key-top_bar {{padding-left: {ASIDE}}} "
    f"@media (min-width: {WIDE}px) {{[data-testid=stMainBlockContainer] {{padding: 0 {ASIDE} {ASIDE}}} "
    "[data-testid=stLayoutWrapper]:has(> .st-key-top_bar) {position: sticky; top: 0; z-index: 91; "
    f"background: {GROUND}}} [data-testid=stLayoutWrapper] > .st-key-top_bar {{min-height: {BAR}; "
    f"padding-right: {APART}}} "
    "[data-testid=stStatusWidget] {margin-right: 16rem}} "  # to the left of the choice of a level
    f"@media (max-width: {WIDE - 1}px) {{[data-testid=stMainBlockContainer] {{padding-top: {APART}}} "
    f".st-key-top_bar {{padding-right: {ASIDE}; min-height: 3rem}}}} "
    # What is told in passing lies on no button of the head.
    "[data-testid=stToastContainer] {top: auto; bottom: 1rem} "
    # What a choice has no room for ends in an ellipsis.
    "[data-testid=stSelectbox] input {text-overflow: ellipsis} "
    # A tab that a panel took the keys from would go on looking chosen.
    "[data-testid=stTab]:not(:focus) {box-shadow: none !important} "
    "[data-testid=stTab]:not(:focus, :hover, [aria-selected=true]) {color: inherit !important} "
    # What is chosen of several stays in sight, in as many lines as it takes.
    ":has(> [data-testid=stMultiSelectTagsContainer]) {height: auto; max-height: none} "
    "[data-testid=stMultiSelectTagsContainer] {height: auto; flex-wrap: wrap; row-gap: .25rem} "
    "[data-testid=stMultiSelectTagsContainer] > [role=group] {flex-wrap: wrap; row-gap: .25rem} "
    # On a phone the places stand in one line, by their names.
    f"@media (max-width: 640px) {{.st-key-top_bar {{column-gap: {CLOSE}}} "
    ".st-key-top_bar [data-testid=stPageLink-NavLink] > :has([data-testid=stIconMaterial]) {display: none} "
    f".st-key-top_bar [data-testid=stPageLink-NavLink] {{padding-inline: {CLOSE}}}}} "
    # Streamlit writes white on the theme's colour, which on a dark page is too light for that.
    "[data-testid=stApp] :is([data-testid^=stBaseButton-primary], [data-testid=stPopoverButton][kind=primary])"
    f":not(:disabled) {{color: light-dark(#fff, {INK[0]})}} "
    # An open menu has another arrow: a press of the old one would lie beside the menu, and so close it at once.
    "[data-testid=stPopoverButton] > * {pointer-events: none} "
    # A number that is cut reads as a smaller one.
    "[data-testid=stMetricValue] {font-size: clamp(1.25rem, 1.9vw, 2.25rem)} "
    "[data-testid=stMetricValue] :is(p, div) {white-space: normal; overflow: visible; overflow-wrap: anywhere} "
    # On a phone large figures stand two by two: one below the other they fill a screen.
    "@media (max-width: 640px) {:is([data-testid=stColumn]:has([data-testid=stMetric]), "
    "[data-testid=stHorizontalBlock] > [data-testid=stElementContainer]:has(> [data-testid=stMetric])) "
    "{width: calc(50% - .5rem) !important; min-width: 0 !important; flex: 1 1 calc(50% - .5rem) !important} "
    f"[data-testid=stMetric] > * {{padding: {APART}}} "
    "[data-testid=stMetricValue] {font-size: 1.5rem} "
    "[data-testid=stMetric] :is(p, div) {white-space: normal; overflow: visible}} "
    # Of the focus on the page itself, which arrows then scroll, and on the current place, Streamlit shows nothing.
    ":is([data-testid=stMain], [data-testid=stPageLink-NavLink]):focus-visible "
    "{outline: 2px solid #5a92e8; outline-offset: -2px}</style>"
)

# One press of Back is one place: a page with the document that was opened there; edits are taken back by Undo.
# Streamlit makes a step of every input that a script sets, and one of the page that is left, without what was chosen on
# it, before it goes to another.
BACK = """<script>(() => {
  if (history.dpviz) return;
  history.dpviz = true;
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  const example = url => url.searchParams.get("example"), named = url => example(url) || url.searchParams.get("plan");
  // An example to which undo returns is not opened again.
  let shown = example(new URL(location.href));
  const opens = (from, to) => named(from) ? example(to) && example(to) !== shown
    : named(to) && !from.searchParams.has("saved");
  // The link to the plan's page has no path: a browser would read it as one to the page that is left.
  const last = address => address.split("?")[0].split("/").pop();
  let leaving = false;
  addEventListener("click", event => {
    const link = event.target.closest?.("a[data-testid=stPageLink-NavLink]");
    const elsewhere = link && last(link.getAttribute("href")) !== last(location.pathname);
    leaving = Boolean(elsewhere) && !(event.ctrlKey || event.metaKey || event.shiftKey);
  }, true);
  let path = location.pathname;
  addEventListener("popstate", () => {
    leaving = false;
    shown = example(new URL(location.href)) || shown;
    if (location.pathname !== path) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    path = location.pathname;
  });
  history.pushState = (state, title, address) => {
    const from = new URL(location.href), to = new URL(address, from);
    const step = to.pathname !== from.pathname || opens(from, to);
    path = to.pathname;
    if (to.pathname !== from.pathname) leaving = false;
    else if (leaving) return;
    shown = example(to) || shown;
    (step ? push : replace)(state, title, address);
  };
})();</script>"""

# While a page runs, Streamlit makes the tabs anew now and then, and the focus is lost between two presses of an arrow.
TABS = """<script>(() => {
  if (window.dpvizTabs) return;
  window.dpvizTabs = true;
  let until = 0;
  const keep = () => {
    const tab = document.activeElement === document.body
      && document.querySelector("[data-testid=stTabs] [role=tab][aria-selected=true]");
    if (tab) tab.focus();
    if (performance.now() < until) requestAnimationFrame(keep);
  };
  addEventListener("keydown", event => {
    if (!event.target.closest?.("[data-testid=stTabs] [role=tab]")) { until = 0; return; }
    until = /^(Arrow|Home|End)/.test(event.key) ? performance.now() + 3000 : 0;
    requestAnimationFrame(keep);
  }, true);
  addEventListener("pointerdown", () => { until = 0; }, true);
  // What is typed into a list finds its entry, which Tab would leave behind.
  addEventListener("keydown", event => {
    const box = event.key === "Tab" && event.target.closest?.("[data-testid=stSelectbox] input");
    if (!box || box.getAttribute("aria-expanded") !== "true" || !box.getAttribute("aria-activedescendant")) return;
    const enter = { key: "Enter", code: "Enter", keyCode: 13, bubbles: true, cancelable: true };
    box.dispatchEvent(new KeyboardEvent("keydown", enter));
  }, true);
  // A list in a panel, chosen from, leaves all that is around it out of the order of Tab.
  addEventListener("keydown", event => {
    const closed = event.key === "Tab" && event.target.getAttribute?.("aria-expanded") !== "true";
    const panel = closed && event.target.closest?.("[data-testid=stPopoverBody]");
    for (const left of panel ? panel.querySelectorAll("[data-tabindex]") : []) {
      const before = left.dataset.tabindex;
      delete left.dataset.tabindex;
      if (before) left.setAttribute("tabindex", before); else left.removeAttribute("tabindex");
    }
  }, true);
})();</script>"""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page of the dashboard.

    Parameters
    ----------
    place : str
        The entry of the top bar that leads to it.
    name, title : str
        File in ``pages/`` without extension, and what it is called.
    icon : str
        Name of a sign in Streamlit's own icon font.
    question : str
        What it answers; "" for a page that only leads on.
    """

    place: str
    name: str
    title: str
    icon: str
    question: str = ""

    @property
    def key(self) -> str:
        """What it is looked up by."""
        return self.name

    @property
    def path(self) -> Path:
        """Its file."""
        return ROOT / "pages" / f"{self.name}.py"

    @property
    def sign(self) -> str:
        """Its sign, as Streamlit draws it from its own icon font."""
        return f":material/{self.icon}:"


PLAN, SAVED_PLANS, LEARN, CHECK = PLACES = ("Plan", "Saved", "Learn", "Check")
PAGES = (  # each place opens with its first page
    PageEntry(PLAN, "plan", "Plan", "table_chart", "What does my plan cost, and does it fit?"),
    PageEntry(SAVED_PLANS, "my_plans", "My plans", "folder_open", "Which plans are saved, and where does each stand?"),
    PageEntry(SAVED_PLANS, "ledger", "Ledger", "receipt_long", "What was promised, reserved and spent?"),
    PageEntry(LEARN, "learn", "Learn", "school"),
    PageEntry(
        LEARN, "composition", "How ε grows", "trending_up", "How does the loss grow with the number of releases?"
    ),
    PageEntry(LEARN, "privacy_loss", "Privacy loss", "blur_on", "What is the loss of one release, and of many?"),
    PageEntry(LEARN, "adversary", "What attackers see", "visibility", "How often does an attacker guess right?"),
    PageEntry(LEARN, "filters", "Privacy filters", "filter_alt", "How many queries fit, each chosen after the last?"),
    PageEntry(LEARN, "subsampling", "Random samples", "shuffle", "What does asking only a random sample buy?"),
    PageEntry(LEARN, "noise_sums", "Sums of noise", "functions", "What is promised when many add noise each?"),
    PageEntry(LEARN, "training", "Training a model", "model_training", "What does training cost?"),
    PageEntry(CHECK, "claims", "Check a claim", "gavel", "Does it cost what somebody says?"),
    PageEntry(CHECK, "audit", "Audit", "troubleshoot", "How many runs show that a claim is too small?"),
    PageEntry(CHECK, "theorems", "Theorems and sources", "fact_check", "Where does each number come from?"),
)


def page_named(name: str) -> PageEntry:
    """Return the page of this name.

    Examples
    --------
    >>> page_named("theorems").place
    'Check'
    """
    return record_named(PAGES, name)


HOME = page_named("plan")
VERSUS = "A against B"  # a panel there, which other places open
# Pages of the former shape: what they asked is a part of the plan's page now, and their addresses lead there.
FORMER_PAGES = ("budget", "forecast", "scenarios")
# Pages that start from the current plan.
FROM_PLAN = ("composition", "privacy_loss", "adversary", "filters", "subsampling", "noise_sums", "claims", "audit")
# The first page stands at the root; who writes its name into the address, as links of others do, is led there.
ROOT_NAME, LEADING_ON = "home", (*FORMER_PAGES, HOME.name)


def navigation() -> st.Page:
    """Set up the pages, and return the one to run."""
    st.session_state[ENTERED] = True
    # Each rerun has pages of its own: Streamlit notes in them which one runs.
    return st.navigation([copy(page) for page in _pages()], position="hidden")


@lru_cache(1)
def _pages() -> tuple[st.Page, ...]:
    """All pages, whose files are looked for once."""
    first = {"default": True, "url_path": ROOT_NAME}
    own = (st.Page(entry.path, title=entry.title, **(first if entry is HOME else {})) for entry in PAGES)
    former = (st.Page(ROOT / "pages" / f"{name}.py", title="Plan") for name in FORMER_PAGES)
    return *own, *former, st.Page(lead_to_plan, title="Plan", url_path=HOME.name)


def top_bar(current: str) -> None:
    """Draw the bar above every page: the product, its three places, the current one marked, and the levels of reading.

    Parameters
    ----------
    current : str
        Name of the page that is shown.
    """
    here = next((entry.place for entry in PAGES if entry.name == current), PLAN)
    with st.container(horizontal=True, vertical_alignment="center", key="top_bar"):
        st.markdown("**dpviz**", width="content")
        for place in PLACES:
            first = next(entry for entry in PAGES if entry.place == place)
            with st.container(key=f"place_{place.lower()}{'_here' if place == here else ''}", width="content"):
                link(first, place)
        st.space("stretch")
        reading.switch()
    pages = [each for each in PAGES if each.place == here]
    if here != LEARN and len(pages) > 1:  # which has a page of contents
        with st.container(horizontal=True, key="place_pages"):
            for entry in pages:
                with st.container(width="content"):
                    link(entry, entry.title)
    st.html(BAR_STYLE)
    with st.container(key="back"):
        st.html(BACK, unsafe_allow_javascript=True)
        st.html(TABS, unsafe_allow_javascript=True)


def link(entry: PageEntry, label: str, icon: str | None = None, **asked: str) -> None:
    """Draw the way to a page, which carries the document along: into a tab of its own too, and as one step of Back.

    Parameters
    ----------
    entry : PageEntry
    label : str
    icon : str, optional
        That of the page unless another is given.
    **asked : str
        What the page is set to there.
    """
    target = _pages()[PAGES.index(entry)]  # a link to a file would look for it anew
    # A page that had to write the document into its address itself would leave a step of Back without it.
    st.page_link(target, label=label, icon=icon or entry.sign, query_params=carried() | asked)


def carried() -> dict[str, str]:
    """Return what an address says of the document, with the saved version that it is a state of."""
    written, version = st.session_state.get(WRITTEN), st.session_state.get(SAVED)
    return dict([written]) | ({"saved": version} if version else {}) if written else {}


def saved_link(name: str, label: str) -> None:
    """Draw the way to a saved plan or version, whatever is worked on now."""
    st.page_link(_pages()[PAGES.index(HOME)], label=label, icon=HOME.sign, query_params={"saved": name})


def former(address: str | None) -> bool:
    """Say whether an address is that of a page of the former shape.

    Examples
    --------
    >>> former("http://localhost:8501/budget"), former("http://localhost:8501/"), former(None)
    (True, False, False)
    """
    return bool(address) and urlsplit(address).path.rpartition("/")[2] in FORMER_PAGES


def root(address: str) -> str:
    """Return the address of the plan's page, from that of any page.

    Examples
    --------
    >>> root("http://localhost:8501/lab/training"), root("http://localhost:8501/lab/"), root("https://audit")
    ('http://localhost:8501/lab/', 'http://localhost:8501/lab/', 'https://audit')
    """
    parts = urlsplit(address)
    before, slash, last = parts.path.rpartition("/")
    named = last in {*FORMER_PAGES, *(each.name for each in PAGES)}
    return urlunsplit(parts._replace(path=before + slash)) if named else address


def lead_to_plan(**view: str) -> None:
    """Send whoever comes by another address of the plan's page to it, with all that the address sets."""
    held = {name: st.query_params.get_all(name) for name in st.query_params}
    if page_state.holds("read"):  # who comes back to it in a session has the switch already, which holds this
        held.pop("read", None)
    st.switch_page(HOME.path, query_params=held | view)


def clean_address() -> None:
    """Take numbers out of the address that are none or without end: Streamlit's sliders let them pass, or fail."""
    found = [name for name in st.query_params if any(map(_endless, st.query_params.get_all(name)))]
    if found and not st.session_state.get("cleaned"):
        st.session_state["cleaned"] = True
        for name in found:
            with suppress(StreamlitAPIException):  # a widget of this page holds it: it has refused the value itself
                del st.query_params[name]
        st.rerun()
    st.session_state["cleaned"] = False


def _endless(text: str) -> bool:
    """Whether a text is a number that is infinite, or not a number.

    Examples
    --------
    >>> _endless("nan"), _endless("1e999"), _endless("-inf"), _endless("4"), _endless("north")
    (True, True, True, False, False)
    """
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def ensure_entrypoint() -> None:
    """Send a visitor whose deep link reached a page before ``app.py`` ran through ``app.py``; every page begins so.

    A folder named pages makes Streamlit serve its files directly until the first call of ``st.navigation``.
    """
    if ENTERED not in st.session_state:
        navigation()
        st.rerun()


@st.cache_resource(show_spinner=False)
def warm_up() -> bool:
    """Import once what pages need, and exempt it from garbage collection, which would walk all modules again and again.

    Streamlit's own collection after every script run, in one piece that holds all visitors, is off (config.toml).
    """
    import pandas  # noqa: F401
    import plotly.graph_objects  # noqa: F401

    gc.collect()
    gc.freeze()
    with suppress(OSError, AttributeError):  # another C library has one heap, or bounds of its own
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS)
    if runtime.exists():
        # Streamlit drops a file that was made for a download when the second script after that has ended, whoever's it
        # is: among many visitors, before the browser has fetched it.
        files = runtime.get_instance().media_file_mgr
        files.remove_orphaned_files = seldom(files.remove_orphaned_files, FETCHED)
    return True


def seldom(call: Callable[[], None], seconds: float) -> Callable[[], None]:
    """Return a function that passes its calls on, except those sooner than this after the last one that it passed on.

    Parameters
    ----------
    call : callable
    seconds : float

    Examples
    --------
    >>> passed = []
    >>> each = seldom(lambda: passed.append("on"), 60.0)
    >>> each(), each(), passed
    (None, None, ['on'])
    """
    last = -math.inf

    def called() -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            call()

    return called


@contextmanager
def boundary(way_back: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Catch what goes wrong inside: the visitor sees an id, the log has the same id and the place, never the plan.

    Parameters
    ----------
    way_back : callable
        Draws what leads on from there.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001  the last line of defence; Streamlit's own control flow is no Exception
        report(error)
        way_back()


def guarded(callback: Callable) -> Callable:
    """Return a widget callback inside `boundary` that runs to its end; callbacks run before the page does."""

    @wraps(callback)
    def inside(*arguments: object, **options: object) -> None:
        with _undisturbed(), boundary():
            callback(*arguments, **options)

    return inside


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let what is pressed next wait until a callback is done.

    Streamlit would break it off, without a word, wherever it reads the session or draws: what was pressed would be done
    by half, or lost (a save was, while its modules were loaded). One run after the other: see `.streamlit/config.toml`.
    """
    context = get_script_run_ctx(suppress_warning=True)
    requests = context and context.script_requests
    if requests is None or "on_scriptrunner_yield" in vars(requests):  # a callback that another one calls
        yield
        return
    setattr(requests, "on_scriptrunner_yield", lambda: None)  # noqa: B010  for this one only, not for its class
    try:
        yield
    finally:
        delattr(requests, "on_scriptrunner_yield")


def report(error: Exception) -> None:
    """Log an error without its message, which may quote the visitor's data, and show its id."""
    identifier = secrets.token_hex(4)
    frames = [
        f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    LOGGER.error("error %s: %s at %s", identifier, type(error).__name__, " < ".join(reversed(frames)))
    st.error(
        f"Something went wrong here, and the log of this server knows it as **{identifier}**. Your plan is kept as it "
        "was before the last step. Reload the page; if this comes again, undo the last change.",
        icon="⚠️",
    )
