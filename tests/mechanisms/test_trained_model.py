"""A trained model as a release: what its run costs, beside other releases, with lower ends where they are its own."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import (
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    PrivacyLoss,
    Release,
    TrainedModel,
    compare,
    compose,
    solve_noise,
)
from dpviz.decimals import typed
from dpviz.filters.verdicts import why_not_whole
from dpviz.mechanisms.batches import CutBatch, HiddenBatch
from dpviz.planning import Goal, checks, least_epsilon, levers
from dpviz.planning.accuracy import half_width
from dpviz.planning.budgeting import SPLITS
from dpviz.training import SCHEMES, TrainingRun, training_cost
from tests.effort import examples

RUN = TrainingRun(1000, 50, 2.0, 1e-5, epochs=3, largest_batch=60, bands=4)
KEYS = [scheme.key for scheme in SCHEMES]
COARSE = 1e-3  # accuracy
LATTICE = 5e-3  # of ε: random allocation is on a lattice of one width in plans, and of several elsewhere
EXACT = [scheme.key for scheme in SCHEMES if scheme.kind == "exact"]


@pytest.mark.parametrize("key", KEYS)
def test_the_row_costs_what_the_run_does(key):
    """Alone and beside others; lower ends are claimed of schemes that are exact, else of the others alone."""
    run = replace(RUN, scheme=key)
    cost, model = training_cost(run, COARSE), run.model
    total = PrivacyLoss.of(model, COARSE).epsilon(1e-5)
    assert total == pytest.approx(cost.epsilon, rel=LATTICE)
    assert total >= (cost.lower or 0) * (1 - 1e-12)
    kind = compare(model, 1e-5).set_index("theorem").kind["pld"]
    assert (kind == "exact") == (key in EXACT and key != "poisson"), "no closed form knows samples"
    beside = PrivacyLoss.of([model, Gaussian(60 / math.sqrt(52), 1)], COARSE)
    bracket, alone = beside.epsilon_bracket(1e-5), PrivacyLoss.of(Gaussian(60 / math.sqrt(52), 1)).epsilon(1e-5)
    assert bracket.upper > cost.epsilon * (1 - LATTICE)
    assert (bracket.lower > cost.epsilon * (1 - LATTICE)) == (key in EXACT)
    assert key in EXACT or bracket.lower == pytest.approx(alone, rel=1e-6)
    assert model.epsilon(1e-5) >= total * (1 - LATTICE), "what filters read lies above"
    assert TrainedModel.from_text(model.training) == model == TrainedModel.from_text(model.in_short)
    assert model.relation == ("replace_one" if key == "fixed_size" else "add_remove")


def test_a_plan_says_what_is_left_beside_weekly_counts():
    """The question of whoever trains and publishes: Poisson steps and Gaussian counts, by the peer's convolution."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    model = TrainedModel(1000, 50, 2.0, epochs=1)
    plan = Plan([Release("Weekly counts", Gaussian(60, 1), 52), Release("Model", model)], Guarantee(3, 1e-5))
    found = compose(plan, 1e-5, accuracy=COARSE).epsilon
    grid = {"value_discretization_interval": 1e-3}
    steps = pld.from_gaussian_mechanism(2.0, sampling_prob=0.05, **grid).self_compose(20)
    peer = steps.compose(pld.from_gaussian_mechanism(60 / math.sqrt(52), **grid)).get_epsilon_for_delta(1e-5)
    assert found == pytest.approx(peer, rel=5e-3) and found <= peer * (1 + COARSE)


def test_relations_that_do_not_fit_are_refused():
    replaced = TrainedModel(1000, 50, 2.0, epochs=3, scheme="fixed_size")
    with pytest.raises(ValueError, match="relation"):
        Plan([Release("a", replaced), Release("b", TrainedModel(1000, 50, 2.0, epochs=3))])
    with pytest.raises(ValueError, match="relation"):
        Plan([Release("a", replaced)], relation="add_remove")


@given(st.integers(2, 20), st.floats(0.7, 4.0), st.floats(0.0, 3.0))
@examples(5)
def test_the_profile_of_a_hidden_batch_lies_between_its_laws_and_gaussian_noise(batches, sigma, epsilon):
    """Removing a record: by simulation-free ends, of one known batch from above, of laws below from below."""
    from dpviz.mechanisms.laws.allocation import allocation_laws

    hidden = HiddenBatch(sigma, 1, batches=batches)
    below = allocation_laws(batches, 1 / sigma, 0.03, above=False)
    for profile, law in zip(hidden.profiles, below, strict=True):
        at = profile(np.array([epsilon]))[0]
        gain = -np.expm1(np.minimum(epsilon - law.losses, 0.0))
        assert (gain * np.exp(law.log_masses)).sum() * (1 - 1e-9) <= at
        assert at <= Gaussian(sigma, 1).delta(epsilon) * (1 + 1e-3) + 1e-12


def test_the_curve_of_a_cut_batch_is_that_of_a_told_mixture():
    """Between the Poisson batch and Gaussian noise on two norms; by moments of its own law."""
    ((cut, _),) = TrainedModel(500, 50, 2.0, steps=1, scheme="truncated_poisson", largest_batch=55).uses.items()
    assert isinstance(cut, CutBatch)
    for order in (1.5, 4.0, 16.0):
        assert cut.usual.rdp(order) * (1 - 1e-9) <= cut.rdp(order) <= Gaussian(2.0, 2).rdp(order)
        remove = cut.laws()[0].atoms(np.linspace(-40, 40, 4001), -300.0)
        moment = np.logaddexp.reduce(remove.log_masses + (order - 1) * remove.losses) / (order - 1)
        assert moment <= cut.rdp(order) * (1 + 1e-9)


def test_a_text_begins_with_what_differs():
    """A cell of the table shows its first words alone."""
    model = TrainedModel(60_000, 256, 1.1, epochs=30, scheme="truncated_poisson", largest_batch=320, clipping_norm=0.5)
    names = ["noise multiplier 1.1", "batch size 256", "records 60000", "epochs 30", "scheme truncated_poisson"]
    assert model.training.split(", ") == [*names, "clipping norm 0.5", "largest batch 320"]


@pytest.mark.parametrize("noise", ["noise 4", "noise = 1.1", "noise 1.1", "1.1 noise"])
def test_noise_that_may_be_a_standard_deviation_is_no_multiplier(noise: str):
    """A standard deviation of 4 at a clipping norm of 4 is a multiplier of 1, which costs far more than one of 4."""
    with pytest.raises(ValueError, match="must be told by some of noise multiplier"):
        TrainedModel.from_text(f"{noise}, batch 256 of 60000, epochs 3, clipping norm 4")
    told = TrainedModel.from_text("1.1 multiplier, batches of 256 of 60000 records, 3 epochs")
    assert told == TrainedModel(60_000, 256, 1.1, epochs=3) == TrainedModel.from_text(told.training)


def test_more_noise_is_a_factor_and_a_text_holds_every_digit():
    model = TrainedModel(1000, 50, 1.1, epochs=2.5, clipping_norm=0.3, scheme="banded_order", bands=3)
    assert model.scaled(Fraction(3)).noise_multiplier == 3.3
    for text in (model.training, model.in_short):
        assert TrainedModel.from_text(text.replace(", ", ";\n").upper()) == model
    assert eval(repr(model), {"TrainedModel": TrainedModel}) == model
    assert model.grouped(1) is model and model.grouped(2).mu == pytest.approx(2 * model.mu)


@pytest.mark.parametrize("sigma", [0.005, 1e-4, 1e7])
def test_extreme_noise_never_costs_nothing(sigma):
    for key in ("allocation", "shuffled", "truncated_poisson", "tree"):
        model = replace(RUN, scheme=key, noise_multiplier=sigma).model
        assert compose(model, 1e-12, accuracy=COARSE).epsilon > 0 < model.delta(0.0)


def test_other_releases_stay_as_they_are():
    """A row that is never used costs nothing, and one that recurs counts every training."""
    model, noise = TrainedModel(1000, 50, 4.0, epochs=1, scheme="fixed_order"), Laplace(10, 1)
    assert compose({model: 0, noise: 3}, 1e-6).epsilon == compose({noise: 3}, 1e-6).epsilon
    assert compose({model: 4}, 1e-6).epsilon == pytest.approx(compose(Gaussian(2, 1), 1e-6).epsilon, rel=1e-12)


@pytest.mark.parametrize("key", KEYS)
@given(st.floats(-3, 3).map(lambda power: 10**power))
def test_a_noise_multiplier_that_is_asked_for_is_had(key, times):
    """In six digits, never below what was asked; all but the noise stays; scaled and at a strength agree."""
    model = replace(RUN, scheme=key).model
    ratio = model.strength * times
    found = model.at_strength(ratio)
    assert ratio * (1 - 1e-11) <= found.noise_multiplier <= ratio * (1 + 1.1e-5)
    assert float(f"{found.noise_multiplier:.6g}") == found.noise_multiplier
    assert replace(found, noise_multiplier=model.noise_multiplier) == model == model.at_strength(model.strength)
    assert TrainedModel.from_text(found.training) == found == TrainedModel.from_text(found.in_short)
    more = model.scaled(Fraction(times))
    assert typed(more.noise_multiplier) >= typed(model.noise_multiplier) * Fraction(times)
    assert more.at_strength(more.strength) == model.at_strength(more.strength)


@pytest.mark.parametrize("key", KEYS)
def test_the_cost_of_a_run_shapes_splits(key):
    """Of what is Gaussian it is the Rényi curve itself; a proxy of samples falls with the noise, too."""
    model = replace(RUN, scheme=key).model
    u, orders = np.array([0.3, 0.5, 1.0]), (1.0, 1.5, 8.0)
    for order in orders:
        costs = model.cost.cost(u, order)
        assert (costs > 0).all() and (np.diff(costs) > 0).all()
        if model.mu is not None:
            curve = [each.rho if order == 1 else each.rdp(order) for each in map(model.bare, (1 / u).tolist())]
            if key in ("fixed_order", "tree", "shuffled", "banded_order"):
                assert costs == pytest.approx(curve, rel=1e-9)
    assert model.cost.variance(u) == pytest.approx(1 / u**2)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("adaptive", [False, True])
def test_a_run_is_fitted_with_counts(key, adaptive):
    """Within the budget and within 0.1 % of it, model and counts in proportion; along the way a filter admits them."""
    model = replace(RUN, scheme=key).model
    rows = [Release("Model", model), Release("Weekly counts", Gaussian(10, 1), 52)]
    found = solve_noise(Plan(rows, Guarantee(3, 1e-5), adaptive=adaptive))
    solved = found.plan.releases[0].mechanism
    if found.by_filter:
        assert adaptive and not why_not_whole(found.plan, found.theorem)
    else:
        assert 3 * (1 - 1e-3) <= compose(found.plan).epsilon <= 3
        assert PrivacyLoss.of(found.plan).delta(3) <= 1e-5
    assert replace(solved, noise_multiplier=model.noise_multiplier) == model
    assert found.factors[0] == pytest.approx(found.factors[1], rel=2.2e-5) and found.factors[0] != 1


THIRD = Plan(
    [
        Release("Model", TrainedModel(60_000, 256, 1.1, epochs=30)),
        Release("Weekly counts", Gaussian(20, 1), 52, typical=1000.0),
        Release("Class counts", Laplace(5, 1), typical=400.0, weight=3.0),
    ],
    Guarantee(3, 1e-5),
)


@pytest.mark.parametrize("split", [each.key for each in SPLITS])
def test_whoever_trains_and_publishes_gets_a_plan_that_fits(split):
    """A split that weighs errors leaves a model the noise of all scaled as planned, and divides the rest."""
    found = solve_noise(THIRD, split)
    assert 3 * (1 - 1e-3) <= compose(found.plan).epsilon <= 3
    model, weekly, once = (each.mechanism for each in found.plan.releases)
    factors = np.array(found.factors)
    if split == "proportional":
        assert factors == pytest.approx(factors[0], rel=2.2e-5) and factors[0] < 1
        assert model.noise_multiplier == pytest.approx(0.9344, abs=1e-3)
    elif split == "equal":
        assert model.strength == pytest.approx(weekly.strength, rel=2.2e-5)
    elif split in ("variance", "relative"):
        assert model == solve_noise(THIRD).plan.releases[0].mechanism
        assert weekly.sigma != solve_noise(THIRD).plan.releases[1].mechanism.sigma
    if split == "relative":
        relative = [half_width(weekly, 0.95) / 1000, half_width(once, 0.95) / 400]
        assert relative[0] == pytest.approx(relative[1], rel=2.2e-5)


def test_models_alone_are_scaled_and_locked_ones_are_held():
    alone = Plan(THIRD.releases[:1], THIRD.budget)
    assert solve_noise(alone, "variance").plan == solve_noise(alone).plan
    assert "no relative error" in solve_noise(alone, "relative").reason
    held = solve_noise(THIRD, locked=[0])
    assert held.plan is None or held.plan.releases[0] == THIRD.releases[0]
    assert "no finite ε at δ = 0" in solve_noise(replace(alone, budget=Guarantee(3))).reason
    one = TrainedModel(10**6, 1, 1.0, steps=5)
    assert "any noise fits" in solve_noise(Plan([Release("Model", one)], Guarantee(1, 1e-5))).reason
    assert solve_noise(Plan([Release("Model", one)], Guarantee(1, 4e-6))).plan is not None


def test_a_risk_takes_a_noise_multiplier():
    found = solve_noise(Plan(THIRD.releases[:2], THIRD.budget), goal=Goal(advantage=0.2)).plan
    assert 0.2 * (1 - 1e-4) <= PrivacyLoss.of(found).advantage <= 0.2
    assert found.releases[0].mechanism.noise_multiplier > 1.1


def test_an_accuracy_leaves_models_as_they_are():
    """They have no error: a kind of noise is chosen for the others alone."""
    frame = least_epsilon(THIRD, 30.0)
    assert frame.applies.iloc[0]
    assert all(each.releases[0] == THIRD.releases[0] for each in frame.plan if each is not None)
    alone = least_epsilon(Plan(THIRD.releases[:1], THIRD.budget), 30.0)
    assert not alone.applies.any() and alone.reason.str.contains("no release with an error").all()


def test_levers_and_checks_know_the_noise_of_a_model():
    """A tenth more noise is what `scaled` gives; noise without end is no unit mistaken."""
    plan = Plan(THIRD.releases[:2], THIRD.budget)
    frame = levers(plan).set_index(["row", "lever"])
    assert frame.what[0, "noise"] == "noise 10 % larger"
    more = replace(plan.releases[0], mechanism=plan.releases[0].mechanism.scaled(Fraction(11, 10)))
    total = compose(replace(plan, releases=(more, plan.releases[1]))).epsilon
    assert frame.epsilon_less[0, "noise"] == pytest.approx(total, rel=1e-3)
    noisy = replace(plan.releases[0], mechanism=plan.releases[0].mechanism.at_strength(1e6))
    assert not any("unit of the answer" in each.sentence for each in checks(Plan([noisy], plan.budget)))
