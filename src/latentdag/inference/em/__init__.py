"""EM and variational Bayesian EM.

One file for each algorithm: `point_estimate`, `vbem`, `mean_field`, `empirical_bayes`.
`fixed_point` searches for the best of many starts, and hands fits to the compiled `optimiser`,
which runs one in each lane, its parameters in `lane_slots`. `information` has the curvature at a
fit.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    ["empirical_bayes", "fixed_point", "information", "mean_field", "vbem"],
    {
        "empirical_bayes": ["EmpiricalBayes"],
        "fixed_point": ["Algorithm", "Best", "Fits"],
        "information": ["CompleteData", "Statistics"],
        "mean_field": ["MeanFieldVBEM"],
        "point_estimate": ["EM"],
        "vbem": ["VBEM"],
    },
)
