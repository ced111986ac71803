"""What is drawn of saved plans: the list, what can be done with each, and the projects."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.plan.document import LONGEST_NAME
from dpviz.store.in_force import InForce
from dpviz.store.people import LONGEST_PERSON, ROLES, Project
from dpviz.store.plans import Saved
from dpviz.ui.my_plans import answer as answers
from dpviz.ui.my_plans import edits
from dpviz.ui.my_plans import words as told
from dpviz.ui.my_plans.answer import Listed
from dpviz.ui.my_plans.asked import IN_A_PAGE, Asked
from dpviz.ui.shell import examples, page_state, shell
from dpviz.ui.shell.document import saved, saving, session
from dpviz.ui.shell.words import escaped


def lead_on() -> None:
    """Go to the plan's page where A against B was asked for."""
    if page_state.held(edits.OPENED):
        page_state.forget(edits.OPENED)
        page_state.put({"panel": shell.VERSUS})
        st.switch_page(shell.HOME.path, query_params=shell.carried() | {"panel": shell.VERSUS})


def trouble() -> None:
    """Say what could not be done last."""
    if sentence := session.told(edits.TOLD):
        st.error(escaped(sentence))


def not_here(reason: str) -> None:
    """Draw why nothing can be saved here, and what saving would be."""
    st.markdown(f"**{escaped(reason)}**")
    st.markdown(told.ABOUT)
    saving.log_in_or_out("page")


def first() -> None:
    """Draw what stands here before anything is saved: what it is, and one press that begins it."""
    st.markdown(f"**{told.NOTHING}** {told.ABOUT}")
    at_work(primary=True)
    st.caption(f"Who sees it: {escaped(saving.plans().sees)}")


def at_work(primary: bool = False) -> None:
    """Draw how to save the plan that is worked on, if one is and it is not; where to begin one otherwise."""
    held = session.document()
    if not session.begun() or held is None or held == session.EMPTY:
        if primary:
            shell.link(shell.HOME, "Begin a plan")
        return
    if not saved.unsaved():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        about = "not saved" if saved.base() is None else f"changed since version {saved.base().number}"
        st.markdown(f"You are working on **{escaped(examples.title(held.name))}**: {about}.", width="content")
        kind = "primary" if primary else "secondary"
        st.button("Save the plan you are working on", on_click=edits.save, key="save_current", type=kind)


def plans(place: DeltaGenerator, asked: Asked, found: tuple[Saved, ...]) -> None:
    """Draw the plans that were looked for, a page of them at once, and at this place what is found of them."""
    pages = -(-len(found) // IN_A_PAGE)
    at = min(int(page_state.held("plans_page") or 1), max(pages, 1)) - 1
    shown = answers.listed(found[at * IN_A_PAGE :][:IN_A_PAGE])
    with place:
        st.markdown(told.finding(len(found), shown, asked.words, asked.archived))
    names = [each.name for each in answers.projects()]
    for each in shown:
        with st.container(border=True):
            _plan(each, names)
    if pages > 1:
        st.pagination(pages, default=at + 1, key="plans_page")


def _plan(each: Listed, projects: list[str]) -> None:
    """Draw one plan: the way to it, what it costs, and what can be done with it."""
    shell.saved_link(each.saved.plan, f"**{told.title(each.saved)}**")
    st.caption(told.about(each, saving.person(), st.context.timezone))
    if each.used is None:
        st.markdown(told.cost(each))
    else:
        st.progress(math.ceil(100 * each.used), told.cost(each))  # as a float it would be rounded down
    label = "Versions, name, sharing"
    place = st.expander(label, key=f"more_{each.saved.plan}", on_change="rerun")
    if place.open:
        with place:
            _versions(each.saved, each.forces)
            _name(each.saved)
            _sharing(each.saved, projects)


def _versions(plan: Saved, forces: tuple[InForce, ...]) -> None:
    """Draw the versions of a plan: one to open, two to see side by side."""
    found = answers.versions(plan.plan)
    reader, zone, by_name = saving.person(), st.context.timezone, {each.name: each for each in found}

    def label(name: str) -> str:
        return told.version(by_name[name], reader, zone, forces)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = st.selectbox("Version", list(by_name), key=f"version_{plan.plan}", format_func=label)
        shell.saved_link(one, f"Open version {by_name[one].number}")
        st.button("Duplicate it", on_click=edits.duplicate, args=(one,), key=f"copy_{plan.plan}",
                  help="As a plan of your own, with one version.")  # fmt: skip
    if len(found) > 1:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            place = min(list(by_name).index(one) + 1, len(found) - 1)
            box = {"index": place, "key": f"other_{plan.plan}", "format_func": label}
            other = st.selectbox("Beside, as A", list(by_name), **box)
            st.button("Show both, A against B", on_click=edits.beside, args=(one, other), key=f"both_{plan.plan}")


def _name(plan: Saved) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Title in this list", plan.title, LONGEST_NAME, key=f"title_{plan.plan}",
                      on_change=edits.rename, args=(plan.plan,))  # fmt: skip
        label = "Bring back" if plan.archived else "Archive"
        st.button(label, on_click=edits.archive, args=(plan.plan, not plan.archived), key=f"archive_{plan.plan}")


def _sharing(plan: Saved, projects: list[str]) -> None:
    if not projects:
        st.caption("To share it, create a project below.")
        return
    choices = [told.NOBODY, *projects]
    if plan.project and plan.project not in projects:
        choices.append(plan.project)
    st.selectbox("Shared with the project", choices, index=choices.index(plan.project or told.NOBODY),
                 key=f"share_{plan.plan}", on_change=edits.share, args=(plan.plan, told.NOBODY))  # fmt: skip


def projects() -> None:
    """Draw the projects of whoever asks, their members by role, and how to make one."""
    st.header("Projects", anchor=False)
    alone = not saving.login_offered()
    st.markdown(f"{told.PROJECTS} {told.LOCAL_PROJECTS if alone else ''}")
    for each in answers.projects():
        place = st.expander(escaped(each.name), key=f"project_{each.id}", on_change="rerun")
        if place.open:
            with place:
                _members(each, alone)
    with st.form("new_project", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("New project", max_chars=LONGEST_NAME, key="project_name", placeholder="its name")
        st.form_submit_button("Create the project", on_click=edits.create_project)


def _members(project: Project, alone: bool) -> None:
    """Draw who is in a project, and to stewards how others come in."""
    leads = answers.leads(project)
    for number, (person, role) in enumerate(answers.members(project).items()):
        with st.container(horizontal=True, vertical_alignment="center"):
            you = " (you)" if person == saving.person() else ""
            st.markdown(f"{escaped(person)}{you}: **{role}**, {told.ROLES[role]}", width="content")
            if leads and not alone:
                of = {"on_click": edits.remove, "args": (project.name, person)}
                st.button("Take out", key=f"out_{project.id}_{number}", **of)
    if alone or not leads:
        return
    with st.form(f"invite_{project.id}", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Person", max_chars=LONGEST_PERSON, key=f"who_{project.id}", placeholder="e-mail of their login")
        st.selectbox("Role", ROLES, key=f"role_{project.id}")
        st.form_submit_button("Invite", on_click=edits.invite, args=(project.name, project.id))
