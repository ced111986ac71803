"""A budget divided among releases."""

from dpviz.planning.budgeting.solve import SPLITS, Solution, least_epsilon, solve_noise

__all__ = ["SPLITS", "Solution", "least_epsilon", "solve_noise"]
