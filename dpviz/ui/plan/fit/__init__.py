"""The panel “Fit to budget” and the picture “How accurate”: noise for a budget, how many more fit."""
