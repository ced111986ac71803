"""From prior to posterior: how sure an attacker can become, and how sure a pair (ε, δ) alone would let them become."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out
from dpviz.figures.base.scale import USUAL
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_prior, shown_sureness

if TYPE_CHECKING:
    import pandas

HEIGHT = 314
TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
CERTAIN = 1 - 1e-6  # drawn where 100 % is told, with all that is more: odds have no end


@drawing
def posterior_slopes(
    posteriors: pandas.DataFrame, own: bool = True, dark: bool = False, paired: bool = True
) -> Sheet:
    """Draw one slope per prior, from before the releases to the most that they can tell, by its odds.

    Parameters
    ----------
    posteriors : pandas.DataFrame
        As `dpviz.adversary.risk.posterior_frame` returns it; of several probabilities the smallest is drawn.
    own : bool
        Whether the posteriors are those of the releases themselves; else only the pair's are drawn.
    paired : bool
        Whether the pair's stand beside them.
    """
    if "probability" in posteriors:  # what fails least often tells most: the others would stand below it
        posteriors = posteriors[posteriors.probability == posteriors.probability.min()]
    colour = identity("pld").colour(dark)
    lines = [("pair_posterior" if own else "posterior", "(ε, δ) alone", {"color": GREY, "dash": "dot", "width": 2})]
    if own:
        lines = lines if paired else []
        lines.append(("posterior", "these releases", {"color": colour, "dash": "solid", "width": 3}))
    rows = list(enumerate(posteriors.itertuples()))
    figure = Sheet([_slope(row, *line, place == 0) for line in lines for place, row in rows])
    laid_out(figure, HEIGHT)
    drawn = [_height(each) for column in ("prior", *(line[0] for line in lines)) for each in posteriors[column]]
    figure.update_yaxes(title="how sure", range=[min(drawn) - 0.3, max(*drawn, _height(0.9)) + 0.3])
    ticks = (*TICKS, 1.0)
    figure.update_yaxes(tickvals=[_height(each) for each in ticks], ticktext=[f"{100 * each:g} %" for each in ticks])
    figure.update_xaxes(range=[-0.15, 1.35])
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    told = [_told(getattr(row, lines[-1][0])) for _, row in rows]
    figure.update_layout(showlegend=paired, legend=legend, annotations=told)
    return figure


def _height(sure: float) -> float:
    """Where a probability is drawn: at the logarithm of its odds, so that both ends have room."""
    sure = min(max(sure, 1 - CERTAIN), CERTAIN)
    return math.log10(sure / (1 - sure))


def _slope(row: tuple, column: str, name: str, line: dict[str, object], first: bool) -> Trace:
    before, after = row.prior, getattr(row, column)
    return scatter(
        x=["before", "after, at most"], y=[_height(before), _height(after)], mode="lines+markers", name=name,
        line=line, marker={"size": 7}, legendgroup=name, showlegend=first,
        hovertemplate=f"{shown_prior(before)} before, at most {shown_sureness(after)} after<extra>{name}</extra>",
    )  # fmt: skip


def _told(sure: float) -> dict[str, object]:
    """The number at the end of a slope."""
    return {
        "text": shown_sureness(sure), "x": 1, "y": _height(sure), "xanchor": "left", "xshift": 8, "showarrow": False,
        "font": {"size": USUAL},
    }  # fmt: skip


def described(posteriors: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    parts = [f"{100 * row.prior:.4g} percent to at most {100 * row.posterior:.4g}" for row in posteriors.itertuples()]
    chance = 100 * posteriors.probability.iloc[0]
    return f"How sure an attacker can become, but for {chance:.4g} percent of results: from {', '.join(parts)} percent."
