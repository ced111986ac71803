"""The dashboard: page set-up and navigation."""

import streamlit as st

from dpviz.ui import shell

# Emoji rather than named icons: those would fetch a font from another machine.
st.set_page_config(page_title="dpviz", page_icon="🛡️", layout="wide", initial_sidebar_state="auto")
shell.warm_up()
with shell.boundary():
    shell.navigation().run()
