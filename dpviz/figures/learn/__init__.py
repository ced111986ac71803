"""The figures of the pages that explain: growth, attacks, losses, samples, sums of noise, filters."""
