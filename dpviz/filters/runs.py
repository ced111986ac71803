"""A sequence of requests under a filter: what is admitted, what is refused and why, and the rule's ε along the way."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

import numpy as np

from dpviz.filters.filter import Filter
from dpviz.filters.queries import Queries
from dpviz.filters.tally import EXACT, Tally, exact
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.parameters import checked, checked_choice

if TYPE_CHECKING:
    import pandas as pd

AFTER_REFUSAL = ("stop", "skip")
_WINDOW = 1 << 15
_ADDITION = 2.3e-16  # relative error of one addition of doubles, rounded up


@dataclass(frozen=True, slots=True, eq=False)
class FilterRun:
    """What became of a sequence of requests.

    Parameters
    ----------
    start, end : Filter
        Before the first request and after the last.
    queries : Queries
    admitted : ndarray of bool, shape (queries,)
    reasons : list of str, length queries
        Why a request was refused, or not asked; "" where it was admitted.
    """

    start: Filter
    end: Filter
    queries: Queries
    admitted: np.ndarray
    reasons: list[str]

    @property
    def bounds(self) -> np.ndarray:
        """The rule's ε after each request, rounded up, shape (queries,); see `Filter.bound` for what it is worth.

        With zCDP and more than 512 requests within 1e-6 of the exact value.
        """
        epsilon, _, sums = self.start.columns(self.queries)
        tally = self.start.tally
        columns = [self._running(epsilon, tally.epsilon)] if self.start.asks_basic else []
        if self.start.rule != "basic" and not self.start.inapplicable:
            totals = tuple(self._running(*pair) for pair in zip(sums, tally.sums, strict=True))
            columns.append(np.broadcast_to(self.start.bound_of(totals), self.admitted.shape))
        if not columns:
            return np.full(len(self.queries), math.inf)
        # What was admitted is within the budget for sure; only the rounding of the sums may say otherwise.
        return np.maximum.accumulate(np.minimum(np.min(columns, axis=0), self.start.budget.epsilon))

    def _running(self, charges: np.ndarray, spent: Decimal | float) -> np.ndarray:
        """Sums of the admitted charges after each request, rounded up where decimals decide."""
        charges = np.concatenate([[float(spent)], np.where(self.admitted, charges, 0.0)])
        with np.errstate(over="ignore"):
            totals = np.add.accumulate(charges)
        if isinstance(spent, float):
            return totals[1:]
        exactly = _decimal_running_sums(charges) if exact(charges[0]) == spent else None
        return totals[1:] * (1 + (np.arange(len(totals) - 1) + 4) * _ADDITION) if exactly is None else exactly[1:]

    def frame(self) -> pd.DataFrame:
        """Return one row per request.

        Returns
        -------
        DataFrame
            Columns step (from 1), epsilon and delta (the stated pair; ε = inf where there is none), admitted, bound
            (the rule's ε after the step) and reason ("" where it was admitted).
        """
        import pandas as pd

        columns = {
            "step": np.arange(1, len(self.queries) + 1),
            "epsilon": self.queries.epsilon,
            "delta": self.queries.delta,
            "admitted": self.admitted,
            "bound": self.bounds,
            "reason": self.reasons,
        }
        return pd.DataFrame(columns)


def _decimal_running_sums(values: np.ndarray) -> np.ndarray | None:
    """Running sums of typed decimals that share a grid 10^-k and have at most 15 digits there; None for others."""
    for power in range(23):  # up to 10^22 powers of ten are doubles, and the quotient below the nearest double
        grid = 10.0**power
        if not values.sum() * grid < 1e15:
            return None
        numerators = np.rint(values * grid)
        if np.array_equal(numerators / grid, values):
            return np.cumsum(numerators.astype(np.int64)) / grid
    return None


def run(
    filter: Filter, requests: Iterable[Guarantee | Mechanism] | Queries, after_refusal: str = "stop"
) -> FilterRun:
    """Send a sequence of requests through a filter.

    Parameters
    ----------
    filter : Filter
    requests : iterable of Guarantee or Mechanism, or Queries
        At most a million, of one neighbour relation.
    after_refusal : str
        "stop": nothing is asked after the first refusal. "skip": a refused request is left out, and the next is asked.

    Notes
    -----
    Decides each request as `Filter.spend` does. Where double precision leaves no doubt, many at once.

    Examples
    --------
    >>> requests = [Guarantee(0.1), Guarantee(0.25), Guarantee(0.2)]
    >>> run(Filter(Guarantee(0.3)), requests).admitted.tolist()
    [True, False, False]
    >>> run(Filter(Guarantee(0.3)), requests, "skip").admitted.tolist()
    [True, False, True]
    """
    checked_choice(after_refusal, AFTER_REFUSAL, "after_refusal")
    checked(filter, Filter, "filter")
    queries = Queries.of(requests)
    if None not in (queries.relation, filter.tally.relation) and queries.relation != filter.tally.relation:
        raise ValueError(f"requests must hold for the relation {filter.tally.relation}; got {queries.relation}")
    admitted, reasons = np.zeros(len(queries), dtype=bool), [""] * len(queries)
    epsilon, delta, sums = filter.columns(queries)
    table = np.stack([np.asarray(column, dtype=float) for column in (epsilon, delta, *sums)])
    state = filter
    for start in range(0, len(queries), _WINDOW):
        steps = np.arange(start, min(start + _WINDOW, len(queries)))
        state, refused = _window(state, table, queries.relation, steps, after_refusal)
        for step, reason in refused:
            reasons[step] = reason
        admitted[start : start + _WINDOW] = [not reason for reason in reasons[start : start + _WINDOW]]
        if refused and after_refusal == "stop":
            step, last = refused[0][0], len(queries)
            admitted[step:] = False
            reasons[step + 1 :] = [f"not asked: request {step + 1} was refused"] * (last - step - 1)
            break
    return FilterRun(filter, state, queries, admitted, reasons)


def _window(
    state: Filter, table: np.ndarray, relation: str | None, open_steps: np.ndarray, after_refusal: str
) -> tuple[Filter, list[tuple[int, str]]]:
    """Decide the requests of a window; the filter afterwards, and what was refused, with the reason."""
    refused: list[tuple[int, str]] = []
    while open_steps.size:
        sure = _surely_admitted(state, table[:, open_steps])
        if sure:
            state = _after(state, table[:, open_steps[:sure]], relation)
            open_steps = open_steps[sure:]
            continue
        step, rest = open_steps[0], open_steps[1:]
        charge = _charge(state, table[:, step], relation)
        after = state.tally.plus(charge)
        reason = state.unreadable(charge) or state.exceeded_by(after)
        if not reason:
            state, open_steps = replace(state, tally=after), rest
            continue
        refused.append((int(step), reason))
        if after_refusal == "stop":
            break
        # A request that costs no less in anything is refused as well, now and later: sums only grow.
        alike = np.all(table[:, rest] >= table[:, [step]], axis=0)
        alike &= np.all(np.isfinite(table[:, rest]) == np.isfinite(table[:, [step]]), axis=0)
        refused += [(int(each), reason) for each in rest[alike]]
        open_steps = rest[~alike]
    return state, refused


def _surely_admitted(state: Filter, charges: np.ndarray) -> int:
    """How many of the next requests are admitted beyond doubt."""
    tally = state.tally
    spent = np.array([float(each) for each in (tally.epsilon, tally.delta, *tally.sums)])
    with np.errstate(over="ignore", invalid="ignore"):
        totals = np.add.accumulate(np.concatenate([spent[:, None], charges], axis=1), axis=1)[:, 1:]
    if state.arithmetic == "decimal":
        totals = totals * (1 + (charges.shape[1] + 4) * _ADDITION)
    within = state.surely_holds(tuple(totals[2:]))
    if state.asks_basic:
        within = within | (totals[0] <= state.budget.epsilon)
    good = within & (totals[1] <= state.allowance) & np.isfinite(totals[0 if state.record.reads_pairs else 2])
    return len(good) if good.all() else int(np.argmin(good))


def _charge(state: Filter, column: np.ndarray, relation: str | None) -> Tally:
    number = exact if state.arithmetic == "decimal" else float
    epsilon, delta, *sums = map(number, column.tolist())
    return Tally(state.tally.terms, 1, epsilon, delta, tuple(sums), relation)


def _after(state: Filter, charges: np.ndarray, relation: str | None) -> Filter:
    """The filter after requests that are all admitted."""
    tally = state.tally
    total = _left_to_right if state.arithmetic == "float64" else _exactly
    spent = (tally.epsilon, tally.delta, *tally.sums)
    epsilon, delta, *sums = (total(start, column) for start, column in zip(spent, charges, strict=True))
    count = tally.count + charges.shape[1]
    return replace(state, tally=Tally(tally.terms, count, epsilon, delta, tuple(sums), tally.relation or relation))


def _left_to_right(start: float, column: np.ndarray) -> float:
    return float(np.add.accumulate(np.concatenate([[start], column]))[-1])


def _exactly(start: Decimal, column: np.ndarray) -> Decimal:
    values, counts = np.unique(column, return_counts=True)
    with localcontext(EXACT):
        return start + sum(exact(value) * count for value, count in zip(values.tolist(), counts.tolist(), strict=True))


def odometer(
    filter: Filter, requests: Iterable[Guarantee | Mechanism] | Queries, after_refusal: str = "stop"
) -> pd.DataFrame:
    """Return the frame of `run`: one row per request with step, epsilon, delta, admitted, bound and reason.

    Examples
    --------
    >>> odometer(Filter(Guarantee(0.3)), [Guarantee(0.1)] * 3)["bound"].tolist()
    [0.1, 0.2, 0.3]
    """
    return run(filter, requests, after_refusal).frame()
