"""Audits: how many runs show that a claim is too small, and what measured scores prove about ε."""

from dpviz.audit.one_run import one_run_epsilon, one_run_p_value
from dpviz.audit.power import DESIGNS, audit_power, runs_needed
from dpviz.audit.reading import CHOICES, Reading, read_audit
from dpviz.audit.scores import Scores, simulated_scores
from dpviz.audit.thresholds import threshold_epsilon

__all__ = [
    "CHOICES",
    "DESIGNS",
    "Reading",
    "Scores",
    "audit_power",
    "one_run_epsilon",
    "one_run_p_value",
    "read_audit",
    "runs_needed",
    "simulated_scores",
    "threshold_epsilon",
]
