"""Which sensitivities were typed while the other neighbour relation held, whatever is done to the plan since."""

from contextlib import suppress
from dataclasses import dataclass, replace

import pytest
import streamlit as st
from hypothesis import given, strategies

from dpviz import ApproximateDP, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.mechanisms import Thresholding
from dpviz.mechanisms.declared import Declared
from dpviz.mechanisms.selection import Exponential
from dpviz.plan import Document
from dpviz.plan.files import document_text
from dpviz.ui.shell import plan_rows
from dpviz.ui.shell.document import edits, session
from dpviz.ui.shell.document.promise_fields import with_relation
from dpviz.ui.shell.document.rows import (
    enlarged,
    following,
    outgrown,
    redrawn,
    related,
    rows_of,
    stated_otherwise,
    with_rows,
)

RELATIONS = ("add_remove", "replace_one")
KINDS = ("histogram", "count", "sum", None)
SAMPLED = {"name": "drawn", "mechanism": "Laplace", "noise": "b 9", "kind": "count", "rate": "0.1"}
ACTS = strategies.tuples(
    strategies.sampled_from(("relation", "relation", "related", "name", "retype", "kind", "move", "remove", "sample",
                             "undo", "redo", "kept", "enough", "vouch")),
    strategies.integers(0, 9),
)  # fmt: skip


@dataclass(frozen=True)
class Typed:
    """A row's name and sensitivity, and the relation for which that was typed."""

    name: str
    value: float
    relation: str


@pytest.fixture(autouse=True)
def _own_session():
    held = st.session_state
    yield
    st.session_state = held


def _begin(relation: str | None) -> list[Typed]:
    st.session_state = {}
    plan = Plan([Release(f"r{n}", Laplace(50.0, 2 + n), kind=kind) for n, kind in enumerate(KINDS)], relation=relation)
    session.arrive(Document(plan))
    return [Typed(f"r{n}", 2.0 + n, plan.neighbours) for n in range(len(KINDS))]


def _edit(place: int, **cells: str) -> None:
    rows = rows_of(session.document())
    rows[place] = {**rows[place], **cells}
    session.change(with_rows(session.document(), rows))


def _grown(known: list[Typed]) -> list[Typed]:
    """What is known after all sensitivities that are too small were made enough."""
    rows = [row for row in rows_of(session.document()) if row["name"] != SAMPLED["name"]]
    now = [float(row["sensitivity"]) for row in rows]
    return [
        each if value == each.value else Typed(each.name, value, "replace_one")
        for each, value in zip(known, now, strict=True)
    ]


def _act(act: str, n: int, known: list[Typed]) -> list[Typed]:
    """Do one thing to the document; return what is known then."""
    plan, rows = session.current(), rows_of(session.document())
    [other] = {*RELATIONS} - {plan.neighbours}
    place = next((at for at, row in enumerate(rows) if known and row["name"] == known[n % len(known)].name), None)
    at = n % len(known) if known else 0
    if act == "relation":
        with suppress(ValueError):  # a sample may demand the one that holds
            session.change(session.document().edited(with_relation(plan, other)))
    elif act == "related":
        session.change(related(session.document(), other))
        return _grown(known) if other == "replace_one" else known
    elif act == "sample":  # the relation follows from it, or from its going
        drawn = [row for row in rows if row["name"] == SAMPLED["name"]]
        kept = [row for row in rows if row not in drawn]
        session.change(with_rows(session.document(), kept if drawn else [*rows, plan_rows.row_of(
            {**SAMPLED, "scheme": ("without_replacement", "poisson")[n % 2]})]))  # fmt: skip
    elif act == "kept":
        session.put(document_text.read(document_text.written(session.document())))
    elif act == "vouch":
        edits.vouch()
        return [replace(each, relation=plan.neighbours) for each in known]
    elif act == "enough" and (larger := outgrown(session.document())):
        edits.take_with_enlarged(larger)
        return _grown(known)
    elif place is not None and act == "name":
        _edit(place, name=f"n{known[at].value}{len(known)}{n}")
        return [*known[:at], replace(known[at], name=f"n{known[at].value}{len(known)}{n}"), *known[at + 1 :]]
    elif place is not None and act == "retype":
        _edit(place, sensitivity=f"{known[at].value + 0.125}")
        return [*known[:at], Typed(known[at].name, known[at].value + 0.125, plan.neighbours), *known[at + 1 :]]
    elif place is not None and act == "kind":
        _edit(place, kind=("Histogram", "Count", "")[n % 3])
    elif place is not None and act == "move":
        session.change(with_rows(session.document(), [*rows[place:], *rows[:place]]))
        order = [row["name"] for row in rows_of(session.document())]
        return sorted(known, key=lambda each: order.index(each.name))
    elif place is not None and act == "remove":
        session.change(with_rows(session.document(), rows[:place] + rows[place + 1 :]))
        return known[:at] + known[at + 1 :]
    return known


@given(strategies.sampled_from((None, *RELATIONS)), strategies.lists(ACTS, max_size=14))
def test_what_was_typed_for_the_other_relation_is_known_whatever_is_done_since(relation, acts):
    """And nothing else is: what was typed anew, or made enough, is for the relation that holds."""
    known = _begin(relation)
    states, place = [known], 0
    for act, n in acts:
        if act in ("undo", "redo"):
            can = session.can_undo() if act == "undo" else session.can_redo()
            getattr(session, act)()
            place += can * (1 if act == "redo" else -1)
            known = states[place]
        else:
            before = session.document()
            known = _act(act, n, known)
            if session.document() is not before and session.document() != before:
                states, place = [*states[: place + 1], known], place + 1
        plan = session.current()
        rows = {row["name"]: row for row in rows_of(session.document())}
        assert all(float(rows[each.name]["sensitivity"]) == each.value for each in known)
        former = [rows[each.name] for each in known if each.relation == "add_remove"]
        small = {row["name"] for row in former if enlarged(row) != row}
        larger = outgrown(session.document())
        if plan.neighbours == "add_remove" or not small:
            assert larger is None
        else:
            changed = {new["name"] for new in rows_of(larger) if new["sensitivity"] != rows[new["name"]]["sensitivity"]}
            assert small == changed


STATING = {
    "declared": Declared.zcdp(0.02), "exponential": Exponential(0.2), "pair": ApproximateDP(0.1, 1e-9),
}  # fmt: skip


SCALED = {
    "declared": Declared.zcdp(0.01), "exponential": Exponential(0.1), "pair": ApproximateDP(0.05, 1e-9),
}  # fmt: skip


@pytest.mark.parametrize("name", STATING)
def test_a_loss_that_was_stated_for_another_relation_is_told(name: str):
    """No press can know whether it holds for replaced units, so it is told until somebody says so, or types another."""
    st.session_state = {}
    local = Release("local", RandomizedResponse(1.0))
    session.arrive(Document(Plan([Release(name, STATING[name]), local], relation="add_remove")))
    assert stated_otherwise(session.document()) == []
    session.change(related(session.document(), "replace_one"))
    assert stated_otherwise(session.document()) == [name]
    assert stated_otherwise(document_text.read(document_text.written(session.document()))) == [name]
    session.change(related(session.document(), "add_remove"))
    assert stated_otherwise(session.document()) == []
    session.change(related(session.document(), "replace_one"))
    assert stated_otherwise(session.document()) == [name]
    _edit(0, name="called otherwise")
    assert stated_otherwise(session.document()) == ["called otherwise"]
    typed = session.document()
    plan = session.current()
    for press in (edits.replace_releases, edits.mend):  # what a solver scales is no new statement
        press(replace(plan, releases=(Release("called otherwise", SCALED[name]), local)))
        assert stated_otherwise(session.document()) == ["called otherwise"] and session.current() != plan
        session.undo()
        assert stated_otherwise(session.document()) == ["called otherwise"] and session.current() == plan
    edits.vouch()
    assert stated_otherwise(session.document()) == []
    session.put(typed)
    _edit(0, noise={"declared": "rho 0.08", "exponential": "ε 0.4", "pair": "ε 0.2, δ 1e-8"}[name])
    assert stated_otherwise(session.document()) == []


def test_sensitivities_follow_of_those_rows_alone_that_count_for_it():
    """One that is too small for its rows; not of noise that cannot be read, nor where nothing follows."""
    cells = {"name": "rides", "kind": "histogram", "mechanism": "Laplace", "noise": "b 50", "sensitivity": "1"}
    cells |= {"rows": "4"}
    rows = [plan_rows.row_of({**cells, **other}) for other in ({}, {"noise": "b"}, {"kind": None}, {"rows": None})]
    held = with_rows(Document(Plan([])), rows)
    new = following(held)
    assert [row["sensitivity"] for row in rows_of(new)] == [None, "1", "1", "1"] and len(new.plan.releases) == 2
    assert new.plan.sensitivities[0].value == 4 and following(new) is None and following(Document(Plan([]))) is None


def test_no_press_draws_samples_anew_where_there_are_none_or_a_row_would_fall_out():
    """A threshold is refused where one is replaced, whatever samples are like, and nothing leaves the total unseen."""
    counts = Release("Users", Laplace(10.0, 1.0))
    held = Thresholding(Laplace(10.0, 1.0), 200)
    sampled = Release("Sample", Subsampled(Laplace(10.0, 1.0), 0.1, "poisson"))
    promise = {"relation": "add_remove"}
    assert redrawn(Document(Plan([counts], **promise))) is None
    assert redrawn(Document(Plan([sampled, Release("Keys", held)], **promise))) is None
    new = redrawn(Document(Plan([sampled, counts], **promise)))
    assert new.plan.relation == "replace_one" and not new.uncounted
    assert new.plan.releases[0].mechanism.scheme == "without_replacement"
