"""One quantity has one number wherever it is read: head, bar, panel, table, picture and report, over the examples."""

import re
from dataclasses import replace

import pytest

from dpviz import Guarantee, Laplace, Plan, Release, report
from dpviz.planning import scenario
from dpviz.planning.budgeting import solve_noise
from dpviz.report.subject import Subject
from dpviz.rounding import shown_between, shown_share
from dpviz.ui.plan import words as told
from dpviz.ui.plan.answer import Standing, odds
from dpviz.ui.plan.versus import view as versus
from dpviz.ui.plan.versus import words as versus_words
from dpviz.ui.shell import examples

KEYS = ("mobility", "statistics-office", "weekly-dashboard", "census-2020-redistricting")
FOUR_DIGITS = 1e-3  # of what a difference is told in, relative
TOTAL = r"ε(?: at most \*\*|\u00a0=\u00a0| ≤ )([\d.,]+)"


def number(pattern: str, text: str) -> str:
    return re.search(pattern, text)[1].rstrip(".,")


def pair(key: str) -> tuple[Plan, Plan]:
    """An example, and the same with noise that just uses four fifths of its budget, or of what it costs."""
    plan = examples.plan_of(key)
    limit = min(plan.budget.epsilon, Standing.of(plan).total)
    return plan, solve_noise(replace(plan, budget=Guarantee(round(0.8 * limit, 2), plan.budget.delta))).plan


@pytest.mark.parametrize("key", KEYS[:2])  # reports take seconds
def test_head_bar_panel_table_picture_and_report_say_one_total(key: str):
    a, b = pair(key)
    stand, before, one, other = Standing.of(b), Standing.of(a), scenario.Totals.of(a), scenario.Totals.of(b)
    frame = scenario.differences(one, other)
    head, row = told.verdict(stand, before), frame[frame.quantity == "epsilon"].iloc[0]
    page = report.html(Subject(b, a))
    said = {
        "head": number(TOTAL, head),
        "bar": next(text for name, _, text in told.parts(stand) if name == "planned"),
        "panel": number(TOTAL, versus_words.finding(a, b, one, other, scenario.release_differences(a, b))),
        "table": versus._with_texts(frame).b[row.name],
        "picture": number(r"→ ([\d.,]+)<", versus.scenario_bars.scenario_bars(frame).layout.annotations[0].text),
        "report": number(TOTAL, page.split("</style>")[1]),
        "report's table": number(r"Tight accounting</td><td[^>]*>([\d.,]+)<", page),
    }
    assert len(set(said.values())) == 1, said
    was = number(r"plan A \(ε = ([\d.,]+)", head)
    change = shown_between(was, said["head"], row.difference)
    assert float(change.replace("−", "-")) == pytest.approx(float(said["head"]) - float(was), rel=FOUR_DIGITS)
    assert f"**{change[1:]} less** than plan A" in head and change.startswith("−")
    assert versus._with_texts(frame).difference[row.name] == change and change in page


@pytest.mark.parametrize("key", KEYS)
def test_right_guesses_are_one_number(key: str):
    """The pictures show as many of 100 as the sentence says, never fewer than they are."""
    plan = examples.plan_of(key)
    stand = Standing.of(plan)
    record = odds(stand.plan, stand.total)
    assert stand.right <= record.right < stand.right + 1 + 1e-9  # 1e-9: rounding of a product
    assert record.denominator != 100 or f"about {record.right} of" in record.sentence
    assert f"**{number(r'([0-9.]+) of 100', told.guessed(stand))} of 100**" in told.guessed(stand)


def test_shares_of_bars_and_cells_are_one_number():
    for key in KEYS:
        stand = Standing.of(examples.plan_of(key))
        for row in range(len(stand.shares)):
            assert told.share(stand, row).split(" ·")[0] == told.share_cell(stand, row)
            assert shown_share(stand.shares[row]) == told.share_cell(stand, row)


def test_what_nearly_is_the_budget_reads_as_the_budget():
    """Head and bar round up alike; a total that is beyond the budget never does."""
    stand = Standing.of(Plan([Release("a", Laplace.from_epsilon(3.9999971), 1)], Guarantee(4.0, 0.0)))
    assert "**4** of **4**" in told.verdict(stand)
    assert [text for _, _, text in told.parts(stand)] == ["4", "0"]
    over = Standing.of(Plan([Release("a", Laplace.from_epsilon(4.0000001), 1)], Guarantee(4.0, 0.0)))
    assert "**4.001** of **4**" in told.verdict(over)


@pytest.mark.parametrize("key", KEYS)
def test_no_more_guesses_are_right_without_a_release(key: str):
    """The bounds of the rest may be wider, as of samples among many; the one of all holds of it, too."""
    stand = Standing.of(examples.plan_of(key))
    assert all(each <= stand.right for each in stand.right_without.values())
