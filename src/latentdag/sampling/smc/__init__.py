"""Collapsed sequential Monte Carlo over the cases: the reference evidence and its upper bound."""
