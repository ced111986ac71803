"""What is pressed on the page; each one is a callback, which does it in whole or says in one sentence why not."""

from __future__ import annotations

from dpviz.ui.shell import page_state, shell
from dpviz.ui.shell.document import saved, saving

TOLD = "saved"  # under which the sentence is kept
OPENED = "plans_opened"  # whether the plan's page is to be shown, with A against B


@shell.guarded
def save() -> None:
    """Save the plan that is worked on; where somebody saved another version meanwhile, show both."""
    saved.save()
    page_state.put({OPENED: saved.meanwhile() is not None})


@shell.guarded
def rename(plan: str) -> None:
    """Call a plan as its box says."""
    with saved.told(TOLD):
        saving.plans().rename(plan, str(page_state.held(f"title_{plan}")))


@shell.guarded
def duplicate(name: str) -> None:
    """Keep a version as a plan of one's own."""
    with saved.told(TOLD):
        saving.plans().duplicate(name)


@shell.guarded
def archive(plan: str, archived: bool) -> None:
    """Put a plan away, or bring it back."""
    with saved.told(TOLD):
        saving.plans().archive(plan, archived)


@shell.guarded
def share(plan: str, nobody: str) -> None:
    """Share a plan with the project that is chosen, or with nobody any more."""
    chosen = page_state.held(f"share_{plan}")
    with saved.told(TOLD):
        saving.plans().share(plan, None if chosen == nobody else str(chosen))
    page_state.forget(f"share_{plan}")  # what is so, not what was wished for


@shell.guarded
def beside(name: str, other: str) -> None:
    """Open a version, with another one of its plan beside it as A."""
    page_state.put({OPENED: saved.open_beside(name, other)})


@shell.guarded
def create_project() -> None:
    """Make a project of the name in its box."""
    with saved.told(TOLD):
        saving.database().projects(saving.person()).create(str(page_state.held("project_name") or ""))
        page_state.put({"project_name": ""})


@shell.guarded
def invite(project: str, key: str) -> None:
    """Give whoever is named in the box of a project the role that is chosen there."""
    who, role = saving.named(str(page_state.held(f"who_{key}") or "")), str(page_state.held(f"role_{key}"))
    with saved.told(TOLD):
        saving.database().projects(saving.person()).invite(project, who, role)
        page_state.put({f"who_{key}": ""})


@shell.guarded
def remove(project: str, person: str) -> None:
    """Take a person out of a project."""
    with saved.told(TOLD):
        saving.database().projects(saving.person()).invite(project, person, None)
