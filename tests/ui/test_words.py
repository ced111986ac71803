"""Sentences say what was computed, and show visitors' text letter by letter."""

import re

import pytest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, compare
from dpviz.composition import tightest
from dpviz.ui.shell import words

HOSTILE = ["<script>alert(1)</script>", "**bold** [x](http://e.org)", "![](http://e.org/a.png)", ":red[x] $x^2$", "`a`"]


def said(plan: Plan, in_words: bool = False) -> str:
    return words.finding(plan, tightest(compare(plan, plan.budget.delta)), in_words)


@pytest.mark.parametrize("text", HOSTILE)
def test_escaped_text_has_no_live_markup(text: str):
    """Every character that Markdown could read is escaped, and nothing is lost."""
    escaped = words.escaped(text)
    assert not re.search(r"(?<!\\)[*_`\[\]<>$!#|~]", escaped)
    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u2060", "") == text


def test_finding_names_everything_the_promise_depends_on():
    """ε, δ, unit, neighbours, theorem and the order of choice stand in one sentence."""
    plan = Plan([Release("x", Laplace.from_epsilon(0.5), 2)], Guarantee(1.0, 0.0), unit="household")
    assert said(plan) == (
        "These 2 releases, fixed in advance, cost one **household** (added or removed) at most **ε = 1** at **δ = 0** "
        "(theorem: **Basic**): within the budget of ε = 1."
    )


def test_finding_in_words_has_no_symbols():
    """In words, δ is a probability."""
    plan = Plan([Release("x", Laplace.from_epsilon(0.5), 3)], Guarantee(1.0, 1e-6))
    assert not set(said(plan, in_words=True)) & set("εδ=")
    assert "except with probability at most 1 in 1,000,000" in said(plan, in_words=True)


def test_finding_without_a_total():
    """Where no theorem applies, the sentence says so."""
    plan = Plan([Release("x", Gaussian(1.0))], Guarantee(1.0, 0.0))
    assert said(plan).startswith("No theorem bounds what this release")


@pytest.mark.parametrize(("count", "gains"), [(1, False), (200, True)])
def test_a_smaller_epsilon_is_claimed_only_where_it_is_shown(count: int, gains: bool):
    """One release of 0.1 costs 0.09999809 at δ = 10⁻⁶: shown as 0.1, as the pure total is."""
    plan = Plan([Release("x", Laplace(10.0), count)], Guarantee(30.0, 1e-6))
    best, pure = (tightest(compare(plan, delta)) for delta in (1e-6, 0.0))
    assert best.epsilon < pure.epsilon
    said = words.two_totals(plan, best, pure)
    assert ("That buys a smaller ε" in said) == gains and ("Here both are ε = 0.1:" in said) != gains


def test_finding_of_nothing():
    """An empty plan costs nothing."""
    assert said(Plan([])).startswith("Nothing is released yet")
