"""Advice on a plan: which change buys most, and the checks that catch known mistakes."""

from __future__ import annotations

from dpviz.checks import CHECKS, Check, Finding, check_named, checks
from dpviz.levers import LEVERS, delta_lever, left_out, levers

__all__ = [
    "CHECKS", "LEVERS", "Check", "Finding", "check_named", "checks", "delta_lever", "left_out", "levers",
]  # fmt: skip
