"""What a plan costs, by which proof: the theorems, conversions and calibration."""

from dpviz.composition.calibration import calibrate, max_count
from dpviz.composition.compose import THEOREMS, compare, compose, epsilon_curve, refusal, theorem_named, tightest
from dpviz.composition.conversions import CONVERSIONS, Conversion
from dpviz.composition.theorem import Theorem

__all__ = [
    "CONVERSIONS",
    "THEOREMS",
    "Conversion",
    "Theorem",
    "calibrate",
    "compare",
    "compose",
    "epsilon_curve",
    "max_count",
    "refusal",
    "theorem_named",
    "tightest",
]
