"""The pair theorems: reference values, how δ is spent, and the answers that are no numbers."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dpviz import (
    THEOREMS,
    ApproximateDP,
    Gaussian,
    Guarantee,
    Laplace,
    NameAndShame,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    Subsampled,
    compare,
    compose,
    epsilon_curve,
)
from dpviz.adversary import mechanism_list
from dpviz.composition import tightest
from dpviz.composition.crossings import first_below
from dpviz.effort import MOST_DRAWN, MOST_QUOTED, PLOTTED, QUOTED
from dpviz.plan import as_plan
from dpviz.planning.advice import delta_lever, levers
from dpviz.planning.scenario import Totals
from dpviz.planning.schedule import forecast
from dpviz.report.facts import facts
from dpviz.report.subject import Subject
from tests.golden import GOLDEN, close_from_above, rows

KEYS = [theorem.key for theorem in THEOREMS]
SLACK = ["advanced", "advanced_tight", "advanced_zcdp"]


def times(mechanism, count):
    return as_plan({mechanism: count})


def reason(plan, delta, key):
    return compare(plan, delta).set_index("theorem").reason[key]


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ("advanced_dwork_roth", "advanced"),
        ("advanced_tight_kl", "advanced_tight"),
        ("advanced_zcdp_half_eps2", "advanced_zcdp"),
    ],
)
def test_advanced_reference(section, key):
    for args, value in rows(section):
        plan = times(RandomizedResponse(float(args["eps"])), int(args["k"]))
        assert close_from_above(compose(plan, float(args["delta_prime"]), key).epsilon, value)


def test_kov_reference():
    for args, value in rows("kov15_thm34"):
        plan = times(RandomizedResponse(float(args["eps"])), int(args["k"]))
        assert close_from_above(compose(plan, float(args["delta_tilde"]), "kov").epsilon, value[0])


def test_kov_heterogeneous_reference():
    for row in GOLDEN["kov15_thm35_heterogeneous"]["rows"]:
        args = row["args"]
        boxes = [ApproximateDP(float(e), float(d)) for e, d in zip(args["eps"], args["deltas"], strict=True)]
        assert close_from_above(compose(boxes, float(row["delta_total"]), "kov").epsilon, row["value"], 1e-9)


def test_the_notebook_formula_lacks_a_factor_epsilon():
    """Where the notebook prints 4.690004094900031 and 153.67357054267973, the theorem gives these."""
    values = [compose(times(RandomizedResponse(0.5), count), 0.1, "advanced").epsilon for count in (3, 350)]
    assert values == pytest.approx([2.8315430004751114, 133.5998964576011], rel=1e-12)
    printed = [math.sqrt(2 * k * math.log(10)) + k * 0.5 * math.expm1(0.5) for k in (3, 350)]
    assert printed == pytest.approx([4.690004094900031, 153.67357054267973], rel=1e-12)


def test_lecture_11_formula_gives_more_than_it_states():
    plan = times(Laplace.from_epsilon(0.001), 500)
    exact = GOLDEN["lecture11_numeric_example"]
    assert close_from_above(compose(plan, 1e-6, "advanced_tight").epsilon, exact["own_formula_tight_kl"])
    assert close_from_above(compose(plan, 1e-6, "advanced").epsilon, exact["dwork_roth"])
    assert close_from_above(compose(plan, 1e-6, "kov").epsilon, exact["kov34_min"])


def test_decimals_are_summed_as_typed():
    assert compose([Laplace.from_epsilon(0.1), Laplace.from_epsilon(0.2)], 0.0, "basic").epsilon == 0.3
    assert compose(times(Laplace.from_epsilon(0.11), 24), 0.0, "basic").epsilon == 2.64


class TestDelta:
    """δ is the whole δ of the answer: stated δ's first, then shares, then slack."""

    def test_stated_deltas_beyond_one_are_no_guarantee(self):
        plan = times(Gaussian.from_guarantee(0.5, 0.01, calibration="classical"), 1000)
        frame = compare(plan, 0.02)
        assert reason(plan, 0.02, "basic") == "stated δ add up to 10: no guarantee"
        pairs = frame[frame.theorem.isin(["basic", *SLACK, "kov"])]
        assert np.isinf(pairs.epsilon).all()
        assert not pairs.applies.any()

    def test_stated_deltas_beyond_the_whole_say_so(self):
        plan = times(ApproximateDP(0.1, 1e-6), 3)
        assert reason(plan, 2e-6, "basic") == "stated δ add up to 3e-06, more than δ = 2e-06"

    def test_stated_deltas_that_fill_the_whole_leave_no_slack(self):
        plan = times(ApproximateDP(0.1, 1e-6), 3)
        assert compose(plan, 3e-6, "basic") == Guarantee(0.3, 3e-6)
        assert compose(plan, 3e-6, "kov").epsilon == 0.3
        for key in SLACK:
            assert reason(plan, 3e-6, key) == "stated δ use up δ = 3e-06: nothing is left for this theorem"

    def test_kov_compounds(self):
        """1-(1-0.1)² = 0.19 < 0.2: kov still answers where the plain sum is spent."""
        plan = times(ApproximateDP(0.5, 0.1), 2)
        assert compose(plan, 0.195, "kov").epsilon == 1.0
        assert compose(plan, 0.195, "basic").epsilon == math.inf
        assert compose(plan, 0.189, "kov").epsilon == math.inf

    def test_basic_spends_only_what_is_stated(self):
        assert compose(times(Laplace(1), 3), 1e-6, "basic").delta == 0.0
        assert compose(times(ApproximateDP(1, 1e-9), 3), 1e-6, "basic").delta == 3e-9
        assert compose(times(Gaussian(3), 3), 1e-6, "basic").delta == 1e-6

    def test_gaussian_uses_share_all_of_delta_under_basic(self):
        noise = Gaussian(10)
        expected = 4 * noise.epsilon((1e-6 - 2e-7) / 4) + 0.5
        plan = [noise] * 4 + [ApproximateDP(0.5, 2e-7)]
        assert compose(plan, 1e-6, "basic").epsilon == pytest.approx(expected, rel=1e-12)

    def test_gaussian_uses_share_half_of_delta_where_slack_is_used(self):
        epsilon = Gaussian(10).epsilon(5e-7 / 100)
        expected = 100 * epsilon * math.expm1(epsilon) + epsilon * math.sqrt(200 * math.log(1 / 5e-7))
        assert compose(times(Gaussian(10), 100), 1e-6, "advanced").epsilon == pytest.approx(expected, rel=1e-12)

    def test_gaussian_uses_compound_under_kov(self):
        delta = 0.3
        share = -math.expm1(math.log1p(-delta) / 2 / 100)
        epsilon = Gaussian(10).epsilon(share)
        slack = -math.expm1(math.log1p(-delta) / 2)
        expected = 100 * epsilon * math.tanh(epsilon / 2) + epsilon * math.sqrt(200 * math.log(1 / slack))
        assert compose(times(Gaussian(10), 100), delta, "kov").epsilon == pytest.approx(expected, rel=1e-9)

    def test_tiny_delta_survives_the_compound_form(self):
        """At δ = 1e-30 the plain (1-δ)/Π(1-δ_i) is 1 in doubles."""
        plan = times(ApproximateDP(0.001, 1e-34), 1000)
        slack, squares = 1e-30 - 1e-31, 1000 * 0.001**2
        log_term = math.log(math.e + math.sqrt(squares) / slack)
        expected = 1000 * 0.001 * math.tanh(0.0005) + math.sqrt(2 * squares * log_term)
        assert compose(plan, 1e-30, "kov").epsilon == pytest.approx(expected, rel=1e-12)

    def test_zero_delta_says_why(self):
        assert "δ above 0" in reason(times(Laplace(1), 3), 0.0, "advanced")
        assert reason(times(Gaussian(1), 3), 0.0, "basic") == "Gaussian noise has no finite ε at δ = 0"
        assert compose(times(Gaussian(1), 3), 0.0) == Guarantee(math.inf, 0.0)

    @pytest.mark.parametrize("delta", [-1e-9, 1.0, math.nan, math.inf, "0.1", None])
    def test_a_delta_outside_is_refused(self, delta):
        with pytest.raises(ValueError, match=r"delta must be in \[0, 1\)"):
            compose(Laplace(1), delta)

    def test_a_leak_without_loss_costs_delta_only(self):
        plan = times(NameAndShame(1e-7), 10)
        assert compose(plan, 1e-6, "basic") == Guarantee(0.0, 1e-6)
        assert compose(plan, 1e-6, "advanced").epsilon == 0.0


class TestNothing:
    """Nothing released costs nothing, under every theorem, at every δ."""

    @pytest.mark.parametrize("delta", [0.0, 1e-30, 0.5])
    @pytest.mark.parametrize("plan", [Plan([]), times(Gaussian(0.1), 0), times(NameAndShame(1.0), 0)])
    def test_empty_plan(self, plan, delta):
        frame = compare(plan, delta)
        assert (frame.epsilon == 0).all()
        assert (frame.delta == 0).all()
        assert frame.applies.all()
        assert (frame.kind == "exact").all()
        assert compose(plan, delta) == Guarantee(0, 0)

    def test_count_zero_in_a_curve(self):
        frame = epsilon_curve(Gaussian(1), [0, 1], 1e-6)
        assert (frame[frame["count"] == 0].epsilon == 0).all()
        assert (frame[frame["count"] == 1].epsilon > 0).all()
        assert epsilon_curve(Gaussian(1), [], 1e-6).empty


def test_a_release_that_is_never_used_does_not_matter():
    plan = Plan([Release("x", Laplace.from_epsilon(0.5)), Release("y", Gaussian(1, 1), count=0)])
    assert compose(plan, 0.0) == Guarantee(0.5)


class TestParts:
    """Releases on disjoint parts cost the dearest part, together with what reads all the data."""

    def test_the_maximum_over_parts(self):
        parts = [
            Release("all", Laplace.from_epsilon(0.1)),
            Release("north", Laplace.from_epsilon(0.3), part="N"),
            Release("south", Laplace.from_epsilon(0.2), count=3, part="S"),
        ]
        assert compose(Plan(parts), 0.0) == Guarantee(0.7)
        for key in KEYS:
            dearest = compose(Plan([parts[0], parts[2]]), 1e-6, key).epsilon
            assert compose(Plan(parts), 1e-6, key).epsilon == pytest.approx(dearest, rel=1e-9)

    def test_days_are_parts_for_a_user_day(self):
        """30 days of the mobility releases: 79.2 for a month of one user, 2.64 for a day."""
        day = [Laplace.from_epsilon(0.11)] * 12 + [Laplace.from_epsilon(0.22)] * 6
        month = Plan([Release("a", mechanism, 30) for mechanism in day], unit="user-month")
        days = Plan([Release("a", m, part=f"day {n}") for n in range(30) for m in day], unit="user-day")
        assert compose(month, 0.0).epsilon == 79.2
        assert compose(days, 0.0).epsilon == 2.64

    def test_one_exhausted_part_is_said(self):
        plan = Plan([Release("a", Laplace(1, 1), part="N"), Release("b", ApproximateDP(1, 0.1), 20, part="S")])
        assert compose(plan, 0.5, "basic").epsilon == math.inf
        assert reason(plan, 0.5, "basic") == "stated δ add up to 2: no guarantee"


class TestAdaptive:
    """A plan that chooses along the way may quote basic composition of stated pairs, and nothing else."""

    def test_only_adaptive_theorems_are_quoted(self):
        plan = Plan([Release("x", Laplace.from_epsilon(0.01), 1000)], adaptive=True)
        frame = compare(plan, 1e-6).set_index("theorem")
        assert list(frame.index[frame.applies]) == ["basic"]
        assert "fixed in advance" in frame.reason["advanced"]
        assert compose(plan, 1e-6) == Guarantee(10.0)

    def test_noise_without_a_stated_pair_cannot_be_summed(self):
        plan = Plan([Release("x", Gaussian(10, 1), 3)], adaptive=True)
        assert compose(plan, 1e-6).epsilon == math.inf
        assert "given by an (ε, δ)" in reason(plan, 1e-6, "basic")


class TestKind:
    """Exact where the bound equals the tight value of the mechanisms as given."""

    @pytest.mark.parametrize(
        ("plan", "delta", "kind"),
        [
            ([Laplace(1)] * 3, 0.0, "exact"),
            ([Laplace(1)] * 3, 1e-6, "upper bound"),
            ([Gaussian(3)], 1e-6, "exact"),
            ([Gaussian(3)] * 2, 1e-6, "upper bound"),
            ([ApproximateDP(1, 1e-6)], 1e-6, "exact"),
            ([RandomizedResponse(1)], 0.1, "upper bound"),
        ],
    )
    def test_basic(self, plan, delta, kind):
        assert compare(plan, delta).set_index("theorem").kind["basic"] == kind


def test_curve_agrees_with_compose():
    plan = as_plan({Laplace(3): 2, Gaussian(20): 5, ApproximateDP(0.1, 1e-9): 1})
    frame = epsilon_curve(plan, [0, 1, 7, 100], 1e-6)
    for row in frame.itertuples():
        expected = compose(plan.repeated(row.count), 1e-6, row.theorem).epsilon
        assert row.epsilon == pytest.approx(expected, rel=1e-4)


def test_tightest_looks_only_at_what_applies():
    assert tightest(compare(Gaussian(1), 0.0)) is None
    frame = compare(times(RandomizedResponse(0.01), 10_000), 1e-6)
    row = tightest(frame)
    assert row.applies
    assert row.epsilon == frame.epsilon.min()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compose(Laplace(1), 0.1, "magic"), "theorem must be one of basic, "),
        (lambda: epsilon_curve(Laplace(1), [-1], 0.1), r"counts must be in \[0, 1000000000\]"),
        (lambda: epsilon_curve(Laplace(1), [1.5], 0.1), "counts must be in"),
        (lambda: epsilon_curve(Laplace(1), [math.nan], 0.1), "counts must be in"),
        (lambda: epsilon_curve(times(Laplace(1), 10**9), [10**9], 0.1), "uses of one mechanism must be at most"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


MAPPINGS = [{Laplace(1.0, 1): 3}, Counter([Laplace(1.0, 1)] * 3), {Laplace(1.0, 1): 2, RandomizedResponse(0.5): 4}]


@pytest.mark.parametrize("mapping", MAPPINGS, ids=repr)
def test_a_mapping_means_counts(mapping):
    """In every function that takes a plan: the same answer as for the uses written out."""
    written_out = [mechanism for mechanism, count in mapping.items() for _ in range(count)]
    assert compose(mapping, 0.0).epsilon == sum(mechanism.stated.epsilon for mechanism in written_out)
    assert compose(mapping, 1e-6) == compose(written_out, 1e-6)
    assert compare(mapping, 1e-6).equals(compare(written_out, 1e-6))
    assert epsilon_curve(mapping, [1, 4], 1e-6).equals(epsilon_curve(written_out, [1, 4], 1e-6))
    assert first_below(mapping, "pld", 1e-6) == first_below(written_out, "pld", 1e-6)
    assert PrivacyLoss.of(mapping).epsilon(1e-6) == PrivacyLoss.of(written_out).epsilon(1e-6)
    assert mechanism_list(mapping) == tuple(written_out)


@pytest.mark.parametrize("count", [-1, 0.5, math.nan, math.inf, "3", None, True, 10**10, Guarantee(1.0)])
def test_what_is_no_count_is_refused(count):
    for function in (lambda plan: compose(plan, 1e-6), PrivacyLoss.of, lambda plan: epsilon_curve(plan, [1], 1e-6)):
        with pytest.raises(ValueError, match=r"^count must be in \[0, 1000000000\], a whole number; got "):
            function({Laplace(1.0): count})


@pytest.mark.parametrize("plan", [3, "laplace", {"laplace": 3}, [Laplace(1.0), 3], None])
def test_what_stands_for_no_plan_is_refused(plan):
    for function in (lambda plan: compose(plan, 1e-6), PrivacyLoss.of):
        with pytest.raises(ValueError, match="must be"):
            function(plan)
    with pytest.raises(ValueError, match="mapping"):
        PrivacyLoss({Laplace(1.0): 3}, [[1]])


@pytest.mark.parametrize(
    ("pairs", "delta", "exact"),
    [
        ([(1, 0.1), (2, 0.2)], 0.28, 3.0),
        ([(0.1, 0.3), (0.2, 0.3), (0.3, 0.3)], 0.657, 0.6),
        ([(0.7, 1e-6), (0.4, 1e-6)], 1.999999e-06, 1.1),
    ],
)
@pytest.mark.parametrize("theorem", [None, "kov", "optimal", "pld"])
def test_leaks_that_use_delta_up_exactly(theorem, pairs, delta, exact):
    """1 - Π (1 - δ_i) of the decimals typed is δ: the ε_i add up; the next double below it is too little."""
    plan = [ApproximateDP(epsilon, leak) for epsilon, leak in pairs]
    assert compose(plan, delta, theorem).epsilon == exact
    assert compose(plan, math.nextafter(delta, 0.0), theorem).epsilon == math.inf
    assert compose(plan, delta, "basic").epsilon == math.inf
    assert compose([*plan, Gaussian(1.0)], delta, theorem).epsilon == math.inf


@pytest.mark.parametrize("scheme", ["poisson", "without_replacement"])
@pytest.mark.parametrize("count", [1, 5])
def test_sampling_nobody_costs_nothing_even_without_slack(scheme, count):
    nobody = Subsampled(Gaussian(1.0), 0.0, scheme)
    assert compose({nobody: count}, 0.0).epsilon == 0.0
    assert (compare({nobody: count}, 0.0).query("applies").epsilon == 0.0).all()
    assert compose({nobody: count, Laplace.from_epsilon(0.25): 2}, 0.0).epsilon == 0.5


@pytest.mark.parametrize("number", [MOST_DRAWN + 10, MOST_QUOTED + 5])
def test_every_page_quotes_the_same_total(number):
    """However many different mechanisms: comparison, forecast, scenarios, levers, report and δ apart quote one ε."""
    kinds = [Laplace.from_epsilon(round(0.05 + n * 1e-4, 6)) for n in range(number)]
    plan = Plan([Release(f"r{n}", kind) for n, kind in enumerate(kinds)], Guarantee(3.0, 1e-6))
    total = compose(plan, 1e-6).epsilon
    frame = compare(plan, 1e-6).set_index("theorem")
    quoted = [
        frame.epsilon.min(), forecast(plan).epsilon.iloc[-1], Totals.of(plan).values[0].number,
        facts(Subject(plan))["total"]["epsilon"], delta_lever(plan).set_index("delta").epsilon[1e-6],
    ]  # fmt: skip
    assert quoted == [total] * len(quoted)
    accuracy = QUOTED if number <= MOST_QUOTED else PLOTTED
    assert frame.excess["pld"] <= accuracy * total
    held = [replace(release, done=True) for release in plan.releases[1:]]  # they count, and are not varied
    pulled = levers(replace(plan, releases=(plan.releases[0], *held))).total.tolist()
    assert pulled == pytest.approx([total] * len(pulled), rel=accuracy)
