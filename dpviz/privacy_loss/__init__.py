"""The engine: what composed mechanisms lose, numerically tight."""

from dpviz.privacy_loss.privacy_loss import Bound, Bracket, PrivacyLoss, optimal_bound, pld_bound, surely_lost

__all__ = ["Bound", "Bracket", "PrivacyLoss", "optimal_bound", "pld_bound", "surely_lost"]
