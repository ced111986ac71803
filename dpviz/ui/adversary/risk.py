"""The risk panel of the adversary page: odds in words, icon arrays, slopes, and the exact numbers."""

from __future__ import annotations

import streamlit as st

from dpviz.ui.adversary import answer as answers
from dpviz.ui.adversary import words as told
from dpviz.ui.adversary.answer import Found
from dpviz.ui.adversary.asked import Question
from dpviz.ui.shell import risks


def panel(asked: Question, found: Found) -> None:
    """Draw what could be learned about one unit: in words, as icons, as slopes."""
    st.header(f"What could be learned about one {told.unit_name(asked.unit)}?", anchor=False)
    icons, slopes = st.columns(2, gap="medium")
    with icons:
        odds = answers.odds(asked.theory, asked.unit, asked.relation)
        risks.people(odds, asked.relation, asked.unit, "adversary")
    with slopes:
        risks.slopes(answers.posteriors(asked.theory, asked.prior), found.bound.own, "adversary")
    if not asked.in_words:
        st.caption(told.about_pair(found.bound.pair))


def table(asked: Question, found: Found) -> None:
    """Draw the exact risks, each beside what the pair alone implies; how sure one becomes is in its chart's CSV."""
    risks.table(answers.attacks(asked.theory, asked.prior), found.bound.own)
