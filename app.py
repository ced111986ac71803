"""The dashboard: page set-up, navigation, and the link to what is on the screen."""

import streamlit as st

from dpviz.ui import permalinks, sharing, shell

# Emoji rather than named icons: those would fetch a font from another machine.
st.set_page_config(page_title="dpviz", page_icon="🛡️", layout="wide", initial_sidebar_state="auto")
shell.warm_up()
with shell.boundary():
    page = shell.navigation()
    st.set_page_config(page_title=f"{page.title} · dpviz")
    shell.clean_address()
    permalinks.open_address()
    permalinks.trouble()
    page.run()
    sharing.panel()
