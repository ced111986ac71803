"""The form of what is stated in public beside the numbers: a box for each field, "not stated" until it is filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import streamlit as st

from dpviz.plan.disclosure import DISCLOSED, LONGEST_STATED, NOT_STATED, Disclosure, Stated, checked_stated
from dpviz.report.said import QUESTIONS
from dpviz.ui.shell import page_state, reading
from dpviz.ui.shell.document import edits, session

LABEL = "What is stated beside the numbers"
FIRST = "Asked on the page in plain words until it is answered"
HEIGHT = 80  # pixels of a box
REFUSED = "What was pasted holds a control character: delete it, or type the text anew. Nothing is lost."


def form() -> None:
    """Draw the form in a line that opens, and beneath it how much is stated."""
    said = session.current().disclosure or Disclosure()
    # The same words whatever is stated: a line with other words would close on who types.
    place = st.expander(LABEL, icon=":material/edit_note:", key="disclosing", on_change="rerun")
    listed = "" if reading.people() else " “Statement with theorems” lists what is not."
    st.caption(f"{len(said.stated)} of {len(DISCLOSED)} are stated.{listed}")
    if not place.open:
        return
    with place:
        st.caption("NIST SP 800-226 and the registries of deployments ask for these. They are kept with the plan.")
        for heading, group in _groups():
            st.markdown(f"**{heading}**")
            for each in group:
                _box(each, getattr(said, each.name))


def _groups() -> Iterator[tuple[str, Iterable[Stated]]]:
    """The fields under their headings; before all others those that the page in plain words asks about."""
    named = {each.name: each for each in DISCLOSED}
    yield FIRST, [named.pop(name) for name in QUESTIONS]
    yield from groupby(named.values(), lambda each: each.group)


def _box(stated: Stated, text: str) -> None:
    """The box of a field, which the page in plain words asks about in the same words."""
    asked = QUESTIONS.get(stated.name)
    label, about = (asked, f"{stated.label}: {stated.help}") if asked else (stated.label, stated.help)
    key = session.of_revision(f"disclosed_{stated.name}")
    refused = _refused(stated.name, page_state.held(key, ""))
    if not refused:
        page_state.fill({key: text})
    st.text_area(
        label, key=key, help=f"{about} Asked for by: {', '.join(stated.asked)}.", height=HEIGHT,
        max_chars=LONGEST_STATED, placeholder=NOT_STATED, on_change=edits.disclose, args=(stated.name,),
    )  # fmt: skip
    if refused:
        st.error(REFUSED)


def _refused(name: str, typed: object) -> bool:
    try:
        checked_stated(name, typed)
    except ValueError:
        return True
    return False
