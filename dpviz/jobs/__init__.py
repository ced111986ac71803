"""Big jobs: every plan of a grid, and experiments of many rounds, in tasks that any number of cores may share."""

from dpviz.jobs.frontier import Frontier
from dpviz.jobs.grid import Grid
from dpviz.jobs.run import Job, Runner, Stopped
from dpviz.jobs.simulate import simulated
from dpviz.jobs.sweep import swept

__all__ = ["Frontier", "Grid", "Job", "Runner", "Stopped", "simulated", "swept"]
