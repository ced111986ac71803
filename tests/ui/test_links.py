"""Shared links go on working: an address holds the words of a choice, and what it ever held opens what it did."""

import ast
import importlib
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan.files import permalink
from dpviz.sources.cards import cards
from dpviz.ui.shell.document import address
from dpviz.ui.theorems import addresses

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "dpviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
# Every widget key and choice that an address has ever held: a line is never taken out, nor changed.
EVER = {tuple(line.split("\t")) for line in Path(__file__).with_name("choices.txt").read_text("utf-8").splitlines()}
VISITS, AGES = Release("visits", Laplace(12.5, 1), 3), Release("ages", Laplace(7.5, 1))
PLAN = Plan([VISITS, AGES], Guarantee(2.5, 1e-7), "household")
TOKEN = permalink.token(PLAN)
BOUND = ("inputs.choice", "inputs.source", "inputs.slider", "inputs.switch")
CHOICES = ("selectbox", "segmented_control", "pills", "radio", "select_slider", "tabs", "multiselect")


def namespace(path: Path, tree: ast.Module) -> dict[str, object]:
    """The names that a module knows; of a page, which would run, those that it imports."""
    if path.parent.name == "pages":
        found = {}
        exec(ast.unparse([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]), found)
        return found
    return vars(importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))


def choices(call: ast.Call, names: dict[str, object]) -> list[tuple[str, str]]:
    """The key of a widget that the address binds, with each of its choices as shown; [] for any other call."""
    kind = getattr(call.func, "attr", "")
    given = {each.arg: each.value for each in call.keywords}
    ours = ast.unparse(call.func) in BOUND  # they bind, and take key and options in order
    key = call.args[1] if ours else given.get("key")
    if (not ours and (kind not in CHOICES or not given.keys() & {"bind", None})) or not isinstance(key, ast.Constant):
        return []
    options = call.args[2 if ours else 0 if kind == "tabs" else 1]
    shown = eval(ast.unparse(given["format_func"]), names) if "format_func" in given else str
    try:
        offered = eval(ast.unparse(options), names)
    except NameError:  # what visitors have made themselves, only the running page knows
        return []
    return [(key.value, str(shown(option))) for option in offered]


def present() -> set[tuple[str, str]]:
    """Every widget key with every choice that an address may hold today, on any page."""
    found = set()
    for path in FILES:
        tree = ast.parse(path.read_text("utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        names = namespace(path, tree)
        found |= {each for call in calls for each in choices(call, names)}
    return found


PRESENT = present()


def lost(ever: set[tuple[str, str]], today: set[tuple[str, str]], former: dict[str, dict[str, str]]) -> list:
    """What an address once held and no widget shows, itself or under its present name."""
    return sorted((key, name) for key, name in ever if (key, former.get(key, {}).get(name, name)) not in today)


def test_what_an_address_ever_held_opens_a_choice():
    """After rewording a choice, `address.FORMER` says what its former name means today."""
    assert len({key for key, _ in PRESENT}) > 30, "the test sees the widgets"
    assert not [each for each in lost(EVER, PRESENT, address.FORMER) if each[0] not in address.REMOVED]


def test_a_widget_that_is_gone_is_gone():
    """Each is written out with where its choice stands now; no key of one is used again for something else."""
    assert all(address.REMOVED.values()) and address.REMOVED.keys() <= {key for key, _ in EVER}
    assert not address.REMOVED.keys() & {key for key, _ in PRESENT}


def test_a_tab_that_became_an_expander_is_opened_by_its_former_address():
    app = opened("budget", example="weekly-dashboard", see="Error against budget")
    assert any("error-against-budget" in chart.proto.id for chart in app.get("plotly_chart"))
    app = opened("budget", example="weekly-dashboard", see="Exact values")
    assert not any("error-against-budget" in chart.proto.id for chart in app.get("plotly_chart"))


def test_new_choices_are_written_down():
    """What a link may hold from today on has its line in choices.txt."""
    assert not sorted(PRESENT - EVER)


def test_former_names_are_not_in_use():
    """A former name means one choice: no widget with this key, of whatever page, calls another one so."""
    renamed = [(key, name, today) for key, names in address.FORMER.items() for name, today in names.items()]
    assert not [each for each in renamed if each[:2] in PRESENT or each[:2] not in EVER]


def test_a_reworded_choice_is_noticed():
    today = {("split", "Equal"), ("axes", "log")}
    ever = today | {("split", "Even")}
    assert lost(ever, today, {}) == [("split", "Even")]
    assert not lost(ever, today, {"split": {"Even": "Equal"}})
    assert lost(ever, today, {"axes": {"Even": "Equal"}}) and lost(ever, today, {"split": {"Even": "Equals"}})


LINKS = {
    **addresses.CLAIMS,
    **{f"{card.kind} {card.key}": " ".join(place for _, place in addresses.uses(card)) for card in cards()},
}


@pytest.mark.parametrize("places", LINKS.values(), ids=LINKS)
def test_a_link_of_the_dashboard_holds_choices_that_there_are(places: str):
    """Of every claim and theorem; that the page takes all of it is tested with the theorems page."""
    keys = {key for key, _ in PRESENT}
    held = [each for place in places.split() for each in parse_qsl(urlsplit(place).query) if each[0] in keys]
    assert not [(key, name) for key, name in held if (key, name) not in PRESENT]


def opened(page: str, **query: object) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page(f"pages/{page}.py")
    app.query_params.update(query)
    app.run()
    assert not app.exception and not app.error
    return app


FIT = {"example": "mobility", "panel": "Fit to budget", "solve": "noise for the budget"}


def test_a_former_name_opens_todays_choice(monkeypatch: pytest.MonkeyPatch):
    """Alone, or beside others of one widget; the address then holds today's name, and what is chosen next stays."""
    former = {"split": {"Even noise": "Equal noise"}, "theorems": {"Plain": "Basic"}, "verdict": {"mistaken": "wrong"}}
    monkeypatch.setattr(address, "FORMER", former)
    app = opened("plan", split="Even noise", **FIT)
    assert app.session_state["split"] == "equal" and app.query_params["split"] == "Equal noise"
    app.selectbox(key="split").set_value("variance").run()
    assert app.session_state["split"] == "variance" and not app.exception
    app = opened("composition", theorems=["Plain", "Optimal from the pairs"])
    assert app.session_state["theorems"] == ["basic", "optimal"]
    app = opened("theorems", verdict="mistaken", doc="Lecture 11")
    assert app.session_state["verdict"] == "wrong" and app.query_params["verdict"] == "wrong"
    assert app.session_state["doc"] == "Lecture 11"


@pytest.mark.parametrize("name", ["never heard of", "", "Equal noise"])
def test_other_names_are_left_alone(monkeypatch: pytest.MonkeyPatch, name: str):
    """What no choice was ever called falls back as before; today's name needs no table."""
    monkeypatch.setattr(address, "FORMER", {"split": {"Even noise": "Equal noise"}})
    app = opened("plan", split=name, **FIT)
    assert app.session_state["split"] == ("equal" if name == "Equal noise" else "proportional")


FORMER = [
    ("budget", {"solve": "ε for an accuracy", "within": "5"}, "How accurate", "Fit to budget"),
    ("forecast", {"tview": "Checks", "every": "daily"}, "When", None),
    ("scenarios", {"abview": "Release by release"}, "What costs what", "A against B"),
]


@pytest.mark.parametrize(("page", "query", "tab", "panel"), FORMER)
def test_an_address_of_a_former_page_leads_to_its_part_of_the_workbench(page: str, query: dict, tab: str, panel: str):
    """The plan, and every key that it set, are kept; tab and panel are what the former page was."""
    app = opened(page, plan=TOKEN, read="proofs", **query)
    assert app.session_state["document"].plan == PLAN and app.session_state["read"] == "proofs"
    assert app.session_state["tab"] == tab and app.session_state["panel"] == panel
    held = {key: address.FORMER.get(key, {}).get(name, name) for key, name in query.items()}
    assert {key: app.query_params[key] for key in query} == held


def test_an_address_of_a_former_page_keeps_what_it_names_several_times():
    """Rows that are kept are named one by one; coming back to it in the same session breaks nothing."""
    app = opened("budget", example="weekly-dashboard", read="people", keep=["1", "2"])
    assert app.session_state["keep"] == [1, 2] and app.query_params["keep"] == ["1", "2"]
    app.switch_page("pages/budget.py").run()
    assert not app.exception and not app.error
    assert app.session_state["read"] == "people" and app.session_state["panel"] == "Fit to budget"
