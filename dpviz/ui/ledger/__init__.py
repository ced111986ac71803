"""The page of ledgers: what a budget promised, what is reserved, what was spent."""
