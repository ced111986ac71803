"""Gaussian noises that add up, and answers that are aggregated only sometimes."""

from dpviz.noise_sums.mixtures import HiddenMixture, mixture
from dpviz.noise_sums.sums import NOTE_PAIRS, client_curve, noise_sum, secure_aggregation, summed_epsilon

__all__ = [
    "NOTE_PAIRS",
    "HiddenMixture",
    "client_curve",
    "mixture",
    "noise_sum",
    "secure_aggregation",
    "summed_epsilon",
]
