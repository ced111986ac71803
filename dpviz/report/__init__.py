"""What leaves the house: the report, programs, and the command line."""

from dpviz.report.facts import facts

__all__ = ["facts"]
