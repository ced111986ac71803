"""Does it cost what somebody says?"""

import streamlit as st

from dpviz.ui.claims import answer as answers
from dpviz.ui.claims import asked as asks
from dpviz.ui.claims import view
from dpviz.ui.claims import words as told
from dpviz.ui.shell import components, shell

shell.ensure_entrypoint()

# Ask.
asked = asks.question()
st.title(told.TITLE_IN_WORDS if asked.in_words else told.TITLE, anchor=False)

# Compute and draw.
with view.possible():
    found = asked.stated and answers.judged(asked.plan, asked.stated, asked.left_open, asked.incomplete)
    if found:
        view.verdict(asked, found)
    else:
        view.unclaimed(asked)
    view.releases(asked)
    if found and not asked.in_words:
        view.readings(asked, found)
        # Explain.
        view.why(found)
components.assumed("The claim is about the releases as they are listed here; others of the same data are not in it.")
