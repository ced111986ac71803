"""What is stated beside the numbers, typed under Share: kept with the plan, one step of undo each, and nothing lost."""

from dpviz import Disclosure, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.plan.disclosure import DISCLOSED, NOT_STATED
from dpviz.ui.shell.disclosing import REFUSED
from tests.pages.workbench import opened, plan_of, whole

PLAN = Plan([Release("Visits", Laplace(10, 1), done=True)], unit="person", disclosure=Disclosure(owner="Unit 4"))


def test_a_text_is_kept_with_the_plan_and_undone():
    """The form opens with what is stated; an edit asks no question; what is refused stays where it was typed."""
    app = opened(Document(PLAN))
    assert not [box for box in app.text_area if box.key.startswith("disclosed_")]
    app.session_state["disclosing"] = True
    whole(app.run())
    boxes = {box.key: box for box in app.text_area}
    assert len(boxes) == len(DISCLOSED) and boxes["disclosed_owner"].value == "Unit 4"
    assert {box.placeholder for box in boxes.values()} == {NOT_STATED}
    whole(boxes["disclosed_trust"].set_value("Central: <b>the office</b>.").run())
    assert plan_of(app).disclosure == Disclosure(owner="Unit 4", trust="Central: <b>the office</b>.")
    assert app.session_state["document"].questions == ()
    whole(app.text_area(key="disclosed_trust").set_value("a\x00b").run())
    assert app.text_area(key="disclosed_trust").value == "a\x00b" and REFUSED in [each.value for each in app.error]
    assert plan_of(app).disclosure.trust == "Central: <b>the office</b>."
    whole(app.text_area(key="disclosed_trust").set_value("").run())
    assert plan_of(app).disclosure == Disclosure(owner="Unit 4")
