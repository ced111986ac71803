"""Sentences of the page on audits, computed from the answers."""

from __future__ import annotations

from dpviz.rounding import shown_count, shown_delta, shown_down, shown_up
from dpviz.ui.audit.answer import Measured, Planned
from dpviz.ui.audit.asked import Question

EVERY = {"many_runs": "{0} runs with the unit and {0} without", "one_run": "one run with {0} canaries"}
ONE_RUN = (
    "Canaries are records that are put in, or left out, each by a fair coin of its own. The chart takes it that no "
    "canary blurs another one; where all share one output, more are needed. "
)
PLANNED = (
    "With the best attack there is, at the threshold that is best for it, chosen beforehand: a weaker attack needs "
    "more. What is true is taken to be fixed in advance, and its curve is rounded to the attacker's side by less than "
    "a thousandth of ε."
)
PLAINLY = "With the best attack there is: a weaker one needs more. What is true is taken to be fixed in advance."
PRICE = {
    "beforehand": "What was fixed before the scores were seen costs nothing. Whoever tries several, and shows the "
    "best, claims too much.",
    "best": "This threshold is the best of {0} thresholds, so the intervals are so wide that all {0} hold at once.",
    "split": "One half of the scores, by lot, chose; what is said was measured on the other half alone.",
}
SOURCES = (
    "Many runs: Clopper & Pearson (1934), in the region of error rates of Kairouz, Oh & Viswanath (2015), Thm 2.1. One "
    "run: Steinke, Nasr & Jagielski (2023), arXiv 2305.08846, Cor. 5.4."
)


def percent(share: float) -> str:
    """Return a share as people read it, rounded down, its sign never on a line of its own."""
    return f"{shown_down(float(f'{100 * share:.10g}'), 6)}\u00a0%"


def _erring(confidence: float) -> str:
    """How many of 100 audits say more than is true, at most."""
    return shown_up(float(f"{100 * (1 - confidence):.10g}"), 3)


def finding(asked: Question, found: Planned) -> str:
    """Return the sentence that answers the page's question."""
    truth, claim = (f"**ε = {shown_up(each.epsilon, 4)}**" for each in (asked.truth, asked.claim))
    said = f"Suppose {truth} at **δ = {shown_delta(asked.truth.delta)}** is true and {claim} is claimed:"
    if found.needed is not None:
        shows = "show" if asked.design == "many_runs" else "shows"
        needed = EVERY[asked.design].format(shown_count(found.needed))
        often = f"in at least {shown_down(100 * asked.power, 4)} of 100 audits"
        sure = f"with a confidence of **{percent(asked.confidence)}**"
        return f"{said} **{needed}** {shows} that the claim is too small {often}, {sure}."
    if asked.claim.epsilon >= asked.truth.epsilon:
        wrongly = _erring(asked.confidence)
        return f"{said} the claim is not too small, and an audit says that it is in at most {wrongly} of 100 cases."
    most = EVERY[asked.design].format(shown_count(int(found.power["number"].iloc[-1])))
    return f"{said} not even **{most}** would do in {shown_down(100 * asked.power, 4)} of 100 audits."


def title(asked: Question, found: Planned) -> str:
    """Return what the chart shows."""
    if found.needed is None:
        return "No number of this chart is enough"
    return f"From {shown_count(found.needed)} on, enough audits find the claim out"


def measured(asked: Question, found: Measured) -> str:
    """Return what the scores prove, and what that means for the claim and for what is proved."""
    reading = found.reading
    what = _whose(found)
    if reading.epsilon == 0:
        return f"{what} prove nothing with a confidence of **{percent(reading.confidence)}**: a coin could have them."
    least = f"**ε ≥ {shown_down(reading.epsilon, 4)}** at **δ = {shown_delta(reading.delta)}**"
    said = f"{what} show {least}, with a confidence of **{percent(reading.confidence)}**."
    if reading.epsilon > asked.claim.epsilon:
        said += f" **The claim of ε = {shown_up(asked.claim.epsilon, 4)} is too small.**"
    else:
        said += f" That does not refute the claim of ε = {shown_up(asked.claim.epsilon, 4)}."
    return said + _beside(found)


def _whose(found: Measured) -> str:
    many = f"**{shown_count(found.scores.score.size)}** scores"
    if not found.example:
        return f"These {many}"
    example = "An example, smaller than the chart asks for" if found.short else "An example"
    if found.own:
        return f"{example}: {many} of the best attack, drawn here from the mechanisms themselves"
    return f"{example}: {many}, simulated here with the loss that is said to be true,"


def _beside(found: Measured) -> str:
    if found.ends is None:
        return ""
    low, high = found.ends
    proved = f" Of the plan it is proved that its ε lies from {shown_down(low, 6)} to {shown_up(high, 6)}"
    if found.reading.epsilon > high:
        unlucky = _erring(found.reading.confidence)
        return (
            f"{proved}, which is **less than was measured**: either what ran is not this plan, or the scores are not "
            f"independent, or this is one of the at most {unlucky} of 100 audits that err."
        )
    return f"{proved}; what is measured stays below, as it must."


def counts(found: Measured) -> str:
    """Return the counts behind a bound, and the price of choosing."""
    reading = found.reading
    price = PRICE[reading.choice].format(shown_count(reading.looked_at))
    if reading.design == "one_run":
        right = f"{shown_count(reading.right)} of {shown_count(reading.guesses)} guesses are right"
        canaries = shown_count(reading.members + reading.others)
        return f"Measured on {canaries} canaries: {right}. {price}"
    above = f"{shown_count(reading.true_positives)} of {shown_count(reading.members)} scores with the unit"
    below = f"{shown_count(reading.false_positives)} of {shown_count(reading.others)} without"
    return f"Above the threshold of {reading.threshold:.4g} lie {above} and {below}. {price}"
