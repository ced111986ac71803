"""The one scale of letters and the one set of greys of every figure and of what the pages draw themselves."""

from __future__ import annotations

SMALL, USUAL, LARGE = 11, 12, 13  # pixels: notes and legends, names of lines, names of bars and what is found
GREY = "#767676"  # reads on white (4.5 to 1) and on black (4.1 to 1): text, axes, budget lines, what does not apply
FAINT = "#808080"  # lines around and under what is pressed
GRID = "rgba(128,128,128,0.22)"
SHADE = "rgba(128,128,128,0.16)"  # within rings, of bands, of what stands for none
