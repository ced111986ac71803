"""A budget divided among releases."""

from dpviz.planning.budgeting.solve import SPLITS, Goal, Solution, least_epsilon, solve_noise

__all__ = ["SPLITS", "Goal", "Solution", "least_epsilon", "solve_noise"]
