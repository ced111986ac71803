"""The record of a claim: what a source document says, what is right, and both numbers, computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

RIGHT, WRONG, UNPROVED = "right", "wrong", "true, but not by the quoted theorem"
VERDICTS = (RIGHT, WRONG, UNPROVED)
DOCUMENTS = {
    "sherpa": "Sherpa notebook, composition",
    "sampling": "Sherpa notebook, subsampling",
    "proofs": "DP-ML Proofs",
    "steinke": "Steinke, Composition",
    "lecture": "Lecture 11",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a source document, checked.

    Parameters
    ----------
    key : str
        Its name in code and addresses; it begins with the key of its document.
    place : str
        Where in the document.
    says, right : str
        What it says, and what is right.
    verdict : str
        One of ``VERDICTS``.
    quantity : str
        What both numbers are; "" for a matter of wording.
    stated : callable or None
        Computes the document's value, by its own formula; None where it gives none.
    correct : callable or None
        Computes the right value, by the core.
    source : str
        Where the right statement stands.
    further : tuple of (str, callable)
        More numbers that belong to it: what each is, and what computes it.
    """

    key: str
    place: str
    says: str
    right: str
    verdict: str
    quantity: str
    stated: Callable[[], float] | None
    correct: Callable[[], float] | None
    source: str
    further: tuple[tuple[str, Callable[[], float]], ...] = ()

    @property
    def document(self) -> str:
        """The document that it stands in, a key of ``DOCUMENTS``."""
        return self.key.partition("_")[0]

    def numbers(self) -> dict[str, float]:
        """Compute every number of the claim: ``stated`` and ``correct`` where there are, and the further ones."""
        named = {"stated": self.stated, "correct": self.correct, **dict(self.further)}
        return {name: float(function()) for name, function in named.items() if function is not None}


def off_by(stated: float | None, correct: float | None) -> str:
    """Say by how much a stated value is off.

    Examples
    --------
    >>> off_by(150, 38), off_by(0.1, 0.1), off_by(1.0, 1.25), off_by(0.0, 0.5), off_by(1.0, 1.004)
    ('3.947 times the right value', 'equal', '0.8 times the right value', '0.5 too small', '0.398 % too small')
    """
    if stated is None or correct is None:
        return "–"
    if stated == correct or math.isclose(stated, correct, rel_tol=1e-9):
        return "equal"
    large = stated > correct
    direction = "too large" if large else "too small"
    if math.isinf(stated) or math.isinf(correct):
        return "infinitely " + direction
    if min(abs(stated), abs(correct)) == 0 or stated * correct < 0:
        return f"{abs(stated - correct):.4g} {direction}"
    ratio = stated / correct
    if abs(ratio - 1) >= 0.01:
        return f"{ratio:.4g} times the right value"
    return f"{abs(ratio - 1) * 100:.3g} % {direction}"
