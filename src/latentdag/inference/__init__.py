"""Samplers of the evidence: annealed importance sampling, sequential Monte Carlo."""
