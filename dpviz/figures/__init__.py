"""Figures: a frame in, a Plotly figure out. They draw what they are given and never compute privacy.

Each has a module in one of four folders: `plan`, `learn`, `check` and, for what all are drawn with, `base`.
`dpviz.figures.growth` finds it by its name alone.

Everywhere `dark` says whether the ground is dark and `in_words` whether axes are named in words; `described` takes what
its chart takes.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

_PLACES = {
    each.name: f"{__name__}.{wing}.{each.name}"
    for wing in ("base", "check", "learn", "plan")
    for each in iter_modules([f"{__path__[0]}/{wing}"])
}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> ModuleType:
    """Return the module of a figure when it is first wanted."""
    if name not in __all__:
        raise AttributeError(f"module 'dpviz.figures' has no attribute {name!r}; dpviz.plot draws the frames of dpviz")
    return import_module(_PLACES[name])


def __dir__() -> list[str]:
    """Return the modules of this room."""
    return list(__all__)
