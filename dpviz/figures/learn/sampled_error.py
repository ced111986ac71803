"""How far off a mean over a sample is, at the same total budget: sampling error, noise, and both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, Identity, laid_out
from dpviz.figures.base.sampled_lines import HEIGHT, MARGIN, Line, axis, end_names, ends_of
from dpviz.figures.base.sheet import Sheet, drawing, scatter
from dpviz.rounding import shown_count, shown_up

if TYPE_CHECKING:
    import pandas

PARTS = (
    ("sampling_error", "sampling error", Identity("#56798A", "#CFD8DC", "dash")),
    ("noise_error", "noise", Identity("#CC79A7", "#E08FC0", "dot")),
    ("error", "both: the error", Identity("#7A5195", "#B39DDB", "solid", 3.5)),
)


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
    figure = Sheet([line.trace(dark) for line in lines])
    laid_out(figure, HEIGHT)
    low, high = float(rates.min()), float(rates.max())
    across = axis("share of the records that is read", (low if low < high else high / 10, high), True)
    figure.update_layout(
        margin=MARGIN,
        hovermode="x unified",
        xaxis=across | {"hoverformat": ".6~g"},
        yaxis=axis("standard error of one mean", up, True),
        annotations=end_names(lines, up, True, dark),
    )
    _marked(figure, frame, sizes)
    return figure


def _marked(figure: Sheet, frame: pandas.DataFrame, sizes: list[int]) -> None:
    """A ring at each chosen sample size and one, larger, where the error is smallest."""
    rows = frame[frame.sample_size.isin(sizes) & (frame.error > 0)]
    best = frame.loc[[frame.error.idxmin()]]
    for chosen, symbol, name in ((rows, "circle-open", "your samples"), (best, "star-open", "smallest error")):
        mark = {"symbol": symbol, "size": 13, "color": GREY, "line": {"width": 2}}
        figure.add_trace(
            scatter(x=chosen.rate, y=chosen.error, mode="markers", name=name, hoverinfo="skip", marker=mark)
        )


def described(frame: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    best, last = frame.loc[frame.error.idxmin()], frame.iloc[-1]
    return (
        "Standard error of one mean against the sampling rate, at the same total budget. It is smallest with "
        f"{shown_count(int(best.sample_size))} records read, {shown_up(best.error)}, and {shown_up(last.error)} with "
        "all records."
    )
