"""The figures of the Sherpa notebook on subsampling, as values of the page's widgets."""

from __future__ import annotations

from dpviz.ui.shell.presets import Preset

LAPLACE, GAUSSIAN = NOISES = "Laplace", "Gaussian"
WITHOUT, POISSON = SAMPLES = "Without replacement", "Poisson"
ROGERS, BASIC, ADAPTIVE = RULES = "Rogers et al., or basic", "Basic", "Fully adaptive, or basic"
CLASSICAL, ANALYTIC = CALIBRATIONS = "classical", "analytic"
TYPED, FIGURES = "Typed here", "A notebook's figures"

_ALL = (("ssource", FIGURES), ("sampling", WITHOUT), ("n", 100), ("ebud", 0.2), ("rule", ROGERS))
_LAPLACE = (("noise", LAPLACE), ("dbud", 2e-30))
_DECADE = (("erun", 0.001), ("span", 9))

PRESETS = (
    Preset(
        "whole",
        "Notebook: all records",
        "Its figure 1: Laplace noise without sampling, ε from 0.002 to 0.198; beside it what a sample of 50 gives.",
        (*_ALL, *_LAPLACE, ("m", "50"), ("erun", 0.002), ("span", 99)),
    ),
    Preset(
        "half",
        "Half of them",
        "Its figure 2: Laplace noise, 50 of 100 records, budget ε = 0.2 and δ = 2 × 10⁻³⁰.",
        (*_ALL, *_LAPLACE, *_DECADE, ("m", "50")),
    ),
    Preset(
        "sizes",
        "Three sizes",
        "Its figure 3: Laplace noise, samples of 60, 70 and 80 of 100 records.",
        (*_ALL, *_LAPLACE, *_DECADE, ("m", "60, 70, 80")),
    ),
    Preset(
        "gaussian",
        "Gaussian noise",
        "Its figure 4: noise with δ = 2 × 10⁻²⁰ per run, 50 of 100 records, budget ε = 0.2 and δ = 2 × 10⁻¹⁰.",
        (*_ALL, *_DECADE, ("noise", GAUSSIAN), ("m", "50"), ("dbud", 2e-10), ("drun", 2e-20), ("sigmaby", CLASSICAL)),
    ),
)
