"""Reports: the numbers of the core under stable names, as a page without scripts and as JSON."""

import json
import math
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled, compare, compose, report
from dpviz.composition import THEOREMS
from dpviz.composition.compose import NO_DELTA
from dpviz.composition.spend import savings
from dpviz.effort import MOST_QUOTED
from dpviz.mechanisms import KaryRandomizedResponse, TrainedModel
from dpviz.plain import SYMBOLS, in_plain_words
from dpviz.plan import Answers, Uncounted
from dpviz.plan.disclosure import NOT_STATED
from dpviz.plan.document import OWN
from dpviz.planning import schedule
from dpviz.planning.advice import Finding, check_named, checks
from dpviz.planning.advice.finding import FAULT, QUESTION
from dpviz.planning.scenario import risk
from dpviz.planning.schedule import own_period, spending, totals
from dpviz.report import facts as report_facts
from dpviz.report import words
from dpviz.report.charts import bars, steps
from dpviz.report.facts import facts
from dpviz.report.figures import APART, cases_but
from dpviz.report.said import rows_taken_once
from dpviz.report.subject import Subject
from dpviz.rounding import (
    shown_error,
    shown_right,
    shown_sureness,
    shown_total,
    shown_up,
    shown_used,
)
from tests.effort import examples
from tests.strategies import MECHANISMS, WHOLE_DELTAS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MONTH = Plan.read(EXAMPLES / "mobility-30-days.json")
DASHBOARD = Plan.read(EXAMPLES / "weekly-dashboard.json")
FIELDS = {
    "dpviz_report", "dpviz", "plan", "promise", "total", "pure", "budget", "filters", "theorems", "errors", "risk",
    "checks", "published", "comparison", "exhausted", "one_unit", "left_out", "assumptions", "address", "document",
    "quotients", "bracket", "parameters", "over_time", "disclosure", "not_covered", "digest", "open_questions",
    "savings",
}  # fmt: skip
HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><b>", "javascript:alert(1)", "&lt;"]


class Elements(HTMLParser):
    """What a page is made of: elements, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data.replace("\u00a0", " ")


def test_the_numbers_are_those_of_the_core():
    """Total, pure total, theorem and date stand in the facts as the core computes them."""
    told = facts(Subject(MONTH))
    assert set(told) == FIELDS
    assert told["total"]["epsilon"] == compose(MONTH, 1e-6, told["total"]["theorem"]).epsilon
    assert told["pure"]["epsilon"] == 79.2
    assert [row["epsilon"] for row in told["theorems"]] == compare(MONTH, 1e-6).epsilon.tolist()
    assert Plan.from_json(json.dumps(told["plan"])) == MONTH


def test_the_total_of_the_plan_is_handed_on(monkeypatch):
    """The forecast ends at the total that is quoted, and composes the whole plan no second time."""
    for module in (spending, totals):
        monkeypatch.setattr(module, "compose", lambda *_, **__: pytest.fail("composed again"))
    told = facts(Subject(DASHBOARD))
    assert told["exhausted"]["spent"][-1]["epsilon"] == told["total"]["epsilon"]
    assert told["exhausted"]["date"] == "2026-08-31"
    assert schedule.forecast(DASHBOARD, 4, told["total"]["epsilon"]).epsilon.iloc[-1] == told["total"]["epsilon"]
    with pytest.raises(ValueError, match=r"^total must be in \[0, inf\]; got nan$"):
        schedule.forecast(DASHBOARD, 4, math.nan)


@pytest.mark.parametrize("plan", [MONTH, DASHBOARD], ids=["month", "dashboard"])
def test_page_and_json_say_the_same(plan):
    """Every total that the JSON holds stands on the page, rounded up."""
    told, page = json.loads(report.as_json(Subject(plan, MONTH))), Elements(report.html(Subject(plan, MONTH))).text
    assert shown_total(told["total"]["epsilon"], plan.budget.epsilon) in page
    for row in told["theorems"]:
        assert row["label"] in page and (not row["applies"] or shown_total(row["epsilon"], plan.budget.epsilon) in page)
    for row in told["errors"]:
        assert row["release"] in page and f"±{shown_error(row['half_width'])}" in page
    right = shown_up(50 * (1 + told["risk"]["advantage"]), 3)
    assert f"in at most {shown_right(float(right))} of 100 guesses" in page
    for sentence in (*told["assumptions"], *(each["sentence"] for each in told["checks"])):
        assert sentence in page


def test_people_read_one_page_without_symbols_and_theorems():
    """What is used of the budget, the odds and the errors; the JSON and the page for others hold the rest."""
    subject = Subject(MONTH, people=True)
    page = Elements(report.html(subject)).text
    assert not SYMBOLS.search(page.split("\n}")[-1]) and not any(each.label in page for each in THEOREMS)
    share = math.ceil(1000 * compose(MONTH, MONTH.budget.delta).epsilon / MONTH.budget.epsilon) / 10
    assert f"at most {share:g} % of what is allowed" in page and "about 100" not in page
    assert report.as_json(subject) == report.as_json(Subject(MONTH))
    assert THEOREMS[0].label in Elements(report.html(Subject(MONTH))).text


SURVEY = Plan(
    [Release("Pay", Laplace(10.0, 1), kind="sum"), Release("Daily visits", Laplace(10.0, 1))], Guarantee(1.0, 1e-6),
    unit="person", relation="add_remove", population=2000,
)  # fmt: skip


def test_the_release_that_an_attacker_learns_most_from_need_not_be_the_dearest():
    """Told of the one without which fewest guesses are right, beside the dearest; people read of the dearest alone."""
    plan = Plan(
        [Release("Bars", Gaussian(4.0, 1), 2), Release("One question", RandomizedResponse(1.0))], Guarantee(2.0, 1e-9)
    )  # fmt: skip
    told, right = facts(Subject(plan)), [100 * (1 + risk(plan.without(row))[0].number) / 2 for row in (0, 1)]
    assert told["savings"][0]["share"] > told["savings"][1]["share"] and right[1] < right[0]
    least, rest = (shown_right(each) for each in reversed(right))
    now = shown_right(100 * (1 + risk(plan)[0].number) / 2)
    without = f"it stays at {now}" if rest == now else f"at most {rest} are right"
    learned = (
        f"Leaving out “One question” would hinder an attacker most: then at most {least} of 100 guesses would be right"
        f", and not {now}. Without “Bars”, which saves most budget, {without}."
    )
    before = replace(plan, releases=(replace(plan.releases[0], count=1), plan.releases[1]))
    assert learned in report.markdown(Subject(plan, before))
    page = report.markdown(Subject(plan, before, people=True))
    assert "hinder an attacker" not in page and page.count("Leaving out ") == 1 == page.count("Leaving out “Bars”")
    was, now = (shown_right(100 * (1 + risk(each)[0].number) / 2) for each in (before, plan))
    assert "Compared with plan A" in page
    assert f"| Right guesses of an attacker, of 100 at most | {was} | {now} |" in page
    over = [", which is exceeded" * (compose(each, 1e-9).epsilon > 2) for each in (before, plan)]
    assert over[1] and f"| Allowed | 2{over[0]} | 2{over[1]} |" in page
    sized = [replace(each, releases=[replace(row, typical=100) for row in each.releases]) for each in (plan, before)]
    assert "| Bars: off by at most | 7.84 (7.84 %) | 7.84 (7.84 %) |" in report.markdown(Subject(*sized, people=True))
    assert "| Bars: off by at most | 7.84 | 7.84 |" in page and "| Bars: how many times | 1 | 2 |" in page
    assert "One question: how many times" not in page and not SYMBOLS.search(page)
    assert "Compared with plan A" not in report.markdown(Subject(plan, people=True))
    other = report.markdown(Subject(plan, replace(before, unit="household", budget=Guarantee(2.0, 0.0)), people=True))
    assert "promises about different things: not to be subtracted." in other and "| no bound |" in other
    assert "| Allowed | 2, which is exceeded | 2, which is exceeded |" in other
    assert "| It holds | without exception | except with a chance of at most 1 in 1,000,000,000 |" in other


def test_people_read_what_saves_most_and_why_an_error_is_not_told():
    """The release that saves most by its share, as the screen tells it; no row of errors is a dash."""
    plan = Plan([Release("Often", Laplace(10, 1), 3), Release("One question", RandomizedResponse(0.1))],
                Guarantee(math.inf, 0.0), unit="person")  # fmt: skip
    told = facts(Subject(plan))["savings"]
    assert [each["release"] for each in told] == ["Often", "One question"]
    assert [each["share"] for each in told] == [each.share for each in savings(plan, plan.budget.delta)]
    page = report.markdown(Subject(plan, people=True))
    assert "Leaving out “Often” would take the most off what is lost: 75.0 % of what these releases cost." in page
    limited = report.markdown(Subject(replace(plan, budget=Guarantee(0.5, 0.0)), people=True))
    assert "“Often” would free the most budget: then at most 20 %" in limited
    assert "52.5 of 100 answers stay as given" in page and "| – |" not in page
    alone = Plan([Release("Often", Laplace(10, 1), 3)], unit="person")
    assert "Leaving out" not in report.markdown(Subject(alone, people=True))


def test_a_question_says_what_its_answer_costs():
    """A lower chance of failure takes the plan over its budget: that stands beside the question."""
    plan = Plan([Release("Pay", Gaussian(4.0, 1))], Guarantee(1.25, 1e-6), unit="person", population=480_000)
    [asked] = [each for each in facts(Subject(plan))["open_questions"] if each["check"] == "delta_people"]
    assert asked["settled_epsilon"] == compose(plan, 2e-8).epsilon > 1.25 > compose(plan, 1e-6).epsilon
    page = report.markdown(Subject(plan, people=True)).replace("\\", "")
    used = shown_used(asked["settled_epsilon"], 1.25)
    after = f"then at most {used} of what is allowed is used, which is too much"
    assert f"What would settle it: Lower chance of failure to 1 in 50,000,000; {after}." in page


@pytest.mark.parametrize("people", [True, False])
@pytest.mark.parametrize("form", [report.html, report.markdown])
def test_what_is_open_stands_beneath_the_verdict(form, people: bool):
    """Every check that asks is named before anything else is said, and what it asks is the check's own sentence."""
    told = facts(Subject(SURVEY))
    asked = list(dict.fromkeys(each.check for each in checks(SURVEY) if each.severity == QUESTION))
    assert [each["check"] for each in told["open_questions"]] == asked and {"sensitivity", "repetition"} <= set(asked)
    page = form(Subject(SURVEY, people=people))
    top = page[: page.index("What an attacker could learn" if people else "The promise")].replace("\\", "")
    assert "Open questions before this is relied on:" in top
    for each in told["open_questions"]:
        assert each["sentence"] == check_named(each["check"]).why.format(unit="person")
        assert (each["sentence"] in top) == people
        assert (in_plain_words(each["question"]) if people else each["question"]) in top
    assert people == ("can change? (“Pay”)" in top) and NOT_STATED in page
    assert ("values whose limits are" if people else "values clipped to:") in page
    answered = replace(SURVEY, releases=(Release("Visitors", Laplace(10.0, 1)),), budget=Guarantee(1.0, 0.0))
    assert facts(Subject(answered))["open_questions"] == []
    assert "Open questions" not in form(Subject(answered, people=people))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (SURVEY, "use at most 20 % of what is allowed for one person."),
        (SURVEY, "What is allowed, and promised, is a privacy loss (epsilon) of at most 1, which lets a suspicion of "
                 "50 % that one person is in the data grow to at most 73.2 %. Chance that the promise fails (delta): 1 "
                 "in 1,000,000. People in the data: 2,000."),
        (replace(SURVEY, budget=Guarantee(0.1, 0.0)), "What is allowed is a privacy loss (epsilon) of at most 0.1."),
        (replace(SURVEY, budget=Guarantee(0.2, 0.0), population=None),
         "loss (epsilon) of at most 0.2. Chance that the promise fails (delta): none. People in the data: not stated."),
        (replace(SURVEY, budget=Guarantee(math.inf, 0.0)), "at most 0.2; no budget is set."),
        (replace(SURVEY, budget=Guarantee(0.0, 0.0)), "the privacy budget: nothing is allowed for one person."),
        (Plan([Release("x", Gaussian(1.0, 1))], Guarantee(1.0, 0.0)), "of one unit: no bound; allowed: 1. People "),
        (Plan([Release("x", Laplace.from_epsilon(0.5), start="2026-01-01", cadence="daily", end="2026-12-31")],
              Guarantee(1.0, 0.0), unit="user-day"),
         "of at most 1, which lets a suspicion of 50 % that one user is in the data of a day grow to at most "
         "73.2 %. All dates together: at most 182.5 for one user."),
    ],
)  # fmt: skip
def test_people_read_how_much_of_which_budget(plan: Plan, said: str):
    """Loss and budget by number, how often the promise may fail, and how many people are in the data."""
    assert said in Elements(report.html(Subject(plan, people=True))).text


def test_the_average_and_the_surest_are_told_apart():
    """Of a pair of answers that tell the same whatever they are, both are the same number: the worst tells no more."""
    plan = Plan([Release("x", RandomizedResponse(1.0))], Guarantee(1.0, 0.0))
    share = math.e / (1 + math.e)
    page = Elements(report.html(Subject(plan, people=True))).text
    assert f"at most {shown_right(100 * share)} of 100 guesses on average; a coin toss in 50." in page
    grows = "A suspicion of 50 % that one unit is in the data (in a survey: of what was answered) grows to at most"
    assert f"{grows} {shown_up(100 * share, 3)} % in all cases." in page.replace("\u00a0", " ")
    assert "99 of 100" not in page and "holds in all" not in page


BOUNDED = 1.02  # how much above the quantile of a loss its bound is, which goes by δ at all losses


@pytest.mark.parametrize(("sigma", "delta"), [(20.0, 1e-4), (1.0, 1e-6), (0.5, 1e-3), (100.0, 1e-9)])
def test_rare_results_tell_more_than_most_by_the_law_of_the_loss(sigma, delta):
    """Gaussian noise has no worst result: its loss is normal, and exceeds its mean by a normal quantile so rarely."""
    plan = Plan([Release("x", Gaussian(sigma, 1.0))], Guarantee(99.0, delta))
    told = facts(Subject(plan))["risk"]
    mean = 1 / (2 * sigma**2)
    rare = max(delta, 1e-6)  # as often as δ, a loss may pass the total's ε
    assert told["rarest"]["probability"] == rare
    for probability, found in ((0.01, told["sureness"][-1]["after"]), (rare, told["rarest"]["after"])):
        loss = mean + NormalDist().inv_cdf(1 - probability) / sigma
        surely = 1 / (1 + math.exp(-loss))
        assert surely * (1 - 1e-9) <= found <= surely * BOUNDED
    page = report.markdown(Subject(plan, people=True))
    rarest = shown_sureness(told["rarest"]["after"])
    few = shown_sureness(told["sureness"][-1]["after"])
    usual = f"A suspicion of 50 % that one unit is in the data grows to at most {few} in 99 of 100 cases"
    assert f"{usual} and to at most {rarest} in {cases_but(rare)}." in page
    allowed = "is a privacy loss (epsilon) of at most 99, which lets a suspicion of 50 % that one unit is in the data "
    allowed += "grow to at most"
    less = told["rarest"]["after"] < 1 - APART
    assert (allowed in page) == less, "where these releases let it grow less, and not nearly as far"
    often = report.markdown(Subject(replace(plan, budget=Guarantee(99.0, 0.1)), people=True))
    assert "One case in a hundred may tell more." in often


@pytest.mark.parametrize(("host", "near"), [("http://127.0.0.1:8610", True), ("http://localhost:8501", True),
                                            ("https://dpviz.example.org", False)])  # fmt: skip
def test_a_link_that_others_cannot_open_says_so(host: str, near: bool):
    page = report.html(Subject(Plan([]), address=f"{host}/?plan=x"))
    assert f'href="{host}/?plan=x"' in page and ("on the machine that made this report only" in page) == near


def test_rows_that_do_not_count_are_named():
    """A report of a table with a row that makes no release says so, in both forms; the text stays text."""
    plan, row = Plan([Release("Count", Laplace(10.0, 1))]), Uncounted(1, (("name", "<Survey>"), ("epsilon", "0,05")))
    assert json.loads(report.as_json(Subject(plan, left_out=(row,))))["left_out"] == ["row 2, “<Survey>”"]
    assert "<b>Not counted:</b> row 2, “&lt;Survey&gt;”." in report.html(Subject(plan, left_out=(row,)))
    assert "Not counted" not in report.html(Subject(plan))
    assert json.loads(report.as_json(Subject(plan)))["left_out"] == []


@pytest.mark.parametrize("people", [False, True])
def test_no_plan_is_within_its_budget_whose_rows_do_not_all_count(people: bool):
    """What is counted may be within it; what exceeds it without them exceeds it. Without them it is as ever."""
    plan, row = Plan([Release("Count", Laplace(10.0, 1), 2)], Guarantee(1.0)), Uncounted(1, (("name", "Survey"),))
    page = Elements(report.html(Subject(plan, left_out=(row,), people=people))).text
    assert "The plan is not complete" in page and not re.search("Within the (privacy )?budget", page)
    assert json.loads(report.as_json(Subject(plan, left_out=(row,))))["budget"]["within"] is None
    fault = replace(plan, releases=(replace(plan.releases[0], name="Visits of each"),), unit="person", population=99)
    fault = replace(fault, answers=Answers(rows_per_unit=3))
    assert any(each.severity == FAULT for each in checks(fault))
    page = Elements(report.html(Subject(fault, left_out=(row,), people=people))).text
    assert "cannot be said" in page and "what is counted of it uses" not in page, "it is another plan's number"
    small = replace(plan, budget=Guarantee(0.1))
    page = Elements(report.html(Subject(small, left_out=(row,), people=people))).text
    assert re.search("ore than the (privacy )?budget", page) and "not complete" not in page
    assert json.loads(report.as_json(Subject(small, left_out=(row,))))["budget"]["within"] is False
    page = Elements(report.html(Subject(plan, people=people))).text
    assert re.search("ithin the (privacy )?budget", page) and "not complete" not in page


def test_randomized_answers_stand_beside_plan_a_by_how_many_stay_true():
    """Of a sample, those of who is drawn; of more than two answers, or another mechanism in its place, none is told."""
    a, b = (
        Plan([
            Release("Asked", RandomizedResponse(epsilon)),
            Release("Sampled", Subsampled(RandomizedResponse(epsilon), 0.1, "poisson")),
            Release("Of five", KaryRandomizedResponse(epsilon, 5)),
            Release("Counted", Laplace.from_epsilon(epsilon) if epsilon == 1.0 else RandomizedResponse(epsilon)),
        ])
        for epsilon in (1.0, 0.3)
    )  # fmt: skip
    page = report.markdown(Subject(b, a, people=True))
    for name in ("Asked", "Sampled"):
        assert f"| {name}: answers that stay as given, of 100 | 73.1 | 57.4 |" in page
    assert "Of five: answers" not in page and "| Counted: answers that stay as given, of 100 | – | 57.4 |" in page


def test_what_a_filter_keeps_within_the_budget_is_not_called_without_bound():
    """Gaussian noise chosen along the way has no sum; the filter that admits all bounds the attacker, too."""
    plan = Plan([Release("g", Gaussian(10.0, 1), 3, kind="count")], Guarantee(1.0, 1e-6), adaptive=True)
    told = json.loads(report.as_json(Subject(plan, plan)))
    compared = {row["quantity"]: row for row in told["comparison"]["total"]}
    assert told["total"]["epsilon"] is None and told["risk"]["basis"] == compared["advantage"]["b_note"]
    assert told["risk"]["advantage"] == compared["advantage"]["b"] < 0.463 and compared["epsilon"]["b"] == 1.0
    page = report.markdown(Subject(plan))
    assert "**Within** the budget of ε = 1, where a filter with it" in page and "**More than**" not in page
    assert "Nothing bounds" not in report.markdown(Subject(plan, people=True))


def test_people_read_when_more_is_used_than_is_allowed():
    """On the first date beyond; of a plan that stays within, nothing is said of it."""
    daily = Release("x", Laplace.from_epsilon(0.5), start="2026-01-01", cadence="daily", end="2026-01-31")
    said = "From 3 January 2026 on they use more than is allowed."
    for limit, told in ((1.0, True), (20.0, False)):
        assert (said in report.markdown(Subject(Plan([daily], Guarantee(limit, 0.0)), people=True))) == told


def test_a_fault_stands_beside_the_total_and_decides_against_a_verdict(monkeypatch):
    """Nothing is said to be within the budget where the total is another one than the plan costs."""
    bars = Release("Ages", Laplace.from_epsilon(0.1), kind="histogram")
    plan = Plan([bars], Guarantee(1, 0.0), relation="replace_one")
    fault = Finding("parts", "“Ages” reads people twice.", severity=FAULT)
    replaced = {"replace_one": (fault,)}
    monkeypatch.setattr(report_facts, "checks", lambda plan: (*replaced.get(plan.relation, ()), *checks(plan)))
    page, told = report.html(Subject(plan)), facts(Subject(plan))
    finding, fault = page.split('<p class="finding">')[1:3]
    assert "Whether that is within the budget of ε = 1 cannot be said." in finding and "Within" not in finding
    assert fault.startswith("<b>Not what this plan costs:</b> “Ages” reads people twice.")
    assert told["budget"] == {"epsilon": 1.0, "delta": 0.0, "within": None}
    assert {each["severity"] for each in told["checks"]} == {"fault", "question"}
    assert "<td role=cell data-head=\"Value\">not stated</td>" in page and "per unit</title>" in page
    mended = replace(plan, relation="add_remove")
    assert facts(Subject(mended))["budget"]["within"] is True and "Not what" not in report.html(Subject(mended))


def test_links_of_checks_need_no_dashboard():
    """A link leads to a source; what a page explains has none, since a report does not know where that page is."""
    found = facts(Subject(Plan([Release("Daily visits", Laplace(10, 1))], unit="row")))["checks"]
    assert {each["check"]: each["link"][:8] for each in found} == {
        "delta_people": "https://", "relation": "https://", "unit": "https://", "repetition": "",
    }  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_the_plan_stays_text(text):
    """Names, parts, units and addresses make no element, no attribute and no link."""
    plan = Plan([Release(text, Laplace(1.0, 1)), Release(text, Gaussian(3.0, 1), part=text)], unit=text)
    clean = Plan([Release("x", Laplace(1.0, 1)), Release("x", Gaussian(3.0, 1), part="x")], unit="x")
    page, usual = Elements(report.html(Subject(plan, clean, text))), Elements(report.html(Subject(clean, clean, "x")))
    assert page.tags == usual.tags
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href")]
    assert text in page.text


def test_the_page_runs_nothing_and_fetches_nothing():
    """No script, no image, no foreign address but the link to the plan."""
    page = Elements(report.html(Subject(DASHBOARD, MONTH, "https://example.org/?plan=1.x")))
    assert not {"script", "img", "iframe", "object", "link", "form"} & set(page.tags)
    assert [value for name, value in page.attributes if name in ("src", "href")] == ["https://example.org/?plan=1.x"]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes


def test_charts_say_in_words_what_they_show():
    """Each drawing has its alternative text with the numbers."""
    names = [value for name, value in Elements(report.html(Subject(DASHBOARD))).attributes if name == "aria-label"]
    assert len(names) == 2
    assert "Tight accounting 5.072" in names[0] and "ε = 5.072 at the end" in names[1]


@pytest.mark.parametrize(
    "plan",
    [
        Plan(()),
        Plan([Release("x", Gaussian(1e-3, 1))], Guarantee(0.0, 0.0)),
        Plan([Release("x", Laplace.from_epsilon(50.0), 10**6)], Guarantee(math.inf, 1e-30)),
        Plan([Release("x", RandomizedResponse(1e-6), 0)], Guarantee(1.0, 0.5)),
        Plan([Release("x", Laplace(1.0, 1), done=True), Release("y", Gaussian(9.0, 1))], Guarantee(1.0, 1e-9)),
        Plan([Release("x", Laplace(1.0, 1), start=date(2026, 1, 1))], Guarantee(0.5, 0.0)),
        Plan([Release("x", Gaussian(1.0, 1), start=date(2026, 1, 1))], Guarantee(0.5, 0.0)),
        Plan([Release("x", Laplace(1.0, 1), start=date(2026, 1, 1))], Guarantee(0.5, 1.0)),
        Plan([Release("x", Laplace(1.0, 1), part="a"), Release("y", Laplace(2.0, 1), part="b")], Guarantee(1.0, 1e-6)),
    ],
    ids=["empty", "no bound", "huge", "unused", "done", "dated", "dated, no bound", "nothing promised", "parts"],
)
def test_corners_are_answers(plan):
    """Every plan has a report; where there is no number there is a reason."""
    told = json.loads(report.as_json(Subject(plan)))
    assert told["total"]["epsilon"] is not None or told["total"]["reason"]
    assert "nan" not in report.html(Subject(plan)).lower().replace("finance", "")


@examples(6)
@given(st.lists(st.builds(Release, st.just("r"), MECHANISMS, st.integers(0, 50)), max_size=3), WHOLE_DELTAS)
def test_a_report_is_never_below_the_core(releases, delta):
    """The number in the report is the smallest that applies, never less; within budget is said only where it is."""
    plan = Plan(releases, Guarantee(1.0, delta))
    told = facts(Subject(plan))
    frame = compare(plan, delta)
    least = min(frame[frame.applies].epsilon, default=math.inf)
    assert told["total"]["epsilon"] == (None if math.isinf(least) else least)
    assert told["budget"]["within"] is (least <= 1.0)


def test_a_budget_per_day_is_held_against_one_day():
    """A year of daily releases is within the budget of a user-day, which bounds no person: no date exceeds it."""
    daily = Release("x", Laplace.from_epsilon(0.5), start="2026-01-01", cadence="daily", end="2026-12-31")
    plan = Plan([daily], Guarantee(1.0, 0.0), unit="user-day")
    told, text = facts(Subject(plan)), Elements(report.html(Subject(plan))).text
    assert told["one_unit"] == {
        "window": "day", "start": "2026-01-01", "end": "2026-01-01", "epsilon": 0.5, "whose": "user"
    }  # fmt: skip
    assert told["budget"]["within"] is True and told["exhausted"]["date"] is None
    assert "one user-day, by the releases of one day and what comes less often: ε ≤ 0.5" in text
    assert "Within the budget of ε = 1 per user-day; no budget is stated for one user over all dates." in text
    assert "xceeded" not in text and own_period("day") in text
    dear = replace(plan, releases=(replace(daily, count=3),))
    assert facts(Subject(dear))["budget"]["within"] is False
    assert "More than the budget" in Elements(report.html(Subject(dear))).text
    person = facts(Subject(replace(plan, unit="person")))
    assert person["one_unit"] is None and person["exhausted"]["date"] == "2026-01-03"


def test_an_adaptive_plan_names_the_filter_that_admits_it():
    """What adding up does not prove, a filter with the same budget may promise."""
    plan = Plan([Release("x", Laplace.from_epsilon(0.01), 300)], Guarantee(1.0, 1e-6), adaptive=True)
    told = facts(Subject(plan))
    assert told["total"]["theorem"] == "basic" and told["budget"]["within"] is False
    assert "Fully adaptive" in Elements(report.html(Subject(plan))).text
    assert facts(Subject(replace(plan, adaptive=False)))["filters"] == []


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("kind", [Laplace(1.0, 1), Gaussian(9.0, 1)], ids=["laplace", "gaussian"])
def test_a_budget_with_delta_1_has_facts(kind, adaptive):
    """No total, no theorem and no filter holds anything there, and the reason stands beside each."""
    plan = Plan([Release("x", kind, 3, start=date(2026, 1, 1))], Guarantee(1.0, 1.0), adaptive=adaptive)
    told = facts(Subject(plan, plan))
    assert set(told) == FIELDS and "NaN" not in json.dumps(told)
    assert told["total"]["epsilon"] is None and told["total"]["reason"] == NO_DELTA
    assert told["budget"]["within"] is False and told["exhausted"]["date"] == "2026-01-01"
    assert {row["reason"] for row in told["theorems"]} == {NO_DELTA}
    assert {(row["admitted"], row["whole"], row["reason"]) for row in told["filters"]} == (
        {(0, False, NO_DELTA)} if adaptive else set()
    )


def test_facts_of_very_many_mechanisms():
    """No theorem is left out; the advantage is that of the releases themselves, and the total is the smallest."""
    kinds = [Laplace.from_epsilon(round(0.05 + n * 1e-4, 6)) for n in range(MOST_QUOTED + 5)]
    plan = Plan([Release("x", kind) for kind in kinds], Guarantee(3.0, 1e-6))
    told, total = facts(Subject(plan)), compose(plan, 1e-6).epsilon
    rows = {row["theorem"]: row for row in told["theorems"]}
    assert all(row["applies"] for row in rows.values())
    assert told["total"]["epsilon"] == total <= rows["optimal"]["epsilon"]
    assert told["pure"]["epsilon"] == compose(plan, 0.0).epsilon and told["pure"]["kind"] == "exact"
    assert told["risk"]["basis"] == "from the privacy loss of the releases" and 0 < told["risk"]["advantage"] < 1


def test_drawings_of_nothing():
    """Charts without length are still drawings."""
    assert "<svg" in bars([], None, "none") and "<svg" in bars([("a", 0.0, "0")], 0.0, "zero")
    assert steps([("2026-01-01", None)], 1.0, "no bound") == ""


OFFICE = Plan.read(EXAMPLES / "statistics-office.json")


def test_the_title_names_the_plan_its_author_and_the_day():
    """Only what is known; the same plan on the same day gives the same page, to the letter."""
    page = report.html(Subject(OFFICE, name="Year 2026", author="<Unit 4>", on="2026-11-22"))
    assert '<p class="by">Year 2026 · by &lt;Unit 4&gt; · 22 November 2026</p>' in page
    assert "<title>Year 2026: privacy budget per person-year</title>" in page
    assert page == report.html(Subject(OFFICE, name="Year 2026", author="<Unit 4>", on=date(2026, 11, 22)))
    bare = report.html(Subject(OFFICE, name=OWN))
    assert 'class="by"' not in bare and "<title>Privacy budget per person-year</title>" in bare and OWN not in bare
    told = json.loads(report.as_json(Subject(OFFICE, name="Year 2026", author="Unit 4", on=date(2026, 11, 22))))
    assert told["document"] == {"name": "Year 2026", "author": "Unit 4", "date": "2026-11-22"}
    assert facts(Subject(OFFICE, name=OWN))["document"] == {"name": "", "author": "", "date": None}
    with pytest.raises(ValueError, match="on must be a date"):
        report.html(Subject(OFFICE, on="today"))


def cells(page: str, head: str) -> list[str]:
    """What stands in the cells under this head, in every table that has it."""
    found, wanted = [], ("data-head", head.replace(" %", "\u00a0%"))

    class Cells(HTMLParser):
        inside = False

        def handle_starttag(self, tag, attrs):
            self.inside = wanted in attrs
            found.extend([""] * self.inside)

        def handle_endtag(self, tag):
            self.inside = self.inside and tag != "td"

        def handle_data(self, data):
            if self.inside:
                found[-1] += data.replace("\u00a0", " ")

    Cells().feed(page)
    return found


def test_a_note_stands_in_the_column_of_notes():
    """Not unbroken in a column of numbers, which would push the others off the page."""
    page = report.html(Subject(OFFICE))
    reason = "a share is off by up to about 0.272 points if 480,000 answer; 73.1 of 100 answers stay as given"
    assert cells(page, "Note") == ["in persons", "in euros", "in points", "in persons", reason, "in persons"]
    assert cells(page, "Expected error")[4] == cells(page, "95 % within")[4] == "–"


def test_what_is_the_same_is_no_change():
    """Of two plans that differ in nothing but a number of uses."""
    once = Plan([Release("x", Laplace(10.0, 1), 3)], Guarantee(1.0, 1e-6), population=9)
    more = replace(once, releases=(Release("x", Laplace(10.0, 1), 2500),))
    found = dict(zip(cells(report.html(Subject(more, once)), "B − A"), range(9), strict=False))
    assert {"no change", "+2,497"} <= set(found) and "+0" not in found
    assert set(cells(report.html(Subject(once, once)), "B − A")) == {"no change"}


def test_words_of_files_become_words_of_people():
    """Keys, dates and numbers of the file stand in the JSON only."""
    without_means = tuple(each for each in OFFICE.releases if each.kind != "mean")  # which need one that is replaced
    page = Elements(report.html(Subject(replace(OFFICE, relation=None, releases=without_means)))).text
    assert "one person-year is added or removed (not stated: the one in force)" in page
    page = report.html(Subject(OFFICE))
    for text in ("Laplace noise", "Gaussian noise", "Randomized response", "mean, values clipped to 0 to 12,000 euros",
                 "survey answer", "typically 17,500 persons", "every month from 31 January 2026 to 31 December 2026",
                 "on 15 September 2026", "one person-year is replaced by another (stated)"):  # fmt: skip
        assert text in page, text
    for raw in ("laplace", "randomized_response", "replace_one", "add_remove", "cadence", "2026-0", "17500", "12000.0"):
        assert raw not in page, raw
    assert "The budget is exceeded on 31 August 2026." in report.html(Subject(DASHBOARD))
    assert "What it is" in cells_heads(report.html(Subject(OFFICE))) and "kind" in report.as_json(Subject(OFFICE))


def cells_heads(page: str) -> set[str]:
    return {value for name, value in Elements(page).attributes if name == "data-head"}


def test_what_nobody_has_told_takes_no_column():
    """A plan without kinds and bounds has no column of them beside its noise."""
    assert {"Noise", "Times in all", "When", "Given"} <= cells_heads(report.html(Subject(MONTH)))
    applying = sum(row["applies"] for row in facts(Subject(MONTH))["theorems"])
    assert len(cells(report.html(Subject(MONTH)), "What it is")) == applying


def test_paper_is_light_and_keeps_headings_with_what_they_head():
    """The dark style is for screens alone; no heading, caption or row of heads stands alone at a sheet's foot."""
    style = report.html(Subject(OFFICE)).partition("<style>")[2].partition("</style>")[0]
    dark = [line for line in style.splitlines() if "dark" in line]
    assert dark and all(line.startswith("@media screen") for line in dark)
    assert "h2, caption, thead, thead tr, tbody tr:first-child { break-after: avoid }" in style


@pytest.mark.parametrize(
    ("release", "when", "given"),
    [
        (Release("a", Laplace(10, 1)), "no date", "scale 10, sensitivity 1"),
        (Release("a", Laplace(10, 1), cadence="once", done=True), "once; published", "scale 10, sensitivity 1"),
        (
            Release("a", Gaussian.from_guarantee(0.5, 1e-7, 2.0), start="2026-01-05", cadence="weekly",
                    end="2026-12-28", done="2026-03-02", part="North", answer_unit="persons", weight=2),
            "every week from 5 January 2026 to 28 December 2026; published until 2 March 2026",
            "ε = 0.5, δ = 10⁻⁷, sensitivity 2, analytic calibration, part North, weighs 2 in a split, "
            "counted in persons",
        ),
        (
            Release("a", Subsampled(Gaussian(1.0, 1), 0.01, "poisson")), "no date",
            "σ = 1, sensitivity 1, each record is read with probability 0.01",
        ),
        (
            Release("a", Subsampled(RandomizedResponse(1.0), 0.01, "without_replacement")), "no date",
            "ε = 1, a sample of 0.01 of all records is read",
        ),
    ],
)  # fmt: skip
def test_a_release_in_words(release, when, given):
    assert (words.when_in_words(release), words.given_in_words(release)) == (when, given)


@given(st.floats(-1e14, 1e14, allow_subnormal=False))
def test_typed_numbers_keep_every_digit(value):
    """Between 0.0001 and a hundred trillion nine digits are the decimal typed, with commas; of more, six are shown."""
    typed = float(f"{value:.9g}")
    shown = words.typed_number(typed).replace(",", "").replace("−", "-")
    assert float(shown) == typed if typed == 0 or abs(typed) >= 1e-4 else "10" in shown
    if abs(value) >= 1e-4 and value != round(value, 9):
        assert len(words.typed_number(value).replace(",", "").replace(".", "").strip("−0")) <= 9


def test_noise_is_told_no_larger_and_sensitivity_no_smaller():
    """Computed numbers are rounded so that what is read costs no less than the plan."""
    given = words.given_in_words(Release("a", Gaussian(2**1.5, 2**0.5)))
    assert given == "σ = 2.82842, sensitivity 1.41422"


@pytest.mark.parametrize("people", [True, False])
def test_a_survey_says_that_it_does_not_hide_who_answers(people: bool):
    """Where units are added or removed; where one is replaced by another, who answers is no part of the promise."""
    plan = Plan([Release("One question", RandomizedResponse(1.0))], Guarantee(2.0, 1e-9), unit="pass holder")
    hidden = "Who answers “One question”: chance hides what one pass holder answers, and not that they answer."
    page = report.markdown(Subject(plan, people=people))
    assert hidden in page and "whether one pass holder is in the data (in a survey: what was answered), is " in page
    assert " % that one pass holder is in the data (in a survey: of what was answered) grow" in page
    grouped = report.markdown(Subject(plan.of_units(2), people=people))
    assert hidden in grouped, "also of two answers of each, which are no randomized response"
    assert "Who answers “" not in report.markdown(Subject(replace(plan, relation="replace_one"), people=people))


def test_the_day_by_which_half_is_used_is_said():
    """The first on which the total reaches half of the budget; nothing where there is no budget, or are no dates."""
    monthly = Release("Sums", Laplace.from_epsilon(0.1), cadence="monthly", start="2027-01-15", end="2027-12-31")
    told = {1.6: "Half of the budget is reached on 15 August 2027", math.inf: ""}
    told[3.0] = ""
    left_out = [Subject(Plan([monthly], Guarantee(3.0)), left_out=("row 2",))]
    left_out += [Subject(Plan([replace(monthly, mechanism=Gaussian(9.0, 1.0))], Guarantee(3.0, 1e-6), adaptive=True))]
    assert not any("alf of the budget" in report.markdown(each) for each in left_out), "nobody knows"
    for limit, said in told.items():
        page = report.markdown(Subject(Plan([monthly], Guarantee(limit))))
        assert said in page if said else "alf of the budget" not in page
    undated = replace(monthly, cadence=None, start=None, end=None)
    assert "alf of the budget" not in report.markdown(Subject(Plan([undated], Guarantee(1.0))))


@pytest.mark.parametrize("people", [True, False])
def test_what_is_taken_to_count_once_is_said(people: bool):
    """Where nobody has stated how many entries one unit has; where somebody has, it is told with the release."""
    added = Release("Paid", Laplace(20.0), kind="sum", lower=0, upper=9)
    counted = Release("Visits", Laplace(20.0), kind="count"), Release("By sport", Laplace(20.0), kind="histogram")
    counts = (*counted, added)
    members = Release("Members", Laplace(20.0), kind="count")  # each of whom is one
    plan = Plan((*counts, Release("Poll", RandomizedResponse(1.0))), Guarantee(2.0, 1e-9), unit="member-year")
    said = "one member with more than one record in one release, if that happens (“Visits”, “By sport” and “Paid”)."
    if people:
        said = "each release of “Visits”, “By sport” and “Paid” counts one member at most once (assumed),"
    assert said in report.markdown(Subject(replace(plan, releases=(*plan.releases, members)), people=people))
    of_a_home = replace(plan, releases=(members,), unit="household-year")  # in which several may live
    all_of_them = "each release counts one household at most once (assumed),"
    all_of_them = all_of_them if people else "one household with more than one record in one release, if that happens."
    assert all_of_them in report.markdown(Subject(of_a_home, people=people))
    model = Release("Model", TrainedModel(1000, 100, 1.0, epochs=2))
    of_records = rows_taken_once(replace(plan, releases=(*plan.releases, model, replace(model, name="B", rows=1))))
    assert of_records == [*rows_taken_once(plan), len(plan.releases)], "a training counts one record of each"
    answered = replace(plan, answers=Answers(rows_per_unit=1))
    assert said[:28] not in report.markdown(Subject(answered, people=people))
    most = "Each release of “Visits”, “By sport” and “Paid” counts one member at most once, as is stated."
    assert most in report.markdown(Subject(answered, people=people))
    stated = replace(plan, releases=tuple(replace(each, rows=2) for each in counts))
    assert said[:28] not in report.markdown(Subject(stated, people=people))
    assert "At most 2 rows of one member are counted at a time" in report.markdown(Subject(stated, people=people))
    typed = replace(answered, releases=(*counts, Release("Lessons", Laplace(60.0, 8), kind="histogram")))
    lessons = "At most 8 rows of one member are counted at a time in “Lessons”, as is stated"
    assert lessons in report.markdown(Subject(typed, people=people))
    assert most in report.markdown(Subject(typed, people=people)), "a sensitivity of 8 is that of 8 rows, not of one"


def test_it_says_how_batches_and_samples_are_taken_to_be_drawn():
    """Each way once, with the source of what it costs: a total for Poisson batches is none for shuffled ones."""
    model = TrainedModel(1000, 100, 1.0, epochs=2)
    plan = Plan(
        [
            Release("One", model), Release("Other", model), Release("Cut", replace(model, scheme="shuffled")),
            Release("Mean", Subsampled(Gaussian(1.0, 1.0), 0.1, "poisson")),
        ],
        Guarantee(9.0, 1e-6),
    )  # fmt: skip
    page = report.markdown(Subject(plan))
    assert "Batches of “One” and “Other”: every record is in every batch with probability q = B/n, on its own" in page
    assert "Batches of “Cut”: in each epoch all records are put in a random order" in page and "Thm 11" in page
    assert "Samples of “Mean”: every record is in each of them with the same probability, on its own" in page
    assert "Batches of" not in report.markdown(Subject(plan, people=True))


@pytest.mark.parametrize("people", [True, False])
def test_a_comparison_says_what_is_counted_otherwise(people: bool):
    """Else an error that is a smaller part of a larger number would read as more accuracy."""
    visits = Release("Visits", Laplace(95.0), 12, kind="histogram", rows=8, typical=600)
    a = Plan([visits], Guarantee(6.0, 1e-7), "member-year", "add_remove", 5000)
    b = replace(a, releases=(replace(visits, count=4, rows=24, typical=1800),))
    page = report.markdown(Subject(b, a, people=people))
    assert "“Visits” counts up to 24 rows of one member instead of 8." in page
    assert "A typical number of “Visits” is 1,800 instead of 600." in page
    assert "instead of" not in report.markdown(Subject(b, b.with_(budget=Guarantee(5.0, 1e-7)), people=people))
