"""The cards of the library's pages: pictures drawn once, by hand, in colours that read on light and on dark."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.figures.base.scale import FAINT

BLUE, ORANGE = "#0072B2", "#E69F00"  # Okabe and Ito's first two
AXES = f'<path d="M14 6V78H154" stroke="{FAINT}"/>'
LINE = 'stroke-width="3" stroke-linecap="round"'
# What all of it is about. Odds of 1 become at most e^ε, and so 50 % at most e^ε / (1 + e^ε): rounded up.
ABOUT = (
    "What is published carries noise, so that it hardly depends on whether any one person is in the data. The privacy "
    "loss{} says how much it still does: after a loss of 1, somebody who was 50 % sure that a person is in the data is "
    "at most 73.2 % sure; after a loss of 2, at most 88.1 %. More may be told only with the small chance that is "
    "promised."
)


@dataclass(frozen=True, slots=True)
class Card:
    """What the contents page says of a page.

    Parameters
    ----------
    found : str
        One sentence on what is found there, without any sign: people read it too.
    seen : str
        The picture in words.
    drawing : str
        What stands inside of an SVG of 160 by 90.
    plain_title : str
        Title for people, where the page's own has a sign; else "".
    """

    found: str
    seen: str
    drawing: str
    plain_title: str = ""

    @property
    def picture(self) -> str:
        """The picture as SVG."""
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90" fill="none">{self.drawing}</svg>'


def _squares(left: int, top: int, columns: int, count: int, colour: str, skipped: int = 0, step: int = 11) -> str:
    """So many squares of a grid, row by row."""
    places = [divmod(n, columns) for n in range(skipped, skipped + count)]
    path = "".join(f"M{left + step * x} {top + step * y}h8v8h-8z" for y, x in places)
    return f'<path d="{path}" fill="{colour}"/>'


CARDS = {
    "composition": Card(
        "How much more is given away each time the same is released again, and which proof bounds it best.",
        "A straight line, and beneath it a curve that grows ever more slowly",
        f'{AXES}<path d="M14 78L150 10" stroke="{FAINT}" stroke-width="2"/>'
        f'<path d="M14 78C30 52 80 40 150 33" stroke="{BLUE}" {LINE}/><circle cx="44" cy="62" r="4" fill="{ORANGE}"/>',
        "How the loss grows",
    ),
    "privacy_loss": Card(
        "What single results give away, how rare the worst of them is, and how many small losses add up.",
        "A bell, with a line far to its right beyond which next to nothing lies",
        f'{AXES}<path d="M18 78C52 78 52 16 72 16S92 78 126 78Z" fill="{BLUE}" opacity=".75"/>'
        f'<path d="M112 8V78" stroke="{ORANGE}" {LINE}/>',
    ),
    "adversary": Card(
        "A game of guessing, played before your eyes: how often the best attacker is right, and how sure they become.",
        "Two grids of squares: few are orange in the first, most in the second",
        _squares(10, 18, 6, 9, ORANGE) + _squares(10, 18, 6, 21, BLUE, 9)
        + _squares(88, 18, 6, 20, ORANGE) + _squares(88, 18, 6, 10, BLUE, 20),
    ),
    "filters": Card(
        "A session in which every question may depend on the answers before it, and the rule that says when to stop.",
        "Bars that fill a budget up to its line; the last one does not fit any more",
        f'{AXES}<path d="M24 64V78M44 50V78M64 38V78M84 30V78M104 24V78" stroke="{BLUE}" stroke-width="13"/>'
        f'<path d="M14 18H154" stroke="{FAINT}" stroke-width="2"/>'
        f'<path d="M118 8H131V78H118Z" stroke="{ORANGE}" stroke-width="2" stroke-dasharray="4 3"/>',
    ),
    "subsampling": Card(
        "How much less is given away when nobody knows whose records were asked, and what that costs in accuracy.",
        "A grid of squares of which a few, here and there, are marked",
        _squares(20, 8, 11, 77, FAINT).replace("<path", '<path opacity=".25"')
        + "".join(_squares(20, 8, 11, 1, ORANGE, place) for place in (3, 16, 20, 34, 41, 55, 57, 73)),
    ),
    "noise_sums": Card(
        "Many who add a little noise each: what their sum promises, even when some drop out or work together.",
        "Three narrow bells, and the wide one that they add up to",
        f'{AXES}<path d="M18 78C30 78 28 46 36 46S42 78 54 78M40 78C52 78 50 46 58 46S64 78 76 78M62 78'
        f'C74 78 72 46 80 46S86 78 98 78" stroke="{BLUE}" stroke-width="2"/>'
        f'<path d="M20 78C70 78 70 22 92 22S114 78 152 78" stroke="{ORANGE}" {LINE}/>',
    ),
    "training": Card(
        "What a model gives away of those it learned from, by how its batches are drawn, and the noise for a budget.",
        "Two lines that grow alike, one high above the other, and a dotted one between them",
        f'{AXES}<path d="M14 78C30 66 80 60 150 56" stroke="{BLUE}" {LINE}/>'
        f'<path d="M14 60C30 28 80 18 150 12" stroke="{ORANGE}" {LINE}/>'
        f'<path d="M14 72C30 50 80 40 150 34" stroke="{ORANGE}" stroke-width="2" stroke-dasharray="3 4"/>',
    ),
    "claims": Card(
        "Somebody says what their releases give away: proved, disproved, or not to be told from what was published.",
        "A bar that ends before a dotted line, and below it one that goes beyond the line",
        f'{AXES}<path d="M22 28H84" stroke="{BLUE}" stroke-width="14"/><path d="M22 56H130" stroke="{ORANGE}" '
        f'stroke-width="14"/><path d="M104 8V78" stroke="{FAINT}" stroke-width="3" stroke-dasharray="3 4"/>',
    ),
    "audit": Card(
        "How often a stated promise must be put to the test until it is found out, and what measured scores prove.",
        "A curve that rises from the floor and levels out at the top, where a point is marked",
        f'{AXES}<path d="M14 20H154" stroke="{FAINT}" stroke-width="2"/>'
        f'<path d="M14 76C62 76 60 20 106 17C124 16 140 16 152 16" stroke="{BLUE}" {LINE}/>'
        f'<circle cx="98" cy="20" r="5" fill="{ORANGE}"/>',
    ),
    "theorems": Card(
        "Every theorem with its source, and what lectures and notebooks claim, each number computed again.",
        "A list whose lines are ticked, but for one",
        f'<path d="M52 20H144M52 44H128M52 68H138" stroke="{FAINT}" stroke-width="6" opacity=".5"/>'
        f'<path d="M20 20l6 7l12-14M20 68l6 7l12-14" stroke="{BLUE}" {LINE}/>'
        f'<path d="M22 37l14 14M36 37l-14 14" stroke="{ORANGE}" {LINE}/>',
    ),
}
