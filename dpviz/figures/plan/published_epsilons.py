"""The ε of published deployments on one logarithmic axis, one row per unit of privacy, and the plan among its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, apart, identity, laid_out, plain, shortened
from dpviz.figures.base.ink import ink
from dpviz.figures.base.log_ticks import labelled, log_ticks
from dpviz.figures.base.scale import SMALL, USUAL
from dpviz.figures.base.sheet import Sheet, Trace, drawing, scatter
from dpviz.rounding import shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

ROW_HEIGHT = 19
SYMBOLS = {"Pure DP": "circle", "Approximate DP": "square", "Zero-concentrated DP": "diamond"}
CONVERTED = "diamond-open"
PLAN, ALONE = "current plan", "this plan"
MOST_NAMES = 12  # in one unit; further deployments stand unnamed in the unit's first row
LONGEST_LABEL = 26
LONGEST_GROUP = 24
OTHERS = "<b>Other units</b>: other promises"


@dataclass(frozen=True, slots=True)
class Mark:
    """One total of the current plan.

    Parameters
    ----------
    label : str
        Such as "pure" or "at δ = 10⁻⁶".
    variant : str
        A key of ``SYMBOLS``.
    epsilon : float
        inf or 0 is said, not drawn: a logarithmic axis has no place for it.
    """

    label: str
    variant: str
    epsilon: float

    @property
    def drawn(self) -> bool:
        """Whether a logarithmic axis has a place for it."""
        return 0 < self.epsilon < math.inf


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where everything stands.

    Parameters
    ----------
    places : dict
        The row of each deployment, by its index in the frame.
    named : frozenset
        The indices of deployments that have a row, and so a name, of their own.
    labels : dict of int to str
        The labels of rows. The plan has row 0.
    parting : int or None
        The row of the words that part the plan's unit and its neighbours from the others.
    count : int
    """

    places: dict[object, int]
    named: frozenset[object]
    labels: dict[int, str]
    parting: int | None
    count: int


@drawing
def published_epsilons(
    frame: pandas.DataFrame,
    marks: Sequence[Mark] = (),
    group: str | None = None,
    dark: bool = False,
    near: Sequence[str] = (),
    kinds: bool = True,
) -> Sheet:
    """Draw every deployment in the row of its unit of privacy, and the plan in that of its own unit.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.planning.deployments.published` returns it.
    marks : sequence of Mark
        The totals of the current plan.
    group : str, optional
        None is the first of the frame. The plan's unit of privacy; its deployments get a row each, with their names.
    near : sequence of str
        Groups whose deployments have names as well, as `dpviz.planning.deployments.neighbouring` returns them.
    kinds : bool
        Whether marks tell kinds of promise, in a legend, and names those of the data; else who promises is named.
    """
    drawn = frame[frame.epsilon.notna() & (frame.epsilon != 0)]
    group = str(frame.group.iloc[0]) if group is None else group
    rows = _rows(drawn, group, near)
    low, high = _reach(drawn, marks)
    middle = math.sqrt(low * high)
    own = [index in rows.named for index in drawn.index]
    drawn = drawn.assign(place=[rows.places[index] for index in drawn.index], named=own, hover=_hovers(drawn))
    drawn = drawn.assign(short=apart(drawn.name.tolist(), LONGEST_LABEL) if kinds else drawn.curator.map(_publisher))
    points = [_points(drawn, symbol if kinds else _alike(symbol), name, middle, dark) for name, symbol in _kinds(drawn)]
    figure = Sheet([*points, _plan(marks, middle, dark)])
    laid_out(figure, ROW_HEIGHT * rows.count + 140)
    _label_rows(figure, rows, dark)
    ends = [math.log10(low), math.log10(high)]
    axis = {"type": "log", "range": ends, "showgrid": True, **labelled(log_ticks(low, high))}
    figure.update_xaxes(title="ε per unit of privacy (log)", **axis)
    if not len(drawn) and not any(mark.drawn for mark in marks):
        figure.update_xaxes(visible=False)  # nothing gives it a scale
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "font": {"size": SMALL}}
    figure.update_layout(showlegend=kinds, legend=legend)
    return figure


def _rows(drawn: pandas.DataFrame, group: str, near: Sequence[str]) -> _Rows:
    """The plan's unit, then its neighbours, a row for each deployment; then a row for each other unit."""
    places: dict[object, int] = {}
    named: list[object] = []
    labels = {0: f"<b>{_cut(group)}</b>"}
    count = 0
    own = [("", drawn[drawn.matches])]
    for name, members in own + [(name, drawn[~drawn.matches & (drawn.group == name)]) for name in near]:
        if name and members.empty:
            continue
        if name:
            labels[count] = _cut(name)
        for number, index in enumerate(members.index, start=1):
            places[index] = count + number if number <= MOST_NAMES else count
        named += members.index[:MOST_NAMES].tolist()
        count += 1 + min(len(members), MOST_NAMES)
    others = drawn[~drawn.index.isin(list(places))]
    names = {name: count + 1 + number for number, name in enumerate(dict.fromkeys(others.group))}
    places |= {index: names[name] for index, name in others.group.items()}
    labels |= {place: _cut(name) for name, place in names.items()}
    return _Rows(places, frozenset(named), labels, count if names else None, count + bool(names) + len(names))


def _cut(text: str) -> str:
    return plain(shortened(text, LONGEST_GROUP))


def _publisher(curator: str) -> str:
    return shortened(curator, LONGEST_LABEL)


def _alike(symbol: str) -> str:
    """The mark of a kind that nobody is told: filled, or hollow where it is converted."""
    return "circle-open" if symbol == CONVERTED else "circle"


def _reach(drawn: pandas.DataFrame, marks: Sequence[Mark]) -> tuple[float, float]:
    values = [*drawn.epsilon, *(mark.epsilon for mark in marks if mark.drawn)]
    low, high = min(values, default=0.1), max(values, default=10.0)
    return 10 ** (math.floor(math.log10(low) * 2) / 2 - 0.1), 10 ** (math.ceil(math.log10(high) * 2) / 2 + 0.1)


def _kinds(drawn: pandas.DataFrame) -> list[tuple[str, str]]:
    """Name in the legend and symbol of every kind of point that occurs."""
    converted = drawn.epsilon_basis != "reported"
    kinds = [(variant, symbol) for variant, symbol in SYMBOLS.items() if (drawn.variant[~converted] == variant).any()]
    return [*kinds, ("converted from ρ", CONVERTED)] if converted.any() else kinds


def _points(drawn: pandas.DataFrame, symbol: str, name: str, middle: float, dark: bool) -> Trace:
    converted = drawn.epsilon_basis != "reported"
    rows = drawn[converted] if symbol.endswith("-open") else drawn[~converted & (drawn.variant == name)]
    return scatter(
        x=list(rows.epsilon),
        y=list(rows.place),
        name=name,
        mode="markers+text",
        marker={"symbol": symbol, "size": 9, "color": GREY, "line": {"width": 1.5, "color": GREY}},
        text=[f" {plain(row.short)}: {row.epsilon:.4g} " if row.named else "" for row in rows.itertuples()],
        textposition=["middle left" if row.epsilon > middle else "middle right" for row in rows.itertuples()],
        textfont={"size": SMALL, "color": ink(dark)},
        cliponaxis=False,
        hovertext=list(rows.hover),
        hoverinfo="text",
    )


def _hovers(drawn: pandas.DataFrame) -> list[str]:
    """For each deployment everything that is reported at its point: several of a group may share it."""
    points: dict[tuple, list[str]] = {}
    keys = list(zip(drawn.group, drawn.epsilon, strict=True))
    for key, row in zip(keys, drawn.itertuples(), strict=True):
        points.setdefault(key, []).append(_reported(row))
    return ["<br>".join(points[key]) for key in keys]


def _reported(row: object) -> str:
    basis = plain(str(row.delta_basis))  # which may be a δ itself
    delta = f"δ = {shown_delta(row.delta)}" if row.delta is not None else basis if "δ" in basis else f"δ {basis}"
    return (
        f"<b>{plain(row.name)}</b>, {plain(row.curator)}, {row.published}<br>{plain(row.unit)} · {row.model} · "
        f"{row.variant}<br>ε = {row.epsilon:.6g}, {plain(row.epsilon_basis)}<br>{delta}<br>"
        f"review: {plain(row.review_status)}, tier {row.tier}"
    )


def _plan(marks: Sequence[Mark], middle: float, dark: bool) -> Trace:
    drawn = sorted((mark for mark in marks if mark.drawn), key=lambda mark: mark.epsilon)
    sides = ["middle left" if mark.epsilon > middle else "middle right" for mark in drawn]
    if len(drawn) == 2:  # they share a row: the other is named to its right, or above where the chart ends there
        sides = ["middle left", "top left" if drawn[1].epsilon > middle else "middle right"]
    colour = identity("optimal").colour(dark)
    return scatter(
        x=[mark.epsilon for mark in drawn],
        y=[0] * len(drawn),
        name=PLAN,
        mode="markers+text",
        marker={"symbol": [SYMBOLS[mark.variant] for mark in drawn], "size": 13, "color": colour},
        text=[f" <b>{plain(mark.label) if len(drawn) > 1 else ALONE}: {shown_up(mark.epsilon)}</b> " for mark in drawn],
        textposition=sides,
        textfont={"color": colour, "size": USUAL},
        cliponaxis=False,
        hovertext=[f"<b>{PLAN}</b>, {plain(mark.label)}<br>ε = {shown_up(mark.epsilon, 9)}" for mark in drawn],
        hoverinfo="text",
    )


def _label_rows(figure: Sheet, rows: _Rows, dark: bool) -> None:
    ticks = {"tickvals": list(rows.labels), "ticktext": list(rows.labels.values())}
    figure.update_yaxes(range=[rows.count - 0.4, -1.3], automargin=True, title=None, **ticks)
    if rows.parting is None:
        return
    figure.add_annotation(
        text=OTHERS,
        x=0,
        xref="paper",
        xanchor="left",
        y=rows.parting,
        yanchor="middle",
        showarrow=False,
        font={"size": SMALL, "color": ink(dark)},
    )


def described(frame: pandas.DataFrame, marks: Sequence[Mark], group: str) -> str:
    """Return the chart in words, for those who hear it."""
    totals = ", ".join(f"{mark.label} {shown_up(mark.epsilon)}" for mark in marks) or "no finite total"
    parts = []
    for name, rows in frame.groupby("group", sort=False):
        values = [
            f"{row.name} {'no epsilon' if row.epsilon is None else format(row.epsilon, '.4g')} "
            f"({row.variant}, {row.epsilon_basis}, delta {row.delta_basis})"
            for row in rows.itertuples()
        ]
        parts.append(f"{name}: {', '.join(values)}")
    return (
        f"Epsilon of published deployments on a logarithmic axis, one row per unit of privacy. The current plan, for "
        f"one {group}: {totals}. {'; '.join(parts)}."
    )
