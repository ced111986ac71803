"""Sentences of the composition page, computed from its curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpviz.composition import tightest
from dpviz.guarantee import Guarantee
from dpviz.parameters import COUNT
from dpviz.plain import in_plain_words
from dpviz.plan import RELATIONS, Plan
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_right, shown_up
from dpviz.ui.shell import words
from dpviz.ui.shell.kept import right_guesses

if TYPE_CHECKING:
    from dpviz.composition.crossings import Growth
    from dpviz.ui.composition.asked import Question

TO_A_PIXEL = (
    "What is drawn of the two numerical theorems lies up to 1 % above what they prove, never below; what is quoted, "
    "and the right end of their curves, does not."
)


def finding(asked: Question, grown: Growth, at_end: pd.DataFrame) -> str:
    """Return the sentence that answers the page's question."""
    best = tightest(at_end)
    whom = f"one **{words.escaped(asked.plan.unit_in_words)}** ({RELATIONS[asked.plan.neighbours]})"
    subject = f"Repeated **{shown_count(asked.times)}** times, {asked.what}"
    if not words.uses(asked.plan):
        return f"{subject} releases nothing, so it costs {whom} nothing."
    if best is None:
        reason = words.escaped(at_end.reason.iloc[0])
        last = max(grown.ends.values(), default=0)
        until = f" Up to **{shown_count(last)}** repetitions have one." if last else ""
        told = f"{subject} has no guarantee for {whom} at δ = {shown_delta(asked.delta)}: {reason}.{until}"
        return in_plain_words(told) if asked.in_words else told
    if asked.in_words:
        return _risk(asked, grown)
    loss = f"at most **ε = {shown_up(best.epsilon)}** at **δ = {shown_delta(asked.delta)}**"
    return f"{subject} costs {whom} {loss}, by the theorem **{best.label}**.{_adding_up(at_end, best)}" + _target(
        asked, grown
    )


def _risk(asked: Question, grown: Growth) -> str:
    """The finding in guesses: what the attacker gains between the first time and the last."""
    first, last = (right(asked, grown, count) for count in (1, asked.times))
    whom = f"one **{words.escaped(asked.plan.unit_in_words)}** than doing so once"
    more = "no more" if shown_right(first) == shown_right(last) else "more"
    return (
        f"Repeating {asked.what} **{shown_count(asked.times)}** times on the same data tells an attacker {more} about "
        f"{whom}. "
        f"{words.guesses(last, asked.plan.adaptive)} Made once: **{shown_right(first)}**."
    )


def right(asked: Question, grown: Growth, count: int) -> float:
    """Return how many of 100 guesses the best attacker gets right after `count` repetitions, at most."""
    repeated = replace(asked.plan.repeated(count), budget=Guarantee(math.inf, asked.delta))
    return right_guesses(repeated, float(grown.curve.epsilon[grown.curve["count"] == count].min()))


def _adding_up(at_end: pd.DataFrame, best: pd.Series) -> str:
    basic = at_end.iloc[0]
    if not basic.applies:
        return ""
    if best.epsilon >= basic.epsilon:
        return " No theorem proves less than adding up."
    return f" Adding up proves only ε = **{shown_up(basic.epsilon)}**."


def _target(asked: Question, grown: Growth) -> str:
    most = None if asked.target is None else best_fit(grown, grown.fits.theorem)
    if most is None:
        return ""
    many = "" if is_least(most) else "At most "
    fit = "repetition fits" if most["count"] == 1 else "repetitions fit"
    return f" {many}**{fitting(most)}** {fit} into ε = {shown_down(asked.target)}."


def best_fit(grown: Growth, theorems: Iterable[str]) -> pd.Series | None:
    """Return the row of these theorems under which most repetitions stay within the target; None without one."""
    counts = np.where(grown.fits.theorem.isin(set(theorems)), _counts(grown.fits), np.nan)
    return None if np.isnan(counts).all() else grown.fits.iloc[int(np.nanargmax(counts))]


def _counts(frame: pd.DataFrame) -> np.ndarray:
    return frame["count"].to_numpy(dtype=float, na_value=np.nan)


def crossed(grown: Growth) -> np.ndarray:
    """Return which theorems beat basic from a count on that the chart shows, beyond the first."""
    counts = _counts(grown.crossings)
    return (counts > 1) & (counts <= grown.curve["count"].max())


def title(grown: Growth, at_end: pd.DataFrame) -> str:
    """Return what the chart shows."""
    rows = np.flatnonzero(crossed(grown))
    if not rows.size:
        best = tightest(at_end)
        return "No theorem applies at this δ" if best is None else f"{best.label} proves the smallest total"
    row = grown.crossings.iloc[rows[0]]
    return f"{row.label} beats Basic from {shown_count(int(row['count']))} repetitions on"


def first(count: object, searched: int) -> str:
    """Return from how many repetitions on a theorem beats basic, as a table says it."""
    if pd.isna(count):
        return "never" if searched >= COUNT.high else "–"
    return shown_count(int(count))


def is_least(row: Mapping[str, object]) -> bool:
    """Say whether more repetitions than a row of `Growth.fits` counts may fit."""
    return int(row["count"]) >= row["searched"]


def fitting(row: Mapping[str, object]) -> str:
    """Return how many repetitions fit, as a table says it."""
    if pd.isna(row["count"]):
        return "–"
    return f"{'≥ ' if is_least(row) else ''}{shown_count(int(row['count']))}"


def worth(plan: Plan, delta: float) -> str:
    """Say from how many repetitions of one release on advanced composition is worth it; "" where none can be named."""
    mechanisms, counts = plan.workload()
    stated = [mechanism.stated for mechanism in mechanisms]
    if len(stated) != 1 or len(counts) != 1 or counts[0][0] != 1 or stated[0] is None or not delta:
        return ""
    if stated[0].delta or not stated[0].epsilon:
        return ""
    return (
        "Adding up grows like k, advanced like √k: it wins once k > 2 ln(1/δ) / (2 − eᵋ)² (Dwork & Roth; never "
        "from ε = ln 2 on), or k > 2 ln(1/δ) / (1 − tanh(ε/2))² with the tight mean."
    )


def notes(grown: Growth, at_end: pd.DataFrame) -> Iterator[str]:
    """Yield where curves end before the last count, with the reason."""
    endings: dict[tuple[int, str], list[str]] = {}
    for row in at_end.itertuples():
        if row.theorem in grown.ends:
            endings.setdefault((grown.ends[row.theorem], row.reason), []).append(row.label)
    for (last, reason), labels in endings.items():
        yield f"No guarantee after k = {shown_count(last)} by {', '.join(labels)}: {words.escaped(reason)}."
