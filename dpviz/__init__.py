"""dpviz: plan a differential-privacy budget; what a set of releases costs, by which theorem, and what still fits."""

from importlib import import_module
from types import ModuleType

from dpviz.amplification import AMPLIFICATIONS
from dpviz.composition import CONVERSIONS, THEOREMS, Theorem, calibrate, compare, compose, epsilon_curve, max_count
from dpviz.filters import FILTERS
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import (
    CALIBRATIONS,
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    RandomizedResponse,
    ReportNoisyMax,
    Subsampled,
)
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss

__version__ = "0.1.0"

__all__ = [
    "AMPLIFICATIONS",
    "CALIBRATIONS",
    "CONVERSIONS",
    "FILTERS",
    "THEOREMS",
    "ApproximateDP",
    "Declared",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Gaussian",
    "Guarantee",
    "KaryRandomizedResponse",
    "Laplace",
    "NameAndShame",
    "PermuteAndFlip",
    "Plan",
    "PrivacyLoss",
    "RandomizedResponse",
    "Release",
    "ReportNoisyMax",
    "Subsampled",
    "Theorem",
    "calibrate",
    "compare",
    "compose",
    "epsilon_curve",
    "max_count",
]

_ROOMS = {"mixtures": "noise_sums", "risk": "adversary", "shuffling": "amplification", "subsampling": "amplification"}


def __getattr__(name: str) -> ModuleType:
    """Return a module that is known by its own name, such as `dpviz.risk`, from its room."""
    if name not in _ROOMS:
        raise AttributeError(f"module 'dpviz' has no attribute {name!r}")
    return import_module(f"dpviz.{_ROOMS[name]}.{name}")
