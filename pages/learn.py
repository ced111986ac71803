"""Which question do you have?"""

import streamlit as st

from dpviz.ui.learn.cards import ABOUT, CARDS
from dpviz.ui.shell import reading, sharing, shell

# All of a card leads where its title does.
WHOLE = (
    "<style>[class*=st-key-card_] {position: relative} "
    "[class*=st-key-card_] a[data-testid=stPageLink-NavLink]::after "
    "{content: ''; position: absolute; inset: 0; z-index: 1} "
    "[class*=st-key-card_] [data-testid=stElementContainer]:has(a) {position: static} "
    "[class*=st-key-card_]:hover {border-color: currentColor}</style>"
)
shell.ensure_entrypoint()

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Which question do you have?", anchor=False)
    sharing.buttons()
st.markdown(ABOUT.format("" if reading.people() else " ε"))
entries = [entry for entry in shell.PAGES if entry.name in CARDS]
st.html(shell.NO_SIDEBAR + WHOLE)
half = (len(entries) + 1) // 2
for row in (entries[:half], entries[half:]):  # two rows, so that no card stands alone
    for entry, place in zip(row, st.columns(len(row)), strict=True):
        card = CARDS[entry.name]
        with place, st.container(border=True, height="stretch", key=f"card_{entry.name}"):
            st.image(card.picture, width=200, alt=card.seen)
            title = (reading.people() and card.plain_title) or entry.title
            shell.link(entry, f"**{title}**")
            st.markdown(entry.question)
            if not reading.people():
                st.caption(card.found)
