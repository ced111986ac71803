"""What a notebook shows: the figure of a frame, found by its name or by itself."""

from dpviz.notebook.plot import FIGURES, Drawable, plot

__all__ = ["FIGURES", "Drawable", "plot"]
