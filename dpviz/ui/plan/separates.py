"""Whom the promise separates: two sentences, what differs between them, and whether they may be told apart."""

from __future__ import annotations

import streamlit as st

from dpviz.plan import Plan
from dpviz.plan.periods import period
from dpviz.planning import Difference
from dpviz.planning.separation import HOW, LASTS, WHO, covered, of_persons
from dpviz.ui.shell import inputs, reading, refusals
from dpviz.ui.shell.kept import kept
from dpviz.ui.shell.words import escaped

SENTENCES = ("Anna was in hospital on 3 May.", "Anna was never there.")
ASKED = {"world1", "world2", "sepwho", "sephow", "sepdays", "seprecords", "seppeople", "sepalone"}
LONGEST, MOST = 200, 10_000  # of a sentence; people, or records
SIGNS = {"covered": ":material/check_circle:", "dearer": ":material/warning:", "open": ":material/error:"}
_covered = kept(128, 1)(covered)


def panel(plan: Plan) -> None:
    """Draw the two sentences, the facts that decide, and the answer; asked for where it is opened."""
    opened = {"expanded": bool(ASKED & set(st.query_params)), "key": "separates", "on_change": "rerun"}
    label = "Whom does it separate? Two sentences, and whether the promise covers telling them apart"
    place = st.expander(label, icon=":material/difference:", **opened)
    if not place.open:
        return
    with place:
        about = "Nobody reads these sentences but you: what decides is asked beneath them."
        for column, number, said in zip(st.columns(2), (1, 2), SENTENCES, strict=True):
            with column:
                inputs.line(f"World {number}", f"world{number}", said, LONGEST, about)
        asked = _difference(plan)
        try:
            found = _covered(plan, asked)
        except ValueError as error:
            st.warning(f"So much cannot be counted here. {refusals.drawn(error)}")
            return
        st.markdown(f"{SIGNS[found.verdict]} {reading.told(escaped(str(found)))}")
        st.caption(
            "Counted from the unit of privacy, its period and what may change between neighbours, as the promise above "
            "states them. Days in a row are taken to begin anywhere. What is known of somebody from elsewhere, and "
            "what is true of everybody, no promise hides."
        )


def _difference(plan: Plan) -> Difference:
    """The facts: those that this promise does not need are not asked."""
    unit = plan.unit or ""
    first, second, third = st.columns(3)
    with first:
        who = inputs.choice("Who differs", "sepwho", tuple(WHO), "Between the two sentences.", format_func=WHO.get)
    with second:
        about = "Of what differs itself: it is in the data of one world only, or in both with different values."
        how = inputs.choice("How", "sephow", tuple(HOW), about, format_func=HOW.get)
    days = records = people = 1
    with third:
        if period(unit):
            days = inputs.count("Over days in a row", "sepdays", int(LASTS.high), 1, "3 May to 9 May are seven.")
        if not of_persons(unit):
            about = f"How many of “{escaped(unit)}” differ, in all." if unit else "How many records differ, in all."
            records = inputs.count("Records that differ", "seprecords", MOST, 1, about)
        elif who == "people":
            people = inputs.count("People who differ", "seppeople", MOST, 2, "All of them at once.", least=1)
    about = "On: whoever differs has no other record in the data, in either world."
    alone = of_persons(unit) and how == "presence" and inputs.toggle("Nothing else of them is there", "sepalone", about)
    return Difference(who, how, days, records, people, bool(alone))
