"""The charts of a report: small drawings in SVG that need no script, open offline and print sharp.

Their colours stand as attributes, for light paper; the page's style may change them by class on a dark screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from html import escape

from dpviz.report.words import day_in_words
from dpviz.rounding import shown_up

WIDTH, BAR, GAP, LABELS, VALUES = 640, 14, 8, 210, 90
INK, PALE, LIMIT = "#0072B2", "#B9B9B9", "#B00020"


def bars(rows: Sequence[tuple[str, float, str]], limit: float | None, alt: str, limit_name: str = "") -> str:
    """Return a bar chart that starts at 0.

    Parameters
    ----------
    rows : sequence of (str, float, str)
        Label, length and the number as shown, per bar; the first is the finding and drawn stronger.
    limit : float or None
        Where a thin named line stands.
    alt : str
        The chart in words.
    limit_name : str
        Of the line.

    Returns
    -------
    str
        An ``<svg>`` element; every text in it is escaped.

    Examples
    --------
    >>> "<rect" in bars([("Basic", 2.64, "2.64")], 4.0, "One bar", "budget")
    True
    """
    longest = max([length for _, length, _ in rows] + ([limit] if limit is not None else []), default=0.0) or 1.0
    scale = (WIDTH - LABELS - VALUES) / longest
    height = len(rows) * (BAR + GAP) + 24
    drawn = [_bar(index, row, scale) for index, row in enumerate(rows)]
    if limit is not None:
        drawn.append(_line(LABELS + limit * scale, height, limit_name))
    drawn += [_named(index, row, scale) for index, row in enumerate(rows)]  # on top of the line, so that all is read
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(alt)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(drawn)}</svg>'
    )


def _bar(index: int, row: tuple[str, float, str], scale: float) -> str:
    kind, colour = ("pale", PALE) if index else ("ink", INK)
    place = f'x="{LABELS}" y="{20 + index * (BAR + GAP)}" width="{_width(row, scale):.2f}" height="{BAR}"'
    return f'<rect {place} class="{kind}" fill="{colour}"/>'


def _named(index: int, row: tuple[str, float, str], scale: float) -> str:
    middle, end = 20 + index * (BAR + GAP) + BAR - 3, LABELS + _width(row, scale) + 5
    return (
        f'<text x="{LABELS - 6}" y="{middle}" text-anchor="end">{escape(_short(row[0]))}</text>'
        f'<text x="{end:.2f}" y="{middle}">{escape(row[2])}</text>'
    )


def _width(row: tuple[str, float, str], scale: float) -> float:
    return max(row[1] * scale, 0.5)


def _short(label: str, most: int = 32) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _line(place: float, height: int, name: str) -> str:
    return (
        f'<line x1="{place:.2f}" x2="{place:.2f}" y1="14" y2="{height}" class="limit" '
        f'stroke="{LIMIT}" stroke-dasharray="5 3"/>'
        f'<text x="{place:.2f}" y="10" text-anchor="middle">{escape(name)}</text>'
    )


def steps(rows: Sequence[tuple[str, float | None]], limit: float | None, alt: str) -> str:
    """Return a step chart of what is spent by each date, from 0.

    Parameters
    ----------
    rows : sequence of (str, float or None)
        Date as year-month-day, in order, and ε from that date on; None where there is no bound: the line ends there.
    limit : float or None
        Where a thin line stands.
    alt : str
        The chart in words.

    Examples
    --------
    >>> "<path" in steps([("2026-01-01", 1.0), ("2026-02-01", 2.0)], 1.5, "Two steps")
    True
    """
    bounded = [(date.fromisoformat(day).toordinal(), value) for day, value in rows if value is not None]
    if not bounded:
        return ""
    first, last = bounded[0][0], max(bounded[-1][0], bounded[0][0] + 1)
    top = max([value for _, value in bounded] + ([limit] if limit is not None else [])) or 1.0
    across, up = (WIDTH - 80) / (last - first), 100 / top
    path, level = "M 60 120", 120.0
    for day, value in bounded:
        place = 60 + (day - first) * across
        path += f" L {place:.1f} {level:.1f}"
        level = 120 - value * up
        path += f" L {place:.1f} {level:.1f}"
    drawn = f'<path d="{path} L {WIDTH - 20} {level:.1f}" class="ink line" fill="none" stroke="{INK}" '
    drawn += 'stroke-width="2"/>'
    return _stepped(drawn + _ground(rows[0][0], rows[-1][0], top) + _level(limit, up), alt)


def _stepped(drawn: str, alt: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} 140" role="img" aria-label="{escape(alt)}" '
        f'xmlns="http://www.w3.org/2000/svg">{drawn}</svg>'
    )


def _ground(first: str, last: str, top: float) -> str:
    return (
        f'<line x1="60" x2="{WIDTH - 20}" y1="120" y2="120" class="pale" stroke="{PALE}"/>'
        f'<text x="60" y="136">{escape(day_in_words(first))}</text>'
        f'<text x="{WIDTH - 20}" y="136" text-anchor="end">{escape(day_in_words(last))}</text>'
        f'<text x="54" y="24" text-anchor="end">ε {shown_up(top, 3)}</text>'
        '<text x="54" y="123" text-anchor="end">0</text>'
    )


def _level(limit: float | None, up: float) -> str:
    if limit is None:
        return ""
    height = 120 - limit * up
    return (
        f'<line x1="60" x2="{WIDTH - 20}" y1="{height:.1f}" y2="{height:.1f}" class="limit" stroke="{LIMIT}" '
        'stroke-dasharray="5 3"/>'
        f'<text x="64" y="{height - 4:.1f}">budget</text>'
    )
