"""The page “Privacy filters”: queries chosen along the way, until the budget is spent."""
