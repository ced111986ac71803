"""Handing a plan over: the link to this screen, the statement, and code that computes the numbers again."""

from __future__ import annotations

import html
from dataclasses import replace
from datetime import date

import streamlit as st

from dpviz.figures.base.scale import FAINT
from dpviz.plan import Document, Plan
from dpviz.plan.disclosure import NOT_STATED
from dpviz.plan.document import LONGEST_NAME
from dpviz.plan.units import whose
from dpviz.planning.scenario import alike
from dpviz.report.said import in_brackets, rows_taken_once
from dpviz.report.subject import Subject, opens_here_only
from dpviz.ui.shell import components, disclosing, examples, inputs, page_state, reading, words
from dpviz.ui.shell.document import address, edits, session
from dpviz.ui.shell.document.rows import faults_of
from dpviz.ui.shell.document.unanswered import unanswered

# A browser copies only for a button of the page itself; elsewhere than on https or this machine, by the older way.
COPY = """<button id="dpviz-copy" style="{button}">Copy link</button>
<input id="dpviz-link" readonly aria-label="Link to this screen" value="{link}" style="font:inherit;width:100%;
margin-top:.5rem;padding:.3rem;border:1px solid {line};border-radius:.4rem;background:transparent;color:inherit">
<script>(() => {{
  const button = document.getElementById("dpviz-copy"), field = document.getElementById("dpviz-link");
  const done = () => {{ button.textContent = "Copied"; setTimeout(() => button.textContent = "Copy link", 10000); }};
  const older = () => {{ field.select(); if (document.execCommand("copy")) done(); }};
  // A browser's order of keys has the panel behind the whole page: who opens it is brought into it.
  if (document.activeElement?.closest("[data-testid=stPopover]")) button.focus();
  button.onclick = () => navigator.clipboard ? navigator.clipboard.writeText(field.value).then(done, older) : older();
}})();</script>"""
STATEMENTS = (  # ending, label, type and what it is for; how each is written, `dpviz.report.forms` knows
    ("html", "Statement with theorems", "text/html", "It opens without network and prints on two sheets."),
    ("md", "Statement as Markdown", "text/markdown", "The same text for a repository or a wiki."),
    ("json", "Statement as JSON", "application/json", "The same fields for machines, under a published schema."),
    ("yaml", "Registry entry", "application/yaml",
        "A draft for the OpenDP deployments registry, with a list of what is not stated."),
)  # fmt: skip
SAVES = ":material/download:"
PLAIN, ON_PAPER = "One page in plain words", "It opens without network, and prints on one sheet."
HERE_ONLY = " It opens on this machine only."
KEPT = " Plan A is in this link, too."
FOR_PEOPLE = "Without theorems and symbols, for whoever decides, and for people concerned."
WITH_A, ABOUT_A = "Compare with plan A in it", "Off: it tells of this plan alone. On: it holds A beside it."
ONE_ROW = "No: state that each counts once"
CODE = (("dpviz", "plan_dpviz.py"), ("dp-accounting", "plan_dp_accounting.py"))  # label and file


def panel() -> None:
    """Draw the panel that hands the plan over: in the head of the plan's page, and in the sidebar of every other."""
    with st.popover("Share", key="handover", icon=":material/share:"):
        _incomplete()
        _link()
        _statement()
        _files()
        _stated()


def way_back() -> None:
    """Draw undo where a page could not be drawn, its own with it."""
    st.button("Undo the last change", on_click=session.undo, disabled=not session.can_undo(), key="undo_broken")


def beside() -> None:
    """Draw undo and the panel in the sidebar of a page of the library."""
    with st.sidebar, st.container(horizontal=True):
        buttons()


def buttons() -> None:
    """Draw undo and the panel beside each other."""
    none = not session.can_undo()
    label = "Undo in the plan"  # a page may have steps of its own to undo
    about = "Takes back the last change of the plan."
    st.button(label, on_click=session.undo, disabled=none, key="undo_any", icon=":material/undo:", help=about)
    panel()
    page_state.tell_filled()


def _incomplete() -> None:
    """Warn of what the plan that is handed over leaves out, or leaves open."""
    held = session.document()
    if count := len(held.uncounted):
        rows = "One row of the table is" if count == 1 else f"{count} rows of the table are"
        st.warning(f"{rows} not counted: statement and code hold the other rows only. The statement says so.")
    if held.origin and held.origin.incomplete:
        st.warning("Releases are missing here: not all of the file that the plan was opened from was understood.")
    if held.questions or held.typed_shorter:
        st.warning(inputs.UNSAID)


def _link() -> None:
    """Draw the link to this page with this plan and these inputs, and say what else it holds."""
    st.markdown("**Link to this screen**")
    place = address.link()
    if not place:
        st.markdown(words.escaped(address.too_large()))
        return
    st.html(COPY.format(button=components.BUTTON, line=FAINT, link=html.escape(place)), unsafe_allow_javascript=True)
    held = session.document()
    near = HERE_ONLY if opens_here_only(place) else ""
    st.caption(f"{address.Address.sees}{near}{KEPT if held.baseline not in (None, held.plan) else ''}")


def _statement() -> None:
    """Ask what the statement would leave open, and offer it in every form, beside plan A where that is wanted."""
    held = session.document()
    st.markdown("**Report: the statement of the plan, as a file to keep or print**")
    _rows()
    _signed()
    disclosing.asked(PLAIN)
    differs = held.baseline and not alike(held.baseline, held.plan)  # else nothing is compared
    other = held.baseline if differs and inputs.toggle(WITH_A, "witha", ABOUT_A) else None
    subject = Subject(
        held.plan, other, address.of_plan(reading.people()), _left_out(held),
        name=_title(held) if reading.people() else examples.title(held.name), author=held.author, on=date.today(),
        people=reading.people(), unanswered=unanswered(held),
    )  # fmt: skip
    with st.container(horizontal=True):
        if not subject.people:
            plain = replace(subject, people=True, address=address.of_plan(True), name=_title(held))
            st.download_button(
                PLAIN, lambda: written("html", plain), f"{session.file_name()}-statement-in-words.html", "text/html",
                on_click="ignore", icon=SAVES, key="report_words", help=FOR_PEOPLE,
            )  # fmt: skip
        for key, label, mime, about in STATEMENTS:
            if key == "html" and subject.people:
                label, about = PLAIN, ON_PAPER
            st.download_button(
                label, lambda key=key: written(key, subject), f"{session.file_name()}-statement.{key}", mime,
                on_click="ignore", icon=SAVES, key=f"report_{key}", help=about,
            )  # fmt: skip


def _left_out(held: Document) -> tuple[str, ...]:
    """The rows of the table that are not counted, and why."""
    why = faults_of(held)
    return tuple(f"{row}: {why[row.position].rstrip('.')}" for row in held.uncounted)


def _rows() -> None:
    """Offer to state of releases that they hold one row of each unit, where a statement would say that nobody has."""
    plan = session.current()
    rows = rows_taken_once(plan)
    if reading.people() or not rows or (plan.disclosure and plan.disclosure.contributions):  # in words of their own
        return
    asked = f"Can one release count one {whose(plan.unit_in_words)} more than once{in_brackets(plan, rows)}?"
    st.caption(words.escaped(f"{asked} Then more may be lost than is told here."))
    press = edits.pressed(edits.replace_releases, edits.stated_once(plan, rows))
    st.button(ONE_ROW, key="one_row", icon=":material/check:", **press)


def _title(held: Document) -> str:
    """As somebody named the plan, if anybody did; else it names the unit, and so as people are not told it."""
    return examples.title(examples.given(held.name, held.plan.unit_in_words))


def _signed() -> None:
    """Ask what the statements are called, and who answers for them, before one is saved."""
    held = session.document()
    title, author = session.of_revision("title"), session.of_revision("author")
    page_state.fill({title: _title(held), author: held.author})  # whatever page drew them last
    box = {"max_chars": LONGEST_NAME, "placeholder": NOT_STATED}
    for place, label, key, take in zip(
        st.columns(2), ("Title", "Author"), (title, author), (edits.rename, edits.sign), strict=True
    ):
        place.text_input(label, key=key, on_change=take, args=(title,) if key == title else (), **box)


def _stated() -> None:
    """Ask what statements say beside the numbers."""
    st.markdown("**Said in every statement**")
    disclosing.form()


def written(ending: str, subject: Subject) -> str:
    """Return a statement in the form of this ending; see `dpviz.report.forms`."""
    from dpviz import report as reports  # what writes statements is wanted by few

    return reports.written_as(f".{ending}")(subject)


def program(label: str, plan: Plan) -> str:
    """Return a program that verifies the total, by dpviz or dp-accounting."""
    from dpviz.report import programs

    return (programs.dpviz_snippet if label == "dpviz" else programs.dp_accounting_snippet)(plan)


def _files() -> None:
    """Offer the plan as the files that can be opened again, and as the programs that verify its total."""
    plan = session.current()
    st.markdown("**The plan as a file, and as code that computes it again**")
    with st.container(horizontal=True):
        for kind, write, mime, about in (
            ("CSV", plan.to_csv, "text/csv", "Releases and promise, for spreadsheets."),
            ("JSON", plan.to_json, "application/json", "The whole plan, with budget, unit and relation."),
        ):
            file = f"{session.file_name()}.{kind.lower()}"
            key = f"plan_{kind.lower()}"
            st.download_button(f"Save as {kind}", write, file, mime, on_click="ignore", key=key, help=about)
        for label, file in CODE:
            st.download_button(
                f"Python, {label}",
                lambda label=label: program(label, plan),
                file,
                "text/x-python",
                on_click="ignore",
                key=f"code_{file}",
                help=f"A program that verifies the total with {label}.",
            )
