"""The address of a page as a store of documents: it always carries the one that is worked on, whole or by name.

`st.session_state` holds what was written last (`shell.WRITTEN`), the saved version beside it
(`shell.SAVED`), what was written before ("known"), and the token of the document, made once for each ("tokened",
"token").
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.history import LONGEST_PAST
from dpviz.plan import Document
from dpviz.plan.files import permalink
from dpviz.plan.store import NotKept
from dpviz.ui.shell import examples, refusals, shell
from dpviz.ui.shell.document import session

PLAN, EXAMPLE = "plan", "example"  # their names in the address
SAVED = "saved"  # beside them, the version that the plan is a state of; alone, it opens that
LARGE = "large"  # stands there for a plan that is too large for an address
# By widget, what a choice was called in former versions, and its present name: an address holds the words of a choice,
# since Streamlit writes there what a choice shows.
FORMER: dict[str, dict[str, str]] = {
    "read": {"symbols": "numbers", "words": "people"},
    "solve": {"ε for an accuracy": "budget for an accuracy", "how many more": "how many more releases or epochs"},
    "abview": {"Published deployments": "Plan by plan"},  # they have a line of their own
    "more": {"Fit a budget": "Stated law"},  # the workbench fits
    "every": {"not": "not repeated"},
    "tview": {"Releases": "Windows"},  # the table stands above all views
    "panel": {"One release, every field": "Add, edit or remove"},
    "claimof": {"Iconic scenes": "Apple, iconic scenes"},
    "fview": {"K and advanced composition": "Against a number fixed in advance"},
}
# Widgets that are gone, by the key that addresses still hold, and where stands what they chose.
REMOVED = {"see": "What was a tab is an expander of the picture “How accurate”, and columns of the table."}


class Address:
    """The store that an address is: one document, by its name where it is an example, else by its token."""

    sees = "Whoever has the link sees the plan, with the names of its releases."

    def open(self, name: str) -> Document:
        """Return the document that an address with this part holds."""
        kind, _, text = name.partition("=")
        if kind == EXAMPLE and text != examples.OWN:
            key = text if text in examples.BY_KEY else examples.FIRST
            return Document(examples.plan_of(key), key)
        if kind != PLAN or text == LARGE:
            raise NotKept(f"name must be that of an example, or hold a plan; got {name!r}")
        found = permalink.document(text)
        return replace(found, name=examples.name_of(found.plan)) if found == Document(found.plan) else found

    def save(self, document: Document) -> str:
        """Let the address hold the document, and return the part of it that does."""
        if document.pristine and document.name in examples.BY_KEY and document.plan == examples.plan_of(document.name):
            return _write(EXAMPLE, document.name)
        token, trouble = _token(document)
        if trouble:
            raise permalink.PermalinkError(trouble)
        return _write(PLAN, token)

    def list(self) -> tuple[str, ...]:
        """Return the part of the address that holds a document, if there is one."""
        asked = _asked()
        return () if asked is None or asked[1] in (LARGE, examples.OWN) else ("=".join(asked),)


def page() -> str:
    """Return what tells one page from another."""
    return get_script_run_ctx().page_script_hash


def arrive() -> None:
    """Start a session with what its address holds."""
    asked = _asked()
    if asked is None and shell.former(st.context.url):  # such an address without a plan showed the first example
        asked = EXAMPLE, examples.FIRST
    session.arrive(session.EMPTY if asked is None else _found(*asked))
    if asked is not None:
        session.begin_work()


def bare() -> bool:
    """Say whether the address holds no document."""
    return _asked() is None


def large() -> bool:
    """Say whether the address says of its document that it is too large for one."""
    return _asked() == (PLAN, LARGE)


def named() -> str:
    """Return the saved plan or version that the address names, "" where it names none."""
    return st.query_params.get(SAVED) or ""


def followed() -> bool:
    """Say whether a visitor went to this address by the browser's Back or Forward."""
    return bool(get_script_run_ctx().is_history_navigation)


def left() -> bool:
    """Say whether a visitor went back from a plan to where none was begun yet."""
    return bare() and followed() and session.begun() and session.document() not in (None, session.EMPTY)


def name_saved(version: str) -> None:
    """Let the address say of which saved version its plan is a state; "" for of none."""
    st.session_state[shell.SAVED] = version
    if version and version != named():
        st.query_params[SAVED] = version
    elif not version:
        st.query_params.pop(SAVED, None)


def _asked() -> tuple[str, str] | None:
    """What the address names, and how: a plan's token before an example."""
    for name in (PLAN, EXAMPLE):
        if text := st.query_params.get(name):
            return name, text
    return None


def _found(name: str, text: str) -> Document | None:
    """The document that the address names; None, with a sentence, where it cannot be had."""
    session.tell("link", "")
    try:
        return Address().open(f"{name}={text}")
    except NotKept:
        return None
    except permalink.PermalinkError as error:
        session.tell("link", "\n".join(refusals.lines(error)))
        return None


def follow() -> None:
    """Open what the address names where a visitor went there: by a link, or by the browser's Back and Forward.

    A rerun may also carry an address that is older than the document, when something is pressed before the browser
    has heard of the last change, be it a link to another page: that is no wish to go back.
    """
    asked = _asked()
    if asked is None or asked == st.session_state.get(shell.WRITTEN) or asked[1] == LARGE:
        return
    if not followed() and asked in st.session_state.get("known", ()):
        return
    found = _found(*asked)
    if found is not None and found != session.document():
        (session.go_to if followed() else session.change)(found)
    session.begin_work()


def write(*, bare: bool = False) -> None:
    """Let the address hold the document, and say so where it is too large; links alone hold it where it is `bare`."""
    held = session.document()
    if held is None:
        return
    if bare or held == session.EMPTY:  # nothing is planned yet
        st.session_state[shell.WRITTEN] = (EXAMPLE, held.name) if bare and held != session.EMPTY else None
        for name in (PLAN, EXAMPLE):
            st.query_params.pop(name, None)
        return
    try:
        Address().save(held)
    except permalink.PermalinkError:
        _write(PLAN, LARGE)


def _write(name: str, text: str) -> str:
    written = st.session_state[shell.WRITTEN] = name, text
    st.session_state["known"] = (*st.session_state.get("known", ()), written)[-2 * LONGEST_PAST :]
    other = EXAMPLE if name == PLAN else PLAN
    if st.query_params.get(name) != text or st.query_params.get(other):
        st.query_params.update({name: text, other: ()})  # at once: each message is a step of Back
    return "=".join(written)


def _token(held: Document) -> tuple[str, str]:
    """The token of the document, and why there is none; made once for each."""
    if st.session_state.get("tokened") is not held:
        try:
            token, trouble = permalink.token(held), ""
        except permalink.PermalinkError as error:
            token, trouble = "", refusals.sentence(error)
        st.session_state.update(tokened=held, token=(token, trouble))
    return st.session_state["token"]


def token() -> str:
    """Return the token of the document; "" where it is too large for one, or none is here."""
    return "" if session.document() is None else _token(session.document())[0]


def last() -> str:
    """Return the part of the address that holds what is worked on; "" where nothing is, or it is too large."""
    written = st.session_state.get(shell.WRITTEN)
    if not session.begun() or not written or written[1] == LARGE:
        return ""
    version = st.session_state.get(shell.SAVED)
    return f"?{urlencode([written, *([(SAVED, version)] if version else ())])}"


def link() -> str:
    """Return the address of this page with its inputs and the document; "" where that is too large for one.

    It shows what it holds, and leads to nothing that is saved.
    """
    token, trouble = _token(session.document())
    if trouble:
        return ""
    view = [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]
    view = [(name, value) for name, value in view if name not in (PLAN, EXAMPLE, SAVED)]
    return f"{st.context.url or ''}?{urlencode([(PLAN, token), *view])}"


def of_plan(people: bool) -> str:
    """Return the address of the plan's page with plan and name alone: no plan A, no view; "" where it is too large.

    A statement prints it beside the digest of the plan, which is that of what it opens; for people it opens so, too.
    """
    held = session.document()
    if st.session_state.get("plainly_tokened") is not held:
        try:
            plain = permalink.token(Document(session.current(), held.name))
        except permalink.PermalinkError:
            plain = ""
        st.session_state.update(plainly_tokened=held, plain_token=plain)
    if not (token := st.session_state["plain_token"]):
        return ""
    level = [("read", "people")] if people else []
    return f"{shell.root(st.context.url or '')}?{urlencode([(PLAN, token), *level])}"


def too_large() -> str:
    """Return why the document is in no address; "" where it is."""
    return _token(session.document())[1] if st.session_state.get(shell.WRITTEN) == (PLAN, LARGE) else ""


def rename_choices() -> None:
    """Give choices in the address their present names, and start again, so that their widgets read those."""
    named = {key: st.query_params.get_all(key) for key in FORMER.keys() & set(st.query_params)}
    renamed = {key: [FORMER[key].get(name, name) for name in names] for key, names in named.items()}
    if renamed != named:
        with suppress(StreamlitAPIException):  # a widget of this page holds one already: it has refused the former name
            st.query_params.update(renamed)
            st.rerun()
