"""What the theorems page computes, kept: the claims of the sources, the worked numbers, the noise per query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.check.claim_ratios import drawable
from dpviz.guarantee import Guarantee
from dpviz.sources import claims_frame
from dpviz.sources.cards import cards
from dpviz.sources.noise_per_query import noise_per_query
from dpviz.ui.shell.kept import kept
from dpviz.ui.theorems import addresses
from dpviz.ui.theorems.asked import ALL

if TYPE_CHECKING:
    import pandas

POINTS = 25


@kept(1, 1, "Computing both values of every claim …")
def claims() -> pandas.DataFrame:
    """Return `dpviz.sources.claims.claims_frame` of all claims, with the address that shows each."""
    frame = claims_frame()
    return frame.assign(address=frame.claim.map(addresses.CLAIMS))


def holds(text: str, find: str) -> bool:
    """Say whether a text holds every word.

    Examples
    --------
    >>> holds("Gaussian noise", "noise gaussian"), holds("Gaussian noise", "laplace")
    (True, False)
    """
    text = text.lower()
    return all(word in text for word in find.split())


@kept(16, 1)
def matching(document: str, verdict: str, find: str) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Return the claims that are asked for, with both values, and those of them that can be drawn; kept."""
    frame = claims()
    searched = ("claim", "document", "place", "says", "right", "quantity", "source")
    keep = [
        document in (ALL, row.document)
        and verdict in (ALL, row.verdict)
        and holds(" ".join(getattr(row, name) for name in searched), find)
        for row in frame.itertuples()
    ]
    return frame[keep], drawable(frame[keep])


@kept(1, 1, "Computing a number for every theorem …")
def worked() -> dict[tuple[str, str], float]:
    """Return the worked number of every card, by kind and key."""
    return {(card.kind, card.key): float(card.value()) for card in cards()}


def counts(most: int) -> list[int]:
    """Return the numbers of queries to draw, from 1 to `most`.

    Examples
    --------
    >>> counts(3)
    [1, 2, 3]
    """
    return np.unique(np.geomspace(1, most, POINTS).round().astype(np.int64)).tolist()


@kept(32, 1)
def noise(epsilon: float, delta: float, most: int, table: str) -> pandas.DataFrame:
    """Return `dpviz.sources.noise_per_query.noise_per_query` up to `most` queries."""
    return noise_per_query(counts(most), Guarantee(epsilon, delta), table)
