"""The record of an amplification theorem: what hiding who answered buys, and for which neighbour relation."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.records import Record


@dataclass(frozen=True, slots=True)
class Amplification(Record):
    """A theorem by which a release costs less because nobody knows whose records it read, or who sent what.

    Parameters
    ----------
    relation : str
        The neighbour relation of the base guarantee and of the result: ``add_remove`` or ``replace_one``.
    """

    relation: str
