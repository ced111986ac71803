"""“Plans that nothing beats”: the file of a sweep is opened where plans are, looked at, and one of them taken."""


import pytest

from dpviz.jobs import Frontier, Grid, swept
from dpviz.mechanisms import Laplace
from dpviz.plain import SYMBOLS
from dpviz.plan import Plan, Release
from dpviz.plan.files import permalink
from tests.pages.workbench import document, opened, plan_of, press, upload, whole

TITLE = "**Plans that nothing beats**"


@pytest.fixture(scope="module")
def frontier() -> Frontier:
    visits = Release("<b>visits</b>", Laplace(10, 1), typical=500.0)
    trips = Release("trips", Laplace(20, 1), typical=80.0)
    plan = Plan([visits, trips])
    return swept(Grid.of(plan, {"*": {"noise": [0.5, 1, 2], "count": [1, 3]}}))


def drawn(app) -> bool:
    return any(each.value == TITLE for each in app.markdown)


def test_a_plan_is_chosen_and_undo_returns(frontier):
    """Opening the file changes no plan; the chosen one becomes the current plan and stands in the address."""
    app = opened(example="mobility")
    before = document(app)
    assert not drawn(app)
    app = upload(app, "frontier.csv", frontier.to_csv())
    assert drawn(app) and document(app) == before
    app = whole(app.selectbox(key="frontier_row").set_value(3).run())
    assert any(r"\<b\>visits" in each.value or "trips" in each.value or "count" in each.value for each in app.caption)
    app = press(app, "frontier_take")
    assert plan_of(app) == frontier.plan(3) and drawn(app)
    assert permalink.document(app.query_params["plan"]).plan == frontier.plan(3)
    app = press(app, "undo")
    assert document(app) == before
    assert not drawn(press(app, "frontier_close"))


def test_a_first_visit_may_begin_with_a_frontier(frontier):
    """Where there is no plan yet, an empty workbench stands there with the choice, not the example."""
    app = upload(opened(), "frontier.csv", frontier.to_csv())
    assert drawn(app) and not plan_of(app).releases
    assert plan_of(press(app, "frontier_take")) == frontier.plan(0)


def test_another_file_starts_at_its_first_plan(frontier):
    app = upload(opened(example="mobility"), "frontier.csv", frontier.to_csv())
    app = whole(app.selectbox(key="frontier_row").set_value(len(frontier.frame) - 1).run())
    app = upload(app, "frontier.csv", "\n".join(frontier.to_csv().splitlines()[:2]) + "\n")
    assert app.selectbox(key="frontier_row").value == 0


def test_people_read_no_symbol(frontier):
    app = upload(opened(example="mobility", read="people"), "frontier.csv", frontier.to_csv())
    place = next(n for n, each in enumerate(app.markdown) if each.value == TITLE)
    said = app.markdown[place + 1].value + " ".join(app.selectbox(key="frontier_row").options)
    assert "protected less" in said and not SYMBOLS.search(said)


@pytest.mark.parametrize("rows", ["", "0,x,1e-6,1,largest,1,pld,\n"])
def test_a_bad_file_loses_nothing(rows):
    before = opened(example="mobility")
    app = upload(before, "frontier.csv", "number,epsilon,delta,error,measure,uses,theorem,plan\n" + rows)
    assert len(app.error) == 1 and "The file of a sweep must" in app.error[0].value
    assert not drawn(app) and plan_of(app).releases


def test_a_plan_that_is_not_in_the_file_is_said(frontier):
    """A damaged token, or one that a plan was too large for, changes nothing."""
    for token in ("", "1.AAAA"):
        frame = frontier.frame.assign(plan=token)
        app = upload(opened(example="mobility"), "frontier.csv", Frontier(frame).to_csv())
        before = document(app)
        app = press(app, "frontier_take")
        assert len(app.error) == 1 and document(app) == before
