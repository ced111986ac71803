"""A filter that is kept, as JSON or pickled, goes on where it was, and what is no filter is refused."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Filter, Gaussian, Guarantee, Laplace, RandomizedResponse, Subsampled
from dpviz.filters import FILTERS, BudgetExceeded, rule_named

ASKED = (
    Guarantee(0.01), Guarantee(0.02, 1e-9), Laplace.from_epsilon(0.03), Gaussian(40.0, 1), RandomizedResponse(0.05),
    Subsampled(Laplace.from_epsilon(0.5, 1), 0.1, "poisson"),
)  # fmt: skip
PARTLY = Filter(Guarantee(1, 1e-6)).spend(Guarantee(0.1)).spend(Guarantee(0.2))


@given(st.sampled_from([rule.key for rule in FILTERS]), st.booleans(), st.lists(st.sampled_from(ASKED), max_size=30))
def test_a_kept_filter_goes_on_where_it_was(rule: str, or_basic: bool, requests: list):
    kept_for_delta = 1e-7 if rule_named(rule).splits else 0.0
    kept = Filter(Guarantee(0.4, 1e-6), rule, or_basic, kept_for_delta, ASKED[len(requests) % len(ASKED)])
    for request in requests:
        try:
            kept = kept.spend(request)
        except BudgetExceeded:
            continue
    for restored in (Filter.from_json(kept.to_json()), pickle.loads(pickle.dumps(kept))):
        assert restored == kept and repr(restored) == repr(kept)
        assert [restored.reason(each) for each in ASKED] == [kept.reason(each) for each in ASKED]


def test_a_shell_shows_what_is_spent():
    assert "2 requests admitted, Σε_i = 0.3" in repr(PARTLY) and "0.7 still fits" in repr(PARTLY)
    assert "nothing spent" in repr(Filter(Guarantee(1, 1e-6))) and "Σε_i = 0.3" in PARTLY._repr_html_()


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (("dpviz_filter",), 2, "dpviz_filter must be 1"),
        (("rule",), "rdp", "rule must be one of"),
        (("spent", "epsilon"), "NaN", "sums must be decimals"),
        (("spent", "epsilon"), 0.3, "sums must be decimals"),
        (("spent", "epsilon"), "-1", "sums must be decimals"),
        (("spent", "sums"), [], "sums must be 1 numbers"),
        (("spent", "requests"), -1, "requests must be a whole number"),
        (("spent", "requests"), 0, "spent must be nothing"),
        (("spent", "relation"), "any", "relation must be null"),
        (("spent", "epsilon"), "0.1", "sums must be epsilon"),
        (("spent", "delta"), "0.5", "within the budget"),
        (("spent",), {}, "spent must be an object"),
        (("budget",), 1, "budget must be an object"),
    ],
)
def test_what_is_no_filter_is_refused(place: tuple, value: object, sentence: str):
    document = json.loads(PARTLY.to_json())
    target = document
    for name in place[:-1]:
        target = target[name]
    target[place[-1]] = value
    with pytest.raises(ValueError, match=sentence):
        Filter.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 100_000, '{"dpviz_filter": 1}'])
def test_text_that_is_no_filter_is_refused(text: str):
    with pytest.raises(ValueError, match="must be"):
        Filter.from_json(text)


def test_sums_of_doubles_are_not_kept():
    with pytest.raises(ValueError, match="arithmetic must be decimal"):
        Filter(Guarantee(1), arithmetic="float64").to_json()
