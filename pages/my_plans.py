"""Which plans are saved, and where does each stand?"""

import streamlit as st

from dpviz.ui.my_plans import answer as answers
from dpviz.ui.my_plans import asked as asks
from dpviz.ui.my_plans import view
from dpviz.ui.my_plans import words as told
from dpviz.ui.shell import shell, workspace
from dpviz.ui.shell.document import saved, saving

shell.ensure_entrypoint()
workspace.begin()
view.lead_on()

st.title(told.TITLE, anchor=False)
if reason := saving.why_not():
    view.not_here(reason)
else:
    view.trouble()
    with saved.shown():
        if answers.anything():
            finding = st.container()
            view.at_work()
            # Ask, compute, draw.
            asked = asks.question()
            view.plans(finding, asked, answers.found(asked))
        else:
            view.first()
        view.projects()
    saving.log_in_or_out("page")
