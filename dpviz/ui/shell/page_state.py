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


def forget(*keys: str) -> None:
    """Hold nothing under these keys any more."""
    for key in keys:
        st.session_state.pop(key, None)
