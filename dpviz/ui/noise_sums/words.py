"""Sentences of the page on sums of noise, computed from its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.adversary.risk import best_success
from dpviz.mechanisms import CALIBRATIONS, Gaussian
from dpviz.noise_sums import summed_epsilon
from dpviz.rounding import shown_count, shown_delta, shown_near, shown_right, shown_up
from dpviz.ui.shell.words import escaped, guesses

if TYPE_CHECKING:
    import pandas

    from dpviz.ui.noise_sums.asked import Question

STANDINGS = {"proved": "proved", "true": "unproved", "false": "false"}
STANDING_HELP = (
    "Proved: the calibration's theorem covers the rule's ε (the classical one: below 1). Unproved: the exact "
    "profile of these numbers shows that it is true. False: the summed noise leaks more."
)
NOTE_HELP = "Four pairs of the note “DP-ML Proofs”, with the noise that it assumes."
_LABELS = {record.key: record.label.lower() for record in CALIBRATIONS} | {"lecture11": "Lecture 11"}


def pair_name(row: object) -> str:
    """Return a pair as a name."""
    return f"{shown_near(row.epsilon_1, 4)} + {shown_near(row.epsilon_2, 4)}"


def rule_cell(rule: float) -> str:
    """Return what the rule claims."""
    return shown_near(rule, 4)


def exact_cell(row: pandas.Series, digits: int) -> str:
    """Return the exact ε, marked where the rule falls short of it."""
    mark = {"proved": "", "true": "", "false": " ✗"}[row.standing]
    return shown_up(row.epsilon, digits) + mark


def pair_finding(table: pandas.DataFrame) -> str:
    """Return the finding about the first pair of the table."""
    row = table.iloc[0]
    return (
        f"Noises made for ε = {shown_near(row.epsilon_1, 4)} and {shown_near(row.epsilon_2, 4)}, added up, cost at "
        f"most **ε = {shown_up(row.epsilon)}**, at δ = {shown_delta(row.delta)} ({_LABELS[row.calibration]} noises). "
        f"The harmonic rule says **{rule_cell(row.rule)}**: {_judged(row)}"
    )


def right(sigma: float) -> float:
    """Return the right guesses of 100, at most, against Gaussian noise: from the noise itself, never from a pair."""
    return 100 * best_success(Gaussian(sigma))


def _judged(row: pandas.Series) -> str:
    """What the rule's claim is worth for one pair."""
    size = _size(row.difference, row.epsilon)
    if row.standing == "false":
        return f"**false**, {size}: the noise leaks more than that."
    how = "proved" if row.standing == "proved" else "not proved, but an upper bound for these two"
    return f"{how}, {size}."


def _size(difference: float, exact: float) -> str:
    """How far a claim is from the exact ε.

    Examples
    --------
    >>> _size(0.1274, 0.2886), _size(-0.5, 10.0), _size(0.1, 0.0)
    ('44 % too high', '5 % too low', 'above the exact 0')
    """
    if exact <= 0:
        return "above the exact 0"
    percent = 100 * abs(difference) / exact
    if percent >= 1000:
        return f"{percent / 100 + (1 if difference > 0 else -1):.2g} times the exact one"
    shown = f"{percent:.0f}" if percent >= 10 else f"{percent:.2g}"
    return f"{shown} % too {'high' if difference >= 0 else 'low'}"


def exact_for_mu(row: pandas.Series) -> str:
    """Show that the rule is exact for μ = 1/σ, on one pair."""
    mus = 1 / row.sigma_1, 1 / row.sigma_2
    first, second, harmonic, exact = (shown_near(each, 4) for each in (*mus, summed_epsilon(mus), 1 / row.sigma_sum))
    return (
        f"**Exact for μ, not for ε.** For {pair_name(row)}, μ = 1/σ is {first} and {second}; the rule gives "
        f"**{harmonic}** for them, and 1/σ₃ is **{exact}**. As ε is not a multiple of μ, the same rule on ε gives "
        f"{rule_cell(row.rule)} for {shown_up(row.epsilon)}."
    )


def several(count: int, rule: float, exact: float) -> str:
    """Say what a list of noises comes to."""
    noun = "noise alone" if count == 1 else "noises together"
    return f"{shown_count(count)} {noun}: exact **ε = {shown_up(exact)}**; the rule says {rule_cell(rule)}."


def regions(grid: pandas.DataFrame, calibration: str) -> str:
    """Say where on the heat map the rule is proved, true or false."""
    shares = {key: float((grid.standing == key).mean()) for key in STANDINGS}
    if shares["proved"] == 1:
        return "On this whole map the rule is proved."
    proved = (
        "The dashed line outlines where the rule is proved."
        if shares["proved"]
        else "Nowhere is the rule proved: the analytic σ is no multiple of 1/ε."
        if calibration == "analytic"
        else "Nowhere on this map is the rule proved."
    )
    if not shares["false"]:
        return f"{proved} Computed exactly, it is nowhere too low on this map."
    where = "the darkened area" if shares["false"] < 1 else "this whole map"
    return f"{proved} It is false on {where}: there the noise leaks more than the rule says."


def client_finding(asked: Question, frame: pandas.DataFrame, dropped: int, colluding: int) -> str:
    """Return the finding about secure aggregation."""
    rows = frame.set_index("vantage")
    most = rows.loc["server_and_colluders"]
    honest = int(most.noises)
    lost = [f"{shown_count(n)} {what}" for n, what in ((dropped, "dropped"), (colluding, "colluding")) if n]
    of = f"{shown_count(asked.clients)} {'person' if asked.in_words else 'client'}{'' if asked.clients == 1 else 's'}"
    whose = f"{of.replace('persons', 'people')}, {' and '.join(lost)}," if lost else of.replace("persons", "people")
    if asked.in_words:
        alone = shown_right(right(rows.loc["local"].sigma))
        return (
            f"Only the sum over {whose} is seen: **{shown_count(honest)}** "
            f"{'noise protects' if honest == 1 else 'noises protect'} each of them. {guesses(right(most.sigma))} "
            f"Seeing one answer alone: **{alone}**."
        )
    return (
        f"Towards a server and its colluders, the sum over {whose} costs an honest client at most "
        f"**ε = {shown_up(most.epsilon)}**, at δ = {shown_delta(asked.delta)}: **{shown_count(honest)}** honest "
        f"{'noise protects' if honest == 1 else 'noises protect'} each of them. The rule ε/√n says "
        f"{rule_cell(most.rule)}."
    )


def scale(frame: pandas.DataFrame) -> str:
    """Correct the note's scale."""
    rows = frame.set_index("vantage")
    right, printed = rows.loc["server"], rows.loc["note_scale"]
    return (
        "**The note's scale.** Its section 3 prints the variance σ²√n for the sum. The variances of n noises add up to "
        f"**nσ²**. With σ²√n the rule would be ε/n^(1/4) = {rule_cell(printed.rule)} rather than ε/√n = "
        f"{rule_cell(right.rule)}; exactly, {shown_up(printed.epsilon)} rather than **{shown_up(right.epsilon)}**."
    )


def fewest(clients: int | None, target: float) -> str:
    """Say how many clients the target takes."""
    if clients is None:
        return f"No number of clients up to 10⁹ brings ε down to {shown_near(target)}."
    noun = "client is enough" if clients == 1 else "clients are the fewest"
    return f"**{shown_count(clients)}** {noun} for ε ≤ {shown_near(target)}, with as many dropped and colluding as now."


def mixture_finding(asked: Question, bounds: pandas.DataFrame, centred: float, p: float, gap: float) -> str:
    """Return the finding about an answer that is aggregated only sometimes; `centred` is the hidden ε of one centre."""
    rows = bounds.set_index("bound").epsilon
    known, hidden = shown_up(rows.known), shown_up(rows.hidden)
    start = (
        f"Sent alone with probability {shown_near(p)} and summed over {shown_count(asked.clients)} clients otherwise, "
        f"an answer costs at most **ε = {known}**, at δ = {shown_delta(asked.delta)}."
    )
    if gap == 0:
        return f"{start} Only if nobody learns which happened, **and** both outputs share their centre: **{hidden}**."
    return (
        f"{start} If nobody is told which happened, still **{hidden}**, not {shown_up(centred)}: with centres "
        f"{shown_near(gap)} apart, the output itself tells."
    )


def worth(row: object) -> str:
    """Return what a bound of the mixture is worth."""
    reason = "a guarantee" if row.proved else escaped(row.reason.replace("<=", "≤").replace(">=", "≥"))
    below = "" if row.holds or row.bound == "hidden" else "; less than the exact ε"
    return f"{reason}{below}"


def shuffle_finding(epsilon: float, reports: int, delta: float, frame: pandas.DataFrame) -> str:
    """Return the finding about shuffled reports."""
    start = f"{shown_count(reports)} shuffled reports, each with ε₀ = {shown_up(epsilon)} on its own,"
    here = frame[frame.clients == reports].set_index("bound")
    if not here.applies.any():
        reason = here.loc["shuffling"].reason
        return f"{start} are proved to cost no less than **ε = {shown_up(epsilon)}**: {reason}."
    general, response = (here.loc[f"shuffling{of}_numerical"].epsilon for of in ("", "_randomized_response"))
    closed = [_closed_form(here.loc[f"shuffling{of}"]) for of in ("", "_randomized_response")]
    return (
        f"{start} cost a client at most **ε = {shown_up(general)}**, at δ = {shown_delta(delta)}; randomized response "
        f"alone, **{shown_up(response)}**. In closed form: {closed[0]} and {closed[1]}."
    )


def _closed_form(row: pandas.Series) -> str:
    """What a closed form says, or that it stands outside its proof."""
    return shown_up(row.epsilon) + ("" if row.applies else " (outside the proof)")
