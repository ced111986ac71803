"""The figures of a plan: totals, shares, errors, its spend over time, A against B."""
