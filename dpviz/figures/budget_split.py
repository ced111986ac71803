"""A budget before and after it is divided anew: what each release spends, and how far its numbers stray."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpviz.figures.identity import GREY, laid_out, plain
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 12  # further ones stand in the table
ROW_HEIGHT = 43
NAME_LENGTH = 64
AFTER = ("#0072B2", "#4DA3E0")  # light and dark ground
PANELS = (("spend", "", (0.0, 0.47)), ("width", "2", (0.53, 1.0)))
STATES = ("before", "after")


def budget_split(frame: pandas.DataFrame, names: tuple[str, str], width_title: str, dark: bool = False) -> go.Figure:
    """Draw two panels of bars, one row per release: spend on the left, error on the right.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per release, in the order to be drawn: release, note ("" or what is special), spend_before,
        spend_after, width_before, width_after (None where there is none).
    names : tuple of str
        Of the two states.
    width_title : str
        Of the right panel.
    dark : bool
        Whether the ground is dark.
    """
    shown = frame.head(MOST_ROWS).reset_index(drop=True)
    figure = go.Figure()
    for number, state in enumerate(STATES):
        if not any(_is_known(value) for panel, *_ in PANELS for value in shown[f"{panel}_{state}"]):
            continue  # nothing changes: there is only one state to draw
        for panel, axis, _ in PANELS:
            figure.add_trace(_bars(shown, f"{panel}_{state}", axis, names[number], number, dark))
    laid_out(figure, ROW_HEIGHT * max(len(shown), 3) + 96)
    figure.update_layout(
        barmode="overlay",
        margin={"t": 58, "b": 30},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "yref": "paper"},
    )
    notes = _axes(figure, shown, ("ε of each release alone", width_title))
    for place, row in shown.iterrows():
        notes.append(_name(row, place))
        if row.width_before is None and row.width_after is None:
            notes.append(_no_noise(place))
    figure.update_layout(annotations=notes)  # at once: one by one, each is checked against all others
    return figure


def _bars(frame: pandas.DataFrame, column: str, axis: str, name: str, number: int, dark: bool) -> go.Bar:
    """The bars of one state in one panel: outlined before, filled after, so that they survive greyscale."""
    values = [_drawn(value) for value in frame[column]]
    sign = "±" if axis else "ε ≤ "
    texts = [f"{sign if axis else ''}{_text(value)}" if _is_known(value) else "" for value in frame[column]]
    exact = [f"{sign}{value!r}" if _is_known(value) else "none" for value in frame[column]]
    return go.Bar(
        x=values,
        y=[place + (0.02 if number == 0 else 0.25) for place in range(len(frame))],
        orientation="h",
        width=0.2,
        name=plain(name),
        legendgroup=name,
        showlegend=not axis,
        xaxis=f"x{axis}",
        text=texts,
        textposition="outside",
        textfont={"size": 11},
        constraintext="none",
        cliponaxis=False,
        customdata=[[plain(release), text] for release, text in zip(frame.release, exact, strict=True)],
        marker={
            "color": "rgba(128,128,128,0.12)" if number == 0 else AFTER[dark],
            "line": {"color": GREY if number == 0 else AFTER[dark], "width": 1},
        },
        hovertemplate="<b>%{customdata[0]}</b><br>" + plain(name) + ": %{customdata[1]}<extra></extra>",
    )


def _is_known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _drawn(value: float | None) -> float:
    return value if _is_known(value) and math.isfinite(value) else 0.0


def _text(value: float) -> str:
    return shown_up(value, 3) if math.isfinite(value) else "∞: no theorem applies"


def _axes(figure: go.Figure, frame: pandas.DataFrame, titles: tuple[str, str]) -> list[dict[str, object]]:
    """Lay out both panels; return their titles as annotations."""
    notes = []
    for (panel, axis, domain), title in zip(PANELS, titles, strict=True):
        largest = max((_drawn(value) for state in STATES for value in frame[f"{panel}_{state}"]), default=0.0)
        end = largest if largest > 0 else 1.0
        options = {"domain": domain, "range": [0, end * 1.32], "tickformat": "~r", "nticks": 5, "fixedrange": True}
        figure.update_layout({f"xaxis{axis}": options | {"anchor": "y"}})
        place = {"x": domain[0], "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"}
        style = {"yshift": 24, "xshift": -3, "showarrow": False, "font": {"size": 12}, "align": "left"}
        notes.append({"text": f"<b>{plain(title)}</b>", **place, **style})
    figure.update_yaxes(range=[max(len(frame), 1) - 0.55, -0.5], visible=False, fixedrange=True)
    grid = "rgba(128,128,128,0.22)"
    figure.update_xaxes(gridcolor=grid, zeroline=False, showline=False)
    return notes


def _name(row: pandas.Series, place: int) -> dict[str, object]:
    name = row.release if len(row.release) <= NAME_LENGTH else row.release[: NAME_LENGTH - 1] + "…"
    note = f" · <i>{plain(row.note)}</i>" if row.note else ""
    return {
        "text": plain(name) + note, "x": 0, "xref": "paper", "xanchor": "left", "xshift": -3, "y": place - 0.1,
        "yanchor": "bottom", "showarrow": False, "font": {"size": 12}, "align": "left",
    }  # fmt: skip


def _no_noise(place: int) -> dict[str, object]:
    return {
        "text": "no noise to measure", "x": PANELS[1][2][0], "xref": "paper", "xanchor": "left", "y": place + 0.13,
        "yanchor": "middle", "showarrow": False, "font": {"size": 11, "color": GREY},
    }  # fmt: skip


def described(frame: pandas.DataFrame, names: tuple[str, str], confidence: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    frame, names
        As for `budget_split`.
    confidence : str
        Such as "95 %".
    """
    rows = [
        f"{row.release}: epsilon {_heard(row.spend_before)}, then {_heard(row.spend_after)}; numbers within plus or "
        f"minus {_heard(row.width_before)}, then {_heard(row.width_after)}"
        for row in frame.head(MOST_ROWS).itertuples()
    ]
    rest = f" {len(frame) - MOST_ROWS} more releases stand in the table." if len(frame) > MOST_ROWS else ""
    return (
        f"Bars per release, {names[0]} and {names[1]}: the epsilon it costs alone, and the distance within which "
        f"{confidence} of its numbers lie. {'. '.join(rows)}.{rest}"
    )


def _heard(value: float | None) -> str:
    return shown_up(value, 3) if _is_known(value) else "none"
