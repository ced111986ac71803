"""From prior to posterior: how sure an attacker can become, and how sure a pair (ε, δ) alone would let them become."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out
from dpviz.figures.base.sheet import Sheet, drawing, scatter

if TYPE_CHECKING:
    import pandas

HEIGHT = 314
TICKS = (0.001, 0.01, 0.1, 0.5, 1.0)


@drawing
def posterior_slopes(
    posteriors: pandas.DataFrame, own: bool = True, dark: bool = False, paired: bool = True
) -> Sheet:
    """Draw one slope per prior, from before the releases to the most that they can tell.

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
    figure = Sheet()
    look = identity("pld")
    colour = look.colour(dark)
    lines = [("pair_posterior" if own else "posterior", "(ε, δ) alone", {"color": GREY, "dash": "dot", "width": 2})]
    if own:
        lines = lines if paired else []
        lines.append(("posterior", "these releases", {"color": colour, "dash": "solid", "width": 3}))
    for column, name, line in lines:
        for place, row in enumerate(posteriors.itertuples()):
            after = getattr(row, column)
            figure.add_trace(
                scatter(
                    x=["before", "after, at most"], y=[row.prior, after], mode="lines+markers", name=name,
                    line=line, marker={"size": 7}, legendgroup=name, showlegend=place == 0,
                    hovertemplate=f"{row.prior:.4g} before, at most {after:.4g} after<extra>{name}</extra>",
                )
            )  # fmt: skip
    laid_out(figure, HEIGHT)
    low = min(posteriors.prior[posteriors.prior > 0].min(), TICKS[0]) if (posteriors.prior > 0).any() else TICKS[0]
    figure.update_yaxes(
        title="how sure (log)", type="log", tickvals=list(TICKS), ticktext=["0.1 %", "1 %", "10 %", "50 %", "100 %"]
    )
    figure.update_yaxes(range=[math.log10(low) - 0.15, 0.08])
    figure.update_xaxes(range=[-0.15, 1.15])
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    figure.update_layout(showlegend=paired, legend=legend)
    return figure


def described(posteriors: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    parts = [f"{100 * row.prior:.4g} percent to at most {100 * row.posterior:.4g}" for row in posteriors.itertuples()]
    chance = 100 * posteriors.probability.iloc[0]
    return f"How sure an attacker can become, but for {chance:.4g} percent of results: from {', '.join(parts)} percent."
