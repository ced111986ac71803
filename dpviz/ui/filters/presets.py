"""Settings of the filter page worth a button: a figure of a notebook, and the two regimes."""

from __future__ import annotations

from dpviz.ui.shell.presets import Preset

_PLAIN = (("fsource", "Typed here"), ("deltaq", 0.0), ("kept", None), ("doubles", False))
_WIDE = (("geps", 1.0), ("gdelta", 1e-6), ("epsfrom", 0.001), ("epsto", 1.0), ("orbasic", False), *_PLAIN)
NOTEBOOK = Preset(
    "notebook",
    "A teaching notebook",
    "A tiny budget, 0.2, and the figure that the Sherpa notebook on composition draws for it.",
    (
        *(("geps", 0.2), ("gdelta", 2e-30), ("epsq", 0.002), ("epsfrom", 0.002), ("epsto", 0.198), ("orbasic", True)),
        *(("faxes", "linear"), *_PLAIN),
    ),
)
PRESETS = (
    Preset(
        "many",
        "Many small queries",
        "A budget of 1 that may fail once in a million, and queries that cost 0.01 each.",
        (*_WIDE, ("epsq", 0.01), ("faxes", "log")),
    ),
    Preset(
        "few",
        "Few larger ones",
        "The same budget, and queries of ε = 0.05.",
        (*_WIDE, ("epsq", 0.05), ("faxes", "log")),
    ),
    NOTEBOOK,
)
