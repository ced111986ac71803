"""Queries as filters see them: the stated pair of each, and its ρ with the δ that it leaks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.outward import raised
from dpviz.parameters import Parameter, shown

MAXIMUM_QUERIES = 1_000_000
QUERY_EPSILON = Parameter("epsilon", "ε", "privacy loss", 0, math.inf, open_high=True)
QUERY_DELTA = Parameter("delta", "δ", "probability of a leak", 0, 1, open_high=True)


@dataclass(frozen=True, slots=True)
class Query:
    """What one request costs, in both readings.

    Parameters
    ----------
    epsilon, delta : float
        The stated pair; ε = inf where there is none.
    pure_epsilon, leak, rho : float
        It is `leak`-approximately ρ-zCDP, and but for the leak (`pure_epsilon`, 0)-DP; inf where it is not.
    relation : str or None
        The neighbour relation it demands.

    References
    ----------
    Bun & Steinke (2016), Def. 8.1; Steinke (2024), "A tight pure-DP to zCDP conversion", Thm 5.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> Query.of(Gaussian(10)).epsilon, round(Query.of(Gaussian(10)).rho, 12)
    (inf, 0.005)
    """

    epsilon: float
    delta: float
    pure_epsilon: float
    leak: float
    rho: float
    relation: str | None = None

    @classmethod
    def of(cls, request: Guarantee | Mechanism) -> Query:
        """Read a guarantee, or a mechanism; where a mechanism has a ρ, that is used although it has a stated pair."""
        if isinstance(request, Guarantee):
            return cls.of_pair(request, None)
        if not isinstance(request, Mechanism):
            raise ValueError(f"a request must be a Guarantee or a mechanism; got {request!r:.60}")
        stated = request.stated
        if math.isinf(request.rho) and stated is not None:
            return cls.of_pair(stated, request.relation)
        if stated is None and request.leak:
            return cls(math.inf, 0.0, math.inf, request.leak, request.spared.rho, request.relation)
        pair = (math.inf, 0.0) if stated is None else (stated.epsilon, stated.delta)
        pure = stated.epsilon if stated is not None and stated.delta == 0 else math.inf
        return cls(*pair, pure, 0.0, request.rho, request.relation)

    @classmethod
    def of_pair(cls, stated: Guarantee, relation: str | None) -> Query:
        """Read an (ε, δ) pair of which nothing else is known."""
        rho = float(_pure_rhos(stated.epsilon))
        return cls(stated.epsilon, stated.delta, stated.epsilon, stated.delta, rho, relation)


def _pure_rhos(epsilons: float | np.ndarray) -> np.ndarray:
    """ε tanh(ε/2) rounded up, for numbers and arrays alike."""
    return raised(epsilons * np.tanh(np.asarray(epsilons) / 2), 16)


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """A sequence of requests, as columns of the fields of `Query`, each of shape (queries,).

    Parameters
    ----------
    epsilon, delta, pure_epsilon, leak, rho : ndarray
    relation : str or None
        The neighbour relation that all of them share.

    Examples
    --------
    >>> len(Queries.of([Guarantee(0.1)] * 3))
    3
    """

    epsilon: np.ndarray
    delta: np.ndarray
    pure_epsilon: np.ndarray
    leak: np.ndarray
    rho: np.ndarray
    relation: str | None = None

    def __len__(self) -> int:
        return len(self.epsilon)

    @classmethod
    def of(cls, requests: Iterable[Guarantee | Mechanism]) -> Queries:
        """Read at most a million guarantees or mechanisms of one neighbour relation.

        Raises
        ------
        ValueError
            Naming the first request that is none, or is one too many.
        """
        if isinstance(requests, Queries):
            return requests
        if not isinstance(requests, Iterable):
            raise ValueError(f"requests must be a sequence of Guarantees or mechanisms; got {shown(requests)}")
        known: dict[int, Query] = {}
        read = []
        for step, request in enumerate(requests, start=1):
            if step > MAXIMUM_QUERIES:
                raise ValueError(f"a sequence must have at most {MAXIMUM_QUERIES:,} requests")
            if id(request) not in known:
                known[id(request)] = _at_step(step, request), request  # held, so that no id is used twice
            read.append(known[id(request)][0])
        relations = sorted({query.relation for query in read} - {None})
        if len(relations) > 1:
            raise ValueError(f"all requests must share one neighbour relation; got {' and '.join(relations)}")
        columns = np.array(
            [(query.epsilon, query.delta, query.pure_epsilon, query.leak, query.rho) for query in read], dtype=float
        ).reshape(len(read), 5)
        return cls(*np.ascontiguousarray(columns.T), relation=relations[0] if relations else None)

    @classmethod
    def of_pairs(cls, epsilons: np.ndarray, deltas: np.ndarray | float = 0.0) -> Queries:
        """Read pairs given as arrays, shape (queries,), at most a million.

        Raises
        ------
        ValueError
            With the first value outside its interval.

        Examples
        --------
        >>> Queries.of_pairs([0.1, 0.2]).delta.tolist()
        [0.0, 0.0]
        """
        epsilons = np.atleast_1d(QUERY_EPSILON.check_array(epsilons)).ravel()
        deltas = QUERY_DELTA.check_array(deltas)
        if deltas.ndim and deltas.shape != epsilons.shape and deltas.size != 1:
            raise ValueError(f"deltas must be one number, or as many as epsilons, {len(epsilons)}; got {deltas.size}")
        deltas = np.broadcast_to(deltas, epsilons.shape)
        if len(epsilons) > MAXIMUM_QUERIES:
            raise ValueError(f"a sequence must have at most {MAXIMUM_QUERIES:,} requests; got {len(epsilons):,}")
        return cls(epsilons, deltas, epsilons, deltas, _pure_rhos(epsilons))


def _at_step(step: int, request: object) -> Query:
    try:
        return Query.of(request)
    except ValueError as error:
        raise ValueError(f"request {step}: {error}") from None
