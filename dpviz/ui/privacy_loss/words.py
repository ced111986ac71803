"""Sentences of the privacy-loss page, computed from the inputs, in symbols or in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.learn.privacy_loss import Marks
from dpviz.losses.largest import has_largest, joint_laplace, log10_probability
from dpviz.mechanisms import Laplace, Mechanism
from dpviz.plan.field_table import CURVE
from dpviz.rounding import (
    probability_in_words,
    shown_budget,
    shown_count,
    shown_delta,
    shown_down,
    shown_power,
    shown_up,
)
from dpviz.ui.shell.words import NAMES, guesses

if TYPE_CHECKING:
    import pandas

    from dpviz.losses import Simulation
    from dpviz.losses.simulation_lemma import Verification

MOST_MEANT = 50.0  # of a limit whose ratio of likelihoods is told


def power_of_ten(exponent: float) -> str:
    """Return 10^exponent as people read it, rounded up in its last digit.

    Examples
    --------
    >>> power_of_ten(-30.103), power_of_ten(-0.30103)
    ('7.9 × 10⁻³¹', '0.5')
    """
    if exponent > -300:
        return shown_up(10**exponent * (1 - 1e-9), 2)
    whole = math.floor(exponent)
    return f"{shown_up(10 ** (exponent - whole), 2)} × {shown_power(whole)}"


def subject(mechanism: Mechanism, count: int, in_words: bool, name: str = "") -> str:
    """Return what is released, as the beginning of a sentence; `name` is what the plan calls it, in Markdown."""
    parameters = mechanism.parameters
    if in_words:
        detail = ""
    elif "sigma" in parameters:
        detail = f" (σ = {mechanism.strength:.6g} each)"
    elif mechanism.key == "name_and_shame":
        detail = f" (δ = {shown_delta(parameters['delta'])} each)"
    elif mechanism.key == "approximate_dp":
        detail = f" (ε = {parameters['epsilon']:.6g}, δ = {shown_delta(parameters['delta'])} each)"
    elif CURVE in parameters:
        detail = f" ({parameters[CURVE]} each)"
    else:
        detail = f" (ε = {mechanism.stated.epsilon:.6g} each)"
    release = "One release" if count == 1 else f"{shown_count(count)} releases"
    kind = NAMES[mechanism.key]
    by = f"the {kind}" if kind.endswith("mechanism") else kind
    return f"{release} by {by}{detail}{f', **{name}**,' if name else ''}"


def risk(mechanism: Mechanism, count: int, name: str, right: float, infinite: float) -> str:
    """Return the finding in guesses, for people; `right` of 100 are right, at most."""
    leak = f" With probability {probability_in_words(infinite)} everything is revealed." if infinite else ""
    return f"{subject(mechanism, count, True, name).rstrip(',')}. {guesses(right)}{leak}"


def means(limit: float) -> str:
    """Return what the privacy loss that a plan allows means; "" where it allows none, or any.

    Examples
    --------
    >>> print(means(4.0))
    The limit of your plan is a privacy loss of **4**: no result may be more than **54.6** times as likely with one
    record as with another, except with the chance of failure.
    """
    if not 0 < limit <= MOST_MEANT:
        return ""
    return (
        f"The limit of your plan is a privacy loss of **{shown_budget(limit)}**: no result may be more than "
        f"**{shown_up(math.exp(limit), 3)}** times as likely with one record as with another, except with the chance "
        "of failure."
    )


def sureness_title(shares: pandas.DataFrame) -> str:
    """Return the finding of the bars: how often somebody who was undecided ends up next to certain, or does not."""
    certain, unsure = 100 * shares.share.iloc[-1], 100 * shares.share[shares.high <= 0.75].sum()
    if certain >= 1:
        return f"About {certain:.0f} of 100 results all but tell that this unit's record is in the data"
    if unsure >= 99.5:
        return "After nearly all results, somebody who was undecided is at most 75 % sure"
    return f"After about {min(unsure, 100):.0f} of 100 results, somebody who was undecided is at most 75 % sure"


def finding(mechanism: Mechanism, count: int, name: str, marks: Marks, infinite: float) -> str:
    """Return the one sentence that answers the page's question."""
    start, several = subject(mechanism, count, False, name), count > 1
    if math.isinf(marks.epsilon):
        return (
            f"{start} {'reveal' if several else 'reveals'} everything with probability **{shown_up(infinite)}**: too "
            f"likely to be ignored, so **no bound holds** at δ = {shown_delta(marks.delta)}."
        )
    leak = f", reveal everything with probability **{shown_up(infinite)}**, and else" if infinite else ""
    return (
        f"{start}{leak} {'have' if several else 'has'} a privacy loss of **{marks.mean:.4g}** on average, and cost"
        f"{'' if several else 's'} at most **ε = {shown_up(marks.epsilon)}** at **δ = {shown_delta(marks.delta)}**"
        f"{_worst(mechanism, count, marks)}."
    )


def _worst(mechanism: Mechanism, count: int, marks: Marks) -> str:
    if not has_largest(mechanism):
        return "; no bound always holds" if math.isinf(mechanism.loss.top) else ""
    chance = power_of_ten(log10_probability(mechanism, count))
    gap = "" if marks.epsilon < marks.largest * (1 - 1e-3) else ", too likely to be ignored"
    return f"; the largest loss, **{shown_up(marks.largest)}**, has probability **{chance}**{gap}"


def chart_title(count: int, marks: Marks) -> str:
    """Return the finding of the main chart."""
    if math.isinf(marks.epsilon):
        return "Part of the loss is infinite: δ cannot pay for it"
    if count == 1:
        return "The privacy loss of one release: what an output tells, and how often"
    if marks.epsilon >= marks.largest * (1 - 1e-3):
        return f"The sum of {shown_count(count)} losses reaches its largest value too often for δ to ignore it"
    return f"The sum of {shown_count(count)} losses gathers around its mean, far from its largest value"


def rare_losses(frame: pandas.DataFrame) -> str:
    """Say what δ buys by ignoring the largest loss."""
    row = frame.iloc[-1]
    chance = power_of_ten(row.log10_probability)
    delta = shown_delta(row.delta)
    losses = (
        f"The likelihood ratio of {shown_count(int(row['count']))} releases reaches $e^{{{shown_up(row.largest)}}}$"
    )
    if row.delta == 0:
        return (
            f"{losses} with probability **{chance}**. At δ = 0 even that counts: basic composition cannot be improved."
        )
    if row.log10_probability > math.log10(row.delta):
        return (
            f"{losses} with probability **{chance}**, more than δ = {delta}: it cannot be ignored, and ε stays at "
            f"**{shown_up(row.epsilon)}**."
        )
    saved = 1 - row.epsilon / row.largest
    return (
        f"{losses} only with probability **{chance}**. A δ of {delta} may ignore outputs that rare: ε falls from "
        f"**{shown_up(row.largest)}** to **{shown_up(row.epsilon)}**, **{shown_down(100 * saved, 3)} %** less."
    )


def joint(mechanism: Laplace, count: int, joint_sensitivity: float, tight: float, delta: float) -> str:
    """Say what the joint sensitivity of all answers gives instead of composing."""
    together = joint_laplace(mechanism, joint_sensitivity).stated.epsilon
    better = "smaller than" if together < tight else "no smaller than"
    return (
        f"If one unit changes all {shown_count(count)} answers together by at most Δ₁ = {joint_sensitivity:.6g} (in "
        "units of one answer's sensitivity), the same noise is one release, without composing, with "
        f"**ε = {shown_up(together)}** at δ = 0: {better} the {shown_up(tight)} at δ = {shown_delta(delta)}. A "
        "histogram is the usual case: one person stands in one bar."
    )


def law_row(row: object) -> str:
    """Say whether a stated quantity agrees with the drawn distribution."""
    if row.formula == "claim":
        return "✓ close" if row.agrees else "✗ not the mean"
    return "✓ agrees" if row.agrees else "✗ differs"


def verified(simulation: Simulation, check: Verification) -> str:
    """Say what the check of F found."""
    worst = max(check.off_p, check.off_q)
    result = "holds" if check.holds else "fails"
    return (
        f"Checked at {check.outputs} outputs: the lemma **{result}**. The smallest value of F is {check.least:.3g} "
        f"(never negative), F(U) is M(x) and F(V) is M(x′) to within {worst:.2g} of the largest density. The pair is "
        f"ε = {simulation.epsilon:.6g}, δ = {shown_delta(simulation.delta)}, the least δ this mechanism has there."
    )
