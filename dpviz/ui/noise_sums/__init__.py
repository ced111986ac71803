"""The part of the dashboard that draws noise_sums."""
