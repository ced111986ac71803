"""Figures of the pages under Check."""
