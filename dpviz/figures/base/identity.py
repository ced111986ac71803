"""One colour and one dash per theorem on every chart, colour-blind safe, light and dark; and what all charts share."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

import plotly.graph_objects as go

from dpviz.figures.base.scale import GREY, GRID, INK, TEXT
from dpviz.figures.base.sheet import Sheet

CAMERA = 30  # pixels at the top right where a browser draws the button that saves a chart: words keep clear of it
_TELLING = 4  # letters of a name that say something by themselves
PHONE_LINE = 50  # letters that fit beside each other on a phone


@dataclass(frozen=True, slots=True)
class Identity:
    """How a theorem is drawn.

    Parameters
    ----------
    light, dark : str
        Its colour on a light and on a dark ground.
    dash : str
        Plotly's name of its dash.
    width : float
        Width of its line in pixels.
    """

    light: str
    dark: str
    dash: str
    width: float = 2.0

    def colour(self, dark: bool) -> str:
        """Return the colour for the ground in use."""
        return self.dark if dark else self.light


IDENTITIES = {
    "basic": Identity(*INK, "solid"),
    "advanced": Identity("#E69F00", "#F5B93A", "dash"),
    "advanced_tight": Identity("#D55E00", "#FF7F50", "dot"),
    "advanced_zcdp": Identity("#A07800", "#D9B84A", "dashdot"),
    "kov": Identity("#56B4E9", "#8FD0F5", "longdash"),
    "optimal": Identity("#0072B2", "#4DA3E0", "solid"),
    "zcdp": Identity("#2E8B2E", "#7CCB6B", "dash"),
    "rdp": Identity("#9A4F96", "#D59BD2", "dot"),
    "pld": Identity("#009E73", "#33C29B", "solid", 4.0),
    "rogers": Identity("#A05A2C", "#C9A27A", "longdash"),
    "fully_adaptive": Identity("#C4508E", "#F090C4", "longdashdot"),
}
UNKNOWN = Identity(GREY, GREY, "solid")
# Of ways to draw batches, which never stand on a chart with theorems.
SCHEMES = {
    "poisson": IDENTITIES["pld"],
    "truncated_poisson": IDENTITIES["kov"],
    "fixed_size": IDENTITIES["rdp"],
    "allocation": IDENTITIES["optimal"],
    "shuffled": IDENTITIES["advanced_tight"],
    "fixed_order": IDENTITIES["basic"],
    "tree": IDENTITIES["rogers"],
    "banded": IDENTITIES["advanced_zcdp"],
    "banded_order": IDENTITIES["advanced"],
}


def identity(theorem: str) -> Identity:
    """Return how the theorem with this key is drawn; grey where it has no identity yet."""
    return IDENTITIES.get(theorem, UNKNOWN)


def plain(text: str) -> str:
    """Return `text` so that Plotly shows it letter by letter: names come from visitors and may hold markup.

    Examples
    --------
    >>> plain("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    return html.escape(text, quote=False)


def laid_out(figure: Sheet, height: int) -> Sheet:
    """Give a figure the layout that all charts share: light grid, no frame, constant height, hover text to the left.

    Parameters
    ----------
    figure : Sheet
        Changed in place and returned.
    height : int
        In pixels; constant per chart, so that a page does not jump while a slider moves.
    """
    figure.update_layout(
        height=height,
        font={"color": GREY},
        margin={"l": 8, "r": 16, "t": 28, "b": 44},
        hoverlabel={"align": "left"},
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(gridcolor=GRID, zeroline=False, showline=False)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, showline=False)
    return figure


def shortened(text: str, longest: int) -> str:
    """Return `text` in at most `longest` letters, the last of them an ellipsis where something is cut.

    Examples
    --------
    >>> shortened("Visits to parks", 8), shortened("Visits", 8)
    ('Visits…', 'Visits')
    """
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def apart(names: Sequence[str], longest: int) -> list[str]:
    """Return the names in at most `longest` letters; of those that would be equal then, what parts them.

    Examples
    --------
    >>> apart(["Avoidance System for Housing", "Avoidance System for Redistricting", "FLEX"], 20)
    ['…Housing', '…Redistricting', 'FLEX']
    >>> apart(["System for File A", "System for File B"], 11)
    ['…File A', '…File B']
    """
    cut = [shortened(name, longest) for name in names]
    alike = {short: {name for name, other in zip(names, cut, strict=True) if other == short} for short in cut}
    return [
        short if len(alike[short]) < 2 else _own(name, alike[short], longest)
        for name, short in zip(names, cut, strict=True)
    ]


def _own(name: str, alike: Iterable[str], longest: int) -> str:
    """The name from the word in which it differs, cut in the middle where that is still too long."""
    parted = [each.split() for each in alike]
    shared = sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*parted, strict=False)))
    own, tail = " ".join(name.split()[shared:]), (longest - 2) * 3 // 5
    if len(own) < _TELLING:
        own = " ".join(name.split()[max(shared - 1, 0) :])
    if len(own) >= longest:
        own = f"{own[: longest - 2 - tail].rstrip()}…{own[-tail:].lstrip()}"
    return f"…{own}" if shared else own


def nothing(sentence: str, height: int = 120) -> Sheet:
    """Return a figure that only says why there is nothing to draw: axes would be invented.

    Parameters
    ----------
    sentence : str
        Several lines are parted by line breaks, and long ones folded for a phone; shown letter by letter.
    height : int
        In pixels.
    """
    figure = laid_out(Sheet(), height)
    figure.update_xaxes(visible=False).update_yaxes(visible=False)
    lines = [part for line in sentence.split("\n") for part in textwrap.wrap(line, PHONE_LINE)]
    text = "<br>".join(plain(line) for line in lines)
    place = {"x": 0.5, "xref": "paper", "y": 0.5, "yref": "paper"}
    return figure.add_annotation(text=text, showarrow=False, align="left", **place)


def standalone_html(figure: go.Figure, title: str) -> str:
    """Return a page that shows the figure without network and without this program, about 5 MB.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Left unchanged. Drawn for a light ground.
    title : str
        Heading above the chart.
    """
    copy = go.Figure(figure)
    # Importing Streamlit sets a template with placeholder colours; a file must not depend on who imported what.
    heading = {"text": plain(title), "x": 0.01}
    copy.update_layout(template="plotly_white", font={"color": TEXT[0]}, title=heading, margin={"t": 70})
    return copy.to_html(include_plotlyjs=True, full_html=True, config={"displaylogo": False})
