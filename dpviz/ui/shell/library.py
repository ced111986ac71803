"""What pages of the library share: how they start from the plan, what people are asked, and the way into the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dpviz.plain import SYMBOLS
from dpviz.plan import Plan, Release
from dpviz.ui.shell import reading, shell, workspace
from dpviz.ui.shell.presets import Preset

USED = "_used"  # holds the document that a page of the library has made


def start_from_plan(**inputs: object) -> None:
    """Set the inputs of a page for a visitor who comes with a plan, and name them in the address, for links.

    Parameters
    ----------
    **inputs
        By their key in the address; the first one says what the page is about. None leaves an input empty.
    """
    asked = set(st.query_params) - {workspace.PLAN, workspace.EXAMPLE, "read"}
    if asked or next(iter(inputs)) in st.session_state or not workspace.current().releases:
        return
    fill({key: value for key, value in inputs.items() if value is not None})


def fill(inputs: Mapping[str, object], shown: Callable[[object], str] = str) -> None:
    """Set inputs, and name them in the address, since an input that is about to appear does not write its own.

    Parameters
    ----------
    inputs : mapping
        By their keys.
    shown : callable
        Gives the text that an address holds for a value.
    """
    st.session_state.update(inputs)
    for key, value in inputs.items():
        if not isinstance(value, list):
            with suppress(StreamlitAPIException):  # an input that is drawn writes its own
                st.query_params[key] = "" if value is None else shown(value)


@shell.guarded
def show(preset: Preset) -> None:
    """Set the inputs of a page to a preset; a callback."""
    fill(dict(preset.values))


def offered(options: Iterable, key: str, shown: Callable[[object], str] = str) -> list:
    """Return the choices whose names hold no sign, for people; all of them for others, and always the one that is held.

    Parameters
    ----------
    options : iterable
    key : str
        Of the widget, whose choice an address may name.
    shown : callable
        Gives the name of a choice.
    """
    held = st.session_state.get(key), st.query_params.get(key)
    people = reading.people()
    return [
        each for each in options
        if not (people and SYMBOLS.search(shown(each))) or each == held[0] or shown(each) == held[1]
    ]  # fmt: skip


def rest() -> object:
    """Return where inputs stand that a layperson cannot answer: folded away for people, at hand for others."""
    return st.expander("For experts") if reading.people() else st.container()


def use(releases: Iterable[Release], key: str, about: str) -> None:
    """Draw the button that adds releases to the plan, and, once pressed, the way there.

    Parameters
    ----------
    releases : iterable of Release
    key : str
        Tells this button from others of its page.
    about : str
        What it does, in one sentence.
    """
    use_instead((*workspace.current().releases, *releases), key, about)


def use_instead(releases: Iterable[Release], key: str, about: str, **inputs: object) -> None:
    """Draw the button that puts releases into the plan in place of those that it has; then inputs are set so."""
    plan, trouble = workspace.current(), ""
    try:
        plan = replace(plan, releases=tuple(releases))
        trouble = "" if plan != workspace.current() else "The plan is like that already."
    except ValueError as error:  # such as sampled noise, which holds for one neighbour relation only
        trouble = f"The plan refuses it: {error}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use this in my plan", on_click=_take, args=(plan, key, inputs), key=f"use_{key}",
            icon=":material/add:", disabled=bool(trouble), help=reading.told(trouble or about),
        )  # fmt: skip
        if st.session_state.get(USED) == (key, workspace.document()):
            st.page_link(shell.PAGES[0].path, label="See it in the plan", icon=shell.PAGES[0].sign)


@shell.guarded
def _take(plan: Plan, key: str, inputs: dict[str, object]) -> None:
    """Make the plan the current one, so that undo brings back the former; a callback."""
    workspace.change_plan(plan)
    st.session_state.update(inputs)
    st.session_state[USED] = key, workspace.document()
    st.toast("It is in the plan now. “Undo the last change” takes it out again.", icon=":material/check:")


def sources() -> None:
    """Draw, at the level of proofs, the way to every theorem and its source."""
    if reading.proofs():
        entry = shell.PAGES[-1]
        st.page_link(entry.path, label="Every theorem with its source, and every claim checked", icon=entry.sign)
