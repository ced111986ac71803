"""A trained model as a release: what its run costs, beside other releases, with lower ends where they are its own."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Gaussian, Guarantee, Laplace, Plan, PrivacyLoss, Release, TrainedModel, compare, compose
from dpviz.mechanisms.batches import CutBatch, HiddenBatch
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
    assert TrainedModel.from_text(model.training) == model
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


def test_more_noise_is_a_factor_and_a_text_holds_every_digit():
    model = TrainedModel(1000, 50, 1.1, epochs=2.5, clipping_norm=0.3, scheme="banded_order", bands=3)
    assert model.scaled(Fraction(3)).noise_multiplier == 3.3
    assert TrainedModel.from_text(model.training.replace(", ", ";\n").upper()) == model
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
