"""The adversary page: its sidebar, its charts of the experiment, and the numbers about it."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.adversary import STRATEGIES, Views
from dpviz.figures.learn import attack_views as views_figure
from dpviz.figures.learn.attack_views import Statistic
from dpviz.rounding import shown_count
from dpviz.ui.adversary import answer as answers
from dpviz.ui.adversary import asked as asks
from dpviz.ui.adversary import words as told
from dpviz.ui.adversary.answer import Found
from dpviz.ui.adversary.games import Shown
from dpviz.ui.shell import components, reading, risks, words
from dpviz.ui.shell.kept import static

VIEWS = ("Running mean", "Likelihood ratio")
PATHS, MARKS = 8, 40  # single games drawn, and points of each
CALM = (  # whoever asks for less motion gets the still picture, without the buttons
    "<style>@media (prefers-reduced-motion: reduce) "
    "{.st-key-attack_motion .updatemenu-container {display: none}}</style>"
)


def finding(asked: asks.Question, found: Found) -> str:
    """Return the page's finding."""
    if not found.bound.own:
        return told.loose_finding(asked.game.rounds, found.bound.pair, found.success, asked.in_words)
    return told.finding(asked, found.success, found.advantage, found.midpoint)


def metrics(asked: asks.Question, found: Found, shown: Shown) -> None:
    """Draw four numbers, each risk beside the looser one that the pair alone implies."""
    attacks = answers.attacks(asked.theory, asked.prior).set_index(["measure", "at"])
    success = attacks.loc[("best_success", asked.prior)]
    detection = attacks.loc[("true_positive_rate", 0.01)]
    posteriors = answers.posteriors(asked.theory, asked.prior)
    rising = posteriors[(posteriors.prior == asked.prior) & (posteriors.probability == answers.RARELY)].iloc[0]
    measured = shown.views.success(asked.prior)
    prior = f"{100 * asked.prior:.4g} %"
    # The interval is the figure: the estimate alone would seem to deny the bound beside it.
    estimate = told.interval(measured), f"99 % interval; estimate {100 * measured.value:.3g} %"
    entries = (
        (f"Right guesses, prior {prior}", *_both(success.value, success.pair_value, found)),
        ("Right in the simulation", *(("stale", "run again") if shown.stale else estimate)),
        ("Detection at 1 % false alarms", *_both(detection.value, detection.pair_value, found)),
        (f"From {prior} sure to", *_both(rising.posterior, rising.pair_posterior, found)),
    )
    components.metrics(entries, 4)


def _both(value: float, pair: float, found: Found) -> tuple[str, str]:
    note = f"(ε, δ) alone: ≤ {told.percent(pair)}" if found.bound.own else "from (ε, δ) alone"
    return f"≤ {told.percent(value)}", note


def picture(asked: asks.Question, found: Found, shown: Shown) -> None:
    """Draw what the attacker computes, by the mean or by the likelihood ratio, whichever tab is open."""
    with st.container(key="attack_motion"):
        mean, ratio = st.tabs(VIEWS, key="view", bind="query-params")
        if mean.open:
            with mean:
                _mean(asked, shown, found)
        if ratio.open:
            with ratio:
                _ratio(asked, shown)
    st.html(CALM)


def _mean(asked: asks.Question, shown: Shown, found: Found) -> None:
    views = shown.views
    bands = views.mean_frame().rename(columns={"mean": "middle"})
    label = f"Above {views.midpoint:.4g}: guess world 1"
    names = told.worlds(asked, shown)
    statistic = Statistic("running mean of outputs", views.midpoint, label, views.trials, names)
    title = told.mean_title(views, None if shown.stale else found.midpoint)
    _views(views, "mean", bands, statistic, "adversary-means", title)


def _ratio(asked: asks.Question, shown: Shown) -> None:
    views = shown.views
    line = math.log1p(-asked.prior) - math.log(asked.prior)
    label = f"Above {line:.3g}: guess world 1"
    statistic = Statistic("log-likelihood ratio (nats)", line, label, views.trials, told.worlds(asked, shown))
    title = told.ratio_title(views, asked.prior)
    _views(views, "log_ratio", ratio_bands(views), statistic, "adversary-ratios", title)


def ratio_bands(views: Views) -> pd.DataFrame:
    """Return between which log-likelihood ratios 95 of 100 kept games lie, and their median."""
    # By order, not by interpolation: ratios may be infinite.
    low, middle, high = np.quantile(views.log_ratio_paths, (0.025, 0.5, 0.975), axis=1, method="inverted_cdf")
    marks = views.experiment.checkpoints
    index = {"world": np.repeat((0, 1), len(marks)), "round": np.tile(marks, 2)}
    return pd.DataFrame({**index, "middle": middle.ravel(), "low": low.ravel(), "high": high.ravel()})


def _views(views: Views, name: str, bands: pd.DataFrame, statistic: Statistic, key: str, title: str) -> None:
    paths = views.path_frame(PATHS).rename(columns={name: "value"})
    marks = paths["round"].unique()
    kept = marks[np.unique(np.linspace(0, len(marks) - 1, min(MARKS, len(marks))).round().astype(int))]
    figure = components.drawn(
        views_figure.attack_views, bands, paths[paths["round"].isin(kept)], views.histogram_frame(name), statistic
    )
    components.chart(figure, bands, key, title, partial(views_figure.described, bands, statistic))


def tradeoff(asked: asks.Question, found: Found, shown: Shown) -> None:
    """Draw what no attack gets below, with the attacks that were played."""
    curve = answers.curve(asked.theory)
    points = played_points(shown.views, asked.prior) if not shown.stale else played_points(shown.views, 0.5).iloc[:0]
    risks.errors(curve, points, found.bound.own, "adversary")


def played_points(views: Views, prior: float) -> pd.DataFrame:
    """Return the error rates of both played attacks with their 99 % intervals."""
    rows = []
    for attack, rates in (("optimal", views.error_rates(prior)), ("midpoint", views.midpoint_error_rates())):
        row = {"attack": attack, "trials": views.trials}
        for name, rate in zip(("false_positive_rate", "false_negative_rate"), rates, strict=True):
            row |= {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}
        rows.append(row)
    return pd.DataFrame(rows)


def panel(asked: asks.Question, found: Found) -> None:
    """Draw what could be learned about one unit: in words, as icons, as slopes; the exact risks with proofs."""
    st.header(f"What could be learned about one {words.escaped(words.shortened(asked.unit, 40))}?", anchor=False)
    icons, slopes = st.columns(2, gap="medium")
    with icons:
        odds = answers.odds(asked.theory, asked.unit, asked.relation)
        risks.people(odds, asked.relation, asked.unit, "adversary")
    with slopes:
        risks.slopes(answers.posteriors(asked.theory, asked.prior), found.bound.own, "adversary")
    if not asked.in_words:
        st.caption(told.about_pair(found.bound.pair))
    if reading.proofs():
        risks.table(answers.attacks(asked.theory, asked.prior), found.bound.own)


@static
def theorems(asked: asks.Question) -> None:
    """Say who attacks, what holds against them and where that comes from."""
    chosen = asked.game.strategy
    title = "Why: the experiment, its strategies, what they assume and where they stand"
    with st.expander(title, expanded=reading.proofs()):
        st.latex(r"y_i \sim \mathcal{M}_i(x_i^b),\quad i = 1,\dots,k,\qquad V^b = (y_1,\dots,y_k)")
        for strategy in STRATEGIES:
            mark = " (shown)" if strategy.key == chosen.key else ""
            components.statement(strategy, after=mark, assuming="Bounded by")
        st.markdown("**The best attack** accuses where the likelihood ratio exceeds the prior odds (Neyman & Pearson).")
        st.latex(r"P[\text{right}] \le 1-\pi + \pi\,\delta\!\left(\ln\tfrac{1-\pi}{\pi}\right),\quad \pi\le\tfrac12")
        st.markdown(
            "Assumes: δ(ε) of all releases composed, rounded up. Source: Wasserman & Zhou (2010), Sec. 2; Dong, Roth & "
            f"Su (2022), Prop. 2.5. Played here: {shown_count(asked.game.rounds)} releases."
        )
        st.markdown("**How sure an attacker becomes**")
        st.latex(
            r"P[L>\varepsilon] \le \min_{\varepsilon'<\varepsilon}"
            r" \frac{\delta(\varepsilon')}{1-e^{\varepsilon'-\varepsilon}}"
        )
        st.markdown(
            "Posterior odds are prior odds times the exponential of the loss L; the bound on L may be exceeded with "
            "the probability said. Source: Canonne, Kamath & Steinke (2020), Prop. 7, with Markov's inequality."
        )
