"""Which question do you have?"""

import streamlit as st

from dpviz.ui.shell import shell

shell.ensure_entrypoint()

st.title("Which question do you have?", anchor=False)
for entry in shell.PAGES:
    if entry.question:
        st.page_link(entry.path, label=f"{entry.title}: {entry.question}", icon=entry.sign)
