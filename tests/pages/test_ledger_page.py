"""The page of ledgers: a finished example, one of one's own from first press to next period, bad input, no database."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release
from dpviz.plain import SYMBOLS
from dpviz.plan import Document
from dpviz.plan.files import permalink
from dpviz.store import Database, Key, Term, Unavailable, verify
from dpviz.store import connection as connections
from dpviz.ui.ledger import answer, example
from dpviz.ui.shell import shell
from dpviz.ui.shell.document import saving
from tests.pages.test_levels import opened, visible
from tests.pages.workbench import plain

PLAN = Plan(
    [Release("Mean age", Laplace.from_epsilon(0.3), 2), Release("<b>Visits</b>", Laplace.from_epsilon(0.1))],
    Guarantee(1.0, 1e-6), "person",
)  # fmt: skip
LISTS = ("line", "plan", "parent", "term")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database in which anybody here may save."""
    monkeypatch.setenv("DPVIZ_DATABASE", str(tmp_path / "plans.db"))
    monkeypatch.setenv("DPVIZ_STORE", "on")
    return Database()


def ledger(plan: Plan = PLAN, **asked: str) -> AppTest:
    return opened("ledger", plan=permalink.token(plan), **asked)


def said(app: AppTest) -> list[str]:
    return [plain(each.value) for each in (*app.markdown, *app.caption)]


def pressed(app: AppTest, deed: str = "", **typed: str) -> AppTest:
    """Choose what is to be done, fill its form and press its button."""
    if deed:
        app.segmented_control(key="ledgerdo").set_value(deed).run()
    for key, value in typed.items():
        box = (app.selectbox if key in LISTS else app.text_input)(key=f"ledger_{key}")
        box.set_value(value)
    app.button(key="ledger_press").click().run()
    assert not app.exception
    return app


def refused(app: AppTest) -> str:
    [error] = app.error
    return plain(error.value)


def test_the_example_is_finished_and_proved():
    """What a visitor sees first: the same as its own export says, which a check without us confirms."""
    app = ledger()
    shown = answer._example()
    assert any("An example" in each for each in said(app)) and verify(shown.export).holds
    frame = shown.over_time(shown.budgets[0]).frame
    assert [shown.standings[0].epsilon] == [frame.charged.iloc[-1]] == [2.584762]
    assert frame.spent.iloc[-1] == pytest.approx(8 * 0.05 + 2 * 0.1 + 0.2 + 1 + 0.3)
    first = next(each for each in said(app) if each.startswith("Of "))
    assert "**2.1 is spent**" in first and "**2.585**" in first and "**0.4152 is free**" in first
    assert any(each.startswith("**2.1 is spent, more than the 1.798 that was planned by now") for each in said(app))
    assert any("2602.06756" in each.value for each in app.markdown)
    table = app.dataframe[0].value
    assert table["epsilon"].iloc[0] == "-0.2" and table["What"].iloc[-1] == "budget opened"


def test_people_meet_no_sign():
    assert not [text for text in visible(ledger(read="people")) if SYMBOLS.search(text)]


def test_from_the_first_press_to_the_next_period(kept):
    """A budget, a plan in force, its lines, a request that is refused, a refund, what is left, another epoch."""
    app = ledger()
    app.text_input(key="ledger_name").set_value("Census <i>")
    app.button(key="ledger_begins").click().run()
    assert app.selectbox(key="ledger").value == "Census <i>" and "begun" in app.success[0].value
    pressed(app, data="census", epoch="2026", total="1")
    assert any("nothing is spent" in each for each in said(app))
    pressed(app, "Take a plan into force")
    assert any("What counts is the planned composition" in each for each in said(app))
    assert "chosen first" in refused(pressed(app, "Run a line", reference="run 1"))
    pressed(app, line="1. Mean age", reference="run 1")
    assert "Mean age" in app.success[0].value and app.selectbox(key="ledger_line").value is None
    pressed(app, line="1. Mean age", reference="run 1")
    assert "has 2 uses" not in str(said(app)) and "costs nothing new" in app.success[0].value
    pressed(app, line="2. <b>Visits</b>", reference="run 2")
    pressed(app, "Ask for more", epsilon="0.5", reference="more")
    assert "would exceed" in refused(app) and "nothing was charged" in refused(app)
    pressed(app, epsilon="0.2", reference="more")
    assert "It may run" in app.success[0].value
    assert any("What counts is the filter" in each for each in said(app))
    assert "“Note”" in refused(pressed(app, "Take back a run"))
    pressed(app, note="it broke off")
    pressed(app, "Give back unused lines")
    assert any("**0.6 is free**" in each for each in said(app)), said(app)
    pressed(app, "Next period")
    assert "2027" in str(app.selectbox(key="ledgerbudget").options)
    ledger_kept = kept.ledger("Census <i>")
    kinds = [each.kind for each in ledger_kept.entries()]
    assert kinds == ["budget", "reserve", "line", "line", "request", "refund", "give back", "budget"]
    assert ledger_kept.verify().holds and ledger_kept.standings()[0].total.epsilon == 400_000


def test_a_year_of_a_person_gets_the_calendar_year_and_is_shared_out(kept):
    """The period that the plan's unit names is proposed; 5 become 2 and 3, and nothing is left of it."""
    kept.projects().create("census")
    for plan in (PLAN, Plan([]), replace(PLAN, unit=None)):
        assert ledger(plan, ledger="census").selectbox(key="ledger_term").value == "for life"
    app = ledger(replace(PLAN, unit="person-year"), ledger="census")
    assert app.selectbox(key="ledger_term").value == "each calendar year"
    pressed(app, data="census", total="5")
    whole = "census, person-year (each calendar year)"
    for holder, total in (("team A", "2"), ("team B", "3")):
        pressed(app, "Open a budget", data="census", holder=holder, total=total, total_delta="0", parent=whole)
    refusal = refused(pressed(app, data="census", holder="team C", total="0.1", total_delta="0", parent=whole))
    assert "would exceed ε = 5" in refusal
    first, second, third = kept.ledger("census").standings()
    assert {each.budget.term for each in (first, second, third)} == {Term.of_calendar("year")}
    assert first.total.epsilon == first.budget.whole.epsilon and second.budget.parent == third.budget.parent == 1
    assert kept.ledger("census").verify().holds


BAD = [  # in one session, each after the other
    ("Run a line", {"line": "1. Mean age", "reference": ""}, "“Reference”"),
    ("Run a line", {"line": "1. Mean age", "reference": "a", "count": "7"}, "2 of 2 uses left"),
    ("Run a line", {"line": "1. Mean age", "reference": "a", "count": "x"}, "“Times” must be a whole number"),
    ("Ask for more", {"epsilon": "", "reference": "a", "count": "1"}, "ε must be a number"),
    ("Ask for more", {"epsilon": "nan", "reference": "a"}, "ε must be a number"),
    ("Ask for more", {"epsilon": "0.1", "reference": "budget"}, "“Reference” must be new"),
    ("Open a budget", {"data": "census", "unit": "person"}, "must be one that has no"),
    ("Open a budget", {"data": ""}, "“Data set”"),
    ("Open a budget", {"total": "-1", "data": "x"}, "ε must be a number"),
    ("Take a plan into force", {"plan": "Other, version 1"}, "“Unit of privacy” must be that of the budget"),
]


def test_what_cannot_be_done_is_one_sentence(kept):
    """Nothing is written, and what was typed stays."""
    plans = kept.plans()
    plans.save(Document(Plan(PLAN.releases, PLAN.budget, "household"), "Other"))
    kept.projects().create("census")
    mine = kept.ledger("census")
    mine.open_budget(Key("census", "person"), 1.0, 1e-6, reference="budget")
    mine.take_into_force(plans.save(Document(PLAN, "Plan")), reference="plan")
    app = ledger()
    for deed, typed, sentence in BAD:
        pressed(app, deed, **typed)
        assert sentence in refused(app) and len(mine.entries()) == 2
        for key, value in typed.items():
            box = app.selectbox if key in LISTS else app.text_input
            assert box(key=f"ledger_{key}").value == value


def test_where_nothing_can_be_kept_the_example_stays(monkeypatch):
    """Saying why."""
    monkeypatch.setenv("DPVIZ_STORE", "off")
    app = ledger()
    assert "switched off" in app.info[0].value
    assert all(each.label != "Begin a ledger of my own" for each in app.button)
    assert len(app.get("plotly_chart")) == 1


def test_a_damaged_database_is_one_sentence(kept, tmp_path):
    """And the page goes on."""
    (tmp_path / "plans.db").write_text("no database, but text that is long enough to be taken for one" * 20)
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/ledger.py").run()
    assert not app.exception and "not a database" in refused(app)


def test_what_goes_wrong_with_the_file_is_one_sentence(kept, tmp_path, monkeypatch):
    """In use, full, changed by a byte, of a newer version: nothing is lost, and the page goes on."""
    kept.projects().create("census")
    mine = kept.ledger("census")
    mine.open_budget(Key("census", "person"), 1.0, 1e-6, reference="budget")
    mine.spend(asked=Guarantee(0.1), reference="first")
    monkeypatch.setattr(connections, "SECONDS", 0.05)
    asked = {"epsilon": "0.2", "reference": "more"}
    with closing(sqlite3.connect(tmp_path / "plans.db", isolation_level=None)) as raw:
        raw.execute("BEGIN IMMEDIATE")
        app = pressed(ledger(ledger="census"), "Ask for more", **asked)
        assert "is in use by another program" in refused(app) and len(app.get("plotly_chart")) == 1
        raw.execute("ROLLBACK")
    saving._database.clear()
    with monkeypatch.context() as patch:
        patch.setattr(connections, "_engine", partial(_tight, connections._engine))
        with pytest.raises(Unavailable, match="is full"):
            for number in range(99):
                Database().ledger("census").spend(asked=Guarantee(1e-6), reference=f"{number}", note="x" * 80)
        before = len(mine.entries())
        assert "is full: make room" in refused(pressed(app, **asked | {"note": "x" * 80}))
    saving._database.clear()
    assert len(mine.entries()) == before and mine.verify().holds
    for statement, said in (
        ("UPDATE charges SET epsilon = epsilon + 1", "changed after it was written"),
        ("UPDATE alembic_version SET version_num = '9999'", "written by a newer dpviz"),
    ):
        with closing(sqlite3.connect(tmp_path / "plans.db", isolation_level=None)) as raw:
            raw.execute("DROP TRIGGER IF EXISTS charges_UPDATE")
            raw.execute(statement)
        saving._database.clear()
        app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/ledger.py")
        app.query_params["ledger"] = "census"
        assert said in refused(app.run()) and not app.exception and app.title
        files = {each.key for each in app.get("download_button")}
        assert ("ledger_json_as_it_is" in files) is ("changed" in said)


def _tight(engine, url):
    """An engine whose file has room for no page more."""
    made = engine(url)
    sa.event.listen(made, "connect", lambda raw, _: raw.execute("PRAGMA max_page_count=1"))
    return made


def test_every_rule_and_period_is_drawn(kept):
    """Of noise without an ε, too; the lifetime stands beside a window that renews its amount."""
    kept.projects().create("census")
    mine, keys = kept.ledger("census"), [Key(rule, "person") for rule in ("basic", "zcdp", "fully_adaptive")]
    for key in keys:
        terms = {"rule": key.data, "term": Term.of_calendar("month") if key.data == "basic" else Term.rolling(86_400)}
        mine.open_budget(key, 5.0, 1e-5, reference=key.data, **terms)
    for number in range(3):
        mine.spend(asked={keys[1]: Gaussian(5.0)}, reference=f"g{number}")
    mine.spend(asked=dict.fromkeys(keys, Guarantee(0.1, 1e-8)), reference="all")
    app = ledger(ledger="census")
    for label in app.selectbox(key="ledgerbudget").options:
        app.selectbox(key="ledgerbudget").set_value(label).run()
        assert not app.exception and not app.error
        spec = json.loads(app.get("plotly_chart")[0].proto.spec)
        assert {each["name"] for each in spec["data"]} == {"spent", "spent and reserved", "since the beginning"}
    assert len(app.dataframe) == 2


@pytest.mark.parametrize("read", ["numbers", "people"])
def test_all_of_a_version_is_spent_once_noise_without_an_epsilon_ran(kept, read: str):
    """And the page says why; before that, of what only Laplace noise ran, it does not."""
    kept.projects().create("census")
    mine = kept.ledger("census")
    mine.open_budget(Key("census", "person"), 5.0, 1e-5, reference="budget")
    plan = Plan([Release("Mean", Gaussian(9, 1), 2), Release("Age", Laplace(9, 1), 2)], Guarantee(5.0, 1e-6), "person")
    mine.take_into_force(kept.plans().save(Document(plan, "Year <i>")), reference="plan")
    for line, told in (("Age", False), ("Mean", True)):
        mine.spend(line, reference=line)
        app = ledger(ledger="census", read=read)
        sentence = "**All that “Year <i>” reserved counts as spent:** a line"
        assert any(each.startswith(sentence) for each in said(app)) is told
        assert read == "numbers" or not [text for text in visible(app) if SYMBOLS.search(text)]


def test_the_example_does_not_depend_on_the_day():
    """Nor on chance, but for the name of its plan in a database that is gone."""
    with example.ledger() as one, example.ledger() as other:
        for mine, theirs in zip(one.entries(), other.entries(), strict=True):
            assert (mine.at, mine.reference, mine.charges) == (theirs.at, theirs.reference, theirs.charges)
