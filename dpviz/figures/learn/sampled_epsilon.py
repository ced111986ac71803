"""What one run on a sample costs: against the sampling rate, and against what it costs on the sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.identity import GREY, laid_out
from dpviz.figures.base.sampled_lines import HEIGHT, MARGIN, WHOLE, Line, axis, end_names, ends_of, sample_identity
from dpviz.figures.base.sheet import Sheet, drawing
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas

LOWEST = 0.3  # share at which the first line is named
_ABOVE = {"xanchor": "right", "xshift": -6}
_BELOW = {"xanchor": "left", "xshift": 6, "yanchor": "top"}


@drawing
def against_rate(frame: pandas.DataFrame, in_words: bool = False, dark: bool = False) -> Sheet:
    """Draw ε′ / ε against the rate, one line per base ε, on plain axes.

    Parameters
    ----------
    frame : pandas.DataFrame
        base_epsilon, rate, epsilon.
    """
    lines = []
    for place, base in enumerate(frame.base_epsilon.drop_duplicates().tolist()):
        rows = frame[frame.base_epsilon == base]
        share = rows.epsilon.to_numpy() / base
        lines.append(Line(f"ε = {shown_up(base)}", rows.rate.to_numpy(), share, sample_identity(place)))
    figure = Sheet([line.trace(dark, " of") for line in lines])
    loss = "share of the privacy loss that is left" if in_words else "ε′ / ε"
    return _finished(figure, axis("sampling rate q", (0.0, 1.0), False), axis(loss, (0.0, 1.03), False), [
        _middle(line, LOWEST + 0.13 * place, dark) for place, line in enumerate(lines)
    ])  # fmt: skip


def _middle(line: Line, share: float, dark: bool) -> dict[str, object]:
    """A name on the line, each further along: all lines end at the same point."""
    place = int(np.argmin(np.abs(line.y - share)))
    return {
        "text": line.name,
        "x": float(line.x[place]),
        "y": float(line.y[place]),
        "font": {"color": line.look.colour(dark), "size": 12},
        "showarrow": False,
    } | (_ABOVE if share > LOWEST else _BELOW)


@drawing
def against_epsilon(frame: pandas.DataFrame, in_words: bool = False, dark: bool = False) -> Sheet:
    """Draw ε′ against ε, one line per rate, on logarithmic axes.

    Parameters
    ----------
    frame : pandas.DataFrame
        base_epsilon, rate, epsilon; rate 1 stands for no sampling.
    """
    lines = []
    for place, rate in enumerate(frame.rate.drop_duplicates().tolist()):
        rows = frame[frame.rate == rate]
        name, look = ("no sampling", WHOLE) if rate == 1 else (f"q = {shown_up(rate)}", sample_identity(place - 1))
        lines.append(Line(name, rows.base_epsilon.to_numpy(), rows.epsilon.to_numpy(), look))
    across = ends_of([line.x for line in lines], True)
    up = ends_of([line.y for line in lines], True)
    figure = Sheet([line.trace(dark, " at") for line in lines])
    left, right = ("privacy loss on the sample", "privacy loss") if in_words else ("ε on the sample", "ε′")
    across = axis(left, (across[0] * 1.4, across[1] / 1.6), True)
    return _finished(figure, across, axis(right, up, True), end_names(lines, up, True, dark))


def _finished(figure: Sheet, across: dict, up: dict, texts: list[dict]) -> Sheet:
    laid_out(figure, HEIGHT)
    margin = MARGIN | {"r": 110 if across["type"] == "log" else 16}
    figure.update_layout(margin=margin, hovermode="x unified", xaxis=across, yaxis=up, annotations=texts)
    figure.update_xaxes(hoverformat=".6~g", linecolor=GREY)
    return figure


def described_rates(frame: pandas.DataFrame) -> str:
    """Return the chart against the rate in words, for those who hear it."""
    bases = ", ".join(shown_up(base) for base in frame.base_epsilon.drop_duplicates())
    return (
        f"Share of epsilon that is left against the sampling rate from 0 to 1, for epsilon {bases}. For a small "
        "epsilon the share equals the rate; for a large one it stays near 1 until the rate is tiny."
    )


def described_epsilons(frame: pandas.DataFrame) -> str:
    """Return the chart against ε in words, for those who hear it."""
    last = frame[frame.base_epsilon == frame.base_epsilon.max()]
    ends = ", ".join(f"rate {shown_up(row.rate)}: {shown_up(row.epsilon)}" for row in last.itertuples())
    return f"Epsilon after sampling against epsilon on the sample. At {shown_up(frame.base_epsilon.max())}: {ends}."
