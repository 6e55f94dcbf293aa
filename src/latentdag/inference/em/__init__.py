"""EM and variational Bayesian EM.

One file for each algorithm: `point_estimate`, `vbem`, `mean_field`, `empirical_bayes`. `restarts`
searches for the best of many starts; `fixed_point` hands fits to the compiled `optimiser`, which
runs one in each lane, its parameters in `lane_slots`. `information` and `copies` look at a fit: its
curvature, and the relabellings of its mode.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    ["copies", "empirical_bayes", "fixed_point", "information", "mean_field", "restarts", "vbem"],
    {
        "empirical_bayes": ["EmpiricalBayes", "WithPrior"],
        "fixed_point": ["Algorithm", "Fits"],
        "information": ["CompleteData", "Statistics"],
        "mean_field": ["MeanField", "MeanFieldVBEM"],
        "point_estimate": ["EM"],
        "restarts": ["Best", "Restarts"],
        "vbem": ["VBEM"],
    },
)
