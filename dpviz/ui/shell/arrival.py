"""What a session shows whose address asks for a plan that is not here."""

from __future__ import annotations

import streamlit as st

from dpviz.ui.shell import examples, opening, refusals, words, workspace
from dpviz.ui.shell.document import address, saved, saving, session

GONE = "This plan is not here any more: open its file or link."


def complete() -> bool:
    """Say whether the plan is here; where it is not, say so and offer what brings one, without any verdict."""
    if session.document() is not None:
        if trouble := session.told("link"):
            st.warning(f"{refusals.drawn(trouble)} The plan below is the one that was here before.")
        if trouble := session.told("given"):
            st.warning(f"{refusals.drawn(trouble)}\n\nThe plan below is an example.")
        _warn_of_size()
        return True
    st.title("This plan is not here", anchor=False)
    st.warning(GONE)
    if trouble := session.told("link"):
        st.markdown(refusals.drawn(trouble))
    else:
        st.markdown(
            "Its address holds no plan: it was too large for one, or was made before plans stood in their address. "
            "The server has not kept it, so only its file or a link can bring it back."
        )
    saving.log_in_or_out("arrival")
    opening.open_file()
    with st.container(horizontal=True):
        st.button("Start an empty plan", on_click=workspace.open_example, args=(examples.OWN,), key="start_empty")
        first = (examples.OPENED_FIRST,)
        st.button("Open the first example", on_click=workspace.open_example, args=first, key="open_first")
    return False


@st.fragment(run_every="1h")
def return_soon() -> None:
    """Draw nothing; a page that is to run again by itself does so at once when its lost connection returns.

    Without it, a browser that comes back to a restarted server keeps showing the old screen, and the next thing that is
    pressed there meets a session that never drew it.
    """


def _warn_of_size() -> None:
    """Say that a plan is too large for its address, before it is left."""
    if (reason := address.too_large()) and not saved.kept():
        held = session.document()
        st.warning(f"{words.escaped(reason)} No address holds it: reloading or closing this page would lose it.")
        file = f"{session.file_name()}.json"
        st.download_button(
            "Save as JSON", held.plan.to_json, file, "application/json", on_click="ignore", key="save_large"
        )
