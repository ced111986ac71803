"""How the tables came to be: one module per schema version, each from the one before; none is ever changed."""
