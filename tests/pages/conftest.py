"""Every page is opened hundreds of times."""

from tests.quick_harness import quick_harness

__all__ = ["quick_harness"]
