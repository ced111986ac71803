"""The part of the dashboard that draws forecast."""
