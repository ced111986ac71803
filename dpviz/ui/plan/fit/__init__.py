"""The page “Split and accuracy”: noise for a budget, how many more fit, ε for an accuracy."""
