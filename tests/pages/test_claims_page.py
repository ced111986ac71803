"""The page on claims, driven without a browser: a finished answer, presets, other programs' files, bad addresses."""

import math
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, Release, Subsampled
from dpviz.plain import SYMBOLS
from dpviz.plan import NO_LIMIT, Document, Uncounted
from dpviz.plan.document import PROMISE
from dpviz.plan.files import permalink
from dpviz.ui.claims import asked, words
from dpviz.ui.shell import shell
from tests.pages.test_levels import visible
from tests.pages.workbench import edit, headline, plain, upload
from tests.pages.workbench import opened as workbench
from tests.pages.workbench import whole as whole_plan

SMALL, KEPT, OPEN = "Gaussian noise beyond its range", "A lecture's 500 answers", "Recurve"


def opened(plan: Plan | Document | None = None, **parameters: object) -> AppTest:
    """The page at an address, or with a plan of one's own."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    if plan is not None:
        app.query_params["plan"] = token(plan)
    app.switch_page("pages/claims.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    return whole(app.run())


def token(plan: Plan | Document) -> str:
    """The plan as an address holds it."""
    return permalink.token(plan)


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert app.title[0].value in (words.TITLE, words.TITLE_IN_WORDS)
    return app


def test_who_arrives_sees_a_finished_answer():
    """Without a plan a claim from the literature is judged, with its picture and its numbers."""
    app = opened()
    assert headline(app).startswith("**The claim is too small: at least ε = 71.54**")
    assert len(app.get("plotly_chart")) == 1 and [each.value for each in app.metric][:2] == ["10", "71.54"]
    assert app.metric[1].delta == "rounded down"
    assert any("Dwork" in each.value for each in app.markdown)


def test_how_many_weeks_of_a_month_count_is_told_where_it_decides():
    """Five of them have their date in it for certain, and a sixth may: a claim between the two is no bound's fault."""
    weekly = {"start": "2027-01-01", "cadence": "weekly", "end": "2027-12-31"}
    plan = Plan([Release("Visits", Laplace.from_epsilon(0.5, 1.0), **weekly)], Guarantee(3.0, 0.0), "user-month")
    app = opened(plan, claimof=asked.CURRENT, claimeps="2.7", claimdelta="0")
    said = "it depends on how many of the releases read the data of one month: 5 certainly do, and 6 may. Then **3** is"
    assert said in headline(app) and app.metric[1].value == "2.5" and app.metric[3].delta == "at least 0"
    assert app.metric[1].delta == "with 5 of 6 weekly releases"
    about = "which meets at most 6 releases; a week that two months share counts in both."
    assert any(each.value.endswith(about) for each in app.markdown)
    first, of = plan.releases[0], {"claimof": asked.CURRENT, "claimeps": "2.7", "claimdelta": "0"}
    rides = replace(first, name="Rides", start="2027-09-01", cadence="daily", end="2027-09-30")
    quarterly = replace(first, cadence="quarterly", start="2027-02-28")
    for releases, said in [
        ((first, replace(first, name="Rides")), "with 10 of 12 weekly releases"),
        ((replace(first, cadence="fortnightly"),), "with 3 of 4 fortnightly releases"),
        ((replace(first, end="2027-06-30"), rides), "rounded down"),  # a month of rides is dearer than one of weeks
        ((first, Release("Once", Laplace.from_epsilon(0.1, 1.0))), "with 5 of 6 weekly releases"),
        ((replace(first, mechanism=ApproximateDP(0.5, 0)),), "rounded down"),  # of which nothing is certain
        ((first, replace(first, name="Rides", cadence="fortnightly")), "with 8 of 10 releases"),
        ((quarterly, rides), "with 30 of 32 releases"),
    ]:
        shown = opened(replace(plan, releases=releases), **of).metric[1].delta
        assert shown == said, "what comes less often is no week"
    assert "claim holds" in headline(opened(plan, claimof=asked.CURRENT, claimeps="3", claimdelta="0"))
    assert "too small" in headline(opened(plan, claimof=asked.CURRENT, claimeps="2.4", claimdelta="0"))


def test_some_releases_of_the_plan_are_judged_alone():
    """Whose names are in no address; what the others cost is left out, and the whole plan is one press away."""
    both = [Release("Answers", Laplace.from_epsilon(0.5, 1.0), 4), Release("Visits", Laplace.from_epsilon(2.0, 1.0))]
    plan = Plan(both, Guarantee(3.0, 0.0), "person", "add_remove")
    app = opened(plan, claimof=asked.CURRENT)
    assert headline(app).startswith("**The claim is too small: at least ε = 4**")
    app.multiselect(key="claimrows").set_value([1])
    app = whole(app.run())
    assert headline(app).startswith("**The claim holds:**") and app.query_params["claimrows"] in ("1", ["1"])
    assert any("Of your plan, these releases alone: 4 × Laplace" in plain(each.value) for each in app.caption)
    again = opened(plan, claimof=asked.CURRENT, claimrows="2", claimeps="2")
    assert [each.value for each in again.metric][:2] == ["2", "2"]
    sampled = Release("Mean", Subsampled(Gaussian(50.0, 1.0), 0.01, "without_replacement"))
    both = Plan([sampled, Release("Ages", Laplace(10.0), kind="histogram")], Guarantee(0.1, 0.0))
    alone = opened(both, claimof=asked.CURRENT, claimrows="2", claimeps="0.1", claimdelta="0")
    assert "too small" in headline(alone), "where one is replaced, as the other one demands, two bars change"
    app.multiselect(key="claimrows").set_value([])
    assert headline(whole(app.run())).startswith("**The claim is too small")


def test_of_what_recurs_the_dates_are_listed_that_one_unit_meets():
    """Whose cost is judged: one of 31 days, and not all of them."""
    rings = Release("Rings", Laplace(12.0, 4.0), start="2027-03-01", cadence="daily", end="2027-03-31")
    once = Release("Once", Laplace(900.0, 1.0), start="2027-04-05")  # on no day on which the others are
    rest = [Release("Often", Laplace(2.0, 1.0)), once]
    plan = Plan([rings, *rest], Guarantee(3.0, 1e-8), "household-day", "add_remove")
    app = opened(plan, claimof=asked.CURRENT)
    listed = next(plain(each.value) for each in app.caption if "× Laplace" in each.value)
    assert listed.startswith("The releases of your plan, of which one household-day meets: 1 × Laplace")
    assert listed.count("1 × ") == 2 and "0 × " not in listed
    assert "the releases cost one household\\-day at most" in headline(app)
    both = opened(replace(plan, unit="household"), claimof=asked.CURRENT)
    assert any("The releases of your plan: 31 × Laplace" in plain(each.value) for each in both.caption)


def test_the_releases_that_are_judged_alone_stay_where_the_plan_changes_and_keeps_its_rows():
    """A budget that was typed and taken back elsewhere leaves the question as it was; other rows begin anew."""
    both = [Release("Answers", Laplace.from_epsilon(0.5), 4), Release("Visits", Laplace.from_epsilon(2.0))]
    app = opened(Plan(both, Guarantee(3.0, 0.0), "person", "add_remove"), claimof=asked.CURRENT, claimrows="2")
    assert [each.value for each in app.metric][1] == "2"
    del app.query_params["claimrows"]  # as a browser does on the way
    app.switch_page("pages/plan.py").run()
    app = edit(app, {0: {"noise": "ε 0.4"}})
    app = whole_plan(app.button(key="undo").click().run())
    app.switch_page("pages/claims.py").run()
    assert app.multiselect(key="claimrows").value == [2] and [each.value for each in whole(app).metric][1] == "2"


def test_plan_a_is_judged_without_touching_the_plan():
    """Where one is kept; its claim is its own budget until another is typed, and its releases have their numbers."""
    former = Plan([Release("Model", Laplace.from_epsilon(2.0)), Release("Visits", Laplace.from_epsilon(1.0), 2)],
                  Guarantee(5.0, 0.0), "console", "add_remove")  # fmt: skip
    plan = Plan([Release("Model", Laplace.from_epsilon(9.0))], Guarantee(3.0, 0.0), "console", "add_remove")
    assert asked.KEPT not in opened(plan).selectbox(key="claimof").options
    app = opened(Document(plan, baseline=former), claimof=asked.CURRENT)
    assert "too small" in headline(app)
    app = whole(app.selectbox(key="claimof").select(asked.KEPT).run())
    assert headline(app).startswith("**The claim holds:**")
    assert [each.value for each in app.metric][:3] == ["5", "4", "4"]
    assert any(plain(each.value).startswith("The releases of plan A:") for each in app.caption)
    app.multiselect(key="claimrows").set_value([1])
    app = whole(app.text_input(key="claimeps").set_value("0.8").run())
    assert headline(app).startswith("**The claim is too small: at least ε = 2**")
    assert any(plain(each.value).startswith("Of plan A, these releases alone:") for each in app.caption)
    again = opened(Document(plan, baseline=former), claimof=asked.KEPT, claimrows="1", claimeps="0.8")
    assert headline(again) == headline(app)
    app = whole(app.selectbox(key="claimof").select(asked.CURRENT).run())
    assert [each.value for each in app.metric][:2] == ["3", "9"]


@pytest.mark.parametrize(
    ("preset", "said"),
    [(SMALL, "The promise does not hold: at least"), (KEPT, "The promise holds"), (OPEN, "Nobody can tell from what")],
)
def test_people_read_a_sentence_without_signs(preset, said):
    """The verdict first; no sign anywhere on the page, whatever the verdict."""
    app = opened(claimof=preset, read="people")
    assert said in headline(app)
    assert not [text for text in visible(app) if SYMBOLS.search(text)]


def test_the_address_holds_claim_and_readings():
    """A link restores plan, claim and what is open."""
    plan = Plan([Release("Answers", Laplace.from_epsilon(0.5, 1.0), 4)], Guarantee(3.0, 0.0), "person", "add_remove")
    app = opened(plan, claimof=asked.CURRENT)
    assert headline(app).startswith("**The claim holds:**") and app.text_input(key="claimeps").value == "3"
    app = opened(plan, claimof=asked.CURRENT, claimeps="1.5", claimdelta="0")
    assert headline(app).startswith("**The claim is too small: at least ε = 2**")
    app = opened(plan, claimof=asked.CURRENT, claimeps="2", claimopen="neighbour relation")
    assert "it depends on what was not disclosed (neighbour relation)" in headline(app)


@pytest.mark.parametrize("level", ["people", "numbers"])
def test_of_a_plan_without_a_budget_nobody_claims_anything(level):
    """No verdict on a claim that nobody made: what is proved at the plan's own δ, and a box that asks for the claim."""
    plan = Plan([Release("Answers", Laplace.from_epsilon(0.5, 1.0), 4)], Guarantee(math.inf, 1e-9))
    app = opened(plan, claimof=asked.CURRENT, read=level)
    said = headline(app)
    assert "is claimed?" in said and "at least **1.999** and at most **2** is lost" in said
    odds = "1 in 1,000,000,000" if level == "people" else "1e-9"
    assert app.text_input(key="claimeps").value == "" and app.text_input(key="claimdelta").value == odds
    assert not [word for word in ("holds", "kept", "broken", "too small") if word in said]
    whole(app.text_input(key="claimeps").set_value("1").run())
    assert "too small" in headline(app) or "does not hold" in headline(app)
    whole(app.selectbox(key="claimof").select(SMALL).run())
    assert app.text_input(key="claimeps").value == "10"
    whole(app.selectbox(key="claimof").select(asked.CURRENT).run())
    assert app.text_input(key="claimeps").value == "" and "is claimed?" in headline(app)


def test_another_preset_brings_its_own_claim():
    """Choosing one fills the boxes; what was typed for the former is gone."""
    app = opened(claimof=SMALL, claimeps="12")
    assert headline(app).startswith("**The claim holds:**")
    whole(app.selectbox(key="claimof").select(OPEN).run())
    assert app.text_input(key="claimeps").value == "0.843" and "Nobody can tell" in headline(app)
    assert app.multiselect(key="claimopen").value == ["how samples are drawn"]


@pytest.mark.parametrize("level", ["people", "numbers"])
def test_it_is_said_whose_releases_another_claim_is_held_against(level):
    """One line above the verdict says which; with another ε it names them, and there is a way to one's own."""
    app = opened(read=level)
    line = next(plain(each.value) for each in app.caption)
    told = "“Queries” 100 times" if level == "people" else "100 times Laplace noise, scale 1, sensitivity 1"
    assert line.replace("×", "times") == f"The releases of “A hundred queries”: {told}."
    assert "A hundred queries" not in headline(app)
    for claim, preset in (("3", "A hundred queries"), ("200", "A hundred queries"), ("0.5", OPEN)):
        app = opened(read=level, claimof=preset, claimeps=claim)
        assert f"of “{preset}”" in plain(headline(app))
    assert any(each.value == "Your own releases:" for each in app.markdown)
    assert "Type them in Plan" in [each.proto.label for each in app.get("page_link")]


def test_a_plan_that_was_typed_meanwhile_is_what_is_judged():
    """Whoever came with no plan, met an example, and typed releases of their own, is not told of the example."""
    app = opened()
    assert app.selectbox(key="claimof").value == "A hundred queries"
    app.session_state["document"] = Document(Plan([Release("mine", Laplace(10.0, 1), 100)], Guarantee(5.0, 1e-6)))
    app = whole(app.run())
    assert app.selectbox(key="claimof").value == asked.CURRENT and headline(app).startswith("**The claim holds:**")
    app = whole(app.selectbox(key="claimof").select(SMALL).run())
    assert app.selectbox(key="claimof").value == SMALL  # until the plan is changed again


def test_rows_that_do_not_count_leave_a_claim_open():
    """Nothing is called right of the others alone."""
    plan = Plan([Release("a", Laplace(10.0, 1))], Guarantee(5.0, 1e-6))
    row = (("name", "mine"), ("mechanism", "Laplace"), ("noise", "lots"), ("count", "100"))
    app = opened()
    app.session_state["document"] = Document(plan, uncounted=(Uncounted(0, row),))
    app = whole(app.run())
    assert headline(app).startswith("**Nobody can tell") and "releases are missing here" in headline(app)


def test_a_claim_that_was_typed_goes_with_its_plan():
    """Of another plan, of which nobody claims anything, one is asked for."""
    app = opened(Plan([Release("a", Laplace(10.0, 1), 100)]))
    app = whole(app.text_input(key="claimeps").set_value("5").run())
    assert "The claim holds" in headline(app)
    app.session_state["document"] = Document(Plan([Release("b", Laplace(10.0, 1), 200)]))
    assert "is claimed?" in headline(whole(app.run()))


def test_a_loss_may_be_typed_as_it_is_printed():
    """A point is a decimal one there, three digits after it or not."""
    app = opened(claimof=SMALL)
    app = whole(app.text_input(key="claimeps").set_value("4.692").run())
    assert not app.error and "where 4.692 is claimed" in headline(app)


def test_noise_is_named_at_its_own_size():
    """The scale is that of what is drawn, and not that over the sensitivity."""
    file = "name,mechanism,epsilon,sensitivity\nShare,laplace,0.1,0.5\n"
    app = whole(upload(opened(claimof=SMALL), "plan.csv", file))
    assert any("Laplace noise, scale 5, sensitivity 0.5" in plain(each.value) for each in app.caption)


def test_a_file_that_is_opened_is_what_is_judged():
    """Without another choice: the preset gives way to it."""
    app = whole(upload(opened(claimof=SMALL), "event.txt", "GaussianDpEvent(10.0)"))
    assert app.selectbox(key="claimof").value == asked.CURRENT
    assert any("The releases of your plan: 1 × Gaussian" in plain(each.value) for each in app.caption)
    app = whole(upload(opened(claimof=SMALL), "code.txt", "__import__('os')"))
    assert app.selectbox(key="claimof").value == SMALL


@pytest.mark.parametrize("typed", ["x", "-1", "1e400", "nan"])
def test_what_is_typed_wrongly_is_told_where_it_stands(typed):
    """One sentence, and the last claim goes on counting."""
    app = opened(claimof=SMALL)
    whole(app.text_input(key="claimeps").set_value(typed).run())
    assert len(app.error) == 1 and "Claimed ε" in plain(app.error[0].value)
    assert "where 10 is claimed" in headline(app)


@pytest.mark.parametrize("name", ["claimof", "claimeps", "claimdelta", "claimopen"])
def test_hostile_addresses_fall_back(name):
    """What no input holds changes nothing."""
    assert "too small" in headline(opened(**{name: "</script>"}))


def test_a_file_of_another_program_is_judged():
    """It becomes the plan, its claim is what is checked and no budget, and what was not understood is listed."""
    app = opened()
    loss = "privacy_loss: {privacy_parameters: {epsilon: 1, delta: 2e-7}}"
    entry = f"deployment: {{dp_variant: {{variant_name: Pure DP}}, {loss}}}"
    app = whole(upload(app, "entry.yaml", entry))
    app = whole(app.selectbox(key="claimof").select(asked.CURRENT).run())
    assert app.text_input(key="claimdelta").value == "0" and "Nobody can tell" in headline(app)
    held = app.session_state["document"]
    assert held.plan.budget == NO_LIMIT and held.questions == (PROMISE,)
    assert any("the claim is that of the file" in each.value for each in app.markdown)
    assert any("Not understood" in each.value and "states a total" in each.value for each in app.markdown)


def test_a_history_leaves_open_how_batches_are_drawn():
    """What Opacus writes does not tell; the page asks for it, and refuses what runs."""
    app = whole(upload(opened(), "history.txt", "[(1.5, 0.04, 20)]"))
    app = whole(app.selectbox(key="claimof").select(asked.CURRENT).run())
    assert app.multiselect(key="claimopen").value == ["how samples are drawn"]
    app = whole(upload(app, "code.txt", "__import__('os')"))
    assert any("must be a plan, an event" in plain(each.value) for each in app.error)
    assert app.session_state["document"].plan.releases[0].uses == 20, "the plan is kept"


def test_too_many_readings_at_once_are_told():
    """All that may be open of sampled noise is more than anybody waits for: one sentence, and the inputs stay."""
    app = opened(claimof="Training, by a Gaussian estimate", claimopen=list(asked.OPEN))
    assert len(app.error) == 1 and "“Not disclosed” must leave at most 36 readings" in plain(app.error[0].value)


def listed(app: AppTest) -> bool:
    """Whether the list of what was not understood is drawn."""
    return any("**Not understood:**" in each.value for each in app.markdown)


def test_what_was_not_understood_stays_until_it_is_dismissed():
    """Beneath the head of the plan, through edits, undo, another page and a link; with another plan it goes."""
    app = upload(workbench(), "spent.csv", "query,epsilon,noise\nVisits,0.5,laplace\nTotal,0.50,\n")
    assert app.session_state["document"].plan.budget == NO_LIMIT
    assert any("Not understood" in each.value and "noise" in each.value for each in app.markdown)
    edit(app, {0: {"name": "Visits of the week", "count": "2"}})
    assert app.session_state["document"].plan.releases[0].count == 2 and listed(app)
    held = app.session_state["document"]
    whole_plan(app.button(key="dismiss_file").click().run())
    assert not listed(app)
    whole_plan(app.button(key="undo").click().run())
    assert listed(app) and app.session_state["document"] == held
    app = opened(held, claimof=asked.CURRENT)
    assert listed(app) and app.text_input(key="claimeps").value == "0.5"
    whole(app.button(key="dismiss_file").click().run())
    assert not listed(app) and app.text_input(key="claimeps").value == "0.5", "the claim is what the file says"
    whole(upload(app, "plan.csv", "name,mechanism,epsilon\nVisits,laplace,0.1\n"))
    assert not listed(app) and app.session_state["document"].origin is None


def test_releases_that_are_missing_keep_a_claim_from_being_right():
    """However the plan is edited, until somebody says that it holds all of the file."""
    event = "ComposedDpEvent([GaussianDpEvent(5.0), NonPrivateDpEvent()])"
    app = whole(upload(opened(claimof=asked.CURRENT, claimeps="9"), "event.txt", event))
    assert "releases are missing here" in headline(app)
    plan = app.session_state["document"].edited(Plan([Release("More", Laplace.from_epsilon(0.5, 1.0), 4)]))
    app = opened(plan, claimof=asked.CURRENT, claimeps="9")
    assert "releases are missing here" in headline(app) and any("Releases are missing" in w.value for w in app.warning)
    assert app.button(key="dismiss_file").label == "The plan holds all of it now"
    whole(app.button(key="dismiss_file").click().run())
    assert headline(app).startswith("**The claim holds:**") and not listed(app)


def test_the_digits_of_a_claim_are_kept():
    """Those that were typed, and those of the file: 2.50 was rounded from less than 2.505."""
    plan = Plan([Release("Answers", Laplace.from_epsilon(2.502, 1.0))])
    found = [
        opened(plan, claimof=asked.CURRENT, claimeps=text, claimdelta="0", claimopen="rounding")
        for text in ("2.5", "2.500")
    ]
    assert "Nobody can tell" in headline(found[0]) and "too small" in headline(found[1])
