"""The document: what changes it, what it asks, and which releases it lets count."""

from dataclasses import replace

from hypothesis import given

from dpviz import Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.plan import NO_LIMIT, Document, Uncounted
from dpviz.plan.document import CHANGED, OWN, PROMISE, fitting
from tests.plan_strategies import PLANS

DONE = Release("Visits", Laplace(10, 1), done=True)
NEXT = Release("Stays", Laplace(20, 1), 3)
PLAN = Plan([DONE, NEXT], Guarantee(1.0, 1e-6))


@given(PLANS)
def test_a_new_document_is_as_opened(plan):
    document = Document(plan)
    assert document.a == document.opened == plan and document.pristine
    assert not document.edited(replace(plan, unit="another one")).pristine


def test_a_name_is_never_empty():
    assert Document(PLAN, "  ").name == OWN and len(Document(PLAN, "x" * 999).name) == 80


def test_a_change_after_something_was_done_is_asked_about():
    """It may depend on the result; a plan that is chosen along the way anyway need not be asked."""
    after = replace(NEXT, count=4)
    changed = replace(PLAN, releases=(DONE, after))
    assert Document(PLAN).edited(changed).questions == (CHANGED,)
    assert Document(PLAN).edited(changed).answered(CHANGED).questions == ()
    assert Document(PLAN).edited(replace(changed, adaptive=True)).questions == ()
    nothing_done = replace(PLAN, releases=(replace(DONE, done=False), NEXT))
    assert Document(nothing_done).edited(replace(nothing_done, releases=(DONE, after))).questions == ()


def test_a_promise_is_said_by_unit_and_budget():
    """One of them is half of it; until then the plan counts as opened with what was said so far."""
    asked = Document(PLAN, questions=(PROMISE,), opened=PLAN)
    asked = replace(asked, plan=replace(PLAN, budget=NO_LIMIT), opened=replace(PLAN, budget=NO_LIMIT))
    people = asked.edited(replace(asked.plan, population=9))
    unit = people.edited(replace(people.plan, unit="household"))
    assert people.questions == unit.questions == (PROMISE,) and unit.opened.unit == "household"
    assert unit.edited(replace(unit.plan, budget=Guarantee(2.0, 1e-6))).questions == ()
    assert asked.edited(replace(asked.plan, releases=())).questions == (PROMISE, CHANGED)


def test_rows_that_make_no_release_stay():
    rows = (Uncounted(1, (("name", "x"),)),)
    assert Document(PLAN, uncounted=rows).edited(Plan([])).uncounted == rows
    assert Document(PLAN, uncounted=rows).edited(Plan([]), []).uncounted == ()


def test_releases_that_contradict_each_other_do_not_count_together():
    """The first one decides; the others are told apart with their reason, and all else counts."""
    poisson = Release("Poisson", Subsampled(Gaussian(1.0, 1), 0.1, "poisson"))
    fixed = Release("Fixed", Subsampled(Gaussian(1.0, 1), 0.1, "without_replacement"))
    plan, refused = fitting(Plan([]), [poisson, fixed, NEXT])
    assert plan.releases == (poisson, NEXT)
    [(place, reason)] = refused
    assert place == 1 and "relation must be the same" in reason


@given(PLANS)
def test_what_a_plan_holds_fits_it(plan):
    assert fitting(replace(plan, releases=()), plan.releases) == (plan, [])


def test_a_promise_that_forbids_a_part():
    north = Release("North", RandomizedResponse(1.0), part="north")
    plan, refused = fitting(Plan([], relation="replace_one"), [NEXT, north])
    assert plan.releases == (NEXT,) and refused[0][0] == 1
