"""The claims of the five source documents, each checked: the stated value and the right one, both computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from dpviz.records import record_named
from dpviz.sources.claim import DOCUMENTS, RIGHT, UNPROVED, VERDICTS, WRONG, Claim, off_by
from dpviz.sources.lecture import LECTURE_CLAIMS
from dpviz.sources.proofs import PROOFS_CLAIMS
from dpviz.sources.sherpa_composition import COMPOSITION_CLAIMS
from dpviz.sources.sherpa_sampling import SAMPLING_CLAIMS
from dpviz.sources.steinke import STEINKE_CLAIMS

if TYPE_CHECKING:
    import pandas

__all__ = [
    "CLAIMS", "DOCUMENTS", "RIGHT", "UNPROVED", "VERDICTS", "WRONG", "Claim", "claim_named", "claims_frame", "off_by",
    "summary",
]  # fmt: skip

CLAIMS: tuple[Claim, ...] = (
    *COMPOSITION_CLAIMS, *SAMPLING_CLAIMS, *PROOFS_CLAIMS, *STEINKE_CLAIMS, *LECTURE_CLAIMS,
)  # fmt: skip

claim_named: Callable[[str], Claim] = partial(record_named, CLAIMS)


def summary(claims: Iterable[Claim] = CLAIMS) -> dict[str, int]:
    """Return how many claims have each verdict.

    Examples
    --------
    >>> summary([claim_named("sherpa_basic"), claim_named("sherpa_crossing")])
    {'right': 1, 'wrong': 1, 'true, but not by the quoted theorem': 0}
    """
    found = [claim.verdict for claim in claims]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


def claims_frame(claims: Iterable[Claim] = CLAIMS) -> pandas.DataFrame:
    """Compute both values of every claim.

    Returns
    -------
    pandas.DataFrame
        One row per claim: claim, document, place, says, right, verdict, quantity, stated, correct (NaN where there is
        none), off_by, further (more numbers, as text), source.

    Examples
    --------
    >>> row = claims_frame([claim_named("sherpa_crossing")]).iloc[0]
    >>> float(row.stated), float(row.correct), row.off_by
    (150.0, 38.0, '3.947 times the right value')
    """
    import pandas

    columns = [
        "claim", "document", "place", "says", "right", "verdict", "quantity", "stated", "correct", "off_by", "further",
        "source",
    ]  # fmt: skip
    return pandas.DataFrame([_row(claim) for claim in claims], columns=columns)


def _row(claim: Claim) -> tuple:
    numbers = claim.numbers()
    stated, correct = numbers.pop("stated", None), numbers.pop("correct", None)
    further = "; ".join(f"{label} {value:.8g}" for label, value in numbers.items())
    shown = (float("nan") if value is None else value for value in (stated, correct))
    return (
        claim.key, DOCUMENTS[claim.document], claim.place, claim.says, claim.right, claim.verdict, claim.quantity,
        *shown, off_by(stated, correct), further, claim.source,
    )  # fmt: skip
