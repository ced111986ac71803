"""Answers that are kept: no two values share a key, and what has no key is refused."""

import ast
import gc
import importlib
import pickle
import pkgutil
import re
import tracemalloc
from dataclasses import dataclass, field, make_dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpviz.ui
from dpviz import (
    ApproximateDP,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    RandomizedResponse,
    Release,
    Subsampled,
)
from dpviz.adversary.risk import best_success
from dpviz.composition.compose import smallest_total
from dpviz.filters import Filter, Queries
from dpviz.mechanisms import Mechanism
from dpviz.plan import Document
from dpviz.planning.budgeting import Solution
from dpviz.privacy_loss import PrivacyLoss
from dpviz.ui.filters import answer
from dpviz.ui.filters.asked import Terms
from dpviz.ui.filters.state import MOST_PLAYED
from dpviz.ui.plan import answer as standing
from dpviz.ui.shell import kept as shared
from dpviz.ui.shell.kept import BOUNDS, MOST, kept, told

PLAN = Plan([Release("a", Laplace(2.0, 1))])
# By which a part of a page reads what is of one visitor alone.
READS = r"session_state|query_params|workspace|\b(page_state|session|address|table_state|promise_fields|inputs)\."
DIFFERENT = (
    None,
    True,
    1,
    1.0,
    np.float64(1.0),
    "1",
    "1.0",
    ("1", "2"),
    ("1','2",),
    (1, 2),
    [1, 2],
    (1, (2,)),
    date(2026, 1, 1),
    "2026-01-01",
    np.array([1, 2]),
    np.array([1.0, 2.0]),
    np.array([[1, 2]]),
    Guarantee(2.0),
    Laplace(2.0),
    Laplace(2.0, 1.0, declared=Guarantee(0.5)),
    Gaussian(2.0),
    RandomizedResponse(2.0),
    ApproximateDP(2.0, 0.0),
    Subsampled(Laplace(2.0), 0.5, "poisson"),
    Subsampled(Laplace(2.0), 0.5, "without_replacement"),
    Subsampled(Gaussian(2.0), 0.5, "poisson"),
    PLAN,
    replace(PLAN, releases=[Release("a", Gaussian(2.0, 1))]),
    replace(PLAN, releases=[Release("a", RandomizedResponse(2.0))]),
    replace(PLAN, budget=Guarantee(2.0)),
    Document(PLAN),
    Filter(Guarantee(2.0)),
    Filter(Guarantee(2.0), mechanism=Laplace(2.0)),
    Filter(Guarantee(2.0), mechanism=Gaussian(2.0)),
    Queries.of([Guarantee(0.1)]),
    Queries.of([Guarantee(0.2)]),
    Solution(None, ""),
    Solution(PLAN, ""),
)


def asked_of(answers: list, entries: int = 100, shared: bool = False):
    """A function that keeps its answers, and notes what it is asked for when it has none."""
    name = f"probe_{id(answers)}"

    def probe(value: object, other: object = 1) -> int:
        answers.append((value, other))
        return len(answers)

    probe.__qualname__ = name  # Streamlit keeps answers by name and source
    return kept(entries, 1, shared=shared)(probe)


@pytest.mark.parametrize("shared", [False, True])
def test_values_of_different_types_never_share_an_answer(shared: bool):
    """Equal numbers in another noise, another record or another order of brackets are another question."""
    answers: list = []
    ask = asked_of(answers, shared=shared)
    found = [ask(value) for value in DIFFERENT]
    assert found == list(range(1, len(DIFFERENT) + 1))
    assert [ask(value) for value in DIFFERENT] == found and len(answers) == len(DIFFERENT)


def test_equal_values_share_one_answer():
    """Whichever object holds them, and however the arguments are given."""
    answers: list = []
    ask = asked_of(answers)
    other = Plan.from_json(PLAN.to_json())
    assert other is not PLAN and ask(PLAN) == ask(other) == ask(other, 1) == ask(value=other, other=1) == 1
    assert ask(PLAN, 2) == 2 and len(answers) == 2


def test_an_edit_of_the_promise_keeps_what_the_plan_costs(monkeypatch):
    """Nothing is composed for another budget, unit or number of people; for another δ it is."""
    plan = Plan([Release("a", Laplace(7, 1), 3), Release("b", Laplace(9, 1))], Guarantee(2, 1e-6), "user-day")
    other = replace(plan, budget=Guarantee(3, 1e-6), unit="household", population=100)

    def told(plan: Plan) -> tuple:
        table = shared.comparison(plan, 1e-6).epsilon.tolist()
        stand = standing.Standing(plan, plan, standing.proved(plan))
        return table, shared.right_guesses(plan, 0.6), stand.savings, stand.proved

    first = told(plan)
    composing = {shared: ("compare", "PrivacyLoss", "smallest_total"), standing: ("savings",)}
    for module, name in ((module, name) for module, names in composing.items() for name in names):
        monkeypatch.setattr(module, name, None)
    assert told(other) == first
    with pytest.raises(TypeError):
        standing._savings(shared.priced(replace(plan, budget=Guarantee(2, 1e-7))), 0.6)


@pytest.mark.parametrize("noise", [Laplace(2.0), Gaussian(2.0), Laplace.from_epsilon(0.1)], ids=str)
@pytest.mark.parametrize("kind", ["count", "sum", "mean", "histogram"])
def test_what_is_kept_is_what_the_plan_costs_where_its_sensitivity_follows(kind: str, noise: Mechanism):
    """From what it is, its clipping and the number of people, whichever of these the answer is kept without."""
    released = Release("a", noise, 3, kind=kind, lower=0, upper=100)
    plan = Plan([released], Guarantee(2, 1e-6), "person-year", relation="replace_one", population=100)
    assert shared.priced(plan).sensitivities[0].value == plan.sensitivities[0].value
    assert shared.proved(plan).epsilon == smallest_total(plan, 1e-6).epsilon


def test_all_that_is_kept_is_bounded_together():
    """The bounds of all functions whose answers are kept, and of all parts of pages that are sent again."""
    for module in pkgutil.walk_packages(dpviz.ui.__path__, "dpviz.ui."):
        importlib.import_module(module.name)
    ours = {name: size for name, size in BOUNDS.items() if name.startswith("dpviz.")}
    assert len(ours) > 80 and min(ours.values()) >= 1
    assert sum(ours.values()) <= MOST


def test_what_is_sent_again_depends_on_its_arguments_alone():
    """A part of a page that read the session would show one visitor the numbers of another."""
    found = 0
    for path in sorted(Path(dpviz.ui.__file__).parent.rglob("*.py")):
        for each in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(each, ast.FunctionDef) and "static" in map(ast.unparse, each.decorator_list):
                found += 1
                text = ast.unparse(each)
                assert not re.search(READS, text), (path, each.name)
    assert found > 15


def test_the_largest_answers_have_a_place():
    """An answer beyond its function's bound would be computed again at every rerun: the longest session of a filter."""
    queries = Queries.of([Guarantee(0.001)] * MOST_PLAYED)
    largest = answer.played.__wrapped__(Terms(1.0, 1e-6), queries, "skip", 0.0)
    assert len(largest.every) >= 4 * MOST_PLAYED
    assert len(pickle.dumps(largest)) < 1e6 * BOUNDS["dpviz.ui.filters.answer.played"]


@pytest.mark.parametrize("plan", [PLAN, Plan([Release("a", Subsampled(Gaussian(1.0, 1), 1e-3, "poisson"), 100_000)])])
def test_the_largest_shared_answers_have_a_place(plan: Plan):
    """Of those that Streamlit does not weigh, the loss of a plan is the largest by far."""
    loss = PrivacyLoss.of(plan)
    tracemalloc.start()
    try:
        best_success(loss)
        gc.collect()
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 2 * size < 1e6 * BOUNDS["dpviz.ui.plan.answer._learned"]


@dataclass(frozen=True)
class Derived:
    """A record with a part that follows from the rest, and a part that is not compared."""

    size: int
    note: str = field(default="", compare=False)
    double: object = field(init=False, compare=False, default_factory=object)


def test_what_is_not_compared_is_told_unless_it_follows():
    """Only a part that nobody can give is left out."""
    assert told(Derived(1, "a")) != told(Derived(1, "b")) and told(Derived(1)) == told(Derived(1))


@pytest.mark.parametrize(
    "value",
    [object(), print, {1: object()}, {1}, Guarantee, 1j, np.array([object()]), (1, [object()]), Derived(1, object())],
    ids=lambda value: type(value).__name__,
)
def test_an_unknown_type_is_refused(value: object):
    """A crash that a test meets is better than the answer to another question."""
    with pytest.raises(TypeError, match="answers cannot be kept for a"):
        told(value)


SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.dates()
NESTED = st.recursive(SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner), max_leaves=6)


def shape(value: object) -> object:
    """A value with the types of all its parts, for an independent comparison."""
    inner = tuple(map(shape, value)) if isinstance(value, list | tuple) else repr(value)
    return type(value), inner


@given(NESTED, NESTED)
def test_texts_agree_only_for_equal_values(one: object, other: object):
    """Brackets, commas and quotes within a text cannot be taken for those around it."""
    assert (told(one) == told(other)) == (shape(one) == shape(other))
    assert told([one, other]) != told([[one, other]]) and told((one, other)) != told([one, other])


def test_records_with_one_name_in_two_modules_differ():
    """The name of a type includes its module."""
    here, there = (make_dataclass("Pair", ["size"]) for _ in range(2))
    here.__module__, there.__module__ = "here", "there"
    assert told(here(1)) != told(there(1))
