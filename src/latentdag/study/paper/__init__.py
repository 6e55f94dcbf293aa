"""Numbers and claims of the paper, and verdicts on them."""
