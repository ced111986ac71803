"""The forms of what is stated in public beside the numbers: a box for each field, "not stated" until it is filled."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from dpviz.plan.disclosure import DISCLOSED, LONGEST_STATED, NOT_STATED, Disclosure, Stated, checked_stated
from dpviz.report.said import QUESTIONS, not_answered
from dpviz.ui.shell import page_state, reading
from dpviz.ui.shell.document import edits, session

# The same words whatever is stated: a line with other words would close on who types.
LABEL, ASKED = "What is stated beside the numbers", "Answer here what “{}” asks"
HEIGHT = 80  # pixels of a box
_NAMED = {each.name: each for each in DISCLOSED}
REFUSED = "What was pasted holds a control character: delete it, or type the text anew. Nothing is lost."


def asked(page: str) -> None:
    """Draw what `page` prints as a question as long as nobody answers it, in a line that opens to be answered."""
    said, count = session.current().disclosure or Disclosure(), len(not_answered(session.current()))
    place = st.expander(ASKED.format(page), icon=":material/edit_note:", key="asked_in_words", on_change="rerun")
    unanswered = "1 question is" if count == 1 else f"{count} questions are"
    st.caption(f"So far, {unanswered} printed there as not answered yet." if count else "All of them are answered.")
    if place.open:
        with place:
            for name, question in QUESTIONS.items():
                _box(_NAMED[name], getattr(said, name), question)


def form() -> None:
    """Draw the form of all else in a line that opens, and beneath it how much is stated."""
    said = session.current().disclosure or Disclosure()
    fields = [each for each in DISCLOSED if each.name not in QUESTIONS]
    place = st.expander(LABEL, icon=":material/edit_note:", key="disclosing", on_change="rerun")
    listed = "" if reading.people() else " “Statement with theorems” lists what is not."
    st.caption(f"{sum(each.name in said.stated for each in fields)} of {len(fields)} are stated.{listed}")
    if not place.open:
        return
    with place:
        st.caption("NIST SP 800-226 and the registries of deployments ask for these. They are kept with the plan.")
        for heading, group in groupby(fields, lambda each: each.group):
            st.markdown(f"**{heading}**")
            for each in group:
                _box(each, getattr(said, each.name))


def _box(stated: Stated, text: str, question: str = "") -> None:
    key = session.of_revision(f"disclosed_{stated.name}")
    refused = _refused(stated.name, page_state.held(key, ""))
    if not refused:
        page_state.fill({key: text})
    about = f"{f'{stated.label}: ' * bool(question)}{stated.help} Asked for by: {', '.join(stated.asked)}."
    st.text_area(
        question or stated.label, key=key, help=about, height=HEIGHT, max_chars=LONGEST_STATED,
        placeholder=NOT_STATED, on_change=edits.disclose, args=(stated.name,),
    )  # fmt: skip
    if refused:
        st.error(REFUSED)


def _refused(name: str, typed: object) -> bool:
    try:
        checked_stated(name, typed)
    except ValueError:
        return True
    return False
