"""Where words stand on a chart of curves, so that none covers another or a curve. Fractions of width and height."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.figures.base.identity import GREY, plain
from dpviz.figures.base.scale import SMALL, USUAL

GAP = 0.02
STEP = 0.026  # from one height that is tried to the next
MOST = 2  # texts: more are clutter, and a table beside the chart has them all
EDGE = 0.2  # left of it, a text that ends at its mark is cut on a narrow screen


@dataclass(frozen=True, slots=True)
class Paper:
    """How large a chart is without its margins.

    Parameters
    ----------
    narrow, wide : int
        Its width in pixels on a phone and on a desk.
    height : int
        In pixels.
    """

    narrow: int
    wide: int
    height: int

    def lines(self, text: str) -> tuple[float, float]:
        """Return width and height of a text on a phone; its lines are parted by ``<br>``."""
        wide, high = extent(text)
        return wide / self.narrow, high / self.height

    def around(
        self, point: tuple[float, float], shift: tuple[float, float], text: str, side: tuple[float, float]
    ) -> list[Box]:
        """Return where a text stands beside a point, on a phone and on a desk.

        Parameters
        ----------
        point : (float, float)
            In fractions.
        shift : (float, float)
            In pixels to the right and up.
        text : str
        side : (float, float)
            Which point of the text is held there: 0 its left or lower edge, 1 its right or upper one.
        """
        wide, high = extent(text)
        low = point[1] + (shift[1] - side[1] * high) / self.height
        lefts = [(point[0] + (shift[0] - side[0] * wide) / width, width) for width in (self.narrow, self.wide)]
        return [Box(left, left + wide / width, low, low + high / self.height) for left, width in lefts]


def extent(text: str) -> tuple[int, int]:
    """Return width and height of a text in pixels, about; its lines are parted by ``<br>``.

    Examples
    --------
    >>> extent("<b>3</b> fit"), extent("from 30 on:<br>Advanced")
    ((30, 18), (66, 33))
    """
    lines = text.replace("<b>", "").replace("</b>", "").split("<br>")
    return 6 * max(map(len, lines)), 3 + 15 * len(lines)


@dataclass(frozen=True, slots=True)
class Box:
    """The place of a text.

    Parameters
    ----------
    left, right, low, high : float
        Fractions of the chart.
    """

    left: float
    right: float
    low: float
    high: float

    def meets(self, other: Box) -> bool:
        """Say whether two places overlap."""
        return (
            self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high
        )

    def leaves_the_chart(self) -> bool:
        """Say whether a part of it lies outside."""
        return min(self.left, self.low) < -0.01 or max(self.right, self.high) > 1.01

    def is_crossed_by(self, curve: np.ndarray) -> bool:
        """Say whether a curve, whose points are joined, runs through it."""
        (x0, y0), (x1, y1) = curve[:, :-1], curve[:, 1:]
        run = np.where(x1 > x0, x1 - x0, 1.0)  # what rises straight up has both its ends
        enters = np.where(x1 > x0, y0 + (y1 - y0) * (np.clip(self.left, x0, x1) - x0) / run, y0)
        leaves = np.where(x1 > x0, y0 + (y1 - y0) * (np.clip(self.right, x0, x1) - x0) / run, y1)
        beside = (x1 < self.left) | (x0 > self.right)
        apart = (np.maximum(enters, leaves) < self.low) | (np.minimum(enters, leaves) > self.high)
        return bool((~beside & ~apart).any())


def clearest(candidates: Sequence[Sequence[Box]], taken: Sequence[Sequence[Box]], curves: Sequence[np.ndarray]) -> int:
    """Return the number of the first place for a text that covers nothing, or of that which covers least.

    Parameters
    ----------
    candidates : sequence of sequence of Box
        Each as it is on a phone and on a desk.
    taken : sequence of sequence of Box
        Where other words stand, likewise.
    curves : sequence of ndarray
        Two rows each, the fractions of width, ascending, and of height.
    """
    costs = [
        sum(
            sum(map(box.is_crossed_by, curves)) + 3 * sum(map(box.meets, others)) + 10 * box.leaves_the_chart()
            for box, *others in zip(boxes, *taken, strict=True)
        )
        for boxes in candidates
    ]
    return costs.index(min(costs))


def dodged(wanted: Sequence[float], gap: float, height: float) -> list[float]:
    """Return places at least `gap` apart, near the wanted ones, in [0, `height`] where they have room.

    Parameters
    ----------
    wanted : sequence of float
        In descending order.
    gap, height : float

    Examples
    --------
    >>> dodged([90, 89, 20], 10, 100), dodged([120, 5, -10], 10, 100)
    ([90, 80, 20], [100, 10, 0])
    """
    places: list[float] = []
    for place in wanted:
        places.append(min(place, places[-1] - gap if places else height))
    floor = 0
    for index in reversed(range(len(places))):
        places[index] = max(places[index], floor)
        floor = places[index] + gap
    return places


def end_name(text: str, colour: str, place: float, shift: float, height: float) -> dict[str, object]:
    """Return a name right of a chart; a short line leads to its curve where the name had to move.

    Parameters
    ----------
    text, colour : str
    place : float
        Where it stands, in pixels above the lower end.
    shift : float
        By how many pixels it had to move up from the end of its curve.
    height : float
        Of the chart without margins, in pixels.
    """
    common = {"text": plain(text), "font": {"color": colour, "size": SMALL if colour == GREY else USUAL}}
    common |= {"xanchor": "left", "align": "left"}
    common |= {"xref": "paper", "yref": "paper", "x": 1, "yanchor": "middle"}
    if abs(shift) < 2:
        return common | {"y": place / height, "showarrow": False, "xshift": 3}
    arrow = {"arrowhead": 0, "arrowwidth": 0.8, "arrowcolor": colour, "standoff": 0}
    return common | arrow | {"y": (place - shift) / height, "showarrow": True, "ax": 12, "ay": -shift}


def flags(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    curve: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    paper: Paper,
    most: int = MOST,
    lines: Sequence[Box] = (),
) -> Iterator[tuple[int, Box]]:
    """Yield places above marked points for texts that find room, with the point's number.

    Parameters
    ----------
    points : sequence of (float, float)
        What is marked, the most important first.
    texts : sequence of str
        Lines are parted by ``<br>``.
    curve : sequence of (float, float)
        The highest of the curves, none of which must be covered.
    taken : sequence of Box
        Where other words stand.
    paper : Paper
    most : int
        Texts.
    lines : sequence of Box
        What words cover only where there is no other room, and poles may lie on.
    """
    boxes, poles = list(taken), []
    for place, ((x, y), text) in enumerate(zip(points, texts, strict=True)):
        if len(poles) == most:
            return
        free = [box for box in _candidates(x, y, paper.lines(text), curve) if _is_free(box, x, y, boxes, poles)]
        box = next((box for box in free if not any(map(box.meets, lines))), free[0] if free else None)
        if box:
            boxes.append(box)
            poles.append(Box(x - 0.003, x + 0.003, y, box.low))
            yield place, box


def _candidates(x: float, y: float, size: tuple[float, float], curve: Sequence) -> Iterator[Box]:
    """Places right and left of the pole, from low to high, above every curve, for words of this width and height."""
    width, height = size
    for left, least in ((x, 0.0), (x - width, EDGE)):
        right = left + width
        if left < least or right > 1:
            continue
        heights = [up for across, up in curve if left - GAP <= across <= right + GAP]
        low = max([y, *heights]) + GAP
        while low + height <= 1:
            yield Box(left, right, low, low + height)
            low += STEP


def _is_free(box: Box, x: float, y: float, boxes: Sequence[Box], poles: Sequence[Box]) -> bool:
    pole = Box(x - 0.003, x + 0.003, y, box.low)
    return not any(box.meets(other) for other in (*boxes, *poles)) and not any(pole.meets(other) for other in boxes)


def planted(point: tuple[float, float], flag: Box, text: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return a thin pole from a marked point up to its text, and the text, as a shape and an annotation."""
    paper = {"xref": "paper", "yref": "paper"}
    ends = {"x0": point[0], "x1": point[0], "y0": point[1], "y1": flag.low}
    pole = {"type": "line", "line": {"color": GREY, "width": 0.8, "dash": "dot"}}
    right = flag.left >= point[0] - 1e-9
    anchor = {"x": point[0], "y": flag.low, "xanchor": "left" if right else "right", "yanchor": "bottom"}
    # No ground: it stands above every curve, and a box would cover the grid and other poles.
    look = {"text": text, "showarrow": False, "align": "left" if right else "right"}
    return pole | ends | paper, look | anchor | paper
