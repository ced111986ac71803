"""The engine: what composed mechanisms lose, numerically tight."""

from dpviz.privacy_loss.privacy_loss import Bound, PrivacyLoss, optimal_bound, pld_bound

__all__ = ["Bound", "PrivacyLoss", "optimal_bound", "pld_bound"]
