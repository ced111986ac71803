"""Gaussian noises that add up, and answers that are aggregated only sometimes."""

from dpviz.noise_sums.mixtures import HiddenMixture, mixture
from dpviz.noise_sums.sums import (
    NOTE_PAIRS,
    client_curve,
    honest_clients,
    noise_sum,
    noise_sum_grid,
    noise_sum_table,
    secure_aggregation,
    standing,
    summed_epsilon,
    vantage_points,
)

__all__ = [
    "NOTE_PAIRS",
    "HiddenMixture",
    "client_curve",
    "honest_clients",
    "mixture",
    "noise_sum",
    "noise_sum_grid",
    "noise_sum_table",
    "secure_aggregation",
    "standing",
    "summed_epsilon",
    "vantage_points",
]
