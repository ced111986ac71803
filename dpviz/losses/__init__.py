"""What the privacy loss of one release looks like, and the simulation lemma."""

from dpviz.losses.distribution import LossDistribution
from dpviz.losses.simulation_lemma import Simulation
from dpviz.losses.stated_laws import LAWS, law_of

__all__ = ["LAWS", "LossDistribution", "Simulation", "law_of"]
