"""What a notebook shows: the figure of a frame, found by its name or by itself."""

from dpviz.notebook.plot import FIGURES, Drawable, Plot, plot

__all__ = ["FIGURES", "Drawable", "Plot", "plot"]
