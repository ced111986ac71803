"""Twin icon arrays: of so many results, how many look to the attacker as if one unit were in the data."""

from __future__ import annotations

from dpviz.figures.base.identity import laid_out, plain
from dpviz.figures.base.scale import LARGE
from dpviz.figures.base.sheet import Sheet, drawing, heatmap
from dpviz.figures.learn.attack_views import WORLDS

HEIGHT = 278
GRIDS = {100: (10, 10), 1_000: (25, 40), 10_000: (100, 100)}


@drawing
def icon_arrays(
    without: int, within: int, denominator: int, titles: tuple[str, str], dark: bool = False
) -> Sheet:
    """Draw two grids of equal size, filled from the same corner in the same order.

    Parameters
    ----------
    without, within : int
        Results taken as a sign, in the world without and with the unit; in [0, denominator].
    denominator : int
        100, 1000 or 10000 squares in each grid.
    titles : tuple of str
        Above each grid; text of visitors allowed.
    """
    rows, columns = GRIDS[denominator]
    figure = Sheet()
    for number, taken in enumerate((without, within)):
        axis = "" if number == 0 else "2"
        cells = [[int(row * columns + column < taken) for column in range(columns)] for row in range(rows)]
        figure.add_trace(
            heatmap(
                z=cells, xaxis=f"x{axis}", yaxis=f"y{axis}", zmin=0, zmax=1, showscale=False,
                xgap=_gap(denominator), ygap=_gap(denominator), hoverinfo="skip", name=plain(titles[number]),
                colorscale=[[0, WORLDS[0][dark]], [1, WORLDS[1][dark]]],
            )
        )  # fmt: skip
    laid_out(figure, HEIGHT)
    hidden = {"visible": False, "showgrid": False, "fixedrange": True}
    figure.update_layout(
        xaxis={"domain": [0, 0.47], **hidden},
        xaxis2={"domain": [0.53, 1], "anchor": "y2", **hidden},
        yaxis={"autorange": "reversed", **hidden},
        yaxis2={"autorange": "reversed", "anchor": "x2", **hidden},
        margin={"l": 4, "r": 4, "t": 62, "b": 4},
    )
    for number, (taken, place) in enumerate(((without, 0.235), (within, 0.765))):
        figure.add_annotation(
            text=f"{plain(titles[number])}<br><b>{taken:,} of {denominator:,}</b>", xref="paper", x=place,
            xanchor="center", yref="paper", y=1.0, yanchor="bottom", showarrow=False, font={"size": LARGE},
        )  # fmt: skip
    return figure


def _gap(denominator: int) -> float:
    return 3 if denominator == 100 else 1 if denominator == 1_000 else 0
