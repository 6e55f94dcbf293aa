"""Numbers and claims of the paper and of Chickering & Heckerman (1997), and verdicts on them."""
