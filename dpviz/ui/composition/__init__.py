"""The page “How ε grows”: a plan repeated, under every theorem."""
