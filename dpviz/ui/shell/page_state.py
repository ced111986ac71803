"""What widgets hold, and what pages keep of a visitor between reruns, by its key.

The document is none of it: see `dpviz.ui.shell.document.session`. What a widget holds may be set before that widget is
drawn, or in a callback.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st


def held(key: str, otherwise: object = None) -> object:
    """Return what is held under this key; `otherwise` where there is nothing."""
    return st.session_state.get(key, otherwise)


def holds(key: str) -> bool:
    """Say whether something is held under this key, if only None."""
    return key in st.session_state


def everything() -> Mapping[str, object]:
    """Return all that is held, to be read."""
    return st.session_state


def put(values: Mapping[str, object]) -> None:
    """Hold these values by their keys."""
    st.session_state.update(values)


def fill(values: Mapping[str, object]) -> None:
    """Hold these values for boxes that a browser may still show with others, and note those: see `late`."""
    serial, before = held("filling", 0) + 1, held("replaced", {})
    heard = int(held("filling_shown") or 0)
    noted = {}
    for key, value in values.items():
        if holds(key) and held(key) != value:
            since = tuple(each for each in before.get(key, (None, ()))[1] if each[1] > heard)
            noted[key] = value, (*since, (held(key), serial))
    put({**values, "replaced": {**before, **noted}, "filling": serial if noted else serial - 1})


def late(key: str) -> bool:
    """Say whether a box was heard of with what it held before it was filled anew, which it then holds again.

    A browser tells of every box with each press. Where a run of the page is ended by the next press, it may never have
    been told how the boxes were filled in that run, and what it tells of them is then nobody's wish.
    """
    value, since = held("replaced", {}).get(key, (None, ()))
    shown = int(held("filling_shown") or 0)
    if not any(serial > shown and old == held(key) for old, serial in since):
        return False
    put({key: value})
    return True


def tell_filled() -> None:
    """Draw, out of sight and last of a page, the box with which a browser tells how far it shows what was filled."""
    serial = str(held("filling", 0))
    if held("filling_shown") != serial:
        put({"filling_shown": serial})
    with st.container(key="filling_told"):
        st.html("<style>.st-key-filling_told {display: none}</style>")
        st.text_input("Filled", key="filling_shown", label_visibility="collapsed")


def forget(*keys: str) -> None:
    """Hold nothing under these keys any more."""
    for key in keys:
        st.session_state.pop(key, None)
