"""The claims of the Sherpa notebook on composition concepts."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from dpviz.adversary import midpoint_error
from dpviz.adversary.midpoint import normal_midpoint_error
from dpviz.adversary.neighbours import compared
from dpviz.adversary.risk import best_success
from dpviz.composition import compose
from dpviz.composition.crossings import first_below
from dpviz.decimals import rounded_up, weighted_sums
from dpviz.filters import Filter, breakeven_epsilon, runs_until_exhausted
from dpviz.filters.filter import rule_named
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Gaussian, Laplace, RandomizedResponse
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss
from dpviz.search import last_count
from dpviz.sources.claim import RIGHT, WRONG, Claim

ADVANCED = "Dwork & Roth (2014), Thm 3.20"
ROGERS = "Rogers, Roth, Ullman & Vadhan (2016), Thm 5.1"
BUDGET = Guarantee(0.2, 2e-30)
PLOTTED = tuple(float(Fraction(2 * n, 1000)) for n in range(1, 100))  # 0.002, 0.004, …, 0.198
AS_RUN = tuple(2e-3 + n * 2e-3 for n in range(99))  # the doubles of the notebook's np.arange, which drift
HALF, ONE, NORMAL = NOTEBOOK = (
    Laplace.from_epsilon(0.5),
    Laplace.from_epsilon(1.0),
    Gaussian.from_guarantee(0.5, 0.01, calibration="classical"),
)
PRINTED_MEANS = (1.0096424469891259, 1.9420186200234533)  # the notebook's output, of the secrets 1 and 2


def repeated(epsilon: float, count: int) -> Plan:
    """Return a plan of `count` releases, each the worst that is ε-DP."""
    return Plan([Release("release", RandomizedResponse(epsilon), count)])


def total(theorem: str, epsilon: float, count: int, delta: float) -> float:
    """Return ε of `count` releases under a theorem."""
    return compose(repeated(epsilon, count), delta, theorem).epsilon


def printed_advanced(epsilon: float, count: int, slack: float) -> float:
    """Return advanced composition as the notebook has it: without the factor ε before the root.

    Examples
    --------
    >>> printed_advanced(0.5, 3, 0.1)
    4.690004094900031
    """
    return math.sqrt(2 * count * math.log(1 / slack)) + count * epsilon * (math.exp(epsilon) - 1)


def _printed_crossing(epsilon: float, slack: float) -> int:
    """The first count at which the printed formula is below the plain sum."""
    return last_count(lambda count: printed_advanced(epsilon, count, slack) >= count * epsilon, 10**6) + 1


def _real_crossing(drift: float, slack: float) -> float:
    return 2 * math.log(1 / slack) / (1 - drift) ** 2


@lru_cache(maxsize=1)
def _loss() -> PrivacyLoss:
    return PrivacyLoss.of(NOTEBOOK)


def _deviation(times: int = 1000) -> float:
    """The standard deviation of the mean of all outputs."""
    variance = sum(each.noise.deviation**2 for each in NOTEBOOK)
    return math.sqrt(variance / times) / len(NOTEBOOK)


def _spent_in_doubles(times: int = 1000) -> float:
    spent = 0.0
    for mechanism in NOTEBOOK * times:
        spent += mechanism.stated.delta
    return spent


def _epsilon_in_doubles(times: int = 1000) -> float:
    return sum(mechanism.stated.epsilon for mechanism in NOTEBOOK * times)


def _epsilon_that_holds(times: int = 1000) -> float:
    """ε at the largest δ that still says anything."""
    plan = Plan([Release(f"release {n}", mechanism, times) for n, mechanism in enumerate(NOTEBOOK)])
    return compose(plan, math.nextafter(1.0, 0.0), "basic").epsilon


def _delta_spent(times: int = 1000) -> float:
    """Σδ_i in exact decimals."""
    return rounded_up(weighted_sums([[times] * 3], [mechanism.stated.delta for mechanism in NOTEBOOK])[0])


def runs(epsilon: float, rule: str = "rogers", arithmetic: str = "float64", or_basic: bool = True) -> int:
    """Return how many runs the budget of the notebook's plot admits."""
    return runs_until_exhausted(Filter(BUDGET, rule, or_basic=or_basic, arithmetic=arithmetic), Guarantee(epsilon))


def _points_like_basic() -> int:
    return sum(runs(epsilon) == runs(epsilon, "basic") for epsilon in AS_RUN)


def _points_off_by_one() -> int:
    pairs = zip(AS_RUN, PLOTTED, strict=True)
    return sum(runs(as_run) == runs(typed, arithmetic="decimal") - 1 for as_run, typed in pairs)


def _printed_bound(epsilon: float, count: int) -> float:
    """K of the notebook for equal ε, as its repository prints it."""
    floor = BUDGET.epsilon**2 / (28.04 * math.log(1 / BUDGET.delta))
    square = count * epsilon**2
    root = math.sqrt((square + floor) * (2 + math.log(square / floor + 1)) * math.log(2 / BUDGET.delta))
    return count * epsilon * (math.exp(epsilon) - 1) / 2 + root


def _rogers_bound(epsilon: float, count: int) -> float:
    filter = Filter(BUDGET, "rogers")
    return float(filter.bound_of(tuple(count * each for each in filter.record.charge(epsilon, 0.0, 1.0))))


def _mixed(epsilons: tuple[float, ...]) -> float:
    return compose([RandomizedResponse(each) for each in epsilons], 1e-6, "advanced").epsilon


_LADDER = tuple(float(Fraction(n, 100)) for n in range(1, 51))  # 0.01, 0.02, …, 0.5

COMPOSITION_CLAIMS = (
    Claim("sherpa_basic", "1.1", "k releases of (ε_i, δ_i) cost (Σε_i, Σδ_i).",
        "So it is, for any fixed neighbour relation, also when each release depends on earlier outputs.",
        RIGHT, "ε of 350 releases of ε = 0.5", lambda: 350 * 0.5, lambda: total("basic", 0.5, 350, 0.0),
        "Dwork & Roth (2014), Thm 3.16"),
    Claim("sherpa_advanced_3", "1.2", "Advanced composition: √(2k ln(1/δ')) + kε(e^ε - 1).",
        "The root lacks its factor ε: ε√(2k ln(1/δ')) + kε(e^ε - 1). At ε = 0.5 the root is twice too large.",
        WRONG, "ε of 3 releases of ε = 0.5 at δ' = 0.1", lambda: printed_advanced(0.5, 3, 0.1),
        lambda: total("advanced", 0.5, 3, 0.1), ADVANCED, (
            ("tight mean", lambda: total("advanced_tight", 0.5, 3, 0.1)),
            ("basic", lambda: total("basic", 0.5, 3, 0.1)), ("Kairouz-Oh-Viswanath", lambda: total("kov", 0.5, 3, 0.1)),
            ("optimal", lambda: total("optimal", 0.5, 3, 0.1)),
        )),
    Claim("sherpa_advanced_350", "1.2", "350 releases cost ε = 153.67 by the advanced theorem, 175 by basic.",
        "The same missing factor ε.",
        WRONG, "ε of 350 releases of ε = 0.5 at δ' = 0.1", lambda: printed_advanced(0.5, 350, 0.1),
        lambda: total("advanced", 0.5, 350, 0.1), ADVANCED, (
            ("tight mean", lambda: total("advanced_tight", 0.5, 350, 0.1)),
            ("basic", lambda: total("basic", 0.5, 350, 0.1)), ("optimal", lambda: total("optimal", 0.5, 350, 0.1)),
        )),
    Claim("sherpa_crossing", "1.2",
        "The advanced theorem pays only for a huge number of accesses; near k = 150 both are almost identical.",
        "The crossing at 150 comes from the missing factor. Advanced wins from 38 on, with the tight mean from 9.",
        WRONG, "first k at which advanced is below basic, ε = 0.5, δ' = 0.1", lambda: _printed_crossing(0.5, 0.1),
        lambda: first_below(RandomizedResponse(0.5), "advanced", 0.1), ADVANCED, (
            ("in reals", lambda: _real_crossing(math.expm1(0.5), 0.1)),
            ("tight mean", lambda: first_below(RandomizedResponse(0.5), "advanced_tight", 0.1)),
            ("tight mean, in reals", lambda: _real_crossing(math.tanh(0.25), 0.1)),
            ("½ε²", lambda: first_below(RandomizedResponse(0.5), "advanced_zcdp", 0.1)),
        )),
    Claim("sherpa_small_epsilon", "1.2", "The same formula for small ε.",
        "The smaller ε, the worse: as printed the total does not even vanish with ε.",
        WRONG, "first k at which advanced is below basic, ε = 0.1, δ' = 10⁻⁶", lambda: _printed_crossing(0.1, 1e-6),
        lambda: first_below(RandomizedResponse(0.1), "advanced", 1e-6), ADVANCED),
    Claim("sherpa_delta_zero", "1.2", "The advanced theorem holds for all ε, δ, δ' ≥ 0.",
        "δ' must lie above 0 (and below 1): at δ' = 0 it promises nothing, ε is infinite.",
        WRONG, "ε of 3 releases at δ' = 0", None, lambda: total("advanced", 0.5, 3, 0.0), ADVANCED),
    Claim("sherpa_same_mechanism", "1.2", "The advanced theorem assumes the same mechanism in each access.",
        "It never asks for the same mechanism, only for (ε, δ), and there are forms for mixed ε_i: no need to count "
        "each release as the largest.",
        WRONG, "ε of 50 releases with ε_i = 0.01 to 0.5 at δ = 10⁻⁶", lambda: total("advanced", 0.5, 50, 1e-6),
        lambda: _mixed(_LADDER), "Kairouz, Oh & Viswanath (2015), Thm 3.5"),
    Claim("sherpa_spent", "1.1", "2000 ε and 9.999999999999831 δ were spent.",
        "Σδ_i is exactly 10; the digits are rounding. A δ of 1 or more promises nothing, so there is no ε to state.",
        WRONG, "ε that holds of the 3000 releases", _epsilon_in_doubles, _epsilon_that_holds,
        "Dwork & Roth (2014), Def. 2.4", (
            ("Σδ_i as printed", _spent_in_doubles), ("Σδ_i", _delta_spent),
            ("drift", lambda: _delta_spent() - _spent_in_doubles()),
        )),
    Claim("sherpa_neighbours", "note", "Neighbours differ in one component, by at most 1, at equal length.",
        "That is a relation of bounded change, which makes the identity 1-sensitive. Usually one record changes at "
        "will: the identity then has the range of the data as its sensitivity.",
        WRONG, "sensitivity of the identity on [1, 28, 91]", lambda: compared([1, 28, 91], [2, 28, 91]).distance,
        lambda: max(1, 28, 91) - min(1, 28, 91), "Dwork & Roth (2014), Def. 2.4"),
    Claim("sherpa_pair", "note", "[1, 2, 3, 4] and [1, 2, 5, 8] are no neighbours.",
        "Right, but for two reasons at once, so that the pair does not show the clause “by at most 1”.",
        RIGHT, "components that differ", lambda: sum(a != b for a, b in zip((1, 2, 3, 4), (1, 2, 5, 8), strict=True)),
        lambda: len(compared([1, 2, 3, 4], [1, 2, 5, 8]).differing), "the notebook's own rule",
        (("largest change", lambda: compared([1, 2, 3, 4], [1, 2, 5, 8]).distance),)),
    Claim("sherpa_indistinguishable", "1", "Privacy is preserved: it is not possible to tell the databases apart.",
        "One round of three outputs already tells them apart in 7 of 10 cases. DP bounds the odds, it does not level "
        "them.",
        WRONG, "best rate of right guesses after one round, prior ½",
        lambda: best_success(PrivacyLoss.of(RandomizedResponse(0.0))), lambda: best_success(_loss()),
        "Kairouz, Oh & Viswanath (2015), Thm 2.1", (
            ("total variation", lambda: _loss().advantage), ("Laplace 0.5", lambda: HALF.delta(0.0)),
            ("Laplace 1", lambda: ONE.delta(0.0)), ("Gaussian", lambda: NORMAL.delta(0.0)),
        )),
    Claim("sherpa_rounds", "1", "After enough rounds one can tell in which database the secret is.",
        "So it is: the midpoint test on the mean of 3000 outputs errs about five times in 10¹².",
        RIGHT, "error rate of the midpoint test after 3000 releases", None, lambda: midpoint_error(NOTEBOOK, 1000),
        "Lugannani & Rice (1980)", (
            ("if the mean were normal", lambda: normal_midpoint_error(NOTEBOOK, 1000)),
            ("standard deviation of the mean", _deviation),
            ("first printed mean, in deviations", lambda: (PRINTED_MEANS[0] - 1) / _deviation()),
            ("second printed mean, in deviations", lambda: (PRINTED_MEANS[1] - 2) / _deviation()),
        )),
    Claim("sherpa_membership", "1 and 2", "The adversary receives y_i ∈ M_i(x_i^b).",
        "y_i is drawn from the distribution M_i(x_i^b): y_i ~ M_i(x_i^b).",
        WRONG, "", None, None, "Dwork, Rothblum & Vadhan (2010), composition experiment"),
    Claim("sherpa_observe", "1.2", "Composition theorems forbid looking at intermediate results.",
        "Each release may depend on all earlier outputs. Fixed in advance are only the number of releases and their "
        "(ε_i, δ_i); a filter frees those too.",
        WRONG, "", None, None, "Dwork, Rothblum & Vadhan (2010); Rogers et al. (2016)"),
    Claim("sherpa_filter_promise", "2", "A filter guarantees with high probability that ε_g is never exceeded.",
        "A filter makes the whole transcript (ε_g, δ_g)-DP. The high probability belongs to the privacy loss; the "
        "spend never exceeds the budget.",
        WRONG, "", None, None, "Rogers, Roth, Ullman & Vadhan (2016), Def. 3.4"),
    Claim("sherpa_rogers", "2.2", "The advanced filter: K ≤ ε_g, with H = ε_g² / (28.04 ln(1/δ_g)).",
        "Right as the repository has it; the page lost the formulas, and with them Σδ_i ≤ δ_g/2.",
        RIGHT, "K after 72 queries of ε = 0.002, budget (0.2, 2 × 10⁻³⁰)", lambda: _printed_bound(0.002, 72),
        lambda: _rogers_bound(0.002, 72), ROGERS,
        (("share of ε_g before the first query", lambda: _rogers_bound(0.0, 0) / BUDGET.epsilon),)),
    Claim("sherpa_similar", "2.2", "For equal ε, K is quite similar to the advanced composition theorem.",
        "In form, yes. In value the price of choosing along the way shows.",
        RIGHT, "ε of 72 queries of ε = 0.002 at δ = 2 × 10⁻³⁰", lambda: _rogers_bound(0.002, 72),
        lambda: total("advanced", 0.002, 72, 2e-30), ROGERS),
    Claim("sherpa_plot", "3", "The figure shows the runs that filters with both theorems admit.",
        "It shows basic composition alone: at no point does the advanced filter admit more, and at five points adding "
        "in doubles loses one run.",
        WRONG, "runs at ε = 0.002", lambda: runs(0.002), lambda: runs(0.002, arithmetic="decimal"), ROGERS, (
            ("points where it is basic", _points_like_basic), ("points", lambda: len(PLOTTED)),
            ("points that lose a run", _points_off_by_one),
            ("ε below which advanced wins", lambda: breakeven_epsilon(Filter(BUDGET, "rogers"))),
        )),
    Claim("sherpa_faster", "3", "The budget is spent significantly faster as ε moves away from 0.",
        "Nothing but 0.2/ε: ten times the ε, a tenth of the runs.",
        RIGHT, "runs at ε = 0.1", lambda: 0.2 / 0.1, lambda: runs(0.1, arithmetic="decimal"),
        "Rogers, Roth, Ullman & Vadhan (2016), Thm 3.6"),
    Claim("sherpa_both", "3", "The budget (ε_g, δ_g) is exceeded only when both theorems say so.",
        "Proved for pure queries. With δ_i > 0 the basic branch may spend all of δ_g while the advanced one used half: "
        "1.5 δ_g. Kept to δ_g/2 in both branches, it holds. The notebooks' figures are not affected.",
        WRONG, "δ that is proved, for δ_g = 2 × 10⁻¹⁰", lambda: 2e-10,
        lambda: 2e-10 * (1 + float(rule_named("rogers").kept)), ROGERS),
)  # fmt: skip
