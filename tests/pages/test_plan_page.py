"""The workbench without a browser: its head and table, extremes, hostile addresses and files, what must be answered."""

import json
import re
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from streamlit.testing.v1 import AppTest

from dpviz import (
    DiscreteGaussian,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
    TrainedModel,
    compose,
)
from dpviz.claims.judgement import ends_of
from dpviz.composition.spend import savings
from dpviz.plan import NO_LIMIT, Document
from dpviz.planning.schedule import of_one_unit
from dpviz.rounding import shown_share, shown_up
from dpviz.ui.plan import words as told
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.asked import SETS
from dpviz.ui.plan.costs import spends, total
from dpviz.ui.shell import examples, plan_rows, words
from dpviz.ui.shell.document import address, session, table_state
from dpviz.ui.shell.document.rows import rows_of
from tests import effort
from tests.pages.workbench import (
    COSTS,
    LEARNED,
    TABS,
    bar,
    cells,
    charts,
    document,
    edit,
    keys,
    opened,
    plain,
    plan_of,
    press,
    text,
    upload,
    verdict,
    whole,
)
from tests.plan_strategies import PLANS

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "](javascript:alert(1))",
    "$$\\frac{",
    ":material/home:",
    "=cmd|'/c'!A1",
    "💥" * 20,
]
MOBILITY = ":material/check_circle: ε at most **2.488** of **4** per **user-day** at **δ = 10⁻⁶**, by tight accounting"


def totals(app: AppTest) -> dict[str, float]:
    """What the chart of theorems shows, where it is unfolded."""
    [chart] = [each for each in app.get("plotly_chart") if "plan-totals" in each.proto.id]
    return {trace["name"]: trace["x"][0] for trace in json.loads(chart.proto.spec)["data"]}


def cost(app: AppTest) -> float:
    """The number of the verdict."""
    return float(re.search(r"ε at most \*\*([\d.,]+)\*\*", verdict(app))[1].replace(",", ""))


# ---- the head


def test_the_published_example_is_a_finished_answer():
    """One sentence that a journalist may quote, its bar, what an attacker gains, and the theorems folded away."""
    app = opened(example="mobility")
    assert verdict(app) == f"{MOBILITY}: **within budget**."
    assert bar(app) == "planned 2.488, free 1.512"
    said = "whether one user-day is in the data, is right in at most **62.7 of 100** guesses on average; a coin toss in"
    assert said in text(app)
    federated = [each.proto.body for each in opened(example="federated-learning").get("html")]
    assert any("1,000 releases, each on a random sample of 1 %<" in each for each in federated)
    labels = [plain(each.label) for each in app.expander]
    assert "Proved by tight accounting; adding up would give ε = 2.64" in labels
    [others] = [label for label in labels if label.startswith("What others promise one user-day:")]
    assert re.search(r"\d+ promises, ε from .+ to .+|Community Mobility", others)
    assert not app.metric and len(charts(app)) == 1
    dearest = "“Visits to public places, per county or municipality”"
    assert f"{dearest} frees the most budget: ε falls by 29.9 %" in text(app)


@pytest.mark.parametrize(("noise", "rows"), [(Gaussian(60.0, 5.0), 5), (DiscreteGaussian(60.0, 5), None)])
def test_a_lower_end_counts_bars_of_their_own(noise: Gaussian | DiscreteGaussian, rows: int | None):
    """Which is said where several rows of one unit are stated, and where a sensitivity for several was typed."""
    visits = Release("Visits", noise, kind="histogram", rows=rows)
    said = told.surely({"lower": 3.73}, Plan([visits], unit="person"))
    assert said == "**At least ε = 3.73** is lost even if no two rows of one unit lie in one bar: that is proved, too."
    one = replace(visits, mechanism=Gaussian(60.0, 1.0), rows=None)
    apart = replace(visits, rows=rows or 25, bars="different")
    for bars in ("different", "any"):
        stated = Plan([replace(apart, bars=bars)], unit="person")
        assert "where answers move" in told.surely({"lower": 3.73}, stated), "that is what was stated"
    typed = replace(one, mechanism=Gaussian(60.0, 5.0))
    assert "where answers move" in told.surely({"lower": 5.2}, Plan([typed], unit="person")), "all of it is counted"
    assert "where answers move by their whole sensitivity" in told.surely({"lower": 1.0}, Plan([one], unit="person"))


@pytest.mark.parametrize("key", examples.BY_KEY)
def test_every_example_opens_by_its_address(key: str):
    """An address names an example; read as proofs, all theorems are drawn."""
    app = opened(example=key, read="proofs")
    assert totals(app) and plan_of(app) == examples.plan_of(key)
    assert verdict(app).startswith((":material/check_circle:", ":material/error:"))
    [least] = [re.search(r"At least ε = ([\d.,]+)\*\* is lost where answers", each.value) for each in app.markdown
               if "that is proved, too" in each.value] or [None]  # fmt: skip
    plan = of_one_unit(plan_of(app))
    proved = ends_of(plan, plan.budget.delta)
    assert (least is None) == (proved.lower == 0) or plan.adaptive
    assert least is None or float(least[1].replace(",", "")) <= proved.lower


def test_thirty_days_and_one_day():
    """The same people, another unit: what adding up proves is 79.2 for a month, and 2.64 for a day."""
    for key, added in (("mobility", "2.64"), ("mobility-30-days", "79.2")):
        app = opened(example=key)
        assert any(each.label.endswith(f"adding up would give ε = {added}") for each in app.expander)


def test_the_contrast_is_parallel_composition():
    """2.64 for a user-day is what thirty disjoint days cost, by the core."""
    day = examples.plan_of("mobility")
    days = [Release(each.name, each.mechanism, each.count, f"day {n}") for n in range(30) for each in day.releases]
    assert compose(Plan(days, unit="user-day"), 0.0) == Guarantee(2.64)


A_DAY = "one **user over a day**"


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({}, f"**Within budget**: these releases use at most **62.2 %** of what is allowed for {A_DAY}."),
        ({"eps": "2"}, f"**Over budget** for {A_DAY}: these releases use **1.244 times** what is allowed."),
        ({"eps": "0"}, f"**Over budget** for {A_DAY}."),
        ({"eps": ""}, f"No budget is set for {A_DAY}, so there is nothing to compare these releases with."),
    ],
    ids=str,
)
def test_people_read_a_share_of_the_budget(address: dict, sentence: str):
    """The verdict without symbols, and guesses, never fewer than they are."""
    app = opened(example="mobility", read="people", **address)
    assert verdict(app).partition(": ")[2] == sentence or verdict(app).endswith(sentence)
    assert "is right in at most **62.7 of 100** guesses on average; a coin toss in 50" in text(app)


def test_people_read_that_nothing_bounds_it():
    plan = Plan([Release("g", Gaussian(1.0, 1))], Guarantee(1.0, 0.0))
    app = opened(plan, read="people")
    assert verdict(app).endswith("**Nothing bounds** what these releases reveal about one **unit**.")
    assert bar(app) == "no bound"
    unbounded = "**No theorem here bounds** what these releases cost per **unit** at **δ = 0**."
    assert verdict(opened(plan)).endswith(unbounded)


@pytest.mark.parametrize(
    ("address", "said", "shown"),
    [
        ({"eps": "2"}, "**over budget by 0.488**", "planned 2.488, over by 0.488"),
        ({"eps": "0"}, "**over budget by 2.488**", "planned 2.488, over by 2.488"),
        ({"eps": ""}, "no budget is set", "planned 2.488"),
        ({"eps": "2.64", "delta": "0"}, "**within budget**", "planned 2.64, free 0"),
        ({"eps": "2", "read": "people"}, "**Over budget**", "planned 124.4 %, over by 24.4 %"),
        ({"eps": "", "read": "people"}, "No budget is set", "planned 100 %"),
        ({"read": "people"}, "**Within budget**", "planned 62.2 %, free 37.8 %"),
    ],
    ids=str,
)
def test_the_bar_and_the_verdict_agree(address: dict, said: str, shown: str):
    """Whatever the budget: used up is within it, 0 is one, and none is none."""
    app = opened(example="mobility", **address)
    assert said in verdict(app) and bar(app) == shown


def test_what_is_published_already_is_spent():
    """The bar tells it apart from what is planned."""
    done = Release("a", Laplace.from_epsilon(0.5), done=True)
    app = opened(Plan([done, Release("b", Laplace.from_epsilon(0.25))], Guarantee(2.0, 0.0)))
    assert bar(app) == "spent 0.5, planned 0.25, free 1.25"


@effort.examples(6)
@given(PLANS)
def test_parts_of_the_bar_add_up(plan: Plan):
    """Spent, planned and free are the budget; spent and planned are the total where that exceeds it."""
    stand = Standing.of(plan)
    parts = {name: size for name, size, _ in told.parts(stand)}
    if stand.filters:  # they promise the whole budget
        assert parts == {"planned": stand.limit}
        return
    if stand.total == float("inf"):
        assert parts == {"over": 0.0}
        return
    assert all(size >= 0 for size in parts.values())
    assert parts.get("spent", 0.0) + parts["planned"] == pytest.approx(stand.total)
    if "free" in parts:
        assert sum(parts.values()) == pytest.approx(stand.limit)
    assert ("free" in parts) == (stand.total <= stand.limit < float("inf"))


def test_an_answer_fills_no_box_but_those_that_change():
    """What is typed into a box while an answer to another one is on its way is not replaced."""
    app = opened(example="mobility")
    whole(app.text_input(key="eps").set_value("2,5").run())
    filled = {each.key for each in app.text_input if each.proto.set_value}
    assert "eps" in filled and not filled & {"people", "delta", "unit"}
    press(app, "undo")
    assert app.text_input(key="eps").proto.set_value and app.text_input(key="eps").value != "2.5"


def test_a_name_is_kept_and_undone():
    app = opened(example="mobility")
    app = whole(app.text_input(key="name").set_value("My plan").run())
    assert document(app).name == "My plan" and "plan" in app.query_params
    app = press(app, "undo")
    assert document(app).name == "mobility" and app.text_input(key="name").value == "The mobility reports, one day"


# ---- addresses


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps": "-1"}, {"eps": "nan"}, {"eps": "1e999"}, {"eps": "1001"}, {"eps": "<script>"}, {"delta": "2"},
        {"delta": "x"}, {"unit": "*" * 500}, {"unit": "\x00"}, {"unit": ""}, {"rel": "both"}, {"adaptive": "perhaps"},
        {"read": "x"}, {"like": "0"}, {"like": "99"}, {"example": "../../etc/passwd"}, {"example": "<b>"},
        {"nonsense": "1"}, {"tab": "x"}, {"panel": "<b>"}, {"columns": "none"}, {"look": "-1"}, {"row": "99"},
        {"eps": "inf"}, {"eps": "-inf"}, {"delta": "nan"}, {"delta": "1e999"}, {"like": "nan"},
    ],
    ids=str,
)  # fmt: skip
def test_hostile_addresses(parameters: dict):
    """A bad value falls back to the default, and the finding is there."""
    assert verdict(opened(**({"example": "mobility"} | parameters))) == f"{MOBILITY}: **within budget**."


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps": "0"}, {"eps": "1000"}, {"delta": "0"}, {"delta": "0.5"}, {"delta": "1e-30"}, {"adaptive": "true"},
        {"rel": "replace_one"}, {"example": "sherpa-notebook", "delta": "0"},
        {"example": "sherpa-notebook", "delta": "0.005"}, {"example": "sherpa-notebook", "eps": "0"},
    ],
    ids=str,
)  # fmt: skip
def test_extremes(parameters: dict):
    """Every allowed value gives a verdict and a chart with all theorems, in every tab."""
    app = opened(**({"example": "mobility", "read": "proofs"} | parameters))
    assert bool(totals(app)) == ("ε at most" in verdict(app)) and "nan" not in verdict(app)
    if "ε at most" in verdict(app):
        assert cost(app) >= min(totals(app).values()) >= cost(app) * 0.999 or cost(app) == 0


def test_an_address_of_the_former_first_page_keeps_its_fields():
    """Budget, δ, unit, relation, people and order stood apart in it."""
    fields = {"eps": "3", "delta": "1e-7", "unit": "device", "rel": "replace_one", "people": "500", "adaptive": "true"}
    plan = plan_of(opened(example="mobility", read="words", **fields))
    assert plan.budget == Guarantee(3.0, 1e-7) and (plan.unit, plan.relation) == ("device", "replace_one")
    assert plan.population == 500 and plan.adaptive
    assert plan.releases == examples.plan_of("mobility").releases


def test_reloading_keeps_everything():
    """The address of a screen opens it anew: the plan with rows that do not count, A, level, tab, panel and columns."""
    app = opened(example="weekly-dashboard", read="people", tab="When", panel="A against B", columns="dates")
    app = press(app, "keep_a")
    app = edit(app, {0: {"count": "2"}, 1: {"count": "lots"}})
    address = {name: app.query_params[name] for name in app.query_params}
    assert set(address) >= {"plan", "tab", "panel", "columns"}
    again = opened(**address)
    assert document(again) == document(app) and document(again).baseline and document(again).uncounted
    assert verdict(again) == verdict(app) and bar(again) == bar(app)
    assert [each.value for each in again.markdown] == [each.value for each in app.markdown]
    assert cells(again)[["share", "error"]][:4].equals(cells(app)[["share", "error"]][:4])


# ---- the table


@pytest.mark.parametrize(("typed", "shown"), [("0.02", "ε 0.02"), (" 2e-2", "ε 0.02"), ("σ 2", "σ 2"), ("0", "0")])
def test_a_bare_number_typed_over_noise_keeps_its_sign(typed, shown):
    """An ε stays an ε, the cell says so, and Undo brings the former one back; nothing else is made of what is typed."""
    app = opened(example="weekly-dashboard")
    before = document(app)
    assert before.plan.releases[0].mechanism.parameters.keys() >= {"epsilon"}
    edit(app, {0: {"noise": typed}})
    assert rows_of(document(app))[0]["noise"] == shown
    if shown == "ε 0.02":
        assert plan_of(app).releases[0].mechanism.parameters["epsilon"] == 0.02
        assert app.session_state["due"] == app.session_state["revision"], "the cell is to say so once nobody types"
    assert document(press(app, "undo")) == before


def test_a_bare_number_in_an_empty_cell_is_asked_about():
    """Nothing stood there that says what it is: the row does not count, and a sentence says why."""
    app = opened(example="weekly-dashboard")
    place = len(plan_of(app).releases)
    edit(app, {place: {"name": "New", "mechanism": "Gaussian"}})
    edit(app, {place: {"noise": None}})
    edit(app, {place: {"noise": "5"}})
    assert rows_of(document(app))[place]["noise"] == "5" and len(plan_of(app).releases) == place


def test_the_table_shows_share_and_error():
    """The share is what leaving a release out saves; the error that of one number; blank rows have neither."""
    app = opened(example="mobility")
    table = cells(app)
    saved = [each.share for each in savings(plan_of(app), 1e-6)]
    assert table.share.iloc[:9].tolist() == list(map(shown_share, saved)) and table.share.iloc[9:].isna().all()
    assert table.error.iloc[0] == "±27.3" and table.error.iloc[2] == "±13.7"  # -ln 0.05 / 0.11, / 0.22
    assert len(table) == 9 + table_state.BLANKS
    typical = Plan([Release("a", Laplace(10, 1), typical=1e3), Release("b", RandomizedResponse(1))], Guarantee(4.0))
    assert cells(opened(typical)).error.iloc[0] == "±30 (3 %)" and cells(opened(typical)).error[1] == "true 73.1 of 100"
    for noise, error in (("±62.13", "±62.13"), ("±62.1354", "±62.2")):  # the latter is solved for, not typed
        known = cells(edit(opened(typical), {0: {"noise": noise}}))
        assert known.error[0] == f"{error} (6.22 %)", "as it was typed, and else as it is told elsewhere"
    discrete = edit(opened(typical), {0: {"mechanism": "Discrete Laplace", "noise": "±0.4"}})
    assert cells(discrete).error[0] == "±0 (0 %)", "of whole numbers none lies between, whatever was typed"
    kept = press(opened(typical), "keep_a")
    error = cells(edit(kept, {0: {"noise": "±62.13"}})).error[0]
    assert error == "±62.13 (6.22 %; A ±30)", "beside plan A, as well"
    people = cells(opened(typical, read="people")).error
    assert people.iloc[0] == "970 to 1,030 (off by 30)"


@pytest.mark.parametrize("columns", ["promise", "accuracy", "dates"])
@pytest.mark.parametrize("read", ["people", "numbers"])
def test_each_set_of_columns_shows_the_share(columns: str, read: str):
    """Three sets, one table; people do not read mechanism, noise and sensitivity."""
    app = opened(example="statistics-office", columns=columns, read=read)
    [table] = [each for each in app.dataframe if "share" in each.value]
    shown = list(table.proto.column_order)
    assert shown[0] == "name" and "share" in shown
    assert ("noise" in shown) == (read == "numbers" and columns != "dates")


def test_editing_and_undoing():
    """Cells change, a row is emptied, and undo returns, step by step; redo goes on again, until something changes."""
    app = edit(opened(example="mobility"), {0: {"count": "5"}})
    assert plan_of(app).releases[0].count == 5 and cost(app) == 2.528
    app = edit(app, {0: {"count": "5"}, 1: dict.fromkeys(plan_rows.COLUMNS)})
    assert len(plan_of(app).releases) == 8 and cost(app) < 2.3
    app = press(app, "undo")
    assert cost(app) == 2.528 and len(plan_of(app).releases) == 9
    app = press(app, "undo")
    assert verdict(app) == f"{MOBILITY}: **within budget**." and app.button(key="undo").disabled
    app = press(press(app, "redo"), "redo")
    assert len(plan_of(app).releases) == 8 and cost(app) < 2.3 and app.button(key="redo").disabled
    app = edit(press(app, "undo"), {0: {"count": "6"}})
    assert plan_of(app).releases[0].count == 6 and app.button(key="redo").disabled


def test_a_rerun_begins_once(monkeypatch: pytest.MonkeyPatch):
    """The entry point and the page both ask for it; what the address and the table bring is taken in once."""
    written = []
    monkeypatch.setattr(address, "write", lambda **_: written.append(session.document()))
    app = opened()
    assert len(written) == 1
    whole(app.run())
    assert len(written) == 2


def test_a_name_in_a_blank_row_makes_a_release():
    """It is completed with noise, sensitivity and count, and stands in the address."""
    app = edit(opened(example="mobility"), {9: {"name": "One more"}})
    assert plan_of(app).releases[9] == Release("One more", Laplace.from_epsilon(0.1))
    assert cells(app).noise.iloc[9] == "ε 0.1" and cost(app) > 2.488
    again = opened(plan=app.query_params["plan"])
    assert plan_of(again) == plan_of(app)


def test_rows_are_pasted_from_a_spreadsheet():
    """Several blank rows at once, as a browser reports them: each counts, one that is wrong is told; none is lost."""
    pasted = {
        9: {"name": "A", "mechanism": "Laplace", "noise": "ε 0.5", "sensitivity": "1", "count": "2"},
        10: {"name": "B", "mechanism": "Gaussian", "noise": "σ 40", "sensitivity": "1", "count": "1"},
        11: {"name": "C", "mechanism": "Laplace", "noise": "±20", "sensitivity": "1", "count": "1"},
        12: {"name": "D", "mechanism": "Laplace", "noise": "0,5", "sensitivity": "1", "count": "1"},
        13: {"name": "E", "mechanism": "Gaussian", "noise": "Standard deviation 500", "sensitivity": "1",
             "cadence": "once", "start": "2027-10-01", "end": "2027-10-01"},
    }
    app = edit(opened(example="mobility"), pasted)
    found = plan_of(app).releases[9:]
    assert [each.name for each in found] == ["A", "B", "C", "E"]
    assert found[3].mechanism == Gaussian(500.0, 1) and (str(found[3].start), found[3].end) == ("2027-10-01", None)
    assert found[0].mechanism == Laplace.from_epsilon(0.5, 1) and found[0].count == 2
    assert found[1].mechanism == Gaussian(40.0, 1)
    [row] = document(app).uncounted
    assert row.position == 12 and dict(row.cells)["noise"] == "0,5" and "**“D” does not count yet**" in verdict(app)


@pytest.mark.parametrize("columns", SETS)
def test_a_row_whose_cells_in_sight_are_cleared_is_gone(columns: str):
    """What is hidden goes with them; while one of them is left, the row stays and says what it lacks."""
    app = opened(example="statistics-office", columns=columns)
    start, cleared = document(app), dict.fromkeys(plan_rows.CELLS.keys() & {*SETS[columns]})
    app = edit(app, {2: cleared})
    after = document(app)
    assert after.plan.releases == (*start.plan.releases[:2], *start.plan.releases[3:]) and not after.uncounted
    assert document(press(app, "undo")) == start and document(press(app, "redo")) == after
    del cleared["name"]
    left = document(edit(opened(example="statistics-office", columns=columns), {2: cleared}))
    assert len(left.plan.releases) + len(left.uncounted) == len(start.plan.releases)


def test_a_full_table_gets_blank_rows_again():
    """Whoever fills the last blank rows finds new ones; all at once it may be a paste that was cut, and is refused."""
    full = {9 + row: {"name": f"r{row}"} for row in range(table_state.BLANKS)}
    app = edit(opened(example="mobility"), full)
    assert len(plan_of(app).releases) == 9 and "more may be missing" in text(app)
    app = edit(edit(app, dict(list(full.items())[:-1])), full)
    assert len(plan_of(app).releases) == 9 + table_state.BLANKS
    assert len(cells(app)) == 9 + 2 * table_state.BLANKS


@pytest.mark.parametrize(
    "cell",
    [{"noise": "-1"}, {"noise": "lots"}, {"noise": "ε 0,22"}, {"count": "1e10"}, {"count": "99999999999"},
     {"noise": "σ 1"}, {"noise": "±-3"}, {"start": "1.3.2026"}, {"sensitivity": "many"}, {"weight": "0"}],
    ids=str,
)  # fmt: skip
def test_bad_cells_lose_nothing(cell: dict):
    """One sentence under the table; the verdict names the row and the others count; it stays typed; a repair counts."""
    app = edit(opened(example="mobility"), {2: cell})
    [error] = app.error
    assert "Row 3" in plain(error.value)
    assert "places, per county or munic…” does not count yet**" in verdict(app) and cost(app) == 1.745
    [row] = document(app).uncounted
    assert row.position == 2 and cell.items() <= dict(row.cells).items()
    [column] = cell
    good = {"noise": "ε 0.22", "count": "4", "start": None, "sensitivity": "1", "weight": None}[column]
    app = edit(app, {2: {column: good}})
    assert not app.error and verdict(app) == f"{MOBILITY}: **within budget**."


def test_a_row_is_told_by_its_number_in_the_table_on_the_screen():
    """Blank rows between count while they are there; drawn anew, rows close up. All that is wrong is told."""
    bad = {"name": "Survey", "mechanism": "Laplace", "noise": "ε -1", "count": "once"}
    good = {"name": "Flag", "mechanism": "Laplace", "noise": "ε 0.1", "sensitivity": "1"}
    app = edit(opened(example="mobility"), {11: bad, 12: good})
    assert "**“Survey” does not count yet**" in verdict(app)
    assert cells(app).error.notna()[9:13].tolist() == [False, False, False, True], "computed cells stand beside it"
    said = plain(app.error[0].value)
    assert "Row 12, “Survey”: “Times” must be a whole number from 0 to 1,000,000,000, not “once”" in said
    assert "“Noise” holds “ε -1”, but ε must be a number above 0" in said and "Row 10" not in said
    app = whole(app.run())
    assert "**“Survey” does not count yet**" in verdict(app) and "Row 12, " in plain(app.error[0].value)
    app = press(edit(app, {11: bad, 0: {"noise": "ε 0.2"}}), "undo")
    assert "**“Survey” does not count yet**" in verdict(app) and "Row 10, " in plain(app.error[0].value)


@pytest.mark.parametrize("label", plan_rows.KEYS)
def test_a_new_row_of_any_mechanism_makes_sense(label: str):
    """Choosing a mechanism brings what it takes; noise by its σ alone waits until its sensitivity is known."""
    app = edit(opened(example="mobility"), {9: {"name": "New"}})
    count = len(plan_of(app).releases)
    app = edit(app, {9: {"name": "New", "mechanism": label}})
    if plan_rows.USUAL[plan_rows.KEYS[label]].startswith("σ"):
        assert "by how much one user-day can change this answer" in plain(app.error[0].value)
        assert "**“New” does not count yet**" in verdict(app)
        app = edit(app, {9: {"name": "New", "mechanism": label, "kind": "count"}})
    assert not app.error and len(plan_of(app).releases) == count
    assert plan_of(app).releases[-1].mechanism.key == plan_rows.KEYS[label]


def test_a_sensitivity_follows_what_is_typed_beside_it():
    """Blank, it is derived and shown so; typed too small, the row is not counted; blank again, it follows."""
    row = {"name": "Income", "kind": "sum", "mechanism": "Laplace", "noise": "b 100", "lower": "0", "upper": "6000"}
    app = edit(opened(example="mobility"), {9: row})
    assert plan_of(app).releases[-1].mechanism.stated.epsilon == 60.0 and cells(app).sensitivity[9] == "= 6000"
    app = edit(app, {9: {**row, "upper": "100000"}})
    assert plan_of(app).releases[-1].mechanism.stated.epsilon == 1000.0
    app = edit(app, {9: {**row, "sensitivity": "1"}})
    assert len(plan_of(app).releases) == 9 and "must be at least 6000" in plain(app.error[0].value)
    app = edit(app, {9: {**row, "sensitivity": "= 6000"}})
    assert plan_of(app).releases[-1].mechanism.parameters == {"scale": 100.0} and not app.error


def test_a_typed_value_is_never_replaced():
    """Where the mechanism takes it, it stays, even if it is wrong; and the row waits for a repair."""
    typed = {"name": "Survey", "mechanism": "Randomized response", "noise": "0,05", "sensitivity": "1", "count": "1"}
    app = edit(opened(example="mobility"), {9: typed})
    [row] = document(app).uncounted
    assert dict(row.cells)["noise"] == "0,05" and "Row 10" in plain(app.error[0].value)


@pytest.mark.parametrize("changes", [{99: {"count": "5"}}, {-1: {"count": "5"}}])
def test_changes_of_rows_that_are_not_there(changes: dict):
    """A browser that shows an older table starts anew with this one."""
    app = edit(opened(example="mobility"), changes)
    assert verdict(app) == f"{MOBILITY}: **within budget**."


def test_long_plans_are_shown_without_an_editor():
    """A plan of thousands of rows opens, and is answered; it is edited in its file, or one release at a time."""
    rows = "\n".join(f"release {n},laplace,0.001" for n in range(3000))
    app = upload(opened(example="mobility"), "plan.csv", f"name,mechanism,epsilon\n{rows}\n")
    assert "Plans of more than 1,000 rows are edited in their file" in text(app)
    assert any(each.label.endswith("adding up would give ε = 3") for each in app.expander)
    assert len(cells(app)) == 3000 and "2976 of 3000 releases are not drawn" in text(app)


def test_a_plan_of_too_many_rows_is_refused_in_one_sentence():
    """Who shares the process with others is told what to do instead; the plan on the screen stays."""
    rows = "\n".join(f"release {n},laplace,0.001" for n in range(5001))
    app = upload(opened(example="mobility"), "plan.csv", f"name,mechanism,epsilon\n{rows}\n")
    assert "holds 5,001 releases, and the dashboard takes 5,000" in plain(app.error[0].value)
    assert verdict(app) == f"{MOBILITY}: **within budget**."


@pytest.mark.parametrize("cell", [1, 2.5, True, [], {}])
def test_cells_that_are_no_text(cell: object):
    """No browser sends them; they are taken for the text that they spell, without an error."""
    app = edit(opened(example="mobility"), {0: {"noise": cell}, 10: {"mechanism": cell}})
    assert not app.exception and "knows it as" not in text(app)


def test_no_option_where_one_is_required():
    """No browser sends that; the first one is taken."""
    app = opened(example="mobility")
    app.session_state["columns"] = None
    app.run()
    assert not app.exception and "knows it as" not in text(app) and len(cells(app))


# ---- hostile texts and files


@pytest.mark.parametrize(("name", "tab"), [*zip(HOSTILE, [*TABS, *TABS[:2]], strict=True)])
def test_hostile_names(name: str, tab: str):
    """A name is text, wherever it stands."""
    plan = Plan([Release(name[:80], Laplace.from_epsilon(0.5), 9)], Guarantee(1.0, 1e-6), unit=name[:80])
    app = upload(opened(example="mobility", tab=tab), "plan.json", plan.to_json())
    assert plan_of(app) == plan and "over budget" in verdict(app)
    shown = [*app.markdown, *app.caption, *app.warning, *app.info]
    assert all("<img" not in each.value.replace("\\<", "") for each in shown)
    assert all("<img" not in each.label.replace("\\<", "") for each in app.expander)
    assert not any("<img" in each.proto.body for each in app.get("html"))


def test_opening_a_json_brings_the_whole_plan():
    """Budget, unit and relation come with the file."""
    plan = Plan([Release("x", RandomizedResponse(0.5))], Guarantee(0.7, 1e-9), "household", "replace_one", 100, True)
    app = upload(opened(example="mobility"), "plan.json", plan.to_json())
    assert plan_of(app) == plan and app.text_input(key="eps").value == "0.7" and document(app).name == "plan"


def taken_over(app: AppTest) -> list[str]:
    """What a file left open and the plan before it lent."""
    return [each.value for each in app.info if "plan before" in each.value]


def test_opening_a_csv_brings_the_whole_plan():
    """What it states is taken from it, whatever was open before, and nothing is asked."""
    plan = Plan([Release("x", RandomizedResponse(0.5), 2)], Guarantee(0.7, 1e-9), "household", "replace_one", 100, True)
    app = upload(opened(example="mobility"), "plan.csv", plan.to_csv())
    assert plan_of(app) == plan and not taken_over(app) and not app.warning
    part = Plan([Release("x", RandomizedResponse(0.5), part="N")], Guarantee(1, 0.0), "person", population=7)
    app = upload(opened(example="statistics-office"), "plan.csv", part.to_csv())
    assert plan_of(app) == replace(part, adaptive=False), "parts demand another relation than the plan before had"
    [taken] = taken_over(app)
    assert taken.startswith("The file does not state whether releases are chosen along the way")


def test_a_csv_that_states_nothing_in_a_new_session():
    """Nobody has stated anything then, and the page says that instead of a person."""
    app = upload(opened(), "plan.csv", "name,mechanism,epsilon\nx,laplace,0.5\n")
    plan = plan_of(app)
    assert plan.stated == {} and plan.budget == NO_LIMIT and not taken_over(app)
    assert "ε at most **0.5** per **unit**" in verdict(app) and "no budget is set" in verdict(app)
    assert app.text_input(key="unit").value == "" and app.text_input(key="unit").placeholder == "not stated"
    assert any("does not say whom" in each.value for each in app.warning)
    half = whole(app.text_input(key="unit").set_value("household").run())
    assert plan_of(half).unit == "household" and any("does not say whom" in each.value for each in half.warning)
    said = whole(app.text_input(key="eps").set_value("2").run())
    assert not any("does not say whom" in each.value or "Only the word" in each.value for each in said.warning)


@pytest.mark.parametrize("cells", ["income,laplace,1000,,sum,0,120000", "income,laplace,1000,1,sum,0,120000",
                                   "age,laplace,,0.1,mean,0,100", "age,laplace,10,,,,"])  # fmt: skip
def test_a_csv_whose_sensitivities_let_no_total_be_quoted(cells: str):
    """It opens, with the row that does not count told, at the front door and over a plan."""
    column = "epsilon" if ",,0.1," in cells else "scale"
    cells = cells.replace(",,0.1,", ",0.1,,")
    head = f"name,mechanism,{column},sensitivity,kind,lower,upper,relation,unit\n"
    for app in (opened(), opened(example="statistics-office")):
        app = upload(app, "plan.csv", f"{head}{cells},add_remove,person")
        held = document(app)
        assert len(held.plan.releases) + len(held.uncounted) == 1 and held.plan.relation == "add_remove"


def test_what_a_csv_leaves_open_stays_as_it_was():
    """The promise of the plan before is taken over, which a sentence says; whom it protects is still asked."""
    app = upload(opened(example="mobility"), "plan.csv", "name,mechanism,epsilon\nx,laplace,0.5\n")
    before = examples.plan_of("mobility")
    assert plan_of(app) == replace(before, releases=(Release("x", Laplace.from_epsilon(0.5)),))
    [taken] = taken_over(app)
    assert "the unit of privacy" in taken and "the δ of the budget" in taken and "those of the plan before" in taken
    assert any("does not say whom" in each.value for each in app.warning)
    said = whole(app.text_input(key="eps").set_value("2").run())
    assert not taken_over(app)
    assert not any("does not say whom" in each.value or "Only the word" in each.value for each in said.warning)
    for _ in range(2):
        app = press(said, "undo")
    assert verdict(app) == f"{MOBILITY}: **within budget**."


def test_a_csv_may_be_as_shown():
    app = upload(opened(example="mobility"), "plan.csv", "name,mechanism,epsilon\nx,laplace,0.5\n")
    assert not press(app, "as_shown").warning


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plan.csv", b""),
        ("plan.csv", b"\xff\xfe\x00"),
        ("plan.csv", b"name,mechanism,epsilon\nx,laplace,-1\ny,magic,2\n"),
        ("plan.json", b"{"),
        ("plan.json", b'{"dpviz_plan": 99, "releases": []}'),
        ("plan.json", b"[" * 100_000),
        ("plan.json", b'{"dpviz_plan": 1, "releases": [{"name": "**x**", "mechanism": "laplace", "epsilon": 1e999}]}'),
    ],
)
def test_bad_files_lose_nothing(name: str, content: bytes):
    """What is wrong is said where the file was opened, and the plan stays."""
    app = upload(opened(example="mobility"), name, content)
    assert len(app.error) == 1 and "The plan was not read" in app.error[0].value
    assert verdict(app) == f"{MOBILITY}: **within budget**."


# ---- what must be known before the numbers are read


def test_relation_that_parts_forbid():
    """A choice that the plan does not allow gets a sentence where it was made."""
    plan = Plan([Release("x", RandomizedResponse(0.5), 1, "North")], Guarantee(1.0, 1e-6))
    app = upload(opened(example="mobility"), "plan.json", plan.to_json())
    whole(app.selectbox(key="rel").set_value("replace_one").run())
    assert len(app.error) == 1 and "replace" in app.error[0].value and "fixed size" not in app.error[0].value
    assert plan_of(app).neighbours == "add_remove"


def test_what_is_assumed_can_be_chosen_where_it_stands():
    """What nobody stated is shown, and choosing the very same states it: then it is asked no more."""
    app = opened(Plan([Release("x", Laplace(10.0, 1), kind="count")], Guarantee(1.0, 1e-6)))
    relation, order = app.selectbox(key="rel"), app.selectbox(key="adaptive")
    assert (relation.value, order.value) == (None, None)
    assert (relation.placeholder, order.placeholder) == ("added or removed (assumed)", "fixed in advance (assumed)")
    before = verdict(app)
    whole(app.selectbox(key="rel").set_value("add_remove").run())
    whole(app.selectbox(key="adaptive").set_value(False).run())
    assert (plan_of(app).relation, plan_of(app).adaptive) == ("add_remove", False) and verdict(app) == before
    assert (app.selectbox(key="rel").value, app.selectbox(key="adaptive").value) == ("add_remove", False)


def test_every_row_that_does_not_count_says_why():
    """And what was pasted is called what it was; of very many, how many more there are."""
    rows = {row: {"name": f"x{row}", "mechanism": "gauss", "noise": "ε 1"} for row in range(25)}
    app = edit(opened(Plan([], Guarantee(1.0, 1e-6))), rows)
    [error] = [each.value for each in app.error]
    assert error.count("gauss") == error.count("must be one of") == 20 and "and 5 more" in error
    assert "Without" not in verdict(app)


def test_what_was_proposed_is_said_no_more_after_undo():
    app = edit(opened(example="mobility"), {9: {"name": "Visits"}})
    assert any("begins with Laplace" in each.value for each in app.caption)
    assert not any("begins with Laplace" in each.value for each in press(app, "undo").caption)


def test_days_that_nobody_typed_are_told():
    """A rhythm takes the days of another row, which may end sooner than is meant."""
    ends = {"start": "2026-10-01", "cadence": "monthly", "end": "2027-06-30"}
    hours = {"name": "Hours", "cadence": "quarterly"}
    app = edit(opened(Plan([Release("Canteen", Laplace(10, 1), **ends)])), {1: hours})
    told = "“Hours” is released quarterly, first on 2026-10-01 and last on 2027-04-01, 3 times, until you type"
    assert any(told in plain(each.value) for each in app.caption)
    assert not any(told in plain(each.value) for each in edit(app, {1: hours | {"name": "Work"}}).caption)


def test_the_page_says_what_it_assumes():
    """Ideal noise, and sensitivity per unit, are said."""
    said = " ".join(each.value for each in opened(example="mobility").caption)
    assert "ideal" in said and "L1 for Laplace" in said and "histogram" in said


ASKED = "Something was changed after a release was done"


def test_a_release_that_is_done_changes_nothing():
    """What is logged as done stays fixed in advance, until something is changed: then it is asked."""
    app = opened(example="lecture-11", eps="10")
    before = verdict(app)
    app = edit(app, {0: {"done": "yes"}})
    assert verdict(app) == before and not plan_of(app).adaptive
    assert not any(ASKED in each.value for each in app.warning)
    app = edit(app, {0: {"done": "yes", "count": "400"}})
    assert any(ASKED in each.value for each in app.warning)
    advance = press(app, "in_advance")
    assert plan_of(advance).adaptive is False and not any(ASKED in each.value for each in advance.warning)
    press(advance, "undo")
    results = press(app, "on_results")
    assert plan_of(results).adaptive and results.selectbox(key="adaptive").value and ", by Basic" in verdict(results)


def test_a_dated_release_costs_every_day_of_its_schedule():
    """The total is that of all uses."""
    dated = {"start": "2026-01-01", "cadence": "daily", "end": "2026-01-10"}
    app = edit(opened(example="lecture-11", eps="10"), {0: dated})
    assert any(each.label.endswith("adding up would give ε = 5") for each in app.expander)


def test_another_word_for_the_unit_is_no_other_promise():
    """Typing user-month over a day's counts is answered by a warning, and by a button that counts the month."""
    app = opened(example="mobility")
    app = whole(app.text_input(key="unit").set_value("user-month").run())
    assert any("Only the word has changed" in each.value for each in app.warning)
    assert "30 times" in app.button(key="longer_unit").label and "ε ≤ 21\\.98" in app.button(key="longer_unit").label
    app = press(app, "longer_unit")
    assert cost(app) == 21.98 and not app.warning


@pytest.mark.parametrize("unit", ["household", "user-hour", "person"])
def test_a_unit_without_a_longer_period_is_only_warned_of(unit: str):
    """Where periods do not tell how often more, no count is offered."""
    app = whole(opened(example="mobility").text_input(key="unit").set_value(unit).run())
    assert app.warning and "longer_unit" not in keys(app)
    assert "within budget" not in verdict(app) and f"only the word “user-day” has become “{unit}”" in verdict(app)
    app = whole(app.text_input(key="members").set_value("3").run())
    three = total(plan_of(app).of_units(3, 1))
    assert any(f"One **{plain(unit)}** of 3 user-days loses" in plain(each.value) for each in app.markdown)
    assert "is not counted yet" in text(app) and "a coin toss" not in text(app)
    app = press(app, "count_several")
    assert cost(app) == float(shown_up(three)) and not app.warning


def test_the_warning_of_another_word_survives_an_edit():
    """As long as any row is as it was opened, it may be meant for the former unit."""
    app = whole(opened(example="mobility").text_input(key="unit").set_value("household").run())
    app = edit(app, {0: {"count": "5"}})
    assert any("Only the word has changed" in each.value for each in app.warning)


def test_a_unit_that_is_called_otherwise_is_the_same_where_somebody_says_so():
    """The warning goes, plan A is about the same, and a name that nobody gave goes with it; undo brings all back."""
    plan = Plan([Release("marks", Laplace(10.0), kind="count")], Guarantee(4.0, 0.0), "student-year")
    app = opened(Document(plan, "Plan of one student-year", baseline=plan))
    app = whole(app.text_input(key="unit").set_value("pupil-year").run())
    assert "has become" in verdict(app)
    app = press(app, "same_unit")
    held = document(app)
    assert "within budget" in verdict(app) and not app.warning and held.name == "Plan of one pupil-year"
    assert held.plan.unit == held.opened.unit == held.baseline.unit == "pupil-year"
    app = press(app, "undo")
    assert "has become" in verdict(app)
    app = whole(app.text_input(key="unit").set_value("student-month").run())
    assert "has become" in verdict(app) and "same_unit" not in keys(app)  # a month is no year


def test_another_relation_is_no_other_promise():
    """Counts and sensitivities stay those of one added or removed; a change of them, or back, ends the warning."""
    app = whole(opened(example="mobility").selectbox(key="rel").set_value("replace_one").run())
    [warning] = [each.value for each in app.warning]
    assert "meant for one **user\\-day** added or removed" in warning and "twice as large" in warning
    assert not whole(app.selectbox(key="rel").set_value("add_remove").run()).warning


def test_a_relation_under_which_a_row_counts_is_offered():
    """A mean that counts only where units are replaced is a press away; sensitivities that follow raise no warning."""
    plan = Plan([Release("visits", Laplace(10.0), kind="count")], relation="add_remove", population=500)
    app = whole(edit(opened(plan), {1: {"name": "pay", "kind": "mean", "sensitivity": "0 to 60"}}))
    assert any("for a mean" in each.value for each in app.error)
    app = press(app, "other_relation")
    assert plan_of(app).relation == "replace_one" and len(plan_of(app).releases) == 2
    assert plan_of(app).releases[1].upper == 60 and not app.warning and not app.error


@pytest.mark.parametrize(("relation", "fits"), [(None, True), ("add_remove", False)])
def test_a_relation_that_nobody_has_chosen_follows_from_a_row(relation: str | None, fits: bool):
    """A mean is counted at once where nobody has said what may change, and that is told; what was chosen stays."""
    plan = Plan([Release("visits", Laplace(10.0), kind="count")], relation=relation, population=500)
    app = whole(edit(opened(plan), {1: {"name": "pay", "kind": "mean", "sensitivity": "0 to 60"}}))
    assert (plan_of(app).relation, len(plan_of(app).releases)) == (("replace_one", 2) if fits else (relation, 1))
    assert _told_of_relation(app) == fits
    app = whole(edit(app, {0: {"count": "3", "sensitivity": "2"}}))  # it is in force still
    assert _told_of_relation(app) == fits
    app = press(app, "undo")
    assert _told_of_relation(app) == fits
    app = press(app, "undo")
    assert (plan_of(app).relation, len(plan_of(app).releases)) == (relation, 1) and not _told_of_relation(app)



def test_a_mean_of_a_public_number_of_values_counts_as_a_sum_of_their_parts():
    """Where one is added or removed, that number stays: each value moves the sum by its part of it, with the noise."""
    plan = Plan([Release("Visits", Laplace(9.0), kind="count")], Guarantee(3, 1e-9), "user", "add_remove", 80_000)
    cells = {"name": "Notes", "kind": "mean", "mechanism": "Gaussian", "noise": "σ 0.05", "lower": "0", "upper": "500"}
    app = press(whole(edit(opened(plan), {1: cells})), "divide")
    made = plan_of(app).releases[1]
    assert (made.kind, made.lower, made.upper, made.mechanism.sigma) == ("sum", 0.0, 0.00625, 0.05)
    assert made.mechanism.sensitivity == 0.00625 and "divide" not in {each.key for each in app.button}
    few = whole(edit(opened(plan.with_(population=None)), {1: cells}))
    assert "divide" not in {each.key for each in few.button}, "by what is not known"
    assert "divide" in {each.key for each in edit(few, {1: cells | {"averaged": "50"}}).button}


@pytest.mark.parametrize("averaged", ["1,000", "50 people", "0", "2.5", "inf"])
def test_what_is_no_number_of_values_divides_nothing(averaged: str):
    """Never all people in its place, whose number would be larger and the parts smaller."""
    plan = Plan([Release("Visits", Laplace(9.0), kind="count")], Guarantee(3, 1e-9), "user", "add_remove", 80_000)
    cells = {"name": "Notes", "kind": "mean", "mechanism": "Gaussian", "noise": "σ 0.05", "lower": "0", "upper": "500"}
    app = whole(edit(opened(plan), {1: cells | {"averaged": averaged}}))
    assert "divide" not in {each.key for each in app.button} and len(plan_of(app).releases) == 1


def test_parts_of_a_mean_are_rounded_away_from_nothing_and_a_typed_sensitivity_stays():
    plan = Plan([Release("Visits", Laplace(9.0), kind="count")], Guarantee(3, 1e-9), "user", "add_remove", 3)
    cells = {"name": "Notes", "kind": "mean", "mechanism": "Gaussian", "noise": "σ 9", "lower": "-1", "upper": "1"}
    [_, made] = plan_of(press(whole(edit(opened(plan), {1: cells})), "divide")).releases
    assert Fraction(made.upper) >= Fraction(1, 3) and made.lower == -made.upper == -made.mechanism.sensitivity
    [_, typed] = plan_of(press(whole(edit(opened(plan), {1: cells | {"sensitivity": "2"}})), "divide")).releases
    assert typed.mechanism.sensitivity == 2 and typed.upper == made.upper


def test_no_relation_follows_where_a_sensitivity_was_typed():
    """A histogram's 4 is right for one more or one less; where one is replaced it is half of what is needed."""
    plan = Plan([Release("loans", Laplace(50.0, 4), kind="histogram")], population=500)
    app = whole(edit(opened(plan), {1: {"name": "pay", "kind": "mean", "sensitivity": "0 to 60"}}))
    assert plan_of(app).relation is None and len(plan_of(app).releases) == 1 and not _told_of_relation(app)
    assert {"other_relation", "sum_and_count"} <= {each.key for each in app.button}


@pytest.mark.parametrize("how", ["chosen", "pressed", "of an opened plan"])
def test_sensitivities_that_were_typed_become_enough_for_another_relation(how: str):
    """Bars that change by 4 where one is added change by 8 where one is replaced; what is enough already stays."""
    rows = {
        0: {"name": "loans", "kind": "histogram", "mechanism": "Laplace", "noise": "b 50", "sensitivity": "4"},
        1: {"name": "visits", "kind": "count", "mechanism": "Laplace", "noise": "b 10", "sensitivity": "3"},
    }
    app = whole(edit(opened(Plan([], population=500)), rows))
    if how == "pressed":
        mean = {"name": "pay", "kind": "mean", "mechanism": "Laplace", "noise": "ε 0.1"}
        app = press(whole(edit(app, {**rows, 2: mean})), "other_relation")
    else:
        app = opened(plan_of(app)) if how == "of an opened plan" else app
        app = whole(app.selectbox(key="rel").set_value("replace_one").run())
        assert plan_of(app).releases[0].mechanism.sensitivity == 4 and len(app.warning) == 1
        app = whole(app.text_input(key="eps").set_value("9").run())
        assert "may be too small" in verdict(app) and "within budget" not in verdict(app)
        app = press(whole(app.text_input(key="eps").set_value("3").run()), "enlarge")  # still, after another change
    assert [each.mechanism.sensitivity for each in plan_of(app).releases[:2]] == [8, 3]
    assert any("8 in place of 4 for “loans”" in plain(each.value) for each in app.caption)
    assert "enlarge" not in keys(app) and "may be too small" not in verdict(app)


def test_what_is_enough_counts_and_is_enough_there_and_back():
    """Noise on integers takes whole sensitivities; what was typed for one that is replaced is not enlarged again."""
    row = {"name": "ages", "kind": "histogram", "mechanism": "Discrete Gaussian", "noise": "σ 9", "sensitivity": "2"}
    app = whole(edit(opened(Plan([])), {0: row}))
    app = press(whole(app.selectbox(key="rel").set_value("replace_one").run()), "enlarge")
    assert plan_of(app).releases[0].mechanism.sensitivity == 4 and not app.error
    for relation in ("add_remove", "replace_one"):
        app = whole(app.selectbox(key="rel").set_value(relation).run())
    assert plan_of(app).releases[0].mechanism.sensitivity == 4 and not app.warning and "enlarge" not in keys(app)


def test_that_a_sensitivity_may_be_too_small_is_said_until_somebody_sees_to_it():
    """After undo and redo, by another name, where a sample demands the relation; a press says that it is enough."""
    plan = Plan([Release("loans", Laplace(50.0, 4), kind="histogram")], Guarantee(9.0, 0.0), relation="add_remove")
    app = whole(opened(plan).selectbox(key="rel").set_value("replace_one").run())
    for key in ("undo", "redo"):
        app = press(app, key)
    assert "may be too small" in verdict(app)
    app = whole(edit(app, {0: {"name": "bars"}}))
    assert "may be too small" in verdict(app)
    app = press(app, "are_enough")
    assert "within budget" in verdict(app) and not {"enlarge", "are_enough"} & keys(app) and not app.warning
    assert "may be too small" in verdict(press(app, "undo"))
    open_relation = replace(plan, relation=None)
    sampled = {"name": "drawn", "kind": "count", "mechanism": "Laplace", "noise": "ε 0.1", "rate": "0.1"}
    app = whole(edit(opened(open_relation), {1: sampled | {"scheme": "without_replacement"}}))
    assert plan_of(app).neighbours == "replace_one" and "may be too small" in verdict(app)


def test_no_sensitivity_that_is_typed_breaks_another_relation():
    """Not even one without end, which is not counted."""
    row = {"name": "loans", "kind": "histogram", "mechanism": "Laplace", "noise": "b 50", "sensitivity": "inf"}
    app = whole(edit(opened(Plan([])), {0: row}))
    app = whole(app.selectbox(key="rel").set_value("replace_one").run())
    assert app.error and not plan_of(app).releases


def test_from_a_relation_that_followed_one_press_leads_back():
    """What is a mean becomes a sum and a count then; and where nothing needs it any more, it is a press away, too."""
    plan = Plan([Release("visits", Laplace(10.0), kind="count")], population=500)
    cells = {"name": "pay", "kind": "mean", "mechanism": "Laplace", "noise": "±20", "sensitivity": "0 to 60"}
    app = whole(edit(opened(plan), {1: cells}))
    gone = whole(edit(opened(plan), {1: cells}))
    back = press(app, "stay_related")
    assert plan_of(back).relation == "add_remove" and not back.error
    assert [each.name for each in plan_of(back).releases] == ["visits", "pay, sum", "pay, count"]
    assert any("sum ±3480" in each.value and "count ±58" in each.value for each in back.caption)
    gone = whole(edit(gone, {1: {"kind": "sum"}}))
    assert plan_of(gone).relation == "replace_one"
    assert any("needs that any more" in each.value for each in gone.caption)
    assert plan_of(press(gone, "stay_related")).relation == "add_remove"


def _told_of_relation(app: AppTest) -> bool:
    return any("The promise is “replaced by another” now, since a mean needs" in each.value for each in app.caption)


@pytest.mark.parametrize(("noise", "kept"), [("ε 0.3", "ε 0.15"), ("±20", "±3480"), ("b 3", "±1690")])
def test_a_mean_becomes_a_sum_and_a_count(noise: str, kept: str):
    """They count under the relation in force, at the same times, for the mean's ε, or with the error wanted of it."""
    plan = Plan([Release("visits", Laplace(10.0), kind="count")], relation="add_remove", population=500)
    cells = {"name": "pay", "kind": "mean", "mechanism": "Laplace", "noise": noise, "sensitivity": "0 to 60"}
    app = press(whole(edit(opened(plan), {1: cells | {"cadence": "monthly"}})), "sum_and_count")
    found, (_, total, count) = plan_of(app), plan_of(app).releases
    assert found.relation == "add_remove" and not app.error
    assert (total.name, total.kind, total.upper, found.sensitivities[1].value) == ("pay, sum", "sum", 60, 60)
    assert plan_rows.rows_of(found)[1]["noise"] == kept
    assert (count.name, count.kind, count.cadence, count.start) == ("pay, count", "count", "monthly", total.start)


def test_a_least_number_of_values_stays_with_a_mean_in_two_parts():
    """What the quotient is told for is that number, and not all people."""
    plan = Plan([Release("visits", Laplace(10.0), kind="count")], relation="add_remove", population=60_000)
    cells = {"name": "age", "kind": "mean", "mechanism": "Laplace", "noise": "±0.1", "sensitivity": "0 to 100 / 50000"}
    app = press(whole(edit(opened(plan), {1: cells})), "sum_and_count")
    assert plan_of(app).releases[2].typical == 50_000
    [told] = [plain(each.value) for each in app.caption if "the sum divided by the count" in each.value]
    assert float(re.search(r"within ±([0-9.]+) of the mean", told)[1]) <= 0.1
    assert told.endswith("for 50,000 values or more.")


def test_the_note_on_the_relation_speaks_of_what_the_plan_says():
    """As it was opened, it is silent; typed anew, it goes by the sensitivities; the other way round, it says so."""
    old, doubled = Release("visits", Laplace(10.0, 1)), Release("visits", Laplace(20.0, 2.0))
    added, replaced = (Plan([old], relation=relation) for relation in ("add_remove", "replace_one"))
    own = Plan([])
    assert words.relation_note(added, added) is words.relation_note(replaced, replaced) is None
    assert "added or removed" in words.relation_note(added, replaced)
    assert "replaced by another" in words.relation_note(replaced, added)
    fitted = Plan([Release("visits", Laplace(33.0, 1))], relation="replace_one")
    assert words.relation_note(added, fitted) == words.relation_note(added, replaced)  # other noise settles nothing
    assert "“visits” has sensitivity 1" in words.relation_note(own, replaced).replace("\\", "")
    assert words.relation_note(added, Plan([doubled], relation="replace_one")) is None
    assert words.relation_note(own, Plan([], relation="replace_one")) is None


def test_a_schedule_beyond_the_unit_is_held_to_one_unit():
    """Thirty days of a release per day: a user-day meets one of them, which is what its promise is about."""
    days = Release("Visits", Laplace.from_epsilon(0.5), start="2026-04-01", cadence="daily", end="2026-04-30")
    app = upload(opened(example="mobility"), "plan.json", Plan([days], Guarantee(1.0, 0.0), "user-day").to_json())
    assert "ε at most **0.5** of **1**" in verdict(app) and "**within budget**" in verdict(app)
    [note] = [each.value for each in app.info if "span more than one" in each.value]
    assert "of a single one, which meets 1 release: 1 of “" in note and "meets all 30: at most **ε = 15**" in note
    assert bar(app) == "planned 0.5, free 0.5"
    assert not opened(example="mobility").info


def test_what_no_theorem_bounds_is_over_any_budget_and_has_no_number():
    """Chosen along the way, with noise that states no pair: there is no total, so nothing is left or spent."""
    app = whole(opened(example="weekly-dashboard").selectbox(key="adaptive").set_value(True).run())
    assert "**Nothing is promised" in verdict(app) and bar(app) == "no bound"
    assert "How often an attacker guesses right cannot be said" in text(app)


# ---- what costs what, what is learned, what others promise


def test_what_costs_what_names_the_total_without_each_release():
    """Every bar says its share, as the table does, and what the plan costs without that release; details are opened."""
    app = opened(example="mobility", tab=COSTS)
    labels = [each for traces in charts(app) for trace in traces for each in trace.get("text") or ()]
    without = [float(re.search(r"without it ε = ([\d.]+)", label)[1]) for label in labels if "without" in label]
    assert len(without) == 9 and all(value <= 2.49 for value in without)
    assert min(without) == without[0] == 1.745  # the longest bar is what saves most: 4 uses of 0.22
    assert sorted(label.split(" ·")[0] for label in labels) == sorted(cells(app).share.dropna())
    app.session_state["each"] = True
    [details] = [each.value for each in whole(app.run()).dataframe if "Alone it costs ε" in each.value]
    assert details["Total without it"].iloc[0] == "1.745" and details["Alone it costs ε"].iloc[0] == "0.88"


def test_the_release_that_saves_most_is_named_whatever_it_would_cost_alone():
    """Of three, what costs least alone saves most: it is a pure ε, of which little is lost among Gaussian noise."""
    rest = [Release("Weekly counts", Laplace.from_epsilon(0.05), 80), Release("Means", Gaussian(4, 1), 4)]
    stand = Standing.of(Plan([*rest, Release("Survey", RandomizedResponse(1.8))], Guarantee(6.0, 1e-6)))
    saved = shown_share(100 * (1 - compose(Plan(rest), 1e-6).epsilon / stand.total))
    assert told.dearest(stand) == f"Leaving out “Survey” frees the most budget: ε falls by {saved}"
    assert min(spends(stand.plan)) == spends(stand.plan)[2]
    alone = Standing.of(Plan(rest[1:], Guarantee(6.0, 0.0)))
    assert "nothing bounds all of them" in told.dearest(alone) and alone.shares == ()
    repaired = Standing.of(Plan(rest, Guarantee(6.0, 0.0)))
    assert told.dearest(repaired).endswith("only without “Means” there is a bound")


def test_what_an_attacker_learns():
    """One hundred people, what becomes of priors, and the errors of an attacker; people read the first two."""
    assert len(charts(opened(example="mobility", tab=LEARNED))) == 3
    app = opened(example="mobility", tab=LEARNED, read="people")
    assert len(charts(app)) == 2 and " (orange) in " in text(app) and not app.dataframe[1:]
    plan = Plan([Release("g", Gaussian(1.0, 1))], Guarantee(1.0, 0.0))
    assert "nothing can be said of what an attacker learns" in text(opened(plan, tab=LEARNED))


def test_an_adaptive_plan_is_judged_by_its_pair():
    """What is chosen along the way has no loss of its own: only the promise is drawn."""
    app = opened(example="lecture-11", adaptive="true", tab=LEARNED)
    assert "Only (ε, δ) holds here" in text(app)


def test_published_deployments_are_a_line_that_opens():
    """Closed, nothing is drawn; opened, the plan stands in the row of its unit, at its total and at its pure one."""
    app = opened(example="mobility")
    assert "published-deployments" not in " ".join(chart.proto.id for chart in app.get("plotly_chart"))
    app.session_state["others"] = True
    whole(app.run())
    [chart] = [each for each in app.get("plotly_chart") if "published-deployments" in each.proto.id]
    [mark] = [trace["x"] for trace in json.loads(chart.proto.spec)["data"] if trace["name"] == "current plan"]
    assert mark[1] == 2.64 and mark[0] == pytest.approx(2.4873, rel=1e-4)
    assert "no row is a recommendation" in text(app)
    app = opened(Plan([Release("a", Laplace(1.0, 1))], Guarantee(1.0), unit="*satellite*"))
    assert any("none of 36 is for one *satellite*" in plain(each.label) for each in app.expander)


def test_a_document_that_is_not_here_says_so():
    """An address without its plan shows no verdict, and what brings one."""
    app = opened(plan="1.x")
    assert app.title[0].value == "This plan is not here" and not charts(app)
    app = press(app, "open_first")
    assert "**3.767** of **4** per **person-year**" in verdict(app)


def test_the_empty_plan_has_a_table_to_type_into():
    """An empty plan that somebody asked for: a table, no chart, and how to begin."""
    app = opened(Document(Plan(())))
    assert "Nothing is released yet" in verdict(app) and not charts(app)
    assert "Type into the table, paste rows from a spreadsheet, or open a file." in text(app)
    app = edit(app, {0: {"name": "First"}})
    assert len(plan_of(app).releases) == 1 and charts(app)


def test_a_page_that_fails_still_offers_undo(monkeypatch):
    """Whatever the last change was, one press leads back to the plan before it."""
    plan = Plan([Release("visits", Laplace(10.0, 1), kind="count")], Guarantee(3.0, 1e-6))
    app = edit(opened(plan), {0: {"count": "9"}})
    with monkeypatch.context() as broken:
        broken.setattr(Standing, "of", classmethod(lambda cls, plan: 1 / 0))
        app.run()
    assert "Something went wrong" in app.error[0].value
    assert plan_of(whole(app.button(key="undo_broken").click().run())) == plan


@pytest.mark.parametrize("release", [
    Release("Model", TrainedModel(60000, 256, 1.1, 2)),
    Release("Sample", Subsampled(Gaussian(2.0, 1.0), 0.01, "poisson"), 10),
], ids=lambda each: each.name)  # fmt: skip
def test_another_promise_is_had_with_samples_drawn_as_it_demands(release: Release):
    """A press beneath the refusal says how they are drawn, there and back; nothing else of the plan changes."""
    plan = Plan([release, Release("Visits", Laplace(10.0, 1.0))], Guarantee(5, 1e-6), "person", "add_remove", 60000)
    app = whole(opened(plan).selectbox(key="rel").set_value("replace_one").run())
    assert "must have a fixed size" in app.error[0].value and plan_of(app) == plan
    app = press(app, "redrawn")
    after = plan_of(app)
    assert after.relation == "replace_one" and len(after.releases) == 2 and not app.error
    drawn = after.releases[0].mechanism
    assert "fixed_size" in str(drawn) or drawn.scheme == "without_replacement"
    app = whole(app.selectbox(key="rel").set_value("add_remove").run())
    assert "chance must decide" in app.error[0].value
    back = plan_of(press(app, "redrawn"))
    assert back.relation == "add_remove" and compose(back, 1e-6).epsilon >= compose(plan, 1e-6).epsilon


def test_several_counts_each_time_are_all_of_them_or_one_histogram():
    """What was typed is told with its product; one press each says what else may be meant, and the cost follows."""
    days = {"start": date(2027, 1, 1), "end": date(2027, 12, 31), "cadence": "monthly"}
    plan = Plan([Release("Visits", Laplace(10.0), kind="count", **days)], Guarantee(2, 1e-6))
    for key, times, kind in (("in_all", 40, "count"), ("in_groups", 12, "histogram")):
        app = edit(opened(plan), {0: {"count": "40"}})
        assert any("counts 40 times on each of 12 days: 480 in all" in plain(each.value) for each in app.warning)
        assert app.button(key="in_groups").label == "They are one histogram of 40 groups"
        app.button(key=key).click().run()
        [release] = document(app).plan.releases
        assert not app.exception and (release.uses, release.kind) == (times, kind)
    sums = replace(plan, releases=[replace(plan.releases[0], kind="sum", lower=0, upper=1)])
    app = edit(opened(sums), {0: {"count": "40"}})
    assert not [each for each in app.button if each.key == "in_groups"]


def test_what_an_attacker_learns_is_said_to_lack_rows_in_one_line():
    """In the place of the coin toss: a second line would move the table under a click."""
    plan = Plan([Release("Visits", Laplace(10.0, 1))], Guarantee(2.0, 1e-6), "person")
    two = Plan([*plan.releases, Release("Trips", Laplace(10.0, 1))], plan.budget, "person")
    lacking = edit(opened(two), {1: {"noise": "nonsense"}})
    assert any("; a coin toss in 50." in each.value for each in opened(plan).markdown)
    told = next(each.value for each in lacking.markdown if "of 100** guesses" in each.value)
    assert told.endswith("on average; rows that do not count are not in it.")
