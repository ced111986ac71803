"""The figure of docs/engine.md: a profile, the chords above it, and the tests below it, on a grid coarse enough to see.

Run ``python docs/engine_figure.py`` from the root of the repository; it writes docs/engine.svg.
"""

from pathlib import Path

import numpy as np

from dpviz.mechanisms import Laplace
from dpviz.privacy_loss.lattice import lower_lattices, upper_lattice

EPSILON, STEP = 1.0, 0.4
WIDE, HIGH, LEFT, TOP = 560, 300, 60, 20


def path(x, y, style, largest):
    """Return a line of SVG through points (epsilon, delta)."""
    places = zip(LEFT + WIDE * x / (1.1 * EPSILON), TOP + HIGH * (1 - y / largest), strict=True)
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    return f'<polyline fill="none" points="{points}" {style}/>'


def main():
    """Write the figure."""
    law = Laplace.from_epsilon(EPSILON).laws()[0]
    x = np.linspace(0.0, 1.1 * EPSILON, 400)
    exact = np.maximum(-np.expm1((x - EPSILON) / 2), 0.0)
    upper = upper_lattice(law, STEP, -60.0)
    above = (np.exp(upper.log_masses) * np.maximum(-np.expm1(x[:, None] - upper.losses), 0.0)).sum(axis=1)
    p, q = (np.exp(lattice.log_masses)[::-1].cumsum() for lattice in lower_lattices(law, STEP, -60.0))
    below = np.maximum(p - np.exp(x[:, None]) * q, 0.0).max(axis=1)
    largest = 1.1 * above.max()
    lines = [
        path(x, above, 'stroke="#d55e00" stroke-width="2" stroke-dasharray="7 4"', largest),
        path(x, exact, 'stroke="#222" stroke-width="2.5"', largest),
        path(x, below, 'stroke="#0072b2" stroke-width="2" stroke-dasharray="2 4"', largest),
    ]
    labels = (
        (330, 50, "#d55e00", "above: mass split over grid points (dashes)"),
        (330, 72, "#222", "δ(ε) of Laplace noise, ε₀ = 1 (line)"),
        (330, 94, "#0072b2", "below: tests of rounded losses (dots)"),
        (LEFT + WIDE - 60, TOP + HIGH + 38, "#222", "ε in nats"),
        (14, 14, "#222", "δ"),
    )
    for tick in np.arange(0.0, 1.1 * EPSILON, STEP):
        place = LEFT + WIDE * tick / (1.1 * EPSILON)
        lines.append(f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{TOP}" y2="{TOP + HIGH}" stroke="#ccc"/>')
        lines.append(f'<text x="{place:.1f}" y="{TOP + HIGH + 18}" text-anchor="middle" fill="#222">{tick:g}</text>')
    lines += [f'<text x="{x}" y="{y}" fill="{colour}">{text}</text>' for x, y, colour, text in labels]
    size = f'width="{LEFT + WIDE + 30}" height="{TOP + HIGH + 50}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="14" role="img">'
    title = "<title>The profile lies between chords above and tests below, apart by the square of the step</title>"
    background = '<rect width="100%" height="100%" fill="white"/>'
    Path(__file__).with_name("engine.svg").write_text("\n".join([head, title, background, *lines, "</svg>", ""]))


if __name__ == "__main__":
    main()
