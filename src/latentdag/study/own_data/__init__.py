"""Statistics of the scores on a table of one's own, where no true structure is known."""
