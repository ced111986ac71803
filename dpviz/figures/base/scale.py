"""The one scale of letters and of gaps, and the one set of greys, of all figures and of what pages draw themselves."""

from __future__ import annotations

SMALL, USUAL, LARGE = 11, 12, 13  # pixels: notes and legends, names of lines, names of bars and what is found
NOTE = ".875rem"  # letters of what a page draws itself beside its text
CLOSE, APART, ASIDE = ".25rem", ".5rem", "2.5rem"  # between what belongs together, what does not, and from the edge
GREY = "#767676"  # reads on white (4.5 to 1) and on black (4.1 to 1): text, axes, budget lines, what does not apply
TEXT = ("#575c66", "#b0b5bd")  # on a light ground, 6.7 to 1 on white, and on a dark one, 8 to 1
INK = ("#1a1a1a", "#f2f2f2")  # what must be read first, and lines of their own
FAINT = "#808080"  # lines around and under what is pressed
GRID = "rgba(128,128,128,0.22)"
BEHIND = ("rgba(255,255,255,0.7)", "rgba(22,22,20,0.7)")  # words that meet a line, on a light and on a dark ground
SHADE = "rgba(128,128,128,0.16)"  # within rings, of bands, of what stands for none
