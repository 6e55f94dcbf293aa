"""Annealed importance sampling: `annealing` tunes and runs chains, `walk` has their compiled step."""
