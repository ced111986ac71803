"""Handing a plan over: the link to this screen, a report, and code that computes the numbers again."""

from __future__ import annotations

from datetime import date

import streamlit as st

from dpviz.plan import permalink
from dpviz.report import html as report
from dpviz.report import programs as snippets
from dpviz.ui.shell import examples, shell, words, workspace

CODE = (  # label, file, and what writes it
    ("dpviz", "plan_dpviz.py", snippets.dpviz_snippet),
    ("dp-accounting", "plan_dp_accounting.py", snippets.dp_accounting_snippet),
)


def panel() -> None:
    """Draw the panel at the end of the sidebar: every page has it."""
    with st.sidebar:
        st.button(
            "Undo the last change",
            on_click=workspace.undo,
            disabled=not workspace.past(),
            key="undo_any",
            width="stretch",
            help="Of rows, budget, unit, relation, order or A, on any page.",
        )
    with st.sidebar, st.popover("Copy link, report, code", key="handover", width="stretch"):
        _incomplete()
        place = _link()
        _report(place)
        _code()


def _incomplete() -> None:
    """Warn of what the plan that is handed over leaves out, or leaves open."""
    held = workspace.document()
    if count := len(held.uncounted):
        rows = "One row of the table is" if count == 1 else f"{count} rows of the table are"
        st.warning(f"{rows} not counted: report and code hold the other rows only. The report says so.")
    if held.questions:
        st.warning("Something is still to be said of this plan: see the question on its page.")


def _link() -> str:
    """Draw the link to this page with this plan and these inputs; return it, "" where there is none."""
    st.markdown("**Link to this screen**")
    place = workspace.link()
    if not place:
        st.markdown(words.escaped(workspace.too_large()))
        return ""
    st.code(place, language=None, wrap_lines=True)
    st.caption("Whoever has the link has the plan with its names.")
    return place


def _report(place: str) -> None:
    held = workspace.document()
    st.markdown("**Report of the plan**")
    with st.container(horizontal=True):
        for name, kind, write in (("HTML", "text/html", report.html), ("JSON", "application/json", report.as_json)):
            st.download_button(
                f"Report as {name}",
                lambda write=write: write(
                    held.plan, held.baseline, place, held.uncounted, name=held.name, author=held.author, on=date.today()
                ),
                f"plan-report.{name.lower()}",
                kind,
                on_click="ignore",
                key=f"report_{name.lower()}",
                help="One page that opens without network and prints on two sheets."
                if name == "HTML"
                else "The same fields for machines.",
            )


def _code() -> None:
    plan = workspace.current()
    st.markdown("**Code that computes it again**")
    with st.container(horizontal=True):
        for label, file, write in CODE:
            st.download_button(
                f"Python, {label}",
                lambda write=write: write(plan),
                file,
                "text/x-python",
                on_click="ignore",
                key=f"code_{file}",
                help=f"A program that verifies the total with {label}.",
            )


def guided() -> None:
    """Draw the examples that a first visit is led to."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**New here?** Open")
        for each in examples.GUIDED:
            link = {**dict(each.view), workspace.PLAN: permalink.token(examples.plan_of(each.example))}
            page = shell.ROOT / "pages" / f"{each.page}.py"
            st.page_link(page, label=each.label, icon="➡️", query_params=link, help=each.question)
