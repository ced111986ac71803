"""The inputs of pages, whose values stand in the address: numbers, ε, δ, counts, choices and typed lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dpviz.plan.fields import grouped, number_after_comma
from dpviz.planning.advice import faults
from dpviz.ui.shell import page_state, presets, reading, refusals, typed
from dpviz.ui.shell.document import address, promise_fields, session
from dpviz.ui.shell.document.unanswered import unanswered
from dpviz.ui.shell.typed import Ends, within
from dpviz.ui.shell.words import shortened

EPSILON = (1e-6, 50.0)  # of one release, query or noise; beyond, nothing is protected
DELTA = (0.0, promise_fields.LARGEST_DELTA)
LARGEST_SEED = 10**6
UNSAID = "Something is still to be said of this plan: see the question on its page."
OTHERWISE = "An answer about this plan is not counted yet: this page shows its releases as they are entered."


def number(
    label: str, key: str, ends: Ends, value: float | None, about: str | None = None, whole: bool = False,
    read: Callable[..., float] | None = None, **options: object,
) -> float | None:  # fmt: skip
    """Draw the box of a number within `ends`, and return what it holds; None only where it may be empty, and is.

    It is a line of text: what a browser's own box of numbers does not know, such as a decimal comma, it drops in
    silence. What is no number is told beneath the box, stays in it as typed, and changes nothing.

    Parameters
    ----------
    label, key, about, **options
        As of `line`.
    ends : tuple of float, or Parameter
        The least and the largest number, or the quantity.
    value : float or None
        What it holds at first; None, or a placeholder among the options, lets it be empty.
    whole : bool
        Whether it must be whole.
    read : callable, optional
        What reads it in place of `dpviz.ui.shell.typed.within`.
    """
    read = read or partial(within, whole=whole)
    name, empty = reading.told(label), value is None or "placeholder" in options
    if not isinstance(page_state.held(key, ""), str):  # a preset, or the plan, has set it
        page_state.put({key: _shown(page_state.held(key), read)})
    _arrive(key, name, ends, read, empty)
    settle = {"on_change": _settle, "args": (key, name, ends, read)}
    text = line(label, key, _shown(value, read), typed.LONGEST, about, **settle, **options)
    before, found = page_state.held(f"_{key}", (None, value))
    if not (empty if found is None else typed.admits(found, ends, whole)):
        before, found = None, value
    if text == before:
        return found
    try:
        found = None if empty and not text.strip() else read(text, name, ends)
    except ValueError as error:
        st.error(refusals.drawn(error, typed.until(found)))
        text = None
    page_state.put({f"_{key}": (text, found)})
    return found


def _arrive(key: str, name: str, ends: Ends, read: Callable[..., float], empty: bool) -> None:
    """Let the address hold a number as a box does, before the first one reads it; what is none falls back.

    A program has written the address: its point is a decimal one.
    """
    linked = st.query_params.get(key)
    if linked is None or (empty and not linked) or page_state.holds(key) or page_state.holds(f"_{key}"):
        return
    point = f"{linked}0" if grouped(linked) and "." in linked else linked
    try:
        read(point, name, ends)
    except ValueError:
        point = None
    if point == linked:
        return
    with suppress(StreamlitAPIException):  # it is drawn already
        if point:
            st.query_params[key] = point
        else:
            del st.query_params[key]
        st.rerun()


def _settle(key: str, name: str, ends: Ends, read: Callable[..., float]) -> None:
    """Let a box show the number that is taken; a callback."""
    with suppress(ValueError):  # a box that is gone when its change arrives holds nothing, or no text
        page_state.put({key: _shown(read(str(page_state.held(key) or ""), name, ends), read)})


def _shown(value: float | None, read: Callable[..., float]) -> str:
    """How a box shows a number, as `read` reads it again: to people, a probability as odds."""
    in_odds = reading.people() and read is typed.probability and value is not None
    return typed.odds(value) if in_odds else typed.shown(value)


def epsilon(label: str, key: str, value: float | None, about: str, **options: object) -> float:
    """Draw the box of the ε of one release, within `EPSILON`."""
    return number(label, key, EPSILON, value, about, **options)


def delta(
    label: str, key: str, value: float | None, about: str | None = None, ends: Ends = DELTA, **options: object
) -> float | None:  # fmt: skip
    """Draw the box of a δ, up to `LARGEST_DELTA` where nothing else is said."""
    return number(label, key, ends, value, about, read=typed.probability, **options)


def count(
    label: str, key: str, most: int, value: int, about: str | None = None, least: int = 1, **options: object
) -> int:  # fmt: skip
    """Draw the box of a whole number from `least` to `most`."""
    return number(label, key, (least, most), value, about, whole=True, **options)


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


def line(label: str, key: str, value: str, longest: int, about: str | None, **further: object) -> str:
    """Draw a line of text."""
    return st.text_input(reading.told(label), value, longest, key=key, bind="query-params", **_about(about), **further)


def linked() -> bool:
    """Say whether the address sets something of this page."""
    return bool(set(st.query_params) - {address.PLAN, address.EXAMPLE, address.SAVED, "read"})


def source(
    label: str, key: str, options: Sequence[Any], mine: object, former: object, about: str,
    own: Collection[object] | None = None, absent: Collection[object] = (), **further: object,
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
    own : collection, optional
        What shows releases of the current plan, of which it is told where they are made otherwise than entered; `mine`
        alone, unless given.
    absent : collection
        Options that are not offered, since there is nothing now that they stand for.
    """
    options = [each for each in options if each not in absent]
    last = f"_{key}"
    if page_state.holds(key) and page_state.held(key) is None and page_state.held(last) in options:
        page_state.put({key: page_state.held(last)})  # Escape in the list clears it
    if page_state.held(key) not in options and not st.query_params.get(key):
        if session.current().releases and not linked():
            presets.fill({key: mine})  # else an address with something else of this page would mean the former one
        else:
            page_state.put({key: former})
    found = choice(label, key, options, about, index=None, placeholder=str(former), **further) or former
    page_state.put({last: found})
    if found in ((mine,) if own is None else own):
        made_otherwise()
    return found


def made_otherwise() -> None:
    """Warn where a page shows releases of a plan of which an answer is not counted, or not given."""
    if faults(session.current()):
        st.warning(OTHERWISE)
    unsaid()


def unsaid() -> None:
    """Warn where the plan's own page asks something of which an answer may make its total another one."""
    if session.document() and unanswered(session.document()):
        st.warning(UNSAID)


def numbers(label: str, key: str, value: str, longest: int, about: str, **limits: object) -> list[float]:
    """Draw a line that lists numbers, see `listed`, and return them; the last that it held where it holds none now."""
    text = line(label, key, value, longest, about)
    try:
        page_state.put({f"_{key}": listed(text, unclear=page_state.holds(f"_{key}"), **limits)})
    except ValueError as error:
        st.error(refusals.drawn(error))
    return page_state.held(f"_{key}") or listed(value, **limits)


def _about(about: str | None) -> dict[str, str | None]:
    """The help of an input as the visitor reads it."""
    return {"help": about and reading.told(about)}


def listed(
    text: str, ends: tuple[float, float] = EPSILON, most: int = 100, name: str = "each ε", names: str = "the list",
    whole: bool = False, unclear: bool = False,
) -> list[float]:  # fmt: skip
    """Return the numbers that a line of text lists; between semicolons they may have decimal commas.

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
    unclear : bool
        Whether a comma without a space, which may be of a number as well, is refused; a program writes lists so.

    Raises
    ------
    ValueError
        When a part is no number, outside its interval, or there are too many.

    Examples
    --------
    >>> listed("0.1, 0.25; 1e-3")
    [0.1, 0.25, 0.001]
    >>> listed("60; 70", (1, 99), whole=True), listed("0,5; 1,5"), listed("1,5"), listed("1, 5", unclear=True)
    ([60, 70], [0.5, 1.5], [1.0, 5.0], [1.0, 5.0])
    """
    parts = [part.strip() for part in re.split(r";|,(?!\d)", text) if part.strip()]
    if ";" not in text:
        doubtful = [part for part in parts if grouped(part) or (not whole and "," in part and number_after_comma(part))]
        if unclear and doubtful:
            got = f"got {shortened(doubtful[0], 20)!r}, which may be one number or several"
            raise ValueError(f"{names} must have semicolons between numbers; {got}")
        parts = [each.strip() for part in parts for each in part.split(",") if each.strip()]
    if not 1 <= len(parts) <= most:
        raise ValueError(f"{names} must {'be' if whole else 'hold'} 1 to {most} numbers; got {len(parts)}")
    return [within(part, name, ends, whole) for part in parts]
