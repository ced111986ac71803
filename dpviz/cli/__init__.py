"""The command line: `dpviz run`, `report`, `compose`, and what else can be asked without a screen."""
