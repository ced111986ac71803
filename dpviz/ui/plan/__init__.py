"""Sections of the first page, “Cost of a plan”; its inputs, cached answers and sentences stand in `dpviz.ui.shell`."""
