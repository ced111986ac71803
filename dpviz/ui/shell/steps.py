"""Number boxes whose steps fit what they hold: a δ goes up and down by factors of ten."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import streamlit as st

STEP = 1e-16  # what a press on + or − adds in the browser: no two δ that somebody types differ by so little
LARGEST = 0.5
LATEST = 8  # values of a box that are remembered
FIRST = 1e-12  # one step up from 0


def of_ten(
    label: str, key: str, *, on_change: Callable | None = None, args: tuple[object, ...] = (), **options: object
) -> float | None:
    """Draw the box of a probability whose steps multiply or divide it by ten, and return what it holds.

    Parameters
    ----------
    label, key, on_change, args, **options
        As of ``st.number_input``; from 0 to 0.5 where nothing else is said.
    """
    held = st.session_state.get(key, options.get("value"))
    # 1e-6 rather than 0.000001; but a browser writes zero in this way as 0e+0.
    box = {"min_value": 0.0, "max_value": LARGEST, "step": STEP, "format": "%e" if held else "%g"} | options
    value = st.number_input(label, key=key, on_change=_stepped, args=(key, box["max_value"], on_change, args), **box)
    shown = [each for each in st.session_state.get(f"_{key}", ()) if each != value]
    st.session_state[f"_{key}"] = [*shown, value][-LATEST:]
    return value


def stepped(shown: list[float], new: float, largest: float) -> float:
    """Return what a change of a box means: by a multiple of `STEP`, that many factors of ten, else what was typed.

    Parameters
    ----------
    shown : list of float
        What the box held of late: whoever presses faster than pages are drawn steps from an older value.
    new, largest : float
        What it holds now, and may hold.

    Examples
    --------
    >>> stepped([1e-8], 1e-8 + STEP, 0.5), stepped([1e-6], 1e-6 - 2 * STEP, 0.5), stepped([1e-6], 2e-6, 0.5)
    (1e-07, 1e-08, 2e-06)
    """
    for old in filter(lambda each: each is not None and each != new, reversed(shown)):
        steps = (new - old) / STEP
        times = round(steps)
        if 0 < abs(times) <= 20 and abs(steps - times) <= 0.3:
            start, times = (FIRST, times - 1) if old == 0 else (old, times)
            return min(float(Decimal(repr(start)).scaleb(times)), largest)
    return new


def _stepped(key: str, largest: float, on_change: Callable | None, args: tuple[object, ...]) -> None:
    if st.session_state[key] is not None:
        st.session_state[key] = stepped(st.session_state.get(f"_{key}", []), st.session_state[key], largest)
    if on_change:
        on_change(*args)
