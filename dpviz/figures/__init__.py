"""Figures: a frame in, a Plotly figure out. They draw what they are given and never compute privacy.

Everywhere `dark` says whether the ground is dark and `in_words` whether axes are named in words; `described` takes what
its chart takes.
"""
