"""The page “Theorems and sources”: every theorem, and every claim of the sources, checked."""
