"""Figures: a frame in, a Plotly figure out. They draw what they are given and never compute privacy.

Everywhere `dark` says whether the ground is dark and `in_words` whether axes are named in words; `described` takes what
its chart takes.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

__all__ = sorted(each.name for each in iter_modules(__path__))


def __getattr__(name: str) -> ModuleType:
    """Return the module of a figure when it is first wanted."""
    if name not in __all__:
        raise AttributeError(f"module 'dpviz.figures' has no attribute {name!r}; dpviz.plot draws the frames of dpviz")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    """Return the modules of this room."""
    return list(__all__)
