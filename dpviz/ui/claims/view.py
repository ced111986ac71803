"""The page on claims: its picture, its numbers, and what the claim would be under each reading."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.claims import Judgement
from dpviz.claims.readings import READINGS
from dpviz.figures.check.claim_bracket import claim_bracket, described
from dpviz.plan import Release
from dpviz.planning.advice import faults
from dpviz.rounding import shown_beyond, shown_count, shown_delta, shown_down, shown_rest, shown_total, shown_up
from dpviz.ui.claims import answer as answers
from dpviz.ui.claims import words as told
from dpviz.ui.claims.asked import CURRENT, Question
from dpviz.ui.shell import components, opening, reading, refusals, shell
from dpviz.ui.shell.words import escaped

RELEASES = 12  # listed


def picture(asked: Question, found: Judgement) -> None:
    """Draw the claim as a line, and what is lost and proved as bars."""
    frame = answers.frame(asked.plan, asked.stated, asked.left_open, asked.incomplete)
    if asked.in_words:  # who reads no theorems is shown no ticks of them
        frame = frame[frame.kind != "theorem"]
    components.chart(
        components.drawn(claim_bracket, frame), frame, "claim", told.title(found), partial(described, frame)
    )


def numbers(asked: Question, found: Judgement) -> None:
    """Draw the claim and its two ends."""
    stated, spare = found.stated.epsilon, found.spare
    low, high = answers.deltas(asked.plan, asked.stated)
    components.metrics(
        (
            ("Claimed ε", told.claimed(found), f"at δ = {shown_delta(found.stated.delta)}"),
            ("Certainly lost", shown_beyond(found.least, stated), told.lost_by(found), told.LOWER),
            ("Proved to suffice", shown_total(found.most, stated), escaped(found.ends.theorem) or "no theorem applies"),
            *([("Could be smaller by", shown_rest(found.most, stated), "and still hold")] if spare > 0 else []),
            ("δ at the claimed ε", shown_delta(high), f"at least {shown_down(low)}"),
        )
    )


def verdict(asked: Question, found: Judgement) -> None:
    """Draw what can be said of the claim: the sentence, its picture, where it stands and its numbers."""
    st.caption(told.listed(asked, found))
    _faults(asked)
    st.markdown(reading.told(told.finding(asked, found)))
    own(asked)
    picture(asked, found)
    st.markdown(f"{told.source(asked)} {told.of_unit(found)}")
    if asked.published is None:
        opening.not_understood()
    if not asked.in_words:
        numbers(asked, found)


def unclaimed(asked: Question) -> None:
    """Draw what is proved of releases of which nobody claims anything, and ask for the claim."""
    least, most = answers.bracket(asked.plan, asked.delta, asked.left_open, asked.incomplete)
    st.caption(told.listed(asked))
    _faults(asked)
    st.markdown(reading.told(told.unclaimed(asked, least, most)))
    own(asked)
    opening.not_understood()
    if not asked.in_words and asked.plan.releases:
        suffices = ("–", "nothing is proved") if math.isinf(most) else (shown_up(most), "rounded up")
        components.metrics(
            (
                ("Certainly lost", shown_down(least), "rounded down", told.LOWER),
                ("Proved to suffice", *suffices),
            )
        )


def _faults(asked: Question) -> None:
    """Say why these are not the releases that are made, where their plan was answered so."""
    for each in faults(asked.plan):
        st.error(f"Not what this plan costs. {escaped(reading.told(each.sentence))}")


def own(asked: Question) -> None:
    """Draw the ways to other releases: they are typed in the plan, or a file is opened, which is judged then."""
    said = ("Your own releases:", "Type them in Plan") if asked.published else ("Other releases:", "Edit the plan")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(said[0], width="content")
        shell.link(shell.HOME, said[1])
        with st.popover("Check a file", icon=":material/folder_open:", key="claim_open"):
            opening.open_file("claimfile", claimof=CURRENT, claims_opened=True)


def _listed(made: Release, in_words: bool) -> str:
    """A release by its name and how often, and with its noise where that says something to the reader."""
    noise = "" if in_words else f" {escaped(str(made.mechanism))},"
    return f"- {escaped(made.name)}:{noise} {'once' if made.uses == 1 else f'{shown_count(made.uses)} times'}"


def releases(asked: Question) -> None:
    """Draw what is claimed of."""
    listed = [_listed(each, asked.in_words) for each in asked.plan.releases[:RELEASES]]
    more = len(asked.plan.releases) - len(listed)
    with st.expander(f"Its rows ({len(asked.plan.releases):,})"):
        st.markdown("\n".join(listed + [f"- and {more:,} more"] * bool(more)) or "None.")


def readings(asked: Question, found: Judgement) -> None:
    """Draw what the same releases cost under each reading of what a publication may leave open."""
    st.header("What it would be under other readings", anchor=False)
    rows = [told.row(each, found) for each in answers.readings(asked.plan, asked.stated)]
    if not rows:
        st.markdown("None says anything else of these releases.")
        return
    frame = pd.DataFrame(rows).map(escaped).map(reading.told)
    st.table(frame, border="horizontal", hide_index=True, alt="What the claim would be under each reading")


def why(found: Judgement) -> None:
    """Draw what stands behind the verdict."""
    with st.expander("Why: when a claim holds, and when it is too small", expanded=reading.proofs()):
        st.markdown(
            "A claim **holds** where a theorem proves it under every reading that is open. It is **too small** only "
            "where the certified lower end of ε at the claimed δ lies above it under every one of them. All else is "
            "undecided, since without a lower end nobody may call a claim wrong."
        )
        st.markdown(told.LOWER)
        sources = [f"- {escaped(each.label)}: {escaped(each.source)}" for each in READINGS if each.source]
        st.markdown("**The readings**\n\n" + "\n".join(sources))
        components.exact_values(found.theorems())


@contextmanager
def possible() -> Iterator[None]:
    """Draw what is inside; of releases whose total nobody may quote, the reason in its place."""
    try:
        yield
    except ValueError as error:
        st.error(refusals.drawn(error))
