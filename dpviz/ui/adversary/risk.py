"""The risk panel of the adversary page: odds in words, icon arrays, slopes, and the exact numbers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpviz.figures import posterior_slopes as slopes_figure
from dpviz.figures.icon_arrays import icon_arrays
from dpviz.rounding import probability_in_words
from dpviz.ui.adversary import answer as answers
from dpviz.ui.adversary import words as told
from dpviz.ui.adversary.answer import Found
from dpviz.ui.adversary.asked import Question
from dpviz.ui.shell import components
from dpviz.ui.shell.words import escaped


def panel(asked: Question, found: Found) -> None:
    """Draw what could be learned about one unit: in words, as icons, as slopes."""
    st.header(f"What could be learned about one {told.unit_name(asked.unit)}?", anchor=False)
    icons, slopes = st.columns(2, gap="medium")
    with icons:
        _icons(asked)
    with slopes:
        _slopes(asked, found)
    if not asked.in_words:
        st.caption(told.about_pair(found.bound.pair))


def _icons(asked: Question) -> None:
    odds = answers.odds(asked.theory, asked.unit, asked.relation)
    st.markdown(escaped(odds.sentence))
    titles = told.icon_titles(asked.relation, asked.unit)
    counts = pd.DataFrame({"world": [0, 1], "taken_as_sign": [odds.without, odds.within], "of": odds.denominator})
    figure = icon_arrays(odds.without, odds.within, odds.denominator, titles, components.dark())
    title = f"Orange: what is taken as a sign, {odds.without:,} results against {odds.within:,}"
    components.chart(figure, counts, "adversary-odds", title, odds.sentence)


def _slopes(asked: Question, found: Found) -> None:
    frame = answers.posteriors(asked.theory, asked.prior)
    rare = frame[frame.probability == answers.RARELY]
    chance = probability_in_words(answers.RARELY)
    st.markdown(
        f"How sure an attacker can become, at most: but for results of probability {chance}, in which they may learn "
        "more. Inferences that would be true without this data are not covered."
    )
    sure = "Whatever they believed before, they may be all but sure afterwards"
    doubt = "The less likely beforehand, the less the same releases can tell"
    components.chart(
        slopes_figure.posterior_slopes(rare, found.bound.own, components.dark(), not asked.in_words),
        frame,
        "adversary-posteriors",
        sure if rare.posterior.min() > 0.99 else doubt,
        slopes_figure.described(rare),
    )


def table(asked: Question, found: Found) -> None:
    """Draw the exact risks, each beside what the pair alone implies; how sure one becomes is in its chart's CSV."""
    rows = told.success_rows(answers.attacks(asked.theory, asked.prior), found.bound.own)
    names = {"risk": "Risk, at most", "value": "These releases", "pair": "(ε, δ) alone"}
    st.dataframe(rows, hide_index=True, column_config=names, alt="Attack rates and what the pair alone implies")
