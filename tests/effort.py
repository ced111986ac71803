"""What an action takes on any machine, however busy it is, and how many random cases a law may take at each profile."""

import sys
import threading
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

import dpviz

HOME = str(Path(dpviz.__file__).parent)
USUAL, ALL = (settings.get_profile(name).max_examples for name in ("ci", "slow"))


def share(usual: int, every: int) -> int:
    """How many of so many cases this profile takes: the usual ones, all in "slow" and "fuzz", a share in "brief"."""
    most = settings.default.max_examples
    return every if most >= ALL else max(1, min(usual * most // USUAL, every))


def examples(usual: int) -> settings:
    """For a law whose examples cost more than milliseconds: fewer of them in the usual profile, all in "slow"."""
    return settings(max_examples=share(usual, settings.default.max_examples))


def seeded(usual: int, every: int) -> Callable[[Callable], Callable]:
    """Ask a test about its share of so many seeds; as random laws, "make slow" and "make fuzz" ask it about all."""
    return cases("seed", range(share(usual, every)), range(every))


def cases(names: str | tuple[str, ...], usual: Sequence, every: Sequence) -> Callable[[Callable], Callable]:
    """Ask a test about the usual ones of many cases; as random laws, "make slow" and "make fuzz" ask it about all."""
    several = pytest.mark.parametrize(names, every if settings.default.max_examples >= ALL else usual, ids=repr)
    return lambda test: pytest.mark.hypothesis(several(test))


def with_calls(action: Callable[[], object]) -> tuple[object, int]:
    """The answer of an action, and how often it called functions of dpviz, in threads that it starts too."""
    count, before = 0, sys.getprofile()

    def heard(frame, event, _):
        nonlocal count
        code = frame.f_code  # comprehensions are functions on Python 3.11 alone
        count += event == "call" and code.co_filename.startswith(HOME) and not code.co_name.startswith("<")

    threading.setprofile(heard)
    sys.setprofile(heard)
    try:
        return action(), count
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def with_peak(action: Callable[[], object]) -> tuple[object, int]:
    """The answer of an action, and the most bytes that it held at once."""
    tracemalloc.start()
    try:
        return action(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
