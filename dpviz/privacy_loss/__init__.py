"""The engine: what composed mechanisms lose, numerically tight."""

from dpviz.privacy_loss.bounds import law_bound, optimal_bound, pld_bound, side_bounds, surely_lost
from dpviz.privacy_loss.estimates.likely import likely_epsilons
from dpviz.privacy_loss.loss import PrivacyLoss, misses
from dpviz.privacy_loss.one_gaussian import GaussianFit, gaussian_fit
from dpviz.privacy_loss.records import Bound, Bracket

__all__ = [
    "Bound", "Bracket", "GaussianFit", "PrivacyLoss", "gaussian_fit", "law_bound", "likely_epsilons", "misses",
    "optimal_bound", "pld_bound", "side_bounds", "surely_lost",
]  # fmt: skip
