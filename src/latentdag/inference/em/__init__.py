"""EM and variational Bayesian EM.

One file for each algorithm: `point_estimate`, `vbem`, `mean_field`, `empirical_bayes`. `restarts`
searches for the best of many starts; `fixed_point` hands fits to the compiled `optimiser`, which
runs one in each lane, its parameters in `lane_slots`. `information` and `copies` look at a fit: its
curvature, and the relabellings of its mode.
"""
