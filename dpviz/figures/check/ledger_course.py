"""What a budget was charged over time: spent as the ground, reserved above it, the plan's forecast beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, identity, laid_out
from dpviz.figures.base.legends import ROWS, rows_of
from dpviz.figures.base.scale import SMALL
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_budget, shown_up

if TYPE_CHECKING:
    import pandas

HEIGHT = 380
SPENT, CHARGED, PLANNED, LIFETIME = "spent", "spent and reserved", "planned", "since the beginning"
MOST_ENDS = 24  # of periods, with a line each: more are a hatching
FAR = 3  # times the budget: what lies beyond is told in words


@dataclass(frozen=True)
class LedgerCourse:
    """What the chart is about.

    Parameters
    ----------
    course : pandas.DataFrame
        As `dpviz.store.course` returns it.
    budget : float
        ε.
    planned : pandas.DataFrame, optional
        As `dpviz.planning.schedule.forecast` returns it, of a version in force whose releases have dates.
    ends : tuple of str
        ISO 8601, of periods that have begun, in order: the last one may lie ahead.
    renewed : bool
        Whether the amount is given anew by each period, so that what all of them cost is another line.
    """

    course: pandas.DataFrame
    budget: float
    planned: pandas.DataFrame | None = None
    ends: tuple[str, ...] = ()
    renewed: bool = False


@drawing
def ledger_course(about: LedgerCourse, dark: bool = False) -> Sheet:
    """Draw what was spent and reserved by each moment, the forecast, the budget and the ends of periods."""
    traces = _traces(about, dark)
    figure = laid_out(Sheet(traces), HEIGHT)
    top = rows_of([str(each["name"]) for each in traces])
    first, last = _span(about)
    high = 1.16 * max([about.budget, *(_near(about, each) for each in _values(about))])
    figure.update_layout(
        margin={"t": top + 12},
        hovermode="x unified",
        showlegend=True,
        legend=ROWS,
        xaxis={"range": [first, last], "type": "date", "hoverformat": "%-d %B %Y, %H:%M"},
        yaxis={"range": [0, high], "tickformat": "~g", "title": {"text": "ε, at most"}},
    )
    figure.add_hline(y=about.budget, line={"color": GREY, "width": 1.5})
    name = {"x": 0, "xref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    figure.add_annotation(y=about.budget, text=f"budget: ε = {shown_budget(about.budget)}", **name)
    for end in about.ends[-MOST_ENDS:]:
        figure.add_vline(x=end, line={"color": GREY, "width": 1, "dash": "dot"})
    if about.ends:
        place = {"x": about.ends[-1], "xanchor": "right", "xshift": -4, "y": 1, "yref": "paper"}
        look = {"yanchor": "top", "showarrow": False, "font": {"size": SMALL}}
        figure.add_annotation(text="end of the period", **place, **look)
    return figure


def _traces(about: LedgerCourse, dark: bool) -> list[Trace]:
    rows, own, plan = about.course, identity("optimal"), identity("advanced_tight")
    at = [_text(each) for each in rows["at"]]
    found = [
        _steps(at, rows.charged, CHARGED, {"color": own.colour(dark), "width": 2}, {}),
        _steps(at, rows.spent, SPENT, {"color": own.colour(dark), "width": 0}, {"fill": "tozeroy", "opacity": 0.6}),
    ]
    if about.planned is not None:
        days = [_text(each) for each in about.planned["date"]]
        end, most = _text(about.planned["until"].iloc[-1]), about.planned.epsilon.iloc[-1]
        look = {"color": plan.colour(dark), "width": 2, "dash": "6px,4px"}
        found.append(_steps([*days, max(end, _span(about)[1])], [*about.planned.epsilon, most], PLANNED, look, {}))
    if about.renewed:
        look = {"color": GREY, "width": 1.5, "dash": "2px,3px"}
        found.append(_steps(at, rows.lifetime_epsilon, LIFETIME, look, {}))
    return found


def _steps(x: list[str], values: object, name: str, look: dict[str, object], options: dict[str, object]) -> Trace:
    drawn = [float(each) if math.isfinite(each) else None for each in values]
    told = [shown_up(float(each), 6) for each in values]
    hover = f"{name}: ε ≤ <b>%{{customdata}}</b><extra></extra>"
    line = look | {"shape": "hv"}
    return scatter(x=x, y=drawn, customdata=told, mode="lines", name=name, line=line, hovertemplate=hover, **options)


def _values(about: LedgerCourse) -> list[float]:
    columns = [about.course.charged, about.course.spent]
    columns += [about.planned.epsilon] if about.planned is not None else []
    columns += [about.course.lifetime_epsilon] if about.renewed else []
    return [float(each) for column in columns for each in column]


def _near(about: LedgerCourse, value: float) -> float:
    return value if value <= FAR * about.budget else 0.0


def _span(about: LedgerCourse) -> tuple[str, str]:
    """From the first moment to the last of all that is drawn; some minutes at least, so that steps are seen."""
    import pandas as pd

    moments = [about.course["at"].iloc[0], about.course["at"].iloc[-1], *map(pd.Timestamp, about.ends)]
    if about.planned is not None:
        moments += [about.planned["date"].iloc[0], about.planned["until"].iloc[-1]]
    first, last = min(moments), max(moments)
    last = max(last, first + pd.Timedelta(minutes=5))
    return _text(first), _text(last + (last - first) / 50)


def _text(moment: object) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def described(about: LedgerCourse) -> str:
    """Return the chart in words, for those who hear it."""
    last, first = about.course.iloc[-1], about.course.iloc[0]
    said = (
        f"Step chart from {first['at']:%-d %B %Y} to {last['at']:%-d %B %Y}: epsilon spent rises to at most "
        f"{shown_up(last.spent)}, with what is reserved to {shown_up(last.charged)}, of a budget of "
        f"{shown_budget(about.budget)}."
    )
    if about.planned is not None:
        said += f" The plan's forecast ends at {shown_up(float(about.planned.epsilon.iloc[-1]))}."
    if about.renewed:
        said += f" All periods together cost at most {shown_up(last.lifetime_epsilon)}."
    return said
