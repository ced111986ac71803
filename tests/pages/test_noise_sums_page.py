"""The page on sums of noise, driven without a browser: the table, every section, extremes, hostile addresses."""

import json

import numpy as np
import pytest
from mpmath import mp
from streamlit.testing.v1 import AppTest

from dpviz.amplification import SHUFFLE_BOUNDS, amplify_by_shuffling
from dpviz.amplification.shuffling import no_amplification
from dpviz.mechanisms import Gaussian
from dpviz.noise_sums import mixture, noise_sum, secure_aggregation
from dpviz.rounding import shown_up
from dpviz.ui.noise_sums import answer as noise_sums_cache
from dpviz.ui.shell import shell
from tests.pages.workbench import headline

CLIENTS, MIXTURE, SHUFFLING, OPEN = "Secure aggregation", "Alone or aggregated", "Shuffling", "Still open"
# ε3 of the note's four pairs at δ = 1e-5, from the exact profile with 25 digits
NOTE = {"0.5 + 0.75": "0.416", "1 + 0.5": "0.447", "2 + 1": "0.894", "2 + 0.5": "0.485"}
CLASSICAL = [0.288586, 0.312228, 0.664748, 0.341122]
ANALYTIC = [0.404443, 0.436786, 0.871267, 0.479362]
ROUNDED_UP = 1.01e-4  # of four digits


def opened(**address: str) -> AppTest:
    """The page at an address."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/noise_sums.py")
    address = {"nsource": "Pairs of a note", **address}
    for name, value in address.items():
        app.query_params[name] = value
    app.query_params.setdefault("read", "numbers")
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error if "Something went wrong" in error.value]
    assert not app.warning
    assert "noises add up" in app.title[0].value
    return app


def spec(app: AppTest, place: int = 0) -> dict:
    return json.loads(app.get("plotly_chart")[place].proto.spec)


def numbers(values: object) -> np.ndarray:
    """A list as it is sent, its gaps as NaN."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def drawn(app: AppTest, place: int = 0) -> list[str]:
    return [trace["name"] for trace in spec(app, place)["data"]]


def answers(app: AppTest):
    """The table of pairs."""
    [found] = [each.value for each in app.dataframe if "standing" in each.value and "pair" in each.value]
    return found


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.caption))


@pytest.mark.parametrize(("calibration", "exact"), [("Classical", CLASSICAL), ("Analytic", ANALYTIC)])
def test_the_notes_table(calibration: str, exact: list[float]):
    """The rule to the note's printed digits, and beside it what its noises really give."""
    table = answers(opened(calib=calibration))
    assert {row.pair: row.rule[:5] for row in table.itertuples()} == NOTE
    assert [float(value) for value in table[calibration.lower()]] == pytest.approx(exact, abs=ROUNDED_UP)
    assert set(table.standing) == ({"proved"} if calibration == "Classical" else {"unproved"})


def test_typed_noises_are_paired():
    """Without an address the page has neutral values; every pair of a list is answered, a false rule is marked."""
    app = opened(nsource="Typed here", noises="20, 20, 1", calib="Classical")
    assert answers(app).pair.tolist() == ["20 + 20", "20 + 1", "20 + 1"]
    first = answers(app).iloc[0]
    assert first.standing == "false" and first.classical.endswith("✗") and "**false**" in headline(app)
    exact = noise_sum([20.0, 20.0], 1e-5, "lecture11").epsilon
    assert float(first.lecture11.rstrip(" ✗")) == pytest.approx(exact, rel=1e-3)


def test_it_starts_from_the_plan():
    """The Gaussian noise of the plan at the plan's δ; the noise of the sum goes into its release, sample and all."""
    app = opened(nsource="Current plan", example="federated-learning", section=CLIENTS, clients="4")
    sum_of_four = Gaussian(2.0).epsilon(1e-7)
    assert f"**ε = {shown_up(sum_of_four)}**" in headline(app)
    before = app.session_state["document"].plan
    app = whole(app.button(key="use_sum").click().run())
    [release] = app.session_state["document"].plan.releases
    assert release.mechanism.rate == 0.01 and release.mechanism.base.mu == pytest.approx(0.5, rel=1e-6)
    assert release.mechanism.base.mu >= 0.5  # never more noise than there is
    assert [each.plan for each in app.session_state["history"].past] == [before]


def test_a_plan_without_gaussian_noise_is_not_asked():
    """A fresh visit finds typed values, neither an empty page nor a note's."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    app.query_params["example"] = "mobility"
    app.run()
    app = whole(app.switch_page("pages/noise_sums.py").run())
    assert app.session_state["nsource"] == "Typed here" and "ε = 0.5 and 0.75" in headline(app)
    app = whole(app.button(key="show_note").click().run())
    assert answers(app).pair.tolist() == list(NOTE) and app.session_state["calib"] == "classical"


def test_the_map_outlines_what_is_proved():
    """The classical theorem reaches below 1, and fails in a corner; the target is a contour of the exact value."""
    names = ["exact ε₃", "rule false", "rule proved below 1", "target ε₃ = 0.4", "pairs of the table"]
    assert list(dict.fromkeys(drawn(opened()))) == names  # a white contour has an entry of its own in the legend
    app = opened(calib="Analytic", target="50")
    assert drawn(app) == ["exact ε₃", "pairs of the table"]
    assert "Nowhere is the rule proved" in said(app)


def test_the_rule_is_exact_for_mu():
    """The harmonic mean of the μ is 1/σ₃, to every digit shown."""
    [text] = [each.value for each in opened().markdown if "Exact for μ" in each.value]
    bold = text.split("**")
    assert bold[3] == bold[5]


def test_any_number_of_noises():
    """A list has the rule and the exact value; a bad one has a sentence."""
    app = opened(noises="1, 1, 1, 1", calib="Analytic", deltaeach="1e-5")
    assert "the rule says 0.5" in said(app)
    assert whole(app.text_input(key="noises").set_value("1, zero").run()).error


@pytest.mark.parametrize(("dropped", "colluding"), [(0, 0), (5, 10), (0, 99), (99, 0)])
def test_vantage_points(dropped: int, colluding: int):
    """The three promises follow from the core; with all but one lost, nothing is left but the local one."""
    app = opened(section=CLIENTS, calib="Analytic", dropped=str(dropped), colluding=str(colluding))
    values = [each.value.removeprefix("ε = ") for each in app.metric]
    exact = [secure_aggregation(1, 1e-5, 100, t, dropped).epsilon for t in (0, colluding)]
    assert values[:3] == [*map(shown_up, exact), "1"]
    assert (values[1] == "1") == (dropped + colluding == 99)
    assert "nσ²" in said(app) and "real protocols add integers" in said(app)
    assert drawn(app)[:3] == ["the note's σ²√n, exact", "rule ε/√honest", "exact"]


def test_more_lost_than_there_are():
    """More dropped and colluding than clients is refused by the rule."""
    app = opened(section=CLIENTS, dropped="60", colluding="60")
    assert "“Clients that collude” must be a whole number from 0 to 39, not 60" in app.error[0].value.replace("\\", "")


def test_fewer_clients_take_the_sliders_along():
    """Sliders end at one client less than there are; one client is no aggregation."""
    app = opened(section=CLIENTS, dropped="60", colluding="30")
    app = whole(app.text_input(key="clients").set_value("50").run())
    assert app.slider(key="dropped").value == 49
    app = whole(app.text_input(key="clients").set_value("1").run())
    assert not app.slider and app.metric[0].value == app.metric[2].value


@pytest.mark.parametrize("target", [0.4, 0.01, 1e-4])
def test_fewest_clients(target: float):
    """The number said is enough, and one client less is not."""
    fewest = noise_sums_cache.fewest_clients(1.0, 1e-5, target, 3, 4)
    assert secure_aggregation(1, 1e-5, fewest, 3, 4).epsilon <= target
    assert secure_aggregation(1, 1e-5, fewest - 1, 3, 4).epsilon > target


def test_the_mixture_leads_with_the_known_label():
    """Known 0.9533; hidden 0.3214 only around one centre, 0.7231 with centres 100 apart."""
    app = opened(section=MIXTURE, calib="Analytic")
    known, both, hidden = headline(app).split("**")[1::2]
    assert (known, both, hidden) == ("ε = 0.9533", "and", "0.3214")
    app = whole(app.text_input(key="gap").set_value("100").run())
    assert "**0.7231**, not 0.3214" in headline(app)
    assert mixture(1, 1e-5, 100, 0.5, known=False, centre_gap=100).epsilon == pytest.approx(0.723, abs=5e-4)


def test_the_notes_bounds_say_what_they_are_worth():
    """Each bound has its validity; where its step is false, that is said."""
    app = opened(section=MIXTURE, calib="Analytic")
    [table] = [each.value for each in app.markdown if each.value.startswith("| Bound")]
    assert "0.9533" in table and "is not met" in table and "less than the exact" in table
    note = ["3.2 as printed", "3.2 before its last step", "3.1: the larger ε"]
    assert drawn(app) == [*note, "label hidden", "label known", "p = 0.5"]
    alone = said(opened(section=MIXTURE, calib="Analytic", clients="1")).replace("\\", "")
    assert "e^x + e^y ≤ e^(x+y) is false here" in alone and "it needs (e^x - 1)(e^y - 1) ≥ 1" in alone


@pytest.mark.parametrize("reports", [1, 363, 364, 530, 531, 10_000])
def test_shuffling_claims_nothing_outside_its_region(reports: int):
    """Below 531 reports nothing is proved for any randomizer, below 364 for randomized response."""
    app = opened(section=SHUFFLING, reports=str(reports))
    general = amplify_by_shuffling(1, reports, 1e-5).epsilon
    assert bool(no_amplification(1, reports, 1e-5)) == (reports < 531)
    assert bool(no_amplification(1, reports, 1e-5, "shuffling_randomized_response")) == (reports < 364)
    assert shown_up(general) in headline(app)
    assert "**531** reports" in said(app) and "**364** reports" in said(app)
    lines = {trace["name"]: numbers(trace["x"]) for trace in spec(app)["data"] if trace["mode"] == "lines"}
    assert min(lines["any local randomizer"]) == 531 and min(lines["randomized response only"]) == 364


@pytest.mark.parametrize("reports", [1, 363, 364, 530, 531, 10_000])
def test_shuffling_summed_holds_everywhere(reports: int):
    """The sums are drawn from the first number of reports on, lead the answer, and stand in notes and sources."""
    app = opened(section=SHUFFLING, reports=str(reports))
    finding, figure = headline(app), spec(app)
    assert said(app).count("proved for every n") == 2 and "In closed form" in finding
    closed = [amplify_by_shuffling(1, reports, 1e-5, bound.key).epsilon for bound in SHUFFLE_BOUNDS[:2]]
    traces = {trace["name"]: trace for trace in figure["data"]}
    for bound, whom, most in zip(
        SHUFFLE_BOUNDS[2:], ("any local randomizer", "randomized response only"), closed, strict=True
    ):
        epsilon = amplify_by_shuffling(1, reports, 1e-5, bound.key).epsilon
        assert epsilon <= most and f"**{shown_up(epsilon)}**" in finding.replace("ε = ", "")
        line, here = traces[f"{whom}, numerical"], traces[f"{whom}, numerical, chosen n"]
        assert min(numbers(line["x"])) == min(10, reports) and line["line"]["dash"] in ("dash", "dot")
        assert numbers(here["y"]) == [epsilon] and "numerical: ε = " in line["hovertemplate"]
        assert any(bound.label in text.value and "proved for every n" in text.value for text in app.markdown)


def test_no_number_of_reports_hides_at_no_delta():
    """At δ = 0 no bound is proved, and the reason is said instead."""
    app = opened(section=SHUFFLING, deltaeach="0")
    assert "proved only for δ above 0" in headline(app) and "proved for every n" not in said(app)


def test_krum_is_open():
    """No bound is invented."""
    assert "KRUM: open" in said(opened(section=OPEN))


def test_no_gaussian_is_pure():
    """δ = 0 is refused with the rule, and one press leads on."""
    app = opened(deltaeach="0")
    assert "must be a number above 0 and below 1, not 0" in app.error[0].value.replace("\\", "")
    assert whole(app.button(key="use_delta").click().run()).get("plotly_chart")


def test_words_speak_of_the_noise_rather_than_of_its_pair():
    """Two normal distributions 1 apart are told apart best at their middle, with probability Φ(1/2σ)."""
    with mp.workdps(30):
        unit = mp.sqrt(2 * mp.log(mp.mpf("1.25") / mp.mpf("1e-5")))
        right = 100 * mp.ncdf(1 / (2 * unit * 10))
    app = opened(read="people")
    finding = headline(app)
    shown = float(finding.split("right in at most **")[1].split("**")[0])
    assert right <= shown <= right + 1
    assert "of 100 cases" in finding and "ε" not in finding and not app.tabs and not app.latex


EXTREMES = [
    {"deltaeach": "0.5", "calib": "Analytic"},
    {"deltaeach": "0.5", "calib": "Lecture 11", "target": "1e-6"},
    {"deltaeach": "1e-30", "target": "50"},
    {"section": CLIENTS, "deltaeach": "0.5", "epsc": "1e-6", "clients": "1000000", "dropped": "999998"},
    {"section": CLIENTS, "deltaeach": "1e-30", "epsc": "50", "clients": "1"},
    {"section": MIXTURE, "deltaeach": "0.5", "epsc": "1e-6", "clients": "1", "p": "0"},
    {"section": MIXTURE, "deltaeach": "1e-30", "epsc": "50", "clients": "1000000", "p": "1"},
    {"section": SHUFFLING, "deltaeach": "1e-30", "local": "50", "reports": "1"},
    {"section": SHUFFLING, "deltaeach": "0", "local": "0", "reports": "1000000000000"},
]


@pytest.mark.parametrize("address", EXTREMES, ids=str)
def test_extremes_are_drawn(address: dict[str, str]):
    """No exception and no empty chart at the ends of what can be typed."""
    app = opened(**address)
    sizes = [np.size(trace["z"] if "z" in trace else trace["x"]) for trace in spec(app)["data"]]
    assert max(sizes) > 0


@pytest.mark.parametrize(
    "address",
    [
        {"calib": "<script>", "deltaeach": "nan", "target": "-1", "section": "💥"},
        {"section": CLIENTS, "clients": "-3", "dropped": "1e9", "colluding": "x"},
        {"section": MIXTURE, "p": "7", "gap": "inf"},
        {"noises": "<img src=x onerror=alert(1)> $$\\frac{"},
    ],
    ids=str,
)
def test_a_bad_address_falls_back(address: dict[str, str]):
    """Nonsense in the address leaves a working page, and nobody's markup on it."""
    app = opened(**address)
    assert app.get("plotly_chart")
    texts = [each.value for each in (*app.markdown, *app.error, *app.caption)]
    assert not any("<img" in text.replace("\\<", "") for text in texts)


def test_every_statement_has_its_source():
    """The expander has a formula for each statement, calibration and bound."""
    assert len(opened(section=OPEN).latex) == 12
