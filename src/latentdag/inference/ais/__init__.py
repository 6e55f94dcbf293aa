"""Annealed importance sampling: `annealing` tunes and runs chains, `walk` is their step."""
