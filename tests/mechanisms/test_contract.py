"""The contract of mechanisms: all facets are asked of all of them, and of one that nobody has heard of."""

import inspect
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Guarantee,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    Plan,
    RandomizedResponse,
    Release,
    ReportNoisyMax,
    Subsampled,
    Thresholding,
    TrainedModel,
    compose,
)
from dpviz.mechanisms import BASE_MECHANISMS, MECHANISMS
from dpviz.mechanisms.laws.loss_laws import ResponseLaw
from dpviz.mechanisms.mechanism import FACETS, Form, Mechanism
from dpviz.mechanisms.noise import Noise
from dpviz.planning.accuracy import errors, half_width
from dpviz.planning.advice.levers import levers
from dpviz.planning.budgeting import least_epsilon, solve_noise
from dpviz.report.loss_programs import EXPRESSIONS
from dpviz.report.page import html
from dpviz.report.programs import dp_accounting_snippet
from dpviz.report.subject import Subject
from dpviz.ui.adversary.asked import noisier

EXAMPLES = (
    Laplace(6.0, 2.0),
    Laplace.from_epsilon(0.3),
    DiscreteLaplace(6.0),
    DiscreteLaplace.from_epsilon(0.7),
    DiscreteGaussian(6.0),
    DiscreteGaussian(0.7),
    Gaussian(6.0, 2.0),
    Gaussian.from_guarantee(0.5, 1e-6),
    Gaussian.from_guarantee(0.5, 1e-6, calibration="classical"),
    RandomizedResponse(0.7),
    ApproximateDP(0.4, 0.01),
    NameAndShame(0.05),
    Exponential(0.7),
    PermuteAndFlip(0.7),
    ReportNoisyMax(0.7),
    KaryRandomizedResponse(0.7, 10),
    KaryRandomizedResponse(0.7, 2),
    Subsampled(Exponential(0.7), 0.1, "without_replacement"),
    Subsampled(KaryRandomizedResponse(0.7, 4), 0.1, "without_replacement"),
    Declared.zcdp(0.1),
    Declared.zcdp(0.02, 1e-6),
    Declared.gdp(0.4),
    Declared.renyi([1.5, 2, 8], [0.02, 0.05, 0.3]),
    Declared.profile([0.0, 0.3, 1.0], [0.3, 0.1, 1e-9]),
    Declared.profile([0.1, 0.3, 1.0], [0.3, 0.1, 0.0]),
    Declared.profile([0.4], [0.01]),
    Subsampled(Declared.profile([0.1, 0.3, 1.0], [0.3, 0.1, 1e-9]), 0.1, "without_replacement"),
    Subsampled(Declared.gdp(0.4), 0.1, "without_replacement"),
    Subsampled(Declared.zcdp(0.1), 0.1, "without_replacement"),
    Subsampled(Gaussian(2.0), 0.1, "poisson"),
    Subsampled(DiscreteGaussian(2.0), 0.1, "poisson"),
    Subsampled(RandomizedResponse(1.0), 0.1, "poisson"),
    Subsampled(ApproximateDP(0.4, 0.01), 0.1, "poisson"),
    Subsampled(NameAndShame(0.05), 0.1, "poisson"),
    Subsampled(Exponential(0.5), 0.1, "poisson"),
    Subsampled(KaryRandomizedResponse(0.5, 7), 0.1, "poisson"),
    Subsampled(DiscreteLaplace(2.0, 3), 0.1, "without_replacement"),
    Subsampled(Laplace(2.0), 0.1, "without_replacement"),
    Thresholding(Laplace(2.0, 1.0), 12.0, 3),
    Thresholding(Gaussian.from_guarantee(0.5, 1e-6), 60.0),
    Thresholding(DiscreteGaussian(6.0, 2), 30.0, 4),
    TrainedModel(1000, 100, 2.0, epochs=3),
    TrainedModel(1000, 100, 2.0, steps=9, scheme="truncated_poisson", largest_batch=120),
    TrainedModel(1000, 100, 8.0, steps=9, scheme="fixed_size"),
    TrainedModel(1000, 100, 3.0, epochs=2, scheme="allocation", clipping_norm=0.5),
    TrainedModel(1000, 100, 3.0, epochs=2, scheme="tree"),
)
SIX_DIGITS = 1.1e-5  # relative, of a number rounded to six digits
CLOSED = 1e-9  # relative error of quadrature nodes and of closed forms in doubles


def ids(mechanism):
    return str(mechanism)


def test_every_mechanism_has_an_example():
    assert {type(example) for example in EXAMPLES} == set(MECHANISMS)


@pytest.mark.parametrize("kind", MECHANISMS)
def test_every_facet_is_answered_by_the_class_itself(kind):
    """By the class, or by one between it and the contract, which answers nothing itself."""
    own = {name for each in kind.__mro__[: kind.__mro__.index(Mechanism)] for name in vars(each)}
    assert not set(FACETS) - own and not set(FACETS) & set(vars(Mechanism))


def test_the_contract_says_what_every_answer_means():
    told = re.findall(r"^(\w[\w, ]*) : ", inspect.getdoc(Mechanism), re.MULTILINE)
    assert sorted(name for names in told for name in names.split(", ")) == sorted(FACETS)


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=ids)
def test_answers_agree_with_each_other(mechanism):
    """What has noise says of which kind; what has none says why; a strength is one that can be had."""
    base = mechanism.base
    assert (base.noise is None) == (base.norm is None) == bool(mechanism.why_no_noise)
    assert base.base is base and 0 <= mechanism.rate <= 1
    assert mechanism.sampled == (base is not mechanism and not isinstance(mechanism, Thresholding))
    assert mechanism.mu is None or mechanism.rho == pytest.approx(mechanism.mu**2 / 2)
    assert mechanism.loss is None or len(mechanism.laws()) == len(mechanism.profiles) == 1
    assert mechanism.leak is None or math.isinf(mechanism.rho)
    if base.noise is not None:
        assert type(base)(base.noise.scale, base.sensitivity).noise == base.noise
    if mechanism.strength is None:
        for change in (mechanism.at_strength, mechanism.bare):
            with pytest.raises(ValueError, match="noise that can be changed"):
                change(2.0)


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=ids)
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2])
def test_the_laws_have_the_profiles(mechanism, epsilon):
    """δ(ε) by definition, summed over the nodes of each law, is that direction's profile."""
    for law, profile in zip(mechanism.laws(), mechanism.profiles, strict=True):
        atoms = law.atoms(np.linspace(-3, 3, 2001) + epsilon, -200.0)
        beyond = atoms.losses > epsilon
        paid = np.exp(atoms.log_masses[beyond]) @ -np.expm1(epsilon - atoms.losses[beyond])
        assert paid + atoms.infinite == pytest.approx(float(profile(np.asarray(epsilon))), rel=CLOSED, abs=1e-13)


@pytest.mark.parametrize("mechanism", [each for each in EXAMPLES if each.loss is not None], ids=ids)
def test_the_moments_are_those_of_the_law(mechanism):
    atoms = mechanism.loss.atoms(np.linspace(-3, 3, 2001), -200.0)
    masses = np.exp(atoms.log_masses) / np.exp(atoms.log_masses).sum()
    mean = masses @ atoms.losses
    assert mechanism.loss.moments == pytest.approx((mean, masses @ (atoms.losses - mean) ** 2), rel=CLOSED)


def test_more_copies_tell_more():
    for mechanism in EXAMPLES:
        deltas = [mechanism.grouped(copies).delta(0.2) for copies in (1, 2, 3)]
        assert deltas[0] == mechanism.delta(0.2) and deltas == sorted(deltas), mechanism


ADJUSTABLE = st.sampled_from([each for each in EXAMPLES if each.strength is not None])


@given(ADJUSTABLE, st.floats(-2, 2).map(lambda power: 10**power))
def test_a_strength_that_is_asked_for_is_had(mechanism, times):
    """As typed: no less, and six digits; bare: exactly, and at the same cost; scaled: times the factor."""
    ratio = mechanism.strength * times
    typed, bare = mechanism.at_strength(ratio), mechanism.bare(ratio)
    assert type(typed) is type(bare) is type(mechanism)
    least = ratio * (1 - 1e-11)
    assert typed.strength >= least
    assert typed.base.parameters.get("sensitivity") == mechanism.base.parameters.get("sensitivity")
    if mechanism.stated is None or mechanism.stated.delta == 0:
        assert typed.strength <= ratio * (1 + SIX_DIGITS)
    assert bare.strength == pytest.approx(ratio, rel=1e-12)
    assert bare.rho == pytest.approx(mechanism.scaled(Fraction(times)).rho, rel=CLOSED)
    assert mechanism.scaled(Fraction(times)).strength == pytest.approx(ratio, rel=1e-12)


CLOSED_FORMS = ADJUSTABLE.filter(lambda each: each.base is each and not isinstance(each, TrainedModel))


@given(CLOSED_FORMS, st.sampled_from([1.0, 1.5, 8.0]))
def test_the_cost_is_the_curve_and_the_variance(mechanism, order):
    """Of what a mechanism is at that strength; the slopes are those of finite differences."""
    u, x, step = np.array([0.2]), np.array([math.log(0.2)]), 1e-5
    bare, cost = mechanism.bare(5.0), mechanism.cost
    curve = bare.rho if order == 1 else bare.rdp(order)
    assert cost.cost(u, order) == pytest.approx(curve, rel=1e-9)
    assert bare.noise is None or cost.variance(u) == pytest.approx(bare.noise.deviation**2)
    rise = (cost.cost(np.exp(x + step), order) - cost.cost(np.exp(x - step), order)) / (2 * step * u)
    fall = (cost.variance(np.exp(x - step)) - cost.variance(np.exp(x + step))) / (2 * step * u)
    assert np.exp(cost.log_slope(x, order)) == pytest.approx(rise, rel=1e-5)
    assert np.exp(cost.log_variance_slope(x)) == pytest.approx(fall, rel=1e-5)


@pytest.mark.parametrize("mechanism", [Laplace(3.0), Gaussian(2.0)], ids=ids)
def test_the_noise_is_that_of_its_samples(mechanism):
    """Its density integrates to its distribution function, its moments, its quantiles and its generating function."""
    noise, places = mechanism.noise, np.linspace(-150, 150, 600_001)
    density, spacing = noise.density(places), places[1] - places[0]
    drift = 1e-5  # of the trapezoidal rule across the kink at 0
    assert np.abs(np.cumsum(density) * spacing - density * spacing / 2 - noise.below(places)).max() <= drift
    assert density @ places**2 * spacing == pytest.approx(noise.deviation**2, rel=drift)
    assert density @ np.abs(places) * spacing == pytest.approx(noise.mean_distance, rel=drift)
    assert float(noise.below(noise.half_width(0.9)) - noise.below(-noise.half_width(0.9))) == pytest.approx(0.9)
    assert np.log(density @ np.exp(0.1 * places) * spacing) == pytest.approx(noise.cumulant(0.1), rel=drift)
    bend = noise.bend(0.3, 1.0)
    assert noise.density(bend) == pytest.approx(math.exp(0.3) * noise.density(bend - 1.0))


class WholeNoise(Noise):
    """Noise on integers with P[y] in proportion to exp(-|y|/scale)."""

    __slots__ = ()
    base = property(lambda self: math.exp(-1 / self.scale))
    mean_distance = property(lambda self: 2 * self.base / -math.expm1(-2 / self.scale))
    deviation = property(lambda self: math.sqrt(2 * self.base) / -math.expm1(-1 / self.scale))

    def half_width(self, confidence):
        """The least w with 1 - 2 a^(w+1) / (1 + a) of at least `confidence`."""
        return max(0.0, math.ceil(self.scale * -math.log((1 - confidence) * (1 + self.base) / 2) - 1 - 1e-12))


ANSWERS = {
    "key": "whole_laplace",
    "label": "Whole Laplace",
    "forms": (Form(("scale",), ("sensitivity",)),),
    "parameters": property(lambda self: {"scale": self.scale, "sensitivity": self.sensitivity}),
    "base": property(lambda self: self),
    "rate": 1.0,
    "profiles": property(lambda self: (self.delta,)),
    **dict.fromkeys(("relation", "leak", "mu", "cost")),
    "spared": property(lambda self: self),
    # At a shift of the sensitivity its loss is ε or -ε: that of randomized response.
    "stated": property(lambda self: Guarantee(self.sensitivity / self.scale)),
    "response": property(lambda self: RandomizedResponse(self.stated.epsilon)),
    "delta": lambda self, epsilon: self.response.delta(epsilon),
    "epsilon": lambda self, delta: self.response.epsilon(delta),
    "rdp": lambda self, alpha: self.response.rdp(alpha),
    "rho": property(lambda self: self.response.rho),
    "loss": property(lambda self: ResponseLaw(self.stated.epsilon, 0.0)),
    "laws": lambda self: (self.loss,),
    "grouped": lambda self, copies: self.response.grouped(copies),
    "noise": property(lambda self: WholeNoise(self.scale)),
    "norm": "L1",
    "why_no_noise": "",
    "note": "",
    "strength": property(lambda self: self.scale / self.sensitivity),
    "at_strength": lambda self, ratio: type(self)(float(f"{ratio * self.sensitivity:.6g}"), self.sensitivity),
    "bare": lambda self, ratio: type(self)(ratio),
    "scaled": lambda self, factor: type(self)(self.scale * float(factor), self.sensitivity),
    "sample": None,
    "log_ratio": None,
}


def defined(answers):
    """A mechanism of two numbers with these answers."""
    fields = {"__annotations__": {"scale": float, "sensitivity": float}, "sensitivity": field(default=1.0)}
    return dataclass(frozen=True)(type("WholeLaplace", (Mechanism,), {**fields, **answers}))


WholeLaplace = defined(ANSWERS)


def test_the_newcomer_knows_all_facets():
    assert set(FACETS) <= set(ANSWERS)


def test_a_mechanism_that_forgets_a_facet_cannot_be_defined():
    """And the message names what it forgot."""
    for forgotten in FACETS:
        with pytest.raises(TypeError, match=rf"WholeLaplace must answer every facet .*lacks {forgotten}$"):
            defined({name: answer for name, answer in ANSWERS.items() if name != forgotten})


def test_a_strength_without_noise_needs_a_cost():
    """Else a split by variance would ask the noise of what has none."""
    with pytest.raises(TypeError, match="WholeLaplace must give its cost"):
        defined(ANSWERS | {"noise": None, "cost": None})
    assert defined(ANSWERS | {"noise": None, "cost": RandomizedResponse.cost})
    assert defined(ANSWERS | {"noise": None, "cost": None, "strength": None})


NEW, OLD = WholeLaplace(10.0), Laplace(10.0, 1)


def test_the_report_tells_the_errors_of_a_new_mechanism():
    """By its own quantiles: 30 is the least w that noise on integers with b = 10 stays within in 95 % of cases."""
    a = math.exp(-0.1)
    inside = [1 - 2 * a ** (w + 1) / (1 + a) for w in (29, 30)]
    assert inside[0] < 0.95 <= inside[1]
    row = errors(Plan([Release("count", NEW)])).iloc[0]
    assert row.reason == "" and row.half_width == 30
    assert row.expected_absolute == pytest.approx(2 * a / (1 - a * a))
    page = html(Subject(Plan([Release("count", NEW)], Guarantee(1.0, 1e-6))))
    assert "no noise" not in page and "±30<" in page


def test_a_new_mechanism_has_a_noise_lever():
    """At δ = 0 a tenth more noise saves ε of 0.1 less 0.1/1.1."""
    frame = levers(Plan([Release("count", NEW)], Guarantee(1.0, 0.0))).set_index("lever")
    assert frame.what["noise"] == "noise 10 % larger"
    assert frame.saving["noise"] == pytest.approx(0.1 - 0.1 / 1.1)


@pytest.mark.parametrize("split", ["proportional", "equal", "weights", "variance"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("adaptive", [False, True])
def test_the_noise_of_a_new_mechanism_is_solved(split, delta, adaptive):
    """Beside what has the same ε it is neither held nor given another share, and the budget is spent."""
    plan = Plan([Release("new", NEW, 5), Release("old", OLD, 5)], Guarantee(0.5, delta), adaptive=adaptive)
    found = solve_noise(plan, split)
    scales = [each.mechanism.scale for each in found.plan.releases]
    assert scales[0] == pytest.approx(scales[1], rel=0.1) and scales[0] != 10.0
    if not found.by_filter:
        assert 0.4995 <= compose(found.plan, delta, found.theorem).epsilon <= 0.5
    if delta == 0 and split in ("proportional", "equal"):
        assert scales == pytest.approx([20.0, 20.0], rel=SIX_DIGITS)


def test_the_least_epsilon_of_a_new_mechanism_is_by_its_own_quantiles():
    """Within ±30 in 95 % of cases: the largest scale of which that is so, not a multiple of what is so at scale 1."""
    frame = least_epsilon(Plan([Release("count", NEW)], Guarantee(1.0, 0.0)), 30.0).set_index("kind")
    noise = frame.plan["planned"].releases[0].mechanism
    assert type(noise) is WholeLaplace and half_width(noise) == 30
    assert half_width(WholeLaplace(noise.scale * (1 + SIX_DIGITS))) == 31
    assert frame.epsilon["planned"] == pytest.approx(1 / noise.scale, rel=SIX_DIGITS)


def test_the_program_says_of_every_mechanism_how_dp_accounting_makes_it():
    """Of those that files know; a new one is left out with a reason."""
    assert set(EXPRESSIONS) == {kind.key for kind in BASE_MECHANISMS}
    program = dp_accounting_snippet(Plan([Release("count", NEW, 3)], Guarantee(1.0, 1e-6)))
    assert "# Left out: 'count', since no law of dp-accounting" in program and "LEFT_OUT = ['count']" in program


def test_a_sample_of_what_is_not_pure_is_not_read_as_a_pure_response():
    """Its stated ε bounds no loss, so that the curve of its sample follows from its own curve alone."""
    answers = {"stated": Guarantee(0.1, 0.5), "rdp": lambda self, alpha: Gaussian(self.scale).rdp(alpha)}
    sampled = Subsampled(defined({**ANSWERS, **answers})(1.0), 0.1, "poisson")
    for order in (1.5, 3.0, 20.0):
        assert sampled.rdp(order) >= Subsampled(Gaussian(1.0), 0.1, "poisson").rdp(order) * (1 - CLOSED)


@pytest.mark.parametrize("sampled", [False, True])
def test_more_noise_of_a_new_mechanism_is_more(sampled):
    mechanism = Subsampled(NEW, 0.1, "poisson") if sampled else NEW
    assert noisier(mechanism, 10.0).base == WholeLaplace(100.0)
