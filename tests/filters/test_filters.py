"""Privacy filters: the published counts, exactness, laws, and that no adaptive adversary gets beyond the budget."""

import math
import random
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks import filters as benchmark
from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, NameAndShame, RandomizedResponse
from dpviz.composition.conversions import delta_from_rho, epsilon_from_rho
from dpviz.filters import (
    MOST_RUNS,
    BudgetExceeded,
    Filter,
    Queries,
    Query,
    breakeven_epsilon,
    odometer,
    run,
    runs_until_exhausted,
)
from dpviz.filters.queries import MAXIMUM_QUERIES
from dpviz.filters.query_text import queries_from_text
from dpviz.filters.rules import (
    FILTERS,
    concentrated_epsilon,
    fully_adaptive_epsilon,
    fully_adaptive_limit,
    rogers_epsilon,
    variance_floor,
)
from dpviz.filters.runs import AFTER_REFUSAL
from dpviz.filters.tally import repeated_sum
from dpviz.plan import PlanFileError
from tests.effort import share
from tests.golden import DOUBLE, GOLDEN, rows
from tests.strategies import EPSILONS, MECHANISMS, SMALL_DELTAS, WHOLE_DELTAS

RULES = [rule.key for rule in FILTERS]
ROUNDING = 4e-14  # outward rounding of sums, limits and bounds together
OUTWARD = 1e-14  # outward rounding of one number, which e^ε enlarges by ε
NOTEBOOK = Guarantee(0.2, 2e-30)


@st.composite
def empty_filters(draw, rules=RULES):
    """Filters of every rule, with and without "or basic", with and without an allowance for Σδ_i."""
    budget = Guarantee(draw(EPSILONS), draw(st.one_of(st.just(0.0), WHOLE_DELTAS)))
    rule = draw(st.sampled_from(rules))
    share = draw(st.sampled_from([0.0, 0.5, 1.0])) if rule in ("fully_adaptive", "zcdp") else 0.0
    return Filter(budget, rule, or_basic=draw(st.booleans()), release_delta=budget.delta * share)


@st.composite
def requests(draw, budget, most=8):
    """Requests of sizes that matter for the budget."""
    shares = st.sampled_from([1e-3, 0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0])
    each = st.builds(
        lambda share, leak: Guarantee(min(budget.epsilon * share, 1e300), min(budget.delta * leak, 1.0)),
        shares, st.sampled_from([0.0, 0.0, 0.1, 0.3]),
    )  # fmt: skip
    return draw(st.lists(each, min_size=1, max_size=most))


class TestReferences:
    """The reference values: K, the fully adaptive line, and the curves point for point."""

    @pytest.mark.parametrize(("section", "factor"), [("rruv_thm51_K", 1), ("rruv_K_variant_H_ln2", 2)])
    def test_rogers(self, section, factor):
        for arguments, value in rows(section):
            epsilon, count = float(arguments["eps"]), arguments["k"]
            budget, delta = float(arguments["eps_g"]), float(arguments["delta_g"])
            floor = variance_floor(budget, delta) * math.log(1 / delta) / math.log(factor / delta)
            found = rogers_epsilon(count * epsilon**2, count * epsilon * math.expm1(epsilon) / 2, delta, floor)
            assert found == pytest.approx(float(value), rel=DOUBLE)

    def test_rogers_as_a_filter_rounds_up(self):
        for arguments, value in rows("rruv_thm51_K"):
            epsilon, count = float(arguments["eps"]), arguments["k"]
            f = Filter(Guarantee(float(arguments["eps_g"]), float(arguments["delta_g"])), "rogers")
            after = f.tally.plus(f.charge(Guarantee(epsilon)), count) if count else f.tally
            sums = tuple(map(float, after.sums))
            assert float(value) <= f.bound_of(sums) <= float(value) * (1 + ROUNDING)

    def test_fully_adaptive(self):
        for arguments, value in rows("whitehouse_filter_eps"):
            square = arguments["k"] * float(arguments["eps"]) ** 2
            assert fully_adaptive_epsilon(square, float(arguments["delta_prime"])) == pytest.approx(
                float(value), rel=DOUBLE
            )

    def test_breakeven(self):
        for delta, values in GOLDEN["filter_breakeven_eps"]["value"].items():
            budget = Guarantee(0.2, float(delta))
            limit = float(values["S_star_whitehouse"])
            assert limit * (1 - ROUNDING) <= fully_adaptive_limit(0.2, budget.delta) <= limit
            found = breakeven_epsilon(Filter(budget, "fully_adaptive"))
            assert found == pytest.approx(float(values["eps_breakeven_whitehouse"]), rel=ROUNDING)
            floor = variance_floor(0.2, budget.delta)
            assert floor == pytest.approx(float(values["H"]), rel=DOUBLE)
            assert rogers_epsilon(0.0, 0.0, budget.delta, floor) == pytest.approx(
                float(values["K_floor_sqrt(2H ln(2/d))"]), rel=DOUBLE
            )
            square = float(values["S_star_rruv(no drift)"])
            assert rogers_epsilon(square, 0.0, budget.delta, floor) == pytest.approx(0.2, rel=DOUBLE)
            without_drift = float(values["eps_breakeven_rruv_vs_basic=S/eps_g"])
            assert without_drift * (1 - 5e-3) < breakeven_epsilon(Filter(budget, "rogers")) < without_drift

    @pytest.mark.parametrize("name", list(GOLDEN["curves"]))
    def test_curves(self, name):
        section = GOLDEN["curves"][name]
        budget, delta = Guarantee(*map(float, section["global"])), float(section["delta_access"])
        kept = budget.delta / 2 if delta else 0.0
        filters = {
            "basic_float64": Filter(budget, arithmetic="float64"),
            "advanced_float64": Filter(budget, "rogers", arithmetic="float64"),
            "sherpa_float64": Filter(budget, "rogers", or_basic=True, arithmetic="float64"),
            "basic_exact": Filter(budget),
            "rruv_advanced_exact": Filter(budget, "rogers"),
            "sherpa_rule_exact": Filter(budget, "rogers", or_basic=True),
            "whitehouse": Filter(budget, "fully_adaptive", release_delta=kept),
            "whitehouse_or_basic": Filter(budget, "fully_adaptive", or_basic=True, release_delta=kept),
            "zcdp_tight_cks_filter": Filter(budget, "zcdp", release_delta=kept),
            "zcdp_tight_cks_or_basic": Filter(budget, "zcdp", or_basic=True, release_delta=kept),
        }
        as_float = [float(row["eps_effective"]) for row in section["rows"]]
        if name == "sherpa_composition_plot":
            as_float = np.arange(2e-3, 2e-1, 2e-3).tolist()  # the notebook's own grid: 0.020000000000000004 for 0.02
        for row, epsilon in zip(section["rows"], as_float, strict=True):
            values = {"float64": epsilon, "decimal": float(row["eps_effective"])}
            found = {
                key: runs_until_exhausted(f, Guarantee(values[f.arithmetic], delta)) for key, f in filters.items()
            }
            assert found == {key: row[key] for key in filters}, row["eps"]

    def test_regimes(self):
        """Which rule wins depends on the size of the requests; budget (1, 1e-6)."""
        filters = [Filter(Guarantee(1, 1e-6), rule) for rule in RULES[:3]]
        assert [runs_until_exhausted(f, Guarantee(0.01)) for f in filters] == [100, 147, 349]
        assert [runs_until_exhausted(f, Guarantee(0.05)) for f in filters] == [20, 5, 13]


class TestDecisions:
    """Who is admitted, who is refused, and with which words."""

    def test_typed_decimals_decide(self):
        f = Filter(Guarantee(0.3)).spend(Guarantee(0.1))
        assert f.spend(Guarantee(0.2)).spent == Guarantee(0.3)
        assert f.largest_epsilon() == 0.2
        assert not f.admits(Guarantee(math.nextafter(0.2, 1)))
        assert runs_until_exhausted(Filter(Guarantee(0.2)), Guarantee(0.002)) == 100
        assert runs_until_exhausted(Filter(Guarantee(0.2), arithmetic="float64"), Guarantee(0.002)) == 99

    def test_refusal_carries_filter_and_request(self):
        f, request = Filter(Guarantee(0.3)), Guarantee(0.4)
        with pytest.raises(BudgetExceeded, match=r"the sum of all ε would exceed ε = 0\.3") as caught:
            f.spend(request)
        assert caught.value.filter is f and caught.value.request is request
        assert f == Filter(Guarantee(0.3)) and f.bound == 0.0

    def test_default_mechanism_or_one_per_query(self):
        """Both versions of the notebook; neither is an error."""
        default = Filter(NOTEBOOK, mechanism=Laplace.from_epsilon(0.05))
        assert default.spend().spent == default.spend(Guarantee(0.05)).spent == Guarantee(0.05)
        assert runs_until_exhausted(default) == 4
        for ask in (Filter(NOTEBOOK).spend, Filter(NOTEBOOK).admits, lambda: runs_until_exhausted(Filter(NOTEBOOK))):
            with pytest.raises(ValueError, match="neither"):
                ask()

    def test_immutable(self):
        f = Filter(Guarantee(1))
        with pytest.raises(FrozenInstanceError):
            f.budget = Guarantee(2)
        f.spend(Guarantee(0.5))
        assert f.spent == Guarantee(0) and f.tally.count == 0

    def test_terms_are_fixed_once_something_is_spent(self):
        """A spent filter cannot be given a larger budget, or a kinder rule."""
        f = Filter(Guarantee(1, 1e-6)).spend(Guarantee(0.5))
        for change in ({"budget": Guarantee(2, 1e-6)}, {"rule": "zcdp"}, {"or_basic": True}, {"arithmetic": "float64"}):
            with pytest.raises(ValueError, match="before the first request"):
                replace(f, **change)
            assert replace(Filter(Guarantee(1, 1e-6)), **change).spent == Guarantee(0)
        assert replace(f, mechanism=Guarantee(0.1)).spent == Guarantee(0.5)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"budget": 0.2}, "budget must be a Guarantee"),
            ({"rule": "best"}, "rule must be one of basic, rogers, fully_adaptive, zcdp; got 'best'"),
            ({"or_basic": "yes"}, "or_basic must be True or False"),
            ({"arithmetic": "float32"}, "arithmetic must be one of decimal, float64"),
            ({"rule": "zcdp", "arithmetic": "float64"}, "arithmetic must be decimal for the rule zcdp"),
            ({"release_delta": 1e-7}, "release_delta must be 0"),
            ({"rule": "zcdp", "release_delta": 1e-5}, r"release_delta must be in \[0, 1e-06\]; got 1e-05"),
            ({"rule": "zcdp", "release_delta": math.nan}, r"release_delta must be in \[0, 1\]; got nan"),
            ({"mechanism": 0.1}, "must be a Guarantee or a mechanism"),
        ],
    )
    def test_bad_arguments(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            Filter(**{"budget": Guarantee(1, 1e-6), **arguments})

    def test_bad_requests(self):
        f = Filter(Guarantee(1, 1e-6))
        with pytest.raises(ValueError, match=r"must be a Guarantee or a mechanism; got 0\.1"):
            f.spend(0.1)
        with pytest.raises(ValueError, match=r"delta must be in \[0, 1\]; got 2"):
            f.largest_epsilon(2)

    def test_own_deltas_need_an_allowance(self):
        box = ApproximateDP(0.01, 1e-8)
        for rule in ("fully_adaptive", "zcdp"):
            for or_basic in (False, True):
                f = Filter(Guarantee(1, 1e-6), rule, or_basic=or_basic)
                assert f.reason(box) == "release_delta is 0, so that only requests without δ_i fit"
                assert runs_until_exhausted(f, box) == 0
                kept = Filter(Guarantee(1, 1e-6), rule, or_basic=or_basic, release_delta=5e-8)
                assert runs_until_exhausted(kept, box) == 5
        assert runs_until_exhausted(Filter(Guarantee(10, 1e-6), "rogers"), ApproximateDP(0.001, 1e-7)) == 5

    def test_or_basic_shares_the_allowance(self):
        """Basic alone may use all of δ for Σδ_i; beside another rule only what that rule keeps."""
        box = ApproximateDP(0.001, 1e-7)
        assert runs_until_exhausted(Filter(Guarantee(1, 1e-6)), box) == 10
        assert runs_until_exhausted(Filter(Guarantee(1, 1e-6), "rogers", or_basic=True), box) == 5
        assert runs_until_exhausted(Filter(Guarantee(1, 1e-6), "rogers", or_basic=True, arithmetic="float64"), box) == 5

    def test_rules_that_do_not_apply_say_so(self):
        for budget, rule, words in [
            (Guarantee(1), "rogers", "δ in (0, 1/e)"),
            (Guarantee(1, 0.4), "rogers", "δ in (0, 1/e)"),
            (Guarantee(0, 1e-6), "rogers", "ε above 0"),
            (Guarantee(1), "fully_adaptive", "proves no pure ε"),
            (Guarantee(1), "zcdp", "proves no pure ε"),
        ]:
            f = Filter(budget, rule)
            assert words in f.inapplicable and words in f.reason(Guarantee(0.1))
            assert f.bound == math.inf and f.largest_epsilon() == 0.0 and runs_until_exhausted(f, Guarantee(0.1)) == 0
            basic = Filter(budget, rule, or_basic=True)
            assert runs_until_exhausted(basic, Guarantee(0.1)) == runs_until_exhausted(Filter(budget), Guarantee(0.1))

    def test_gaussian_noise(self):
        """Without a stated pair only its ρ can be added up; then no basic rule admits it."""
        noise, budget = Gaussian(10), Guarantee(1, 1e-6)
        for rule in RULES[:3]:
            assert "no stated pair" in Filter(budget, rule).reason(noise)
            assert runs_until_exhausted(Filter(budget, rule), noise) == 0
        f = Filter(budget, "zcdp")
        count = runs_until_exhausted(f, noise)
        assert epsilon_from_rho(count * noise.rho, 1e-6) <= 1 < epsilon_from_rho((count + 1) * noise.rho, 1e-6)
        both = Filter(budget, "zcdp", or_basic=True)
        assert runs_until_exhausted(both, noise) == count
        assert both.spend(noise).spent.epsilon == math.inf and both.spend(noise).bound == f.spend(noise).bound

    def test_mechanisms_by_their_rho(self):
        """Laplace noise has a smaller ρ than its ε alone would prove."""
        f = Filter(Guarantee(1, 1e-6), "zcdp")
        assert runs_until_exhausted(f, Laplace.from_epsilon(0.5)) >= runs_until_exhausted(f, Guarantee(0.5))
        assert runs_until_exhausted(f, RandomizedResponse(0.05)) == runs_until_exhausted(f, Guarantee(0.05))
        assert Query.of(NameAndShame(0.01)) == Query.of(Guarantee(0.0, 0.01))

    def test_neighbour_relations_are_not_mixed(self):
        class Poisson(RandomizedResponse):
            __slots__ = ()
            relation = "add_remove"

        class Replace(RandomizedResponse):
            __slots__ = ()
            relation = "replace_one"

        f = Filter(Guarantee(1)).spend(Guarantee(0.1)).spend(Poisson(0.1))
        assert f.admits(Poisson(0.1)) and f.admits(Guarantee(0.1))
        assert "neighbour relation replace_one" in f.reason(Replace(0.1))
        assert runs_until_exhausted(f, Replace(0.1)) == 0
        with pytest.raises(ValueError, match="add_remove; got replace_one"):
            run(f, [Replace(0.1)])
        with pytest.raises(ValueError, match="share one neighbour relation"):
            run(Filter(Guarantee(1)), [Poisson(0.1), Replace(0.1)])

    def test_extremes(self):
        assert runs_until_exhausted(Filter(Guarantee(1)), Guarantee(1e-9)) == 10**9 == MOST_RUNS
        assert runs_until_exhausted(Filter(Guarantee(1)), Guarantee(0)) == MOST_RUNS
        assert runs_until_exhausted(Filter(Guarantee(math.inf, 1e-6)), Guarantee(5)) == MOST_RUNS
        for rule in RULES:
            f = Filter(Guarantee(math.inf, 1e-6), rule)
            assert f.largest_epsilon() == math.inf and f.spend(Guarantee(50)).bound <= math.inf
            assert f.reason(Guarantee(math.inf)) != ""
            assert not Filter(Guarantee(1, 1e-6), rule).admits(Guarantee(800))
            assert runs_until_exhausted(Filter(Guarantee(50, 1e-30), rule), Guarantee(1e-6)) > 10**7
        drift = Filter(Guarantee(1), arithmetic="float64")
        assert runs_until_exhausted(drift, Guarantee(1e-9)) == MOST_RUNS  # left to right it falls short of 1


class TestLaws:
    """What holds for every rule, budget and sequence."""

    @given(empty_filters(), EPSILONS, SMALL_DELTAS)
    def test_the_last_run_fits_and_one_more_does_not(self, f, epsilon, delta):
        charge, runs = f.charge(Guarantee(epsilon, delta)), runs_until_exhausted(f, Guarantee(epsilon, delta))
        assert runs == 0 or f.exceeded_by(f.tally.plus(charge, runs)) == ""
        assert runs == MOST_RUNS or f.exceeded_by(f.tally.plus(charge, runs + 1)) != ""

    @given(empty_filters(), EPSILONS, EPSILONS, SMALL_DELTAS)
    def test_counts_fall_with_epsilon(self, f, one, other, delta):
        small, large = sorted((one, other))
        counts = [runs_until_exhausted(f, Guarantee(epsilon, delta)) for epsilon in (small, large)]
        assert counts[0] >= counts[1]

    @given(empty_filters(), st.floats(1, 10), EPSILONS, SMALL_DELTAS)
    def test_counts_rise_with_the_budgets_epsilon(self, f, factor, epsilon, delta):
        larger = replace(f, budget=Guarantee(f.budget.epsilon * factor, f.budget.delta))
        request = Guarantee(epsilon, delta)
        assert runs_until_exhausted(larger, request) >= runs_until_exhausted(f, request)

    @given(empty_filters(), EPSILONS)
    def test_or_basic_admits_all_that_basic_admits_of_pure_requests(self, f, epsilon):
        both, basic = replace(f, or_basic=True), Filter(f.budget)
        counts = [runs_until_exhausted(each, Guarantee(epsilon)) for each in (both, basic, replace(f, or_basic=False))]
        assert counts[0] == max(counts)

    @given(WHOLE_DELTAS, EPSILONS, EPSILONS)
    def test_order_of_the_rules_for_pure_requests(self, delta, budget, epsilon):
        """zCDP with its tight conversion admits what the fully adaptive rule admits, and that what Rogers' admits."""
        assume(delta < math.exp(-1))
        counts = [runs_until_exhausted(Filter(Guarantee(budget, delta), rule), Guarantee(epsilon)) for rule in RULES]
        assert counts[3] >= counts[2] * (1 - 1e-11) - 1 and counts[2] >= counts[1]

    @given(st.data(), empty_filters())
    def test_largest_epsilon_is_the_last_that_is_admitted(self, data, f):
        f = run(f, data.draw(requests(f.budget)), "skip").end
        delta = data.draw(st.sampled_from([0.0, f.budget.delta / 10]))
        largest = f.largest_epsilon(delta)
        assert largest == 0.0 or f.admits(Guarantee(largest, delta))
        assert not f.admits(Guarantee(math.nextafter(largest, math.inf), delta))

    @given(st.data(), empty_filters())
    def test_bound_grows_to_the_budget_and_no_further(self, data, f):
        applies = f.bound < math.inf
        for request in data.draw(requests(f.budget)):
            if f.admits(request):
                after = f.spend(request)
                assert f.bound <= after.bound <= after.budget.epsilon
                assert after.spent.delta <= f.allowance
                f = after
        assert applies or f.tally.count == 0

    @given(st.lists(st.tuples(EPSILONS, MECHANISMS), min_size=1, max_size=6), WHOLE_DELTAS)
    def test_every_mechanism_gets_an_answer(self, pairs, delta):
        for rule in FILTERS:
            f = Filter(Guarantee(1, delta), rule.key, or_basic=True, release_delta=delta / 2 if rule.splits else 0.0)
            for epsilon, mechanism in pairs:
                for request in (Guarantee(epsilon), mechanism):
                    admitted = f.admits(request)
                    assert admitted == (runs_until_exhausted(f, request) > 0) == (f.reason(request) == "")
                    f = f.spend(request) if admitted else f

    @given(st.one_of(EPSILONS, st.floats(5, 600)))
    def test_charges_are_never_below_the_decimals(self, epsilon):
        """What a request adds covers the typed decimal, not only the double next to it."""
        with localcontext() as context:
            context.prec = 50
            exact = Decimal(repr(epsilon))
            truths = {
                "basic": [exact],
                "rogers": [exact * exact, exact * (exact.exp() - 1) / 2],
                "fully_adaptive": [exact * exact],
                "zcdp": [exact * (exact.exp() - 1) / (exact.exp() + 1)],
            }
            for rule, truth in truths.items():
                sums = Filter(Guarantee(1, 1e-6), rule).charge(Guarantee(epsilon)).sums
                slack = Decimal(repr(OUTWARD)) * max(1, exact)
                assert all(low <= found <= low * (1 + slack) for low, found in zip(truth, sums, strict=True))

    @given(WHOLE_DELTAS, EPSILONS, st.integers(1, 10**6))
    def test_bounds_are_never_below_the_formulas(self, delta, epsilon, count):
        with localcontext() as context:
            context.prec = 50
            exact, whole = Decimal(repr(epsilon)), Decimal(repr(delta))
            square, drift = count * exact * exact, count * exact * (exact.exp() - 1) / 2
            floor = Decimal(repr(variance_floor(1.0, delta)))
            root = ((square + floor) * (2 + (square / floor + 1).ln()) * (2 / whole).ln()).sqrt()
            truths = {"fully_adaptive": (-2 * whole.ln() * square).sqrt() + square / 2}
            truths |= {"rogers": drift + root} if delta < math.exp(-1) else {}
            for rule, truth in truths.items():
                f = Filter(Guarantee(1, delta), rule)
                sums = tuple(map(float, f.tally.plus(f.charge(Guarantee(epsilon)), count).sums))
                most = truth * (1 + Decimal(repr(OUTWARD)) * (1 + exact))
                bound = Decimal(repr(float(f.bound_of(sums))))
                assert truth <= bound
                assert bound <= most or most > Decimal("1e308")  # beyond doubles: inf

    @given(st.floats(0, 2), st.floats(1e-9, 2), st.integers(0, 3000), st.booleans())
    def test_repeated_sum_is_the_left_fold(self, total, step, times, tie):
        step = 2.0**-53 * round(step * 8) if tie else step
        expected = np.add.accumulate(np.concatenate([[total], np.full(times, step)]))[-1]
        assert repeated_sum(total, step, times) == expected

    @given(st.floats(-2.6, -1), st.sampled_from([Guarantee(0.2, 2e-30), Guarantee(0.3, 1e-3), Guarantee(0.1)]))
    def test_float64_counts_as_the_notebook_steps(self, power, budget):
        epsilon, history = 10**power, []
        while not _notebook_refuses([*history, epsilon], budget):
            history.append(epsilon)
        f = Filter(budget, "rogers", or_basic=True, arithmetic="float64")
        assert runs_until_exhausted(f, Guarantee(epsilon)) == len(history)


def _notebook_refuses(history, budget):
    if not sum(np.add.accumulate(history)[-1:]) > budget.epsilon:
        return False
    if not 0 < budget.delta < math.exp(-1):
        return True
    floor = budget.epsilon**2 / (28.04 * math.log(1 / budget.delta))
    square = np.add.accumulate([each**2 for each in history])[-1]
    drift = np.add.accumulate([each * (math.exp(each) - 1) * 0.5 for each in history])[-1]
    root = math.sqrt((square + floor) * (2 + math.log(square / floor + 1)) * math.log(2 / budget.delta))
    return drift + root > budget.epsilon


def _truth(rule, pairs, budget, release_delta):
    """Whether the rule's own inequalities hold, in 50 digits and from the paper's forms."""
    with localcontext() as context:
        context.prec = 50
        epsilons, deltas = ([Decimal(repr(value)) for value in column] for column in zip(*pairs, strict=True))
        epsilon, delta, kept = (Decimal(repr(value)) for value in (budget.epsilon, budget.delta, release_delta))
        square = sum(each * each for each in epsilons)
        if rule == "basic":
            return sum(epsilons) <= epsilon and sum(deltas) <= delta
        if rule == "rogers":
            floor = epsilon**2 / (Decimal("28.04") * -delta.ln())
            drift = sum(each * (each.exp() - 1) / 2 for each in epsilons)
            root = (2 * (square + floor) * (1 + (square / floor + 1).ln() / 2) * (2 / delta).ln()).sqrt()
            return drift + root <= epsilon and sum(deltas) <= delta / 2
        if rule == "fully_adaptive":
            return (-2 * (delta - kept).ln() * square).sqrt() + square / 2 <= epsilon and sum(deltas) <= kept
        rho = sum(each * (each.exp() - 1) / (each.exp() + 1) for each in epsilons)
        return delta_from_rho(float(rho) * (1 - 1e-14), budget.epsilon) <= float(delta - kept) * (1 + 1e-12) and (
            sum(deltas) <= kept
        )


@pytest.mark.hypothesis
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("or_basic", [False, True])
def test_nothing_ever_exceeds_the_budget(rule, or_basic):
    """Random sequences, 10,000 in all, checked by the formulas themselves; what was refused had a reason."""
    rng = random.Random(rule)
    for _ in range(share(300, 1250)):
        budget = Guarantee(rng.choice([0.1, 0.3, 1.0, 5.0]), rng.choice([1e-30, 1e-6, 0.1]))
        kept = budget.delta * rng.choice([0.0, 0.5]) if rule in RULES[2:] else 0.0
        f = Filter(budget, rule, or_basic=or_basic, release_delta=kept)
        scale = budget.epsilon * rng.choice([0.03, 0.1, 0.3, 0.7])
        pairs = [
            (float(f"{scale * rng.random():.4g}"), rng.choice([0.0, 0.0, 0.0, float(f"{kept * rng.random():.3g}")]))
            for _ in range(rng.randint(1, 25))
        ]
        admitted = run(f, Queries.of_pairs(*map(np.array, zip(*pairs, strict=True))), "skip").admitted
        spent = [pair for pair, fits in zip(pairs, admitted, strict=True) if fits]
        assert not spent or _truth(rule, spent, budget, kept) or (
            or_basic and sum(Fraction(repr(each)) for each, _ in spent) <= Fraction(repr(budget.epsilon))
            and sum(Fraction(repr(each)) for _, each in spent) <= Fraction(repr(f.allowance))
        )  # fmt: skip
        if not or_basic and rule != "zcdp" and not admitted.all():
            first = int(np.argmin(admitted))
            assert not _truth(rule, pairs[: first + 1], budget, kept)


class TestAdversary:
    """The promise itself: what an adaptive adversary sees is (ε, δ)-DP, by summing over all transcripts."""

    @given(st.data(), st.sampled_from(RULES), st.booleans(), st.integers(0, 2**32))
    def test_transcript_keeps_the_budget(self, data, rule, or_basic, seed):
        budget = Guarantee(data.draw(st.sampled_from([0.3, 1.0, 2.0])), data.draw(st.sampled_from([0.01, 0.1, 0.3])))
        kept = budget.delta * data.draw(st.sampled_from([0.0, 0.3])) if rule in RULES[2:] else 0.0
        f = Filter(budget, rule, or_basic=or_basic, release_delta=kept)
        shares = data.draw(st.tuples(*[st.sampled_from([0.1, 0.3, 0.6, 1.0])] * 3))
        leaks = data.draw(st.booleans())

        def ask(f, loss, depth):
            """Double up while behind, and spend all that is left when ahead."""
            choice = random.Random(f"{seed} {depth} {loss > 0}").randrange(3)
            leak = f.allowance / 8 if leaks and choice else 0.0
            return Guarantee(f.largest_epsilon(leak) * shares[choice], leak)

        found = _transcript_delta(f, ask, math.exp(budget.epsilon), 1.0, 1.0, 0)
        assert found <= budget.delta * (1 + 1e-9)

    def test_the_check_would_see_a_false_filter(self):
        """Against half the budget, what a filter let pass sums up to too much."""
        budget = Guarantee(0.3, 0.1)
        found = _transcript_delta(
            Filter(Guarantee(0.6, 0.2)), lambda f, loss, depth: Guarantee(0.3, 0.05), math.exp(0.3), 1.0, 1.0, 0
        )
        assert found > budget.delta


def _transcript_delta(f, ask, threshold, p, q, depth):
    """Σ (P - e^ε Q)_+ over all transcripts; each answer is a leaky randomized response, the worst of its pair."""
    if depth == 6 or p <= 0:
        return max(0.0, p - threshold * q)
    request = ask(f, math.log(p / q), depth)
    if request.epsilon == 0 or not f.admits(request):
        return max(0.0, p - threshold * q)
    after, truth = f.spend(request), 1 / (1 + math.exp(-request.epsilon))
    stays = 1 - request.delta
    likely = _transcript_delta(after, ask, threshold, p * stays * truth, q * stays * (1 - truth), depth + 1)
    unlikely = _transcript_delta(after, ask, threshold, p * stays * (1 - truth), q * stays * truth, depth + 1)
    return p * request.delta + likely + unlikely


class TestRuns:
    """Sequences: decided many at once, exactly as one by one."""

    @given(st.data(), empty_filters(), st.sampled_from(AFTER_REFUSAL))
    def test_as_one_by_one(self, data, f, after_refusal):
        sequence = data.draw(requests(f.budget, most=20))
        outcome, current, stopped = run(f, sequence, after_refusal), f, False
        bounds = outcome.bounds
        for step, request in enumerate(sequence):
            expected = not stopped and current.admits(request)
            assert outcome.admitted[step] == expected == (outcome.reasons[step] == "")
            current = current.spend(request) if expected else current
            stopped = stopped or (not expected and after_refusal == "stop")
            assert current.bound * (1 - 1e-13) <= bounds[step] <= current.bound * (1 + 1e-13) or (
                bounds[step] == current.bound
            )
        assert outcome.end == current

    @pytest.mark.parametrize("after_refusal", AFTER_REFUSAL)
    def test_float64_as_one_by_one(self, after_refusal):
        rng = random.Random(1)
        for rule, or_basic in (("basic", False), ("rogers", False), ("rogers", True)):
            f = Filter(Guarantee(0.2, 2e-10), rule, or_basic=or_basic, arithmetic="float64")
            sequence = [Guarantee(rng.choice([0.001, 0.002, 0.003]) * rng.random()) for _ in range(300)]
            current, admitted = f, []
            for request in sequence:
                fits = current.admits(request) and (after_refusal == "skip" or all(admitted))
                current = current.spend(request) if fits else current
                admitted.append(fits)
            outcome = run(f, sequence, after_refusal)
            assert outcome.admitted.tolist() == admitted and outcome.end == current and not all(admitted)

    def test_stop_and_skip(self):
        sequence = [Guarantee(0.1), Guarantee(0.25), Guarantee(0.2)]
        stop, skip = (odometer(Filter(Guarantee(0.3)), sequence, mode) for mode in AFTER_REFUSAL)
        assert list(stop.columns) == ["step", "epsilon", "delta", "admitted", "bound", "reason"]
        assert stop["admitted"].tolist() == [True, False, False] and stop["bound"].tolist() == [0.1, 0.1, 0.1]
        told = ["the sum of all ε would exceed ε = 0.3", "not asked: request 2 was refused"]
        assert stop["reason"].tolist()[1:] == told
        assert skip["admitted"].tolist() == [True, False, True] and skip["bound"].tolist() == [0.1, 0.1, 0.3]
        with pytest.raises(ValueError, match="after_refusal must be one of stop, skip; got 'go'"):
            run(Filter(Guarantee(0.3)), sequence, "go")

    def test_empty_and_mixed(self):
        assert len(odometer(Filter(Guarantee(1)), [])) == 0
        frame = odometer(Filter(Guarantee(1, 1e-6)), [Gaussian(10), Guarantee(2), Gaussian(9), Guarantee(0.5)], "skip")
        assert frame["admitted"].tolist() == [False, False, False, True]
        assert ["no stated pair" in reason for reason in frame["reason"]] == [True, False, True, False]
        with pytest.raises(ValueError, match="request 2: a request must be a Guarantee"):
            run(Filter(Guarantee(1)), [Guarantee(0.1), "0.1"])
        endless = Filter(Guarantee(math.inf, 1e-6))
        assert run(endless, [Guarantee(0.1), Gaussian(10)], "skip").admitted.tolist() == [True, False]

    @pytest.mark.parametrize("rule", RULES)
    def test_a_million(self, rule):
        queries = Queries.of_pairs(np.full(MAXIMUM_QUERIES, 0.001))
        f = Filter(Guarantee(0.2, 2e-30), rule)
        for mode in AFTER_REFUSAL:
            outcome = run(f, queries, mode)
            runs = runs_until_exhausted(f, Guarantee(0.001))
            assert outcome.admitted.sum() == outcome.end.tally.count == runs and outcome.admitted[:runs].all()
        bounds = outcome.bounds
        assert (np.diff(bounds) >= 0).all() and bounds[-1] <= 0.2
        with pytest.raises(ValueError, match="at most 1,000,000 requests"):
            Queries.of_pairs(np.full(MAXIMUM_QUERIES + 1, 0.001))

    def test_many_values_of_rho(self):
        """Interpolated orders prove their ε too, and lose next to nothing."""
        rho = np.geomspace(1e-12, 10, 2000)
        found = concentrated_epsilon(rho, 1e-6)
        tight = np.array([epsilon_from_rho(each, 1e-6) for each in rho[::37]])
        assert (found[::37] >= tight * (1 - 1e-12)).all() and (found[::37] <= tight * (1 + 1e-6) + 1e-15).all()

    def test_rho_of_the_budget_against_mpmath(self):
        for epsilon, delta in ((0.2, 2e-30), (1.0, 1e-6), (50.0, 1e-30), (1e-6, 0.5)):
            limit = Filter(Guarantee(epsilon, delta), "zcdp").largest_sum
            target = mpmath.log(mpmath.mpf(repr(delta)))
            assert _log_delta(limit, epsilon) <= target * (1 - mpmath.mpf("1e-15")) < 0  # decimals of 15 digits
            assert _log_delta(limit * (1 + 1e-9), epsilon) > target


def _log_delta(rho, epsilon):
    """ln δ of Canonne, Kamath & Steinke's Cor. 13 at its stationary order, in 40 digits."""
    with mpmath.workdps(40):
        rho, epsilon = mpmath.mpf(repr(rho)), mpmath.mpf(repr(epsilon))
        low, high = mpmath.mpf(-60), mpmath.mpf(60)
        for _ in range(150):
            middle = (low + high) / 2
            order = 1 + mpmath.exp(middle)
            rising = (2 * order - 1) * rho - epsilon + mpmath.log1p(-1 / order) > 0
            low, high = (low, middle) if rising else (middle, high)
        return (order - 1) * (order * rho - epsilon) + order * mpmath.log1p(-1 / order) - mpmath.log(order - 1)


class TestText:
    """Typed and uploaded sequences."""

    @pytest.mark.parametrize(
        ("text", "epsilons", "deltas"),
        [
            ("0.1\n0.2", [0.1, 0.2], [0, 0]),
            ("0.1, 1e-9\n\n# later\n0.2", [0.1, 0.2], [1e-9, 0]),
            ("\ufeffEpsilon;Count\r\n0.1;2\r\n0.25;1\r\n", [0.1, 0.1, 0.25], [0, 0, 0]),
            ("delta\tepsilon\n1e-9\t0.1", [0.1], [1e-9]),
            ("", [], []),
            ("epsilon", [], []),
            (b"0.1,,3", [0.1] * 3, [0] * 3),
            ("name,mechanism,epsilon,count\nVisits,laplace,0.11,2", [0.11] * 2, [0, 0]),
        ],
    )
    def test_read(self, text, epsilons, deltas):
        queries = queries_from_text(text)
        assert queries.epsilon.tolist() == epsilons and queries.delta.tolist() == deltas

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("0.1\n-0.2", r"line 2, epsilon '-0.2': must be in [0, inf)"),
            ("nan\n0.1", "line 1, epsilon 'nan': must be a number"),
            ("0.1\n\nmany", "line 3, epsilon 'many': must be a number"),
            ("inf", "line 1, epsilon 'inf': must be in [0, inf)"),
            ("0.1\n1e-999", "line 2, epsilon '1e-999': must be a number"),
            ("0.1, 1", "line 1, delta '1': must be in [0, 1)"),
            ("0,2", "line 1, delta '2': must be in [0, 1)"),
            ("0.1,0,2.5", "line 1, count '2.5': must be in [0, 1000000], a whole number"),
            ("0.1,0,1,7", "line 1, row '0.1,0,1,7': must be at most 3 numbers"),
            ("epsilon,speed\n0.1,2", "line 1, header 'speed': must be one of the columns epsilon, delta, count"),
            ("epsilon,epsilon\n0.1,2", "must name each column once"),
            ("delta\n0.1", "must have the column epsilon"),
            ("epsilon,delta\n,0.1", "line 2, epsilon '': must be a number"),
            (b"0.1\n0.\xff", "line 2, text 'ÿ': must be UTF-8 text"),
            ("0.1,0,1000000\n0.2", "line 2, row '0.2': must be at most 1,000,000 queries in all"),
            ("0.1\n" * 1_000_000, "line 100001, row '0.1': must be at most 100,000 lines"),
            ("name,mechanism,epsilon\nVisits,laplace,-1", "line 2, epsilon '-1'"),
            ("name,mechanism,epsilon,count\nVisits,laplace,1,2000000", "must be at most 1,000,000 queries in all"),
        ],
    )
    def test_refused_with_line_and_value(self, text, message):
        with pytest.raises(PlanFileError) as caught:
            queries_from_text(text)
        assert message in str(caught.value) and str(caught.value).startswith("The sequence was not read")

    def test_all_problems_at_once(self):
        with pytest.raises(PlanFileError) as caught:
            queries_from_text("0.1\n-1\nx\n0.2,3")
        assert [problem.line for problem in caught.value.problems] == [2, 3, 4]

    @pytest.mark.parametrize("bad", [[0.1, -0.2], [math.nan], ["a"], [math.inf]])
    def test_arrays(self, bad):
        with pytest.raises(ValueError, match=r"epsilon must be in \[0, inf\); got"):
            Queries.of_pairs(bad)


def test_records():
    """Every rule says what it states, needs and where it is proved."""
    assert RULES == ["basic", "rogers", "fully_adaptive", "zcdp"]
    for rule in FILTERS:
        assert rule.label and "\\" in rule.statement and rule.assumes and "(20" in rule.source


def test_benchmark_runs(capsys):
    """The benchmark's counts agree with stepping, on a few points."""
    assert len(benchmark.main((1,), 4)) == 2
    assert "ratio" in capsys.readouterr().out
