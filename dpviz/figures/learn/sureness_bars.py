"""Of 100 results, how many leave an attacker so sure who was undecided before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out
from dpviz.figures.base.sheet import Sheet, bar, drawing
from dpviz.figures.learn.attack_views import WORLDS

if TYPE_CHECKING:
    import pandas

HEIGHT = 380


@drawing
def sureness_bars(shares: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw one bar per class of sureness.

    Parameters
    ----------
    shares : pandas.DataFrame
        Columns low and high, how sure, in [0, 1]; and share of all results, in [0, 1]. The first class is misled.
    """
    names = _names(shares)
    counts = [100 * share for share in shares.share]
    figure = Sheet(
        bar(
            x=names,
            y=counts,
            text=[_shown(count) for count in counts],
            textposition="outside",
            cliponaxis=False,
            marker={"color": [GREY if each.low == each.high else WORLDS[each.low >= 0.5][dark]
                              for each in shares.itertuples()]},
            hovertemplate="about %{text} of 100 results leave them %{x}<extra></extra>",
        )
    )
    laid_out(figure, HEIGHT)
    figure.update_xaxes(title="how sure of the truth", showgrid=False)
    figure.update_yaxes(title="results of 100", rangemode="tozero", range=[0, 1.12 * max(*counts, 1)], tickformat="~r")
    return figure


def _names(shares: pandas.DataFrame) -> list[str]:
    first, *others = shares.itertuples()
    return [f"misled,<br>below {100 * first.high:.0f} %"] + [
        "undecided,<br>50 %" if each.low == each.high else f"{100 * each.low:.0f} to<br>{100 * each.high:.0f} %"
        for each in others
    ]


def _shown(count: float) -> str:
    return f"{count:.0f}" if count >= 9.5 else f"{count:.1f}" if count >= 0.1 else "0" if count == 0 else "under 0.1"


def described(shares: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    names = [name.replace("<br>", " ") for name in _names(shares)]
    parts = [f"{name}: {_shown(100 * share)}" for name, share in zip(names, shares.share, strict=True)]
    return f"Of 100 results, how many leave somebody who was undecided so sure: {'; '.join(parts)}."
