"""How a plan's total grows when it is repeated: kept answers, exact at crossings. Keys are text and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.composition import THEOREMS, Theorem, crossings, epsilon_curve, refusal
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan, Workload

POINTS = 200  # counts drawn: more than a chart has room for
_SECTIONS = 32  # counts tried at once between two that are drawn
_DOUBLINGS = 5  # of the last count, where a numerical theorem stays within the target
_BARELY = 1e-13  # relative difference that is none


@dataclass(frozen=True)
class Growth:
    """The curves of a plan, and where they cross.

    Parameters
    ----------
    curve : pandas.DataFrame
        As `dpviz.epsilon_curve` returns it, and label; at most about 200 counts, the crossings among them.
    crossings : pandas.DataFrame
        One row per theorem but basic: theorem, label, count from which it beats basic (missing: never), epsilon (of
        basic there), searched (how many repetitions were looked at).
    fits : pandas.DataFrame
        One row per theorem: theorem, label, count that stays within the target (missing without one), searched.
    ends : dict of str to int
        The last count with a finite ε, of theorems that run out of δ before the last count.
    """

    curve: pd.DataFrame
    crossings: pd.DataFrame
    fits: pd.DataFrame
    ends: dict[str, int]


def growth(plan: Plan, times: int, delta: float, target: float | None, log: bool) -> Growth:
    """Return the curves of 1 to `times` repetitions, kept.

    Parameters
    ----------
    plan : Plan
        What is repeated.
    times : int
        At least 1.
    delta : float
        The whole δ, in [0, 1).
    target : float or None
        The ε that repetitions are to stay within.
    log : bool
        Whether the counts are to be spread over a logarithmic axis.
    """
    return _growth(plan.to_json(), times, delta, target, log)


@st.cache_data(max_entries=64, max_size="32MB", show_spinner=False)
def _growth(plan_json: str, times: int, delta: float, target: float | None, log: bool) -> Growth:
    search = _Search(Plan.from_json(plan_json), times, delta, target)
    counts = chosen_counts(times, log, search.known())
    curve = epsilon_curve(search.plan, counts, delta)
    curve.insert(1, "label", curve.theorem.map({theorem.key: theorem.label for theorem in THEOREMS}))
    search.counts = counts
    search.totals = dict(zip(search.keys, curve.epsilon.to_numpy().reshape(len(search.keys), -1), strict=True))
    ends = {key: search.end(key) for key in search.keys}
    return Growth(curve, _crossings(search), _fits(search), {key: count for key, count in ends.items() if count})


def chosen_counts(times: int, log: bool, extra: list[int]) -> np.ndarray:
    """Return counts from 1 to `times`: all where they are few, else some 200 spread over the axis, and `extra` ones.

    Examples
    --------
    >>> chosen_counts(5, False, [9]).tolist(), len(chosen_counts(10**6, True, [17, 38]))
    ([1, 2, 3, 4, 5], 176)
    """
    if times <= POINTS:
        return np.arange(1, times + 1)
    spread = np.geomspace(1, times, POINTS) if log else np.linspace(1, times, POINTS)
    near = [count for count in extra if 1 <= count <= times]
    return np.unique(np.concatenate([np.rint(spread).astype(np.int64), np.array(near, dtype=np.int64)]))


class _Search:
    """Finds counts at which something begins: on the curve, between two of its counts, or beyond it by the core."""

    def __init__(self, plan: Plan, times: int, delta: float, target: float | None) -> None:
        self.plan, self.times, self.delta, self.target = plan, times, delta, target
        self.theorems = {theorem.key: theorem for theorem in THEOREMS}
        self.keys = list(self.theorems)
        self.counts = np.arange(0)
        self.totals: dict[str, np.ndarray] = {}
        self.most = crossings.most_repetitions(plan)
        workload = Workload.of(plan)
        self.refused = {theorem.key for theorem in THEOREMS if refusal(theorem, workload, delta)}

    def is_quick(self, key: str) -> bool:
        """Whether the theorem is a formula, so that the core finds an answer at any count."""
        return is_closed(self.theorems[key]) and key not in self.refused

    def known(self) -> list[int]:
        """The answers of formulas, where not every count is drawn."""
        if self.times <= POINTS:
            return []
        quick = [key for key in self.keys if self.is_quick(key)]
        return [count for key in quick for count in (self._below(key), self._within(key)) if count]

    def _below(self, key: str) -> int | None:
        return crossings.first_below(self.plan, key, self.delta)

    def _within(self, key: str) -> int | None:
        if self.target is None:
            return None
        return crossings.largest_within(self.plan, Guarantee(self.target, self.delta), key)

    def crossing(self, key: str) -> int | None:
        """From how many repetitions on the theorem beats basic."""
        if key in self.refused:
            return None
        first = self._first(lambda own, basic: own < basic * (1 - _BARELY), key)
        return self._below(key) if first is None and self.is_quick(key) else first

    def fits(self, key: str) -> int | None:
        """How many repetitions stay within the target."""
        if key in self.refused or self.target is None:
            return None
        beyond = self._first(lambda own, _: own > self.target, key)
        if beyond is None:
            return self._within(key) if self.is_quick(key) else self._within_numerically(key)
        return beyond - 1

    def _within_numerically(self, key: str) -> int:
        """The same where the curve stays within: further counts, doubled; the last one tried if it still does."""
        further = np.unique(np.minimum(self.times * 2 ** np.arange(_DOUBLINGS + 1), self.most))
        beyond = self._first(lambda own, _: own > self.target, key, further, self._total(key, further))
        return self.furthest(key) if beyond is None else beyond - 1

    def end(self, key: str) -> int:
        """The last count with a finite ε, where there is one and the curve goes further."""
        beyond = self._first(lambda own, _: np.isinf(own), key)
        return 0 if beyond is None else beyond - 1

    def _total(self, key: str, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own, basic = epsilon_curve(self.plan, counts, self.delta, [key, "basic"]).epsilon.to_numpy().reshape(2, -1)
        return own, basic

    def _first(self, holds: Callable, key: str, counts: np.ndarray | None = None, totals: tuple = ()) -> int | None:
        """The first count at which a monotone condition on own and basic totals holds, up to the last of the counts."""
        counts = self.counts if counts is None else counts
        true = holds(*(totals or (self.totals[key], self.totals["basic"])))
        while true.any():
            place = int(np.argmax(true))
            low, high = int(counts[place - 1]) if place else 0, int(counts[place])
            if high - low <= 1:
                return high
            counts = np.unique(np.linspace(low, high, min(_SECTIONS, high - low + 1)).astype(np.int64))
            true = holds(*self._total(key, counts))
            # As found before: a numerical total may differ in its last digits from one call to the next.
            true[0], true[-1] = False, True
        return None

    def furthest(self, key: str) -> int:
        """How many repetitions an answer looked at."""
        return self.most if self.is_quick(key) else min(self.times * 2**_DOUBLINGS, self.most)


def is_closed(theorem: Theorem) -> bool:
    """Say whether a theorem is a formula rather than a numerical bound."""
    return getattr(theorem, "measured", None) is None


def _rows(search: _Search, keys: list[str], answer: Callable[[str], int | None]) -> pd.DataFrame:
    rows = [
        {"theorem": key, "label": search.theorems[key].label, "count": answer(key), "searched": search.furthest(key)}
        for key in keys
    ]
    return pd.DataFrame(rows).astype({"count": "Int64"})


def _crossings(search: _Search) -> pd.DataFrame:
    frame = _rows(search, search.keys[1:], search.crossing)
    known = frame["count"].dropna().astype(int).tolist()
    totals = epsilon_curve(search.plan, known, search.delta, ["basic"]).epsilon.tolist()
    frame["epsilon"] = frame["count"].map(dict(zip(known, totals, strict=True))).astype(float)
    return frame


def _fits(search: _Search) -> pd.DataFrame:
    return _rows(search, search.keys, search.fits)
