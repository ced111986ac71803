"""The oracle itself: balls against high-precision quadrature, brute enumeration, published values and each other."""

import itertools
import math
import sys
from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import dpviz
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, NameAndShame, RandomizedResponse, Subsampled
from dpviz.plan import Plan, Release
from dpviz_certified import (
    Enclosure,
    NotCertified,
    atoms,
    cells,
    certified_total,
    certify,
    enclose_delta,
    enclose_epsilon,
    lattice,
    laws,
)
from dpviz_certified.enclosure import flint
from tests.effort import cases
from tests.exact_compositions import gaussian_delta, laplace_delta, responses_delta

KNOWN = [  # of the black boxes to the thirteen digits that doubles gave
    (Laplace(10), 10, 1e-6, "0.9989780894472199"),
    (Laplace(10), 100, 1e-6, "4.692667414680189"),
    (Laplace(10), 1000, 1e-6, "18.950287367539545"),
    (Gaussian(10), 1, 1e-6, "0.3968573776440836"),
    (Gaussian(10), 100, 1e-6, "4.886554117462212"),
    (Gaussian(10), 10_000, 1e-6, "96.7172719638677"),
    (ApproximateDP(0.1, 1e-9), 1, 1e-6, "0.09999809706560825"),
    (ApproximateDP(0.1, 1e-9), 100, 1e-6, "4.787723760811673"),
    (ApproximateDP(0.1, 1e-9), 1000, 1e-6, "26.819143789730667"),
    (Subsampled(Gaussian(1), 0.01, "poisson"), 1000, 1e-5, "1.8282367"),
]


def holds(enclosure: Enclosure, value: object, slack: str = "0") -> bool:
    """Whether a number lies between the ends, but for what its own digits leave open."""
    value = Decimal(mp.nstr(value, 60)) if isinstance(value, mp.mpf) else Decimal(str(value))
    room = abs(value) * Decimal(slack)
    return enclosure.lower - room <= value <= enclosure.upper + room


@pytest.mark.parametrize(("mechanism", "count", "delta", "value"), KNOWN)
def test_known_values(mechanism, count, delta, value):
    """Values that others computed, to all of their digits."""
    found = enclose_epsilon([mechanism], [count], delta, cells=1 << 14)
    assert holds(found, value, "1e-13" if len(value) > 12 else "5e-8")
    assert found.digits >= (3 if found.method == certify.CELLED else certify.DIGITS)
    assert found.upper >= found.lower > 0


def direct(base, rate, direction):
    """(loss, P, Q density, its span) of one use of sampled noise by the noise's own densities, in mpmath."""
    size = mp.mpf(base.sensitivity) / mp.mpf(base.sigma if isinstance(base, Gaussian) else base.scale)
    if isinstance(base, Gaussian):
        there, away, span = (lambda x: mp.npdf(x - size)), mp.npdf, [-14, -7, 0, size / 2, size, 7, 14]
    else:
        there, away = (lambda x: mp.exp(-abs(x - size)) / 2), (lambda x: mp.exp(-abs(x)) / 2)
        span = [-50, -10, 0, size / 2, size, 10, 50]
    mixture = lambda x: (1 - rate) * away(x) + rate * there(x)  # noqa: E731
    return (mixture, away, span) if direction == "remove" else (away, mixture, span)


def integrated(first, second, span, epsilon):
    """δ(ε) as the integral of the positive part, split where the sign changes."""
    gap = lambda x: first(x) - mp.exp(epsilon) * second(x)  # noqa: E731
    grid = mp.linspace(span[0], span[-1], 201)
    edges = list(span)
    for low, high in itertools.pairwise(grid):
        if gap(low) * gap(high) < 0:
            edges.append(mp.findroot(gap, (low, high), solver="anderson", tol=1e-20))
    return mp.quad(lambda x: max(gap(x), mp.mpf(0)), sorted(edges))


ONE_USE = [
    *itertools.product([Gaussian(1.25), Laplace(2.0), Gaussian(0.4), Laplace(0.5)], ["0.01", "0.5"], ["0.003", "0.25"])
]
# Of bases, rates and places each two meet.
EACH_TWO = [ONE_USE[place] for place in (0, 3, 4, 7, 9, 10, 13, 14)]


@cases(("base", "rate", "epsilon"), EACH_TWO, ONE_USE)
def test_one_sampled_use_is_the_integral_of_its_densities(base, rate, epsilon):
    """Both directions, by quadrature over outputs: nothing of losses, profiles or tails."""
    with mp.workdps(20):
        wanted = max(
            integrated(*direct(base, mp.mpf(rate), direction), mp.mpf(epsilon)) for direction in ("remove", "add")
        )
        found = enclose_delta([Subsampled(base, float(rate), "poisson")], [1], float(epsilon))
        assert abs(mp.mpf(str(found.upper)) - wanted) <= 1e-12 * max(wanted, mp.mpf("1e-6"))
        replaced = enclose_delta([Subsampled(base, float(rate), "without_replacement")], [1], float(epsilon))
        whole = mp.log1p(mp.expm1(mp.mpf(epsilon)) / mp.mpf(rate))
        removed = mp.mpf(rate) * integrated(*direct(base, 1, "remove"), whole)
        assert abs(mp.mpf(str(replaced.upper)) - removed) <= 1e-12 * max(removed, mp.mpf("1e-6"))


def profile_of(base, rate, direction):
    """δ of one use at every real ε in mpmath, by what sampling does to a profile."""
    size = mp.mpf(base.sensitivity) / mp.mpf(base.sigma if isinstance(base, Gaussian) else base.scale)
    whole = (lambda e: gaussian_delta(e, size)) if isinstance(base, Gaussian) else (lambda e: laplace_delta(e, size, 1))

    def removed(epsilon):
        gain = 1 + mp.expm1(epsilon) / rate
        return rate * whole(mp.log(gain)) if gain > 0 else -mp.expm1(epsilon)

    mirrored = lambda profile: lambda e: -mp.expm1(e) + mp.exp(e) * profile(-e)  # noqa: E731
    if direction == "replace":
        return lambda e: removed(e) if e >= 0 else mirrored(removed)(e)
    return removed if direction == "remove" else mirrored(removed)


def two_uses(base, rate, direction, epsilon):
    """δ of two uses: the second one's profile, averaged over the first one's noise in its base."""
    size = mp.mpf(base.sensitivity) / mp.mpf(base.sigma if isinstance(base, Gaussian) else base.scale)
    profile = profile_of(base, rate, direction)
    if isinstance(base, Gaussian):
        away, loss = mp.npdf, lambda x: size * x - size**2 / 2
        span = [-15, -5, 0, size / 2, size, 5, 15]
    else:
        away, loss = (lambda x: mp.exp(-abs(x)) / 2), lambda x: abs(x) - abs(x - size)
        span = [-60, -10, 0, size / 2, size, 10, 60]
    carried = lambda x: mp.log1p(rate * mp.expm1(loss(x)))  # noqa: E731
    if isinstance(base, Laplace):  # where the second use's profile has a kink
        tops = (carried(mp.mpf(60)), carried(mp.mpf(-60)))
        inside = [one * epsilon + two * top for top in tops for one in (1, -1) for two in (1, -1)]
        kinks = [mp.log1p(mp.expm1(each) / rate) for each in inside if tops[1] < each < tops[0]]
        span = sorted({*span, *((size + each) / 2 for each in kinks)})
    if direction == "remove":
        return mp.quad(lambda x: away(x) * mp.exp(carried(x)) * profile(epsilon - carried(x)), span)
    if direction == "add":
        return mp.quad(lambda x: away(x) * profile(epsilon + carried(x)), span)
    gains = [x for x in span if x >= size / 2]
    ahead = lambda x: away(x) * (mp.exp(carried(x)) * profile(epsilon - carried(x)) + profile(epsilon + carried(x)))  # noqa: E731
    told = mp.quad(lambda x: away(x) * (mp.exp(carried(x)) + 1), gains)
    return mp.quad(ahead, gains) + (1 - told) * profile(epsilon)


PLACES = [("0.1", "0.05"), ("0.7", "0.5")]
TWO_USES = [*itertools.product([Gaussian(1.25), Laplace(1.0)], ["remove", "add", "replace"], PLACES)]


@cases(("base", "direction", "place"), [TWO_USES[place] for place in (1, 2, 5, 6, 9, 10)], TWO_USES)
def test_two_sampled_uses_lie_between_the_lattices(base, direction, place):
    """Each direction apart: the lower lattice is below the quadrature, the upper one above, and both are near."""
    rate, epsilon = place
    size = (Fraction(1) / Fraction(str(base.sigma))) ** 2 if isinstance(base, Gaussian) else Fraction(1)
    kind = "gaussian" if isinstance(base, Gaussian) else "laplace"
    law = laws.Noise(kind, size, Fraction(rate), direction)
    found = lattice.Lattice([(law, 2)], 2048, place=Fraction(epsilon), about=1e-3).delta()
    with mp.workdps(15):
        wanted = two_uses(base, mp.mpf(rate), direction, mp.mpf(epsilon))
    low, high = float(found[0].lower()), float(found[1].upper())
    assert low <= float(wanted) * (1 + 1e-9)
    assert high >= float(wanted) * (1 - 1e-9)
    assert high - low <= 2e-3 * high


def test_joint_losses_are_all_of_them():
    """Three kinds of responses, one sampled, against every combination of outputs."""
    third = Subsampled(RandomizedResponse(0.7), 0.4, "without_replacement")
    kinds = [RandomizedResponse(0.3), ApproximateDP(1.1, 0.01), third]
    counts, epsilon = [3, 2, 3], mp.mpf("0.45")
    truth = lambda e: 1 / (1 + mp.exp(-mp.mpf(e)))  # noqa: E731
    gain = mp.log1p(mp.mpf("0.4") * mp.expm1(mp.mpf("0.7")))
    lie = 1 - truth("0.7")
    outputs = [
        [(truth("0.3"), 1 - truth("0.3")), (1 - truth("0.3"), truth("0.3"))],
        [
            (mp.mpf("0.99") * truth("1.1"), mp.mpf("0.99") * (1 - truth("1.1"))),
            (mp.mpf("0.99") * (1 - truth("1.1")), mp.mpf("0.99") * truth("1.1")),
            (mp.mpf("0.01"), mp.mpf(0)),
        ],
        [(lie * mp.exp(gain), lie), (lie, lie * mp.exp(gain)), (1 - lie - lie * mp.exp(gain),) * 2],
    ]
    every = [each for each, count in zip(outputs, counts, strict=True) for _ in range(count)]
    total = mp.mpf(0)
    for chosen in itertools.product(*every):
        total += max(mp.mpf(0), mp.fprod(p for p, _ in chosen) - mp.exp(epsilon) * mp.fprod(q for _, q in chosen))
    found = enclose_delta(kinds, counts, float(epsilon))
    assert found.method == certify.JOINT
    assert abs(mp.mpf(str(found.upper)) - total) < mp.mpf("1e-50") and found.digits >= certify.DIGITS


@pytest.mark.parametrize("seed", range(12))
def test_closed_methods_agree_with_the_reference_of_the_engine(seed):
    """Responses, also beside Gaussian noise, and few Laplace noises, by the sums in `tests.exact_compositions`."""
    rng = np.random.default_rng(seed)
    each, count = float(f"{10 ** rng.uniform(-2, 0.7):.3g}"), int(rng.integers(1, 9))
    epsilon = float(f"{each * count * rng.uniform(0, 1):.3g}")
    with mp.workdps(90):
        exact, place = mp.mpf(str(each)), mp.mpf(str(epsilon))
        pairs = [
            (([Laplace.from_epsilon(each)], [count]), laplace_delta(place, exact, count)),
            (([RandomizedResponse(each)], [count]), responses_delta(place, exact, count)),
            (([ApproximateDP(each, 1e-3)], [count]), responses_delta(place, exact, count, mp.mpf("1e-3"))),
            (([RandomizedResponse(each), Gaussian(2.0)], [count, 4]), responses_delta(place, exact, count, 0, 1)),
        ]
        for (kinds, counts), wanted in pairs:
            found = enclose_delta(kinds, counts, epsilon)
            assert found.lower <= found.upper
            assert abs(mp.mpf(str(found.upper)) - wanted) <= mp.mpf("1e-38") * wanted
            assert abs(mp.mpf(str(found.lower)) - wanted) <= mp.mpf("1e-38") * wanted


def sampled_outputs(epsilon, delta, rate):
    """(P, Q) of each output of leaky randomized response on a Poisson sample, against the data without a record."""
    lie = (1 - delta) / (1 + mp.exp(epsilon))
    whole = [(lie * mp.exp(epsilon), lie), (lie, lie * mp.exp(epsilon)), (delta, 0), (0, delta)]
    return [((1 - rate) * q + rate * p, q) for p, q in whole if p or q]


@pytest.mark.parametrize("seed", range(10))
def test_poisson_samples_of_responses_are_composed_in_both_directions(seed):
    """Output by output, also with a leak, and beside Gaussian noise: the symmetrised sample would be more."""
    rng = np.random.default_rng(seed)
    each, rate = float(f"{rng.uniform(0.1, 2):.3g}"), float(f"{rng.uniform(0.01, 0.9):.3g}")
    leak, count, beside = [0.0, 1e-3][seed % 2], int(rng.integers(1, 5)), seed % 3 == 0
    each = 0.0 if seed in (3, 9) else each
    base = ApproximateDP(each, leak) if each else NameAndShame(leak)
    with mp.workdps(50):
        outputs = sampled_outputs(*(mp.mpf(str(value)) for value in (each, leak, rate)))
        place, found = mp.mpf("0.05"), []
        for pairs in (outputs, [(q, p) for p, q in outputs]):
            total = mp.mpf(0)
            for some in itertools.product(pairs, repeat=count):
                p, q = mp.fprod(pair[0] for pair in some), mp.fprod(pair[1] for pair in some)
                noise = gaussian_delta(place - mp.log(p / q), mp.mpf("0.5")) if beside and p and q else None
                total += p * noise if noise is not None else max(p - mp.exp(place) * q, 0)
            found.append(total)
    kinds, counts = [Subsampled(base, rate, "poisson")], [count]
    kinds, counts = ([*kinds, Gaussian(2.0)], [*counts, 1]) if beside else (kinds, counts)
    enclosure = enclose_delta(kinds, counts, 0.05, cells=1 << 11)
    assert holds(enclosure, max(found), "1e-26")  # digits that decimals are added with
    assert enclosure.digits >= (3 if enclosure.method == certify.CELLED else certify.DIGITS)


def test_a_leak_on_a_sample_is_no_larger_than_it_is():
    """Whoever is not sampled also gives the output that only the other data give: less than if nobody did."""
    with mp.workdps(40):
        mu, leak, rate, delta = (mp.mpf(text) for text in ("0.02", "1.11e-7", "0.01", "1.2e-5"))

        def above(epsilon):
            hidden = (1 - rate) * leak * gaussian_delta(epsilon - mp.log(1 - rate), mu)
            return rate * leak + (1 - leak) * gaussian_delta(epsilon, mu) + hidden - delta

        exact = mp.findroot(above, (mp.mpf("0.0575"), mp.mpf("0.0576")), solver="anderson", tol=1e-35)
    found = certified_total({Gaussian(50.0): 1, Subsampled(NameAndShame(1.11e-7), 0.01, "poisson"): 1}, 1.2e-5)
    assert holds(found, exact, "1e-26") and found.digits >= certify.DIGITS


@pytest.mark.parametrize("seed", range(16))
def test_methods_agree(seed):
    """What has a closed method lies between the lattices, too."""
    rng = np.random.default_rng(seed)
    kinds = [Laplace.from_epsilon(0.3), RandomizedResponse(0.4), ApproximateDP(1.0, 1e-12), Gaussian(2.0)]
    chosen = [[0], [1], [1, 2], [1, 3], [3], [0, 1], [2], [0, 2]][seed % 8]
    mechanisms, counts = [kinds[n] for n in chosen], [int(rng.integers(1, 20)) for _ in chosen]
    delta = 10 ** rng.uniform(-11.9, -0.5)
    closed = enclose_epsilon(mechanisms, counts, delta)
    (side,) = laws.sides(mechanisms, counts)
    low, high = lattice.Lattice(side, 1024, target=laws.typed(delta)).epsilon()
    assert Decimal(float(low.lower())) <= closed.upper * (1 + Decimal("1e-15"))
    assert Decimal(float(high.upper())) >= closed.lower * (1 - Decimal("1e-15"))
    assert float(high.upper()) - float(low.lower()) <= 0.02 * float(high.upper()) + 1e-3


def test_the_inverse_is_the_inverse():
    """δ at both ends of an enclosed ε encloses the δ it was asked for."""
    cases = [
        ([Gaussian(3.0)], [7], 1e-20),
        ([RandomizedResponse(0.2)], [50_000], 1e-9),
        ([Subsampled(ApproximateDP(0.5, 1e-9), 0.3, "without_replacement")], [40], 1e-7),
        ([Laplace(2.0), RandomizedResponse(1.0)], [6, 3], 1e-4),
        ([Subsampled(Laplace(2.0), 0.01, "poisson")], [1], 1e-6),
    ]
    for mechanisms, counts, delta in cases:
        found = enclose_epsilon(mechanisms, counts, delta)
        ends = [enclose_delta(mechanisms, counts, Fraction(each)) for each in (found.lower, found.upper)]
        assert ends[1].lower <= Decimal(repr(delta)) <= ends[0].upper
        assert ends[0].upper - ends[1].lower <= Decimal(repr(delta)) * Decimal("1e-30")


def test_nothing_and_everything():
    """No releases, no data read, leaks that fill δ, and a δ of 1."""
    nothing = Enclosure(Decimal(0), Decimal(0), certify.CLOSED)
    assert enclose_epsilon([], [], 0.0) == nothing
    assert enclose_epsilon([Subsampled(Gaussian(1), 0.0, "poisson")], [5], 0.0) == nothing
    assert enclose_epsilon([Laplace(1)], [0], 1e-6) == nothing
    assert enclose_epsilon([ApproximateDP(1.0, 1.0)], [5], 1) == nothing
    assert not enclose_epsilon([ApproximateDP(1.0, 1.0)], [5], 0.5).lower.is_finite()
    assert not enclose_epsilon([Gaussian(1)], [1], 0.0).lower.is_finite()
    assert enclose_epsilon([Laplace(1.0), RandomizedResponse(0.25)], [2, 4], 0.0).upper == 3
    assert enclose_epsilon([NameAndShame(0.05)], [2], 0.0975).upper == 0
    assert not enclose_epsilon([NameAndShame(0.05)], [2], math.nextafter(0.0975, 0)).lower.is_finite()
    assert holds(enclose_epsilon([NameAndShame(0.05), RandomizedResponse(0.1)], [2, 3], 0.0975), "0.3")
    assert enclose_delta([], [], 0.0).upper == 0
    assert holds(enclose_delta([ApproximateDP(1.0, 1.0)], [5], 3.0), "1")


def test_what_cannot_be_certified_says_why():
    """A reason instead of a guess, or of a wait."""
    with pytest.raises(NotCertified, match="uses to convolve"):
        enclose_epsilon([Subsampled(Gaussian(1), 0.1, "poisson")], [10**7], 1e-6)
    with pytest.raises(NotCertified, match="different neighbour relations"):
        kinds = [Subsampled(Laplace(1), 0.1, scheme) for scheme in ("poisson", "without_replacement")]
        enclose_epsilon(kinds, [1, 1], 1e-6)
    with pytest.raises(NotCertified, match="chooses along the way"):
        certified_total(Plan([Release("a", Laplace(1, 1))], adaptive=True), 1e-6)
    with pytest.raises(NotCertified, match="below 0"):
        enclose_delta([Laplace(1)], [1], -0.5)


def test_the_worst_part_counts():
    north, south = Release("b", Gaussian(2, 1), 3, "north"), Release("c", Gaussian(3, 1), 3, "south")
    plan = Plan([Release("a", Gaussian(2, 1)), north, south])
    assert certified_total(plan, 1e-6) == enclose_epsilon([Gaussian(2)], [4], 1e-6)


def test_without_the_library(monkeypatch):
    """The package does without it, and says what to install where it is wanted."""
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(NotCertified, match=r"pip install \./dpviz_certified"):
        enclose_epsilon([Laplace(1)], [2], 1e-6)
    assert dpviz.compose(Laplace(1), 1e-6).epsilon > 0


def test_enclosures_are_read_outwards():
    shown = Enclosure(Decimal("0.123456789"), Decimal("0.123457111"), "")
    assert (shown.digits, str(shown)) == (5, "[0.12345678, 0.12345712]")
    assert str(Enclosure(Decimal("Infinity"), Decimal("Infinity"), "")) == "inf"
    third = flint().arb(1) / 3
    assert certify.enclosed(third, third, "").lower < Fraction(1, 3) < certify.enclosed(third, third, "").upper


def test_a_rare_loss_keeps_its_place():
    """Losses on the edge of a cell, and tails cut off, leave both bounds on their sides."""
    (side,) = laws.sides([RandomizedResponse(0.25)], [4])
    low, high = lattice.Lattice(side, 8, target=Fraction(1, 10**6)).epsilon()
    exact = enclose_epsilon([RandomizedResponse(0.25)], [4], 1e-6)
    rounding = 1e-15  # of the conversion to a double, which goes either way
    assert float(low.lower()) * (1 - rounding) <= exact.upper
    assert float(high.upper()) * (1 + rounding) >= exact.lower
    assert cells.partition(2, 5, 1)[-1] == 5
    assert len(atoms.losses(laws.Responses(Fraction(1), Fraction(0)), 10)[2]) == 11
