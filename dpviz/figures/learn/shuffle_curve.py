"""What shuffled reports cost, against their number, with the region in which nothing is proved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, Identity, laid_out
from dpviz.figures.base.log_ticks import log_axis, log_ticks
from dpviz.figures.base.noise_lines import EXACT, LEGEND, SECOND, line
from dpviz.figures.base.sheet import Sheet, Trace, bounding, drawing, scatter
from dpviz.rounding import shown_count, shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 420
LOOKS = {  # colour says for whom it is proved, the dash that it is summed
    "shuffling": ("any local randomizer", EXACT),
    "shuffling_numerical": ("any local randomizer, numerical", Identity(EXACT.light, EXACT.dark, "dash", 3.0)),
    "shuffling_randomized_response": ("randomized response only", SECOND),
    "shuffling_randomized_response_numerical": (
        "randomized response only, numerical",
        Identity(SECOND.light, SECOND.dark, "dot", 2.5),
    ),
}
CLOSED_FORMS = ("shuffling", "shuffling_randomized_response")  # not proved everywhere
LOCAL = Identity("#1a1a1a", "#f2f2f2", "solid", 1.5)


@drawing
def shuffle_curve(curve: pandas.DataFrame, reports: int | None = None, dark: bool = False) -> Sheet:
    """Draw ε of shuffled reports under all bounds, logarithmically; grey where a closed form is not proved.

    Parameters
    ----------
    curve : pandas.DataFrame
        As `dpviz.amplification.shuffling.shuffle_curve` returns it.
    reports : int, optional
        The chosen number, which is marked.
    """
    local = float(curve.local_epsilon.iloc[0])
    ends = [int(curve.clients.min()), int(curve.clients.max())]
    figure = Sheet(line(ends, [local, local], "local ε₀, unshuffled", LOCAL, dark, "reports"))
    for key, (name, look) in LOOKS.items():
        rows = curve[curve.bound == key]
        proved = rows[rows.applies]
        steps = {"shape": bounding(proved.clients, rises=False)}
        figure.add_trace(line(proved.clients, proved.epsilon, name, look, dark, "reports", line=steps))
        if key in CLOSED_FORMS:
            _unproved(figure, key, proved, ends)
        figure.add_trace(_here(rows[rows.clients == reports], name, look.colour(dark)))
    laid_out(figure, HEIGHT)
    figure.update_xaxes(
        title="reports n (log)", type="log", range=[math.log10(end) for end in ends], tickformat="~s",
        tickvals=log_ticks(*ends),
    )  # fmt: skip
    if local > 0:
        drawn = [local, *curve.epsilon[curve.applies.astype(bool)]]
        figure.update_yaxes(title="ε of a client (log)", tickformat="~r", **log_axis(drawn, 1.3))
    else:  # all is 0, and any other label would be invented
        figure.update_yaxes(title="ε of a client", type="linear", range=[0, 1], tickvals=[0])
    figure.update_layout(showlegend=True, legend=LEGEND, margin={"t": 60})
    return figure


def _unproved(figure: Sheet, key: str, proved: pandas.DataFrame, ends: list[int]) -> None:
    """Shade the numbers of reports for which a closed form is not proved; darker where neither is."""
    first = int(proved.clients.min()) if len(proved) else ends[1]
    if first <= ends[0]:
        return
    band = {"x0": ends[0], "x1": first, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
    figure.add_shape(type="rect", **band, fillcolor=GREY, opacity=0.16, line={"width": 0})
    if key == "shuffling":
        figure.add_annotation(
            x=math.log10(first), y=0.02, yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
            text="closed form<br>not proved", align="right",
        )  # fmt: skip


def _here(rows: pandas.DataFrame, name: str, colour: str) -> Trace:
    return scatter(
        x=rows.clients,
        y=rows.epsilon,
        name=f"{name}, chosen n",
        mode="markers",
        showlegend=False,
        marker={"size": 12, "color": colour, "line": {"color": GREY, "width": 2}},
        hovertemplate=f"%{{x}} reports<br>{name}: ε = %{{y:.7g}}<extra></extra>",
    )


def described(curve: pandas.DataFrame, reports: int) -> str:
    """Return the chart in words, for those who hear it."""
    here = curve[curve.clients == reports]
    unproved = "no amplification claimed"
    values = [f"{row.label}: {shown_up(row.epsilon) if row.applies else unproved}" for row in here.itertuples()]
    return (
        "Epsilon of a client against the number of shuffled reports, each "
        f"{shown_near(curve.local_epsilon.iloc[0])} on its own. With {shown_count(reports)} reports: "
        f"{'; '.join(values)}. Where a closed form is not proved the chart is grey."
    )
