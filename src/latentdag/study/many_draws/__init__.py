"""Statistics of the scores over a population of draws."""
