"""The page “Time and levers”: when the budget is spent, levers and checks."""
