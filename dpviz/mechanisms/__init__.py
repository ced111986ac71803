"""What a release does to the data: the mechanisms, and everything that one can be asked."""

from dpviz.mechanisms.declared import Declared
from dpviz.mechanisms.discrete_gaussian import DiscreteGaussian
from dpviz.mechanisms.discrete_laplace import DiscreteLaplace
from dpviz.mechanisms.forms import BASE_MECHANISMS, MECHANISMS, mechanism_from
from dpviz.mechanisms.gaussian import Gaussian
from dpviz.mechanisms.kary import KaryRandomizedResponse
from dpviz.mechanisms.laplace import Laplace
from dpviz.mechanisms.laws.gaussian_profile import CALIBRATIONS, Calibration
from dpviz.mechanisms.mechanism import FINITE_EPSILON, POSITIVE_EPSILON, REAL_VALUED, Mechanism
from dpviz.mechanisms.responses import ApproximateDP, NameAndShame, RandomizedResponse
from dpviz.mechanisms.selection import (
    Exponential,
    PermuteAndFlip,
    ReportNoisyMax,
    expected_shortfall,
    largest_shortfall,
    shortfall_within,
)
from dpviz.mechanisms.subsampled import Subsampled
from dpviz.mechanisms.thresholding import Thresholding, threshold_for
from dpviz.mechanisms.trained_model import TrainedModel

__all__ = [
    "BASE_MECHANISMS",
    "CALIBRATIONS",
    "FINITE_EPSILON",
    "MECHANISMS",
    "POSITIVE_EPSILON",
    "REAL_VALUED",
    "ApproximateDP",
    "Calibration",
    "Declared",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Gaussian",
    "KaryRandomizedResponse",
    "Laplace",
    "Mechanism",
    "NameAndShame",
    "PermuteAndFlip",
    "RandomizedResponse",
    "ReportNoisyMax",
    "Subsampled",
    "Thresholding",
    "TrainedModel",
    "expected_shortfall",
    "largest_shortfall",
    "mechanism_from",
    "shortfall_within",
    "threshold_for",
]
