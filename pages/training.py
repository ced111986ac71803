"""What does training a model cost, by the way its batches are drawn?"""

import streamlit as st

from dpviz.ui.shell import components, shell
from dpviz.ui.training import answer as answers
from dpviz.ui.training import asked as asks
from dpviz.ui.training import view
from dpviz.ui.training import words as told

shell.ensure_entrypoint()

# Ask.
asked = asks.question()

# Compute.
found = answers.answer(asked)

# Draw.
st.title("What does training cost?", anchor=False)
st.markdown(told.finding(asked, found))
view.keep(found)
if not asked.in_words:
    view.metrics(found)
view.use(found)
view.picture(asked, found)
if asked.in_words:
    view.schemes(found)
else:
    compared, batches, code, search = st.tabs(view.MORE, key="trainmore", bind="query-params")
    if compared.open:
        with compared:
            view.schemes(found)
    if batches.open:
        with batches:
            view.batches(found)
    if code.open:
        with code:
            view.program(found)
    if search.open:
        with search:
            view.search(found)
    # Explain.
    view.why()
components.assumed("Every record's gradient is clipped, and nobody sees which records a batch holds where it is drawn.")
