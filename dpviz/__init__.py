"""dpviz: plan a differential-privacy budget; what a set of releases costs, by which theorem, and what still fits."""

from dpviz.composition import THEOREMS, compare, compose, epsilon_curve
from dpviz.conversions import CONVERSIONS
from dpviz.gaussian import CALIBRATIONS
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, NameAndShame, RandomizedResponse
from dpviz.plan import Plan, Release
from dpviz.theorem import Theorem

__version__ = "0.1.0"

__all__ = [
    "CALIBRATIONS",
    "CONVERSIONS",
    "THEOREMS",
    "ApproximateDP",
    "Gaussian",
    "Guarantee",
    "Laplace",
    "NameAndShame",
    "Plan",
    "RandomizedResponse",
    "Release",
    "Theorem",
    "compare",
    "compose",
    "epsilon_curve",
]
