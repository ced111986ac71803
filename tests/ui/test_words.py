"""Sentences say what was computed, and show visitors' text letter by letter."""

import re

import pytest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release
from dpviz.ui.plan import words as plan_words
from dpviz.ui.plan.answer import Standing
from dpviz.ui.shell import words

HOSTILE = ["<script>alert(1)</script>", "**bold** [x](http://e.org)", "![](http://e.org/a.png)", ":red[x] $x^2$", "`a`"]


@pytest.mark.parametrize("text", HOSTILE)
def test_escaped_text_has_no_live_markup(text: str):
    """Every character that Markdown could read is escaped, and nothing is lost."""
    escaped = words.escaped(text)
    assert not re.search(r"(?<!\\)[*_`\[\]<>$!#|~]", escaped)
    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u2060", "") == text


def test_the_head_names_everything_the_promise_depends_on():
    """ε, δ, unit, budget and theorem stand in the verdict, the number of releases beneath the bar."""
    stand = Standing.of(Plan([Release("x", Laplace.from_epsilon(0.5), 2)], Guarantee(1.0, 0.0), unit="household"))
    assert plan_words.verdict(stand).endswith(
        "ε at most **1** of **1** per **household** at **δ = 0**, by Basic: **within budget**."
    )
    assert plan_words.counted(stand) == "2 releases"


def test_the_head_without_a_total():
    """Where no theorem applies, the sentence says so; an empty plan costs nothing."""
    stand = Standing.of(Plan([Release("x", Gaussian(1.0, 1))], Guarantee(1.0, 0.0)))
    assert "**No theorem here bounds** what these releases cost" in plan_words.verdict(stand)
    assert "Nothing is released yet" in plan_words.verdict(Standing.of(Plan([])))


@pytest.mark.parametrize(("count", "gains"), [(1, False), (200, True)])
def test_a_smaller_epsilon_is_claimed_only_where_it_is_shown(count: int, gains: bool):
    """One release of 0.1 costs 0.09999809 at δ = 10⁻⁶: shown as 0.1, as the pure total is."""
    stand = Standing.of(Plan([Release("x", Laplace(10.0, 1), count)], Guarantee(30.0, 1e-6)))
    assert stand.total < stand.pure
    said = plan_words.two_totals(stand)
    assert ("That buys a smaller ε" in said) == gains and ("Here both are ε = 0.1:" in said) != gains
