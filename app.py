"""The dashboard: page set-up, navigation, the document that is worked on, and handing it over."""

import os

# Before NumPy is imported: visitors run side by side, and a product of theirs would wake a thread on every core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from dpviz.ui.shell import arrival, sharing, shell, workspace
from dpviz.ui.shell.document import browser

# An emoji rather than a named icon: as the sign of a tab, that would be fetched from another machine.
st.set_page_config(page_title="dpviz", page_icon="🛡️", layout="wide", initial_sidebar_state="auto")
shell.warm_up()
with shell.boundary(sharing.way_back):
    page = shell.navigation()
    st.set_page_config(page_title=f"{page.title} · dpviz")
    shell.clean_address()
    # Before anything is drawn: what a widget holds of the address, only it may change.
    workspace.begin(first_visit=not page.url_path)
    if page.url_path not in shell.LEADING_ON:  # they only lead on, and what is drawn holds its part of the address
        shell.top_bar(page.url_path or "plan")
    arrival.return_soon()
    if arrival.complete():
        if page.url_path in shell.FROM_PLAN:
            workspace.tell_left_out()
        with shell.boundary(sharing.way_back):
            page.run()
            if page.url_path not in ("", "learn"):  # these two have both in their heads
                sharing.beside()
        browser.keep()  # also where the page failed: undo outlives loading it anew
