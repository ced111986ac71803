"""dpviz: plan a differential-privacy budget; what a set of releases costs, by which theorem, and what still fits."""

from dpviz.calibration import calibrate, max_count
from dpviz.composition import THEOREMS, compare, compose, epsilon_curve
from dpviz.conversions import CONVERSIONS
from dpviz.filters import FILTERS
from dpviz.gaussian import CALIBRATIONS
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, NameAndShame, RandomizedResponse
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss
from dpviz.subsampled import Subsampled
from dpviz.subsampling import AMPLIFICATIONS
from dpviz.theorem import Theorem

__version__ = "0.1.0"

__all__ = [
    "AMPLIFICATIONS",
    "CALIBRATIONS",
    "CONVERSIONS",
    "FILTERS",
    "THEOREMS",
    "ApproximateDP",
    "Gaussian",
    "Guarantee",
    "Laplace",
    "NameAndShame",
    "Plan",
    "PrivacyLoss",
    "RandomizedResponse",
    "Release",
    "Subsampled",
    "Theorem",
    "calibrate",
    "compare",
    "compose",
    "epsilon_curve",
    "max_count",
]
