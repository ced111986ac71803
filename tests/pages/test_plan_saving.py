"""The head of the plan's page: what is saved, what is typed since, and what somebody else saved meanwhile."""

import logging
import os
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee
from dpviz.plain import SYMBOLS
from dpviz.plan import Document
from dpviz.plan.files import permalink
from dpviz.rounding import shown_up
from dpviz.ui.shell.document import address, saved, saving
from tests.pages.saving import HOSTILE, SMALL, Store, in_force, store
from tests.pages.workbench import VERSUS, document, keys, opened, plain, plan_of, press, text, whole

__all__ = ["store"]
ADA, BOB = "ada@example.org", "bob@example.org"


def standing(app: AppTest) -> str:
    """The words beside the plan's name."""
    return plain(next(each.value for each in app.markdown if each.value.startswith(":gray["))[6:-1])


def named(app: AppTest) -> str:
    """The version in the address, "" where there is none."""
    return "".join(app.query_params.get("saved", ""))


def rename(app: AppTest, name: str) -> AppTest:
    app.text_input(key="name").set_value(name)
    return whole(app.run())


def limit(app: AppTest, epsilon: float) -> AppTest:
    app.text_input(key="eps").set_value(str(epsilon))
    return whole(app.run())


def test_from_the_first_save_to_a_draft_on_another_machine(store: Store):
    app = opened(SMALL)
    assert standing(app) == "Not saved" and not named(app) and not os.listdir(store.file.parent)
    assert standing(limit(app, 3)) == "Not saved" and not os.listdir(store.file.parent), "nothing before the first save"
    press(app, "save")
    assert standing(app) == "Saved, version 1" and app.button(key="save").disabled
    [name] = store.plans().list()
    assert named(app) == name and store.plans().open(name) == document(app)
    limit(rename(app, HOSTILE[:80]), 4)
    assert standing(app) == "Version 1, changed since" and store.plans().drafts() == (name,)
    elsewhere = opened(saved=name.partition("/")[0])
    assert document(elsewhere) == document(app) and plan_of(elsewhere).budget.epsilon == 4
    assert "This goes on where you were: version 1 with changes that are not saved." in text(elsewhere)
    exactly = opened(saved=name)
    assert standing(exactly) == "Saved, version 1" and plan_of(exactly).budget.epsilon == 3
    press(elsewhere, "open_base")
    assert standing(elsewhere) == "Saved, version 1" and not store.plans().drafts()
    press(elsewhere, "undo")
    press(elsewhere, "save")
    assert standing(elsewhere) == "Saved, version 2" and not store.plans().drafts()
    assert [each.number for each in store.plans().versions(name)] == [1, 2]


def test_another_name_may_be_another_plan(store: Store):
    """Saved as new, the former one stays as it was, under its name, and no draft of it is left."""
    app = press(limit(opened(SMALL), 3), "save")
    [first] = store.plans().list()
    former = store.plans().open(first)
    assert "save_new" not in keys(limit(app, 4))
    assert "save_new" in keys(rename(app, "Monthly"))
    press(app, "save_new")
    assert standing(app) == "Saved, version 1" and "save_new" not in keys(app) and document(app).name == "Monthly"
    assert len(store.plans().list()) == 2 and not store.plans().drafts()
    assert store.plans().open(first) == former != document(app) and named(app) != first
    limit(app, 5).text_input(key="name").set_value("Weekly")
    press(app, "save")
    assert standing(app) == "Version 1, changed since", "a name that was typed just before the press is asked about"
    assert any("“Save as new” keeps both" in each.value for each in app.toast)
    press(app, "save")
    assert standing(app) == "Saved, version 2" and len(store.plans().list()) == 2, "one that is only renamed stays one"


def test_plan_a_is_no_change_and_swapped_plans_are_who_they_are(store: Store):
    app = press(opened(SMALL), "save")
    first = named(app)
    press(app, "keep_a")
    assert standing(app) == "Saved, version 1" and app.button(key="save").disabled, "nothing is compared yet"
    rename(limit(app, 3), "Other")
    press(app, "save_new")
    assert standing(app) == "Saved, version 1" and named(app) != first and len(store.plans().list()) == 2
    app.pills(key="panel").set_value(VERSUS)
    press(whole(app.run()), "swap")
    assert standing(app) == "Version 1, with another plan A" and document(app).saved == first.partition("/")[0]
    press(app, "swap")
    assert standing(app) == "Saved, version 1" and document(app).name == "Other", "nothing was changed"
    press(press(app, "swap"), "save")
    assert len(store.plans().list()) == 2 and standing(app) == "Saved, version 2"


def test_states_before_the_first_save_of_an_example_are_versions_of_it(store: Store):
    """Though the save gives it the name that people read."""
    app = press(limit(opened(example="statistics-office"), 3), "save")
    press(press(app, "undo"), "save")
    assert len(store.plans().list()) == 1 and standing(app) == "Saved, version 2"


def test_what_stands_before_the_opening_of_a_saved_plan_is_none_of_it(store: Store):
    """Though both were opened as the same plan: undo leads back to the other one, which nothing is saved over."""
    app = press(rename(limit(opened(SMALL), 3), "Stricter"), "save")
    name = named(app)
    app = limit(opened(SMALL), 5)
    app.query_params["saved"] = name.partition("/")[0]
    del app.query_params["plan"]
    whole(app.run())
    assert standing(app) == "Saved, version 1" and document(app).name == "Stricter"
    press(limit(app, 2), "save")
    assert standing(app) == "Saved, version 2"
    press(press(app, "undo"), "undo")
    assert plan_of(app).budget.epsilon == 5 and standing(app) == "Not saved" and not document(app).saved
    press(app, "save")
    assert len(store.plans().list()) == 2, "it is a plan of its own"


def test_a_changed_plan_that_is_swapped_out_and_in_again_is_the_saved_one(store: Store):
    app = press(opened(SMALL), "save")
    press(app, "keep_a")
    limit(app, 3)
    assert standing(app) == "Version 1, changed since"
    app.pills(key="panel").set_value(VERSUS)
    press(press(whole(app.run()), "swap"), "swap")
    assert standing(app) == "Version 1, changed since"
    press(app, "save")
    assert len(store.plans().list()) == 1 and standing(app) == "Saved, version 2"


def test_a_save_over_what_somebody_saved_meanwhile(store: Store):
    """Is refused with both shown, whichever way out is taken; what was typed is there all along."""
    first = store.plans().save(SMALL)
    for way, typed, epsilon in (("save_over", 7.0, 7.0), ("save_own", 8.0, 8.0), ("open_theirs", 9.0, 5.0)):
        app = limit(opened(saved=first.partition("/")[0]), typed)
        newest = store.plans().list()[0]
        theirs = replace(SMALL, plan=replace(SMALL.plan, budget=Guarantee(5.0, 1e-6)))
        version = store.plans().save(theirs, newest)
        press(app, "save")
        [refused] = [plain(each.value) for each in app.error]
        assert refused.startswith(f"Not saved: you saved version {version.partition('/')[2]} meanwhile, on ")
        assert plan_of(app).budget.epsilon == typed and document(app).baseline == theirs.plan
        assert app.pills(key="panel").value == VERSUS and "so nothing differs" not in text(app)
        assert app.button(key="save").disabled and len(store.plans().list()) == 1
        press(app, way)
        assert not app.error and plan_of(app).budget.epsilon == epsilon
        if way == "save_own":
            assert standing(app) == "Saved, version 1" and len(store.plans().list()) == 2
            store.plans().archive(named(app))
        else:
            latest = int(version.partition("/")[2]) + (way == "save_over")
            assert standing(app) == f"Saved, version {latest}" and named(app) == store.plans().list()[0]
        for each in store.plans().drafts():
            store.plans().drop_draft(each)


def test_the_head_says_what_is_in_force_and_what_its_ledger_has_spent(store: Store):
    """Whether that is what one sees, changed since, or another version; and by what the ledger says, never less."""
    name = store.plans().save(SMALL)
    ledger = in_force(store, name, "Survey <i>")
    ledger.spend("visits", reference="run")
    app = opened(saved=name)
    assert standing(app) == "Saved, version 1, in force in Survey <i>"
    both = shown_up(ledger.standings()[0].epsilon)
    spent = f"Spent so far by its ledger: **ε = 0.5** of 2, with what is reserved {both}."
    assert f"In force in **Survey <i>**: version 1. {spent}" in text(app)
    [link] = [each for each in app.get("page_link") if each.proto.label == "Its ledger"]
    assert "ledger=Survey" in link.proto.query_string
    limit(app, 3)
    assert standing(app) == "Version 1, changed since; in force is version 1"
    assert "version 1, without what you changed since. Spent" in text(app)
    press(app, "save")
    assert standing(app) == "Saved, version 2; in force is version 1"
    assert "version 1, which differs from what you see. Spent" in text(app)
    said = text(opened(saved=name, read="people")).partition("Spent so far by its ledger: ")[2]
    assert said.startswith("**a privacy loss of 0.5** of 2, with") and not SYMBOLS.search(said[:90])
    ledger.give_back("plan", reference="back")
    assert standing(opened(saved=name)) == "Saved, version 1"


def test_undo_never_leads_to_saving_one_plan_over_another(store: Store):
    app = press(limit(opened(SMALL), 3), "save")
    mine = named(app)
    press(app, "open_lecture-11")
    assert standing(app) == "Not saved" and not named(app)
    press(app, "undo")
    assert standing(app) == "Saved, version 1" and named(app) == mine
    press(app, "undo")
    assert standing(app) == "Version 1, changed since", "typed before the first save, and the same plan"
    press(app, "redo")
    press(app, "redo")
    press(app, "save")
    assert standing(app) == "Saved, version 1" and named(app).partition("/")[0] != mine.partition("/")[0]
    assert {each.title for each in store.plans().search()} == {"Visits", "The lecture"}
    assert [each.newest for each in store.plans().search()] == [1, 1]


def test_a_link_to_a_version_is_followed_as_often_as_it_is_pressed(store: Store):
    """But not where a rerun still carries it, before the browser has heard of what it opened and what was typed."""
    name = store.plans().save(SMALL)
    app = opened(Document(SMALL.plan, "Another"))
    for _ in range(2):
        app.query_params.clear()
        app.query_params["saved"] = name
        assert standing(whole(app.run())) == "Saved, version 1" and document(app) == SMALL
        limit(app, 9)
        app.query_params.clear()
        app.query_params["saved"] = name
        app.session_state["saved_followed"] = name
        assert standing(whole(app.run())) == "Version 1, changed since" and plan_of(app).budget.epsilon == 9
        press(app, "start_empty")


def test_a_link_shows_exactly_what_it_holds(store: Store, monkeypatch: pytest.MonkeyPatch):
    """Beside a version of which it is another state, too; and it leads to nothing that is saved."""
    name = store.plans().save(SMALL)
    other = replace(SMALL, plan=replace(SMALL.plan, budget=Guarantee(9.0, 1e-6)))
    app = opened(saved=name, plan=permalink.token(other))
    assert document(app) == other and standing(app) == "Version 1, changed since"
    [link] = [each.proto.body for each in app.get("html") if "dpviz-link" in each.proto.body]
    assert "plan=" in link and "saved=" not in link and name.partition("/")[0] not in link
    large = opened(saved=name, plan="large")
    assert plan_of(large).budget.epsilon == 9, "the draft, which no address has room for"
    monkeypatch.setattr(address, "too_large", lambda: "The plan is too large for a link.")
    assert "would lose it" not in text(whole(large.run())) and "would lose it" in text(opened(SMALL))


@pytest.mark.parametrize("asked", ["{plan}", "{plan}/1", "'; drop table"])
def test_what_belongs_to_somebody_else_is_not_found(store: Store, asked: str):
    """In the same words as what was never there, with nothing of it, whatever is asked."""
    name = store.plans(ADA).save(SMALL)
    store.ask_as(BOB)
    asked = asked.format(plan=name.partition("/")[0])
    app = opened(saved=asked)
    assert saved.NOT_FOUND in text(app) and document(app) is None and "Visits" not in text(app)
    other = opened(saved=asked, plan=permalink.token(replace(SMALL, name="Mine")))
    assert standing(other) == "Not saved" and document(other).name == "Mine"
    press(other, "save")
    assert len(store.plans(BOB).list()) == len(store.plans(ADA).list()) == 1
    assert store.plans(ADA).open(name) == SMALL


def test_with_a_login(store: Store):
    """Who has not logged in is offered it, and nothing else is; a viewer may not save over what is shared with them."""
    store.ask_as("")
    app = opened(SMALL)
    assert {"log_in_head"} <= keys(app) and "save" not in keys(app) and not os.listdir(store.file.parent)
    store.ask_as(ADA)
    app = press(opened(SMALL), "save")
    assert "log_out_head" in keys(app) and [each.owner for each in store.plans(ADA).search()] == [ADA]
    name = named(app)
    projects = store.database.projects(ADA)
    projects.create("census")
    projects.invite("census", BOB, "viewer")
    store.plans(ADA).share(name, "census")
    store.ask_as(BOB)
    app = press(limit(opened(saved=name), 7), "save")
    assert [plain(each.value) for each in app.error] == [
        "“Role” must be at least analyst in the project “census”, not viewer."
    ]
    assert plan_of(app).budget.epsilon == 7 and standing(app) == "Version 1, changed since"
    store.plans(ADA).share(name, None)
    app = press(app, "save")
    assert [plain(each.value) for each in app.error] == [saved.GONE] and standing(app) == "Not saved"
    press(app, "save")
    assert standing(app) == "Saved, version 1" and len(store.plans(BOB).list()) == 1


def test_where_nothing_can_be_saved(store: Store, monkeypatch: pytest.MonkeyPatch):
    """The page says why, and asks no database at all."""
    name = store.plans().save(SMALL)
    monkeypatch.setenv("DPVIZ_STORE", "off")
    monkeypatch.setattr(saving, "database", None)
    app = limit(opened(saved=name, plan=permalink.token(SMALL)), 3)
    assert standing(app) == "Not saved" and "save" not in keys(app)
    [beside] = [each for each in app.markdown if each.value.startswith(":gray[")]
    assert beside.help == saving.SWITCHED_OFF
    assert saving.SWITCHED_OFF in text(opened(saved=name))


def test_a_database_that_fails_is_one_sentence(store: Store, caplog: pytest.LogCaptureFixture):
    """And the page goes on; where people log in, the server's places are told to its log alone."""
    app = press(opened(SMALL), "save")
    newer = str(store.file.with_name("newer.db"))
    with closing(sqlite3.connect(store.file)) as source, closing(sqlite3.connect(newer)) as copy:
        source.backup(copy)
        copy.execute("UPDATE alembic_version SET version_num = '9999'")
        copy.commit()
    below = str(store.file / "below" / "a" / "file.db")
    for typed, location, said in (
        (6, below, below), (7, newer, "written by a newer dpviz"), (8, "mysql://x/y", "DPVIZ_DATABASE must be"),
    ):  # fmt: skip
        store.move(location)
        press(limit(app, typed), "save")
        [refused] = [plain(each.value) for each in app.error]
        assert said in refused and refused.endswith(".") and standing(app) == "Version 1, changed since"
        assert plan_of(app).budget.epsilon == typed
    assert any(saved.NO_DRAFT in plain(each.value) for each in app.warning)
    store.ask_as(ADA)
    caplog.set_level(logging.ERROR, "dpviz.ui")
    press(app, "save")
    [refused] = [plain(each.value) for each in app.error]
    assert "DPVIZ" not in refused and "its log has the reason" in refused and "DPVIZ_DATABASE" in caplog.text
