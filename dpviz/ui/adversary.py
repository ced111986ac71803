"""The adversary page: its sidebar, its charts of the experiment, and the numbers about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.adversaries import STRATEGIES
from dpviz.figures import attack_curve as curve_figure
from dpviz.figures import attack_views as views_figure
from dpviz.figures.attack_views import Statistic
from dpviz.risk import best_success
from dpviz.rounding import shown_count
from dpviz.ui import adversary_cache as cache
from dpviz.ui import adversary_games as games
from dpviz.ui import adversary_inputs, components
from dpviz.ui import adversary_words as sentences
from dpviz.ui.adversary_games import Game, Shown
from dpviz.views import Views

VIEWS = ("Running mean", "Likelihood ratio")
PATHS, MARKS = 8, 40  # single games drawn, and points of each
CALM = "<style>@media (prefers-reduced-motion: reduce) {.st-key-attack_motion .updatemenu-container {display: none}}</style>"


@dataclass(frozen=True)
class Found:
    """The numbers that the page is about.

    Parameters
    ----------
    bound : cache.Bound
    success, advantage : float
        Of the best attack, at most; the success at the prior asked for.
    midpoint : float or None
        Error rate of the test on the mean, in theory.
    """

    bound: cache.Bound
    success: float
    advantage: float
    midpoint: float | None
