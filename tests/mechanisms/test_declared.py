"""Declared releases: against hulls and convolutions at many digits, and against noise that keeps what is declared."""

import math
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Declared, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.adversary import mechanism_list
from dpviz.composition import compare, compose
from dpviz.composition.conversions import delta_from_rho, epsilon_from_rho
from dpviz.composition.numerical import pld
from dpviz.filters.queries import Query
from dpviz.losses.distribution import LossDistribution
from dpviz.losses.simulation_lemma import Pair
from dpviz.mechanisms.laws.loss_laws import PointsLaw, ResponseLaw
from dpviz.privacy_loss import PrivacyLoss
from dpviz.report.loss_programs import loss_program
from dpviz.ui.adversary.asked import noisier
from dpviz.ui.shell.plan_rows import releases_of, rows_of
from dpviz_certified import NotCertified, certified_total
from tests.effort import examples
from tests.strategies import DECLARED
from tests.whole_numbers import convolved, profile

POINT = st.tuples(st.floats(0, 4).map(lambda each: round(each, 3)), st.floats(-12, -0.01).map(lambda each: 10**each))
POINTS = st.dictionaries(POINT.map(lambda pair: pair[0]), st.just(0.0) | POINT.map(lambda pair: pair[1]), min_size=1,
                         max_size=5)  # fmt: skip
DELTAS = st.floats(-15, -0.3).map(lambda power: 10**power)
ORDERS = np.array([1.25, 1.5, 2, 3, 4, 6, 8, 16, 32, 64, 128])
GRID = np.linspace(0.0, 12.0, 900)  # of points of a profile
ROUNDING = 1e-13  # relative, of a dozen operations in doubles and of outward rounding
FLAT = 2e-6  # relative: a point that bends the chords by less is left out
FEW_ORDERS = 0.1  # relative to ε: between 16 and 32, and beyond 128, nothing is declared
OF_DELTA = 0.05  # relative: how far the chords of a converted ρ lie above its curve
PER_CHORD = 2e-3  # relative to ε: how far the chords of the grid lie above a curved profile
CURVES = (
    Declared.zcdp(0.1), Declared.zcdp(0.02, 1e-6), Declared.gdp(0.4), Declared.renyi([2, 4, 8], [0.04, 0.08, 0.2]),
    Declared.profile([0.5, 1.0], [1e-3, 1e-9]), Declared.profile([0.5], [1e-8]), Declared.profile([0.5, 1], [0.01, 0]),
)  # fmt: skip


TRUE = (Gaussian(4.0), Laplace(2.5), RandomizedResponse(0.8), ApproximateDP(0.5, 1e-4))


def declared(points):
    return Declared.profile(points.keys(), points.values())


def hull(points):
    """The corners, from u = e^ε = 0 on, of the least convex function above no point, mirror images included."""
    with mp.workdps(60):
        corners = {mp.mpf(0): mp.mpf(1)}
        for epsilon, delta in points.items():
            u, d = mp.exp(mp.mpf(epsilon)), mp.mpf(delta)
            for place, height in ((u, d), (1 / u, 1 - 1 / u + d / u)):
                corners[place] = min(height, corners.get(place, mp.mpf(1)))
        kept = []
        for place, height in sorted(corners.items()):
            if kept and height >= kept[-1][1]:
                continue
            while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (place - kept[-2][0]) >= (height - kept[-2][1]) * (
                kept[-1][0] - kept[-2][0]
            ):
                kept.pop()
            kept.append((place, height))
        return kept


def height(corners, epsilon):
    """The hull at ε."""
    with mp.workdps(60):
        u = mp.exp(mp.mpf(epsilon))
        for (left, high), (right, low) in pairwise(corners):
            if left <= u <= right:
                return low + (high - low) * (right - u) / (right - left)
        return corners[-1][1]


def atoms_of(points):
    """Mass by loss of the pair of the hull: Q's at ln u is by how much the slope changes there; and the leak."""
    corners = hull(points)
    with mp.workdps(60):
        slopes = [(low - high) / (right - left) for (left, high), (right, low) in pairwise(corners)]
        changes = [after - before for before, after in zip(slopes, [*slopes[1:], mp.mpf(0)], strict=True)]
        atoms = {mp.log(u): change * u for (u, _), change in zip(corners[1:], changes, strict=True)}
        return atoms, corners[-1][1]


@given(POINTS, st.floats(-5, 5).map(lambda each: round(each, 9)))
def test_the_profile_is_the_hull_of_the_points(points, epsilon):
    truth, got = height(hull(points), epsilon), declared(points).delta(epsilon)
    assert truth * (1 - mp.mpf("1e-15")) <= got <= truth * (1 + FLAT) + mp.mpf("1e-300")


@given(POINTS, DELTAS)
def test_the_inverse_is_the_least_that_holds(points, delta):
    mechanism, corners = declared(points), hull(points)
    epsilon = mechanism.epsilon(delta)
    if math.isinf(epsilon):
        assert min(points.values()) > delta
        return
    assert height(corners, epsilon) <= mp.mpf(delta) * (1 + mp.mpf("1e-15"))
    assert epsilon == 0 or height(corners, epsilon * (1 - 1e-6) - 1e-14) >= mp.mpf(delta) * (1 - mp.mpf("1e-5"))


@given(POINTS, st.integers(2, 3), DELTAS)
def test_composition_is_the_convolution_of_the_atoms(points, count, delta):
    mechanism, (atoms, leak) = declared(points), atoms_of(points)
    loss, each = PrivacyLoss([mechanism], [[count]]), convolved(*[atoms] * count)
    with mp.workdps(60):
        leaked = 1 - (1 - leak) ** count

        def truth(epsilon):
            return leaked + profile(each, epsilon)

        bracket = loss.epsilon_bracket(delta)
        if math.isinf(bracket.upper):
            assert leaked >= mp.mpf(delta) * (1 - mp.mpf("1e-14"))
            return
        assert truth(bracket.upper * (1 + 1e-15)) <= mp.mpf(delta) * (1 + mp.mpf("1e-15"))
        slack = mp.mpf("1e-12")  # of leaks that nearly use up δ, as the decimals typed
        assert bracket.lower == 0 or truth(bracket.lower) >= mp.mpf(delta) * (1 - slack)
        between = loss.delta_bracket(0.6)
        assert between.lower <= truth(0.6) * (1 + slack) + slack and between.upper >= truth(0.6) * (1 - slack) - 1e-15


def test_composition_is_tight_on_a_common_unit_and_off_it():
    """Losses that are multiples of 0.1 lie on the grid; others are split between its points."""
    for epsilons in ([0.1, 0.3, 0.7], [0.1, math.sqrt(0.1), math.log(2)]):
        mechanism = Declared.profile(epsilons, [0.05, 1e-3, 1e-7])
        bracket = PrivacyLoss([mechanism], [[40]]).epsilon_bracket(1e-4)
        assert bracket.lower <= bracket.upper <= bracket.lower * (1 + 2e-5)


@given(st.floats(-6, 1.69), st.just(0.0) | st.floats(-30, -0.31).map(lambda power: 10**power), st.floats(-3, 3))
def test_one_point_is_a_black_box(log_epsilon, delta, place):
    epsilon = 10**log_epsilon
    mechanism, box = Declared.profile([epsilon], [delta]), ApproximateDP(epsilon, delta)
    assert mechanism.laws() == box.laws() == (ResponseLaw(epsilon, delta),)
    assert mechanism.stated == box.stated and mechanism.rho == box.rho
    at = epsilon * place
    assert mechanism.delta(at) == pytest.approx(box.delta(at), rel=ROUNDING, abs=1e-15)
    wanted = min(1.0, delta + 10**-2 * (1 - delta))
    assert mechanism.epsilon(wanted) == pytest.approx(box.epsilon(wanted), rel=1e-9, abs=1e-14)
    assert mechanism.spared.rdp(3.0) == pytest.approx(RandomizedResponse(epsilon).rdp(3.0), rel=ROUNDING)


@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-3])
@pytest.mark.parametrize("count", [1, 7, 1000])
def test_totals_of_one_point_are_those_of_a_black_box(delta, count):
    one, box = ({kind: count} for kind in (Declared.profile([0.2], [delta]), ApproximateDP(0.2, delta)))
    for whole in (0.0, 1e-6, 0.05):
        assert compare(one, whole).epsilon.tolist() == pytest.approx(compare(box, whole).epsilon.tolist(), rel=1e-9)


@pytest.mark.parametrize("true", TRUE, ids=str)
@pytest.mark.parametrize("count", [1, 10, 300])
def test_points_of_a_profile_cost_no_less_than_it_and_hardly_more(true, count):
    mechanism = Declared.profile(GRID, true.delta(GRID))
    for delta in (1e-8, 1e-3) if true.leak is None else (0.05,):
        least = compose({true: count}, delta, "pld").epsilon
        total = compose({mechanism: count}, delta, "pld").epsilon
        assert least * (1 - ROUNDING) <= total
        assert total <= least * (1 + PER_CHORD) + PER_CHORD


@example([1.0, 5e-324], 1.0, 1, 0.1)  # where a product of loss and order is no double
@example([5e-324], 1.0, 1, 0.1)
@examples(8)
@given(st.lists(st.floats(0, 6), min_size=1, max_size=5, unique=True), st.floats(0.3, 20), st.integers(1, 50), DELTAS)
def test_any_points_of_a_profile_cost_no_less_than_it(epsilons, sigma, count, delta):
    for true in (Gaussian(sigma), Laplace(sigma), RandomizedResponse(1 / sigma)):
        mechanism = Declared.profile(epsilons, true.delta(np.array(epsilons)))
        total = pld((mechanism,), np.array([[count]]), delta, 1e-4).epsilon[0]
        assert total >= pld((true,), np.array([[count]]), delta, 1e-4).lower[0] * (1 - ROUNDING)


@given(POINTS, POINT, st.floats(-4, 4))
def test_more_points_never_cost_more(points, point, epsilon):
    fewer, more = declared(points), declared({**points, point[0]: min(point[1], points.get(point[0], 1.0))})
    assert more.delta(epsilon) <= fewer.delta(epsilon) * (1 + 1e-5)


@given(st.floats(-5, 2).map(lambda power: 10**power), DELTAS)
def test_rho_costs_between_gaussian_noise_and_its_conversion(rho, delta):
    """Gaussian noise with μ² = 2ρ keeps it; the tight conversion is the infimum over all orders."""
    mechanism = Declared.zcdp(rho)
    assert mechanism.epsilon(delta) >= Gaussian(1 / math.sqrt(2 * rho)).epsilon(delta) * (1 - ROUNDING)
    assert mechanism.epsilon(delta) <= epsilon_from_rho(rho, delta) * (1 + PER_CHORD) + 1e-9
    at = 3 * math.sqrt(rho) + rho
    assert mechanism.delta(at) >= Gaussian(1 / math.sqrt(2 * rho)).delta(at)
    assert mechanism.delta(at) <= delta_from_rho(rho, at) * (1 + OF_DELTA)


@pytest.mark.parametrize("count", [1, 3, 100])
def test_rho_adds_up_in_every_total(count):
    """Under tight accounting, too, which reads its profile: the zCDP theorem's total is a smaller one."""
    frame = compare({Declared.zcdp(0.01): count, Laplace(20.0): 3}, 1e-6).set_index("theorem")
    rho = 0.01 * count + 3 * Laplace(20.0).rho
    assert frame.epsilon["zcdp"] == pytest.approx(epsilon_from_rho(rho, 1e-6), rel=1e-12)
    noise = compose({Gaussian(1 / math.sqrt(0.02)): count, Laplace(20.0): 3}, 1e-6).epsilon
    assert noise <= frame.epsilon["pld"] <= frame.epsilon["zcdp"]
    assert frame.epsilon["pld"] - frame.excess["pld"] <= noise * (1 + 1e-9)


def test_a_leak_beside_rho_is_spent_first():
    mechanism = Declared.zcdp(0.01, 1e-8)
    frame = compare({mechanism: 20}, 1e-6).set_index("theorem")
    assert frame.epsilon["zcdp"] == pytest.approx(epsilon_from_rho(0.2, 1e-6 - 20e-8), rel=1e-9)
    assert math.isinf(compose({mechanism: 102}, 1e-6).epsilon) and math.isinf(mechanism.rdp(2.0))
    assert mechanism.delta(50.0) == pytest.approx(1e-8) and mechanism.spared == Declared.zcdp(0.01)
    assert Query.of(mechanism).leak == 1e-8 and Query.of(mechanism).rho == 0.01


@given(st.floats(0.01, 3), st.integers(1, 40), DELTAS)
def test_mu_is_gaussian_noise(mu, count, delta):
    mechanism, noise = Declared.gdp(mu), Gaussian(1.0, mu)
    assert mechanism.laws() == noise.laws() and mechanism.rho == noise.rho
    assert mechanism.epsilon(delta) == noise.epsilon(delta) and mechanism.delta(0.3) == noise.delta(0.3)
    for theorem in ("kov", "rdp", "pld"):
        ours, theirs = (compose({each: count}, delta, theorem).epsilon for each in (mechanism, noise))
        assert ours == theirs


@pytest.mark.parametrize("true", [Gaussian(2.0), Laplace(1.5), RandomizedResponse(1.2)], ids=str)
def test_between_stated_orders_a_curve_is_no_lower_than_the_true_one(true):
    mechanism, dense = Declared.renyi(ORDERS, true.rdp(ORDERS)), np.linspace(1.001, 128, 4001)
    assert np.all(mechanism.rdp(dense) >= true.rdp(dense) * (1 - ROUNDING))
    assert mechanism.rdp(ORDERS) == pytest.approx(true.rdp(ORDERS), rel=ROUNDING)
    assert mechanism.rdp(128.1) == math.inf and mechanism.rho == math.inf
    for count in (1, 30):
        frame = compare({mechanism: count}, 1e-6).set_index("theorem")
        least = compose({true: count}, 1e-6, "pld").epsilon
        by_curve = compose({true: count}, 1e-6, "rdp").epsilon
        assert not frame.applies["zcdp"] and "no ρ is known" in frame.reason["zcdp"]
        assert least <= frame.epsilon["pld"] <= frame.epsilon["rdp"]
        assert by_curve * (1 - 1e-12) <= frame.epsilon["rdp"] <= by_curve * (1 + FEW_ORDERS)
    assert np.all(mechanism.delta(GRID) >= true.delta(GRID) * (1 - ROUNDING))


@given(POINTS, POINT, st.floats(-3, 2))
def test_the_curve_of_a_pure_profile_is_that_of_its_atoms(points, last, log_order):
    points = {**points, last[0] + 4.0: 0.0}
    mechanism, (atoms, _) = declared(points), atoms_of(points)
    order = 1 + 10**log_order
    with mp.workdps(60):
        moment = mp.fsum(mass * mp.exp((mp.mpf(order) - 1) * loss) for loss, mass in atoms.items())
        truth = mp.log(moment) / (mp.mpf(order) - 1)
        got = mechanism.rdp(order)
        assert truth <= got * (1 + 1e-14) + 1e-300 and got <= truth * (1 + mp.mpf("1e-5")) + mp.mpf("1e-12")
        assert mechanism.rho >= truth / order * (1 - mp.mpf("1e-14"))
    orders = 1 + np.geomspace(1e-4, 1e4, 400)
    assert mechanism.rho <= (mechanism.rdp(orders) / orders).max() * 1.02 + 1e-9


@given(st.dictionaries(st.floats(0, 4), st.floats(-12, -0.31).map(lambda power: 10**power), min_size=1, max_size=5))
def test_what_is_spared_is_the_rest_of_the_pair(points):
    """δ(ε) = leak + (1 - leak) of it, since both distributions leak alike."""
    mechanism, leak = declared(points), min(points.values())
    assert mechanism.leak == leak and mechanism.spared.leak is None and math.isinf(mechanism.rho)
    together = leak + (1 - leak) * mechanism.spared.delta(GRID)
    assert together == pytest.approx(mechanism.delta(GRID), rel=2e-5)
    assert np.all(together >= mechanism.delta(GRID) * (1 - 2e-6))


@given(DECLARED, st.sampled_from([1, 2, 1000, 10**6]), st.sampled_from([0.0, 1e-30, 1e-9, 1e-6, 0.1, 0.5]))
def test_every_theorem_answers_at_the_extremes(mechanism, count, delta):
    """A number or a reason; tight accounting is at most any other."""
    frame = compare({mechanism: count}, delta, excess=False)
    assert not frame.epsilon.isna().any() and (frame.epsilon >= 0).all()
    assert all(frame.reason[np.isinf(frame.epsilon)]) and not any(frame.reason[np.isfinite(frame.epsilon)])
    rows = frame.set_index("theorem").epsilon
    assert rows["pld"] <= rows.min() * (1 + 1e-3)


@given(DECLARED)
def test_texts_are_read_as_they_are_written(mechanism):
    assert Declared.from_text(mechanism.curve.text) == mechanism == eval(repr(mechanism), {"Declared": Declared})


@pytest.mark.parametrize(("text", "same"), [
    ("ρ = 0.1; δ = 1e-9", Declared.zcdp(0.1, 1e-9)), ("μ 2", Declared.gdp(2)), ("MU 0.5", Declared.gdp(0.5)),
    ("Rényi 4:0.3, 2:0.1", Declared.renyi([2, 4], [0.1, 0.3])), ("profile 0:1", Declared.profile([0], [1])),
])  # fmt: skip
def test_texts_of_people(text, same):
    assert Declared.from_text(text) == same


@pytest.mark.parametrize(("text", "said"), [
    ("", "curve must be written like rho 0.1"), ("epsilon 1", "curve must be written like"), ("rho", "written like"),
    ("rho 1e-999", "number such as 0.5 or 1e-6 after rho"), ("rho 0", r"rho must be in \(0, 1000000000\]; got 0"),
    ("rho 1 delta 1", r"delta must be in \[0, 1\); got 1"), ("mu -1", r"mu must be in \(0, 1000000\]"),
    ("renyi 1:0.1", r"orders must be in \(1, inf\); got 1"), ("renyi 2", "pairs such as 2:0.1 after renyi; got '2'"),
    ("profile 1:2", r"deltas must be in \[0, 1\]; got 2"), ("profile 1:x", "on both sides of the colon of '1:x'"),
    ("profile 1:0.1 1:0.2", "epsilons must differ from each other"), (None, "written like"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(text, said):
    with pytest.raises(ValueError, match=said):
        Declared.from_text(text)


def test_a_file_of_points():
    assert Declared.profile_from_csv("epsilon,delta\n1,1e-9\n0.5,1e-6\n") == Declared.profile([0.5, 1], [1e-6, 1e-9])
    for text, said in (("a,b\n1,2", "columns epsilon and delta"), ("epsilon,delta\n1,x", "line 2, delta must have"),
                       ("epsilon,delta\n1", "line 2, delta"), ("epsilon,delta\n", "1 to 1000 points")):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            Declared.profile_from_csv(text)


@pytest.mark.parametrize("build", [lambda: Declared.renyi([2, 3], [0.1]), lambda: Declared.profile([], []),
                                   lambda: Declared.profile([math.inf], [0.1]), lambda: Declared(0.1),
                                   lambda: Declared.profile(range(1001), [0.0] * 1001)])  # fmt: skip
def test_what_is_no_curve_is_refused(build):
    with pytest.raises(ValueError, match=r"equally many|points|must be in|must be made by"):
        build()


@pytest.mark.parametrize("mechanism", CURVES, ids=str)
def test_rows_files_and_links_hold_curves(mechanism):
    plan = Plan([Release("Declared", mechanism, 3), Release("b", Laplace(2.0, 1))], Guarantee(1.0, 1e-6))
    releases, faults = releases_of(rows_of(plan))
    assert not faults and list(releases.values()) == list(plan.releases)
    assert Plan.from_json(plan.to_json()) == plan and Plan.from_csv(plan.to_csv()).releases == plan.releases
    assert noisier(mechanism, 2.0) == mechanism


@pytest.mark.parametrize("points", [{0.5: 0.01}, {0.0: 0.3, 0.4: 0.1, 1.5: 0.02}, {0.3: 0.2, 1.0: 0.0}], ids=str)
def test_samples_follow_the_masses(points):
    mechanism, (atoms, leak), draws = declared(points), atoms_of(points), 100_000
    outputs = mechanism.sample(1, draws, np.random.default_rng(5))
    ratios = mechanism.log_ratio(outputs, 1, 0)
    assert np.array_equal(mechanism.log_ratio(outputs, 0, 1), -ratios) and not mechanism.log_ratio(outputs, 1, 1).any()
    for loss, mass in [*atoms.items(), (math.inf, leak)]:
        close = np.isclose(ratios, float(loss), atol=1e-9) if loss < math.inf else np.isinf(ratios)
        assert close.mean() == pytest.approx(float(mass), abs=5 * math.sqrt(float(mass) / draws) + 1e-4)
    assert np.exp(-ratios).mean() == pytest.approx(float(1 - leak), abs=0.02)
    assert len(mechanism_list([mechanism])) == 1


def test_what_needs_more_than_a_curve_says_so():
    """Half a sentence, not a traceback; a μ and a single pair are enclosed as what they are."""
    for mechanism in CURVES:
        asked = [(lambda each=mechanism: Pair.of(each), ValueError),
                 (lambda each=mechanism: LossDistribution.of(each), ValueError)]  # fmt: skip
        if mechanism.mu is None:
            asked.append((lambda each=mechanism: loss_program(each), ValueError))
        if mechanism.mu is None and not isinstance(mechanism.laws()[0], ResponseLaw):
            asked.append((lambda each=mechanism: certified_total({each: 2}, 1e-6), NotCertified))
        if not mechanism.curve.text.startswith("profile"):
            asked.append((lambda each=mechanism: mechanism_list([each]), ValueError))
        for refused, kind in asked:
            with pytest.raises(kind):
                refused()
    found = certified_total({Declared.gdp(0.5): 2}, 1e-6)
    assert float(found.upper) == pytest.approx(compose({Gaussian(2.0): 2}, 1e-6).epsilon, rel=1e-9)


@given(POINTS, st.floats(0.01, 0.9), st.floats(0, 3))
def test_a_sample_without_replacement_is_amplified(points, rate, epsilon):
    """δ' (ln(1 + q(e^ε - 1))) = q δ(ε), by Balle, Barthe & Gaboardi (2018), Thm 9."""
    base = declared(points)
    sampled = Subsampled(base, rate, "without_replacement")
    at = math.log1p(rate * math.expm1(epsilon))
    assert sampled.delta(at) == pytest.approx(rate * base.delta(epsilon), rel=1e-6, abs=1e-12)
    law = base.laws()[0]
    if isinstance(law, PointsLaw):
        two = PrivacyLoss([sampled], [[2]]).epsilon_bracket(0.2)
        assert two.lower <= two.upper <= 2 * sampled.epsilon(min(points.values())) + 1e-12
