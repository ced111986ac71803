"""What the sum of all clients' noisy answers promises, against the number of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out
from dpviz.figures.base.log_ticks import log_axis
from dpviz.figures.base.noise_lines import EXACT, LEGEND, PRINTED, RULE, line, target_line
from dpviz.figures.base.sheet import Sheet, Trace, bounding, drawing, scatter
from dpviz.rounding import shown_count, shown_near, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 370


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
    figure = Sheet(
        [
            line(curve.clients, curve.note_scale, "the note's σ²√n, exact", PRINTED, dark, "clients", line=steps),
            line(curve.clients, curve.rule, "rule ε/√honest", RULE, dark, "clients"),
            line(curve.clients, curve.epsilon, "exact", EXACT, dark, "clients", line=steps),
        ]
    )
    if clients is not None:
        figure.add_trace(_chosen(curve[curve.clients == clients], clients, dark))
    target_line(figure, target)
    laid_out(figure, HEIGHT)
    figure.update_xaxes(title="clients (log)", tickformat="~s")
    figure.update_xaxes(**log_axis(curve.clients))
    if curve.epsilon.max() > 0:
        drawn = [*curve.epsilon, *curve.rule, *curve.note_scale, *([target] if target else [])]
        figure.update_yaxes(title="ε of an honest client (log)", tickformat="~r", **log_axis(drawn, 1.3))
    else:  # a logarithmic axis has no place for 0
        figure.update_yaxes(title="ε of an honest client", type="linear", rangemode="tozero", tickvals=[0])
    figure.update_layout(showlegend=True, legend=LEGEND, margin={"t": 60})
    return figure


def _chosen(here: pandas.DataFrame, clients: int, dark: bool) -> Trace:
    return scatter(
        x=here.clients,
        y=here.epsilon,
        name=f"{shown_count(clients)} clients",
        mode="markers",
        marker={"size": 12, "color": EXACT.colour(dark), "line": {"color": GREY, "width": 2}},
        hovertemplate="%{x} clients<br>exact ε = %{y:.4g}<extra></extra>",
    )


def described(curve: pandas.DataFrame, clients: int, target: float | None) -> str:
    """Return the chart in words, for those who hear it."""
    here, last = curve[curve.clients == clients].iloc[0], curve.iloc[-1]
    line_text = "" if target is None else f" A line marks the target {shown_near(target)}."
    return (
        f"Epsilon of an honest client against the number of clients. With {shown_count(clients)} clients, of which "
        f"{shown_count(int(here.honest))} add secret noise, it is {shown_up(here.epsilon)}; the rule says "
        f"{here.rule:.4g}, and the note's scale would give {shown_up(here.note_scale)}. It falls to "
        f"{shown_up(last.epsilon)} with {shown_count(int(last.clients))} clients.{line_text}"
    )
