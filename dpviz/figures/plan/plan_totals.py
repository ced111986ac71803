"""What a plan costs under each theorem, ranked: one zero-based bar per theorem, and the budget as a line."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from dpviz.figures.base.identity import CAMERA, GREY, identity, laid_out, nothing, plain
from dpviz.figures.base.scale import LARGE, SMALL
from dpviz.figures.base.sheet import Sheet, Trace, bar, drawing
from dpviz.rounding import shown_budget, shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

ROW_HEIGHT = 46
BAR_WIDTH = 0.4
LONGEST_BAR = 6  # times the tightest total (or the budget): what is longer is cut, and says so
MOST_PERCENT = 500  # beyond, it is told how many times as large
REASON_WIDTH = 60  # letters that fit beside each other on a phone
NOTHING = "Every total is 0: nothing is spent."
NAMES_WIDTH = 50  # the same, in larger letters


@drawing
def plan_totals(
    frame: pandas.DataFrame, budget: float = math.inf, unit: str = "person", dark: bool = False
) -> Sheet:
    """Draw the total of a plan under every theorem that applies, the tightest on top; beneath, why others do not.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `dpviz.compare` returns it: theorem, label, epsilon, delta, kind, applies, reason, source.
    budget : float
        ε of the budget; inf draws no line.
    unit : str
        Unit of privacy, for the axis.
    """
    ranked, absent = _ranked(frame)
    if not absent and not (ranked.epsilon > 0).any():
        return nothing(NOTHING)
    end = _axis_end(ranked, budget)
    figure = Sheet([_bar(row, place, end, dark) for place, row in ranked.iterrows()])
    notes = [_name(row, place, end, _waste(row, ranked)) for place, row in ranked.iterrows()]
    if ranked.empty:
        notes.append(_text(-0.62, "<b>No theorem gives a total.</b>", x=0, font={"size": LARGE}))
    for place, (reason, labels) in enumerate(absent.items(), start=len(ranked)):
        notes += [_absent(labels, place), _reason(reason, place)]
    figure.update_layout(annotations=notes, barmode="overlay", bargap=0)
    rows = len(ranked) + len(absent)
    laid_out(figure, ROW_HEIGHT * rows + 100).update_layout(margin={"t": 34})
    # Where every total is 0, or there is none, an axis would be invented.
    drawn = bool((ranked.epsilon > 0).any())
    title = f"total ε per {plain(unit)}"
    figure.update_xaxes(range=[0, end * 1.1], title=title, tickformat="~r", nticks=7, visible=drawn)
    figure.update_yaxes(range=[rows - 0.45, -0.7], visible=False)
    if drawn:
        _draw_budget(figure, budget, end, len(ranked))
    return figure


def _ranked(frame: pandas.DataFrame) -> tuple[pandas.DataFrame, dict[str, list[str]]]:
    """The theorems that apply, the smallest total first; and the labels of the others under each reason."""
    applies = frame.applies.astype(bool)
    absent: dict[str, list[str]] = {}
    for row in frame[~applies].itertuples():
        absent.setdefault(row.reason, []).append(row.label)
    return frame[applies].sort_values("epsilon", kind="stable").reset_index(drop=True), absent


def _axis_end(ranked: pandas.DataFrame, budget: float) -> float:
    """Where bars end: the largest total or the budget, unless that would squeeze the tightest into nothing."""
    totals = ranked.epsilon
    least = totals.min() if len(totals) else 0.0
    limit = budget if math.isfinite(budget) else 0.0
    longest = max([*totals, limit, 0.0])
    end = min(longest, LONGEST_BAR * least) if least > 0 else longest
    return end if end > 0 else 1.0


def _bar(row: pandas.Series, place: int, end: float, dark: bool) -> Trace:
    read = f"ε = {shown_up(row.epsilon, 6)}<br>δ = {shown_delta(row.delta)}<br>{row.kind}"
    return bar(
        x=[min(row.epsilon, end * 1.1)],
        y=[place],
        orientation="h",
        width=BAR_WIDTH,
        name=row.label,
        # A thin outline keeps black and white bars visible while the colours of a page are being switched.
        marker={"color": identity(row.theorem).colour(dark), "line": {"color": GREY, "width": 0.5}},
        hovertemplate=f"<b>{row.label}</b><br>{read}<br>{row.source}<extra></extra>",
    )


def _text(place: float, text: str, **options: object) -> dict[str, object]:
    fixed = {"showarrow": False, "xref": "paper", "xanchor": "left", "yanchor": "bottom", "align": "left", "xshift": -3}
    return {"y": place, "text": text, **fixed, **options}


def _waste(row: pandas.Series, ranked: pandas.DataFrame) -> str:
    """How far a total lies above the tight one, rounded up; "" where that is not known or nothing."""
    tight = ranked.epsilon[ranked.theorem == "pld"]
    if row.theorem == "pld" or tight.empty or tight.iloc[0] <= 0:
        return ""
    excess = 100 * (row.epsilon / tight.iloc[0] - 1)
    if excess > MOST_PERCENT:
        return f"{shown_up(row.epsilon / tight.iloc[0], 3)} times tight"
    return f"{shown_up(excess, 2 if excess < 100 else 3)} % above tight" if excess > 0.01 else ""


def _name(row: pandas.Series, place: int, end: float, waste: str) -> dict[str, object]:
    """Name and value above the bar, where neither the budget's line nor a narrow screen cuts them."""
    cut = "bar cut" if row.epsilon > end * 1.1 else ""
    marks = [f"<b>{shown_up(row.epsilon)}</b>", row.label, "tightest" if place == 0 else "", waste, cut]
    return _text(place - 0.2, " · ".join(mark for mark in marks if mark), x=0, font={"size": LARGE})


def _absent(labels: list[str], place: int) -> dict[str, object]:
    """The theorems that do not apply for one reason, the first two by name, or one where two are too long."""
    if len(labels) == 1:
        text = f"{labels[0]} · does not apply"
    else:
        text = f"{joined(labels, 2)} · do not apply"
        text = text if len(text) <= NAMES_WIDTH else f"{joined(labels, 1)} · do not apply"
    return _text(place - 0.2, text, x=0, font={"color": GREY}, hovertext=", ".join(labels))


def joined(labels: list[str], most: int) -> str:
    """Return the first labels in a row, and how many more there are.

    Examples
    --------
    >>> joined(["Optimal", "KOV", "Basic"], 2), joined(["Optimal", "KOV"], 2)
    ('Optimal, KOV and 1 more', 'Optimal and KOV')
    """
    if len(labels) <= most:
        return " and ".join([", ".join(labels[:-1]), labels[-1]] if len(labels) > 1 else labels)
    return f"{', '.join(labels[:most])} and {len(labels) - most} more"


def _reason(reason: str, place: int) -> dict[str, object]:
    lines = textwrap.wrap(reason, REASON_WIDTH)
    text = "<br>".join(plain(line) for line in lines[:2]) + ("…" if len(lines) > 2 else "")
    font = {"color": GREY, "size": SMALL}
    return _text(place - 0.22, text, x=0, yanchor="top", font=font, hovertext=plain(reason))


def _draw_budget(figure: Sheet, budget: float, end: float, rows: int) -> None:
    """The budget as one piece per bar, none of which reaches the words between the bars; its name above all."""
    if math.isinf(budget):
        return
    inside = budget <= end * 1.1
    if inside:
        for place in range(rows):
            reach = {"y0": place - BAR_WIDTH / 2, "y1": place + BAR_WIDTH / 2 + 0.08}
            figure.add_shape(type="line", x0=budget, x1=budget, line={"color": GREY, "width": 2}, **reach)
    right = not inside or budget > 0.5 * end
    figure.add_annotation(
        x=budget if inside else end * 1.1,
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="right" if right else "left",
        xshift=0 if inside else -CAMERA,
        text=f"budget ε = {shown_budget(budget)}" + (" ↓" if inside else " →"),
        showarrow=False,
    )


def described(frame: pandas.DataFrame, budget: float, unit: str) -> str:
    """Return the chart in words, for those who hear it."""
    ranked, absent = _ranked(frame)
    rows = [
        f"{row.label} at most {shown_up(row.epsilon)} at delta {shown_delta(row.delta)}" for row in ranked.itertuples()
    ]
    rows += [
        f"{joined(labels, len(labels))} {'does' if len(labels) == 1 else 'do'} not apply: {reason}"
        for reason, labels in absent.items()
    ]
    if not absent and not (ranked.epsilon > 0).any():
        return NOTHING
    limit = "" if math.isinf(budget) else f" The budget is {shown_budget(budget)}."
    return f"Bar chart of the total epsilon per {unit}, smallest first. {'; '.join(rows)}.{limit}"
