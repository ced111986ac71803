"""A figure for readers who want no symbols: every text in it, words in place of signs."""

from __future__ import annotations

from dpviz.plain import in_plain_words

_TEXTS = ("text", "hovertemplate", "hovertext", "name", "ticktext", "texttemplate")


def in_words(description: dict) -> dict:
    """Return a figure's description with words in place of symbols in titles, legend, notes, ticks and hover texts.

    Parameters
    ----------
    description : dict
        Left unchanged.
    """
    return _worded(description, "")


def _worded(part: object, name: str) -> object:
    """A part of a figure's description, its texts reworded; numbers and data as they are."""
    if isinstance(part, dict):
        return {key: _worded(value, key) for key, value in part.items()}
    if isinstance(part, str):
        return in_plain_words(part) if name in _TEXTS else part
    if name in _TEXTS and not isinstance(part, int | float | bool | type(None)):
        return [_worded(each, name) for each in part]
    if isinstance(part, list | tuple):
        return [_worded(each, "") for each in part]
    return part
