"""How the plan stands to what is saved of it: a word beside its name, the press that saves it, and what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpviz.rounding import shown_budget, shown_total, shown_up
from dpviz.ui.plan.asked import VERSUS
from dpviz.ui.shell import page_state, reading, shell, words
from dpviz.ui.shell.document import in_force, saved, saving, session
from dpviz.ui.shell.words import escaped

if TYPE_CHECKING:
    from dpviz.store import InForce

LEDGER = shell.page_named("ledger")
OFFERED = "offered_as_new"  # the name under which a plan may be saved as new
ANOTHER_NAME = "“{}” is another name: “Save” gives it to the saved plan, “Save as new” keeps both."
SHORT = 30  # letters of a project's name that the head has room for


def standing(forces: tuple[InForce, ...]) -> None:
    """Draw in a few words whether the plan is saved as it is, and the press that saves it, or the way to a login."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall", key="saving"):
        st.markdown(f":gray[{escaped(_standing(forces))}]", width="content", help=saving.why_not() or None)
        _button()


def _standing(forces: tuple[InForce, ...]) -> str:
    found = saved.base()
    if found is None:
        return "Not saved"
    said = f"Version {found.number}, changed since" if saved.unsaved() else f"Saved, version {found.number}"
    if saved.only_beside():
        said = f"Version {found.number}, with another plan A"
    if not forces:
        return said
    if all(map(in_force.exactly, forces)):
        where = forces[0].project if len(forces) == 1 else f"{len(forces)} ledgers"
        return f"{said}, in force in {where if len(where) <= SHORT else f'{where[:SHORT]}…'}"
    numbers = sorted({each.number for each in forces})
    return f"{said}; in force is {' and '.join(f'version {each}' for each in numbers)}"


def spent(forces: tuple[InForce, ...]) -> None:
    """Say in which ledgers a version of the plan is in force, how it differs, and what each has spent so far."""
    for place, each in enumerate(forces):
        with st.container(horizontal=True, vertical_alignment="center", key=f"in_force_{place}"):
            st.markdown(reading.told(_in_force(each)), width="content")
            shell.link(LEDGER, "Its ledger", ledger=each.project)


def _in_force(each: InForce) -> str:
    """One line of a version in force, and of its ledger's budget."""
    if in_force.exactly(each):
        differs = ""
    elif saved.base().name == each.version:
        differs = ", without what you changed since"
    else:
        differs = ", which differs from what you see"
    said = f"In force in **{escaped(each.project)}**: version {each.number}{differs}."
    stand = in_force.standing(each)
    if stand is None:
        return said
    budget = stand.budget
    spent, limit = budget.bound(stand.spent), shown_budget(budget.epsilon, stand.epsilon)
    both = shown_total(stand.epsilon, budget.epsilon)
    rest = "" if spent == stand.epsilon else f", with what is reserved {both}"
    return f"{said} Spent so far by its ledger: **ε = {shown_up(spent)}** of {limit}{rest}."


def _button() -> None:
    if not saving.why_not():
        nothing = not saved.unsaved() or saved.meanwhile() is not None
        about = "Every save is a new version; the former ones stay. You find them under “Saved”."
        st.button("Save", on_click=_save, disabled=nothing, key="save", help=about, icon=":material/save:")
        both = not nothing and saved.renamed()  # another name may be meant for another plan
        page_state.put({OFFERED: session.document().name if both else ""})
        if both:
            about = f"Keeps “{escaped(saved.base().document.name)}” as it is; “Save” gives it this name."
            press = shell.guarded(saved.save_as_own)
            st.button("Save as new", on_click=press, key="save_new", icon=":material/save_as:", help=about)
    saving.log_in_or_out("head")


def notes() -> None:
    """Say what could not be saved, and what somebody else saved meanwhile; nothing of either plan is lost."""
    if trouble := session.told("saved"):
        st.error(escaped(trouble))
    if trouble := saved.draft_trouble():
        st.warning(escaped(trouble))
    if found := saved.meanwhile():
        _both(found)
    elif sentence := session.told("resumed"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escaped(sentence), width="content")
            label = f"Open version {saved.base().number} as it was saved"
            st.button(label, on_click=shell.guarded(saved.open_base), key="open_base")


def _both(found: saved.Meanwhile) -> None:
    number, who = found.base.number, words.who(found.author, saving.person())
    when = words.moment(found.at, st.context.timezone)
    st.error(
        f"Not saved: {escaped(who)} saved version {number} meanwhile, on {when}. Nothing is lost: "
        "that version is A and yours is B, side by side under “A against B”."
    )
    with st.container(horizontal=True):
        st.button(f"Save mine as version {number + 1}", on_click=_save_over, key="save_over")
        st.button("Save mine as a plan of its own", on_click=shell.guarded(saved.save_as_own), key="save_own")
        st.button(f"Open version {number}", on_click=shell.guarded(saved.open_theirs), key="open_theirs")


@shell.guarded
def _save() -> None:
    name = session.document().name
    if saved.renamed() and page_state.held(OFFERED) != name:  # typed just now, with no sight of the other press
        st.toast(ANOTHER_NAME.format(escaped(name)), icon=":material/info:")
        return
    saved.save()
    _show_both()


@shell.guarded
def _save_over() -> None:
    saved.save_over()
    _show_both()


def _show_both() -> None:
    """Open the panel in which what was saved meanwhile stands beside the plan."""
    if saved.meanwhile():
        page_state.put({"panel": VERSUS})
