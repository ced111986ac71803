"""Federated averaging: clients in place of records, whose noises add up under secure aggregation."""

from __future__ import annotations

import math

from dpviz.mechanisms.batches import NOISE_MULTIPLIER
from dpviz.noise_sums.sums import honest_clients
from dpviz.outward import lowered


def summed_noise_multiplier(own: float, clients: int, colluding: int = 0, dropped: int = 0) -> float:
    """Return the noise multiplier of a round in which every client adds noise of its own, rounded down.

    Parameters
    ----------
    own : float
        Standard deviation of one client's noise over the clipping norm, in (0, inf).
    clients : int
        Asked in a round.
    colluding : int
        Clients who may tell their noise.
    dropped : int
        Clients whose answers may be missing.

    Notes
    -----
    Variances of the honest clients who answer add up, in the worst round that is allowed for. With clients for records
    and the clients of a round for a batch, a `TrainingRun` with this noise multiplier is the run.

    References
    ----------
    `dpviz.noise_sums.secure_aggregation`, which states the same for one round.

    Examples
    --------
    >>> round(summed_noise_multiplier(0.1, 120, colluding=10, dropped=10), 6)
    1.0
    """
    sigma = NOISE_MULTIPLIER.check(own)
    return float(lowered(sigma * math.sqrt(honest_clients(clients, colluding, dropped)), 4))
