"""The panel “A against B”: two plans side by side."""
