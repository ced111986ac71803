"""The contents of the library: of each page a picture of its chart's shape, and a sentence on what is found there."""
