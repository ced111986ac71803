"""Sentences of the theorems page, computed from the claims and the records."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.composition.conversions import rho_from_guarantee_classical
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_near, shown_up
from dpviz.sources.claims import RIGHT, UNPROVED, WRONG
from dpviz.sources.noise_per_query import sufficient_rho
from dpviz.ui.shell import reading
from dpviz.ui.shell.words import escaped

if TYPE_CHECKING:
    import pandas

    from dpviz.sources.cards import Card

NOT_MODELLED = """
**Exponential mechanism, many times.** One of them is exact, by its bounded range; totals of several are upper bounds,
since no score attains the pair that is composed, nor the Rényi curve of many uses. The optimum over scores is not
computed.

**Sparse vector.** Its cost does not grow with the number of queries below the threshold; that is a theorem about the
algorithm, not a composition of releases. Enter the whole run as one release with the ε of its analysis.

**Tree aggregation and continual release.** The noises of one release are shared by many answers, so answers cannot be
counted as independent releases. Enter the tree as one release with its joint sensitivity.

**Attacks on real noise generators.** Floating point and timing can leak more than ideal noise does. Every number here
assumes ideal noise, on real or on whole numbers; use a generator made for the purpose, and count its own δ.
"""


def finding(shown: pandas.DataFrame, whole: int, in_words: bool) -> str:
    """Return the sentence that answers the page's question."""
    found = {verdict: int((shown.verdict == verdict).sum()) for verdict in (RIGHT, WRONG, UNPROVED)}
    if in_words:
        return (
            f"**{len(shown)}** claims of five documents, each computed again: **{found[RIGHT]}** hold, "
            f"**{found[WRONG]}** are wrong, and **{found[UNPROVED]}** are true for another reason than the one given."
        )
    start = f"Of **{whole}** claims of five documents"
    shows = "" if len(shown) == whole else f"**{len(shown)}** {'is' if len(shown) == 1 else 'are'} shown: "
    return (
        f"{start}, {shows}**{found[RIGHT]}** are right, **{found[WRONG]}** wrong, and **{found[UNPROVED]}** true, but "
        "not by the theorem quoted. Where a claim has numbers, both values are computed here."
    )


def heard(rows: pandas.DataFrame) -> str:
    """Return the chart for people, for those who hear it."""
    return (
        f"{len(rows)} claims with a number, one row of marks per document: left of the line the document states too "
        "little, right of it too much."
    )


def title(rows: pandas.DataFrame) -> str:
    """Return the finding of the chart of `dpviz.figures.check.claim_ratios.drawable` claims."""
    if rows.empty:
        return "No claim shown has two finite numbers"
    low = int(((rows.verdict == WRONG) & (rows.ratio < 1)).sum())
    high = int(((rows.verdict == WRONG) & (rows.ratio > 1)).sum())
    return f"{low} wrong numbers are too small and {high} too large; what is wrong without a number is not drawn"


def notes(left: int) -> list[str]:
    """Say how to read the chart, and how many claims it leaves out."""
    lines = [
        "Right of 1 the document states too much, left of it too little. Point at a mark for both values. What is "
        "marked right may lie off the line: a proved bound above the exact number, or an order of magnitude."
    ]
    without = f"{left} more have no finite ratio: matters of wording, or a value that is 0 or infinite."
    return [*lines, without] if left else lines


def number(value: float | None) -> str:
    """Return a number of a claim; a dash where there is none.

    Examples
    --------
    >>> number(150.0), number(float("nan")), number(float("inf")), number(0.25)
    ('150', '–', '∞', '0.25')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    digits = 9 if reading.proofs() else 4
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else shown_near(value, digits)


def claim(row: object) -> str:
    """Return one claim in full, as Markdown; `row` is of `dpviz.ui.theorems.answer.claims`."""
    said = [f"*{escaped(row.verdict)}*: {escaped(row.right)}"]
    if row.quantity:
        both = f"stated **{number(row.stated)}**, right **{number(row.correct)}**"
        stated = f" ({escaped(row.off_by)})" if row.off_by != "–" else ""
        said.append(f"{escaped(row.quantity)}: {both}{stated}.")
    if row.further and reading.proofs():
        said.append(f"More: {escaped(row.further)}.")
    said.append(f"Source: {escaped(row.source)}.")
    return f"**{escaped(row.says)}** ({escaped(row.document)}, {escaped(row.place)})\n\n{' '.join(said)}"


def catalogue(found: int, whole: int) -> str:
    """Say how many theorems are shown."""
    which = f"**{whole}** theorems" if found == whole else f"**{found}** of **{whole}** theorems"
    return (
        f"Every number of this dashboard comes from one of {which} in five registries; each card is made from its "
        "record, and its worked number is computed now."
    )


def card(card: Card, value: float) -> tuple[str, str]:
    """Return what stands beneath a card's formula, as Markdown: what it needs, and where it comes from."""
    down = card.kind == "Filter" or (card.outcome.split(" ")[1] == "=" and card.kind == "Conversion")
    shown = shown_count(int(value)) if card.kind == "Filter" else (shown_down if down else shown_up)(value, 6)
    needs = (
        f"**Needs:** {escaped(card.assumes)}.",
        f"**Neighbours:** {escaped(card.relation)}.",
        f"**Adaptivity:** {escaped(card.adaptivity)}.",
    )
    proof = (
        f"**Source:** {escaped(card.source)}.",
        f"**Worked:** {escaped(card.example)}: **{card.outcome.format(shown)}**.",
    )
    return "\n\n".join(needs), "\n\n".join(proof)


def lecture(at_end: pandas.DataFrame, queries: int, epsilon: float, delta: float) -> str:
    """Return the finding about Lecture 11's table."""
    kept = at_end[at_end.proved]
    best = kept.loc[kept.error.idxmin()]
    factor = math.sqrt(math.log(1 / delta))
    return (
        f"For **{shown_count(queries)}** queries at ε = {epsilon:g} and δ = {shown_delta(delta)} the least noise is "
        f"**{escaped(best.label)}**: an expected error of **{shown_up(best.error)}** per answer, against "
        f"**{shown_up(at_end.error['laplace_basic'])}** for Laplace noise with basic composition. Lecture 11 prints "
        f"√k/ε · √ln(k/δ) for Gaussian noise with advanced composition: its own construction needs a factor "
        f"√ln(1/δ) = **{factor:.3g}** more."
    )


def steinke(at_end: pandas.DataFrame, queries: int, epsilon: float, delta: float) -> str:
    """Return the finding about the two scales of Steinke's post."""
    basic, his, exact = (at_end.error[key] for key in ("steinke_basic", "steinke_sufficient", "steinke_exact"))
    saved = 1 - exact / his
    return (
        f"For **{shown_count(queries)}** queries at ε = {epsilon:g} and δ = {shown_delta(delta)} basic composition "
        f"needs Laplace noise of scale **{shown_up(basic)}**, √(k/2ρ) is **{shown_up(his)}** by his sufficient ρ and "
        f"**{shown_up(exact)}** by the exact one: **{saved * 100:.2g} %** less noise for the same proof."
    )


def noise_title(at_end: pandas.DataFrame) -> str:
    """Return the finding of the chart of noise."""
    kept = at_end[at_end.proved].sort_values("error")
    return f"Least noise: “{kept.label.iloc[0]}”; most: “{kept.label.iloc[-1]}”"


def noise_notes(table: str, epsilon: float, delta: float) -> list[str]:
    """Say what stands behind the lines."""
    if table == "lecture":
        return [
            "Both basic ways grow as k, the others as √k, up to logarithms of k. Every line but the dotted grey one is "
            "noise that keeps the promise; the grey one is the printed order of magnitude, which is no promise."
        ]
    exact, his = rho_from_guarantee_classical(epsilon, delta), sufficient_rho(epsilon, delta)
    first, first_his = (math.floor(epsilon**2 / (2 * rho)) + 1 for rho in (exact, his))
    return [
        f"ρ: sufficient {shown_down(his, 6)}, exact {shown_down(exact, 6)}: {100 * (exact / his - 1):.3g} % more.",
        f"√(k/2ρ) is below k/ε from k = {shown_count(first)} on (his ρ: {shown_count(first_his)}). Before that, basic.",
    ]
