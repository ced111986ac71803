"""Which question do you have?"""

import streamlit as st

from dpviz.ui.learn.cards import CARDS
from dpviz.ui.shell import reading, shell

shell.ensure_entrypoint()

st.title("Which question do you have?", anchor=False)
entries = [entry for entry in shell.PAGES if entry.name in CARDS]
for first in range(0, len(entries), 3):
    for entry, place in zip(entries[first : first + 3], st.columns(3), strict=False):
        card = CARDS[entry.name]
        with place, st.container(border=True, height="stretch"):
            st.image(card.picture, width=200, alt=card.seen)
            title = (reading.people() and card.plain_title) or entry.title
            shell.link(entry, f"**{title}**")
            st.markdown(entry.question)
            st.caption(card.found)
