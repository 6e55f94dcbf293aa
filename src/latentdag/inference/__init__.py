"""Fits, bounds and samplers of the evidence of a structure.

`em` has EM and variational Bayesian EM, `ais` annealed importance sampling, `particles` sequential
Monte Carlo over the cases, `bridge` sequential Monte Carlo from a known start. `slots` lays the
parameters out for all of them, `relabellings` counts the symmetries of a structure.
"""
