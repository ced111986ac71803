"""The workbench at `/`, driven without a browser: how tests open it, read it, and type into its table."""

import json

from streamlit.testing.v1 import AppTest

from dpviz import Plan
from dpviz.plan import Document
from dpviz.ui.shell import shell
from dpviz.ui.shell.document.rows import settled

FIT, RELEASE, VERSUS = "Fit to budget", "Add, edit or remove", "A against B"
COSTS, ACCURATE, WHEN, LEARNED = TABS = "What costs what", "How accurate", "When", "What an attacker learns"
SIGNS = (":material/check_circle:", ":material/error:", ":material/info:", ":material/warning:")


def opened(plan: Plan | Document | None = None, /, **parameters: str | list[str]) -> AppTest:
    """The workbench at an address, or with a plan or a document of one's own."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    for name, value in parameters.items():
        app.query_params[name] = value
    if plan is not None:
        held = plan if isinstance(plan, Document) else Document(plan)
        app.session_state["document"] = settled(held)
        app.session_state["begun"] = True
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    return app


def press(app: AppTest, key: str) -> AppTest:
    return whole(app.button(key=key).click().run())


def edit(app: AppTest, rows: dict[int, dict[str, str | None]]) -> AppTest:
    """Change cells of the table as the browser does: all that was typed into it so far is said each time."""
    state = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    app.session_state[app.session_state["table"]] = state
    return whole(app.run())


def upload(app: AppTest, name: str, content: str | bytes) -> AppTest:
    content = content.encode() if isinstance(content, str) else content
    return whole(app.file_uploader[-1].set_value((name, content, "text/plain")).run())


def document(app: AppTest) -> Document:
    return app.session_state["document"]


def plan_of(app: AppTest) -> Plan:
    return document(app).plan


def plain(text: str) -> str:
    """A text without the marks that keep visitors' text from being read as Markdown."""
    return text.replace("\\", "").replace("\u2060", "").replace("\u00a0", " ")


def verdict(app: AppTest) -> str:
    """The sentence under the bar of the budget."""
    return plain(next(each.value for each in app.markdown if each.value.startswith(SIGNS)))


AGAINST = ("The plan costs ", "Plan A costs ", "Plan A: ")  # how what A costs begins, where it stands on its own


def headline(app: AppTest) -> str:
    """The finding of a page: the first text beneath the bar above every page."""
    return next(each.value for each in app.markdown if each.value != "**dpviz**")


def bar(app: AppTest) -> str:
    """What the bar of the budget says to who cannot see it."""
    [body] = [each.proto.body for each in app.get("html") if 'role="img"' in each.proto.body]
    return body.partition('aria-label="Budget: ')[2].partition('"')[0]


def cells(app: AppTest):
    """The table of releases as it is shown, blank rows and computed cells included."""
    return next(each.value for each in app.dataframe if "share" in each.value and "noise" in each.value)


def charts(app: AppTest) -> list[list[dict]]:
    """The traces of every chart."""
    return [json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart")]


def text(app: AppTest) -> str:
    """All sentences that stand on the page."""
    shown = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return plain("\n".join(each.value for each in shown))


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons that there are."""
    return {each.key for each in app.button}
