"""How often an attacker guesses right, at most, as the same is released again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.curves import curves, line
from dpviz.figures.base.identity import GREY, identity
from dpviz.figures.base.sheet import Sheet, bounding, drawing
from dpviz.rounding import shown_count, shown_up

if TYPE_CHECKING:
    import pandas


@drawing
def guesses_curve(guesses: pandas.DataFrame, dark: bool = False) -> Sheet:
    """Draw right guesses of 100 against the number of repetitions, above what a coin gets.

    Parameters
    ----------
    guesses : pandas.DataFrame
        Columns count, ascending, and right: of 100 guesses, at most, in [50, 100].
    """
    own = identity("pld")
    told = zip(map(shown_count, guesses["count"]), map(shown_up, guesses.right), strict=True)
    hover = "after %{customdata[0]} times:<br>right in at most %{customdata[1]} of 100"
    drawn = line(
        guesses["count"], guesses.right, None, own, dark, hover, line={"shape": bounding(guesses["count"])},
        mode="lines+markers", marker={"size": 7}, customdata=list(told),
    )  # fmt: skip
    across = {"title": "times that it is made", "tickformat": ",~r", "rangemode": "tozero"}
    up = {"title": "right guesses of 100, at most", "range": [45, 105], "tickvals": [50, 60, 70, 80, 90, 100]}
    figure = curves([drawn], across, up, 380)
    figure.add_hline(y=50, line={"color": GREY, "width": 1.2, "dash": "dash"})
    for y, text, place in ((50, "a coin", "top"), (100, "always right", "bottom")):
        figure.add_annotation(
            text=text, x=1, xref="paper", xanchor="right", y=y, yanchor=place, showarrow=False, font={"color": GREY}
        )
    figure.add_hline(y=100, line={"color": GREY, "width": 0.8})
    return figure


def described(guesses: pandas.DataFrame) -> str:
    """Return the chart in words, for those who hear it."""
    first, last = guesses.iloc[0], guesses.iloc[-1]
    return (
        f"Right guesses of 100, at most, rising from {shown_up(first.right)} after {shown_count(int(first['count']))} "
        f"to {shown_up(last.right)} after {shown_count(int(last['count']))} repetitions; a coin gets 50."
    )
