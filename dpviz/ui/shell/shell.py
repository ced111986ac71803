"""The frame around all pages: navigation, start-up, and what happens when something goes wrong."""

from __future__ import annotations

import gc
import logging
import math
import secrets
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAPIException

ROOT = Path(__file__).resolve().parents[3]  # absolute: works from app.py, from a page alone and under test
LOGGER = logging.getLogger("dpviz.ui")
ENTERED = "_shell"


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the navigation.

    Parameters
    ----------
    group, name, title, icon : str
        Section, file in ``pages/`` without extension, label, emoji.
    """

    group: str
    name: str
    title: str
    icon: str


PAGES = (  # the first one is the home page
    PageEntry("Plan", "plan", "Cost of a plan", "🧾"),
    PageEntry("Plan", "budget", "Split and accuracy", "⚖️"),
    PageEntry("Plan", "forecast", "Time and levers", "📅"),
    PageEntry("Plan", "scenarios", "A against B", "🔀"),
    PageEntry("Explain", "composition", "How ε grows", "📈"),
    PageEntry("Explain", "privacy_loss", "Privacy loss", "🔔"),
    PageEntry("Explain", "adversary", "What attackers see", "🕵️"),
    PageEntry("Extend", "filters", "Privacy filters", "🚦"),
    PageEntry("Extend", "subsampling", "Random samples", "🎲"),
    PageEntry("Extend", "noise_sums", "Sums of noise", "🧮"),
    PageEntry("Check", "theorems", "Theorems and sources", "📚"),
)


def navigation() -> st.Page:
    """Draw the navigation and return the page to run."""
    st.session_state[ENTERED] = True
    groups: dict[str, list] = {}
    for entry in PAGES:
        path = ROOT / "pages" / f"{entry.name}.py"
        page = st.Page(path, title=entry.title, icon=entry.icon, default=entry is PAGES[0])
        groups.setdefault(entry.group, []).append(page)
    return st.navigation(groups, position="top")


def clean_address() -> None:
    """Take numbers out of the address that are none or without end: Streamlit's number boxes let them pass, or fail."""
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
    """Import once what pages need, and exempt it from the garbage collection after every script run.

    That collection walks all modules: it was four fifths of the processor time of a rerun.
    """
    import pandas  # noqa: F401
    import plotly.graph_objects  # noqa: F401

    from dpviz.figures import plan_totals  # noqa: F401

    gc.collect()
    gc.freeze()
    return True


@contextmanager
def boundary() -> Iterator[None]:
    """Catch what goes wrong inside: the visitor sees an id, the log has the same id and the place, never the plan."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  the last line of defence; Streamlit's own control flow is no Exception
        report(error)


def guarded(callback: Callable) -> Callable:
    """Return a widget callback inside `boundary`; callbacks run before the page does."""

    @wraps(callback)
    def inside(*arguments: object, **options: object) -> None:
        with boundary():
            callback(*arguments, **options)

    return inside


def report(error: Exception) -> None:
    """Log an error without its message, which may quote the visitor's data, and show its id."""
    identifier = secrets.token_hex(4)
    frames = [
        f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    LOGGER.error("error %s: %s at %s", identifier, type(error).__name__, " < ".join(reversed(frames)))
    st.error(
        f"Something went wrong here, and the log of this server knows it as **{identifier}**. Your plan is kept: "
        "undo the last change, or reload the page to start again.",
        icon="⚠️",
    )
