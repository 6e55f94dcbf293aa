"""Estimates, bounds and samplers of the evidence: `em`, `ais`, `particles` and `bridge`.

`slots` lays out the parameters for all of them; `relabellings` counts symmetries of a structure.
"""
