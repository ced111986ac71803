"""What to change in a plan: accuracy, time, what still fits, and A against B."""
