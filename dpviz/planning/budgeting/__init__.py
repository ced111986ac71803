"""A budget divided among releases."""

from dpviz.planning.budgeting.solve import SPLITS, Room, Solution, least_epsilon, room, solve_noise

__all__ = ["SPLITS", "Room", "Solution", "least_epsilon", "room", "solve_noise"]
