"""What an action takes on any machine, however busy it is: the calls of dpviz's functions, and memory."""

import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import dpviz

HOME = str(Path(dpviz.__file__).parent)


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
