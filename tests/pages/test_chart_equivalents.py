"""Every page at every level of reading, opened once: its charts in words and as tables, and no sign for people."""

import csv
import io
import json
import re
from collections.abc import Callable

import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpviz.jobs import Grid, swept
from dpviz.mechanisms import Laplace
from dpviz.plain import SYMBOLS
from dpviz.plan import Plan, Release
from dpviz.ui.adversary.view import VIEWS
from dpviz.ui.plan.asked import PANELS, TABS
from dpviz.ui.privacy_loss.view import SIDE
from dpviz.ui.shell import reading, shell
from tests.pages.test_levels import opened, visible
from tests.pages.workbench import upload

PLACES = [(entry.name, {}) for entry in shell.PAGES if entry is not shell.PAGES[0]]
PLACES += [("plan", {"example": "statistics-office", "tab": tab}) for tab in TABS]
PLACES += [("plan", {"example": "statistics-office", "eps": "3", "panel": panel}) for panel in PANELS]
PLACES += [("adversary", {"view": view}) for view in VIEWS] + [("privacy_loss", {"side": side}) for side in SIDE]
WITHOUT = {"learn", "my_plans"}  # pictures of the first are images, the other has bars with their numbers


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The CSV files that are offered, by the key of their button."""
    found, offer = {}, st.download_button

    def offered(label: str, data: str | Callable[[], str], file_name: str, *given, key: str, **options) -> bool:
        if file_name.endswith(".csv"):
            found[key] = data() if callable(data) else data
        return offer(label, data, file_name, *given, key=key, **options)

    monkeypatch.setattr(st, "download_button", offered)
    return found


def told(app: AppTest, tables: dict[str, str]) -> int:
    """Check that each chart is told in words and its numbers are offered as a table; return how many there are."""
    charts = [each.proto for each in app.get("plotly_chart")]
    for chart in charts:
        found = [key for key in tables if chart.id.endswith(f"-{key.removesuffix('_csv')}_chart")]
        assert found, f"no table beside {chart.id}"
        name = max(found, key=len)
        assert len(chart.alt.split()) >= 5, (name, chart.alt)
        header, *rows = csv.reader(io.StringIO(tables[name]))
        assert rows and all(len(row) == len(header) for row in rows), name
        assert any(re.fullmatch(r"-?\d.*", cell) for cell in rows[0]), (name, rows[0])
        assert json.loads(chart.spec)["data"], name
    return len(charts)


def assert_known_to_plotly(app: AppTest) -> None:
    """Pages send charts unchecked; Plotly's own check finds nothing that it does not know, and no number is lost."""
    for chart in (json.loads(each.proto.spec) for each in app.get("plotly_chart")):
        checked = go.Figure(chart)
        assert len(checked.data) == len(chart["data"]) and checked.layout.template.layout.to_plotly_json()


@pytest.mark.parametrize("level", reading.LEVELS)
@pytest.mark.parametrize(("page", "asked"), PLACES)
def test_a_page_is_told_to_everybody(tables, page: str, asked: dict[str, str], level: str):
    """Who does not see a chart has it in words and as a table; who does not know signs meets none on pages to learn."""
    app = opened(page, **{"example": "mobility", "read": level} | asked)
    assert told(app, tables) or page in WITHOUT
    if asked:
        return
    if level != "numbers":
        assert_known_to_plotly(app)
    if level == "people":
        assert not [text for text in visible(app) if SYMBOLS.search(text)]


def test_the_frontier_of_a_sweep_too(tables):
    plan = Plan([Release("visits", Laplace(10, 1), typical=500.0), Release("trips", Laplace(20, 1), typical=80.0)])
    file = swept(Grid.of(plan, {"*": {"noise": [0.5, 1, 2]}})).to_csv()
    app = upload(opened("plan", example="mobility"), "frontier.csv", file)
    assert told(app, tables) > 1
    assert tables["frontier_csv"] == file
