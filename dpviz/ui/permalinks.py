"""Links that hold the whole plan: made on every page, and opened by whoever comes through one."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from dpviz import permalink
from dpviz.plan import Plan
from dpviz.ui import examples, inputs, words

KEY = "plan"  # of the token in the address


def open_address() -> None:
    """Open the plan that the address holds, once; a token that cannot be opened leaves the default and a sentence."""
    token = st.query_params.get(KEY)
    if not token or token == st.session_state.get("link"):
        return
    st.session_state["link"] = token
    st.session_state.pop("link_trouble", None)
    try:
        plan = permalink.opened(token)
    except permalink.PermalinkError as error:
        st.session_state["link_trouble"] = str(error)
        st.session_state["link"] = None
        del st.query_params[KEY]
        return
    inputs.current()
    inputs.open_plan(plan, _example_of(plan))


def _example_of(plan: Plan) -> str:
    """The example that the plan is, else the visitor's own."""
    return next((key for key in examples.BY_KEY if examples.plan_of(key) == plan), examples.OWN)


def trouble() -> None:
    """Say why the link of the address was not opened, until another plan is opened or this one is changed."""
    sentence = st.session_state.get("link_trouble")
    if not sentence:
        return
    if inputs.current() != examples.plan_of(inputs.OPTIONS[0]):
        del st.session_state["link_trouble"]
        return
    st.warning(f"{words.escaped(sentence)} Below is the first example instead.")


def address() -> str:
    """Return the address of this page with its inputs and the current plan.

    Raises
    ------
    PermalinkError
        When the plan is too large for a link.
    """
    view = [(name, value) for name in st.query_params for value in st.query_params.get_all(name) if name != KEY]
    plan = [(KEY, permalink.token(inputs.current()))] if "plan" in st.session_state else []
    return f"{st.context.url or ''}?{urlencode(plan + view)}"


def follow() -> None:
    """Keep the plan in the address up to date where it is there already: a visitor's names do not get there unasked."""
    if not st.session_state.get("link"):
        return
    try:
        token = permalink.token(inputs.current())
    except permalink.PermalinkError:
        return
    st.session_state["link"] = token
    if st.query_params.get(KEY) != token:
        st.query_params[KEY] = token
