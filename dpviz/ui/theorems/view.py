"""The theorems page: its sidebar, the claims of the sources, and the catalogue of theorems."""

from __future__ import annotations

from functools import partial
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import streamlit as st

from dpviz.figures.check.claim_ratios import claim_ratios, described
from dpviz.sources import CLAIMS
from dpviz.sources.cards import Card, cards
from dpviz.ui.shell import components, shell
from dpviz.ui.shell.words import escaped
from dpviz.ui.theorems import addresses, meaning
from dpviz.ui.theorems import answer as theorems_cache
from dpviz.ui.theorems import words as theorems_words
from dpviz.ui.theorems.asked import ALL, Question

IN_FULL = 8  # claims shown in full at a time


def sources(asked: Question) -> None:
    """Draw what the five documents claim, and what is right."""
    shown, drawn = theorems_cache.matching(asked.document, asked.verdict, asked.find)
    st.markdown(theorems_words.finding(shown, len(CLAIMS), asked.in_words))
    if shown.empty:
        st.info("No claim holds these words. Clear the search, or choose all documents and verdicts.")
        return
    if asked.in_words:
        _in_words(shown, drawn)
        return
    components.chart(
        components.drawn(claim_ratios, shown), shown, "sources", theorems_words.title(drawn), partial(described, shown)
    )
    for sentence in theorems_words.notes(len(shown) - len(drawn)):
        st.caption(sentence)
    _in_full(shown)


def _in_words(shown: pd.DataFrame, drawn: pd.DataFrame) -> None:
    """Draw which claims are wrong, and what that means, each in one sentence."""
    says = shown.claim.map(meaning.MEANT).fillna(shown.verdict.map(meaning.OTHERS))
    plain = shown.assign(says=says, quantity="")
    title = theorems_words.title(drawn)
    components.chart(components.drawn(claim_ratios, plain), plain, "sources", title, theorems_words.heard(drawn))
    wrong = plain[plain.claim.isin(meaning.MEANT)]
    for document, rows in wrong.groupby("document", sort=False):
        with st.expander(f"{escaped(document)}: {len(rows)} wrong", key=f"wrong_{rows.claim.iloc[0]}"):
            st.markdown("\n".join(f"- {row.says}" for row in rows.itertuples()))


def _in_full(shown: pd.DataFrame) -> None:
    """Draw the claims in full, some at a time; the address holds which."""
    parts = -(-len(shown) // IN_FULL)
    typed = st.query_params.get("part", "")
    part = int(typed) if typed.isdecimal() and 1 <= int(typed) <= parts else 1
    first, last = (part - 1) * IN_FULL, min(part * IN_FULL, len(shown))
    st.header(f"Claims {first + 1} to {last} of {len(shown)}", anchor=False)
    for row in shown.iloc[first:last].itertuples():
        with st.container(border=True):
            st.markdown(theorems_words.claim(row))
            _link("Open the page concerned", row.address)
    with st.container(horizontal=True):
        for label, key, other in (("Earlier claims", "earlier", part - 1), ("Further claims", "later", part + 1)):
            st.button(label, on_click=_turn, args=(other,), disabled=not 1 <= other <= parts, key=f"{key}_claims")


@shell.guarded
def _turn(part: int) -> None:
    """Turn to other claims; a callback."""
    st.query_params["part"] = str(part)


def _link(label: str, address: str) -> None:
    """Draw the way to a page and what it is set to there, in this session: the plan goes along."""
    parts = urlsplit(address)
    entry = shell.HOME if parts.path == "." else shell.page_named(parts.path)
    shell.link(entry, label, ":material/arrow_forward:", **dict(parse_qsl(parts.query)))


def catalogue(asked: Question) -> None:
    """Draw one card per record of the registries."""
    found = [card for card in cards() if asked.kind in (ALL, card.kind) and theorems_cache.holds(card.text, asked.find)]
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
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Used on:**", width="content")
        for label, address in addresses.uses(card):
            _link(label, address)
