"""What buttons and boxes change of the document; each one is a callback, and one step of undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from dpviz.parameters import COPIES
from dpviz.plan import Answers, Disclosure, Document, Plan
from dpviz.plan.disclosure import NOT_STATED
from dpviz.plan.document import PROMISE
from dpviz.planning.advice import as_answered
from dpviz.planning.advice.origin import counted_rows
from dpviz.ui.shell import examples, page_state, reading, shell, typed, words
from dpviz.ui.shell.document import saved, table_state
from dpviz.ui.shell.document.promise_fields import with_epsilon
from dpviz.ui.shell.document.rows import parted, related, summed_and_counted, told_enlarged
from dpviz.ui.shell.document.session import (
    change,
    change_plan,
    compare_with,
    current,
    document,
    of_revision,
    put,
    tell,
)

_ASIDE, MOST_ASIDE = "_aside", 8
CHANGED_SINCE = "What it was proposed for has changed, so nothing was done: see what is proposed now."
YES_OR_NO = {NOT_STATED: None, "yes": True, "no": False}


def pressed(change: Callable[..., None], *further: object) -> dict[str, object]:
    """Return what a button does whose change was computed from the document as it is now, and from none after it."""
    return {"on_click": _where_unchanged, "args": (document(), change, *further)}


@shell.guarded
def _where_unchanged(held: Document, change: Callable[..., None], *further: object) -> None:
    """Make a change if the plan is still what it was computed from: a press may come just after what was typed."""
    table_state.take_in()
    if (held.plan, held.uncounted) == (document().plan, document().uncounted):
        change(*further)
    else:
        st.toast(CHANGED_SINCE, icon=":material/info:")


@shell.guarded
def rename(key: str = "name") -> None:
    """Take the plan's name from a box: in the head, or as the title of a statement."""
    if not page_state.late(key):
        change(replace(document(), name=str(page_state.held(key))), redraw=False)


@shell.guarded
def sign() -> None:
    """Take the plan's author from its box."""
    if not page_state.late(key := of_revision("author")):
        change(replace(document(), author=str(page_state.held(key))), redraw=False)


@shell.guarded
def disclose(name: str) -> None:
    """Take what is stated of a field from its box; what is not allowed stays there, and changes nothing."""
    key = of_revision(f"disclosed_{name}")
    if page_state.late(key):
        return
    said = current().disclosure or Disclosure()
    try:
        plan = replace(current(), disclosure=replace(said, **{name: str(page_state.held(key))}))
    except ValueError:
        return  # said beneath the box
    if plan != current():
        change(document().edited(plan), redraw=False)


def chosen_answer(name: str) -> object:
    """Return what the widget of a question of the checks holds; a ValueError says why that is no answer."""
    held = page_state.held(f"answer_{name}")
    if name != "rows_per_unit":
        return YES_OR_NO.get(held, held)
    return typed.within(held, "rows", (1, int(COPIES.high)), whole=True) if str(held or "").strip() else None


@shell.guarded
def answer_check(name: str) -> None:
    """Take the answer to what the checks ask from its widget; what is not allowed stays there, and changes nothing."""
    if page_state.late(f"answer_{name}"):
        return
    table_state.take_in()  # what was typed just before it
    said = current().answers or Answers()
    try:
        answer = chosen_answer(name)
        plan = replace(current(), answers=replace(said, **{name: answer}))
    except ValueError:
        return  # said beneath the widget
    if name == "rows_per_unit" and answer == 1 and (rows := counted_rows(current())):
        mend(stated_once(current(), rows))  # as more of them are: stated of the releases that are asked about
    elif plan != current():
        _count(plan)


def stated_once(plan: Plan, rows: Sequence[int]) -> Plan:
    """Return the plan with one row of each unit stated of some releases."""
    stated = (replace(each, rows=1) if row in rows else each for row, each in enumerate(plan.releases))
    return replace(plan, releases=tuple(stated))


def _count(answered: Plan) -> None:
    """Take a plan with its answers, and count what they say at once: no number stays that of another plan."""
    counted, pressed = as_answered(answered)
    if not pressed:
        change(document().edited(counted), redraw=False)
        return
    mend(counted)
    said = "" if reading.people() else words.escaped(f": “{'”, “'.join(pressed)}”")  # these know of no rows
    st.toast(f"Counted as you answered{said}. “Undo” takes it back.", icon=":material/build:")


@shell.guarded
def keep_as_a() -> None:
    """Keep the current plan for the comparison of A with B, and say so."""
    _put_aside(document())
    compare_with(current(), document().name)
    st.toast("This is plan A now. What you change from here on stands beside it.", icon=":material/bookmark:")


@shell.guarded
def swap(plan: Plan, name: str) -> None:
    """Exchange what is worked on and plan A, or what it is compared with, with all that is still asked of either."""
    held = document()
    known = [each for each in page_state.held(_ASIDE, ()) if (each.plan, each.name) == (plan, name)]
    _put_aside(held)
    new = known[0] if known else _unknown(held, plan, name)
    new = replace(new if new.saved else saved.identified(new), baseline=held.plan, baseline_name=held.name)
    if known:
        put(new)
    else:
        change(new)


def _put_aside(held: Document) -> None:
    """Remember a state that is compared with another one: as plan A, no more than its plan is known of it."""
    page_state.put({_ASIDE: (held, *page_state.held(_ASIDE, ()))[:MOST_ASIDE]})


def _unknown(held: Document, plan: Plan, name: str) -> Document:
    """A plan of which no more is known: what is asked of the present one may have been open in it, too."""
    questions = tuple(each for each in held.questions if each == PROMISE)
    origin = None if held.baseline else held.origin  # of the plan as it was opened it says the same
    return Document(plan, name, questions=questions, author=held.author, origin=origin, begin=held.begin)


@shell.guarded
def replace_releases(plan: Plan) -> None:
    """Put the releases of `plan` into the table, beside the rows that do not count."""
    change_plan(replace(current(), releases=plan.releases))


@shell.guarded
def mend(plan: Plan) -> None:
    """Take the plan that a finding leads to, without a gap in a table that becomes shorter."""
    held, most = document(), len(plan.releases)
    rows = [replace(row, position=min(row.position, most + n)) for n, row in enumerate(held.uncounted)]
    change(held.edited(plan, rows), typed=False)


@shell.guarded
def vouch_typical(name: str) -> None:
    """Note that the typical value of this release is that of the rhythm that it has now."""
    held = document()
    put(replace(held, typical_before=tuple(each for each in held.typical_before if each[0] != name)))


@shell.guarded
def take(new: Document) -> None:
    """Take a document that a press was computed as; a callback."""
    change(new)


@shell.guarded
def take_with_enlarged(new: Document) -> None:
    """Take a document in which sensitivities are enough for units that are replaced, and say which; a callback."""
    said = told_enlarged(document(), new)
    change(replace(document(), plan=new.plan, uncounted=new.uncounted))
    tell("proposed", said)


@shell.guarded
def vouch() -> None:
    """Note that all sensitivities are enough for the relation that holds, whichever they were typed for."""
    put(replace(document(), typed_otherwise=()))
    tell("vouched", document().plan.neighbours)


@shell.guarded
def vouch_longer(name: str) -> None:
    """Note that what was typed of this release for a shorter time is enough for the longer one."""
    held = document()
    put(replace(held, typed_shorter=tuple(each for each in held.typed_shorter if each[0] != name)))


@shell.guarded
def same_unit() -> None:
    """Note that the unit is only called otherwise: what was said of the former is said of it, in plan A, too."""
    held = document()
    old, new = held.opened.unit, held.plan.unit
    called = {name: replace(plan, unit=new) for name in ("opened", "baseline")
              if (plan := getattr(held, name)) is not None and plan.unit == old}  # fmt: skip
    name = examples.of_unit(held.name, held.opened.unit_in_words, held.plan.unit_in_words)
    put(replace(held, name=name, **called))


@shell.guarded
def protect(plan: Plan) -> None:
    """Take a plan whose unit is another one, as which all of its releases are counted."""
    held = document()
    name = examples.of_unit(held.name, held.plan.unit_in_words, plan.unit_in_words)
    change(replace(held.edited(plan), name=name, opened=plan), typed=False)


@shell.guarded
def part_means() -> None:
    """Put a sum and a count in the place of every mean that does not count, and say what their noise is."""
    _part(document())


@shell.guarded
def relate(relation: str) -> None:
    """Promise this neighbour relation; what is a mean under the other one becomes a sum and a count."""
    _part(related(document(), relation))


def _part(held: Document) -> None:
    parts, larger = summed_and_counted(held), told_enlarged(document(), held)
    said = parted(held) if parts else ""
    change(parts or held)
    tell("proposed", " ".join(each for each in (larger, said) if each))


@shell.guarded
def set_budget(epsilon: float) -> None:
    """Change ε of the budget."""
    change_plan(with_epsilon(current(), epsilon))


@shell.guarded
def answer(question: str, adaptive: bool | None = None) -> None:
    """Note that a question of the document is answered, and with which order of the plan."""
    new = document().answered(question)
    change(new if adaptive is None else replace(new, plan=replace(new.plan, adaptive=adaptive)))
