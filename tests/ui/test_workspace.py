"""What every rerun says, whatever the page."""

from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan import Document, Uncounted
from dpviz.ui.shell import shell


def told(*uncounted: Uncounted) -> list[str]:
    """The warnings on a page that starts from a plan with these rows."""
    plan = Plan([Release("a", Laplace(10.0, 1))], Guarantee(5.0, 1e-6))

    def page() -> None:
        from dpviz.ui.shell import workspace

        workspace.tell_left_out()

    app = AppTest.from_function(page)
    app.session_state["document"] = Document(plan, uncounted=uncounted)
    return [each.value for each in app.run().warning]


def test_other_pages_say_which_rows_are_in_none_of_their_numbers():
    row = (("name", "mine"), ("mechanism", "Laplace"), ("noise", "lots"))
    assert told() == []
    [one] = told(Uncounted(0, row))
    assert one.startswith("Row 1 of the plan does not count yet")
    [two] = told(Uncounted(0, row), Uncounted(2, row))
    assert two.startswith("2 rows of the plan do not count yet")


def test_pages_that_start_from_the_plan_are_pages():
    assert set(shell.FROM_PLAN) <= {page.name for page in shell.PAGES}
