"""Figures of the sources that the composition page redraws: the values of its widgets, and what the source says."""

from __future__ import annotations

from dpviz.composition import THEOREMS
from dpviz.ui.shell.presets import Preset

STEINKE_LIST = "0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5"

_DRAWN = (("axes", "linear"), ("theorems", [theorem.key for theorem in THEOREMS]))
PRESETS = (
    Preset(
        "sherpa",
        "Example: Sherpa notebook",
        "Basic against advanced composition at ε = 0.5 and δ = 0.1, from the Sherpa notebook on composition.",
        (("repeat", "Laplace"), ("eps1", 0.5), ("kmax", 300), ("deltak", 0.1), ("goal", None), *_DRAWN),
    ),
    Preset(
        "lecture",
        "Example: Lecture 11",
        "500 releases at ε = 0.001 and δ = 10⁻⁶, the numeric example of Lecture 11.",
        (("repeat", "Laplace"), ("eps1", 0.001), ("kmax", 500), ("deltak", 1e-6), ("goal", 0.1), *_DRAWN),
    ),
    Preset(
        "steinke",
        "Example: Steinke's sum",
        "Several different ε_j, once each and then repeated: Σε against ½Σε² + √(2 ln(1/δ) Σε²).",
        (("repeat", "Several, once each"), ("list1", STEINKE_LIST), ("kmax", 60), ("deltak", 1e-6), ("goal", None),
         *_DRAWN),
    ),
)
