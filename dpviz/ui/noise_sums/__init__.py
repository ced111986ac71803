"""The page “Sums of noise”: secure aggregation, mixtures and shuffling."""
