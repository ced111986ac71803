"""Runs handed over: programs that run where the library is there, and name what the others' signatures have."""

import ast
import runpy
from dataclasses import replace

import pytest

from dpviz.training import LIBRARIES, SCHEMES, TrainingRun, training_cost, training_program

RUN = TrainingRun(1000, 50, 1.5, 1e-5, epochs=3, largest_batch=60, bands=4, clipping_norm=0.5)
# What the libraries' own sources name: opacus/privacy_engine.py, jax_privacy/batch_selection.py,
# tensorflow_privacy/privacy/optimizers/dp_optimizer_keras.py.
ARGUMENTS = {
    "make_private": {
        "module", "optimizer", "criterion", "data_loader", "noise_multiplier", "max_grad_norm", "batch_first",
        "loss_reduction", "poisson_sampling", "clipping", "noise_generator", "grad_sample_mode",
    },
    "CyclicPoissonSampling": {"sampling_prob", "iterations", "truncated_batch_size", "cycle_length", "partition_type"},
    "BallsInBinsSampling": {"iterations", "cycle_length"},
    "DataLoader": {"batch_size"},
    "DPKerasSGDOptimizer": {
        "l2_norm_clip", "noise_multiplier", "num_microbatches", "gradient_accumulation_steps", "learning_rate",
    },
    "compile": {"optimizer", "loss"},
    "shuffle": {"reshuffle_each_iteration"},
    "batch": {"drop_remainder"},
    "fit": {"epochs"},
    "choice": {"replace"},
    "PLDAccountant": {"value_discretization_interval"},
}  # fmt: skip


@pytest.mark.parametrize("key", ["poisson", "fixed_order", "tree", "banded"])
def test_the_accountant_says_the_same(key, tmp_path):
    pytest.importorskip("dp_accounting")
    run = replace(RUN, scheme=key)
    place = tmp_path / "program.py"
    place.write_text(training_program(run, "dp_accounting"), encoding="utf-8")
    epsilon = runpy.run_path(str(place))["epsilon"]
    cost = training_cost(run, 1e-4).epsilon
    assert cost * (1 - 2e-4) <= epsilon <= cost * (1 + 1e-3)


def written():
    for library in LIBRARIES:
        for scheme in SCHEMES:
            try:
                yield library.key, scheme.key, training_program(replace(RUN, scheme=scheme.key), library.key)
            except ValueError as error:
                assert f"{library.key}," in str(error)  # the reason is the library's


def test_programs_name_what_signatures_have():
    programs = list(written())
    assert {library for library, _, _ in programs} == {library.key for library in LIBRARIES}
    for _, _, program in programs:
        for call in (node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)):
            named = {keyword.arg for keyword in call.keywords}
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            assert named <= ARGUMENTS.get(name, set())


def test_batches_of_one_size_are_handed_to_tensorflow_privacy():
    """Its optimizer divides by the drawn batch; epochs that lose their last batch are no more of them."""
    assert {scheme for library, scheme, _ in written() if library == "tensorflow_privacy"} == {
        "fixed_size", "shuffled", "fixed_order"
    }  # fmt: skip
    odd = replace(RUN, records=1010, scheme="shuffled")
    assert (odd.step_count, odd.passes) == (63, 3)
    assert "epochs=3" in training_program(odd, "tensorflow_privacy")
    even = replace(odd, records=1000, batch_size=50)
    assert "With one record less an epoch would have a batch less" in training_program(even, "tensorflow_privacy")
    assert "batch less" not in training_program(odd, "tensorflow_privacy")
    with pytest.raises(ValueError, match="one size alone"):
        training_program(replace(odd, batch_size=50.5), "tensorflow_privacy")


def test_records_are_thrown_and_grouped_on_their_own_in_jax_privacy():
    """Groups of one size depend on who else is there; one strategy's bins are kept, so that an epoch is an iterator."""
    programs = {scheme: program for library, scheme, program in written() if library == "jax_privacy"}
    assert {scheme for scheme, program in programs.items() if "PartitionType.INDEPENDENT" in program} == {"banded"}
    thrown = programs["allocation"]
    assert "BallsInBinsSampling(\n    iterations=20,\n    cycle_length=20,\n)" in thrown and "of 3 epochs" in thrown


def test_what_is_not_poisson_is_not_handed_to_opacus():
    assert {scheme for library, scheme, _ in written() if library == "opacus"} == {"poisson"}
    assert "poisson_sampling=True" in training_program(RUN, "opacus")
    with pytest.raises(ValueError, match="library must be one of"):
        training_program(RUN, "opcaus")
    with pytest.raises(ValueError, match="not given"):
        training_program(replace(RUN, scheme="banded", bands=None), "dp_accounting")
