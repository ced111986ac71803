"""Training a model by noisy gradient steps: what each way of drawing batches costs, and what a budget allows."""

from dpviz.mechanisms.batches import tree_nodes
from dpviz.mechanisms.laws.allocation import allocation_laws
from dpviz.training.clients import summed_noise_multiplier
from dpviz.training.cost import TrainingCost, compare_schemes, epsilon_over_epochs, training_cost
from dpviz.training.matrices import participation_sensitivity
from dpviz.training.programs import LIBRARIES, Library, training_program
from dpviz.training.run import TrainingRun, equally_accurate, offered_delta, usual_largest_batch
from dpviz.training.schemes import KINDS, SCHEMES, Scheme, scheme_named
from dpviz.training.solve import largest_batch, most_epochs, smallest_batch, smallest_noise
from dpviz.training.trials import best_of_all_trials, best_of_random_trials

__all__ = [
    "KINDS",
    "LIBRARIES",
    "SCHEMES",
    "Library",
    "Scheme",
    "TrainingCost",
    "TrainingRun",
    "allocation_laws",
    "best_of_all_trials",
    "best_of_random_trials",
    "compare_schemes",
    "epsilon_over_epochs",
    "equally_accurate",
    "largest_batch",
    "most_epochs",
    "offered_delta",
    "participation_sensitivity",
    "scheme_named",
    "smallest_batch",
    "smallest_noise",
    "summed_noise_multiplier",
    "training_cost",
    "training_program",
    "tree_nodes",
    "usual_largest_batch",
]
