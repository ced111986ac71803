"""dpviz: plan a differential-privacy budget; what a set of releases costs, by which theorem, and what still fits."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpviz.amplification import AMPLIFICATIONS
from dpviz.composition import CONVERSIONS, THEOREMS, Theorem, calibrate, compare, compose, epsilon_curve, max_count
from dpviz.filters import FILTERS, Filter
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
    Thresholding,
    TrainedModel,
)
from dpviz.plan import Disclosure, Plan, Release
from dpviz.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    from dpviz.adversary import risk as risk
    from dpviz.amplification import shuffling as shuffling
    from dpviz.amplification import subsampling as subsampling
    from dpviz.losses import LossDistribution as LossDistribution
    from dpviz.noise_sums import mixtures as mixtures
    from dpviz.notebook import plot as plot
    from dpviz.plan.sensitivity import sensitivity as sensitivity
    from dpviz.planning import checks as checks
    from dpviz.planning import errors as errors
    from dpviz.planning import exhaustion as exhaustion
    from dpviz.planning import forecast as forecast
    from dpviz.planning import published as published
    from dpviz.planning import solve_noise as solve_noise
    from dpviz.planning.room import fits as fits
    from dpviz.planning.room import room as room

__version__ = "0.1.0"

__all__ = [
    "AMPLIFICATIONS",
    "CALIBRATIONS",
    "CONVERSIONS",
    "FILTERS",
    "THEOREMS",
    "ApproximateDP",
    "Declared",
    "Disclosure",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Filter",
    "Gaussian",
    "Guarantee",
    "KaryRandomizedResponse",
    "Laplace",
    "LossDistribution",
    "NameAndShame",
    "PermuteAndFlip",
    "Plan",
    "PrivacyLoss",
    "RandomizedResponse",
    "Release",
    "ReportNoisyMax",
    "Subsampled",
    "Theorem",
    "Thresholding",
    "TrainedModel",
    "calibrate",
    "checks",
    "compare",
    "compose",
    "epsilon_curve",
    "errors",
    "exhaustion",
    "fits",
    "forecast",
    "max_count",
    "plot",
    "published",
    "room",
    "sensitivity",
    "solve_noise",
]

# What is reached by its own name from its room, when it is first wanted: `dpviz.risk` is `dpviz.adversary.risk`.
_ROOMS = {
    "LossDistribution": "losses",
    "plot": "notebook",
    "checks": "planning",
    "errors": "planning",
    "exhaustion": "planning",
    "forecast": "planning",
    "published": "planning",
    "solve_noise": "planning",
    "fits": "planning.room",
    "room": "planning.room",
    "sensitivity": "plan.sensitivity",
    "mixtures": "noise_sums",
    "risk": "adversary",
    "shuffling": "amplification",
    "subsampling": "amplification",
}
_PLACES = (
    "adversary", "amplification", "audit", "claims", "composition", "figures", "filters", "jobs", "losses",
    "mechanisms", "noise_sums", "planning", "report", "rounding", "sources", "store", "training",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return what is known by its own name, such as `dpviz.risk`, or a room, such as `dpviz.filters`."""
    if name in _PLACES:
        return import_module(f"dpviz.{name}")
    if name not in _ROOMS:
        raise AttributeError(f"module 'dpviz' has no attribute {name!r}; it has {', '.join(__dir__())}")
    room = import_module(f"dpviz.{_ROOMS[name]}")
    return getattr(room, name) if hasattr(room, name) else import_module(f"{room.__name__}.{name}")


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted({*__all__, *_PLACES, *_ROOMS, "__version__"})
