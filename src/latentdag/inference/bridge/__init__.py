"""The evidence by tempered sequential Monte Carlo with Hamiltonian moves, along a bridge from a
known distribution to the posterior. It shares no code with `latentdag.inference.particles`.
"""
