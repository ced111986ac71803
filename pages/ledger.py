"""What was promised, reserved and spent?"""

import streamlit as st

from dpviz.ui.ledger import answer as answers
from dpviz.ui.ledger import asked as asks
from dpviz.ui.ledger import deeds, view
from dpviz.ui.ledger import words as told
from dpviz.ui.shell import components, reading, shell

shell.ensure_entrypoint()
st.title(told.TITLE, anchor=False)
asked = None
try:
    # Ask.
    asked = asks.question()

    # Compute.
    ledger = answers.shown(asked)
    budget = asks.budget(ledger.budgets)

    # Draw.
    if not asked.own:
        st.caption(told.EXAMPLE)
    if budget is None:
        st.markdown(told.NO_BUDGET)
    else:
        found = ledger.over_time(budget)
        st.markdown(reading.told(told.finding(ledger, budget, found)))
        view.picture(budget, found)
        counts = reading.told(told.counts(ledger, budget, found))
        if not reading.people():
            st.markdown(counts)
        for more in (told.whole(ledger, budget), told.lifetime(ledger, budget)):
            if more:
                st.markdown(reading.told(more))
        if not reading.people():
            view.numbers(ledger, budget, found)
    if asked.own:
        deeds.panel(asked, ledger, budget)
    else:
        deeds.begin(asked)
    if len(ledger.budgets) > 1:
        view.budgets(ledger)
    view.entries(asked, ledger, budget)

    # Explain.
    if budget is not None:
        view.why(budget, counts if reading.people() else "")
except (ValueError, ImportError) as error:  # of the database: in use, full, damaged, of a newer version
    st.error(told.refused(error))
    view.as_it_is(asked)
components.assumed(told.BELIEVED)
