"""A plan as text that can be opened again: CSV, JSON with its schema, and the token of a link."""
