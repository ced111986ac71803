"""How often an audit shows that a claim is too small, by the number of runs or canaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpviz.figures.base.curves import ABOVE, axis, chosen, curves, line
from dpviz.figures.base.identity import GREY, identity
from dpviz.figures.base.sheet import Sheet, drawing
from dpviz.rounding import shown_count, shown_down

if TYPE_CHECKING:
    import pandas

COUNTED = {"many_runs": "runs with the unit, and as many without", "one_run": "canaries of one run"}


@drawing
def audit_power(
    power: pandas.DataFrame, wanted: float = 0.9, needed: int | None = None, design: str = "many_runs",
    dark: bool = False,
) -> Sheet:  # fmt: skip
    """Draw the power against the number, with the power that is wanted and the first number that has it.

    Parameters
    ----------
    power : pandas.DataFrame
        Columns number, ascending, and power, in [0, 1].
    wanted : float
        In (0, 1).
    needed : int, optional
        The number that is marked; None for none.
    design : str
        A key of ``COUNTED``: what is counted.
    dark : bool
    """
    own = identity("pld")
    told = zip(map(shown_count, power["number"]), map(_of_100, power.power), strict=True)
    hover = "%{customdata[0]}:<br>shown in %{customdata[1]} of 100 audits"
    lines = [
        line(
            power["number"], 100 * power.power, "the claim is shown to be too small", own, dark, hover,
            mode="lines+markers", marker={"size": 6}, customdata=list(told),
        )
    ]  # fmt: skip
    if needed is not None:
        at = 100 * float(power.power[power["number"] == needed].iloc[0])
        name = f"{shown_count(needed)} are enough"
        lines.append(chosen([needed], [at], name, own.colour(dark), hover, hoverinfo="skip"))
    ends = (float(power["number"].iloc[0]), float(power["number"].iloc[-1]))
    across = axis(COUNTED[design], ends, len(power) > 1)
    up = {"title": "of 100 audits show it", "range": [-3, 105], "tickvals": [0, 20, 40, 60, 80, 100]}
    figure = curves(lines, across, up, 380, legend=ABOVE)
    figure.add_hline(y=100 * wanted, line={"color": GREY, "width": 1.2, "dash": "dash"})
    figure.add_annotation(
        text=f"wanted: {shown_down(100 * wanted, 4)}", x=0, xref="paper", xanchor="left", y=100 * wanted,
        yanchor="bottom", showarrow=False, font={"color": GREY},
    )  # fmt: skip
    return figure


def _of_100(power: float) -> str:
    """A probability as so many of 100, rounded down to a tenth."""
    return f"{int(1000 * power) / 10:g}"


def described(
    power: pandas.DataFrame, wanted: float = 0.9, needed: int | None = None, design: str = "many_runs"
) -> str:
    """Return the chart in words, for those who hear it."""
    first, last = power.iloc[0], power.iloc[-1]
    enough = f"from {shown_count(needed)} on" if needed is not None else "for none of these numbers"
    return (
        f"How many of 100 audits show that the claim is too small, by the number of {COUNTED[design]}: "
        f"{_of_100(first.power)} with {shown_count(int(first['number']))}, "
        f"{_of_100(last.power)} with {shown_count(int(last['number']))}; "
        f"at least {shown_down(100 * wanted, 4)} {enough}."
    )
