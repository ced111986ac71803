"""The page “Random samples”: what reading a sample buys, and what it costs."""
