"""What every store of documents owes, asked of the memory of a session and of the address."""

from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.history import LONGEST_PAST
from dpviz.plan import Document, Uncounted
from dpviz.plan.files.permalink import MOST_RELEASES
from dpviz.plan.store import NotKept, Store
from dpviz.store import Database
from dpviz.ui.shell import examples
from dpviz.ui.shell.document import address, session

PLAN = Plan([Release("visits", Laplace(12.5, 1), 3)], Guarantee(2.5, 1e-7), "household")
DOCUMENTS = (
    Document(PLAN, "Visits", uncounted=(Uncounted(1, (("name", "Survey"),)),), author="A. N."),
    Document(replace(PLAN, unit="person"), baseline=PLAN, baseline_name="Before"),
    Document(examples.plan_of("mobility"), "mobility"),
    Document(Plan(())),
)


@pytest.fixture(params=[session.Memory, address.Address, Database], ids=["memory", "address", "database"])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Store:
    """A store that holds nothing yet."""
    if request.param is Database:
        database = Database(str(tmp_path / "folder" / "plans.db"))
        request.addfinalizer(database.close)
        return database.plans()
    visitor = SimpleNamespace(session_state={}, query_params={})
    for module in (session, address):
        monkeypatch.setattr(module, "st", visitor)
    return request.param()


def test_a_store_keeps_what_is_saved(store: Store):
    """A name opens the document that it was given for, or nothing; the last one saved is listed last."""
    assert store.list() == () and store.sees.endswith(".")
    given = {}
    for document in (*DOCUMENTS, *DOCUMENTS):
        given.setdefault(store.save(document), document)
        assert store.open(store.list()[-1]) == document and store.list()[-1] in given
        for name, first in given.items():
            try:
                assert store.open(name) == first
            except NotKept:
                assert name not in store.list()


def test_a_store_refuses_what_it_has_not(store: Store):
    """In one sentence, and all that it keeps stays as it was."""
    store.save(DOCUMENTS[0])
    before = store.list()
    for name in ("", "plan=", "plan=large", "plan=2.x", "example=own", "0-99", "x"):
        with pytest.raises(ValueError, match=r"\w"):
            store.open(name)
    assert store.list() == before and store.open(before[-1]) == DOCUMENTS[0]


def test_an_address_without_room_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(address, "st", SimpleNamespace(session_state={}, query_params={}))
    name = address.Address().save(DOCUMENTS[0])
    many = replace(PLAN, releases=tuple(Release(f"r{n}", Laplace(1 + n, 1)) for n in range(MOST_RELEASES + 1)))
    with pytest.raises(ValueError, match="too large"):
        address.Address().save(Document(many))
    assert address.Address().list() == (name,)


def test_a_session_names_no_state_twice(monkeypatch: pytest.MonkeyPatch):
    """Whatever is changed, undone and redone: a name never opens another document than the one it was given for."""
    monkeypatch.setattr(session, "st", SimpleNamespace(session_state={}))
    session.arrive(Document(PLAN))
    draw, given, memory = Random(1), {}, session.Memory()
    for step in range(4 * LONGEST_PAST):
        match draw.choice(("change", "change", "undo", "redo")):
            case "change":
                given.setdefault(memory.save(Document(PLAN, f"{step}")), f"{step}")
            case "undo":
                session.undo()
            case "redo":
                session.redo()
        opened = {name: memory.open(name).name for name in given.keys() & set(memory.list())}
        assert opened == {name: given[name] for name in opened}
    assert 1 < len(memory.list()) <= LONGEST_PAST + 1
