"""Sentences of the page on sampling, computed from its answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from dpviz.amplification import AMPLIFICATIONS, Amplification
from dpviz.filters import MOST_RUNS, FilterRule, rule_named
from dpviz.guarantee import Guarantee
from dpviz.plan import RELATIONS
from dpviz.records import record_named
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_up
from dpviz.ui.subsampling import answer as answers
from dpviz.ui.subsampling.presets import LAPLACE, POISSON

if TYPE_CHECKING:
    from dpviz.ui.subsampling.answer import Answer
    from dpviz.ui.subsampling.asked import Question

THEOREMS = tuple(
    record_named(AMPLIFICATIONS, key) for key in ("poisson", "without_replacement", "with_replacement")
)
SECRET = (
    "This holds only while nobody learns **which records were drawn**, and each run draws a fresh sample. "
    "The **rate is public**: choose it without looking at the data."
)
NATIVE = (
    "All records, no sample: the noise itself is composed, not only its (ε, δ). The number of runs is fixed in advance."
)
BY_NOISE = "The noise and the sample are accounted for, not only a pair (ε, δ): fewer promises, more runs."
IN_WORDS = "The fewer records are read, the further off is each answer"
TWO_RELATIONS = (
    "Poisson sampling compares data with and without one record, sampling without replacement data with one record "
    "replaced: two different promises. Sensitivity must be meant for the same relation, and replacing can change an "
    "answer twice as much as adding. The bound without replacement is proven, but not tight. Totals are "
    "numerical, rounded up."
)
_UNEQUAL = 1e-9  # relative difference of errors that counts


def counted(runs: int) -> str:
    """Return a number of runs.

    Examples
    --------
    >>> counted(502), counted(10**9)
    ('502', '10⁹ or more')
    """
    return "10⁹ or more" if runs >= MOST_RUNS else shown_count(runs)


def budget(limit: Guarantee) -> str:
    """Return the budget as part of a sentence."""
    return f"ε = {shown_down(limit.epsilon)}, δ = {shown_delta(limit.delta)}"


def finding(asked: Question, found: Answer) -> str:
    """Return the sentences that answer the page's question."""
    whole, sampled = found.counts()[:2]
    native, limit = int(found.native.runs.iloc[0]), budget(asked.budget)
    drawn = "on average " if asked.scheme == POISSON else ""
    change = "added or removed" if asked.scheme == POISSON else "replaced"
    start = (
        f"With a secret random sample of {drawn}**{shown_count(asked.sizes[0])}** of "
        f"**{shown_count(asked.population)}** records, "
    )
    if asked.in_words:
        best, every = max(sampled, found.sampled or 0), max(whole, native)
        runs = f"**{counted(best)}** runs, planned in advance, fit the budget; on all, **{counted(every)}**."
        return f"{start}{runs} {_price_in_words(asked, found)}"
    runs = f"runs fit into {limit}, instead of"
    if found.sampled is None:
        noise = f" Without any sample, accounting for the noise itself fits **{counted(native)}**."
        rest = f"**{counted(sampled)}** {runs} **{counted(whole)}** without sampling (for one record {change})."
        return start + rest + (noise if native > whole else "") + " " + _price(asked, found)
    return (
        f"{start}**{counted(found.sampled)}** {runs} **{counted(native)}** without sampling, if their number is fixed "
        f"in advance (for one record {change}). Chosen along the way, **{counted(sampled)}** fit instead of "
        f"**{counted(whole)}**. {_price(asked, found)}"
    )


def _price_in_words(asked: Question, found: Answer) -> str:
    if found.errors is None or helps(found.errors):
        return ""
    return (
        f"At the same budget, a mean errs **{ratio(asked, found)}** times as much. "
        "This holds only while nobody learns **who was drawn**, afresh for each run."
    )


def _price(asked: Question, found: Answer) -> str:
    if found.errors is None:
        return ""
    frame, many = found.errors, shown_count(asked.queries)
    if helps(frame):
        best = frame.loc[frame.error.idxmin()]
        return f"At equal total budget, each of {many} means is most accurate over **{shown_count(best.sample_size)}**."
    return f"It costs accuracy: at equal total budget, each of {many} means is most accurate over **all records**."


def helps(frame: pd.DataFrame) -> bool:
    """Say whether a sample makes a mean more accurate than all records do."""
    return bool(frame.error.min() < frame.error.iloc[-1] * (1 - _UNEQUAL))


def ratio(asked: Question, found: Answer) -> str:
    """Return the error over a sample of the first size, over that over all records, as a multiple, rounded up."""
    if found.errors is None:
        return "–"
    frame = found.errors.set_index("sample_size")
    chosen, every = float(frame.error[asked.sizes[0]]), float(frame.error[asked.population])
    return shown_up(chosen / every) if every > 0 else "∞" if chosen > 0 else "1"


def title(asked: Question, found: Answer) -> str:
    """Return what the chart of runs shows."""
    whole, sampled = found.counts()[:2]
    if not whole or not sampled:
        return "The smaller ε of one run, the more runs fit"
    gain, rate = sampled / whole, asked.rates[0]
    if whole >= MOST_RUNS or sampled >= MOST_RUNS:
        return "So small an ε hardly spends the budget"
    return f"{shown_down(gain, 3)} times as many runs, each on {shown_up(100 * rate, 3)} % of the records"


def about_cost(asked: Question, errors: pd.DataFrame) -> str:
    """Say how the error is made up."""
    worse = "An error above 0.5 is worse than guessing ½: the budget is too small for so many means of so few."
    return (
        f"{shown_count(asked.queries)} means of records in [0, 1] with standard deviation {asked.spread:g} share the "
        f"budget {budget(asked.budget)} equally, by basic composition, for one record replaced. At the same ε′, a "
        "sample may use a larger ε, about ε/q, which only makes up for one record moving its mean by 1/m and not by "
        "1/n. How far it differs by chance from the mean of all is a further error. "
        f"{worse if errors.error.iloc[-1] > 0.5 else ''}"
    )


def best_rate(frame: pd.DataFrame) -> str:
    """Return where the error is smallest."""
    if not helps(frame):
        return "Reading all records is most accurate: sampling never helps here"
    best, last = frame.loc[frame.error.idxmin()], frame.iloc[-1]
    if best.delta >= 1:
        return "δ is so large that a sample may be published as it is: this budget promises next to nothing"
    return (
        f"The error is smallest at a rate of {shown_up(best.rate, 3)}: {shown_up(best.error)} instead of "
        f"{shown_up(last.error)} over all records"
    )


def fitting(found: Answer, drawn: int) -> str:
    """Return what the chart of totals up to so many runs shows where runs are counted by their noise."""
    native = counted(int(found.native.runs.iloc[0]))
    if found.sampled > drawn:
        more = f"more than the {shown_count(drawn)} that are drawn; on all records {native} fit"
        return f"Fixed in advance, {counted(found.sampled)} runs on a sample fit, {more}"
    return f"Fixed in advance, {counted(found.sampled)} runs on a sample fit, and {native} on all records"


def tightness(asked: Question, frame: pd.DataFrame) -> str:
    """Say how far the formula is from tight accounting after the last number of runs."""
    count = int(frame["count"].max())
    at_end = frame[frame["count"] == count].set_index("way").epsilon
    tight, formula, whole = (float(at_end[way]) for way in ("poisson", "pairs", "whole"))
    if math.isinf(tight):
        return f"After **{shown_count(count)}** runs there is no guarantee at δ = {shown_delta(asked.budget.delta)}."
    added = f"the formula, composed as well as pairs allow, **{shown_up(formula)}**"
    if math.isinf(formula):
        added = "the formula none at all, since the runs' own δ add up to more"
    replaced = float(at_end["without_replacement"])
    return (
        f"After **{shown_count(count)}** runs on a sample of rate {shown_up(asked.rates[0])}, tight accounting proves "
        f"ε = **{shown_up(tight)}** for Poisson sampling and at most **{shown_up(replaced)}** without replacement; "
        f"{added}. Without sampling it is **{shown_up(whole)}** (δ = {shown_delta(asked.budget.delta)})."
    )


def kinds_rows(asked: Question, replaced: tuple[float, float]) -> list[dict[str, str]]:
    """Return what each kind of sample promises for one run."""
    pair = asked.sampled
    drawn = -math.expm1(asked.sizes[0] * math.log1p(-1 / asked.population))
    values = [
        ("each record with probability q", asked.rates[0], pair.epsilon, pair.delta),
        ("m different records", asked.rates[0], pair.epsilon, pair.delta),
        ("m draws, repeats allowed", drawn, *replaced),
    ]
    return [
        {
            "kind": theorem.label,
            "drawn": how,
            "in the sample with": shown_up(rate),
            "ε′": shown_up(epsilon),
            "δ′": shown_delta(delta),
            "holds for": f"one record {RELATIONS[theorem.relation].removesuffix(' by another')}",
        }
        for theorem, (how, rate, epsilon, delta) in zip(THEOREMS, values, strict=True)
    ]


def kinds(asked: Question, replaced: tuple[float, float]) -> str:
    """Say in what the kinds of samples differ."""
    pure = ", though Laplace noise alone has δ = 0" if asked.run.noise == LAPLACE else ""
    return (
        "Poisson sampling and sampling without replacement share a formula, but not a promise: what one calls a "
        "neighbour is not a neighbour for the other, and a sample of fixed size promises nothing when a record is "
        "added. With replacement a record may be drawn twice and then counts twice: at the same ε this run has "
        f"δ′ = {shown_delta(replaced[1])}{pure}."
    )


def records(asked: Question) -> Iterator[tuple[Amplification | FilterRule, str]]:
    """Yield the theorems behind the page, each with a line that shows it at work here."""
    pair, run = asked.sampled, asked.run
    replaced = answers.with_replacement(run, asked.sizes[0], asked.population)
    same = (
        f"Here: q = {shown_up(asked.rates[0])}, ε = {shown_up(run.epsilon)}: ε′ ≤ {shown_up(pair.epsilon, 6)}, "
        f"δ′ ≤ {shown_delta(pair.delta)}."
    )
    drawn = (
        f"Here: m = {shown_count(asked.sizes[0])}, n = {shown_count(asked.population)}: "
        f"ε′ ≤ {shown_up(replaced[0], 6)}, δ′ ≤ {shown_delta(replaced[1])}."
    )
    yield from zip(THEOREMS, (same, same, drawn), strict=True)
    counts = answers.by_rule(run, asked.budget, (1.0, asked.rates[0]))
    for rule, (whole, sampled) in counts.items():
        line = f"Here{' (or the basic rule)' if 'or' in rule else ''}: {counted(whole)} runs on all records, "
        yield rule_named(answers.RULE_KEYS[rule]), f"{line}{counted(sampled)} on samples."
