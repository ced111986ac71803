"""Where to look, and how fine: numbers that steer the engine and never enter an answer."""
