"""Figures: a frame in, a Plotly figure out. They draw what they are given and never compute privacy."""
