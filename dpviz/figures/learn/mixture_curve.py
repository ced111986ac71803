"""An answer that is aggregated only sometimes: every bound against p, and the false step behind the note's last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.identity import GREY, Identity, laid_out
from dpviz.figures.base.noise_lines import EXACT, LEGEND, PRINTED, RULE, SECOND, line
from dpviz.figures.base.sheet import Sheet, drawing, scatter
from dpviz.rounding import shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 400
LOOKS = {
    "known": ("label known", EXACT),
    "hidden": ("label hidden", SECOND),
    "larger": ("3.1: the larger ε", Identity("#1a1a1a", "#f2f2f2", "solid", 1.5)),
    "line": ("3.2 before its last step", RULE),
    "product": ("3.2 as printed", PRINTED),
}


@drawing
def mixture_curve(curve: pandas.DataFrame, bounds: pandas.DataFrame, p: float, dark: bool = False) -> Sheet:
    """Draw every bound against p; those of the note that are no guarantee are dashed or dotted.

    Parameters
    ----------
    curve : pandas.DataFrame
        As `dpviz.noise_sums.mixtures.mixture_curve` returns it.
    bounds : pandas.DataFrame
        The rows at the chosen p, which are marked.
    p : float
    """
    figure = Sheet()
    for key in reversed(LOOKS):
        name, look = LOOKS[key]
        rows = curve[(curve.bound == key) & np.isfinite(curve.epsilon)]
        figure.add_trace(line(rows.p, rows.epsilon, name, look, dark, "p ="))
    here = bounds[bounds.bound.isin(["known", "hidden"])]
    figure.add_trace(
        scatter(
            x=[p] * len(here),
            y=here.epsilon,
            name=f"p = {shown_near(p)}",
            mode="markers",
            marker={"size": 12, "color": [LOOKS[key][1].colour(dark) for key in here.bound],
                    "line": {"color": GREY, "width": 2}},
            hovertemplate="p = %{x}<br>ε = %{y:.7g}<extra></extra>",
        )
    )  # fmt: skip
    laid_out(figure, HEIGHT)
    top = float(curve.epsilon[curve.bound.isin(["known", "hidden", "larger"])].max())
    figure.update_xaxes(title="p: probability that the answer is sent alone", range=[-0.02, 1.02])
    figure.update_yaxes(title="ε of the mixture", range=[0, 1.1 * top], tickformat="~r", nticks=6)
    figure.update_layout(showlegend=True, legend={**LEGEND, "traceorder": "reversed"}, margin={"t": 64})
    return figure


def described(bounds: pandas.DataFrame, p: float) -> str:
    """Return the chart in words, for those who hear it."""
    values = [
        f"{row.label} {shown_up(row.epsilon) if row.epsilon >= 0 else 'below 0'}, "
        f"{'a guarantee' if row.proved else 'no guarantee to everyone'}"
        for row in bounds.itertuples()
    ]
    return f"Epsilon of the mixture against p from 0 to 1. At p = {shown_near(p)}: {'; '.join(values)}."
