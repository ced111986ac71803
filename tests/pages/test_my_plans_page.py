"""The page My plans: its first screen, the list with what each plan costs, versions, sharing, and whose is whose."""

import os
import re
from dataclasses import replace

from dpviz import Guarantee, compose
from dpviz.plain import SYMBOLS
from dpviz.plan import Uncounted
from dpviz.plan.files import permalink
from dpviz.rounding import shown_up
from dpviz.store.tables import versions
from dpviz.ui.my_plans import words as told
from dpviz.ui.my_plans.asked import IN_A_PAGE
from dpviz.ui.shell.document import saving
from tests.pages.saving import HOSTILE, SMALL, Store, in_force, listed, store
from tests.pages.workbench import document, keys, plain, press, text, whole

__all__ = ["store"]
ADA, BOB = "ada@example.org", "bob@example.org"
OVER = replace(SMALL, name="Over", plan=replace(SMALL.plan, budget=Guarantee(0.25, 1e-6)))


def bars(app) -> list[str]:
    """What stands beside the bars of the list."""
    return [each.proto.text for each in app.get("progress")]


def links(app) -> list[str]:
    """Titles, and versions, that the page leads to."""
    return [plain(each.proto.label) for each in app.get("page_link") if "saved=" in each.proto.query_string]


def test_the_first_screen_is_whole_and_writes_nothing(store: Store):
    empty = listed()
    assert told.NOTHING in text(empty) and "save_current" not in keys(empty), "nothing is worked on"
    app = listed(plan=permalink.token(SMALL))
    assert "You are working on Visits: not saved." in text(app).replace("**", "")
    assert "Whoever may read this computer's file." in text(app) and not os.listdir(store.file.parent)
    press(app, "save_current")
    assert "1 saved plan**: none is over its budget." in text(app) and links(app) == ["**Visits**"]
    assert "save_current" not in keys(app) and len(store.plans().list()) == 1


def test_the_list_says_what_each_costs_and_never_less(store: Store):
    """The last saved first; what is over its budget, in the words of each level; text of people is text."""
    for each in (SMALL, OVER, replace(SMALL, name=HOSTILE, plan=replace(SMALL.plan, releases=()))):
        store.plans().save(each)
    app = listed()
    epsilon = compose(SMALL.plan, 1e-6).epsilon
    cost = f"ε at most {shown_up(epsilon)} of"
    at = "at δ = 10⁻⁶"
    assert bars(app) == [f"ε at most 0 of 2 {at}", f"{cost} 0.25 {at}: over budget", f"{cost} 2 {at}"]
    assert links(app)[0] == f"**{plain(HOSTILE[:80].strip())}**"
    assert "3 saved plans**: **1** is over budget." in text(app)
    assert len(re.findall(r"Version 1 · you · \d+ \w+ 20\d\d, \d\d:\d\d UTC", text(app))) == 3
    people = listed(read="people")
    assert not [each for each in bars(people) if SYMBOLS.search(each)] and "Over budget: 6 times" in bars(people)[1]
    found = listed(find="vis")
    assert len(bars(found)) == 1 and "with “vis” in the title" in text(found)
    assert "No plan with “nothing” in the title is here." in text(listed(find="nothing"))


def test_many_are_shown_a_page_at_once(store: Store):
    for number in range(IN_A_PAGE + 2):
        store.plans().save(replace(SMALL, name=f"Plan {number}"))
    app = listed()
    assert len(bars(app)) == IN_A_PAGE and f"of the {IN_A_PAGE} in sight" in text(app)
    app.session_state["plans_page"] = 2
    assert links(whole(app.run())) == ["**Plan 1**", "**Plan 0**"]


def test_versions_names_copies_and_the_archive(store: Store):
    first = store.plans().save(SMALL)
    second = store.plans().save(replace(OVER, name="Visits"), first)
    plan = first.partition("/")[0]
    app = listed()
    app.session_state[f"more_{plan}"] = True
    whole(app.run())
    chosen, other = app.selectbox(key=f"version_{plan}"), app.selectbox(key=f"other_{plan}")
    assert (chosen.value, other.value) == (second, first) and "Open version 2" in links(app)
    app.text_input(key=f"title_{plan}").set_value("<b>Other</b>")
    whole(app.run())
    assert links(app)[0] == "**<b>Other</b>**" and store.plans().search()[0].title == "<b>Other</b>"
    press(app, f"copy_{plan}")
    assert [each.title for each in store.plans().search()] == ["<b>Other</b>", "Visits"]
    press(app, f"archive_{plan}")
    assert links(app) == ["**Visits**"]
    put_away = listed(archived="true")
    put_away.session_state[f"more_{plan}"] = True
    press(whole(put_away.run()), f"archive_{plan}")
    assert len(store.plans().search()) == 2
    app = listed()
    app.session_state[f"more_{plan}"] = True
    press(whole(app.run()), f"both_{plan}")
    assert document(app).plan == OVER.plan and document(app).baseline == SMALL.plan
    assert document(app).baseline_name == "Visits, version 1" and not store.plans().drafts(), "it is only looked at"


def test_the_list_says_which_version_is_in_force(store: Store):
    """And where; what is typed over it is neither saved nor in force."""
    first = store.plans().save(SMALL)
    second = store.plans().save(SMALL, first)
    in_force(store, first, "Survey <i>")
    app = listed()
    assert "**version 1 is in force in Survey <i>**" in text(app)
    plan = first.partition("/")[0]
    app.session_state[f"more_{plan}"] = True
    newest, oldest = whole(app.run()).selectbox(key=f"version_{plan}").options
    assert oldest.endswith(" · in force in Survey <i>") and "in force" not in newest
    store.plans().keep_draft(second, OVER)
    assert "you have changes that are neither saved nor in force" in text(listed())


def test_projects_show_plans_to_their_members_in_their_role(store: Store):
    name = store.plans(ADA).save(SMALL)
    plan = name.partition("/")[0]
    store.ask_as(BOB)
    assert told.NOTHING in text(listed())
    store.ask_as(ADA)
    app = listed()
    app.text_input(key="project_name").set_value("census & <i>")
    app.button(key="FormSubmitter:new_project-Create the project").click()
    whole(app.run())
    [project] = store.database.projects(ADA).list()
    app.session_state[f"more_{plan}"] = app.session_state[f"project_{project.id}"] = True
    whole(app.run())
    app.selectbox(key=f"share_{plan}").set_value("census & <i>")
    whole(app.run())
    app.text_input(key=f"who_{project.id}").set_value(" Bob@Example.org ")
    app.selectbox(key=f"role_{project.id}").set_value("analyst")
    app.button(key=f"FormSubmitter:invite_{project.id}-Invite").click()
    whole(app.run())
    assert store.database.projects(ADA).members("census & <i>") == {ADA: "steward", BOB: "analyst"}
    assert "shared with census & <i>" in text(app) and f"{ADA} (you): **steward**" in text(app)
    press(app, f"out_{project.id}_0")
    assert "must leave the project" in text(app) and len(store.database.projects(ADA).members(project.name)) == 2
    store.ask_as(BOB)
    his = listed()
    assert links(his) == ["**Visits**"] and f"Version 1 · {ADA} · " in text(his)
    his.session_state[f"more_{plan}"] = his.session_state[f"project_{project.id}"] = True
    whole(his.run())
    assert f"who_{project.id}" not in {each.key for each in his.text_input}, "only stewards invite"
    his.selectbox(key=f"share_{plan}").set_value(told.NOBODY)
    assert "must be at least steward" in text(whole(his.run())) and store.plans(ADA).search()[0].project


def test_what_cannot_be_read_or_reached_is_said(store: Store, monkeypatch):
    name = store.plans().save(SMALL)
    store.plans().save(OVER)
    with store.database.connection.writing() as connection:
        triggers = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars().all()
        for trigger in triggers:
            connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
        connection.execute(versions.update().where(versions.c.plan == name.partition("/")[0]).values(document="{"))
    app = listed()
    assert len(bars(app)) == 1 and "cannot be read" in text(app) and len(links(app)) == 2
    store.move(str(store.file / "below" / "file.db"))
    assert told.NOTHING in text(listed()), "what is not there yet holds nothing"
    store.move("mysql://x/y")
    assert "DPVIZ_DATABASE must be a file" in text(listed())
    monkeypatch.setenv("DPVIZ_STORE", "off")
    assert saving.SWITCHED_OFF in text(listed())
    monkeypatch.delenv("DPVIZ_STORE")
    store.ask_as("")
    app = listed()
    assert saving.LOG_IN in text(app) and "log_in_page" in keys(app)
    assert not next(box for box in app.text_input if box.label == "Author").disabled


def test_rows_that_make_no_release_are_said(store: Store):
    """The total of a list is that of the workbench: of what counts, and it says that there is more."""
    row = Uncounted(1, (("name", "Survey"), ("noise", "much")))
    store.plans().save(replace(SMALL, uncounted=(row,)))
    assert bars(listed())[0].endswith("; 1 row not counted")
