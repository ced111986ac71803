"""The theorems page: its sidebar, the claims of the sources, and the catalogue of theorems."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpviz.figures.claim_ratios import claim_ratios, described
from dpviz.sources import CLAIMS, VERDICTS
from dpviz.sources.cards import Card, cards
from dpviz.ui.shell import components
from dpviz.ui.shell.words import escaped
from dpviz.ui.theorems import answer as theorems_cache
from dpviz.ui.theorems import words as theorems_words
from dpviz.ui.theorems.asked import ALL, Question

IN_FULL = 8  # claims shown in full at a time


def _holds(text: str, find: str) -> bool:
    text = text.lower()
    return all(word in text for word in find.split())


def matching(asked: Question) -> pd.DataFrame:
    """Return the claims that the sidebar asks for, with both values."""
    frame = theorems_cache.claims()
    searched = ("claim", "document", "place", "says", "right", "quantity", "source")
    keep = [
        asked.document in (ALL, row.document)
        and asked.verdict in (ALL, row.verdict)
        and _holds(" ".join(getattr(row, name) for name in searched), asked.find)
        for row in frame.itertuples()
    ]
    return frame[keep]


def sources(asked: Question) -> None:
    """Draw what the five documents claim, and what is right."""
    shown = matching(asked)
    st.markdown(theorems_words.finding(shown, len(CLAIMS), asked.in_words))
    if shown.empty:
        st.info("No claim holds these words. Clear the search, or choose all documents and verdicts.")
        return
    picture, beside = st.columns([5, 3], gap="medium")
    with picture:
        components.chart(
            claim_ratios(shown, components.dark()), shown, "sources", theorems_words.title(shown), described(shown)
        )
    with beside:
        _by_document(shown)
    st.header("Every claim", anchor=False)
    _table(shown)
    _in_full(shown)


def _by_document(shown: pd.DataFrame) -> None:
    st.markdown("**The sources, checked**")
    counts = pd.crosstab(shown.document, shown.verdict).reindex(columns=list(VERDICTS), fill_value=0)
    counts = counts.reindex(dict.fromkeys(shown.document))
    counts.loc["All"] = counts.sum()
    config = {"document": st.column_config.TextColumn("Document", width=150)}
    heads = dict(zip(VERDICTS, ("right", "wrong", "true, other theorem"), strict=True))
    config |= {verdict: st.column_config.NumberColumn(head, width=60) for verdict, head in heads.items()}
    st.dataframe(
        counts.rename_axis("document").reset_index(), hide_index=True, column_config=config,
        alt="How many claims of each document are right, wrong, or true but not by the quoted theorem",
    )  # fmt: skip
    for sentence in theorems_words.notes(shown):
        st.caption(sentence)


def _table(shown: pd.DataFrame) -> None:
    config = st.column_config
    texts = shown.assign(
        stated=[theorems_words.number(value) for value in shown.stated],
        correct=[theorems_words.number(value) for value in shown.correct],
    )
    st.dataframe(
        texts, hide_index=True, height=360,
        column_order=["says", "verdict", "quantity", "stated", "correct", "off_by", "address", "right", "document",
                      "place", "further", "source"],
        column_config={
            "says": config.TextColumn("It says", width="medium", pinned=True),
            "verdict": "Verdict",
            "quantity": config.TextColumn("What both numbers are", width="medium"),
            "stated": config.TextColumn("Stated", alignment="right", width=150),
            "correct": config.TextColumn("Right", alignment="right", width=150),
            "off_by": "Stated is",
            "right": config.TextColumn("What is right", width="large"),
            "document": "Document",
            "place": "Place",
            "further": "More numbers",
            "source": "Source",
            "address": config.LinkColumn("See it", display_text="open"),
        },
        alt="Every claim with its stated and its right value",
    )  # fmt: skip


def _in_full(shown: pd.DataFrame) -> None:
    parts = -(-len(shown) // IN_FULL)
    part = 1
    if parts > 1:
        if st.session_state.get("part", 1) > parts:  # fewer claims than when it was chosen
            st.session_state["part"] = 1
        part = st.number_input(
            f"In full, part of {parts}", 1, parts, key="part", bind="query-params", width=160,
            help=f"{IN_FULL} claims at a time.",
        )  # fmt: skip
    for row in shown.iloc[(part - 1) * IN_FULL : part * IN_FULL].itertuples():
        with st.container(border=True):
            st.markdown(theorems_words.claim(row))


def catalogue(asked: Question) -> None:
    """Draw one card per record of the registries."""
    found = [card for card in cards() if asked.kind in (ALL, card.kind) and _holds(card.text, asked.find)]
    st.markdown(theorems_words.catalogue(len(found), len(cards())))
    if not found:
        st.info("No theorem holds these words. Clear the search, or choose all kinds.")
        return
    values = theorems_cache.worked()
    for kind in dict.fromkeys(card.kind for card in found):
        st.header(kind, anchor=False)
        for card in found:
            if card.kind == kind:
                with st.container(border=True):
                    _card(card, values[card.kind, card.key])


def _card(card: Card, value: float) -> None:
    st.markdown(f"**{escaped(card.label)}**")
    st.latex(card.statement)
    for column, text in zip(st.columns(2, gap="medium"), theorems_words.card(card, value), strict=True):
        column.markdown(text)


def not_modelled() -> None:
    """Draw what dpviz leaves out, and why."""
    st.markdown(theorems_words.NOT_MODELLED)
