"""Sentences of the adversary page, computed from the inputs, in symbols or in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.rounding import shown_count, shown_delta, shown_down, shown_right, shown_up
from dpviz.ui.shell.words import shortened

if TYPE_CHECKING:

    from dpviz.adversary import Estimate, Views
    from dpviz.guarantee import Guarantee
    from dpviz.ui.adversary.asked import Question
    from dpviz.ui.adversary.games import Shown

# Advantages: up to the first a guess is hardly better than a coin (55 of 100), up to the second the worlds overlap, and
# from the third on they stand apart.
HARDLY, OVERLAP, APART = 0.1, 0.6, 0.99
PASS = 3


def releases(count: int) -> str:
    """Return a number of releases, in words."""
    return f"{shown_count(count)} release{'' if count == 1 else 's'}"


def percent(value: float, digits: int = 3) -> str:
    """Return a rate of an attacker in percent, rounded up."""
    return f"{shown_up(100 * min(value, 1.0), digits)} %"


def interval(estimate: Estimate) -> str:
    """Return a measured interval in percent, rounded outward."""
    return f"{shown_down(100 * estimate.low, 3)}–{shown_up(100 * estimate.high, 3)} %"


def _of_hundred(rate: float, in_words: bool) -> str:
    return f"**{shown_right(100 * rate)} of 100** cases" if in_words else f"**{percent(rate)}** of games"


def finding(asked: Question, success: float, advantage: float, midpoint: float | None) -> str:
    """Return the finding for releases fixed in advance; the numbers are those of `dpviz.ui.adversary.answer.Found`."""
    rounds, prior = asked.game.rounds, asked.prior
    most = "at most" if advantage < APART else "up to"
    start = f"After **{releases(rounds)}**, an attacker who knows all other data guesses right in {most} "
    rival = "a coin toss" if prior == 0.5 else "guessing the likelier world every time"
    start += f"{_of_hundred(success, asked.in_words)}; {rival} gets {shown_up(100 * max(prior, 1 - prior), 3)}"
    return f"{start}." if asked.in_words else f"{start} %. {_apart(asked, advantage, midpoint)}"


def _apart(asked: Question, advantage: float, midpoint: float | None) -> str:
    if advantage == 0:
        return "Nothing that is released depends on the data."
    # Answers of a plan of one's own have different units: nobody would average them.
    mean = ""
    if asked.notebook and midpoint is not None:
        mean = f" The plain mean of all outputs errs with probability **{_error(midpoint)}**."
    if advantage <= OVERLAP:
        few = "These few releases" if asked.game.rounds <= PASS else "These releases"
        how = "hardly" if advantage <= HARDLY else "partly"
        note = "; “not possible to tell” would be false" if asked.notebook else ""
        return f"{few} {how} separate the two worlds{note}.{mean}"
    if advantage < APART:
        return f"All outputs together mostly tell the two worlds apart.{mean}"
    return f"The two worlds stand apart.{mean}"


def _error(midpoint: float) -> str:
    return shown_up(midpoint, 2) if midpoint < 1e-4 else shown_up(midpoint, 3)


def loose_finding(rounds: int, pair: Guarantee, success: float, in_words: bool) -> str:
    """Return the finding where only basic composition's pair holds."""
    start = f"Whoever chooses along the way what to ask in {releases(rounds)} is bounded by **basic composition** alone"
    if math.isinf(pair.epsilon) or pair.delta >= 1:
        why = "chances of failure add up to 1 or more, or a release promises nothing that could be added up"
        return f"{start}, which promises **nothing** here: {why}."
    stop = f"a filter stops them at ε = {shown_up(pair.epsilon)}, δ = {shown_delta(pair.delta)}, and "
    return f"{start}: {'' if in_words else stop}they guess right in at most {_of_hundred(success, in_words)}."


def about_pair(pair: Guarantee) -> str:
    """Say what is compared with the releases themselves."""
    return (
        f"“(ε, δ) alone” is what follows from the pair (ε = {shown_up(pair.epsilon)}, δ = {shown_delta(pair.delta)}) "
        "of these releases if their noise is not known."
    )


def worlds(asked: Question, shown: Shown) -> tuple[str, str]:
    """Return what both worlds are called in legends."""
    if shown.game.secrets:
        first, second = shown.game.secrets.split("|")
        return f"World 0: x = {_database(first)}", f"World 1: x = {_database(second)}"
    unit = shortened(asked.unit, 20)
    if asked.relation == "replace_one":
        return f"World 0: another {unit}", f"World 1: this {unit}"
    return f"World 0: without this {unit}", f"World 1: with this {unit}"


def _database(text: str) -> str:
    numbers = [f"{float(each):g}" for each in text.split(",")]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers[:4])}{', …' if len(numbers) > 4 else ''}]"


def mean_title(views: Views, midpoint: float | None) -> str:
    """Return the finding of the chart of means."""
    rounds = views.experiment.rounds
    wrong = 1 - views.midpoint_success().value if midpoint is None else midpoint
    if wrong > 0.2:
        return f"The plain mean alone guesses wrong in {shown_up(100 * wrong, 3)} of 100 games"
    if wrong > 1e-3:
        return f"After {releases(rounds)} the running means gather around two answers"
    return f"After {releases(rounds)} the running means lie around two answers, far apart"


def ratio_title(views: Views, prior: float) -> str:
    """Return the finding of the chart of log-likelihood ratios."""
    right = views.success(prior)
    return f"Evidence adds up: with it, {100 * right.value:.3g} % of these guesses were right"
