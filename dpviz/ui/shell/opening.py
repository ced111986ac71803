"""What opens another plan: a file, an example, an empty table."""

from __future__ import annotations

import streamlit as st

from dpviz.plan.examples import EXAMPLES
from dpviz.plan.files.foreign import ENDINGS
from dpviz.ui.shell import examples, reading, refusals, shell, workspace
from dpviz.ui.shell.document import session
from dpviz.ui.shell.words import escaped


def panel() -> None:
    """Draw the panel in the head of a plan that opens another one."""
    # By another key it is another one, and closed: what it opened has the screen.
    place = st.container(key="opening", width="content")
    with place.popover("Open", key=f"opening_{session.revision()}", icon=":material/folder_open:"):
        own = {"on_click": workspace.open_example, "args": (examples.OWN,)}
        st.button("An empty plan", key="start_empty", width="stretch", icon=":material/add:", **own)
        shell.link(shell.page_named("my_plans"), "A plan that was saved")
        open_file()
        _examples("open")
        shell.link(shell.page_named("training"), "Train a model")


def beside() -> None:
    """Draw the panel that opens a plan to compare with the present one, which becomes A."""
    # By another key it is another one, and closed: what it opened has the screen.
    key = f"comparing_{session.revision()}"
    with st.popover("Compare with another plan", key=key, icon=":material/compare_arrows:"):
        st.markdown("Your plan is kept as A, and the one that you open is B; Undo brings it back.")
        shell.link(shell.page_named("my_plans"), "Two versions of a saved plan")
        open_file("compared", beside=True)
        _examples("compare", True)


def _examples(name: str, beside: bool = False) -> None:
    """Draw a button for each example."""
    for each in EXAMPLES:
        about, of = reading.told(each.about), {"on_click": workspace.open_example, "args": (each.key, beside)}
        st.button(each.label, key=f"{name}_{each.key}", help=about, width="stretch", **of)


def open_file(name: str = "file", *, beside: bool = False, **then: object) -> None:
    """Draw the place where a file is opened, by this name, and what is wrong with the last one.

    `then` is what inputs of the page are set to once one is.
    """
    key = f"{name}_{session.revision()}"
    st.file_uploader(
        "A plan as a file", type=[*ENDINGS, *workspace.SHEETS], key=key,
        on_change=workspace.upload, args=(key, beside, then),
        help="What a CSV does not state, such as unit or budget, stays as it is here; a JSON is the whole plan. "
        "Taken, too: an entry of the deployments registry (YAML), an event of dp_accounting, a history of Opacus, a "
        "list of budgets. The file stays on the machine that runs this page.",
    )  # fmt: skip
    if trouble := session.told("file"):
        st.error(refusals.drawn(trouble))


def not_understood() -> None:
    """Draw what could not be understood of another program's file, until that is dismissed or another plan is open."""
    held = session.document()
    origin = held and held.origin
    if origin is None or origin.silent:
        return
    told = "\n".join(f"- {reading.told(escaped(each))}" for each in origin.not_understood)
    st.markdown(f"The plan was opened from {escaped(origin.form)}. **Not understood:**\n\n{told}")
    label = "The plan holds all of it now" if origin.incomplete else "Dismiss"
    about = (
        "Press it once the releases that are missing stand in the plan: until then no claim about it is called right."
    ) if origin.incomplete else "The list goes; the plan stays as it is."  # fmt: skip
    st.button(label, key="dismiss_file", on_click=workspace.dismiss, help=about, icon=":material/check:")
