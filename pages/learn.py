"""Which question do you have?"""

import streamlit as st

from dpviz.ui.learn.cards import CARDS
from dpviz.ui.shell import reading, sharing, shell

shell.ensure_entrypoint()

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Which question do you have?", anchor=False)
    sharing.buttons()
entries = [entry for entry in shell.PAGES if entry.name in CARDS]
half = (len(entries) + 1) // 2
for row in (entries[:half], entries[half:]):  # two rows, so that no card stands alone
    for entry, place in zip(row, st.columns(len(row)), strict=True):
        card = CARDS[entry.name]
        with place, st.container(border=True, height="stretch"):
            st.image(card.picture, width=200, alt=card.seen)
            title = (reading.people() and card.plain_title) or entry.title
            shell.link(entry, f"**{title}**")
            st.markdown(entry.question)
            if not reading.people():
                st.caption(card.found)
