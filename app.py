"""The dashboard: page set-up, navigation, the document that is worked on, and handing it over."""

import streamlit as st

from dpviz.ui.shell import arrival, sharing, shell, workspace

# Emoji rather than named icons: those would fetch a font from another machine.
st.set_page_config(page_title="dpviz", page_icon="🛡️", layout="wide", initial_sidebar_state="auto")
shell.warm_up()
with shell.boundary():
    page = shell.navigation()
    st.set_page_config(page_title=f"{page.title} · dpviz")
    shell.clean_address()
    workspace.begin()
    if arrival.complete():
        page.run()
        sharing.panel()
    arrival.return_soon()
