"""What an attacker sees, and how often they are right."""

from dpviz.adversary.experiment import mechanism_list
from dpviz.adversary.intervals import Estimate
from dpviz.adversary.midpoint import midpoint_error
from dpviz.adversary.odds import Odds, odds
from dpviz.adversary.play import Experiment, experiment_in_chunks, run_experiment
from dpviz.adversary.risk import PairLoss
from dpviz.adversary.strategies import STRATEGIES, Strategy
from dpviz.adversary.views import Views

__all__ = [
    "STRATEGIES",
    "Estimate",
    "Experiment",
    "Odds",
    "PairLoss",
    "Strategy",
    "Views",
    "experiment_in_chunks",
    "mechanism_list",
    "midpoint_error",
    "odds",
    "run_experiment",
]
