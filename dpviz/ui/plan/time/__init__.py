"""The picture “When”: when the budget is spent; and the panel of levers and checks."""
