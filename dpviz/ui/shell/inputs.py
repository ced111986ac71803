"""The inputs of pages, whose values stand in the address: numbers, ε, δ, counts, choices and typed lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import streamlit as st

from dpviz.plan.fields import number as read
from dpviz.ui.shell import reading, steps, workspace
from dpviz.ui.shell.words import escaped, shortened

EPSILON = (1e-6, 50.0)  # of one release, query or noise; beyond, nothing is protected
LARGEST_SEED = 10**6


def number(
    label: str, key: str, ends: tuple[float, float], value: float | None, step: float, about: str | None = None,
    **options: object,
) -> float | None:  # fmt: skip
    """Draw the box of a number within `ends`, and return what it holds; None only where `value` is."""
    box = {"bind": "query-params", "format": "%.6g"} | _about(about) | options
    return st.number_input(reading.told(label), *ends, value=value, step=step, key=key, **box)


def epsilon(label: str, key: str, value: float | None, about: str, step: float = 0.1, **options: object) -> float:
    """Draw the box of the ε of one release, within `EPSILON`."""
    return number(label, key, EPSILON, value, step, about, **options)


def delta(label: str, key: str, value: float | None, about: str | None = None, **options: object) -> float | None:
    """Draw the box of a δ that goes up and down by factors of ten, up to `steps.LARGEST`."""
    return steps.of_ten(reading.told(label), key, value=value, bind="query-params", **_about(about), **options)


def count(
    label: str, key: str, most: int, value: int, about: str | None = None, least: int = 1, step: int = 1,
    **options: object,
) -> int:  # fmt: skip
    """Draw the box of a whole number from `least` to `most`."""
    return number(label, key, (least, most), value, step, about, format=None, **options)


def seed(**options: object) -> int:
    """Draw the box of the seed of random numbers."""
    return count("Seed", "seed", LARGEST_SEED, 1, least=0, **options)


def choice(label: str, key: str, options: Iterable[Any], about: str, **further: object) -> object:
    """Draw a list to choose one of; the first, where nothing else is said."""
    return st.selectbox(reading.told(label), options, key=key, bind="query-params", **_about(about), **further)


def slider(label: str, key: str, options: Iterable[Any], about: str | None = None, **further: object) -> object:
    """Draw a slider over values that are listed."""
    return st.select_slider(reading.told(label), options, key=key, bind="query-params", **_about(about), **further)


def switch(label: str, key: str, options: Collection[Any], about: str | None = None, **further: object) -> object:
    """Draw buttons of which one is always pressed; the first, where nothing else is said."""
    box = {"default": next(iter(options)), "required": True, "bind": "query-params"} | _about(about) | further
    chosen = st.segmented_control(reading.told(label), options, key=key, **box)
    return chosen if chosen in options else next(iter(options))  # no browser sends what is not offered


def toggle(label: str, key: str, about: str) -> bool:
    """Draw a switch that is off at first."""
    return st.toggle(reading.told(label), key=key, bind="query-params", **_about(about))


def line(label: str, key: str, value: str, longest: int, about: str, **further: object) -> str:
    """Draw a line of text."""
    return st.text_input(reading.told(label), value, longest, key=key, bind="query-params", **_about(about), **further)


def linked() -> bool:
    """Say whether the address sets something of this page."""
    return bool(set(st.query_params) - {workspace.PLAN, workspace.EXAMPLE, "read"})


def source(
    label: str, key: str, options: Sequence[Any], mine: object, former: object, about: str, **further: object
) -> object:  # fmt: skip
    """Draw the list of what a page is about: the current plan where a visitor comes to it with one.

    Parameters
    ----------
    label, key, about, **further
        As of `choice`.
    options : sequence
    mine : object
        The option that stands for the current plan; it is the first choice where the plan has a release.
    former : object
        The option that an address means which sets something else on this page, but not this: links of former versions
        left it out.
    """
    if st.session_state.get(key) not in options and not st.query_params.get(key):
        st.session_state[key] = mine if workspace.current().releases and not linked() else former
    return choice(label, key, options, about, index=None, placeholder=str(former), **further) or former


def numbers(label: str, key: str, value: str, longest: int, about: str, **limits: object) -> list[float]:
    """Draw a line that lists numbers, see `listed`, and return them; the last that it held where it holds none now."""
    typed = line(label, key, value, longest, about)
    try:
        st.session_state[f"_{key}"] = listed(typed, **limits)
    except ValueError as error:
        st.error(escaped(str(error)))
    return st.session_state.get(f"_{key}") or listed(value, **limits)


def _about(about: str | None) -> dict[str, str | None]:
    """The help of an input as the visitor reads it."""
    return {"help": about and reading.told(about)}


def listed(
    text: str, ends: tuple[float, float] = EPSILON, most: int = 100, name: str = "each ε", names: str = "the list",
    whole: bool = False,
) -> list[float]:  # fmt: skip
    """Return the numbers that a line of text lists.

    Parameters
    ----------
    text : str
        Numbers with commas or semicolons between them.
    ends : tuple of float
        The least and the largest that each may be.
    most : int
    name, names : str
        Of one number, and of all of them.
    whole : bool
        Whether they must be whole.

    Raises
    ------
    ValueError
        When a part is no number, outside its interval, or there are too many.

    Examples
    --------
    >>> listed("0.1, 0.25; 1e-3")
    [0.1, 0.25, 0.001]
    >>> listed("60; 70", (1, 99), whole=True)
    [60, 70]
    """
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not 1 <= len(parts) <= most:
        raise ValueError(f"{names} must {'be' if whole else 'hold'} 1 to {most} numbers; got {len(parts)}")
    return [within(part, name, ends, whole) for part in parts]


def within(text: str, name: str, ends: tuple[float, float], whole: bool = False) -> float:
    """Return the number that a text stands for; a ValueError says what is wrong with it.

    Examples
    --------
    >>> within("2", "δ", (0, 0.5))
    Traceback (most recent call last):
    ...
    ValueError: δ must be a number in [0, 0.5]; got '2'
    """
    value = read(text.lower())
    if value is None or not ends[0] <= value <= ends[1] or (whole and value != int(value)):
        kind, limits = ("a whole number", "[{}, {}]") if whole else ("a number", "[{:g}, {:g}]")
        raise ValueError(f"{name} must be {kind} in {limits.format(*ends)}; got {shortened(text, 20)!r}")
    return int(value) if whole else float(value)
