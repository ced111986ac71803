"""Claims that others make: whether releases cost what somebody says they cost."""

from dpviz.claims.judgement import HOLDS, TOO_SMALL, UNDECIDED, Judgement, judge
from dpviz.claims.published import PUBLISHED, PublishedClaim, published_claim_named
from dpviz.claims.readings import ASPECTS, READINGS, Reading
from dpviz.claims.stated import StatedTotal

__all__ = [
    "ASPECTS",
    "HOLDS",
    "PUBLISHED",
    "READINGS",
    "TOO_SMALL",
    "UNDECIDED",
    "Judgement",
    "PublishedClaim",
    "Reading",
    "StatedTotal",
    "judge",
    "published_claim_named",
]
