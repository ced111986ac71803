"""The panel “A against B” and plan A kept: what differs in head, cells and panel, extremes, hostile addresses."""

import math
import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import (
    ApproximateDP,
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
from dpviz.plan import Document
from dpviz.planning.budgeting.solve import solve_noise
from dpviz.planning.scenario import Totals
from dpviz.report import Subject, markdown
from dpviz.ui.plan.table import WIDER
from dpviz.ui.plan.time.advice import NOTHING_ASKED, OVER_ALL_THE_SAME
from dpviz.ui.plan.versus import view as scenarios
from dpviz.ui.shell import examples, sharing
from tests.pages import workbench
from tests.pages.workbench import VERSUS, cells, document, edit, keys, plain, plan_of, press, text, verdict, whole

HOSTILE = "<img src=x onerror=alert(1)>](javascript:alert(1))$$\\frac{"


def opened(plan: Plan | None = None, **parameters: str) -> AppTest:
    """The workbench with the panel, at an address or with a plan."""
    example = {} if plan is not None else {"example": "mobility"}
    return workbench.opened(plan, **(example | {"panel": VERSUS} | parameters))


def finding(app: AppTest) -> str:
    """The sentence of the panel: the first one after the head."""
    doubts = ("**Before this is relied on:**", NOTHING_ASKED, OVER_ALL_THE_SAME)
    said = [each.value for each in app.markdown if not any(doubt in each.value for doubt in doubts)]
    said = [each for each in said if not each.startswith(workbench.AGAINST)]
    head = next(place for place, each in enumerate(said) if each.startswith(workbench.SIGNS))
    return plain(said[head + 2])


def changed(app: AppTest, plan: Plan) -> AppTest:
    """The panel with this plan as B."""
    app.session_state["document"] = document(app).edited(plan)
    return whole(app.run())


def twice(app: AppTest) -> AppTest:
    """The panel with everything twice as often as B."""
    return changed(app, plan_of(app).repeated(2))


def drawn(app: AppTest) -> set[str]:
    """Which charts of the panel there are."""
    names = ("scenario-totals", "scenario-errors")
    return {name for name in names for chart in app.get("plotly_chart") if name in chart.proto.id}


def test_nothing_is_kept_yet():
    """A is B: that is said, and how to come to a second plan."""
    app = opened()
    assert "Nothing is kept as A" in finding(app) and not drawn(app)
    assert "Keep as A" in finding(app) and not {"swap", "drop_a"} & keys(app)
    assert not [each for each in app.dataframe if "B − A" in each.value.columns]


def test_another_plan_is_opened_beside_the_present_one():
    """One press in the panel: the plan on the screen is A, the other one B, and one Undo brings the former back."""
    app = opened(example="weekly-dashboard", panel="A against B")
    before = document(app)
    app = press(app, "compare_mobility")
    held = document(app)
    assert held.plan == examples.plan_of("mobility") and held.baseline == before.plan
    assert held.baseline_name == before.name and "same plan" not in finding(app)
    app = press(app, "undo")
    assert document(app) == before
    app = workbench.upload(app, "other.csv", "name,mechanism,epsilon\nA,laplace,0.3\n")
    assert document(app).baseline == before.plan and len(document(app).plan.releases) == 1


def test_the_story_of_the_month():
    """The user-month over its budget of 10; the noise that just uses it; what changes; A and B exchanged and back."""
    app = opened(example="mobility-30-days")
    whole(app.text_input(key="eps").set_value("10").run())
    assert "The budget goes from 40 to **10**, which B exceeds." in finding(app)
    app = changed(app, solve_noise(plan_of(app)).plan)
    text = finding(app)
    assert "**user-month** (added or removed) at most **ε = 10** (δ = 10⁻⁶)" in text
    assert "where A costs at most **ε = 21.98**" in text
    assert "grows from ±27.3 to" in text and "others by the same factor" in text
    assert drawn(app) == {"scenario-totals"}
    before = plan_of(app)
    assert 9.999 < compose(before, before.budget.delta).epsilon <= 10
    app = press(app, "swap")
    assert "**ε = 21.98** (δ = 10⁻⁶), where A costs at most **ε = 10**" in finding(app)
    assert "falls from" in finding(app)
    app = press(app, "undo")
    assert finding(app) == text and plan_of(app) == before
    assert app.text_input(key="eps").value == "10"


def test_swap_and_undo():
    """A becomes the current plan, with its budget in the sidebar; undo brings B back."""
    app = twice(opened())
    whole(app.text_input(key="eps").set_value("7").run())
    text = finding(app)
    app = press(app, "swap")
    assert app.text_input(key="eps").value == "4"
    assert plan_of(app) == examples.plan_of("mobility")
    assert finding(press(app, "undo")) == text


def test_what_was_undone_is_redone_beside_a_that_was_kept_meanwhile():
    """Whoever forgot to keep the former plan goes back to it, keeps it, and finds the new one again."""
    app = edit(opened(), {0: {"count": "9"}})
    new, app = document(app).plan, press(app, "undo")
    before = document(app).plan
    app = press(app, "keep_a")
    app = press(app, "redo")
    assert document(app).plan == new and document(app).baseline == before
    app = press(app, "undo")
    assert document(app).plan == before == document(app).baseline
    app = press(app, "undo")
    assert document(app).plan == before and document(app).baseline is None
    app = press(press(press(app, "redo"), "redo"), "drop_a")
    assert document(app).baseline is None and document(press(app, "undo")).baseline == before


def test_a_is_kept_while_b_is_edited():
    """What was kept as A stays, in the address too; with another example as B nothing is subtracted; it can go."""
    app = press(twice(opened()), "keep_a")
    assert "release the same" in finding(app)
    kept = document(app).baseline
    assert kept == examples.plan_of("mobility").repeated(2)
    app = edit(app, {0: {"count": "9"}})
    assert document(app).baseline == kept and document(workbench.opened(plan=app.query_params["plan"])).baseline == kept
    app = press(app, "open_lecture-11")
    assert document(app).baseline == kept and "A and B promise different things" in finding(app)
    app = press(app, "drop_a")
    assert document(app).baseline is None and document(press(app, "undo")).baseline == kept


def test_what_stands_in_one_of_both_is_named():
    """A release that is gone, and one that is new; rows that do not count yet are kept as no plan A."""
    app = press(workbench.opened(example="mobility"), "keep_a")
    first, *rest = document(app).plan.releases
    changed = replace(document(app).plan, releases=(*rest, replace(first, name="New", count=first.count + 1)))
    app = workbench.opened(Document(changed, baseline=document(app).plan), panel=VERSUS)
    assert f"Only A has “{first.name}”. Only B has “New”. " in finding(app)
    assert not app.button(key="keep_a").disabled
    assert edit(app, {0: {"noise": "nonsense"}}).button(key="keep_a").disabled


def test_head_and_cells_tell_what_differs_from_a():
    """Verdict, guesses and the error of each release of the same name, beside those of A."""
    app = edit(press(workbench.opened(example="mobility"), "keep_a"), {0: {"noise": "ε 0.22"}})
    assert re.search(r"The plan costs \*\*0\.\d+ more\*\* than plan A \(ε = 2\.488\)", verdict(app))
    assert "(plan A: 62.7)" in text(app)
    assert cells(app).error[0] == "±13.7 (A ±27.3)" and cells(app).error[1] == "±27.3"
    app = edit(app, {0: {"noise": "ε 0.11"}})
    assert "lan A" not in verdict(app) and "A" not in cells(app).error[0], "the plan is A"
    app = edit(app, {0: {"noise": "ε 0.11", "typical": "500"}})
    assert "The plan costs as much as plan A (ε = 2.488)" in verdict(app)
    app = whole(app.text_input(key="unit").set_value("user-month").run())
    assert "Plan A costs one user-day ε = 2.488: another promise, not to be subtracted" in verdict(app)


def test_the_columns_of_a_stand_beside_the_others_on_a_usual_screen():
    """Names and noise leave them their place, as far as they need it no more; a page says where there is more."""
    monthly = {"kind": "count", "cadence": "monthly", "start": "2028-01-31", "end": "2028-12-31"}
    releases = [
        Release("People who borrow skis for a child", Laplace(9.0, 1), typical=1200.0, **monthly),
        Release("People by depot, 8 depots", Laplace.from_epsilon(0.3), kind="histogram"),
        Release("Is content with the skis", RandomizedResponse(1.0), kind="survey"),
    ]
    before = Plan(releases, Guarantee(9, 1e-8), "person-year", "add_remove", 28_000)
    less = replace(releases[0], mechanism=Laplace(23.0, 1)), replace(releases[2], mechanism=RandomizedResponse(0.386))
    after = replace(before, releases=(less[0], releases[1], less[1]))
    app = workbench.opened(Document(after, "", baseline=before))
    assert "share_a" in cells(app) and WIDER not in text(app)
    stated = replace(after, releases=(replace(less[0], rows=1), *after.releases[1:]))
    assert WIDER in text(workbench.opened(Document(stated, "", baseline=before)))


def test_another_unit_is_no_difference():
    """The month as B: both are given, and nothing is subtracted."""
    app = press(press(opened(), "keep_a"), "open_mobility-30-days")
    assert "not to be subtracted" in finding(app)
    assert "**ε = 2.488**" in finding(app) and "**ε = 21.98**" in finding(app)


def test_words_have_no_symbols():
    """In words the finding speaks of privacy loss, odds and chances."""
    app = twice(opened(read="words"))
    assert "at most **3.993**" in finding(app)
    assert "ε" not in finding(app) and "δ" not in finding(app)


@pytest.mark.parametrize(
    "plan",
    [
        Plan([]),
        Plan([Release("x", Laplace(1.0, 1), 0)]),
        Plan([Release("g", Gaussian(1.0, 1))], Guarantee(1.0, 0.0)),
        Plan([Release("g", Gaussian(1.0, 1))], adaptive=True),
        Plan([Release("r", RandomizedResponse(50.0), 1_000_000_000)], Guarantee(1.0, 0.5)),
        Plan([Release("r", RandomizedResponse(1e-6))], Guarantee(0.0, 1e-30)),
        Plan([Release("b", ApproximateDP(1.0, 1e-3))], Guarantee(1.0, 1e-6)),
        Plan([Release(HOSTILE[:60], Laplace(1.0, 1))], Guarantee(1.0, 1e-6), HOSTILE[:60]),
    ],
    ids=range(8),
)
def test_extremes(plan: Plan):
    """Whatever the plan: a finding, no error, and the comparison with its double."""
    app = opened(plan)
    begins = "**Nothing is kept as A to compare with"
    assert finding(app).startswith(begins) and "nan" not in text(app)
    assert all("<img" not in each.value.replace("\\<", "") for each in app.markdown)
    if any(each.uses for each in plan.releases) and plan.releases[0].count < 10**9:
        assert "scenario-totals" in drawn(twice(app))


def test_nothing_bounds_b():
    """At δ = 0 Gaussian noise has no total: both costs are said, each at its δ, and no infinite difference."""
    app = opened(example="weekly-dashboard")
    whole(app.text_input(key="delta").set_value("0").run())
    text = finding(app)
    assert text.startswith("B costs one **person** (added or removed) an **ε without bound** (δ = 0), where A costs ")
    assert "A costs at most **ε = 5.072** (δ = 10⁻⁸)" in text
    assert "(δ = 10⁻⁸)" in text and "no bound" not in text and "instead of 5" not in text
    assert "What it costs: nothing bounds B" in [each.value.strip("*") for each in app.markdown]
    assert "∞" not in "".join(app.dataframe[-1].value.difference)
    swapped = finding(press(app, "swap"))
    assert swapped.startswith("B costs one **person** (added or removed) at most **ε = 5.072** (δ = 10⁻⁸), where A")
    assert "A costs an **ε without bound** (δ = 0)" in swapped


def test_nothing_bounds_either():
    app = twice(opened(Plan([Release("g", Gaussian(1.0, 1))], Guarantee(1.0, 0.0))))
    assert "B costs one **unit** (added or removed) an **ε without bound** (δ = 0)" in finding(app)


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("epsilon", 2.487314518127013, "2.488"), ("epsilon", math.inf, "none"), ("epsilon", None, "–"),
        ("budget", 4.0, "4"), ("budget", 2.9999999999, "2.999"), ("budget", math.inf, "no limit"),
        ("uses", 18.0, "18"), ("uses", 1e9, "1,000,000,000"), ("releases", 9.0, "9"), ("delta", 1e-6, "10⁻⁶"),
    ],
)  # fmt: skip
def test_values_are_read_easily(quantity: str, value: float | None, text: str):
    """Counts are whole, a limit is never shown larger, a cost never smaller than it is."""
    assert scenarios.told_value(quantity, value) == text


@pytest.mark.parametrize(
    "parameters",
    [
        {"eps": "nan"}, {"delta": "2"}, {"unit": "*" * 500}, {"unit": "\x00"}, {"rel": "both"}, {"read": "x"},
        {"example": "../../etc/passwd"}, {"abview": "<b>"}, {"plan_a": "{}"}, {"nonsense": "1"},
    ],
    ids=str,
)  # fmt: skip
def test_hostile_addresses(parameters: dict):
    """A bad value falls back to the default, and the finding is there."""
    assert "ε at most **2.488**" in verdict(opened(**parameters))


@pytest.mark.parametrize("view", ["Plan by plan", "Release by release"])
def test_tables(view: str):
    """Each table opens by its address and holds its rows."""
    app = press(opened(abview=view), "keep_a")
    table = app.dataframe[-1].value
    rows = {"Plan by plan": 8, "Release by release": 4 * 9}
    assert len(table) == rows[view]


def test_an_edit_works_out_the_edited_plan_alone(monkeypatch):
    """What is known of A is kept, and nothing is worked out twice."""
    releases = [Release(f"r{n}", (Laplace, Gaussian)[n % 2](3 + 0.37 * n, 1), 1 + n % 7) for n in range(20)]
    app = opened(Plan(releases, Guarantee(4.0, 1e-6)))
    twice(app)
    present = app.session_state["document"]
    edited = replace(present.plan, releases=(replace(present.plan.releases[0], count=9), *present.plan.releases[1:]))
    app.session_state["document"] = present.edited(edited)
    asked, of = [], Totals.of
    monkeypatch.setattr(Totals, "of", lambda plan: asked.append(plan) or of(plan))
    whole(app.run())
    assert asked == [edited]


def test_a_renamed_row_keeps_what_it_was_in_a():
    """The table beside A goes by the same pairs as the comparison: under another name a release is still itself."""
    plan = examples.plan_of("weekly-dashboard")
    one = replace(plan.releases[0], name="Under another name")
    app = opened(Document(replace(plan, releases=(one, *plan.releases[1:])), baseline=plan))
    shown = cells(app)
    assert list(shown["noise_a"][: len(plan.releases)]) == list(shown["noise"][: len(plan.releases)])
    assert shown["share_a"].notna()[: len(plan.releases)].all()


@pytest.mark.parametrize("both", [False, True])
def test_the_noise_of_a_training_is_compared(both: bool):
    """It has no error, so it is told by its multiplier: in the sentence, in the table, and in the report."""
    count = Release("Active users", Laplace.from_epsilon(0.02), 3, kind="count")
    other = Release("Active users", Laplace.from_epsilon(0.03 if both else 0.02), 3, kind="count")
    models = [Release("Model", TrainedModel(60_000, 6_000, noise, epochs=0.5)) for noise in (1.1, 0.8)]
    before, plan = (Plan(each, Guarantee(4.0, 1e-6)) for each in zip((count, other), models, strict=True))
    app = opened(Document(plan, baseline=before))
    assert "The noise multiplier of “Model” falls from 1.1 to **0.8**." in finding(app)
    assert ("The error of “Active users” falls" in finding(app)) == both and "every release stays" not in finding(app)
    app = opened(Document(before, baseline=plan))
    assert "The noise multiplier of “Model” grows from 0.8 to **1.1**." in finding(app)
    assert "| Model: noise of its training | 1.1 | 0.8 |" in markdown(Subject(plan, before, people=True))


@pytest.mark.parametrize("people", [True, False])
def test_a_longer_time_asks_whether_as_few_entries_are_in_it(people: bool):
    """On the screen, after a reload too, and on paper; not where more are counted, or each unit has one value."""
    year = {"start": "2027-01-01", "end": "2027-12-31"}
    weekly = Release("Visits", Laplace.from_epsilon(0.01), cadence="weekly", kind="count", rows=5, **year)
    before = Plan([weekly], Guarantee(4.0, 1e-6), "member-year")
    fewer, enough, rarer = (
        replace(before, releases=(replace(weekly, **fields),))
        for fields in ({"cadence": "monthly"}, {"cadence": "monthly", "rows": 25}, {"end": "2027-06-30"})
    )
    asked = "“Visits” comes out less often in B, with no more rows of one member than in A: are they enough for the "
    app = opened(Document(fewer, baseline=before), read="people" if people else "numbers")
    assert any(asked in plain(each.value) for each in app.warning)
    undated = replace(before, releases=(replace(weekly, cadence=None, start=None, end=None, count=12),))
    none, other = replace(before, releases=(replace(weekly, count=0),)), replace(fewer, unit="member-day")
    for plan in (fewer, enough, rarer, undated, none, other):
        page = markdown(Subject(plan, before, people=people))
        assert ("comes out less often in B" in page) == (plan in (fewer, undated)) == (asked in page)


def test_errors_that_move_apart_are_told_so_and_noise_of_another_kind():
    """One falls, the other grows; the kind of noise changes, which halves what both cost, and no error tells it."""
    calls = Release("Calls", Laplace(40.0, 2.0), 52)
    before = Plan([calls, Release("Waits", Laplace(0.04, 0.003), 12)], Guarantee(5.0, 1e-7))
    after = (replace(calls, mechanism=Gaussian(37.0, 2.0)), Release("Waits", Laplace(0.05, 0.003), 12))
    said = finding(opened(Document(replace(before, releases=after), baseline=before)))
    assert "The error of “Calls” falls from ±120 to **±72.6**, that of “Waits” grows from ±0.12 to ±0.15." in said
    assert said.count("noise in B") == 1 and "“Calls” has Gaussian noise in B." in said


def test_a_survey_is_compared_by_its_answers_and_their_share():
    """And counts among the errors that grow; where right guesses fall and the loss grows, it is said why."""
    survey = Release("Come again", RandomizedResponse(1.5), kind="survey", averaged=9000)
    count = Release("Visits", Laplace.from_epsilon(0.1), kind="count")
    before = Plan([survey, count], Guarantee(4.0, 1e-6), population=95_000)
    plan = replace(before, releases=(replace(survey, mechanism=RandomizedResponse(0.5)), count))
    app = opened(Document(plan, baseline=before))
    said = "; the percentage found from all answers is off by up to about **4.09** points (A: 1.26)."
    assert f"**62.2** stay as given (A: 81.8){said}" in finding(app)
    assert "Come again: share of its answers, off by about so many points | 1.26 | 4.09 |" in markdown(
        Subject(plan, before, people=True)
    )
    app = opened(Document(plan, baseline=before), tab="How accurate", read="people")
    assert "Errors, from plan A to now: 1 of 2 grows" in text(app)
    assert cells(app).error[0] == "share within 4.09 (A 1.26) points"


def test_why_guesses_fall_where_the_loss_grows():
    """What is seldom read and told loudly then separates no more on average, and costs more."""
    budget = Guarantee(4.0, 1e-6)
    quiet = Plan([Release("a", Laplace.from_epsilon(0.5), kind="count")], budget)
    seldom = Plan([Release("a", Subsampled(Laplace.from_epsilon(5.0), 0.01, "poisson"))], budget)
    for plan, before in ((seldom, quiet), (quiet, seldom)):
        assert scenarios.told.AVERAGE in text(opened(Document(plan, baseline=before)))
    louder = replace(quiet, releases=(Release("a", Laplace.from_epsilon(1.0), kind="count"),))
    assert scenarios.told.AVERAGE not in text(opened(Document(louder, baseline=quiet)))


def test_an_error_is_told_beside_its_size_where_that_is_another():
    """A number three times as large that is off by more may be the more accurate one."""
    a = Plan([Release("Visits", Laplace.from_epsilon(0.1), 12, kind="histogram", typical=4000)], Guarantee(9.0, 1e-6))
    visits = replace(a.releases[0], mechanism=Laplace.from_epsilon(0.05), count=4, typical=12_000)
    app = workbench.opened(Document(replace(a, releases=(visits,)), baseline=a), panel=VERSUS)
    assert "from ±30 to **±60**" in finding(app)
    assert "It was 0.75 % of its typical value, and is **0.5 %** of the one that it has now." in finding(app)
    assert cells(app).error[0] == "±60 (0.5 %; A ±30, 0.75 %)"
    same = replace(a, releases=(replace(visits, typical=4000),))
    app = workbench.opened(Document(same, baseline=a), panel=VERSUS)
    assert "typical value" not in finding(app) and cells(app).error[0] == "±60 (1.5 %; A ±30)"
    smaller = replace(a, releases=(replace(a.releases[0], typical=1000),))
    app = workbench.opened(Document(smaller, baseline=a), panel=VERSUS)
    said = "That of “Visits” was 0.75 % of its typical value, and is **3 %** of the one that it has now."
    assert said in finding(app)


def test_a_model_that_is_trained_otherwise_is_told():
    """Whatever is changed of it but its noise, which is told by itself."""
    model = TrainedModel(noise_multiplier=1.0, batch_size=256, records=60_000, epochs=5)
    a = Plan([Release("Model", model)], Guarantee(9.0, 1e-6))
    longer = replace(a, releases=(replace(a.releases[0], mechanism=replace(model, epochs=9)),))
    said = finding(workbench.opened(Document(longer, baseline=a), panel=VERSUS))
    assert "“Model” is trained otherwise: noise multiplier 1, batch size 256" in said and "epochs 9" in said
    noisier = replace(a, releases=(replace(a.releases[0], mechanism=replace(model, noise_multiplier=2.0)),))
    assert "trained otherwise" not in finding(workbench.opened(Document(noisier, baseline=a), panel=VERSUS))


def test_the_errors_of_plan_a_are_shares_of_its_own_typical_values():
    """A number of another size is off by another part of it, by the same noise."""
    visits = Release("Visits", Laplace(95.0, 22.0), kind="histogram", rows=22, typical=2400)
    spent = Release("Spent", Laplace(95.0, 22.0), kind="sum", lower=0, upper=22, typical=2400)
    a = Plan([visits, spent], Guarantee(6.0, 1e-7))
    b = replace(a, releases=(replace(visits, typical=7200), spent))
    app = opened(Document(b, baseline=a), tab="How accurate", panel="")
    told = {text for chart in workbench.charts(app) for trace in chart for text in trace.get("text") or ()}
    assert {"±285 (11.9 %)", "±285 (3.96 %)"} <= told


def test_rows_of_one_unit_that_change_are_told():
    """Else what is published less often would cost more for no reason."""
    visits = Release("Visits", Gaussian(80.0), 12, kind="histogram", rows=5)
    a = Plan([visits], Guarantee(6.0, 1e-7))
    said = finding(opened(Document(replace(a, releases=(replace(visits, count=4, rows=15),)), baseline=a)))
    assert "published 4 times instead of 12. “Visits” counts up to 15 rows of one unit instead of 5." in said


def test_a_statement_leaves_plan_a_out_unless_it_is_wanted(monkeypatch: pytest.MonkeyPatch):
    """What was considered is nobody else's business by itself; where nothing is compared that is not asked."""
    made = []
    monkeypatch.setattr(sharing, "Subject", lambda *given, **named: made.append(Subject(*given, **named)) or made[-1])
    app = twice(press(opened(), "keep_a"))
    assert made[-1].baseline is None and not app.toggle(key="witha").value
    app = whole(app.toggle(key="witha").set_value(True).run())
    assert made[-1].baseline is not None and app.toggle(key="witha").value
    assert "witha" not in {each.key for each in opened().toggle}


def test_up_to_three_errors_that_change_are_told_one_by_one():
    """With what moves otherwise than the first; more are counted."""
    kept = [Release(name, Laplace(10.0, 1.0)) for name in ("A", "B", "C", "D")]
    scales = (40.0, 20.0, 5.0, 10.0)
    moved = [replace(each, mechanism=Laplace(scale, 1.0)) for each, scale in zip(kept, scales, strict=True)]
    said = finding(opened(Document(Plan(moved, Guarantee(2.0)), baseline=Plan(kept, Guarantee(2.0)))))
    assert "The error of “A” grows from ±30 to **±120**, that of “B” from ±30 to ±60, that of “C” falls from" in said
    moved[3] = replace(kept[3], mechanism=Laplace(11.0, 1.0))
    said = finding(opened(Document(Plan(moved, Guarantee(2.0)), baseline=Plan(kept, Guarantee(2.0)))))
    assert "The error of “A” grows from ±30 to **±120**; 3 other errors change, too." in said
