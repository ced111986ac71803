"""What does an attacker see, and how often do they guess right?"""

import streamlit as st

from dpviz.ui.adversary import answer as answers
from dpviz.ui.adversary import asked as asks
from dpviz.ui.adversary import games, view
from dpviz.ui.shell import components, learn_pages, shell

shell.ensure_entrypoint()

# Ask.
asked = asks.question()

# Compute.
found = answers.answer(asked)

# Draw.
whole = "What does an attacker see, and how often do they guess right?"
st.title("How often does an attacker guess right?" if asked.in_words else whole, anchor=False)
st.markdown(view.finding(asked, found))
if asked.in_words:
    view.panel(asked, found)
    st.caption("The number of releases is fixed in advance, and their noises are independent.")
else:
    shown = games.shown(asked.game)
    view.metrics(asked, found, shown)
    views, errors = st.columns([5, 4], gap="medium")
    with views:
        view.picture(asked, found, shown)
        played = st.container()
    with errors:
        view.tradeoff(asked, found, shown)
    view.panel(asked, found)

    # Explain.
    asks.neighbours()
    view.theorems(asked)
    learn_pages.sources()
    components.assumed(
        "World 0 and world 1 differ in one component of the data. The number of releases is fixed before the first "
        "result is seen, and their noises are independent. Risks are proven upper bounds, rounded up."
    )

    # A long run takes time: everything else is on the screen first.
    games.panel(asked.game, played)
