"""A budget before and after it is divided anew: what each release spends, and how far its numbers stray."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out, plain
from dpviz.figures.base.scale import GRID, SHADE, SMALL, TEXT, USUAL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing
from dpviz.rounding import shown_up

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 12  # further ones stand in the table
LINE_HEIGHT, BARS_HEIGHT = 15, 47  # pixels: a row is its name, in one line or two, above its two bars
LEGEND = 24  # pixels that the legend of two states takes
BAR, STEP = 10, 16  # pixels: how thick a bar is, and from one to the next, so that their values never touch
WHY_LENGTH, WHY_LINES = 30, 4  # letters and lines of small print beside a row's bars; half as many of twice that alone
LINE_LENGTH = 26  # letters that fit a panel of a small screen
ROOM, ROOM_SHARES = 1.32, 1.75  # ends of axes, in longest bars, so that what stands beside them is seen whole
UNBOUNDED = "∞: no theorem applies"
AFTER = ("#0072B2", "#4DA3E0")  # light and dark ground
PANELS = (("spend", "", (0.0, 0.47)), ("width", "2", (0.53, 1.0)))
STATES = ("before", "after")
Panels = tuple[tuple[str, str, tuple[float, float]], ...]  # what is drawn, on which axis, and where


@drawing
def budget_split(
    frame: pandas.DataFrame,
    names: tuple[str, str],
    width_title: str,
    dark: bool = False,
    unbounded: str = UNBOUNDED,
    one_scale: bool = True,
    spends: bool = True,
) -> Sheet:
    """Draw two panels of bars, one row per release: spend on the left, error on the right; or the errors alone.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per release, in the order to be drawn: release, note ("" or what is special), answer_unit ("" where
        none is stated), typical (its typical value, None where none is stated), spend_before, spend_after,
        width_before, width_after (None where there is none), why_no_width ("" where there is one).
    names : tuple of str
        Of the two states.
    width_title : str
        Of the right panel.
    unbounded : str
        What stands where an ε is infinite.
    one_scale : bool
        Whether all errors are in one unit; else each row is drawn to its own scale, on an axis without numbers, or,
        where there is only one state, as a share of its typical value.
    spends : bool
        Whether the left panel is drawn.
    """
    panels = PANELS if spends else (("width", "2", (0.0, 1.0)),)
    shown = frame.head(MOST_ROWS).reset_index(drop=True)
    drawn = [number for number, state in enumerate(STATES) if _any_known(shown, state)]
    lengths = shown if one_scale else _own_scale(shown) if len(drawn) > 1 else _of_usual(shown)
    shown["lines"] = [_lines(name, LINE_LENGTH * (3 - len(panels))) for name in shown.release]
    figure, lines = Sheet(), max(map(len, shown.lines), default=1)
    in_shares = not one_scale and len(drawn) == 1
    for number in drawn:  # where nothing changes, there is only one state
        for panel, axis, _ in panels:
            column = f"{panel}_{STATES[number]}"
            texts = _texts(shown, column, axis, unbounded, lengths[column] if axis and in_shares else None)
            bars = _bars(shown, column, axis, names[number], number, dark, texts, panel == panels[0][0])
            places = [place + _below(lines, number) for place in range(len(shown))]
            sizes = {"x": [_drawn(value) for value in lengths[column]], "y": places, "width": BAR / _row_height(lines)}
            figure.add_trace(bars | sizes)
    legend = 0 if len(drawn) > 1 else LEGEND  # the room that it would take
    laid_out(figure, _row_height(lines) * max(len(shown), 2) + 88 - legend)
    place = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "yref": "paper"}
    room = {"margin": {"t": 58 - legend, "b": 30}, "showlegend": not legend, "legend": place}
    figure.update_layout(font={"color": TEXT[dark]}, barmode="overlay", **room)
    scale = "" if one_scale else "as a share of its typical value" if in_shares else "each row on its own scale"
    titles = {"spend": "ε of each, alone", "width": width_title}
    notes = _axes(figure, lengths, panels, titles, scale, ROOM_SHARES if in_shares else ROOM)
    for note in notes:
        note["yshift"] -= legend
    for place, row in shown.iterrows():
        notes += _row_notes(row, place, lines, panels[-1][2][0])
    figure.update_layout(annotations=notes)
    return figure.update_xaxes(tickfont={"color": TEXT[dark]})


def _row_notes(row: pandas.Series, place: int, lines: int, errors: float) -> list[dict[str, object]]:
    """The name of a row, what is special of it, and why it has no error where these are drawn."""
    without = row.width_before is None and row.width_after is None
    why = [_no_error(row.why_no_width, place + _below(lines, 0.5), errors)] if without else []
    return [*_heading(row, place + _below(lines)), *why]


def _own_scale(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Errors as shares of the larger of both in their row: units differ, so only rows tell what becomes of them."""
    scaled = frame.copy()
    columns = [f"width_{state}" for state in STATES]
    for place, row in frame.iterrows():
        largest = max((_drawn(value) for value in row[columns]), default=0.0)
        for column in columns:
            if largest > 0 and _is_known(row[column]):
                scaled.at[place, column] = _drawn(row[column]) / largest
    return scaled


def _any_known(frame: pandas.DataFrame, state: str) -> bool:
    return any(_is_known(value) for panel, *_ in PANELS for value in frame[f"{panel}_{state}"])


def _of_usual(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Errors as shares of the typical value, the one scale of several units; no bar where none is stated."""
    scaled = frame.copy()
    for state in STATES:
        scaled[f"width_{state}"] = [
            width / usual if _is_known(width) and _is_known(usual) and usual else width and 0.0
            for width, usual in zip(frame[f"width_{state}"], frame.typical, strict=True)
        ]
    return scaled


def _row_height(lines: int) -> int:
    return LINE_HEIGHT * lines + BARS_HEIGHT


def _below(lines: int, bar: float | None = None) -> float:
    """Where the name of a row ends, or where its first (0) or second (1) bar lies, from the middle of the row."""
    end = 6 + LINE_HEIGHT * lines
    return (end if bar is None else end + BAR + STEP * bar) / _row_height(lines) - 0.5


def _lines(name: str, letters: int) -> list[str]:
    """A name in at most two lines that are no wider than a panel."""
    return textwrap.wrap(name, letters, max_lines=2, placeholder="…") or [""]


def _bars(
    frame: pandas.DataFrame, column: str, axis: str, name: str, number: int, dark: bool, texts: list[str], first: bool
) -> Trace:
    """The bars of one state in one panel: outlined before, filled after, so that they survive greyscale."""
    sign = "±" if axis else "ε ≤ "
    exact = [f"{sign}{shown_up(value, 6)}" if _is_known(value) else "none" for value in frame[column]]
    return bar(
        orientation="h",
        name=plain(name),
        legendgroup=name,
        showlegend=first,
        xaxis=f"x{axis}",
        text=texts,
        textposition="outside",
        textfont={"size": SMALL, "color": TEXT[dark]},
        constraintext="none",
        cliponaxis=False,
        customdata=[[plain(release), text] for release, text in zip(frame.release, exact, strict=True)],
        marker={
            "color": SHADE if number == 0 else AFTER[dark],
            "line": {"color": GREY if number == 0 else AFTER[dark], "width": 1},
        },
        hovertemplate="<b>%{customdata[0]}</b><br>" + plain(name) + ": %{customdata[1]}<extra></extra>",
    )


def _texts(
    frame: pandas.DataFrame, column: str, axis: str, unbounded: str, shares: pandas.Series | None
) -> list[str]:
    """What stands at the end of each bar, an ε as the page's large figures have it; with the share that a bar shows."""
    before, digits = ("±", 3) if axis else ("", 4)
    texts = [f"{before}{_text(value, unbounded, digits)}" if _is_known(value) else "" for value in frame[column]]
    return texts if shares is None else [
        f"{text} ({shown_up(100 * share, 3)} %)" if text and _drawn(share) > 0 else text
        for text, share in zip(texts, shares, strict=True)
    ]  # fmt: skip


def _is_known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _drawn(value: float | None) -> float:
    return value if _is_known(value) and math.isfinite(value) else 0.0


def _text(value: float, unbounded: str, digits: int) -> str:
    if not math.isfinite(value):
        return unbounded
    text = shown_up(value, digits)
    return f"{int(text):,}" if text.isdecimal() else text


def _axes(
    figure: Sheet, frame: pandas.DataFrame, panels: Panels, titles: dict[str, str], scale: str, room: float
) -> list[dict[str, object]]:
    """Lay out the panels; return their titles as annotations."""
    notes = []
    for panel, axis, domain in panels:
        largest = max((_drawn(value) for state in STATES for value in frame[f"{panel}_{state}"]), default=0.0)
        end = largest if largest > 0 else 1.0
        width = [0, end * (room if axis else ROOM)]
        options = {"domain": domain, "range": width, "tickformat": "~r", "nticks": 5, "fixedrange": True}
        if largest == 0:  # bars without length have no scale
            options["showticklabels"] = False
        figure.update_layout(**{f"xaxis{axis}": options | {"anchor": "y"}})
        place = {"x": domain[0], "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"}
        style = {"yshift": 24, "xshift": -3, "showarrow": False, "font": {"size": USUAL}, "align": "left"}
        notes.append({"text": f"<b>{plain(titles[panel])}</b>", **place, **style})
    figure.update_yaxes(range=[max(len(frame), 1) - 0.5, -0.5], visible=False, fixedrange=True)
    if scale:
        notes[-1]["text"] += f"<br>{scale}"
        figure.update_layout(xaxis2={"showticklabels": False})
    figure.update_xaxes(gridcolor=GRID, zeroline=False, showline=False)
    return notes


def _heading(row: pandas.Series, place: float) -> list[dict[str, object]]:
    """The name above the left panel, and what is special above the right one."""
    style = {
        "xref": "paper", "xanchor": "left", "xshift": -3, "y": place, "yanchor": "bottom", "showarrow": False,
        "font": {"size": USUAL}, "align": "left",
    }  # fmt: skip
    texts = ("<br>".join(map(plain, row.lines)), f"<i>{plain(row.note)}</i>" if row.note else "")
    return [{"text": text, "x": domain[0], **style} for text, (*_, domain) in zip(texts, PANELS, strict=True) if text]


def _no_error(why: str, place: float, left: float) -> dict[str, object]:
    """Why a row has no error, in as many lines as its bars are high."""
    length, most = (WHY_LENGTH, WHY_LINES) if left else (2 * WHY_LENGTH, WHY_LINES // 2)
    told = textwrap.wrap(why or "no noise to measure", length, max_lines=most, placeholder=" …")
    return {
        "text": "<br>".join(map(plain, told)), "align": "left", "xref": "paper", "xanchor": "left",
        "x": left, "y": place, "yanchor": "middle", "showarrow": False, "font": {"size": SMALL},
    }  # fmt: skip


def described(frame: pandas.DataFrame, names: tuple[str, str], confidence: str, spends: bool = True) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    confidence : str
        Such as "95 %".
    spends : bool
        Whether the left panel is drawn.
    """
    rows = [
        f"{row.release}: " + f"epsilon {_heard(row.spend_before)}, then {_heard(row.spend_after)}; " * spends
        + f"numbers within plus or minus {_heard(row.width_before)}, then {_heard(row.width_after)} "
        f"{row.answer_unit}".rstrip()
        for row in frame.head(MOST_ROWS).itertuples()
    ]  # fmt: skip
    rest = f" {len(frame) - MOST_ROWS} more releases stand in the table." if len(frame) > MOST_ROWS else ""
    return (
        f"Bars per release, {names[0]} and {names[1]}: {'the epsilon it costs alone, and ' * spends}the distance "
        f"within which {confidence} of its numbers lie. {'. '.join(rows)}.{rest}"
    )


def _heard(value: float | None) -> str:
    return shown_up(value, 3) if _is_known(value) else "none"
