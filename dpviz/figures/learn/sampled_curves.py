"""What sampling makes of ε, of many runs on fresh samples, and of the error of a mean: lines over rates and runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import axis
from dpviz.figures.base.identity import GREY, Identity, identity
from dpviz.figures.base.sampled_lines import HEIGHT, WHOLE, Line, budget_line, ends_of, sample_identity, sampled
from dpviz.figures.base.scale import USUAL
from dpviz.figures.base.sheet import Sheet, bounding, drawing, scatter
from dpviz.rounding import shown_budget, shown_count, shown_up

if TYPE_CHECKING:
    import pandas

LOWEST = 0.3  # share at which the first line is named
_ABOVE = {"xanchor": "right", "xshift": -6}
_BELOW = {"xanchor": "left", "xshift": 6, "yanchor": "top"}
PARTS = (
    ("sampling_error", "sampling error", Identity("#56798A", "#CFD8DC", "dash")),
    ("noise_error", "noise", Identity("#CC79A7", "#E08FC0", "dot")),
    ("error", "both: the error", Identity("#7A5195", "#B39DDB", "solid", 3.5)),
)
MARKS = "your samples", "smallest error"
LOOKS = {
    "whole": WHOLE,
    "sum": identity("basic"),
    "pairs": identity("optimal"),
    "without_replacement": Identity("#D55E00", "#FF7F50", "dashdot", 2.5),
    "poisson": identity("pld"),
}


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
    loss = "share of the privacy loss that is left" if in_words else "ε′ / ε"
    across, up = axis("sampling rate q", (0.0, 1.0), False), axis(loss, (0.0, 1.03), False)
    names = [_middle(line, LOWEST + 0.13 * place, dark) for place, line in enumerate(lines)]
    figure = sampled(lines, across, up, names, dark, " of", showlegend=False, margin={"t": 12})
    return _of_one_run(figure).update_layout(height=HEIGHT)


def _middle(line: Line, share: float, dark: bool) -> dict[str, object]:
    """A name on the line, each further along: all lines end at the same point."""
    place = int(np.argmin(np.abs(line.y - share)))
    return {
        "text": line.name,
        "x": float(line.x[place]),
        "y": float(line.y[place]),
        "font": {"color": line.look.colour(dark), "size": USUAL},
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
    left, right = ("privacy loss on the sample", "privacy loss") if in_words else ("ε on the sample", "ε′")
    across = axis(left, (across[0] * 1.4, across[1] / 1.6), True)
    return _of_one_run(sampled(lines, across, axis(right, up, True), (), dark, " at"))


def _of_one_run(figure: Sheet) -> Sheet:
    return figure.update_xaxes(hoverformat=".6~g", linecolor=GREY)


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


@drawing
def sampled_error(frame: pandas.DataFrame, sizes: list[int], dark: bool = False) -> Sheet:
    """Draw the error of one mean against the sampling rate.

    Parameters
    ----------
    frame : pandas.DataFrame
        sample_size, rate, sampling_error, noise_error, error, of one kind of noise.
    sizes : list of int
        Sample sizes to be marked.
    """
    rates = frame.rate.to_numpy(dtype=float)
    lines = [Line(name, rates, frame[column].to_numpy(dtype=float), look) for column, name, look in PARTS]
    low, top = ends_of([line.y for line in lines], True)
    up = max(low, float(lines[2].y[lines[2].y > 0].min(initial=top)) / 20), top
    low, high = float(rates.min()), float(rates.max())
    across = axis("share of the records that is read", (low if low < high else high / 10, high), True)
    across, up = across | {"hoverformat": ".6~g"}, axis("standard error of one mean", up, True)
    figure = sampled(lines, across, up, (), dark, marks=MARKS)
    _marked(figure, frame, sizes)
    return figure


def _marked(figure: Sheet, frame: pandas.DataFrame, sizes: list[int]) -> None:
    """A ring at each chosen sample size and one, larger, where the error is smallest."""
    rows = frame[frame.sample_size.isin(sizes) & (frame.error > 0)]
    best = frame.loc[[frame.error.idxmin()]]
    for chosen, symbol, name in ((rows, "circle-open", MARKS[0]), (best, "star-open", MARKS[1])):
        mark = {"symbol": symbol, "size": 13, "color": GREY, "line": {"width": 2}}
        look = {"mode": "markers", "marker": mark, "hoverinfo": "skip", "cliponaxis": False}  # whole at the very edge
        figure.add_trace(scatter(x=chosen.rate, y=chosen.error, name=name, **look))


def described_error(frame: pandas.DataFrame) -> str:
    """Return the chart of errors in words, for those who hear it."""
    best, last = frame.loc[frame.error.idxmin()], frame.iloc[-1]
    return (
        "Standard error of one mean against the sampling rate, at the same total budget. It is smallest with "
        f"{shown_count(int(best.sample_size))} records read, {shown_up(best.error)}, and {shown_up(last.error)} with "
        "all records."
    )


@drawing
def sampled_rounds(frame: pandas.DataFrame, budget: float, in_words: bool = False, dark: bool = False) -> Sheet:
    """Draw the total ε against the number of runs, one line per way of accounting.

    Parameters
    ----------
    frame : pandas.DataFrame
        way, label, count, epsilon; inf where there is no guarantee.
    budget : float
        Drawn as a thin line.
    """
    lines = []
    for way in frame.way.drop_duplicates().tolist():
        rows = frame[frame.way == way]
        counts, totals = rows["count"].to_numpy(dtype=float), rows.epsilon.to_numpy(dtype=float)
        lines.append(Line(rows.label.iloc[0], counts, totals, LOOKS[way], shape=bounding(counts)))
    up = ends_of([line.y for line in lines], True)
    counts = frame["count"]
    loss = "total privacy loss" if in_words else "total ε"
    across = axis("runs k", (float(counts.min()), float(counts.max())), True) | {"hoverformat": ",d"}
    shapes, texts = budget_line(budget, up, True, f"budget {shown_budget(budget)}")
    return sampled(lines, across, axis(loss, up, True), texts, dark, shapes=shapes)


def described_rounds(frame: pandas.DataFrame) -> str:
    """Return the chart of many runs in words, for those who hear it."""
    last = frame[frame["count"] == frame["count"].max()]
    ends = "; ".join(f"{row.label}: {shown_up(row.epsilon)}" for row in last.itertuples())
    return f"Total epsilon against the number of runs. After {shown_count(int(frame['count'].max()))} runs: {ends}."
