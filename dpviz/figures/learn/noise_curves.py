"""What sums of noise, mixtures and shuffled reports promise: a curve for each bound, and the chosen point on it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpviz.figures.base.curves import ABOVE, chosen, curves, level, line
from dpviz.figures.base.identity import GREY, Identity, identity
from dpviz.figures.base.log_ticks import labelled, log_axis, log_ticks
from dpviz.figures.base.scale import INK
from dpviz.figures.base.sheet import Sheet, Trace, bounding, drawing
from dpviz.rounding import shown_count, shown_near, shown_up

if TYPE_CHECKING:
    import pandas

EXACT, SECOND = identity("pld"), identity("optimal")
RULE = Identity("#CC79A7", "#E08FC0", "dash")
PRINTED = Identity("#A05A2C", "#C9A27A", "dot")
PLAIN = Identity(*INK, "solid", 1.5)
MIXED = {
    "known": ("label known", EXACT),
    "hidden": ("label hidden", SECOND),
    "larger": ("3.1: the larger ε", PLAIN),
    "line": ("3.2 before its last step", RULE),
    "product": ("3.2 as printed", PRINTED),
}
SHUFFLED = {  # colour says for whom it is proved, the dash that it is summed
    "shuffling": ("any local randomizer", EXACT),
    "shuffling_numerical": ("any local randomizer, numerical", Identity(EXACT.light, EXACT.dark, "dash", 3.0)),
    "shuffling_randomized_response": ("randomized response only", SECOND),
    "shuffling_randomized_response_numerical": (
        "randomized response only, numerical",
        Identity(SECOND.light, SECOND.dark, "dot", 2.5),
    ),
}
CLOSED_FORMS = ("shuffling", "shuffling_randomized_response")  # not proved everywhere


def _line(x: object, y: object, name: str, look: Identity, dark: bool, across: str, **options: object) -> Trace:
    return line(x, y, name, look, dark, f"{across} %{{x:.4g}}<br>{name}: ε = %{{y:.4g}}", **options)


@drawing
def client_curve(
    curve: pandas.DataFrame, clients: int | None = None, target: float | None = None, dark: bool = False
) -> Sheet:
    """Draw the exact ε, the rule and what the note's scale would give, both axes logarithmic.

    Parameters
    ----------
    curve : pandas.DataFrame
        As `dpviz.noise_sums.sums.client_curve` returns it.
    clients : int, optional
        The chosen number, which is marked.
    target : float or None
    """
    steps = {"shape": bounding(curve.clients, rises=False)}
    lines = [
        _line(curve.clients, curve.note_scale, "the note's σ²√n, exact", PRINTED, dark, "clients", line=steps),
        _line(curve.clients, curve.rule, "rule ε/√honest", RULE, dark, "clients"),
        _line(curve.clients, curve.epsilon, "exact", EXACT, dark, "clients", line=steps),
    ]
    if clients is not None:
        here, name = curve[curve.clients == clients], f"{shown_count(clients)} clients"
        hover = "%{x} clients<br>exact ε = %{y:.4g}"
        lines.append(chosen(here.clients, here.epsilon, name, EXACT.colour(dark), hover))
    across = {"title": "clients (log)", **log_axis(curve.clients)}
    drawn = [*curve.epsilon, *curve.rule, *curve.note_scale, *([target] if target else [])]
    up = {"title": "ε of an honest client (log)", **log_axis(drawn, 1.3)}
    if curve.epsilon.max() <= 0:  # a logarithmic axis has no place for 0
        up = {"title": "ε of an honest client", "type": "linear", "rangemode": "tozero", "tickvals": [0]}
    figure = curves(lines, across, up, 370, legend=ABOVE)
    if target is not None:
        level(figure, target, f"target ε = {shown_near(target)}")
    return figure


def described_clients(curve: pandas.DataFrame, clients: int, target: float | None) -> str:
    """Return the chart of clients in words, for those who hear it."""
    here, last = curve[curve.clients == clients].iloc[0], curve.iloc[-1]
    line_text = "" if target is None else f" A line marks the target {shown_near(target)}."
    return (
        f"Epsilon of an honest client against the number of clients. With {shown_count(clients)} clients, of which "
        f"{shown_count(int(here.honest))} add secret noise, it is {shown_up(here.epsilon)}; the rule says "
        f"{here.rule:.4g}, and the note's scale would give {shown_up(here.note_scale)}. It falls to "
        f"{shown_up(last.epsilon)} with {shown_count(int(last.clients))} clients.{line_text}"
    )


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
    lines = []
    for key in reversed(MIXED):
        rows = curve[(curve.bound == key) & np.isfinite(curve.epsilon)]
        lines.append(_line(rows.p, rows.epsilon, *MIXED[key], dark, "p ="))
    here = bounds[bounds.bound.isin(["known", "hidden"])]
    colours = [MIXED[key][1].colour(dark) for key in here.bound]
    marks = chosen([p] * len(here), here.epsilon, f"p = {shown_near(p)}", colours, "p = %{x}<br>ε = %{y:.7g}")
    top = float(curve.epsilon[curve.bound.isin(["known", "hidden", "larger"])].max())
    across = {"title": "p: probability that the answer is sent alone", "range": [-0.02, 1.02]}
    up = {"title": "ε of the mixture", "range": [0, 1.1 * top], "tickformat": "~r", "nticks": 6}
    legend = {**ABOVE, "traceorder": "reversed"}
    return curves([*lines, marks], across, up, 400, legend=legend)


def described_mixture(bounds: pandas.DataFrame, p: float) -> str:
    """Return the chart of an answer that is aggregated only sometimes in words, for those who hear it."""
    values = [
        f"{row.label} {shown_up(row.epsilon) if row.epsilon >= 0 else 'below 0'}, "
        f"{'a guarantee' if row.proved else 'no guarantee to everyone'}"
        for row in bounds.itertuples()
    ]
    return f"Epsilon of the mixture against p from 0 to 1. At p = {shown_near(p)}: {'; '.join(values)}."


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
    lines = [_line(ends, [local, local], "local ε₀, unshuffled", PLAIN, dark, "reports")]
    for key, (name, look) in SHUFFLED.items():
        rows = curve[curve.bound == key]
        proved, here = rows[rows.applies], rows[rows.clients == reports]
        steps = {"shape": bounding(proved.clients, rises=False)}
        lines.append(_line(proved.clients, proved.epsilon, name, look, dark, "reports", line=steps))
        hover, marked = f"%{{x}} reports<br>{name}: ε = %{{y:.7g}}", f"{name}, chosen n"
        lines.append(chosen(here.clients, here.epsilon, marked, look.colour(dark), hover, showlegend=False))
    across = {"title": "reports n (log)", "type": "log", "range": [math.log10(end) for end in ends]}
    across |= labelled(log_ticks(*ends))
    drawn = [local, *curve.epsilon[curve.applies.astype(bool)]]
    up = {"title": "ε of a client (log)", **log_axis(drawn, 1.3)}
    if local <= 0:  # all is 0, and any other label would be invented
        up = {"title": "ε of a client", "type": "linear", "range": [0, 1], "tickvals": [0]}
    figure = curves(lines, across, up, 420, legend=ABOVE)
    for key in CLOSED_FORMS:
        _unproved(figure, key, curve[(curve.bound == key) & curve.applies], ends)
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


def described_shuffle(curve: pandas.DataFrame, reports: int) -> str:
    """Return the chart of shuffled reports in words, for those who hear it."""
    here = curve[curve.clients == reports]
    unproved = "no amplification claimed"
    values = [f"{row.label}: {shown_up(row.epsilon) if row.applies else unproved}" for row in here.itertuples()]
    return (
        "Epsilon of a client against the number of shuffled reports, each "
        f"{shown_near(curve.local_epsilon.iloc[0])} on its own. With {shown_count(reports)} reports: "
        f"{'; '.join(values)}. Where a closed form is not proved the chart is grey."
    )
