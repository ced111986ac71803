"""The page “A against B”: two plans side by side, and published deployments."""
