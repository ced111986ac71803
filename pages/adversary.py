"""What does an attacker see, and how often do they guess right?"""

import streamlit as st

from dpviz.ui.adversary import answer as adversary_answer
from dpviz.ui.adversary import asked as adversary_inputs
from dpviz.ui.adversary import games as adversary_games
from dpviz.ui.adversary import risk as adversary_risk
from dpviz.ui.adversary import view as adversary
from dpviz.ui.adversary import words as adversary_words
from dpviz.ui.shell import shell, words

shell.ensure_entrypoint()

# Ask.
asked = adversary_inputs.question()

# Compute.
found = adversary_answer.answer(asked)
shown = adversary_games.shown(asked.game)

# Draw.
st.title("What does an attacker see, and how often do they guess right?", anchor=False)
st.markdown(adversary.finding(asked, found))
adversary.metrics(asked, found, shown)
views, errors = st.columns([5, 4], gap="medium")
with views:
    adversary.picture(asked, found, shown)
    played = st.container()
with errors:
    adversary.tradeoff(asked, found, shown)
    st.markdown(adversary_words.played(shown, asked.prior, found.success, found.bound.own))
adversary_risk.panel(asked, found)

# Explain.
adversary_risk.tables(asked, found)
adversary_inputs.neighbours()
adversary.theorems(asked)
st.caption(
    "World 0 and world 1 differ in one component of the data. The number of releases is fixed before the first result "
    f"is seen, and their noises are independent. Risks are proven upper bounds, rounded up. {words.NOISE}"
)

# A long run takes time: everything else is on the screen first.
adversary_games.panel(asked.game, played)
