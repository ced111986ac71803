"""Some of these tests open pages."""

from tests.quick_harness import quick_harness

__all__ = ["quick_harness"]
