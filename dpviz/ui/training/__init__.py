"""The page on training: what a model costs, by the way its batches are drawn."""
