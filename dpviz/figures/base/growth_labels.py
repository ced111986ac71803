"""Where words stand on a chart of curves, so that none covers another or a curve. Fractions of width and height."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LETTER = 0.037  # width of a letter on the chart of a phone, the narrowest
LINE = 0.052  # height of a line of text
NEXT = 0.041  # height of each further line
GAP = 0.02
MOST = 2  # texts: more are clutter, and a table beside the chart has them all
EDGE = 0.2  # left of it, a text that ends at its mark is cut on a narrow screen


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


def flags(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    curve: Sequence[tuple[float, float]],
    taken: Sequence[Box],
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
    """
    boxes, poles = list(taken), []
    for place, ((x, y), text) in enumerate(zip(points, texts, strict=True)):
        if len(poles) == MOST:
            return
        lines = text.split("<br>")
        size = LETTER * max(map(len, lines)), LINE + NEXT * (len(lines) - 1)
        box = next((box for box in _candidates(x, y, size, curve) if _is_free(box, x, y, boxes, poles)), None)
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
            low += LINE / 2


def _is_free(box: Box, x: float, y: float, boxes: Sequence[Box], poles: Sequence[Box]) -> bool:
    pole = Box(x - 0.003, x + 0.003, y, box.low)
    return not any(box.meets(other) for other in (*boxes, *poles)) and not any(pole.meets(other) for other in boxes)
