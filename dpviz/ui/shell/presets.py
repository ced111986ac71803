"""Presets: values of a page's widgets that are worth a button, and the bar of these buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dpviz.ui.shell import page_state, shell, typed


@dataclass(frozen=True, slots=True)
class Preset:
    """Values of a page's widgets, such as those of a figure of a source.

    Parameters
    ----------
    key, label : str
        Name in code and on the button.
    about : str
        What it shows, in one sentence; "" for what the label says already.
    values : tuple of (str, object)
        The widgets it sets, by key.
    """

    key: str
    label: str
    about: str
    values: tuple[tuple[str, object], ...]

    def matches(self, state: Mapping[str, object], free: Iterable[str] = ()) -> bool:
        """Say whether the widgets still show this, whatever those in `free` are set to.

        Examples
        --------
        >>> Preset("a", "A", "Two samples.", (("m", "60, 70"),)).matches({"m": "60,70"})
        True
        """
        return all(_same(state.get(key), value) for key, value in self.values if key not in free)


def _same(held: object, value: object) -> bool:
    """Whether a widget holds the value: a number as its box shows it, a list whatever spaces it has."""
    if isinstance(held, str) and not isinstance(value, str):
        return held == typed.shown(value)
    texts = isinstance(held, str) and isinstance(value, str)
    return held.replace(" ", "") == value.replace(" ", "") if texts else held == value


def shown_preset(presets: Iterable[Preset], free: Iterable[str] = ()) -> Preset | None:
    """Return the first preset that the widgets show; None where they show something else."""
    return next((preset for preset in presets if preset.matches(page_state.everything(), free)), None)


def fill(inputs: Mapping[str, object], shown: Callable[[object], str] = str) -> None:
    """Set inputs, and name them in the address, since an input that is about to appear does not write its own.

    Parameters
    ----------
    inputs : mapping
        By their keys.
    shown : callable
        Gives the text that an address holds for a value.
    """
    page_state.put(inputs)
    for key, value in inputs.items():
        if not isinstance(value, list):
            with suppress(StreamlitAPIException):  # an input that is drawn writes its own
                text = "" if value is None else shown(value)
                st.query_params[key] = text.lower() if isinstance(value, bool) else text


@shell.guarded
def show(preset: Preset) -> None:
    """Set the inputs of a page to a preset; a callback."""
    fill(dict(preset.values))


def bar(presets: Iterable[Preset], on_click: Callable[[Preset], None] = show) -> None:
    """Draw one button per preset."""
    for each in presets:
        st.button(each.label, on_click=on_click, args=(each,), help=each.about or None, key=f"preset_{each.key}")
