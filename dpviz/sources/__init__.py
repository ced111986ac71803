"""What five documents claim, and what is right."""

from dpviz.sources.claims import CLAIMS, DOCUMENTS, VERDICTS, claim_named, claims_frame

__all__ = ["CLAIMS", "DOCUMENTS", "VERDICTS", "claim_named", "claims_frame"]
