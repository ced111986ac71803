"""Sentences of the filter page, computed from its inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from dpviz.adversary import PairLoss
from dpviz.adversary.risk import best_success
from dpviz.filters import FILTERS, MOST_RUNS, FilterRule
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_up
from dpviz.ui.shell.words import escaped, guesses

if TYPE_CHECKING:
    from dpviz.planning.room import Room
    from dpviz.ui.filters.answer import Played
    from dpviz.ui.filters.asked import Question, Terms

PROMISE = (
    "A filter promises the budget for the whole transcript, not the smaller ε counted so far. Any neighbour relation, "
    "the same for all queries."
)

IN_WORDS = (
    "The budget is fixed before the first question. The noise is assumed to be ideal: real generators can leak more."
)


def counted(runs: int) -> str:
    """Return a number of queries as metrics show it.

    Examples
    --------
    >>> counted(349), counted(10**9)
    ('349', '1,000,000,000 or more')
    """
    return f"{shown_count(int(runs))}{' or more' if runs >= MOST_RUNS else ''}"


def budget_text(terms: Terms) -> str:
    """Return the budget as part of a sentence."""
    return f"a budget of **ε = {shown_down(terms.epsilon)}, δ = {shown_delta(terms.delta)}**"


def best_of(rows: pd.DataFrame) -> pd.Series:
    """Return the row that admits most; Basic where no other admits more."""
    return rows.loc[rows.runs.idxmax()]


def runs_finding(asked: Question, rows: pd.DataFrame, name: str) -> str:
    """Return how many equal queries fit, by which rule; `name` is what the plan calls the query, "" for a typed one."""
    best, basic = best_of(rows), rows[rows.rule == "basic"].iloc[0]
    if asked.in_words:
        return _in_words(asked, int(best.runs), int(basic.runs), name)
    loss, budget = f"**ε = {shown_up(asked.epsilon)}**", budget_text(asked.terms)
    like = f" like **{escaped(name)}**" if name else ""
    if not best.runs:
        return f"Not one query{like} with {loss} fits into {budget}, under any of the rules."
    each = f"{loss} each" + (f" (δ = {shown_delta(asked.delta)})" if asked.delta else "")
    return (
        f"Of queries{like} with {each}, chosen along the way, **{counted(best.runs)}** fit into {budget}, by "
        f"**{best.label}**{_against_basic(best, basic)}."
    )


def _in_words(asked: Question, most: int, added: int, name: str) -> str:
    like = f"like **{escaped(name)}**" if name else "of this kind"
    if not most:
        return f"Not one question {like} can be answered within the budget."
    # A filter promises its budget for whatever is asked: the pair is all there is.
    right = 100 * best_success(PairLoss(asked.terms.budget))
    fewer = f" By merely adding up what each gives away, **{shown_count(added)}** fit." if added < most else ""
    return (
        f"**{counted(most)}** questions {like} fit into the budget, even if each is chosen after the last answer."
        f"{fewer} {guesses(right, alone=True)}"
    )


def by_noise(asked: Question, rows: pd.DataFrame, room: Room, name: str) -> str:
    """Return how many queries fit where a filter counts their noise itself, which the pairs (ε, δ) say too little of.

    "" where the pairs admit as many.
    """
    best = best_of(rows)
    if room.count <= best.runs:
        return ""
    if asked.in_words:
        right = guesses(100 * best_success(PairLoss(asked.terms.budget)), alone=True)
        many = f"**{counted(room.count)}** questions like **{escaped(name)}**"
        return f"{many} fit into the budget, even if each is chosen after the last answer. {right}"
    fit = f"**{counted(room.count)}** fit into {budget_text(asked.terms)} by **{room.filter or 'adding up'}**"
    runs_out = ": what runs out is δ" if _delta_runs_out(asked, best) else ""
    return (
        f"Of queries like **{escaped(name)}**, chosen along the way, {fit}, which counts their noise itself. The "
        f"figures below count only ε = {shown_up(asked.epsilon)} at δ = {shown_delta(asked.delta)} of each, by which "
        f"**{counted(best.runs)}** fit{runs_out}."
    )


def _delta_runs_out(asked: Question, best: pd.Series) -> bool:
    """Whether another query would fit by its ε, even by adding up."""
    return bool(asked.delta and (best.runs + 1) * asked.epsilon <= asked.terms.epsilon)


def beside(more: int) -> str:
    """Say how many more of a query fit beside all that the plan holds already."""
    if not more:
        return "If all of your plan is chosen along the way, what it holds already leaves no room for one more."
    return f"Beside all that your plan holds already, **{counted(more)}** more fit, if all is chosen along the way."


def _against_basic(best: pd.Series, basic: pd.Series) -> str:
    if best.runs == basic.runs:
        return "; no other rule admits more"
    if not basic.runs:
        return "; adding up admits none"
    return f": {shown_down(best.runs / basic.runs, 3)} times the **{counted(basic.runs)}** of adding up"


def runs_metrics(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return label, value and note per rule."""
    entries = []
    for row in rows.itertuples():
        note = "adds up every ε" if row.rule == "basic" else ""
        if row.breakeven:
            note = f"beats Basic for ε below {shown_down(row.breakeven, 3)}"
        if row.reason and not row.runs:
            entries.append((row.label, "n/a", _need(row.rule)))
        else:
            entries.append((row.label, counted(row.runs), note or "with δ per query"))
    return entries


def _need(rule: str) -> str:
    return "needs δ in (0, 1/e)" if rule == "rogers" else "needs δ beyond what is kept"


def runs_title(crossed: pd.DataFrame, delta: float) -> str:
    """Return what the chart shows."""
    if crossed.empty:
        return "Queries before the budget is spent" if delta else "At this δ, adding up is all there is"
    last = crossed.loc[crossed.epsilon.idxmax()]
    return f"Adding up admits most from ε = {shown_up(last.epsilon, 3)} on; below, {last.label} beats it"


def why_here(asked: Question, rows: pd.DataFrame) -> Iterator[str]:
    """Yield which rule wins at this ε, and why."""
    best, terms = best_of(rows), asked.terms
    yield f"**{best.label} wins at ε = {shown_up(asked.epsilon)}.**" if best.runs else "**No rule admits one query.**"
    slack = terms.delta - terms.kept
    if _delta_runs_out(asked, best):
        yield f"What runs out is δ, not ε: each query takes δ = {shown_delta(asked.delta)} of the budget's."
        return
    if slack <= 0:
        yield "With no δ left to fail with, losses can only be added up: each query counts its full ε."
        return
    enough = shown_up(2 * math.log(1 / slack), 3)
    yield (
        "Basic charges each query its ε. The others charge about ε², and the total grows like √(2 ln(1/δ)) · √(Σε²), "
        "as many small losses rarely all point the same way. That pays for many small queries, roughly from "
        f"2 ln(1/δ) = {enough} on; of fewer, larger ones adding up admits more."
    )


def totals_finding(asked: Question, frame: pd.DataFrame) -> str:
    """Return K beside the advanced theorem where the filter stops."""
    within = frame[(frame.theorem == "rogers") & (frame.epsilon <= asked.terms.epsilon) & (frame["count"] > 0)]
    fixed = frame[frame.theorem == "advanced"].set_index("count").epsilon
    if within.empty or fixed.empty:
        return (
            "Where the rule of Rogers et al. admits no query, or δ is too small for it, there is no K to compare: "
            "choose a smaller ε of one query, or a δ between 0 and 1/e."
        )
    row = within.iloc[-1]
    count = int(row["count"])
    return (
        f"After **{shown_count(count)}** queries of ε = {shown_up(asked.epsilon)}, K of Rogers et al. is "
        f"**{shown_up(row.epsilon)}**; advanced composition proves **{shown_up(fixed[count])}** if the number is fixed "
        f"in advance. K costs **{shown_up(row.epsilon / fixed[count], 3)}** times as much: that buys the freedom to "
        "choose each ε, and the end, along the way."
    )


def about_totals(asked: Question, rows: pd.DataFrame) -> str:
    """Say in what K for equal queries and the advanced theorem differ; `rows` by rule."""
    row = rows.loc["rogers"]
    starts = "above 0" if row.reason or asked.terms.or_basic else f"at {shown_up(row.floor)}"
    return (
        "K and advanced composition differ in the drift, half as large in K; in ln(2/δ) for ln(1/δ); in a logarithm, "
        f"which lets the end be chosen; and in H, which makes K start {starts} before the first query. **Fully "
        "adaptive** has none of these extras: √(2 ln(1/δ) kε²) + kε²/2 is advanced composition with the mean ½ε². "
        "Above the budget, the target line, a filter refuses; the curves go on for comparison."
    )


def session_finding(played: Played, terms: Terms, number: int) -> str:
    """Return what becomes of the sequence, and what it would cost fixed in advance."""
    budget = budget_text(terms)
    if not number:
        return f"Nothing is asked yet: {budget} is untouched. Ask a query, type a sequence, or generate one."
    best = played.best
    them = "the query" if number == 1 else f"**{shown_count(number)}** queries"
    most = shown_count(int(best.admitted))
    start = f"Of {them}, chosen along the way, {budget} admits **{most}** by **{best.label}**"
    basic = int(played.verdicts[played.verdicts.rule == "basic"].admitted.iloc[0])
    every = f"; adding up admits **{shown_count(basic)}**" if basic < best.admitted else "; no other rule admits more"
    fits = "all would fit" if played.fits >= number else f"the first **{shown_count(played.fits)}** would fit"
    total = "" if math.isinf(played.total) else f"; all together cost at most ε = **{shown_up(played.total)}**"
    return f"{start}{every}. Fixed in advance, {fits}{total}."


def session_metrics(played: Played, number: int) -> list[tuple[str, str, str]]:
    """Return label, value and note per rule."""
    entries = []
    for row in played.verdicts.itertuples():
        value = "n/a" if row.reason else f"{shown_count(int(row.admitted))} of {shown_count(number)}"
        note = f"next: ε ≤ {shown_down(row.largest)}" if row.largest else "next: nothing fits"
        entries.append((row.label, value, _need(row.rule) if row.reason else note))
    return entries


def rules(asked: Question, rows: pd.DataFrame) -> Iterator[tuple[FilterRule, str]]:
    """Yield every rule with what it admits here; `rows` by rule."""
    for rule in FILTERS:
        row = rows.loc[rule.key]
        unless = f" ({escaped(row.reason)})" if row.reason else ""
        yield (
            rule,
            f"Here: budget ε = {shown_down(asked.terms.epsilon)}, queries of ε = {shown_up(asked.epsilon)} each: "
            f"{shown_count(int(row.runs))} are admitted{unless}.",
        )
