"""The privacy-loss page: its sidebar, its charts, and the panels beneath them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpviz.figures.learn import largest_loss as rare_figure
from dpviz.figures.learn import privacy_loss as loss_figure
from dpviz.figures.learn import privacy_profile as profile_figure
from dpviz.figures.learn import privacy_region as region_figure
from dpviz.figures.learn import sureness_bars as sureness_figure
from dpviz.losses import LAWS, law_of
from dpviz.losses.largest import has_largest
from dpviz.mechanisms import BASE_MECHANISMS, Laplace, Mechanism
from dpviz.mechanisms.left_open import in_units
from dpviz.mechanisms.uses import in_bars, taken_apart
from dpviz.plan import Release
from dpviz.rounding import shown_count, shown_delta, shown_near, shown_up
from dpviz.ui.privacy_loss import answer as answers
from dpviz.ui.privacy_loss import words as told
from dpviz.ui.shell import components, inputs, learn_pages, reading, row_choice, shell, words
from dpviz.ui.shell.document import promise_fields, session
from dpviz.ui.shell.kept import comparison, static
from dpviz.ui.shell.presets import Preset, bar, fill

COUNTS = (*range(1, 101), *range(110, 1001, 10), *range(1100, 10001, 100))
STATED = {law.key for law in LAWS}
LABELS = {mechanism.key: mechanism.label for mechanism in BASE_MECHANISMS if mechanism.key in STATED}
KEYS = tuple(LABELS)
SIGMA = (0.01, 1e6)
PRESETS = tuple(
    Preset(f"loss_{key}", label, "", (("mech1", mechanism), *values, ("deltak", 1e-6)))
    for key, label, mechanism, *values in (
        ("bell", "100 Laplace releases", "laplace", ("eps1", 0.1), ("times", 100)),
        ("gaussian", "Gaussian loss is normal", "gaussian", ("sigma1", 2.0), ("times", 1)),
        ("response", "Randomized response", "randomized_response", ("eps1", 0.5), ("times", 1)),
        ("shame", "Name and shame", "name_and_shame", ("delta1", 0.01), ("times", 1)),
        ("steinke", "Largest loss, 2⁻ᵏ", "laplace", ("eps1", 0.1), ("times", 20), ("more", "Rare losses")),
    )
)
SIDE = ("Profile δ(ε)", "Attacker's errors")
MORE = ("Stated law", "Rare losses", "Simulation lemma")


TYPED, RELEASE, WHOLE = OF = ("One mechanism", "A release of my plan", "My whole plan")


@dataclass(frozen=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    mechanism : Mechanism
    count : int
        Number of releases.
    rows : tuple of int
        Places (from 0) of the plan's releases that it is about; empty for what was typed here.
    delta : float
    log : bool
        Whether charts have logarithmic axes.
    """

    mechanism: Mechanism
    count: int
    rows: tuple[int, ...]
    delta: float
    log: bool
    in_words: bool

    @property
    def name(self) -> str:
        """What it is called in the plan; "" for what was typed here, "my plan" for all of it."""
        if len(self.rows) != 1:
            return "my plan" if self.rows else ""
        return f"“{words.escaped(words.shortened(session.current().releases[self.rows[0]].name, 60))}”"


@shell.guarded
def show_preset(preset: Preset) -> None:
    """Set the inputs to an example; a callback."""
    fill({"lossof": TYPED} | dict(preset.values), lambda value: LABELS.get(value, str(value)))


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        mechanism, count, rows = _of_plan() or _typed()
        with learn_pages.rest():
            about = "The probability with which the bound on all releases together may fail. At 0 it never fails."
            delta = inputs.delta("δ of the whole", "deltak", 1e-6, about)
            scale = inputs.switch("Charts", "scale", ("linear", "logarithmic"), "Logarithmic axes show the tails.")
        if not reading.people():
            st.caption("Examples")
            with st.container(horizontal=True, gap="small"):
                bar(PRESETS, show_preset)
    return Question(mechanism, count, rows, delta, scale == "logarithmic", reading.people())


def _of_plan() -> tuple[Mechanism, int, tuple[int, ...]] | None:
    """What the page takes from the plan; None, with the reason where it was asked for, where it is typed here."""
    plan = session.current()
    rows = [
        place for place, each in enumerate(plan.releases)
        if each.uses and getattr(each.mechanism, "loss", None) and each.mechanism.key in STATED
    ]  # fmt: skip
    mechanisms, counts = taken_apart(*plan.workload())
    alike = len(rows) == len(plan.releases) and len(mechanisms) == len(counts) == 1
    mine = WHOLE if alike else RELEASE if rows else TYPED
    if rows:
        learn_pages.start_from_plan(lossof=mine, deltak=min(plan.budget.delta, promise_fields.LARGEST_DELTA))
    about = "One release of the plan, all of it where its releases are alike, or a mechanism of your own choice."
    kind = inputs.source("What is released", "lossof", OF, mine, TYPED, about, (WHOLE, RELEASE))
    if kind == TYPED:
        return None
    if kind == WHOLE and alike:
        return mechanisms[0], _drawable(int(counts[0][0])), tuple(rows)
    if kind == WHOLE:
        st.info("This page draws one kind of noise at a time, so that one release is shown. All of the plan is on:")
        shell.link(shell.page_named("adversary"), shell.page_named("adversary").title)
    place = row_choice.one("Release", row_choice.names(plan), "lossrow")
    if place in rows:
        mechanism, bars = in_bars(plan.releases[place].mechanism)
        return mechanism, _drawable(bars * plan.releases[place].uses), (place,)
    st.warning("That release cannot be drawn here: samples, trainings, declared curves, and what is never made. One "
               "mechanism that is typed is shown in its place.")  # fmt: skip
    return None


def _drawable(count: int) -> int:
    if count > COUNTS[-1]:
        st.caption(f"Shown for {shown_count(COUNTS[-1])} of its {shown_count(count)} releases.")
    return min(count, COUNTS[-1])


def _typed() -> tuple[Mechanism, int, tuple[int, ...]]:
    about = "What every release uses. Sensitivity is 1: noise is in units of it."
    kind = inputs.choice(
        "Mechanism", "mech1", learn_pages.offered(KEYS, "mech1", LABELS.get), about, format_func=LABELS.get
    )
    mechanism = learn_pages.mechanism(kind, SIGMA)
    about = "More releases: the sum of their losses becomes a bell."
    return mechanism, inputs.slider("Number of releases", "times", COUNTS, about, value=100), ()


def people(asked: Question) -> None:
    """Draw how sure an undecided attacker is after the results that there may be."""
    frame = answers.sureness(in_units(asked.mechanism), asked.count)
    figure = components.drawn(sureness_figure.sureness_bars, frame)
    alt = sureness_figure.described(frame)
    components.chart(figure, frame, "privacy-loss-sureness", told.sureness_title(frame), alt)
    st.caption("Of results made with this unit's record. Counted from drawn noise, so that it is no proof.")
    if said := told.means(session.current().budget.epsilon):
        st.markdown(said)


def metrics(asked: Question, marks: loss_figure.Marks, infinite: float) -> None:
    """Draw four numbers; `infinite` is the probability of an infinite loss."""
    _, advantage = answers.reading(asked.mechanism, asked.count, asked.delta)
    mean = "∞" if infinite else f"{marks.mean:.4g}"
    gained = "True positive rate minus false positive rate of the best attacker, at most."
    entries = (
        ("Mean loss (nats)", mean, None, "Average of the loss over outputs of M(x)."),
        (f"ε at δ = {shown_delta(asked.delta)}", shown_up(marks.epsilon), None, None),
        ("Largest loss", shown_up(marks.largest), None, "At δ = 0 this is ε: basic composition."),
        ("Attacker's advantage", f"{shown_up(100 * advantage, 3)} %", None, gained),
    )
    components.metrics(entries, 4)


def picture(asked: Question, marks: loss_figure.Marks) -> None:
    """Draw the distribution of the loss."""
    frame, tail = answers.drawing(asked.mechanism, asked.count, marks.epsilon)
    components.chart(
        components.drawn(loss_figure.privacy_loss, frame, tail, marks, asked.log),
        frame,
        "privacy-loss",
        told.chart_title(asked.count, marks),
        partial(loss_figure.described, frame, marks),
    )


def side(asked: Question) -> None:
    """Draw the profile and the trade-off curve, whichever tab is open."""
    profile, region = st.tabs(SIDE, key="side", bind="query-params")
    table = comparison(answers.plan_of(asked.mechanism, asked.count), asked.delta)
    shown = table if reading.proofs() else table[table.theorem == "basic"]
    if profile.open:
        with profile:
            frame = answers.profile(asked.mechanism, asked.count, asked.delta)
            components.chart(
                components.drawn(profile_figure.privacy_profile, frame, shown, asked.delta),
                frame,
                "privacy-profile",
                "Every δ has its ε" + (": theorems stand to the right of the curve" if reading.proofs() else ""),
                partial(profile_figure.described, frame, shown, asked.delta),
            )
    if region.open:
        with region:
            frame = answers.region(asked.mechanism, asked.count, asked.delta)
            frame = frame if reading.proofs() else frame[frame.theorem.isin(("pld", "pld_pair"))]
            components.chart(
                components.drawn(region_figure.privacy_region, frame, asked.log),
                frame,
                "privacy-region",
                "A pair (ε, δ) allows attackers that the mechanisms do not",
                partial(region_figure.described, frame),
            )


def law(asked: Question) -> None:
    """Draw the stated law of the mechanism and its check."""
    stated = law_of(asked.mechanism)
    st.markdown(f"**{stated.label}**")
    st.latex(stated.statement)
    st.caption(
        f"One release; over k independent ones, means and variances add up. Assumes: {stated.assumes}. {stated.source}."
    )
    frame = answers.laws(asked.mechanism, asked.count)
    digits = 9 if reading.proofs() else 4
    shown = frame.assign(
        stated=[shown_near(value, digits) for value in frame.stated],
        drawn=[shown_near(value, digits) for value in frame.drawn],
        agrees=[told.law_row(row) for row in frame.itertuples()],
    )
    names = {"quantity": "Quantity", "formula": "Formula", "agrees": "Check"}
    names |= components.right({"stated": "Stated", "drawn": "As drawn"})
    st.dataframe(shown, hide_index=True, column_config=names, alt="Stated and drawn values of the law")


def rare(asked: Question) -> None:
    """Draw how rare the largest loss is, and what the joint sensitivity gives instead."""
    if not has_largest(asked.mechanism):
        st.info("This mechanism has no largest finite loss. Choose Laplace noise or randomized response.")
        return
    counts = tuple(sorted({each for each in (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000,
                                             2000, 5000, 10000) if each < asked.count} | {asked.count}))  # fmt: skip
    frame = answers.rare(asked.mechanism, counts, asked.delta)
    st.markdown(told.rare_losses(frame))
    chart, alternative = st.columns([3, 2], gap="medium")
    with chart:
        components.chart(
            components.drawn(rare_figure.largest_loss, frame),
            frame,
            "largest-loss",
            "The largest loss grows like k, and becomes rarer with every release",
            partial(rare_figure.described, frame),
        )
    with alternative:
        st.markdown("**Instead of composing: the joint sensitivity**")
        if not isinstance(asked.mechanism, Laplace):
            st.caption("Choose Laplace noise to see this alternative.")
            return
        joint = inputs.number("Joint L1 sensitivity Δ₁", "joint", (0.001, 10000.0), 2.0, "Sum over all answers.")
        tight = float(frame.epsilon.iloc[-1])
        st.markdown(told.joint(asked.mechanism, asked.count, joint, tight, asked.delta))


def use(asked: Question) -> None:
    """Offer what was typed to the plan."""
    if not asked.rows:
        kind = words.NAMES[asked.mechanism.key]
        typed = Release(kind[0].upper() + kind[1:], asked.mechanism, asked.count)
        learn_pages.use((typed,), "privacy_loss", "Adds these releases to the plan.")


@static
def why(asked: Question) -> None:
    """Draw the theorems behind the totals, and at the level of proofs the exact totals."""
    plan = answers.plan_of(asked.mechanism, asked.count)
    totals = comparison(plan, asked.delta)
    if reading.proofs():
        components.exact_values(totals)
    components.why(words.theorems(plan, totals))
