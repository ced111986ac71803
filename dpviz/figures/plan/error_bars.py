"""How far the numbers of each release stray: now, and after a change or in plan A."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import GREY, laid_out, plain
from dpviz.figures.base.scale import GRID, SHADE, SMALL, TEXT, USUAL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing
from dpviz.rounding import shown_relative, shown_up

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 12  # further ones stand in the table
LINE_HEIGHT, BARS_HEIGHT = 15, 47  # pixels: a row is its name, in one line or two, above its two bars
LEGEND = 24  # pixels that the legend of two states takes
BAR, STEP = 10, 16  # pixels: how thick a bar is, and from one to the next, so that their values never touch
WHY_LENGTH, WHY_LINES = 56, 2  # letters and lines of small print in the place of a row's bars
LINE_LENGTH = 44  # letters that fit a small screen
ROOM = 1.75  # end of the axis, in longest bars, so that what stands beside them is seen whole
AFTER = ("#0072B2", "#4DA3E0")  # light and dark ground
STATES = ("before", "after")


@drawing
def error_bars(
    frame: pandas.DataFrame, names: tuple[str, str], title: str, dark: bool = False, one_scale: bool = True
) -> Sheet:
    """Draw the errors of each release as bars, one row per release.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per release, in the order to be drawn: release, note ("" or what is special), answer_unit ("" where
        none is stated), typical (its typical value, None where none is stated), width_before, width_after (None where
        there is none), why_no_width ("" where there is one); typical_before where that was another one.
    names : tuple of str
        Of the two states.
    title : str
    one_scale : bool
        Whether all errors are in one unit; else each row is drawn to its own scale, on an axis without numbers, or,
        where there is only one state, as a share of its typical value.
    """
    shown = frame.head(MOST_ROWS).reset_index(drop=True)
    drawn = [number for number, state in enumerate(STATES) if shown[f"width_{state}"].map(_is_known).any()]
    in_shares = not one_scale and len(drawn) < len(STATES)
    lengths = shown if one_scale else _of_usual(shown) if in_shares else _own_scale(shown)
    headings = [_heading(row) for row in shown.itertuples()]
    figure, lines = Sheet(), max(map(len, headings), default=1)
    height = LINE_HEIGHT * lines + BARS_HEIGHT - STEP // 2 * (len(drawn) < len(STATES))
    for number in drawn:  # where nothing changes, there is only one state
        # Without an error there is no bar: one of no length would still have an outline.
        sizes = [_drawn(size) if _is_known(size) else None for size in lengths[f"width_{STATES[number]}"]]
        look = _look(dark, filled=number > 0 or len(drawn) == 1)
        bars = _bars(shown, number, names[number], look, relative=not one_scale)
        places = [place + _below(lines, height, number) for place in range(len(shown))]
        figure.add_trace(bars | {"x": sizes, "y": places, "width": BAR / height})
    legend = 0 if len(drawn) > 1 else LEGEND  # the room that it would take
    laid_out(figure, height * max(len(shown), 2) + 88 - legend)
    place = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "yref": "paper"}
    room = {"margin": {"t": 58 - legend, "b": 30}, "showlegend": not legend, "legend": place}
    figure.update_layout(font={"color": TEXT[dark]}, barmode="overlay", **room)
    notes = [_axis(figure, lengths, title, one_scale, in_shares, 24 - legend)]
    for number, row in enumerate(shown.itertuples()):
        notes += _row_notes(row, headings[number], number, lines, height)
    figure.update_layout(annotations=notes)
    return figure.update_xaxes(tickfont={"color": TEXT[dark]})


def _row_notes(row: object, heading: list[str], place: int, lines: int, height: int) -> list[dict[str, object]]:
    """The name of a row with what is special of it, and why it has no error."""
    style = {"xref": "paper", "xanchor": "left", "x": 0, "showarrow": False, "align": "left"}
    above = {"xshift": -3, "y": place + _below(lines, height), "yanchor": "bottom", "font": {"size": USUAL}}
    notes = [{"text": "<br>".join(heading), **above, **style}]
    if _is_known(row.width_before) or _is_known(row.width_after):
        return notes
    why = row.why_no_width or "no noise to measure"
    told = textwrap.wrap(why, WHY_LENGTH, max_lines=WHY_LINES, placeholder=" …")
    beneath = {"y": place + _below(lines, height), "yanchor": "top", "font": {"size": SMALL}}
    return [*notes, {"text": "<br>".join(map(plain, told)), **beneath, **style}]


def _heading(row: object) -> list[str]:
    """A name in at most two lines, and behind it what is special of the release."""
    lines = textwrap.wrap(row.release, LINE_LENGTH, max_lines=2, placeholder="…") or [""]
    note = f", <i>{plain(row.note)}</i>" if row.note else ""
    return [*map(plain, lines[:-1]), plain(lines[-1]) + note]


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


def _of_usual(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Errors as shares of the typical value, the one scale of several units; no bar where none is stated."""
    scaled = frame.copy()
    for state in STATES:
        scaled[f"width_{state}"] = [
            width / usual if _is_known(width) and _is_known(usual) and usual else width and 0.0
            for width, usual in zip(frame[f"width_{state}"], _usual(frame, state), strict=True)
        ]
    return scaled


def _usual(frame: pandas.DataFrame, state: str) -> pandas.Series:
    """The typical values of one state: those of now, where none were told apart."""
    return frame.get(f"typical_{state}", frame.typical)


def _below(lines: int, height: int, bar: float | None = None) -> float:
    """Where the name of a row ends, or where its first (0) or second (1) bar lies, from the middle of the row."""
    end = 6 + LINE_HEIGHT * lines
    return (end if bar is None else end + BAR + STEP * bar) / height - 0.5


def _look(dark: bool, filled: bool) -> dict[str, object]:
    """How bars and their texts look: outlined before, filled after, so that they survive greyscale."""
    outline = {"color": GREY, "width": 1}
    marker = {"color": AFTER[dark], "line": {"width": 0}} if filled else {"color": SHADE, "line": outline}
    return {"marker": marker, "textfont": {"size": SMALL, "color": TEXT[dark]}}


def _bars(frame: pandas.DataFrame, number: int, name: str, look: dict[str, object], relative: bool) -> Trace:
    """The bars of one state."""
    widths = frame[f"width_{STATES[number]}"]
    exact = [f"±{shown_up(value, 6)}" if _is_known(value) else "none" for value in widths]
    return bar(
        orientation="h",
        name=plain(name),
        text=_texts(frame, number, relative),
        textposition="outside",
        constraintext="none",
        cliponaxis=False,
        customdata=[[plain(release), text] for release, text in zip(frame.release, exact, strict=True)],
        hovertemplate="<b>%{customdata[0]}</b><br>" + plain(name) + ": %{customdata[1]}<extra></extra>",
        **look,
    )


def _texts(frame: pandas.DataFrame, number: int, relative: bool) -> list[str]:
    """What stands at the end of each bar: the error in its unit, and where units differ, its share of what is usual."""
    texts, widths = [], frame[f"width_{STATES[number]}"]
    for width, unit, usual in zip(widths, frame.answer_unit, _usual(frame, STATES[number]), strict=True):
        text = f"±{_text(width)} {plain(unit)}".strip() if _is_known(width) else ""
        share = width / usual if relative and text and _is_known(usual) and usual else 0.0
        texts.append(f"{text} ({shown_relative(width, usual)})" if share > 0 and math.isfinite(share) else text)
    return texts


def _is_known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _drawn(value: float | None) -> float:
    return value if _is_known(value) and math.isfinite(value) else 0.0


def _text(value: float) -> str:
    text = shown_up(value, 3)
    return f"{int(text):,}" if text.isdecimal() else text


def _axis(
    figure: Sheet, frame: pandas.DataFrame, title: str, one_scale: bool, in_shares: bool, shift: int
) -> dict[str, object]:
    """Lay out the axis; return its title as an annotation."""
    largest = max((_drawn(value) for state in STATES for value in frame[f"width_{state}"]), default=0.0)
    scale = {"range": [0, (largest or 1.0) * ROOM], "tickformat": "~r", "nticks": 5, "fixedrange": True}
    if largest == 0 or not one_scale:  # bars without length, or of several units, have no scale
        scale["showticklabels"] = False
    figure.update_layout(xaxis=scale)
    figure.update_yaxes(range=[max(len(frame), 1) - 0.5, -0.5], visible=False, fixedrange=True)
    figure.update_xaxes(gridcolor=GRID, zeroline=False, showline=False)
    said = "" if one_scale or largest == 0 else "as a share of its typical value" if in_shares else (
        "each row on its own scale"
    )  # fmt: skip
    return {
        "text": f"<b>{plain(title)}</b>" + (f"<br>{said}" if said else ""), "x": 0, "xref": "paper", "xanchor": "left",
        "xshift": -3, "y": 1, "yref": "paper", "yanchor": "bottom", "yshift": shift, "showarrow": False,
        "font": {"size": USUAL}, "align": "left",
    }  # fmt: skip


def described(frame: pandas.DataFrame, names: tuple[str, str], confidence: str) -> str:
    """Return the chart in words, for those who hear it.

    Parameters
    ----------
    confidence : str
        Such as "95 %".
    """
    rows = [
        f"{row.release}: within plus or minus {_heard(row.width_before)}, then {_heard(row.width_after)} "
        f"{row.answer_unit}".rstrip()
        for row in frame.head(MOST_ROWS).itertuples()
    ]
    rest = f" {len(frame) - MOST_ROWS} more releases stand in the table." if len(frame) > MOST_ROWS else ""
    return (
        f"Bars per release, {names[0]} and {names[1]}: the distance within which {confidence} of its numbers lie. "
        f"{'. '.join(rows)}.{rest}"
    )


def _heard(value: float | None) -> str:
    return shown_up(value, 3) if _is_known(value) else "none"
