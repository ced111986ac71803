"""The saved plan that a session works on: opening and saving it, what a save was refused for, and drafts.

`Document.saved` says of which saved plan a state is one, so that undo never leads to saving one plan over another. Here
is held which version of each such plan the work began from.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.plan import Document
from dpviz.plan.store import NotKept
from dpviz.ui.shell import examples, page_state, refusals
from dpviz.ui.shell.document import address, saving, session
from dpviz.ui.shell.document.rows import settled
from dpviz.ui.shell.words import escaped

if TYPE_CHECKING:
    from dpviz.store import SavedMeanwhile

# The same sentence whether it is somebody else's or was never there.
NOT_FOUND = "No saved plan of yours has this address."
NO_DRAFT = "What you type is not kept as a draft just now: "
GONE = "The plan that this was saved as is not found any more: another press of “Save” keeps it as a plan of your own."
LATER = 60.0  # seconds after which a draft that could not be kept is tried again
_BASES, _MEANWHILE = "saved_bases", "saved_meanwhile"
_FOLLOWED, _DRAFTED, _SEEN, _TRIED = "saved_followed", "saved_drafted", "saved_seen", "saved_tried"
_TROUBLE = "saved_trouble"


@dataclass(frozen=True, slots=True)
class Base:
    """A saved version that work began from.

    Parameters
    ----------
    name : str
        Its name, as "3f2a9c0d1e5b7a64/2".
    document : Document
        What it holds, as a session settles it.
    """

    name: str
    document: Document

    @property
    def plan(self) -> str:
        """Identifier of its plan."""
        return self.name.partition("/")[0]

    @property
    def number(self) -> int:
        """Its number, from 1."""
        return int(self.name.partition("/")[2])


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What somebody else saved before a save that was refused for it.

    Parameters
    ----------
    base : Base
        Their version.
    author : str
    at : int
        In microseconds since 1970.
    """

    base: Base
    author: str
    at: int


def base() -> Base | None:
    """Return the version that the document was made from; None where it was never saved."""
    held = session.document()
    return page_state.held(_BASES, {}).get(held.saved) if held and held.saved else None


def unsaved() -> bool:
    """Say whether the document differs from the version that it was made from, or was never saved."""
    found = base()
    return found is None or _compared(session.document()) != _compared(found.document)


def _compared(held: Document) -> Document:
    """A document without a plan A that is the plan itself, beside which nothing is compared yet."""
    return replace(held, baseline=None, baseline_name="") if held.baseline == held.plan else held


def only_beside() -> bool:
    """Say whether the document differs from the version that it was made from in plan A alone."""
    found, held = base(), session.document()
    beside = found and replace(held, baseline=found.document.baseline, baseline_name=found.document.baseline_name)
    return unsaved() and beside is not None and beside == found.document


def identified(document: Document) -> Document:
    """Return a document as a state of the saved plan that it is, where this session has saved or opened it so."""
    found = (each for each in page_state.held(_BASES, {}).values()
             if each.document.plan == document.plan and each.document.name == document.name)  # fmt: skip
    known = next(found, None)
    return document if known is None else replace(document, saved=known.plan)


def renamed() -> bool:
    """Say whether the document has another name than the version that it was made from."""
    found = base()
    return found is not None and examples.title(session.document().name) != found.document.name


def meanwhile() -> Meanwhile | None:
    """Return what a save of this document was refused for, until that is settled; None where there is nothing."""
    found, held = page_state.held(_MEANWHILE), session.document()
    return found if found and held and held.saved == found.base.plan else None


@contextmanager
def told(about: str = "saved") -> Iterator[None]:
    """Keep the sentence on what could not be done with the database, for `session.told`; the page goes on."""
    session.tell(about, "")
    try:
        yield
    except (ValueError, ImportError) as error:
        session.tell(about, refusals.of_database(error, not saving.login_offered()))


@contextmanager
def shown() -> Iterator[None]:
    """Draw in one sentence what the database refuses to tell; what stands above it stays."""
    from dpviz.store import Unavailable

    try:
        yield
    except (NotKept, Unavailable, ImportError) as error:
        st.error(escaped(refusals.of_database(error, not saving.login_offered())))


def save() -> bool:
    """Save the document as a new version of its plan, or as a plan of its own; say whether that was done."""
    from dpviz.store import SavedMeanwhile

    session.begin_work()
    held, over = session.document(), base()
    titled = replace(held, name=examples.title(held.name))  # what is saved is looked for by what people read
    with told():
        try:
            name = saving.plans().save(titled, over.name if over else None)
        except SavedMeanwhile as error:
            put_beside(error)
        except NotKept:
            _disown()
            session.tell("saved", GONE)
        else:
            session.change(titled, redraw=False)
            _begin_from(Base(name, titled), over)
            return True
    return False


def save_over() -> bool:
    """Save the document over what somebody else saved meanwhile, which stays a version of its own."""
    if found := meanwhile():
        _hold(found.base)
    return save()


def save_as_own() -> bool:
    """Save the document as a plan of one's own; what was kept as a draft of the former one is in it."""
    former, drafted = base(), page_state.held(_DRAFTED)
    _disown()
    done = save()
    if done and former is not None and drafted == former.name:
        with told("draft"):
            saving.plans().drop_draft(former.name)
    return done


def open_theirs() -> None:
    """Open what somebody else saved meanwhile; undo leads back."""
    if found := meanwhile():
        former = base()
        session.put(found.base.document)
        _begin_from(found.base, former)


def open_base() -> None:
    """Open the version that the document was made from, as it was saved; undo leads back."""
    if found := base():
        session.put(found.document)


def open_beside(name: str, other: str) -> bool:
    """Open a saved version beside another one as plan A; say whether both are there."""
    with told():
        found, a = _exact(name), _exact(other)
        title = f"{a.document.name}, version {a.number}"
        session.begin_work()
        session.put(replace(found.document, baseline=a.document.plan, baseline_name=title))
        _hold(replace(found, document=session.document()))  # it is looked at, not changed
        return True
    return False


def put_beside(refusal: SavedMeanwhile) -> None:
    """Put what was saved meanwhile beside the document, as plan A."""
    theirs, version = _of(refusal.theirs, refusal.version.name), refusal.version
    page_state.put({_MEANWHILE: Meanwhile(Base(version.name, theirs), version.author, version.at)})
    title = f"{theirs.name}, version {version.number}"
    session.change(replace(session.document(), baseline=theirs.plan, baseline_name=title))


def _disown() -> None:
    session.change(replace(session.document(), saved=""), redraw=False)


def _hold(found: Base) -> None:
    page_state.put({_BASES: page_state.held(_BASES, {}) | {found.plan: found}})


def _begin_from(found: Base, former: Base | None) -> None:
    """Go on from a version; what was kept as a draft over the former one is in it, or not wanted."""
    session.belong(found.plan)
    _hold(replace(found, document=session.document()))
    page_state.forget(_MEANWHILE)
    if former is not None and page_state.held(_DRAFTED) == former.name:
        with told("draft"):
            saving.plans().drop_draft(former.name)
    page_state.forget(_DRAFTED)
    page_state.put({_SEEN: session.document()})


def _of(found: Document, name: str) -> Document:
    """A document as a state of the plan that has a version of this name."""
    return settled(replace(found, saved=name.partition("/")[0]))


def _exact(name: str) -> Base:
    """The version of this name; of a plan's identifier, its newest one."""
    plan, _, number = name.partition("/")
    plans = saving.plans()
    if not number:
        number = str(plans.versions(plan)[-1].number)
    found = plans.open(f"{plan}/{number}")
    return Base(f"{plan}/{int(number)}", _of(found, plan))


def arrive() -> None:
    """Start a session with the saved plan that its address names, or note of which its plan is a state."""
    if not (name := address.named()):
        return
    if address.bare() or address.large():
        session.arrive(_found(name, draft=address.large()))
        session.begin_work()
        _tell_of_draft()
    else:
        _adopt(name)


def follow() -> None:
    """Open the saved plan that the address names where a visitor went there, by a link or by Back."""
    name = address.named()
    if not name or not address.bare() or session.document() is None:
        page_state.forget(_FOLLOWED)
        if name and address.followed():
            _adopt(name)
        return
    # A rerun may carry this address before the browser has heard of what it opened.
    if name == page_state.held(_FOLLOWED) and not address.followed():
        return
    page_state.put({_FOLLOWED: name})
    session.begin_work()
    if (found := _found(name)) is not None:
        session.put(found)
        _tell_of_draft()


def write() -> None:
    """Let the address name the version that the document was made from."""
    if session.document() is not None:
        address.name_saved(found.name if (found := base()) else "")


def _tell_of_draft() -> None:
    if (found := base()) and unsaved():
        session.tell("resumed", f"This goes on where you were: version {found.number} with changes that are not saved.")


def _adopt(name: str) -> None:
    """Note that the document is a state of a saved plan; where there is none, the address shows what it holds."""
    try:
        if session.document() is not None and not saving.why_not():
            found = _exact(name)
            _hold(found)
            session.belong(found.plan)
    except (ValueError, ImportError):
        return


def _found(name: str, draft: bool = False) -> Document | None:
    """The plan or version of this name; None, with a sentence, where it cannot be had.

    Of a plan by its identifier, or where a `draft` is wanted, what was typed over it last.
    """
    if reason := saving.why_not():
        session.tell("link", reason)
        return None
    session.tell("link", "")
    try:
        found = _draft_of(name) if draft or "/" not in name else None
        found = found or (_exact(name), None)
    except NotKept:
        session.tell("link", NOT_FOUND)
    except (ValueError, ImportError) as error:
        session.tell("link", refusals.of_database(error, not saving.login_offered()))
    else:
        _hold(found[0])
        return found[1] or found[0].document
    return None


def _draft_of(name: str) -> tuple[Base, Document] | None:
    """What was typed last over a version of this plan, and that version; None where nothing was."""
    plans = saving.plans()
    wanted = [each for each in plans.drafts() if name in (each, each.partition("/")[0])]
    if not wanted:
        return None
    found, typed = _exact(wanted[-1]), _of(plans.draft(wanted[-1]), wanted[-1])
    page_state.put({_DRAFTED: found.name})
    return found, typed


def draft_trouble() -> str:
    """Return why what is typed is not kept as a draft just now; "" where it is, or need not be."""
    return page_state.held(_TROUBLE, "") if base() else ""


def kept() -> bool:
    """Say whether all that is typed is in the database, as a version or as a draft."""
    return base() is not None and not draft_trouble() and not saving.why_not()


def keep_draft() -> None:
    """Keep what was typed over a saved version, so that any machine goes on from there; at the end of a rerun.

    Nothing is written before the first save, nor for what is only looked at.
    """
    held, found = session.document(), base()
    if found is None or page_state.held(_SEEN) is held or time.monotonic() < page_state.held(_TRIED, 0.0):
        return
    typed = held != found.document
    if (typed or page_state.held(_DRAFTED) == found.name) and not saving.why_not():
        try:
            plans = saving.plans()
            plans.keep_draft(found.name, held) if typed else plans.drop_draft(found.name)
        except (ValueError, ImportError) as error:
            reason = refusals.of_database(error, not saving.login_offered())
            page_state.put({_TRIED: time.monotonic() + LATER, _TROUBLE: f"{NO_DRAFT}{reason}"})
            return
        page_state.put({_DRAFTED: found.name if typed else "", _TROUBLE: ""})
    page_state.put({_SEEN: held})

