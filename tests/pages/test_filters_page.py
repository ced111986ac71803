"""The filter page, driven without a browser: counts, presets, a session, extremes, hostile addresses."""

import json
import math
import re

import pytest
from scipy.stats import norm
from streamlit.testing.v1 import AppTest

from dpviz.filters import FILTERS, Filter, breakeven_epsilon, runs_until_exhausted
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan
from dpviz.rounding import shown_up
from dpviz.ui.filters import asked as filters_asked
from dpviz.ui.filters import state as filters_state
from dpviz.ui.shell import shell
from tests.pages.workbench import headline

LABELS = [rule.label for rule in FILTERS]
SESSION, TOTALS = filters_asked.VIEWS[1:]


def opened(fsource: str = filters_asked.TYPED, **parameters: object) -> AppTest:
    """The page at an address; with what is typed there, where nothing else is said."""
    parameters = parameters if fsource is None else {"fsource": fsource, **parameters}
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/filters.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    app.query_params.setdefault("read", "numbers")
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert "until the budget is spent" in app.title[0].value
    assert len(app.get("plotly_chart")) == 1
    return app


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def notes(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.delta for metric in app.metric}


def lines(app: AppTest) -> list[str]:
    [chart] = app.get("plotly_chart")
    return [trace["name"] for trace in json.loads(chart.proto.spec)["data"] if trace["mode"] == "lines"]


def pressed(app: AppTest, key: str) -> AppTest:
    return whole(app.button(key=key).click().run())


def test_it_opens_with_every_rule():
    """All rules are drawn and counted; the finding names the one that wins, and by how much; why no other."""
    app = opened()
    assert any("f-DP (trade-off curves) are no filters in general" in each.value for each in app.markdown)
    assert lines(app) == LABELS
    assert figures(app) == dict(zip(LABELS, ["100", "147", "349", "487"], strict=True))
    assert "**487** fit" in headline(app) and "4.87 times the **100**" in headline(app)
    assert len(app.latex) == len(FILTERS)


def test_the_winner_changes_with_the_regime():
    """At ε = 0.05 adding up admits most, and the page says so; thresholds are those of the core."""
    app = pressed(opened(), "preset_few")
    assert list(figures(app).values())[:3] == ["20", "5", "13"]
    assert "by **Basic**; no other rule admits more" in headline(app)
    assert any("**Basic wins at ε = 0.05.**" in each.value for each in app.markdown)
    exact = breakeven_epsilon(Filter(Guarantee(1, 1e-6), "fully_adaptive"))
    shown = float(notes(app)["Fully adaptive"].split("ε below ")[1])
    assert shown <= exact < shown * 1.01


def test_the_notebooks_figure_leads_to_what_is_right():
    """Its settings are one press away; beside them stands the way to its claims, until something else is shown."""
    app = pressed(opened(), "preset_notebook")
    assert set(figures(app).values()) == {"100"}
    said = [link.proto.label for link in app.get("page_link")]
    assert "What the source says, and what is right" in said
    app = whole(app.text_input(key="geps").set_value("0.3").run())
    assert "What the source says, and what is right" not in [link.proto.label for link in app.get("page_link")]


def test_a_tab_sets_k_beside_advanced_composition():
    """K after its last admitted query, and what the theorem proves for that number."""
    app = opened(fview=TOTALS)
    assert "After **147** queries" in headline(app) and "**0.6521**" in headline(app)
    assert lines(app) == [*LABELS[1:], "Advanced, k fixed"]
    assert (
        "There" not in headline(app) and "no K to compare" in headline(opened(fview=TOTALS, gdelta="0"))
    )


@pytest.mark.parametrize("view", filters_asked.VIEWS)
@pytest.mark.parametrize(
    "address",
    [
        {"geps": "1e-6", "epsq": "50", "faxes": "linear"},
        {"geps": "1000", "gdelta": "0.5", "epsq": "1e-6"},
        {"gdelta": "0", "orbasic": "true"},
        {"gdelta": "1e-30", "deltaq": "0.5"},
        {"deltaq": "1e-9", "kept": "1e-6", "doubles": "true", "read": "people"},
    ],
    ids=lambda address: "&".join(f"{key}={value}" for key, value in address.items()),
)
def test_extremes_are_drawn(address: dict[str, str], view: str):
    """A chart, a sentence and no exception at the ends of what can be typed."""
    app = opened(fview=view, **address)
    assert headline(app) and not app.error


@pytest.mark.parametrize(
    "address",
    [
        {"geps": "nan", "gdelta": "-1", "epsq": "<b>", "faxes": "3d", "fview": "x"},
        {"fview": SESSION, "seq": "<img src=x onerror=alert(1)>", "after": "never"},
        {"fview": SESSION, "seq": "0.1\n-0.2\nnan"},
        {"fview": SESSION, "seq": "0.1, 0, 1000000"},
    ],
)
def test_a_bad_address_falls_back(address: dict[str, str]):
    """Nonsense leaves a working page; a bad sequence is refused as a whole, with its lines."""
    app = opened(**address)
    assert not any(re.search(r"(?<!\\)<img", each.value) for each in (*app.markdown, *app.error, *app.caption))
    if "seq" in address:
        assert len(app.error) == 1
        assert len(app.session_state["asked"]) == 192
    else:
        assert figures(app)["Basic"] == "100"


def test_bad_bounds_of_the_chart_are_one_sentence():
    """An empty range is refused where it is typed; so is more δ kept than there is."""
    app = opened(epsfrom="0.5", epsto="0.1", kept="0.1")
    assert sorted(each.value.split()[0] for each in app.error) == ["The", "What"]


def test_a_session_is_played_to_its_refusal():
    """Asking until nothing fits; undo takes the last query back; the largest next ε is admitted."""
    app = pressed(opened(fview=SESSION, geps="0.2", gdelta="0", nexteps="0.08"), "fclear")
    assert "Nothing is asked yet" in headline(app)
    app = pressed(pressed(app, "fask"), "fask")
    assert figures(app)["Basic"] == "2 of 2" and notes(app)["Basic"] == "next: ε ≤ 0.04"
    app = pressed(app, "fask")
    assert figures(app)["Basic"] == "2 of 3"
    assert "refuse, at query 3" in "".join(each.value for each in app.markdown)
    app = pressed(pressed(app, "fundo"), "flargest")
    assert figures(app)["Basic"] == "3 of 3" and notes(app)["Basic"] == "next: nothing fits"
    assert app.session_state["seq"] == "0.08, 0, 2\n0.04"


def test_typing_replaces_the_sequence_and_a_mistake_does_not():
    """Lines of ε, δ, times; a bad line is named with its value, and nothing changes."""
    app = opened(fview=SESSION)
    app = whole(app.text_area(key="seq").set_value("0.1, 1e-9, 5").run())
    assert figures(app)["Basic"] == "5 of 5"
    app = whole(app.text_area(key="seq").set_value("0.1\n-3").run())
    assert "Line 2" in app.error[0].value and "3" in app.error[0].value
    assert figures(app)["Basic"] == "5 of 5"
    app = pressed(app, "fundo")
    assert figures(app)["Basic"] == "123 of 192" and not app.error


def test_a_sequence_is_set_beside_the_same_one_fixed_in_advance():
    app = opened(fview=SESSION, geps="0.5", seq="0.02, 0, 200")
    assert "Of **200** queries" in headline(app) and "Fixed in advance" in headline(app)


@pytest.mark.parametrize(("after", "admitted"), [("go on", "3 of 4"), ("stop", "2 of 4")])
def test_after_a_refusal(after: str, admitted: str):
    """A smaller query may still fit, or the session ends."""
    app = opened(fview=SESSION, geps="0.3", gdelta="0", seq="0.1\n0.1\n0.2\n0.1", after=after)
    assert figures(app)["Basic"] == admitted


def test_verdicts_are_those_of_the_core():
    """How many equal queries the page admits is what the closed form counts."""
    app = opened(fview=SESSION, seq="0.02, 0, 300")
    for rule in FILTERS:
        count = runs_until_exhausted(Filter(Guarantee(1, 1e-6), rule.key), Guarantee(0.02))
        assert figures(app)[rule.label] == f"{count} of 300"


def test_undo_has_a_limit():
    """Neither the number of states nor their size grows without end."""
    app = opened(fview=SESSION, seq="0.001, 0, 9000")
    for _ in range(3):
        app = pressed(pressed(app, "fclear"), "fundo")
        app = pressed(app, "fask")
    past = app.session_state["asked_history"].past
    assert len(past) == 3 and sum(map(len, past)) <= filters_state.MOST_KEPT


def test_words_speak_of_guesses():
    """In words, the finding names how often an attacker is right at most."""
    app = opened(read="people")
    finding = headline(app)
    assert "of 100 cases" in finding and "ε" not in finding
    # A budget of ε = 1 at δ = 10⁻⁶: (e + δ) / (1 + e) = 0.73105884757, rounded up
    assert "**73.2** of 100" in finding and "all the promise says" in finding
    assert not app.tabs and not app.metric and not app.latex


def test_it_starts_from_the_plan():
    """Budget and query are those of the plan, the release that is used most first; a former link keeps its own."""
    app = opened(fsource=None, example="weekly-dashboard")
    assert "**Visits per region\\, 16 counts**" in headline(app) and "ε = 4, δ = 10⁻⁸" in headline(app)
    count = runs_until_exhausted(Filter(Guarantee(4, 1e-8), "basic"), Guarantee(0.1))
    assert figures(app)["Basic"] == str(count) == "40"
    app = opened(fsource=None, example="weekly-dashboard", epsq="0.05")
    assert app.session_state["fsource"] == filters_asked.TYPED and figures(app)["Basic"] == "20"


def test_noise_without_a_pure_promise_gets_a_share_of_delta():
    """Gaussian noise is counted by a pair whose δ, over all uses, stay within half of the budget's."""
    app = opened(fsource=filters_asked.CURRENT, example="weekly-dashboard", frow="3")
    assert "Hours on site" in headline(app)
    assert not app.session_state["kept"] and figures(app)["Zero-concentrated DP"] != "0"
    pair = filters_asked.pair_of(workspace_plan(app).releases[2].mechanism, 1e-8, 52)
    assert pair.delta * 52 == pytest.approx(0.5e-8) and f"ε = {shown_up(pair.epsilon)}" in headline(app)


def test_noise_is_counted_by_itself_where_its_pairs_admit_less():
    """Between the count of the classic bound of zCDP and that of the exact curve of all of them together."""
    app = opened(fsource=filters_asked.CURRENT, example="weekly-dashboard", frow="3")
    told = re.search(r"\*\*([\d,]+)\*\* fit into .* by \*\*Zero-concentrated DP\*\*", headline(app))
    release = workspace_plan(app).releases[2]
    rho = (release.mechanism.sensitivity / release.mechanism.sigma) ** 2 / 2
    classic = max(k for k in range(1, 400) if k * rho + 2 * math.sqrt(k * rho * math.log(1e8)) <= 4)
    exact = max(k for k in range(1, 900) if gaussian_delta(math.sqrt(2 * k * rho), 4.0) <= 1e-8)
    assert classic <= int(told[1]) <= exact and "The figures below count only ε = " in headline(app)


def gaussian_delta(mu: float, epsilon: float) -> float:
    """δ of Gaussian noise in closed form (Balle & Wang 2018, Thm 8)."""
    return float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def workspace_plan(app: AppTest) -> Plan:
    return app.session_state["document"].plan


def test_what_fits_goes_into_the_plan():
    """As many uses as fit beside the plan, which then is chosen along the way; undo returns to it."""
    app = opened(fsource=None, example="mobility")
    before = workspace_plan(app)
    assert any("**18** more fit" in each.value for each in app.markdown)
    app = pressed(app, "use_queries")
    after = workspace_plan(app)
    assert after.adaptive and after.releases[:-1] == before.releases
    assert after.releases[-1].count == 18 and after.releases[-1].mechanism == before.releases[0].mechanism
    assert app.button(key="use_queries").disabled
    assert [each.plan for each in app.session_state["history"].past] == [before]


def test_a_typed_budget_goes_into_the_plan():
    """It becomes the plan's; a second press has nothing to change."""
    app = pressed(opened(geps="2", gdelta="1e-9"), "use_budget")
    assert workspace_plan(app).budget == Guarantee(2, 1e-9) and app.button(key="use_budget").disabled
