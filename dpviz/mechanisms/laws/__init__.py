"""What the loss of a mechanism is: its atoms and densities, its Rényi curve, its profile, and what noise costs."""
