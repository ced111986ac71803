"""How far one unit changes an answer, held against every small data set there is."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.plan.sensitivity import sensitivity, where_replaced

RELATIONS = ["add_remove", "replace_one"]
FLOATS = st.floats(-1e12, 1e12) | st.sampled_from([0.1, 0.2, 0.3, -0.1, 0.7, 1e-300])
ROOTS = 2**-51  # two roots rounded up, one of them times the other
BOUNDS = st.tuples(FLOATS, FLOATS).map(sorted)


def units(lower: int, upper: int, rows: int) -> list[tuple[int, ...]]:
    """Every unit of at most so many rows with whole values within the bounds."""
    values = range(lower, upper + 1)
    return [each for count in range(rows + 1) for each in combinations_with_replacement(values, count)]


def neighbours(all_units: list, relation: str) -> list[tuple[list, list]]:
    """Two data sets that differ in one unit, beside nobody or somebody else."""
    others = [[], [all_units[-1]]]
    if relation == "add_remove":
        return [([*rest, unit], rest) for rest in others for unit in all_units]
    return [([*rest, a], [*rest, b]) for rest in others for a, b in product(all_units, repeat=2)]


def farthest(answer, pairs: list) -> tuple[Fraction, Fraction]:
    """The largest L1 distance and the largest square of an L2 distance of an answer over pairs of data sets."""
    moves = [[a - b for a, b in zip(answer(first), answer(second), strict=True)] for first, second in pairs]
    return max(sum(map(abs, move)) for move in moves), max(sum(each * each for each in move) for move in moves)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_counts_of_every_small_data_set(relation, rows):
    """The bound is reached, and never exceeded, whatever is counted."""
    pairs = neighbours(units(0, 1, rows), relation)
    found = sensitivity("count", relation, rows=rows)
    l1, squared = farthest(lambda data: [sum(value for unit in data for value in unit)], pairs)
    assert (found.l1, found.l2**2) == (l1, squared) == (rows, rows**2)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize(("lower", "upper"), [(0, 3), (-2, 3), (2, 5), (-5, -3), (-3, 0), (2, 2), (-1, -1), (0, 0)])
def test_sums_of_every_small_data_set(relation, rows, lower, upper):
    """With 0 to m rows a unit: also where 0 lies outside the bounds, where the width alone would be too little."""
    pairs = neighbours(units(lower, upper, rows), relation)
    found = sensitivity("sum", relation, lower=lower, upper=upper, rows=rows)
    l1, _ = farthest(lambda data: [sum(value for unit in data for value in unit)], pairs)
    assert found.l1 == found.l2 == l1
    if relation == "replace_one":
        assert l1 == rows * max(abs(lower), abs(upper), upper - lower)


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize(("lower", "upper"), [(0, 3), (-2, 2), (2, 5), (1, 1)])
def test_means_of_every_small_data_set(people, lower, upper):
    """One value each, their number the same."""
    everybody = list(product(range(lower, upper + 1), repeat=people))
    largest = max(
        abs(Fraction(sum(first) - sum(second), people))
        for first, second in product(everybody, repeat=2)
        if sum(a != b for a, b in zip(first, second, strict=True)) <= 1
    )
    found = sensitivity("mean", "replace_one", lower=lower, upper=upper, people=people)
    assert largest <= Fraction(repr(found.l1)) <= largest * (1 + Fraction(1, 10**15)) and found.l1 == found.l2


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_histograms_of_every_small_data_set(relation, distinct, rows):
    """Over twice as many bars as a unit has rows, so that two units need not share one."""
    bars = 2 * rows
    every = [unit for unit in units(0, bars - 1, rows) if not distinct or len(set(unit)) == len(unit)]
    found = sensitivity("histogram", relation, rows=rows, distinct=distinct)
    l1, squared = farthest(
        lambda data: [sum(unit.count(bar) for unit in data) for bar in range(bars)], neighbours(every, relation)
    )
    assert found.l1 == l1
    assert squared <= Fraction(found.l2) ** 2 <= squared * (1 + Fraction(1, 10**15))


@given(BOUNDS, st.integers(1, 10**9), st.sampled_from(RELATIONS), st.data())
def test_sums_are_never_below_two_units(bounds, rows, relation, data):
    """Whatever two units hold within the bounds, as decimals."""
    lower, upper = bounds
    found = sensitivity("sum", relation, lower=lower, upper=upper, rows=rows)
    counts = st.sampled_from([0, rows]) | st.integers(0, rows)
    values = st.sampled_from(bounds) | st.floats(lower, upper)
    first, second = (data.draw(counts) * Fraction(repr(data.draw(values))) for _ in range(2))
    assert abs(first - (second if relation == "replace_one" else 0)) <= Fraction(repr(found.l1))
    assert found.l1 <= math.nextafter(2 * rows * max(map(abs, bounds)) * (1 + 1e-15), math.inf)


@given(BOUNDS, st.integers(1, 10**13))
def test_means_are_never_below_their_exact_width(bounds, people):
    """Of the decimals typed."""
    lower, upper = bounds
    found = sensitivity("mean", "replace_one", lower=lower, upper=upper, people=people)
    exact = (Fraction(repr(upper)) - Fraction(repr(lower))) / people
    assert exact <= Fraction(repr(found.l1)) <= exact * (1 + Fraction(1, 10**15)) + Fraction(1, 10**320)


@given(st.integers(1, 10**9), st.sampled_from(RELATIONS), st.booleans())
def test_roots_are_rounded_up(rows, relation, distinct):
    """The square of the L2 bound is never below the whole number whose root it is; L2 never exceeds L1."""
    found = sensitivity("histogram", relation, rows=rows, distinct=distinct)
    sides = RELATIONS.index(relation) + 1
    square = sides * (rows if distinct else rows**2)
    assert square <= Fraction(found.l2) ** 2 <= square * (1 + Fraction(1, 10**14))
    assert found.l1 == sides * rows and found.l2 <= found.l1


def test_bounds_typed_as_decimals():
    """From 0.1 to 0.3 are 0.2, not the double below."""
    assert sensitivity("mean", "replace_one", lower=0.1, upper=0.3, people=1).l1 == 0.2 != 0.3 - 0.1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("survey",), "randomized response changes each answer itself"),
        (("selection",), "the sensitivity of the score"),
        (("other",), "take the sensitivity from its documentation"),
        (("total",), "kind must be one of count, sum, mean, histogram, survey, selection, other; got 'total'"),
        (("count", "edit"), "relation must be one of add_remove, replace_one; got 'edit'"),
        (("mean",), "relation must be replace_one for a mean: .*; or release the sum and the count"),
        (("sum",), "lower and upper must be given, since .* without limit; got None"),
    ],
)
def test_refusals_say_why(arguments, said):
    """And what to do instead."""
    with pytest.raises(ValueError, match=said):
        sensitivity(*arguments)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"lower": 0, "upper": 1}, "people must be given for a mean"),
        ({"lower": 0, "upper": 1, "people": 0}, r"people must be in \[1, 1e\+13\]"),
        ({"lower": 0, "upper": 1, "people": 9, "rows": 2}, "rows must be 1 for a mean"),
        ({"people": 9}, "lower and upper must be given"),
        ({"people": 9, "lower": 1}, "lower must be given together with upper; got 1.0"),
        ({"people": 9, "lower": 1, "upper": 0}, r"lower must be at most the upper end, 0; got 1"),
        ({"people": 1, "lower": -1.7e308, "upper": 1.7e308}, "so near 0 that the sensitivity is a number"),
        ({"rows": 0}, r"rows must be in \[1, 1000000000\], a whole number; got 0"),
    ],
)
def test_what_a_mean_needs(fields, said):
    """Each missing or impossible value is named."""
    with pytest.raises(ValueError, match=said):
        sensitivity("mean", "replace_one", **fields)


def test_sentences_name_the_unit_and_no_symbol():
    """They stand on a page for people as they are."""
    found = sensitivity("histogram", "replace_one", rows=3, unit="household")
    assert found.sentence == (
        "When one household is replaced by another, the bars change by at most 6 in all; Gaussian noise on real "
        "numbers goes by 4.24265, the root of the sum of squares."
    )
    assert found.assumes.startswith("One answer reads at most 3 rows of each household, all of them in one bar")
    assert sensitivity("count").assumes == "One answer reads at most 1 row of each unit."


@given(
    st.sampled_from(["count", "sum", "histogram"]), st.integers(1, 10**6), st.booleans(), BOUNDS,
    st.sampled_from(["L1", "L2"]),
)  # fmt: skip
def test_what_is_enough_where_one_is_replaced_follows_from_one_added(kind, rows, distinct, ends, norm):
    """Never less than is proved for replacing, and no more than twice what was typed."""
    bounds = dict(zip(("lower", "upper"), ends, strict=True)) if kind == "sum" else {}
    distinct = distinct and kind == "histogram"
    typed_one, needed = (
        getattr(sensitivity(kind, relation, rows=rows, distinct=distinct, **bounds), norm.lower())
        for relation in ("add_remove", "replace_one")
    )
    assume(0 < typed_one < 1e300)
    enough = where_replaced(typed_one, kind, norm, **bounds)
    assert needed <= enough <= 2 * typed_one * (1 + ROOTS)
    assert where_replaced(typed_one, None, norm) == where_replaced(typed_one, "other", norm) >= enough


@pytest.mark.parametrize(("relation", "bounds", "rows", "why"), [
    ("add_remove", (0, 6000), 1, "its one value may be 6,000"),
    ("add_remove", (-5, 3), 1, "its one value may be -5"),
    ("replace_one", (-9, -2), 2, "each of its 2 values may be -9, or missing"),
    ("replace_one", (-3, 5), 3, "each of its 3 values may go from -3 to 5"),
])  # fmt: skip
def test_why_a_sum_changes_so_much_names_values_that_there_may_be(relation, bounds, rows, why):
    assert f": {why}." in sensitivity("sum", relation, lower=bounds[0], upper=bounds[1], rows=rows).sentence
