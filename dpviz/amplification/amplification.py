"""The record of an amplification theorem: what hiding who answered buys, and for which neighbour relation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Amplification:
    """A theorem by which a release costs less because nobody knows whose records it read, or who sent what.

    Parameters
    ----------
    key, label : str
        Its name in code and for people.
    statement : str
        LaTeX.
    assumes : str
        What it needs, in words.
    source : str
        With theorem number.
    relation : str
        The neighbour relation of the base guarantee and of the result: ``add_remove`` or ``replace_one``.
    """

    key: str
    label: str
    statement: str
    assumes: str
    source: str
    relation: str
