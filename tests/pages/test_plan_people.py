"""At the level of people, no text of the workbench holds a symbol: in every tab and panel, with plan A kept too."""

import json
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.plain import SYMBOLS, in_plain_words
from dpviz.planning.advice import CHECKS
from dpviz.ui.plan.time.words import HERE
from tests.pages.workbench import (
    FIT,
    LEARNED,
    RELEASE,
    TABS,
    VERSUS,
    cells,
    charts,
    edit,
    opened,
    plain,
    press,
    text,
    verdict,
)

EXAMPLES = ("mobility", "weekly-dashboard", "statistics-office", "federated-learning")
COMPUTED = ("share", "error")
WIDGETS = ("button", "selectbox", "text_input", "multiselect", "radio", "toggle", "button_group")


def seen(app: AppTest) -> list[str]:
    """All texts that stand on the screen: sentences, labels and helps, charts, computed cells, and heads of columns."""
    headings = [*app.title, *app.header, *app.subheader]
    sentences = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *headings]
    found = [each.value for each in sentences] + [each.label for each in (*app.tabs, *app.expander)]
    for kind in WIDGETS:
        for widget in app.get(kind):
            found += [getattr(widget, "label", "") or "", getattr(widget, "help", "") or ""]
            options = getattr(widget, "options", ()) if kind != "selectbox" or widget.key != "solve" else ()
            found += [str(getattr(each, "content", each)) for each in options]
    found += [text for each in app.metric for text in (each.label, each.value, each.delta or "")]
    found += [text for each in app.get("plotly_chart") for text in chart_texts(json.loads(each.proto.spec))]
    return found + [str(text) for name in COMPUTED for text in cells(app)[name].dropna()]


def chart_texts(figure: dict) -> list[str]:
    """The texts of a figure: names, labels at marks, hovers, annotations and titles of axes."""
    found = []
    for key, value in figure.items():
        if isinstance(value, dict):
            found += chart_texts(value)
        elif isinstance(value, list):
            found += [each for item in value if isinstance(item, dict) for each in chart_texts(item)]
            found += [each for each in value if isinstance(each, str) and key in ("text", "ticktext", "hovertext")]
        elif isinstance(value, str) and key in ("text", "name", "hovertemplate", "title", "hovertext"):
            found.append(value)
    return found


def symbols(app: AppTest) -> list[str]:
    return [text for text in seen(app) if SYMBOLS.search(text)]


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("tab", TABS)
def test_no_tab_shows_a_symbol(example: str, tab: str):
    """As it is, and changed beside plan A."""
    app = opened(example=example, tab=tab, read="people")
    assert not symbols(app)
    if tab != LEARNED or example == "mobility":
        assert not symbols(edit(press(app, "keep_a"), {0: {"count": "2"}}))


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("panel", [FIT, RELEASE, VERSUS])
def test_no_panel_shows_a_symbol(example: str, panel: str):
    """Neither where nothing is kept, nor beside plan A."""
    app = opened(example=example, panel=panel, read="people")
    assert not symbols(app)
    if panel == VERSUS:
        assert not symbols(edit(press(app, "keep_a"), {0: {"count": "2"}}))


@pytest.mark.parametrize("solve", ["how many more releases or epochs", "budget for an accuracy"])
def test_no_question_of_the_panel_shows_a_symbol(solve: str):
    assert not symbols(opened(example="statistics-office", panel=FIT, solve=solve, read="people"))


def test_symbols_are_seen():
    """The law would notice: numbers are full of them."""
    assert len(symbols(opened(example="mobility"))) > 5


def test_people_answer_what_the_checks_ask_in_place():
    """One line unfolds to every question in plain words, with what settles it; the level stays that of people."""
    app = opened(example="statistics-office", read="people")
    app.session_state["doubts_here"] = True
    app.run()
    assert not symbols(app) and any("failure of 1 in 1,000,000 is a large one" in each.value for each in app.markdown)
    lower = next(each for each in app.button if plain(each.label) == "Lower chance of failure to 1 in 50,000,000")
    after = next(each.value for each in app.markdown if each.value.startswith("After “Lower chance"))
    assert "use at most 105.5 % of what is allowed: **more than the budget**, so that more noise must follow" in after
    app = lower.click().run()
    assert not any("Before this is relied on" in each.label for each in app.expander)
    assert app.session_state["read"] == "people"


def test_every_check_asks_in_plain_words():
    """Without a symbol, in at most forty words."""
    assert HERE.keys() <= {each.key for each in CHECKS}
    said = [f"{each.why} {HERE.get(each.key, '')}" for each in CHECKS]
    assert not [text for text in said if not text.strip() or SYMBOLS.search(text) or len(text.split()) > 40]
    asked = [in_plain_words(each.asked("person-year")) for each in CHECKS]
    assert not [text for text in asked if text[-1] != "?" or SYMBOLS.search(text) or len(text.split()) > 15]


@pytest.mark.parametrize("read", ["people", "numbers"])
def test_who_answers_is_said_not_to_be_hidden_where_nothing_else_is_asked(read: str):
    """Of a survey whose answers are randomized, where a unit is added or removed."""
    survey = Release("Come again", RandomizedResponse(1.0), kind="survey")
    plan = Plan([survey], Guarantee(2.0, 0.0), "person-year", "add_remove", 5000, adaptive=False)
    hidden = "Of “Come again”, only what is answered is protected, and not who answers."
    others = f"{hidden} Assumed: no other release reads these data"
    assert f"{others}.]" in text(opened(plan, read=read))
    unsaid = text(opened(replace(plan, adaptive=None), read=read))
    assert f"{others}; releases are fixed in advance.]" in unsaid
    longer = replace(survey, name="Would come again with all of the family")
    assert "Assumed: no other release" in text(opened(replace(plan, adaptive=None, releases=(longer,)), read=read))
    assert hidden not in text(opened(replace(plan, relation="replace_one"), read=read))


@pytest.mark.parametrize("key", ["mobility", "statistics-office"])
def test_what_is_saved_is_the_difference_of_what_is_used(key: str):
    """All shares that people read are of the budget: in title, bars and table one can be taken from the other."""
    app = opened(example=key, read="people")
    [title] = [each for each in seen(app) if "frees the most budget: then " in each]
    then, now = (Decimal(each) for each in re.findall(r"([\d.]+) %", title.rpartition(": ")[2]))
    saved = f"{(now - then).normalize():f} %"
    assert f"**{now} %**" in verdict(app) and saved == max(cells(app).share.dropna(), key=percent)
    assert f"{saved} saved · then {then} % is used" in str(charts(app)).replace("\u00a0", " ")


def percent(shown: str) -> Decimal:
    """A share as it is shown."""
    return Decimal(shown.removesuffix(" %").replace("under 1", "0"))


@pytest.mark.parametrize(("unit", "level", "said"), [
    ("person-year", "people", "person-year: one person over a year"), ("household", "people", ""),
    ("user-day", "numbers", ""),
])  # fmt: skip
def test_a_unit_with_a_period_is_told_beneath_the_bar(unit: str, level: str, said: str):
    """For who has not met such a word; not of a unit that is a word of every day, nor for who knows such units."""
    app = opened(Plan([Release("Visits", Laplace(20.0, 1.0))], Guarantee(1.0, 0.0), unit), read=level)
    [body] = [each.proto.body for each in app.get("html") if 'role="img"' in each.proto.body]
    assert (": one " in body) == bool(said) and said in body
