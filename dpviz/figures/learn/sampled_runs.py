"""How many runs fit into a budget against the ε of each, with and without a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import axis
from dpviz.figures.base.identity import GREY, identity
from dpviz.figures.base.sampled_lines import WHOLE, Line, ends_of, sample_identity, sampled
from dpviz.figures.base.scale import USUAL
from dpviz.figures.base.sheet import Sheet, drawing
from dpviz.rounding import shown_count, shown_up

if TYPE_CHECKING:
    import pandas

NOISE_ITSELF = "noise itself, no sample"


@drawing
def sampled_runs(
    frame: pandas.DataFrame, native: pandas.DataFrame, log: bool, in_words: bool = False, dark: bool = False
) -> Sheet:
    """Draw the number of runs against the ε of each on the records that it reads.

    Parameters
    ----------
    frame : pandas.DataFrame
        size (records read), population, base_epsilon, runs; the first size is all records.
    native : pandas.DataFrame
        base_epsilon, runs without sampling, by accounting the noise itself; one row or more, or none.
    log : bool
        Whether both axes are logarithmic.
    """
    lines = _lines(frame, native)
    across = ends_of([line.x for line in lines], True)
    across = (across[0] / 1.2, across[1] / 1.5) if log else (0.0, across[1] / 1.55)
    up = ends_of([line.y for line in lines], log)
    loss = "privacy loss of one run on what it reads" if in_words else "ε of one run on what it reads"
    names = _counts(lines, log)
    across = axis(loss, across, log) | {"hoverformat": ".6~g"}
    return sampled(lines, across, axis("runs that fit", up, log), names, dark, " runs:")


def _lines(frame: pandas.DataFrame, native: pandas.DataFrame) -> list[Line]:
    sizes = frame["size"].drop_duplicates().tolist()
    lines = []
    for place, size in enumerate(sizes):
        rows = frame[frame["size"] == size]
        name = f"{shown_count(int(size))} of {shown_count(int(rows.population.iloc[0]))}" if place else "no sampling"
        look = sample_identity(place - 1) if place else WHOLE
        lines.append(_line(name, rows, look, "lines+markers" if len(rows) < 30 else "lines"))
    if len(native):
        lines.append(_line(NOISE_ITSELF, native, identity("pld"), "lines" if len(native) > 1 else "markers"))
    return lines


def _line(name: str, rows: pandas.DataFrame, look: object, mode: str) -> Line:
    runs = rows.runs.to_numpy(dtype=float)  # fewer fit between two ε than at the smaller one: those of the next
    return Line(name, rows.base_epsilon.to_numpy(dtype=float), np.where(runs > 0, runs, np.nan), look, mode, "vh")


def _counts(lines: list[Line], log: bool) -> list[dict[str, object]]:
    """The count at the first ε above the first point of each line, from which it falls, where they do not crowd."""
    taken: list[float] = []
    texts = []
    top = max((float(line.y[0]) for line in lines if np.isfinite(line.y[0])), default=1.0)
    for line in lines:
        value, x = float(line.y[0]), float(line.x[0])
        height = np.log10(value) if log else value / top
        single = len(line.x) == 1
        if not np.isfinite(value) or (not single and any(abs(height - each) < 0.05 for each in taken)):
            continue
        taken.append(float(height))
        place = {"x": np.log10(x) if log else x, "y": np.log10(value) if log else value}
        look = {"text": f"<b>{shown_count(int(value))}</b>", "font": {"color": GREY, "size": USUAL}}
        texts.append(_flag(value) | place if single else look | place | _BESIDE)
    return texts


_BESIDE = {"showarrow": False, "xanchor": "left", "xshift": 4, "yanchor": "bottom"}


def _flag(value: float) -> dict[str, object]:
    """The name of a single point, off the lines, with a pole that leads to it."""
    arrow = {"showarrow": True, "arrowhead": 0, "arrowwidth": 0.8, "arrowcolor": GREY, "ax": 130, "ay": -40}
    return {"text": f"<b>{shown_count(int(value))}</b> {NOISE_ITSELF}", "font": {"color": GREY, "size": USUAL}} | arrow


def described(frame: pandas.DataFrame, native: pandas.DataFrame, budget: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    budget : str
        What runs fit into.
    """
    first = frame.drop_duplicates("size")
    parts = [
        f"{'without sampling' if not place else f'reading {shown_count(int(row.size_))} records'} "
        f"{shown_count(int(row.runs))}"
        for place, row in enumerate(first.rename(columns={"size": "size_"}).itertuples())
    ]
    noise = f"; accounting the noise itself, without sampling, {shown_count(int(native.runs.iloc[0]))}"
    low, high = frame.base_epsilon.min(), frame.base_epsilon.max()
    return (
        f"Line chart of the number of runs that fit into {budget}, against epsilon of one run from {shown_up(low)} to "
        f"{shown_up(high)}. At {shown_up(low)}: {', '.join(parts)}{noise if len(native) else ''}."
    )
