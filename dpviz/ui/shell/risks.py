"""What an attacker learns, drawn alike wherever it is told: one hundred results, how sure they become, their errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.adversary import Odds, PairLoss
from dpviz.adversary.odds import in_words
from dpviz.adversary.risk import RARELY, Loss
from dpviz.figures.learn import attack_curve, icon_arrays, posterior_slopes
from dpviz.guarantee import Guarantee
from dpviz.plan.units import whose
from dpviz.report.figures import cases_but, rarely_told
from dpviz.rounding import shown_prior, shown_sureness, shown_up
from dpviz.ui.shell import components, reading
from dpviz.ui.shell.words import shortened

DRAWN = 1e-3  # relative excess of ε that a drawn curve may have; never of a quoted number
RATES = np.unique(np.concatenate([np.linspace(0, 1, 41), np.geomspace(1e-4, 1, 33)]))
LITTLE = 1e-6  # what a right guess gains, below which it would seem more when it is rounded up
WHOLE = "Whole cases, rounded in the attacker's favour."
BOUNDS_OF = {
    True: " All lines are upper bounds: dotted from (ε, δ) alone, the others from the releases themselves.",
    False: " All lines are upper bounds, from (ε, δ) alone.",
}


@dataclass(frozen=True)
class Bound:
    """What holds against an attacker.

    Parameters
    ----------
    loss : Loss
        Every risk is read from it.
    pair : Guarantee
        All that (ε, δ) alone says, for comparison; the loss itself where nothing better is proved.
    own : bool
        Whether the loss is that of the releases themselves, rather than of a pair.
    """

    loss: Loss
    pair: Guarantee
    own: bool

    def curve(self) -> pd.DataFrame:
        """Return the trade-off curves to draw: columns line ("own", "pair") and both error rates."""
        lines = [("own", self.loss)] if self.own else []
        parts = []
        for name, loss in (*lines, ("pair", PairLoss(self.pair))):
            missed = np.clip(loss.tradeoff(RATES), 0.0, 1 - RATES)
            columns = {"line": name, "false_positive_rate": RATES, "false_negative_rate": missed}
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)


def people(odds: Odds, relation: str, unit: str, key: str) -> None:
    """Draw one hundred results in either world, and say what they are."""
    short = shortened(whose(unit) if reading.people() else unit, 24)
    titles = f"without this {short}", f"with this {short}"
    if relation == "replace_one":
        titles = "with another record", f"with this {short}'s record"
    counts = pd.DataFrame({"world": [0, 1], "taken_as_sign": [odds.without, odds.within], "of": odds.denominator})
    figure = components.drawn(icon_arrays.icon_arrays, odds.without, odds.within, odds.denominator, titles)
    components.chart(figure, counts, f"{key}-odds", seen(odds, titles), odds.sentence)
    st.caption(WHOLE)


def seen(odds: Odds, titles: tuple[str, str]) -> str:
    """Return the finding of the pictures of results: how often an attacker sees a sign in either world, in orange."""
    without, within = in_words(odds.without, odds.denominator, odds.false_positive_rate)
    says = f"{titles[1][0].upper()}{titles[1][1:]}, the attacker says “there” (orange)"
    says += f" in {within} of {odds.denominator:,} cases"
    return f"{says}; {titles[0]}, still in {without}"


def slopes(frame: pd.DataFrame, own: bool, key: str) -> None:
    """Draw how sure an attacker can become, from `dpviz.adversary.risk.posterior_frame`."""
    rare = frame[frame.probability == RARELY]
    alike = _alike(frame)
    components.chart(
        components.drawn(posterior_slopes.posterior_slopes, rare, own, paired=not reading.people()),
        frame,
        f"{key}-posteriors",
        surest(rare, RARELY if alike is None else alike),
        partial(posterior_slopes.described, rare),
    )
    st.caption(_rarely(frame, alike) + BOUNDS_OF[own] * (not reading.people()))


def _rarely(frame: pd.DataFrame, alike: float | None) -> str:
    """How far the suspicion of the finding may grow in rarer cases; "" where it may become certainty, or is one."""
    if alike is not None or _certain(frame[frame.probability == RARELY]):
        return ""
    rarer = frame[(frame.prior == frame.prior.max()) & (frame.probability <= RARELY)].sort_values("probability")
    last, mostly = rarer.iloc[0], rarer.iloc[-1]
    return f"{rarely_told(mostly.prior, mostly.posterior, last.posterior, last.probability)} "


def _alike(frame: pd.DataFrame) -> float | None:
    """The probability of rarer results, where these tell no more than 99 of 100 do; None where they may."""
    rarer = frame[frame.probability < RARELY]
    usual = frame[frame.probability == RARELY].posterior.to_numpy()
    same = len(rarer) == len(usual) and (rarer.posterior.to_numpy() == usual).all()
    return float(rarer.probability.iloc[0]) if same and len(rarer) else None


def _certain(frame: pd.DataFrame) -> bool:
    """Whether who was surest before may become certain, or anybody nearly so."""
    return frame.posterior.min() > 0.99 or shown_sureness(frame.posterior.max()) == shown_sureness(1.0)


def surest(frame: pd.DataFrame, rarely: float = RARELY) -> str:
    """Return the finding of the slopes: how sure somebody becomes who was undecided, or that all may become so.

    `rarely` is how often results may tell more.
    """
    if frame.posterior.min() > 0.99:
        return "Whatever they believed before, they may be all but sure afterwards"
    surest_before = frame.loc[frame.prior.idxmax()]
    before, after = shown_prior(surest_before.prior), shown_sureness(surest_before.posterior)
    if after == shown_sureness(1.0):
        return f"In some cases a suspicion of {before} may become all but certainty"
    return f"A suspicion of {before} grows to at most {after} in {cases_but(rarely)}"


def errors(curve: pd.DataFrame, points: pd.DataFrame, own: bool, key: str) -> None:
    """Draw what no attack gets below, and attacks that were played, if any."""
    components.chart(
        components.drawn(attack_curve.attack_curve, curve, points),
        pd.concat([curve, points], ignore_index=True),
        f"{key}-errors",
        least(curve, points) if own else "Only (ε, δ) holds here",
        partial(attack_curve.described, curve, points),
    )


def least(curve: pd.DataFrame, points: pd.DataFrame) -> str:
    """Return the finding of the curve of errors: the bound is on rates, and what was played may lie below by chance."""
    line = curve[curve.line == "own"]
    bounds = [np.interp(each.false_positive_rate, line.false_positive_rate, line.false_negative_rate)
              for each in points.itertuples()]  # fmt: skip
    if any(each.false_negative_rate < bound for each, bound in zip(points.itertuples(), bounds, strict=True)):
        return "In the long run no attack gets below the green line"
    return "No attack gets below the green line"


def _per_cent(row: object, value: float) -> str:
    """A risk, with more digits of right guesses that are next to those of a blind one: they would seem a gain."""
    near = row.measure == "best_success" and value - max(row.at, 1 - row.at) < LITTLE
    guesses = row.measure == "best_success"  # as the head tells them
    return f"{shown_up(100 * value, 9 if near else 3 if guesses else 4)} %"


def table(frame: pd.DataFrame, own: bool) -> None:
    """Draw the risks of `dpviz.adversary.risk.attack_frame`, each beside what the pair alone implies."""
    names = {
        "best_success": "Right guesses, prior {} (blind: {} right)",
        "true_positive_rate": "Detection at {} false alarms",
    }
    rows = [
        {
            "risk": names.get(row.measure, "Advantage").format(*(f"{100 * at:g} %" for at in (row.at, 1 - row.at))),
            "value": _per_cent(row, row.value) if own else "–",
            "pair": _per_cent(row, row.pair_value),
        }
        for row in frame.itertuples()
    ]
    numbers = components.right({"value": "These releases", "pair": "(ε, δ) alone"})
    alt = "Attack rates and what the pair alone implies"
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config={"risk": "Risk, at most"} | numbers, alt=alt)
